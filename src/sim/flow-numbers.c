/* The numbers that engines at NICs use for flows, and the rate limits of engines.  The flows that a
 * NIC sends have the numbers 0, 1 and so on, in the order of the model. */

#include <stdlib.h>

#include "base/array.h"
#include "sim/flow-ends.h"
#include "sim/setup.h"

/* Whether engines at any node handle the flows that the node sends. */
static bool
are_wanted(const struct model *c)
{
    const uint32_t services = WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES | WEIR_SERVICE_FLOW_RATES;
    bool wanted = false;

    for (uint32_t id = 0; id < c->topo->n_nodes && !wanted; id++) {
        const struct model_node *node = &c->nodes[id];
        wanted = node->n_flows && c->engines[node->engines].needs.services & services;
    }
    return wanted;
}

uint64_t
sim_numbers_bytes(const struct sim *sim)
{
    uint64_t a_flow = 2 * sizeof(uint32_t) + 2 * sizeof(uint64_t);

    return are_wanted(&sim->model) ? sim->flows.n_senders * a_flow + sim->n_nodes * sizeof(uint32_t)
                                   : 0;
}

static void
count_flows(const struct sim *sim, struct sim_numbers *numbers)
{
    const struct model *c = &sim->model;
    uint32_t *n_flows = array_new(sim->n_nodes, sizeof *n_flows);

    for (uint32_t id = 1; id < sim->n_nodes; id++) {
        uint32_t n_before = sim_is_here(sim, id - 1) ? c->nodes[id - 1].n_flows : 0;
        numbers->first[id] = numbers->first[id - 1] + n_before;
    }
    for (uint32_t slot = 0; slot < sim->flows.n_senders; slot++) {
        uint32_t flow = sim_flow_of_sender(sim, slot), from = c->flows[flow].from;
        numbers->number[slot] = n_flows[from]++;
        numbers->flows[numbers->first[from] + numbers->number[slot]] = flow;
        numbers->limit_bps[slot] = WEIR_UNLIMITED;
    }
    free(n_flows);
}

void
sim_set_numbers(struct sim *sim)
{
    const struct model *c = &sim->model;

    if (!are_wanted(c)) {
        return;
    }
    sim->flows.numbers = array_new(1, sizeof *sim->flows.numbers);
    *sim->flows.numbers = (struct sim_numbers){
        .number = array_new(sim->flows.n_senders, sizeof *sim->flows.numbers->number),
        .first = array_new(c->topo->n_nodes, sizeof *sim->flows.numbers->first),
        .flows = array_new(sim->flows.n_senders, sizeof *sim->flows.numbers->flows),
        .limit_bps = array_new(sim->flows.n_senders, sizeof *sim->flows.numbers->limit_bps),
        .n_heard = array_new(sim->flows.n_senders, sizeof *sim->flows.numbers->n_heard),
    };
    count_flows(sim, sim->flows.numbers);
}

void
sim_free_numbers(struct sim_numbers *numbers)
{
    if (numbers) {
        free(numbers->number);
        free(numbers->first);
        free(numbers->flows);
        free(numbers->limit_bps);
        free(numbers->n_heard);
        free(numbers);
    }
}
