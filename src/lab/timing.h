/* How late the nodes of a lab, or a switch on real ports, were: compared with the times that their
 * thresholds were derived for.
 *
 * Tau is how long it really takes from asking a peer to send less until less comes.  A node that
 * asks for pauses sees it: packets still come for that time (dataplane/lateness.h).  A node that
 * asks for rates or gives credit does not, as packets never stop.  For such nodes tau is computed:
 * the delay of the link, the lateness of the peer, which receives the frame, and the lateness here,
 * where the packets arrive.  Thresholds were derived for 2 MTU/C + 2 t_w + t_r.  A simulated node
 * always takes its response time t_r; a real one answers as soon as it can, so t_r is its bound.
 *
 * Looks are polls of ports.  Frames that come between two of them take effect at the second, and
 * too many find no room.  Nodes on a busy machine poll late, and so do nodes that a user stops: a
 * measured tau does not show that, as no node asked for a pause meanwhile. */

#ifndef LAB_TIMING_H
#define LAB_TIMING_H

#include "dataplane/node.h"
#include "model/model.h"
#include "run/outcome.h"

struct lab_delays {
    weir_ps derived_ps; /* The bound of the thresholds; WEIR_NEVER: there are none for it. */
    weir_ps p50_ps, p99_ps, most_ps;
    uint64_t n;        /* Events that this is known from; 0: it is not known. */
    bool is_of_pauses; /* Tau that was measured; else put together. */
};

/* The lateness that 'share' of all did not exceed, to the power of two; 0: there were none. */
weir_ps lab_lateness_at(const struct dp_lateness *, double share);

/* Tau of a node: measured from its own counts, if the node has sent pauses; and computed from the
 * counts of all, [node]. */
struct lab_delays lab_tau_measured(const struct model *, uint32_t node, const struct dp_counts *);
struct lab_delays lab_tau_estimated(const struct model *, uint32_t node, const struct dp_counts *);

/* The switch that keeps least of what its thresholds were derived for; SIM_NONE: there is none of
 * which it is known.  A measured value has priority over all computed ones.  Hosts drain at once,
 * and have no thresholds to reach. */
uint32_t lab_tau_latest(const struct model *, const struct dp_counts *, struct lab_delays *);

/* The time between two looks of a node, from its own counts. */
struct lab_delays lab_polls_of(const struct model *, uint32_t node, const struct dp_counts *);

/* The end of a link that was held up for longer than the other, [node]; SIM_NONE: neither was for
 * longer than nodes may take to respond. */
uint32_t lab_polls_held_up(const struct model *, uint32_t link, const struct dp_counts *);

/* Text: tau at a node, by its name; and a warning that tau, or the time between two polls, exceeded
 * the bound of thresholds; false: it did not. */
void lab_tau_words(const char *node, const struct lab_delays *, struct weir_text *);
bool lab_tau_is_long(const char *node, const struct lab_delays *, struct weir_text *why);
bool lab_polls_are_rare(const char *node, const struct lab_delays *, struct weir_text *why);

/* Adds "2 us in the median, 8 us in 99 %, 9 us at most". */
void lab_delays_words(const struct lab_delays *, struct weir_text *);

/* Add to the outcome of a lab, from the counts of all nodes, [node]: tau of the latest switch;
 * warnings about the latest switch, and about the late host that lost most packets; the counters
 * that only labs have. */
void lab_tau_report(struct outcome *, const struct dp_counts *);
void lab_polls_warn(struct outcome *, const struct dp_counts *);
void lab_count_node(struct outcome *, uint32_t node, const struct dp_counts *);

/* To the microsecond, or above a second to the millisecond: real time has no picoseconds. */
weir_ps lab_rounded_ps(weir_ps);

#endif
