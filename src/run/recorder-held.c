/* Samples of the bytes that each flow holds at the inputs of sampled ports: finds the (flow, port)
 * pairs that have a series, and their values at an instant.
 *
 * A pair has a series if packets of the flow may enter through that port, according to the routes
 * at the start of the run. Packets of other flows, which arrive after routes have changed, count in
 * the queue but in no series. */

#include <stdlib.h>

#include "base/array.h"
#include "run/recorder.h"
#include "sim/path-dag.h"

enum { MAX_AUTO_FLOWS = 64 };

bool
recorder_wants_held(const struct scenario *s, const struct model *model)
{
    return s->record.held == WEIR_AUTO
               ? s->n_flows <= MAX_AUTO_FLOWS && model_limits(model) & WEIR_LIMIT_FLOW
               : s->record.held;
}

static int
by_port(const void *a, const void *b)
{
    const struct recorder_pair *x = a, *y = b;

    return x->port != y->port ? (x->port > y->port) - (x->port < y->port)
                              : (x->flow > y->flow) - (x->flow < y->flow);
}

static void
add_pairs_of(struct recorder *k, uint32_t flow, const bool *is_wanted)
{
    const struct topo *t = &k->o->s.topo;
    struct sim_path_dag dag;

    sim_path_dag_open(&dag, k->o->sim, flow);
    for (size_t i = 0; i < dag.n_hops; i++) {
        uint32_t input = t->ports[dag.hops[i].port].peer;
        if (is_wanted[input]) {
            ARRAY_PUSH(k->pairs, k->n_pairs, k->max_pairs) = (struct recorder_pair){ input, flow };
        }
    }
    sim_path_dag_close(&dag);
}

/* Removes duplicate pairs: paths of one flow may merge, and then continue through the same port. */
static void
drop_doubles(struct recorder *k)
{
    size_t n = 0;

    for (size_t i = 0; i < k->n_pairs; i++) {
        if (!n || by_port(&k->pairs[n - 1], &k->pairs[i])) {
            k->pairs[n++] = k->pairs[i];
        }
    }
    k->n_pairs = n;
}

void
recorder_find_pairs(struct recorder *k)
{
    const struct scenario *s = &k->o->s;
    bool *is_wanted = array_new(s->topo.n_ports, sizeof *is_wanted);

    for (size_t i = 0; i < s->record.n_ports; i++) {
        uint32_t port = s->record.ports[i];
        is_wanted[port] = s->topo.nodes[s->topo.ports[port].node].kind == TOPO_SWITCH;
    }
    for (uint32_t flow = 0; flow < s->n_flows; flow++) {
        add_pairs_of(k, flow, is_wanted);
    }
    free(is_wanted);
    if (k->n_pairs) {
        qsort(k->pairs, k->n_pairs, sizeof *k->pairs, by_port);
    }
    drop_doubles(k);
    k->held_by = array_new(s->n_flows, sizeof *k->held_by);
}

static void
add_unit(void *arg, uint32_t flow, uint32_t bytes)
{
    struct recorder *k = arg;

    k->held_by[flow] += bytes;
}

static void
forget_unit(void *arg, uint32_t flow, uint32_t bytes)
{
    struct recorder *k = arg;

    (void)bytes;
    k->held_by[flow] = 0;
}

/* Fills the values port by port; the sums of a port are cleared before the next one. */
void
recorder_fill_held(struct recorder *k, uint64_t *to)
{
    for (size_t i = 0; i < k->n_pairs;) {
        uint32_t port = k->pairs[i].port;
        sim_each_unit(k->o->sim, port, add_unit, k);
        for (; i < k->n_pairs && k->pairs[i].port == port; i++) {
            to[i] = k->held_by[k->pairs[i].flow];
        }
        sim_each_unit(k->o->sim, port, forget_unit, k);
    }
}
