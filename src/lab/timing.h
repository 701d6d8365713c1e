/* The lateness of a lab's nodes, or of a switch on real ports, compared with the times for which
 * their thresholds were derived.
 *
 * Tau is the real time from the request to a peer to send less until less arrives. A node that
 * requests pauses can measure it, as the time for which packets still arrive
 * (dataplane/lateness.h). A node that requests rates or grants credit cannot, because packets never
 * stop. For such nodes tau is computed: the delay of the link, the lateness of the peer, which
 * receives the frame, and the lateness of this node, where packets arrive. Thresholds were derived
 * for 2 MTU/C + 2 t_w + t_r. A simulated node always waits for its response time t_r; a real node
 * responds as soon as it can, so t_r is only a bound.
 *
 * Frames that arrive between two polls of a port take effect at the second one, and if there are
 * too many, some are lost. Nodes on a busy machine poll late, and so do nodes that a user stops. A
 * measured tau does not show that, because no node requested a pause in that time. */

#ifndef LAB_TIMING_H
#define LAB_TIMING_H

#include "dataplane/node.h"
#include "model/model.h"
#include "run/outcome.h"

struct lab_delays {
    /* The time for which thresholds were derived; WEIR_NEVER: there is no such threshold. */
    weir_ps derived_ps;
    weir_ps p50_ps, p99_ps, most_ps;
    uint64_t n;        /* The number of measured events; 0: the delays are unknown. */
    bool is_of_pauses; /* Tau was measured; otherwise it was computed from parts. */
};

/* The lateness that a 'share' of all events did not exceed, rounded to a power of two; 0: there
 * were no events. */
weir_ps lab_lateness_at(const struct dp_lateness *, double share);

/* Tau of a node: measured, from its own counts, if the node has sent pauses; and estimated, from
 * the counts of all nodes. */
struct lab_delays lab_tau_measured(const struct model *, uint32_t node, const struct dp_counts *);
struct lab_delays lab_tau_estimated(const struct model *, uint32_t node, const struct dp_counts *);

/* The switch with the smallest margin between its tau and the bound of its thresholds; SIM_NONE: no
 * tau is known. A measured tau takes precedence over estimated ones. Hosts drain at once, and have
 * no thresholds. */
uint32_t lab_tau_latest(const struct model *, const struct dp_counts *, struct lab_delays *);

/* The time between two polls of a node, from its own counts. */
struct lab_delays lab_polls_of(const struct model *, uint32_t node, const struct dp_counts *);

/* The end of a link that was delayed for longer than the other; SIM_NONE: neither was delayed for
 * longer than its response time.  Counts are indexed by node. */
uint32_t lab_polls_held_up(const struct model *, uint32_t link, const struct dp_counts *);

/* Writes the tau of a node as text.  The other functions write a warning that tau, or the time
 * between two polls, exceeded the bound of thresholds; they return false if it did not. */
void lab_tau_words(const char *node, const struct lab_delays *, struct weir_text *);
bool lab_tau_is_long(const char *node, const struct lab_delays *, struct weir_text *why);
bool lab_polls_are_rare(const char *node, const struct lab_delays *, struct weir_text *why);

/* Adds delays as text, such as "2 us in the median, 8 us in 99 %, 9 us at most". */
void lab_delays_words(const struct lab_delays *, struct weir_text *);

/* Add to the outcome of a lab, from the counts of all nodes: the tau of the latest switch; warnings
 * about the latest switch and the late host that lost the most packets; and the counters that only
 * labs have. */
void lab_tau_report(struct outcome *, const struct dp_counts *);
void lab_polls_warn(struct outcome *, const struct dp_counts *);
void lab_count_node(struct outcome *, uint32_t node, const struct dp_counts *);

/* Rounds to microseconds, or above a second to milliseconds: real time is not exact to
 * picoseconds. */
weir_ps lab_rounded_ps(weir_ps);

#endif
