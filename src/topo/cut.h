/* Cuts a network into parts that run side by side: ranks, and the threads of a rank.
 *
 *     uint32_t part[n_nodes];
 *     topo_cut(&topo, load, 4, part, &err);                         into ranks,
 *     topo_cut_part(&topo, load, part, 0, 2, thread, NULL, &err);   a rank's part into threads
 *
 * Hosts stay with their switch.  Three methods are tried, and the first of two that divides the
 * expected load evenly enough is taken, else the one that is even and has little cross the cut:
 *
 *     by pods    whole pods, as the builder knows them, neighbours together;
 *     by METIS   as little load as possible crosses the cut, and the shortest link that does is as
 *                long as the balance allows: how often parts must talk follows from its delay;
 *     in order   switches in the order of their numbers, in one run a part.
 *
 * The cut depends on its arguments alone, so that all ranks find the same.  A build without METIS
 * (meson's feature `metis`) has the other two. */

#ifndef TOPO_CUT_H
#define TOPO_CUT_H

#include "topo/topo.h"

/* A part with this many hundredths of the mean load is even enough. */
enum { TOPO_CUT_EVEN_PERCENT = 110 };

/* Into how many parts a network can be cut: none is empty, and each has a switch. */
uint32_t topo_cut_max(const struct topo *);

/* load: [link], its traffic, in any unit; null: as much on every live link.  part: [node].  False
 * if there are more parts than switches. */
bool topo_cut(const struct topo *, const uint64_t *load, uint32_t n_parts, uint32_t *part,
              struct err *);

/* The same for one part of an earlier cut, of[node] == which, or for all if 'of' is null.  Sets
 * their parts alone, and returns the method, unless that is null. */
bool topo_cut_part(const struct topo *, const uint64_t *load, const uint32_t *of, uint32_t which,
                   uint32_t n_parts, uint32_t *part, const char **method, struct err *);

bool topo_cut_has_metis(void);

/* The sum of a cut. */
struct topo_cut_sum {
    uint32_t n_parts;
    struct topo_cut_share {
        uint32_t n_switches, n_hosts;
        uint32_t n_across; /* Links to other parts. */
        uint64_t load;     /* The load of its links, once per end that it contains. */
    } * parts;
    uint64_t total, most; /* Load of all parts, and of the heaviest. */
    size_t n_across;      /* Links from part to part, failed ones too. */
    uint64_t across;      /* The load of these nodes. */
    uint32_t shortest;    /* The link across with the least delay; TOPO_NONE: none crosses. */
};

void topo_cut_sum_up(const struct topo *, const uint64_t *load, uint32_t n_parts,
                     const uint32_t *part, struct topo_cut_sum *);
void topo_cut_sum_free(struct topo_cut_sum *);

#endif
