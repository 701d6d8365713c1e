/* The hash key of a flow: a random number that depends on the seed of the run, on the flow's ends,
 * and on its index among the flows of its group between the same ends.
 *
 * A group is either all flows that a scenario lists, or the flows of one workload.  So a flow keeps
 * its routes when the run is longer and its workload has more flows, and when other flows are added
 * (doc/decisions/0024-routes-by-seed-and-ends.md). */

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "sim/live.h"
#include "sim/setup.h"

struct pair {     /* The number of flows so far from one host to another, in one group. */
    uint32_t run; /* The number of the run of flows, which identifies the host and the group. */
    uint32_t n;
};

struct keys {
    const struct sim *sim;
    uint32_t *first, *next; /* first[node] is the first flow of a node; next[flow] is the next flow
                             * of the same sender. */
    struct pair *pairs;     /* [index among NICs]. */
    uint32_t n_runs;
};

static void
list_by_sender(struct keys *k)
{
    const struct model *c = &k->sim->model;

    k->first = array_new(c->topo->n_nodes, sizeof *k->first);
    k->next = array_new(c->n_flows, sizeof *k->next);
    memset(k->first, 0xff, c->topo->n_nodes * sizeof *k->first);
    for (uint32_t i = c->n_flows; i-- > 0;) {
        k->next[i] = k->first[c->flows[i].from];
        k->first[c->flows[i].from] = i;
    }
}

static uint32_t
count_in_pair(struct keys *k, uint32_t to)
{
    struct pair *p = &k->pairs[to];

    if (p->run != k->n_runs) {
        *p = (struct pair){ .run = k->n_runs };
    }
    return p->n++;
}

/* Sets the keys of the flows of a node. Flows of a group are adjacent, so another group begins
 * another run of flows. */
static void
key_flows_of(struct keys *k, uint32_t node, uint32_t *keys)
{
    const struct model *c = &k->sim->model;
    uint32_t before = SIM_NONE;

    for (uint32_t i = k->first[node]; i != SIM_NONE; before = i, i = k->next[i]) {
        const struct model_flow *f = &c->flows[i];
        bool is_run = before == SIM_NONE || c->flows[before].group != f->group;
        struct sim_flow_ends ends = { .from = c->topo->nodes[f->from].index,
                                      .to = c->topo->nodes[f->to].index,
                                      .group = f->group };
        k->n_runs += is_run;
        ends.number = count_in_pair(k, ends.to);
        keys[i] = sim_flow_key(k->sim->config.seed, &ends);
    }
}

static uint32_t
n_foreign_of(const struct sim *sim)
{
    return sim->config.live ? sim->config.live->n_foreign : 0;
}

void
sim_set_keys(struct sim *sim)
{
    struct keys k = { .sim = sim };

    uint32_t n_flows = sim->model.n_flows, n_foreign = n_foreign_of(sim);

    sim->flows.keys = arena_compact(((size_t)n_flows + n_foreign + 1) * sizeof *sim->flows.keys);
    k.pairs = array_new(sim->model.topo->n_nics, sizeof *k.pairs);
    list_by_sender(&k);
    for (uint32_t node = 0; node < sim->model.topo->n_nodes; node++) {
        key_flows_of(&k, node, sim->flows.keys);
    }
    for (uint32_t i = 0; i < n_foreign; i++) {
        sim->flows.keys[n_flows + i] =
            sim_flow_key(sim->config.seed,
                         &(struct sim_flow_ends){ .from = SIM_NONE, .to = SIM_NONE, .number = i });
    }
    free(k.first);
    free(k.next);
    free(k.pairs);
}
