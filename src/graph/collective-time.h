/* The time of a collective on an empty network, by the closed form of its algorithm.
 *
 * The forms hold if all messages take paths of equal links that they share with no other message:
 * on a star, or on a network without oversubscription.  A message of m bytes takes D(m), and W(m)
 * on one link; S is the buffer, and S / n its largest share of n.
 *
 *     ring                all-reduce 2 (n - 1) D(S / n); all-gather and reduce-scatter half of it
 *     halving-doubling    all-reduce of n = 2^j members: 2 sum over k = 1 to j of D(S / 2^k)
 *     direct              all-to-all D(S / n) + (n - 2) W(S / n) */

#ifndef GRAPH_COLLECTIVE_TIME_H
#define GRAPH_COLLECTIVE_TIME_H

#include "graph/collective.h"
#include "weir/units.h"

/* The time of a message behind others of its size from the same sender, D(m) + n_before W(m), on an
 * empty network; negative: it is not the same between all members. */
typedef weir_ps collective_time_alone(void *arg, uint64_t bytes, uint64_t n_before);

/* Negative: the form is not known, as for several channels, for chunks and for other algorithms. */
weir_ps collective_time_ps(const struct coll_params *, collective_time_alone *, void *arg);

#endif
