/* Lets links fail at random. */

#include "topo/topo.h"
#include "weir/engine.h"

static bool
is_among(const struct topo *t, const struct topo_link *l, enum topo_links among)
{
    bool is_host_link = !topo_joins_switches(t, l);

    return among == TOPO_ALL_LINKS || is_host_link == (among == TOPO_HOST_LINKS);
}

void
topo_fail_randomly(struct topo *t, uint64_t probability, uint64_t seed, enum topo_links among)
{
    for (size_t i = 0; i < t->n_links; i++) {
        uint64_t drawn = weir_random(&seed);
        if (is_among(t, &t->links[i], among) && drawn >> 48 < probability) {
            t->links[i].failed = true;
        }
    }
}
