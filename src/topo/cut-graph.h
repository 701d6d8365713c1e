/* Common parts of the methods that cut a network.  Switches with their hosts are vertices with
 * weights. */

#ifndef TOPO_CUT_GRAPH_H
#define TOPO_CUT_GRAPH_H

#include "topo/topo.h"

struct cut {
    const struct topo *t;
    const uint64_t *load; /* [link], or null. */
    uint32_t n_parts;
    uint32_t n;          /* The number of vertices, which are the switches to be divided, in
                          * order. */
    uint32_t *nodes;     /* [vertex] */
    uint32_t *vertex_of; /* [node]: its vertex, or for a host the vertex of its switch; TOPO_NONE:
                          * not to be divided. */
    uint64_t *weight;    /* [vertex]: 1 plus the load of its links and of its hosts' links. */
};

/* The expected load of a link. */
uint64_t cut_load(const struct cut *, size_t link);

/* The weight of the heaviest part in hundredths of the mean; UINT64_MAX if a part is empty. */
uint64_t cut_percent(const struct cut *, const uint32_t *part);

/* Each method sets part[vertex].  False: the method does not apply to this network. */
typedef bool cut_method(const struct cut *, uint32_t *part);
cut_method cut_by_pods, cut_in_order, cut_by_metis;

#endif
