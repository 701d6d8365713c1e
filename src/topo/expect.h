/* The load of links if every switch divides its packets evenly among equal paths.
 *
 *     struct topo_demand demands[] = { { h1, h2, 1000 } };
 *     uint64_t load[n_links];
 *     topo_expect(&topo, demands, 1, load);
 *
 * The load follows the routes, leaf by leaf.  In a network without routes, only the links of hosts
 * carry the demands. */

#ifndef TOPO_EXPECT_H
#define TOPO_EXPECT_H

#include "topo/topo.h"

struct topo_demand {
    uint32_t from, to; /* The NICs at both ends. */
    uint64_t amount;   /* The traffic, in any unit. */
};

/* Sets load[port] to the traffic that leaves through the port. */
void topo_expect(const struct topo *, const struct topo_demand *, size_t n, uint64_t *load);

#endif
