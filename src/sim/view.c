/* Views of the nodes of other ranks, sent to the first rank.  One function packs and unpacks them,
 * so that both use the same order.  All ranks know what samples contain and which rank runs each
 * node, so the records carry no numbers. */

#include "sim/view.h"
#include "base/array.h"
#include "sim/connection-ends.h"
#include "sim/exchange.h"
#include "sim/setup.h"
#include "sim/sojourn.h"
#include "sim/watch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A transfer: sent by this rank, or received by the first rank. */
struct carrier {
    struct sim *sim;
    const struct sim_sampled *sampled;
    uint32_t rank; /* The rank that sent the records. */
    bool packs;
    size_t batch; /* The index of the batch. */
    struct sim_parcel *parcel;
    size_t at; /* The number of bytes unpacked so far. */
};

/* Records of a kind are sent in batches of bounded size, so parcels stay small in any network. */
enum { BATCH = 4096 };

static size_t
n_looked(const struct sim_sampled_items *looked, size_t n_all)
{
    return looked->is_all ? n_all : looked->n;
}

/* The index of the first record of a batch; 'n' is the number of records of a kind. */
static size_t
batch_start(size_t batch, size_t n)
{
    return batch * BATCH < n ? batch * BATCH : n;
}

static void
carry(struct carrier *c, void *record, size_t n)
{
    if (c->packs) {
        sim_parcel_add(c->parcel, record, n);
        return;
    }
    assert(c->at + n <= c->parcel->n);
    memcpy(record, (const char *)c->parcel->bytes + c->at, n);
    c->at += n;
}

static bool
is_of_rank(const struct carrier *c, uint32_t node)
{
    return sim_rank_of(c->sim, node) == c->rank;
}

static const struct topo_port *
port_at(const struct carrier *c, uint32_t port)
{
    return &c->sim->model.topo->ports[port];
}

static void
carry_port(struct carrier *c, uint32_t port)
{
    const struct topo_port *p = port_at(c, port);

    if (c->packs) {
        struct sim_port_result now = sim_port_now(sim_node_at(c->sim, p->node), p->number);
        carry(c, &now, sizeof now);
    } else {
        carry(c, &c->sim->ranks.view->ports[port], sizeof(struct sim_port_result));
    }
}

static void
carry_slot(struct carrier *c, uint32_t port, uint32_t cls)
{
    const struct topo_port *p = port_at(c, port);
    uint32_t n_classes = c->sim->model.n_classes;

    if (c->packs) {
        struct sim_slot_view now =
            sim_slot_now(sim_node_at(c->sim, p->node), p->number * n_classes + cls);
        carry(c, &now, sizeof now);
    } else {
        carry(c, &c->sim->ranks.view->slots[port * n_classes + cls], sizeof(struct sim_slot_view));
    }
}

static void
carry_slots(struct carrier *c, uint32_t port)
{
    uint32_t node = port_at(c, port)->node;
    uint64_t passing_bytes = c->packs ? sim_passing_bytes(c->sim, node) : 0;
    uint64_t n_samples = c->sim->watch->n_samples;

    carry(c, c->packs ? &passing_bytes : &c->sim->ranks.view->passing_bytes[node],
          sizeof passing_bytes);
    carry(c, c->packs ? &n_samples : &c->sim->ranks.view->n_samples[node], sizeof n_samples);
    for (uint32_t cls = 0; cls < c->sim->model.n_classes; cls++) {
        carry_slot(c, port, cls);
    }
}

static void
pack_unit(void *arg, uint32_t flow, uint32_t bytes)
{
    struct carrier *c = arg;

    carry(c, &(struct sim_unit_view){ flow, bytes }, sizeof(struct sim_unit_view));
}

static void
count_unit(void *arg, uint32_t flow, uint32_t bytes)
{
    uint64_t *n = arg;

    (void)flow;
    (void)bytes;
    (*n)++;
}

static void
carry_units(struct carrier *c, uint32_t port)
{
    struct sim_view *v = c->sim->ranks.view;
    uint64_t n = 0;

    if (c->packs) {
        sim_each_unit(c->sim, port, count_unit, &n);
        carry(c, &n, sizeof n);
        sim_each_unit(c->sim, port, pack_unit, c);
        return;
    }
    carry(c, &n, sizeof n);
    v->units_at[port] = (struct sim_units_view){ .first = v->n_units, .n = n };
    for (uint64_t i = 0; i < n; i++) {
        carry(c, &ARRAY_PUSH(v->units, v->n_units, v->max_units), sizeof *v->units);
    }
}

static void
carry_counters(struct carrier *c, uint32_t node)
{
    const struct weir_stack *stack = model_stack_at(&c->sim->model, node);
    struct sim_view *v = c->sim->ranks.view;

    for (uint32_t layer = 0; layer < stack->n; layer++) {
        for (const struct weir_field *f = stack->layers[layer].engine->counters; f && f->name;
             f++) {
            uint64_t now = c->packs ? sim_counter(c->sim, node, layer, f) : 0;
            uint32_t place = sim_counter_place(&c->sim->model, node, layer, f);
            carry(c, c->packs ? &now : &v->counters[v->first_counter[node] + place], sizeof now);
        }
    }
}

/* Carries the ends of a flow that are on this rank. */
static void
carry_flow(struct carrier *c, uint32_t flow)
{
    const struct model_flow *f = &c->sim->model.flows[flow];
    struct sim_view *v = c->sim->ranks.view;

    if (is_of_rank(c, f->from)) {
        struct sim_sender_view now =
            c->packs ? sim_sender_now(c->sim, flow) : (struct sim_sender_view){ 0 };
        carry(c, c->packs ? &now : &v->senders[flow], sizeof now);
    }
    if (is_of_rank(c, f->to)) {
        struct sim_sink_view now =
            c->packs ? sim_sink_now(c->sim, flow) : (struct sim_sink_view){ 0 };
        carry(c, c->packs ? &now : &v->sinks[flow], sizeof now);
    }
}

/* Carries notes, not sorted: sim_take_notes() sorts them. */
static void
carry_notes(struct carrier *c)
{
    struct sim_view *v = c->sim->ranks.view;
    uint64_t n = 0;

    for (uint32_t i = 0; c->packs && i < c->sim->n_threads; i++) {
        n += c->sim->threads[i].n_notes;
    }
    carry(c, &n, sizeof n);
    for (uint32_t i = 0; c->packs && i < c->sim->n_threads; i++) {
        struct sim_thread *t = &c->sim->threads[i];
        carry(c, t->notes, t->n_notes * sizeof *t->notes);
        t->n_notes = 0;
    }
    for (uint64_t i = 0; !c->packs && i < n; i++) {
        carry(c, &ARRAY_PUSH(v->notes, v->n_notes, v->max_notes), sizeof *v->notes);
    }
}

static size_t
n_waits_of(const struct sim *sim, uint32_t node)
{
    return sim->config.why ? sim_node_at(sim, node)->sojourns->n_rows : 0;
}

/* Carries the waits of a node, not sorted: sim_flow_waits() sorts them. */
static void
carry_waits(struct carrier *c, uint32_t node)
{
    struct sim_view *v = c->sim->ranks.view;
    uint64_t n = c->packs ? n_waits_of(c->sim, node) : 0;

    carry(c, &n, sizeof n);
    for (uint64_t i = 0; i < n; i++) {
        struct sim_flow_wait wait = c->packs ? sim_wait_of(c->sim, sim_node_at(c->sim, node), i)
                                             : (struct sim_flow_wait){ 0 };
        carry(c, c->packs ? &wait : &ARRAY_PUSH(v->waits, v->n_waits, v->max_waits), sizeof wait);
    }
}

static void
carry_sums(struct carrier *c)
{
    struct sim_sums sums = c->packs ? sim_sums_here(c->sim) : (struct sim_sums){ 0 };
    struct sim_balance balance = c->packs ? sim_balance_here(c->sim) : (struct sim_balance){ 0 };

    carry(c, &sums, sizeof sums);
    carry(c, &balance, sizeof balance);
    if (!c->packs) {
        sim_add_sums(&c->sim->ranks.view->sums, &sums);
        sim_add_balance(&c->sim->ranks.view->balance, &balance);
    }
}

/* Carries those ports of a rank that samples read. */
static void
carry_ports(struct carrier *c, const struct sim_sampled_items *looked,
            void (*carry_one)(struct carrier *, uint32_t port))
{
    size_t n = n_looked(looked, c->sim->model.topo->n_ports), end = batch_start(c->batch + 1, n);

    for (size_t i = batch_start(c->batch, n); i < end; i++) {
        uint32_t port = looked->is_all ? (uint32_t)i : looked->items[i];
        if (is_of_rank(c, port_at(c, port)->node)) {
            carry_one(c, port);
        }
    }
}

static void
carry_flows(struct carrier *c, const struct sim_sampled_items *looked)
{
    size_t n = n_looked(looked, c->sim->model.n_flows), end = batch_start(c->batch + 1, n);

    for (size_t i = batch_start(c->batch, n); i < end; i++) {
        carry_flow(c, looked->is_all ? (uint32_t)i : looked->items[i]);
    }
}

/* Carries the queues of a deadlock's cycle. A node that is run alone knows of no deadlock. */
static void
carry_deadlock(struct carrier *c)
{
    const struct sim_deadlock *d = &c->sim->watch->deadlock;

    for (uint32_t i = 0; !c->sim->config.live && i < d->n_cycle; i++) {
        if (is_of_rank(c, port_at(c, d->cycle[i].port)->node)) {
            carry_slot(c, d->cycle[i].port, d->cycle[i].cls);
        }
    }
}

static void
carry_nodes(struct carrier *c)
{
    size_t n = c->sim->n_nodes, end = batch_start(c->batch + 1, n);

    for (size_t id = batch_start(c->batch, n); id < end; id++) {
        if (is_of_rank(c, (uint32_t)id)) {
            carry_counters(c, (uint32_t)id);
            carry_waits(c, (uint32_t)id);
        }
    }
}

static const struct sim_sampled everything = { .ports = { .is_all = true },
                                               .slots = { .is_all = true },
                                               .units = { .is_all = true },
                                               .flows = { .is_all = true } };

static void
carry_spans(struct carrier *c, uint32_t member, struct program_span *to)
{
    size_t n = c->sim->jobs.members[member].job->n_spans;

    if (!c->packs) {
        carry(c, to, n * sizeof *to);
        return;
    }
    struct program_span *now = array_new(n, sizeof *now);
    sim_member_spans(c->sim, member, now);
    carry(c, now, n * sizeof *now);
    free(now);
}

static void
carry_members(struct carrier *c)
{
    size_t at = 0;

    for (uint32_t i = 0; i < c->sim->jobs.n_members; i++) {
        if (is_of_rank(c, c->sim->jobs.members[i].node)) {
            struct program_report now =
                c->packs ? sim_member_now(c->sim, i) : (struct program_report){ 0 };
            carry(c, c->packs ? &now : &c->sim->ranks.view->members[i], sizeof now);
            carry_spans(c, i, c->packs ? NULL : &c->sim->ranks.view->spans[at]);
        }
        at += c->sim->jobs.members[i].job->n_spans;
    }
}

/* Carries all records in order. Samples do not read sums, counters and reports of ranks. */
static void
walk(struct carrier *c)
{
    const struct sim_sampled *sampled = c->sampled ? c->sampled : &everything;

    if (c->batch == 0) {
        carry_notes(c);
        carry_deadlock(c);
    }
    carry_ports(c, &sampled->ports, carry_port);
    carry_ports(c, &sampled->slots, carry_slots);
    carry_ports(c, &sampled->units, carry_units);
    carry_flows(c, &sampled->flows);
    if (!c->sampled) {
        carry_nodes(c);
    }
    if (!c->sampled && c->batch == 0) {
        carry_members(c);
        carry_sums(c);
    }
}

static size_t
count_batches(const struct sim *sim, const struct sim_sampled *asked)
{
    const struct sim_sampled *sampled = asked ? asked : &everything;
    size_t n_ports = sim->model.topo->n_ports;
    const size_t counts[] = { n_looked(&sampled->ports, n_ports),
                              n_looked(&sampled->slots, n_ports),
                              n_looked(&sampled->units, n_ports),
                              n_looked(&sampled->flows, sim->model.n_flows),
                              asked ? 0 : sim->n_nodes };
    size_t most = 1;

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        most = counts[i] > most ? counts[i] : most;
    }
    return (most + BATCH - 1) / BATCH;
}

void
sim_forget_views(struct sim *sim)
{
    struct sim_view *v = sim->ranks.view;

    v->n_units = v->n_waits = 0;
    v->sums = (struct sim_sums){ 0 };
    v->balance = (struct sim_balance){ .odd_node = SIM_NONE };
}

void
sim_pack_view(struct sim *sim, struct sim_parcel *p)
{
    struct carrier c = { .sim = sim, .rank = sim_rank(sim), .packs = true, .parcel = p };

    for (size_t n = count_batches(sim, NULL); c.batch < n; c.batch++) {
        walk(&c);
    }
}

void
sim_unpack_view(struct sim *sim, uint32_t rank, const void *bytes, size_t n_bytes)
{
    struct sim_parcel p = { .bytes = (void *)bytes, .n = n_bytes };
    struct carrier c = { .sim = sim, .rank = rank, .parcel = &p };

    for (size_t n = count_batches(sim, NULL); c.batch < n; c.batch++) {
        walk(&c);
    }
    assert(c.at == n_bytes);
}

static void
unpack_batch(struct sim *sim, const struct sim_sampled *sampled, size_t batch,
             struct sim_parcel *parcels)
{
    for (uint32_t i = 1; i < sim_n_ranks(sim); i++) {
        struct carrier c = {
            .sim = sim, .sampled = sampled, .rank = i, .batch = batch, .parcel = &parcels[i]
        };
        walk(&c);
        assert(c.at == parcels[i].n);
    }
}

/* Transfers one batch; the parcels are reused for the next batch. */
static bool
see_batch(struct sim *sim, const struct sim_sampled *sampled, size_t batch,
          struct sim_parcel *parcels)
{
    uint32_t rank = sim_rank(sim);

    if (rank) {
        parcels[rank].n = 0;
        walk(&(struct carrier){ .sim = sim,
                                .sampled = sampled,
                                .rank = rank,
                                .packs = true,
                                .batch = batch,
                                .parcel = &parcels[rank] });
    }
    bool is_done = sim_gather(sim, &parcels[rank], parcels);
    if (is_done && !rank) {
        unpack_batch(sim, sampled, batch, parcels);
    }
    return is_done;
}

void
sim_see(struct sim *sim, const struct sim_sampled *sampled)
{
    if (sim_n_ranks(sim) == 1 || sim->config.live) {
        return;
    }
    struct sim_parcel *parcels = sim_parcels_new(sim);
    size_t n_batches = count_batches(sim, sampled);
    if (sim->ranks.view) {
        sim_forget_views(sim);
    }
    for (size_t i = 0; i < n_batches && see_batch(sim, sampled, i, parcels); i++) {
    }
    sim_parcels_free(sim, parcels);
}

bool
sim_all_are_to_stop(struct sim *sim)
{
    bool stops = sim_was_asked_to_stop(sim);
    struct sim_parcel sent = { 0 };

    if (sim_n_ranks(sim) == 1 || sim->config.live) {
        return stops;
    }
    sim_parcel_add(&sent, &stops, sizeof stops);
    if (!sim_broadcast(sim, &sent)) {
        sim_parcel_free(&sent);
        return true;
    }
    memcpy(&stops, sent.bytes, sizeof stops);
    sim_parcel_free(&sent);
    if (stops) {
        sim->ranks.exchange->is_last = true;
        sim_stop(sim);
    }
    return stops;
}

uint32_t
sim_counter_place(const struct model *p, uint32_t node, uint32_t layer, const struct weir_field *f)
{
    const struct weir_stack *stack = model_stack_at(p, node);
    uint32_t place = 0;

    for (uint32_t i = 0; i < layer; i++) {
        const struct weir_field *before = stack->layers[i].engine->counters;
        while (before && before->name) {
            before++;
            place++;
        }
    }
    return layer < stack->n ? place + (uint32_t)(f - stack->layers[layer].engine->counters) : place;
}

static void
number_counters(const struct sim *sim, struct sim_view *v)
{
    const struct model *p = &sim->model;

    v->first_counter = array_new((size_t)sim->n_nodes + 1, sizeof *v->first_counter);
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        uint32_t n_layers = model_stack_at(p, id)->n;
        v->first_counter[id + 1] = v->first_counter[id] + sim_counter_place(p, id, n_layers, NULL);
    }
    v->counters = array_new(v->first_counter[sim->n_nodes], sizeof *v->counters);
}

static size_t
count_spans(const struct sim *sim)
{
    size_t n = 0;

    for (uint32_t i = 0; i < sim->jobs.n_members; i++) {
        n += sim->jobs.members[i].job->n_spans;
    }
    return n;
}

/* Allocates the views. Memory that receives no records is never written, so the system does not
 * provide it. */
void
sim_start_view(struct sim *sim)
{
    const struct model *p = &sim->model;
    size_t n_ports = p->topo->n_ports;

    if (sim_n_ranks(sim) == 1 || sim_rank(sim)) {
        return;
    }
    struct sim_view *v = array_new(1, sizeof *v);
    v->ports = array_new(n_ports, sizeof *v->ports);
    v->slots = array_new(n_ports * p->n_classes, sizeof *v->slots);
    v->units_at = array_new(n_ports, sizeof *v->units_at);
    v->senders = array_new(p->n_flows, sizeof *v->senders);
    v->sinks = array_new(p->n_flows, sizeof *v->sinks);
    v->passing_bytes = array_new(sim->n_nodes, sizeof *v->passing_bytes);
    v->n_samples = array_new(sim->n_nodes, sizeof *v->n_samples);
    v->members = array_new(sim->jobs.n_members, sizeof *v->members);
    v->spans = array_new(count_spans(sim), sizeof *v->spans);
    v->balance.odd_node = SIM_NONE;
    number_counters(sim, v);
    sim->ranks.view = v;
}

void
sim_free_view(struct sim *sim)
{
    struct sim_view *v = sim->ranks.view;

    if (v) {
        free(v->ports);
        free(v->slots);
        free(v->units_at);
        free(v->units);
        free(v->senders);
        free(v->sinks);
        free(v->passing_bytes);
        free(v->n_samples);
        free(v->members);
        free(v->spans);
        free(v->counters);
        free(v->first_counter);
        free(v->notes);
        free(v->waits);
        free(v);
    }
}
