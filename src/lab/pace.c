/* The measured capacity of a lab, and what to expect from that elsewhere. */

#include "lab/pace.h"

#include <unistd.h>

/* The ring of studies/lab: six nodes on two cores, all links busy. */
#define HELD_BPS ((uint64_t)100000000)
enum { HELD_NODES_PER_CORE = 3 };

uint64_t
lab_n_cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n > 0 ? (uint64_t)n : 1;
}

/* Nodes that share a core share its time; a second core is of no use to one. */
static uint64_t
expected_bps(uint64_t n_nodes, uint64_t n_cores)
{
    uint64_t n_used = n_cores < n_nodes ? n_cores : n_nodes;

    return n_nodes ? HELD_BPS * HELD_NODES_PER_CORE * n_used / n_nodes : HELD_BPS;
}

/* It is a guess: two digits say all of it. */
static uint64_t
two_digits(uint64_t bps)
{
    uint64_t unit = 1;

    while (bps / unit >= 100) {
        unit *= 10;
    }
    return bps / unit * unit;
}

void
lab_pace_warn(const struct topo *t, uint64_t n_cores, struct weir_text *text)
{
    uint64_t limit_bps = expected_bps(t->n_nodes, n_cores), n_fast = 0;
    const struct topo_link *fastest = NULL;

    *text = (struct weir_text){ 0 };
    for (size_t i = 0; i < t->n_links; i++) {
        const struct topo_link *l = &t->links[i];
        n_fast += !l->failed && l->rate_bps > limit_bps;
        fastest = !l->failed && (!fastest || l->rate_bps > fastest->rate_bps) ? l : fastest;
    }
    if (!n_fast) {
        return;
    }
    weir_text_add(text,
                  "%u of %u links, such as that between %s and %s (%R), are probably too fast for "
                  "this machine, and may lose packets: with three times as many nodes as cores, "
                  "100Mbps on each link were measured to hold, so some %R can be expected of %u "
                  "core%s for %u nodes.",
                  n_fast, (uint64_t)t->n_links, t->nodes[fastest->node[0]].name,
                  t->nodes[fastest->node[1]].name, fastest->rate_bps, two_digits(limit_bps),
                  n_cores, n_cores == 1 ? "" : "s", (uint64_t)t->n_nodes);
}
