/* Decides which rank and which thread run each node, and which ends of flows are on this rank. */

#include <stdlib.h>

#include "base/array.h"
#include "base/out-of-memory.h"
#include "sim/exchange.h"
#include "sim/flow-ends.h"
#include "sim/setup.h"
#include "topo/cut.h"

/* The rank that runs each node; if nodes are run alone, each node has its own rank.  Every rank
 * computes the same result, so all know where each node is. */
static bool
cut_into_ranks(struct sim *sim, const uint64_t *load, uint32_t *rank_of, struct err *err)
{
    for (uint32_t id = 0; sim->config.live && id < sim->n_nodes; id++) {
        rank_of[id] = id + 1;
    }
    return sim_n_ranks(sim) == 1 || sim->config.live ||
           topo_cut(sim->model.topo, load, sim_n_ranks(sim), rank_of, err);
}

/* The thread that runs each node of this rank; there are at most as many threads as switches. */
static bool
cut_into_threads(struct sim *sim, const uint64_t *load, const uint32_t *rank_of,
                 uint32_t *thread_of, struct err *err)
{
    const struct topo *topo = sim->model.topo;
    uint32_t n_switches = 0;

    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        n_switches += rank_of[id] == sim_rank(sim) && topo->nodes[id].kind == TOPO_SWITCH;
    }
    uint32_t most = n_switches ? n_switches : 1; /* Two hosts may form a network without a
                                                  * switch. */
    sim->n_threads = sim->config.n_threads < most ? sim->config.n_threads : most;
    return sim->n_threads == 1 ||
           topo_cut_part(topo, load, rank_of, sim_rank(sim), sim->n_threads, thread_of, NULL, err);
}

/* Numbers the nodes of each thread, in the order of their numbers in the network. */
static void
give_places(struct sim *sim, const uint32_t *rank_of, const uint32_t *thread_of)
{
    uint32_t *n_of = array_new(sim->n_threads, sizeof *n_of);

    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        uint32_t thread = thread_of[id];
        if (rank_of[id] == sim_rank(sim)) {
            sim->places[id] = (struct sim_partition){ thread, n_of[thread]++ };
            sim->n_here++;
        } else {
            sim->places[id] = (struct sim_partition){ SIM_ABROAD + rank_of[id], SIM_NONE };
        }
    }
    free(n_of);
}

bool
sim_set_partition(struct sim *sim, struct err *err)
{
    bool is_cut = sim_n_ranks(sim) > 1 || sim->config.n_threads > 1;
    uint64_t *load = is_cut ? model_expect(&sim->model) : NULL;

    sim->n_nodes = (uint32_t)sim->model.topo->n_nodes;
    sim->places = array_new(sim->n_nodes, sizeof *sim->places);
    uint32_t *rank_of = array_new(sim->n_nodes, sizeof *rank_of);
    uint32_t *thread_of = array_new(sim->n_nodes, sizeof *thread_of);
    bool fits = cut_into_ranks(sim, load, rank_of, err) &&
                cut_into_threads(sim, load, rank_of, thread_of, err);
    if (fits) {
        give_places(sim, rank_of, thread_of);
    }
    free(rank_of);
    free(thread_of);
    free(load);
    return fits;
}

/* Decides which ends of flows are on this rank. A process that has the ends of all flows needs no
 * tables. */
void
sim_set_ends(struct sim *sim)
{
    const struct model *c = &sim->model;

    if (sim->n_here == sim->n_nodes) {
        sim->flows.n_senders = sim->flows.n_sinks = c->n_flows;
        return;
    }
    sim->flows.sender_slots = array_new(c->n_flows, sizeof *sim->flows.sender_slots);
    sim->flows.sink_slots = array_new(c->n_flows, sizeof *sim->flows.sink_slots);
    for (uint32_t i = 0; i < c->n_flows; i++) {
        sim->flows.sender_slots[i] = sim_sender_is_here(sim, i) ? sim->flows.n_senders++ : SIM_NONE;
        sim->flows.sink_slots[i] = sim_sink_is_here(sim, i) ? sim->flows.n_sinks++ : SIM_NONE;
    }
    sim->flows.sender_flows = array_new(sim->flows.n_senders, sizeof *sim->flows.sender_flows);
    for (uint32_t i = 0; i < c->n_flows; i++) {
        if (sim->flows.sender_slots[i] != SIM_NONE) {
            sim->flows.sender_flows[sim->flows.sender_slots[i]] = i;
        }
    }
}

/* Threads with more nodes, or with the ends of more flows, prefetch; less fits into the cache
 * anyway. */
enum { MANY_NODES = 512, MANY_SENDERS = 8192 };

/* Allocates the inboxes of all nodes, and the bits of ports that wake, for each coming window. */
static void
set_inboxes(struct sim_thread *t)
{
    const struct topo *topo = t->sim->model.topo;
    t->is_large =
        t->n_nodes >= MANY_NODES || t->sim->flows.n_senders / t->sim->n_threads >= MANY_SENDERS;
    t->chunk_free = SIM_NONE;
    t->first_word = array_new((size_t)t->n_nodes + 1, sizeof *t->first_word);
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        t->first_word[i + 1] = t->first_word[i] + (topo->nodes[t->nodes[i]].n_ports + 63) / 64;
    }
    t->due = array_new(t->sim->ring, sizeof *t->due);
    for (uint32_t i = 0; i < t->sim->ring; i++) {
        t->due[i].wakes = array_new(t->first_word[t->n_nodes], sizeof *t->due[i].wakes);
        t->due[i].busy = array_new(t->n_nodes / 64 + 1, sizeof *t->due[i].busy);
        t->due[i].inboxes = array_new(t->n_nodes, sizeof *t->due[i].inboxes);
        for (uint32_t k = 0; k < t->n_nodes; k++) {
            t->due[i].inboxes[k].chunk = SIM_NONE;
        }
    }
}

static void
set_thread(struct sim *sim, uint32_t i)
{
    struct sim_thread *t = &sim->threads[i];

    t->sim = sim;
    t->id = i;
    t->window_bits = sim->window_bits;
    t->port_bits = sim->port_bits;
    t->ring_mask = sim->ring - 1;
    t->reach = sim->ring;
    t->places = sim->places;
    t->out = array_new(2 * (size_t)sim->n_threads, sizeof *t->out);

    t->frames_free = SIM_NONE;
    t->window = -1;
    t->abroad_ps = WEIR_NEVER;
    if (sim_n_ranks(sim) > 1) {
        t->abroad = array_new(sim_n_ranks(sim), sizeof *t->abroad);
    }
}

static void
list_nodes(struct sim *sim)
{
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        if (sim_is_here(sim, id)) {
            sim->threads[sim->places[id].thread].n_nodes++;
        }
    }
    for (uint32_t i = 0; i < sim->n_threads; i++) {
        struct sim_thread *t = &sim->threads[i];
        t->nodes = array_new(t->n_nodes, sizeof *t->nodes);
        t->busy = array_new(t->n_nodes, sizeof *t->busy);
    }
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        if (sim_is_here(sim, id)) {
            sim->threads[sim->places[id].thread].nodes[sim->places[id].local] = id;
        }
    }
}

void
sim_set_threads(struct sim *sim)
{
    uint64_t a_node = sim->ring * (sizeof(struct sim_inbox) + sizeof(uint64_t));

    oom_check(sim->n_here * a_node, "the next %u windows of %u nodes", sim->ring, sim->n_here);
    sim->nodes = arena_large((sim->n_here + 1) * sizeof *sim->nodes);
    sim->threads = array_new(sim->n_threads, sizeof *sim->threads);
    for (uint32_t i = 0; i < sim->n_threads; i++) {
        set_thread(sim, i);
    }
    list_nodes(sim);
    struct sim_node *own = sim->nodes;
    for (uint32_t i = 0; i < sim->n_threads; i++) {
        sim->threads[i].own = own;
        own += sim->threads[i].n_nodes;
        set_inboxes(&sim->threads[i]);
    }
}
