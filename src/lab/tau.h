/* Tau of a lab: how long it really takes from asking a peer to send less until less comes, compared
 * with what thresholds were derived for.
 *
 * A node that asks for pauses sees it: packets still come for so long (dataplane/lateness.h).  A
 * node that asks for rates or gives credit does not, as packets never stop.  For such nodes it is
 * put together: the delay of the link, the lateness at the peers, where the frame comes, and the
 * lateness here, where the packets do.
 *
 * Thresholds were derived for 2 MTU/C + 2 t_w + t_r.  A simulated node takes its response time t_r
 * always; a real one answers as soon as it can, so t_r is what it may be late. */

#ifndef LAB_TAU_H
#define LAB_TAU_H

#include "dataplane/node.h"
#include "model/model.h"
#include "run/outcome.h"

struct lab_tau {
    weir_ps derived_ps; /* For so long thresholds are good, at the port that this is of. */
    weir_ps p50_ps, p99_ps, most_ps;
    uint64_t n;        /* Pauses, or packets, that this is known from; 0: it is not known. */
    bool is_of_pauses; /* Else put together. */
};

/* Such that 'share' of all were no later, to the power of two; 0: there were none. */
weir_ps lab_lateness_at(const struct dp_lateness *, double share);

/* Tau of a node, from the counts of all, [node]: the first if it has asked for pauses, else the
 * second; and each by itself. */
struct lab_tau lab_tau_of(const struct model *, uint32_t node, const struct dp_counts *);
struct lab_tau lab_tau_measured(const struct model *, uint32_t node, const struct dp_counts *);
struct lab_tau lab_tau_estimated(const struct model *, uint32_t node, const struct dp_counts *);

/* The switch that keeps least of what its thresholds were derived for; SIM_NONE: there is none of
 * which it is known.  One that has measured it goes before all that have not.  Hosts drain at once,
 * and have no thresholds to reach. */
uint32_t lab_tau_latest(const struct model *, const struct dp_counts *, struct lab_tau *);

/* In words: tau at a node, by its name; and that it was longer than thresholds allow, if it was:
 * else false. */
void lab_tau_words(const char *node, const struct lab_tau *, struct weir_text *);
bool lab_tau_is_long(const char *node, const struct lab_tau *, struct weir_text *why);

/* Says both of the latest switch in the outcome. */
void lab_tau_tell(struct outcome *, const struct dp_counts *);

/* To the microsecond, or above a second to the millisecond: real time has no picoseconds. */
const char *lab_time_text(weir_ps, struct weir_text *room);

#endif
