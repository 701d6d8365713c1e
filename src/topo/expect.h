/* The load of links, if every switch divides its packets evenly among equal paths.
 *
 *     struct topo_demand demands[] = { { h1, h2, 1000 } };
 *     uint64_t load[n_links];
 *     topo_expect(&topo, demands, 1, load);
 *
 * The routes decide, leaf by leaf; a network without them carries the demands on the links of their
 * hosts alone. */

#ifndef TOPO_EXPECT_H
#define TOPO_EXPECT_H

#include "topo/topo.h"

struct topo_demand {
    uint32_t from, to; /* NICs. */
    uint64_t amount;   /* In any unit. */
};

/* Sets load[port], of what leaves by it. */
void topo_expect(const struct topo *, const struct topo_demand *, size_t n, uint64_t *load);

#endif
