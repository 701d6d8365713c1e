/* How late the nodes of a lab, or a switch on real ports, were: compared with the times that their
 * thresholds were derived for.
 *
 * Tau is how long it really takes from asking a peer to send less until less comes.  A node that
 * asks for pauses sees it: packets still come for so long (dataplane/lateness.h).  A node that asks
 * for rates or gives credit does not, as packets never stop.  For such nodes it is put together:
 * the delay of the link, the lateness at the peers, where the frame comes, and the lateness here,
 * where the packets do.  Thresholds were derived for 2 MTU/C + 2 t_w + t_r.  A simulated node takes
 * its response time t_r always; a real one answers as soon as it can, so t_r is what it may be
 * late.
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
    weir_ps derived_ps; /* For so long thresholds are good; WEIR_NEVER: there are none for it. */
    weir_ps p50_ps, p99_ps, most_ps;
    uint64_t n;        /* Events that this is known from; 0: it is not known. */
    bool is_of_pauses; /* Tau that was measured; else put together. */
};

/* Such that 'share' of all were no later, to the power of two; 0: there were none. */
weir_ps lab_lateness_at(const struct dp_lateness *, double share);

/* Tau of a node as it was measured, if the node has asked for pauses, from its own counts; and as
 * it is put together from the counts of all, [node]. */
struct lab_delays lab_tau_measured(const struct model *, uint32_t node, const struct dp_counts *);
struct lab_delays lab_tau_estimated(const struct model *, uint32_t node, const struct dp_counts *);

/* The switch that keeps least of what its thresholds were derived for; SIM_NONE: there is none of
 * which it is known.  One that has measured it goes before all that have not.  Hosts drain at once,
 * and have no thresholds to reach. */
uint32_t lab_tau_latest(const struct model *, const struct dp_counts *, struct lab_delays *);

/* The time between two looks of a node, from its own counts. */
struct lab_delays lab_polls_of(const struct model *, uint32_t node, const struct dp_counts *);

/* The end of a link that was held up for longer than the other, [node]; SIM_NONE: neither was for
 * longer than nodes may take to respond. */
uint32_t lab_polls_held_up(const struct model *, uint32_t link, const struct dp_counts *);

/* In words: tau at a node, by its name; and that tau, or the time between two looks, was longer
 * than thresholds allow, if it was: else false. */
void lab_tau_words(const char *node, const struct lab_delays *, struct weir_text *);
bool lab_tau_is_long(const char *node, const struct lab_delays *, struct weir_text *why);
bool lab_polls_are_rare(const char *node, const struct lab_delays *, struct weir_text *why);

/* Adds "2 us in the median, 8 us in 99 %, 9 us at most". */
void lab_delays_words(const struct lab_delays *, struct weir_text *);

/* In the outcome of a lab, from the counts of all nodes, [node]: tau of the latest switch.  The
 * switch that was held up for longest, and the host of those that were sent what they did not get.
 * The counters of a node in addition to those of a simulation. */
void lab_tau_report(struct outcome *, const struct dp_counts *);
void lab_polls_warn(struct outcome *, const struct dp_counts *);
void lab_count_node(struct outcome *, uint32_t node, const struct dp_counts *);

/* To the microsecond, or above a second to the millisecond: real time has no picoseconds. */
weir_ps lab_rounded_ps(weir_ps);

#endif
