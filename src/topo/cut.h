/* Cuts a network into parts that run in parallel: ranks, and the threads of a rank.
 *
 *     uint32_t part[n_nodes];
 *     topo_cut(&topo, load, 4, part, &err);                         cuts the network into ranks
 *     topo_cut_part(&topo, load, part, 0, 2, thread, NULL, &err);   cuts a rank's part into threads
 *
 * Hosts stay with their switch.  Three methods are tried.  The first one that keeps neighbours
 * together and divides the expected load evenly enough is taken; otherwise, the method with the
 * best balance of evenness and crossing load:
 *
 *     by pods    whole pods, as the builder numbers them, neighbours together;
 *     by METIS   as little load as possible crosses the cut, and the shortest link that does is as
 *                long as the balance allows, because parts exchange data once per its delay;
 *     in order   switches in the order of their numbers, one run of numbers for each part.
 *
 * The cut depends only on the arguments, so all ranks compute the same cut.  A build without METIS
 * (meson's feature `metis`) has the other two methods. */

#ifndef TOPO_CUT_H
#define TOPO_CUT_H

#include "topo/topo.h"

/* A cut is even enough if no part has more than this percentage of the mean load. */
enum { TOPO_CUT_EVEN_PERCENT = 110 };

/* The maximum number of parts of a network, each of which must have a switch. */
uint32_t topo_cut_max(const struct topo *);

/* load: [link], its traffic, in any unit; null: all live links have the same load. part: [node].
 * False if there are more parts than switches. */
bool topo_cut(const struct topo *, const uint64_t *load, uint32_t n_parts, uint32_t *part,
              struct err *);

/* Cuts one part of an earlier cut, of[node] == which, or all nodes if 'of' is null.  Sets only the
 * parts of these nodes, and 'method' if it is not null. */
bool topo_cut_part(const struct topo *, const uint64_t *load, const uint32_t *of, uint32_t which,
                   uint32_t n_parts, uint32_t *part, const char **method, struct err *);

bool topo_cut_has_metis(void);

/* The loads of a cut and of its parts. */
struct topo_cut_sum {
    uint32_t n_parts;
    struct topo_cut_share {
        uint32_t n_switches, n_hosts;
        uint32_t n_across; /* Links to other parts. */
        uint64_t load;     /* The load of its links, counted once for each end in the part. */
    } * parts;
    uint64_t total, most; /* The load of all parts together, and of the heaviest part. */
    size_t n_across;      /* The number of links between parts, including failed links. */
    uint64_t across;      /* The load of these links. */
    uint32_t shortest;    /* The link across the cut with the shortest delay; TOPO_NONE: no link
                           * crosses it. */
};

void topo_cut_sum_up(const struct topo *, const uint64_t *load, uint32_t n_parts,
                     const uint32_t *part, struct topo_cut_sum *);
void topo_cut_sum_free(struct topo_cut_sum *);

#endif
