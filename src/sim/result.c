/* Computes the results of a run: flows, ports, queues, paths, and a hash of all results. */

#include <stdlib.h>

#include "base/array.h"
#include "sim/connection-ends.h"
#include "sim/flow-ends.h"
#include "sim/path-dag.h"
#include "sim/view.h"
#include "sim/watch.h"
#include "sim/wires.h"

bool
sim_has_ended(const struct sim *sim)
{
    return sim->now_ps >= sim->config.until_ps;
}

weir_ps
sim_now(const struct sim *sim)
{
    return sim->now_ps;
}

const struct model *
sim_model(const struct sim *sim)
{
    return &sim->model;
}

uint32_t
sim_flow_n_first(const struct sim *sim, uint32_t flow)
{
    uint32_t n = sim_sender(sim, flow)->progress.sequence,
             back = sim->flows.n_first ? *sim_n_first(sim, flow) : 0;

    return n > back ? n : back;
}

uint32_t
sim_flow_n_planned(const struct sim *sim, uint32_t flow)
{
    uint64_t bytes = sim->model.flows[flow].bytes, mtu = sim->model.mtu_bytes;

    return model_is_finite(bytes) ? (uint32_t)((bytes + mtu - 1) / mtu) : UINT32_MAX;
}

uint32_t
sim_flow_last_bytes(const struct sim *sim, uint32_t flow)
{
    uint64_t bytes = sim->model.flows[flow].bytes, mtu = sim->model.mtu_bytes;

    return (uint32_t)(!model_is_finite(bytes) || bytes % mtu == 0 ? mtu : bytes % mtu);
}

/* The retransmitted bytes: all bytes sent minus one copy of each packet. */
static uint64_t
again_bytes_of(const struct sim *sim, uint32_t flow)
{
    const struct sim_sender *f = sim_sender(sim, flow);
    const struct rc_sender *p = &f->progress;
    uint64_t mtu = sim->model.mtu_bytes, n = sim_flow_n_first(sim, flow);

    if (!f->is_reliable) {
        return 0;
    }
    if (f->is_connection) {
        return f->sent_bytes - sim_connection_first_bytes(sim, flow);
    }
    return f->sent_bytes - (n * mtu - (n == p->n_packets ? mtu - p->last_bytes : 0));
}

/* The limits that the control of a flow sets, if the flow has a control and has started.  Unless
 * samples are taken, this state is not kept for flows that have sent nothing yet or have ended. */
static struct tp_limits
limits_of(const struct sim *sim, uint32_t flow)
{
    const struct sim_sender *f = sim_sender(sim, flow);
    bool has_started = f->is_controlled && *sim_started_ps(sim, flow) >= 0;

    if (has_started && sim_pacer(sim, flow)) {
        return sim_pacer(sim, flow)->limits;
    }
    if (has_started && !f->sent_bytes) {
        return sim_limits_at_start(sim, flow);
    }
    return (struct tp_limits){ .rate_bps = WEIR_UNLIMITED, .window_bytes = WEIR_UNLIMITED };
}

SIM_SEEN struct sim_sender_view
sender_now(const struct sim *sim, uint32_t flow)
{
    const struct sim_sender *f = sim_sender(sim, flow);
    const struct sim_outgoing *c = f->is_connection ? sim_outgoing(sim, flow) : NULL;

    return (struct sim_sender_view){
        .sent_bytes = f->sent_bytes,
        .posted_bytes = c ? c->posted_bytes : 0,
        .n_posted = c ? c->n_posted : 0,
        .n_sent = c ? c->n_sent : 0,
        .retransmitted_bytes = again_bytes_of(sim, flow),
        .limit_bps = sim_nic_limit_bps(sim, flow),
        .n_heard = sim_nic_n_heard(sim, flow),
        .started_ps = *sim_started_ps(sim, flow),
        .is_stopped = !c && f->progress.n_packets < sim_flow_n_planned(sim, flow),
    };
}

struct sim_sink_view
sim_sink_now(const struct sim *sim, uint32_t flow)
{
    const struct sim_sink *s = sim_sink(sim, flow);

    return (struct sim_sink_view){ .received_bytes = s->received_bytes,
                                   .n_received = s->n_received,
                                   .n_messages =
                                       s->is_connection ? sim_incoming(sim, flow)->n_arrived : 0,
                                   .discarded_bytes = s->discarded_bytes,
                                   .middle_bytes = *sim_middle_bytes(sim, flow),
                                   .middle_ps = sim->watch->middle_ps,
                                   .first_ps = s->first_ps,
                                   .last_ps = s->last_ps,
                                   .marks = sim->flows.marks
                                                ? sim->flows.marks[sim_sink_slot(sim, flow)]
                                                : (struct sim_marks){ 0 } };
}

/* The state of a sender, with the limits of its control, which may have to be computed. */
struct sim_sender_view
sim_sender_now(const struct sim *sim, uint32_t flow)
{
    struct sim_sender_view now = sender_now(sim, flow);
    struct tp_limits limits = limits_of(sim, flow);

    now.pace_bps = limits.rate_bps;
    now.window_bytes = limits.window_bytes;
    return now;
}

SIM_SEEN struct sim_sender_view
sender_seen(const struct sim *sim, uint32_t flow)
{
    return sim_sender_is_here(sim, flow) ? sender_now(sim, flow) : sim->ranks.view->senders[flow];
}

SIM_SEEN struct sim_sink_view
sink_seen(const struct sim *sim, uint32_t flow)
{
    return sim_sink_is_here(sim, flow) ? sim_sink_now(sim, flow) : sim->ranks.view->sinks[flow];
}

struct sim_flow_result
sim_flow_result(const struct sim *sim, uint32_t flow)
{
    struct sim_sender_view sender = sender_seen(sim, flow);
    struct sim_sink_view sink = sink_seen(sim, flow);

    return (struct sim_flow_result){ .sent_bytes = sender.sent_bytes,
                                     .retransmitted_bytes = sender.retransmitted_bytes,
                                     .received_bytes = sink.received_bytes,
                                     .n_received = sink.n_received,
                                     .discarded_bytes = sink.discarded_bytes,
                                     .started_ps = sender.started_ps,
                                     .first_ps = sink.first_ps,
                                     .last_ps = sink.last_ps,
                                     .n_marked = sink.marks.n_marked,
                                     .n_cnps = sink.marks.n_cnps,
                                     .n_messages_posted = sender.n_posted,
                                     .n_messages_sent = sender.n_sent,
                                     .n_messages_arrived = sink.n_messages };
}

uint64_t
sim_flow_bytes(const struct sim *sim, uint32_t flow)
{
    return sim_is_connection(sim, flow) ? sender_seen(sim, flow).posted_bytes
                                        : sim->model.flows[flow].bytes;
}

bool
sim_flow_has_more(const struct sim *sim, uint32_t flow, bool loses)
{
    const struct model_flow *f = &sim->model.flows[flow];
    struct sim_flow_result r = sim_flow_result(sim, flow);
    uint64_t first_bytes = r.sent_bytes - r.retransmitted_bytes, bytes = sim_flow_bytes(sim, flow);
    bool has_sent_all = first_bytes == bytes || sim_flow_is_stopped(sim, flow);

    if (r.started_ps < 0 || r.received_bytes == bytes) {
        return false;
    }
    return !has_sent_all ||
           (r.received_bytes < first_bytes &&
            (!loses || transport_recovery(f->terms->transport, f->terms->recovery)->is_reliable));
}

bool
sim_flow_is_stopped(const struct sim *sim, uint32_t flow)
{
    return sender_seen(sim, flow).is_stopped;
}

uint32_t
sim_flow_port(const struct sim *sim, uint32_t flow)
{
    return sim->model.topo->nodes[sim->model.flows[flow].from].first_port +
           sim_port_of_flow(sim, flow);
}

uint64_t
sim_flow_limit_bps(const struct sim *sim, uint32_t flow)
{
    return sender_seen(sim, flow).limit_bps;
}

uint64_t
sim_flow_pace_bps(const struct sim *sim, uint32_t flow)
{
    return sim_sender_is_here(sim, flow) ? limits_of(sim, flow).rate_bps
                                         : sim->ranks.view->senders[flow].pace_bps;
}

uint64_t
sim_flow_window_bytes(const struct sim *sim, uint32_t flow)
{
    return sim_sender_is_here(sim, flow) ? limits_of(sim, flow).window_bytes
                                         : sim->ranks.view->senders[flow].window_bytes;
}

uint64_t
sim_flow_n_heard(const struct sim *sim, uint32_t flow)
{
    return sender_seen(sim, flow).n_heard;
}

struct sim_port_result
sim_port_result(const struct sim *sim, uint32_t port)
{
    return sim_port_seen(sim, port);
}

/* These functions report the queues of a port: bytes at its input, which arrived on it, and bytes
 * at its output, which will leave through it. */

uint64_t
sim_queue_bytes(const struct sim *sim, uint32_t port, uint8_t cls)
{
    return sim_slot_seen(sim, port, cls).in_bytes;
}

uint64_t
sim_output_bytes(const struct sim *sim, uint32_t port, uint8_t cls)
{
    return sim_slot_seen(sim, port, cls).out_bytes;
}

uint64_t
sim_queue_peak_bytes(const struct sim *sim, uint32_t port, uint8_t cls)
{
    return sim_slot_seen(sim, port, cls).in_peak_bytes;
}

uint64_t
sim_output_peak_bytes(const struct sim *sim, uint32_t port, uint8_t cls)
{
    return sim_slot_seen(sim, port, cls).out_peak_bytes;
}

/* The mean queue of a port, from the sum of its samples. */
static uint64_t
mean(const struct sim *sim, uint32_t port, uint64_t sum)
{
    uint32_t node = sim->model.topo->ports[port].node;
    uint64_t n = sim_is_here(sim, node) ? sim->watch->n_samples : sim->ranks.view->n_samples[node];

    return n ? sum / n : 0;
}

uint64_t
sim_queue_mean_bytes(const struct sim *sim, uint32_t port, uint8_t cls)
{
    return mean(sim, port, sim_slot_seen(sim, port, cls).in_sum_bytes);
}

uint64_t
sim_output_mean_bytes(const struct sim *sim, uint32_t port, uint8_t cls)
{
    return mean(sim, port, sim_slot_seen(sim, port, cls).out_sum_bytes);
}

uint64_t
sim_passing_bytes(const struct sim *sim, uint32_t node)
{
    return sim_is_here(sim, node) ? sim_node_at(sim, node)->buffer.passing_bytes
                                  : sim->ranks.view->passing_bytes[node];
}

static void
each_unit_here(const struct sim_node *n, uint32_t number, sim_visit_unit *visit, void *arg)
{
    const struct weir_index *index = n->buffer.index;

    for (uint32_t cls = 0; index && cls < n->n_classes; cls++) {
        const struct weir_index_slot *slot = &index->slots[number * n->n_classes + cls];
        for (uint32_t place = 0; place < slot->n_used; place++) {
            const struct weir_index_unit *unit = &index->units[slot->order[place]];
            visit(arg, unit->flow, unit->bytes);
        }
    }
}

void
sim_each_unit(const struct sim *sim, uint32_t port, sim_visit_unit *visit, void *arg)
{
    const struct topo_port *p = &sim->model.topo->ports[port];

    if (sim_is_here(sim, p->node)) {
        each_unit_here(sim_node_at(sim, p->node), p->number, visit, arg);
        return;
    }
    const struct sim_view *v = sim->ranks.view;
    for (size_t i = 0; i < v->units_at[port].n; i++) {
        const struct sim_unit_view *unit = &v->units[v->units_at[port].first + i];
        visit(arg, unit->flow, unit->bytes);
    }
}

struct sim_gate_state
sim_gate_state(const struct sim *sim, uint32_t port, uint8_t cls, weir_ps now)
{
    const struct sim_slot_view s = sim_slot_seen(sim, port, cls);
    const struct sim_hold *h = &s.hold;
    weir_ps until_ps = h->paused.until_ps, end = until_ps < now ? until_ps : now;

    return (struct sim_gate_state){
        .is_paused = until_ps > now,
        .rate_bps = s.rate_bps,
        .credit_bytes = s.credit_bytes,
        .n_pfc_pauses = h->by[SIM_SHUT_BY_PAUSE].n,
        .n_fafc_pauses = h->by[SIM_SHUT_BY_HOLD].n,
        .n_link_start_waits = h->n_starts,
        .n_rate_changes = h->n_rate_changes,
        .least_bps = h->least_bps,
        .paused_ps = weir_after(h->paused.total_ps, until_ps ? end - h->paused.since_ps : 0),
        .last_ps = s.last_ps,
    };
}

uint8_t
sim_class_here(const struct sim *sim, uint32_t port, uint8_t sent)
{
    const struct topo_port *p = &sim->model.topo->ports[port];

    if (sim_is_here(sim, p->node)) {
        return weir_class_here(&sim_node_at(sim, p->node)->weir.ctx, (uint16_t)p->number, sent);
    }
    const uint8_t *arrives_as = sim->arrives_as[sim->model.nodes[p->node].engines];
    return arrives_as ? arrives_as[p->number * sim->model.n_classes + sent] : sent;
}

uint8_t
sim_class_sent(const struct sim *sim, uint32_t port, uint8_t cls)
{
    uint8_t sent = 0;

    while (sent < sim->model.n_classes && sim_class_here(sim, port, sent) != cls) {
        sent++;
    }
    return sent < sim->model.n_classes ? sent : WEIR_NO_CLASS;
}

struct sim_storms
sim_storms(const struct sim *sim, uint32_t port, uint8_t cls)
{
    return sim_slot_seen(sim, port, cls).storms;
}

uint64_t
sim_counter(const struct sim *sim, uint32_t node, uint32_t layer, const struct weir_field *f)
{
    if (sim_is_here(sim, node)) {
        return weir_field_get(f, sim_node_at(sim, node)->weir.layers[layer].state);
    }
    const struct sim_view *v = sim->ranks.view;
    return v->counters[v->first_counter[node] + sim_counter_place(&sim->model, node, layer, f)];
}

void
sim_each_held(const struct sim *sim, uint32_t node, sim_visit_held *visit, void *arg)
{
    sim_node_at(sim, node)->kind->each_held(sim_node_at(sim, node), visit, arg);
}

weir_ps
sim_window_ps(const struct sim *sim)
{
    return (weir_ps)1 << sim->window_bits;
}

weir_ps
sim_watch_ps(const struct sim *sim)
{
    return sim->watch->interval_ps;
}

weir_ps
sim_middle_ps(const struct sim *sim)
{
    return sim->watch->middle_ps;
}

struct sim_deadlock
sim_deadlock(const struct sim *sim)
{
    struct sim_deadlock d = sim->watch->deadlock;
    d.stands = sim->watch->standing.found;
    return d;
}

uint64_t
sim_flow_late_bps(const struct sim *sim, uint32_t flow)
{
    struct sim_sink_view sink = sink_seen(sim, flow);
    uint64_t bytes = sink.received_bytes - sink.middle_bytes;
    uint64_t ps = (uint64_t)(sim->now_ps - sink.middle_ps);
    return ps ? weir_mul_div(bytes, 8 * (uint64_t)WEIR_PS_PER_S, ps) : 0;
}

bool
sim_flow_arrives(const struct sim *sim, uint32_t flow)
{
    struct sim_path_dag dag;

    sim_path_dag_open(&dag, sim, flow);
    sim_path_dag_close(&dag);
    return dag.arrives;
}

uint32_t
sim_flow_path(const struct sim *sim, uint32_t flow, uint32_t ports[SIM_MAX_PATH])
{
    struct sim_path_dag dag;
    uint32_t n = 0;

    sim_path_dag_open(&dag, sim, flow);
    for (size_t i = 0; i < dag.n_hops && !dag.splits && n < SIM_MAX_PATH; i++) {
        ports[n++] = dag.hops[i].port;
    }
    sim_path_dag_close(&dag);
    return n;
}

/* The longest path of a flow, where 'on_hop' gives the length of each hop. */
static weir_ps
longest_of(const struct sim *sim, uint32_t flow,
           weir_ps (*on_hop)(const struct sim_path_dag *, const struct sim_hop *))
{
    struct sim_path_dag dag;
    weir_ps most = 0;

    sim_path_dag_open(&dag, sim, flow);
    weir_ps *sums = array_new(dag.n_stops, sizeof *sums);
    for (size_t i = 0; i < dag.n_hops; i++) {
        const struct sim_hop *hop = &dag.hops[i];
        weir_ps sum = sums[hop->from] + on_hop(&dag, hop);
        sums[hop->to] = sum > sums[hop->to] ? sum : sums[hop->to];
        most = sum > most ? sum : most;
    }
    free(sums);
    sim_path_dag_close(&dag);
    return most;
}

/* The time of a hop: through the pipeline of the node that it leaves, if any, and over the link. */
static weir_ps
bytes_on(const struct sim_path_dag *dag, const struct sim_hop *hop, uint64_t bytes)
{
    return dag->stops[hop->from].inside_ps + hop->link->delay_ps +
           weir_wire_ps(bytes + dag->sim->model.gap_bytes, hop->link->rate_bps);
}

static weir_ps
packet_on(const struct sim_path_dag *dag, const struct sim_hop *hop)
{
    return bytes_on(dag, hop, dag->sim->model.mtu_bytes);
}

static weir_ps
round_trip_on(const struct sim_path_dag *dag, const struct sim_hop *hop)
{
    return packet_on(dag, hop) + bytes_on(dag, hop, dag->sim->model.answer_bytes);
}

weir_ps
sim_flow_path_ps(const struct sim *sim, uint32_t flow)
{
    return longest_of(sim, flow, packet_on);
}

weir_ps
sim_flow_rtt_ps(const struct sim *sim, uint32_t flow)
{
    return longest_of(sim, flow, round_trip_on);
}

weir_ps
sim_flow_first_rtt_ps(const struct sim *sim, uint32_t flow)
{
    return sim->flows.first_rtt_ps ? sim->flows.first_rtt_ps[flow] : sim_flow_rtt_ps(sim, flow);
}

static weir_ps
one_on(const struct sim_path_dag *dag, const struct sim_hop *hop)
{
    (void)dag;
    (void)hop;
    return 1;
}

uint32_t
sim_flow_n_links(const struct sim *sim, uint32_t flow)
{
    return (uint32_t)longest_of(sim, flow, one_on);
}

/* Adds a number to a hash, by FNV-1a. */
static void
hash_in(uint64_t *hash, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        *hash = (*hash ^ (value >> 8 * i & 0xff)) * 0x100000001b3;
    }
}

uint64_t
sim_n_gone(const struct sim_port_result *r)
{
    uint64_t n = r->n_no_route + r->n_expired + r->n_dropped_watchdog + r->n_flushed +
                 r->n_dropped_output + r->n_dropped_memory;

    for (int i = 0; i < WEIR_N_ADMISSIONS; i++) {
        n += r->n_dropped[i];
    }
    return n;
}

static void
add_port(struct sim_totals *t, const struct sim_port_result *r)
{
    hash_in(&t->hash, r->sent_bytes);
    hash_in(&t->hash, r->n_sent);
    hash_in(&t->hash, r->n_frames_sent);
    hash_in(&t->hash, r->n_lost);
    hash_in(&t->hash, r->n_expired);
    hash_in(&t->hash, r->n_dropped_watchdog);
    t->n_lost += r->n_lost;
    t->n_lost_frames += r->n_lost_frames;
    t->n_expired += r->n_expired;
    t->n_no_route += r->n_no_route;
    t->n_dropped_watchdog += r->n_dropped_watchdog;
    t->n_flushed += r->n_flushed;
    t->n_dropped_output += r->n_dropped_output;
    t->n_dropped_memory += r->n_dropped_memory;
    t->n_dropped += r->n_dropped_watchdog + r->n_dropped_output + r->n_dropped_memory;
    if (r->n_dropped_output) { /* Without these drops they are not hashed, so that older runs keep
                                * their hashes. */
        hash_in(&t->hash, r->n_dropped_output);
    }
    if (r->n_dropped_memory) {
        hash_in(&t->hash, r->n_dropped_memory);
    }
    if (r->n_flushed) {
        hash_in(&t->hash, r->n_flushed);
    }
    t->n_marked += r->n_marked;
    t->n_messages_sent += r->n_messages_sent;
    t->n_messages_received += r->n_messages_received;
    t->n_messages_dropped += r->n_messages_dropped;
    if (r->n_messages_received) {
        hash_in(&t->hash, r->n_messages_received);
    }
    for (int i = 0; i < WEIR_N_ADMISSIONS; i++) {
        hash_in(&t->hash, r->n_dropped[i]);
        t->n_dropped += r->n_dropped[i];
    }
}

static void
add_storms(struct sim_totals *t, const struct sim_storms *w)
{
    hash_in(&t->hash, w->n_storms);
    hash_in(&t->hash, w->n_restored);
    t->n_storms += w->n_storms;
    t->n_restored += w->n_restored;
}

struct sim_sums
sim_sums_here(const struct sim *sim)
{
    struct sim_sums sums = { 0 };

    for (uint32_t i = 0; i < sim->n_threads; i++) {
        const struct sim_thread *t = &sim->threads[i];
        sim_add_sums(&sums, &(struct sim_sums){ t->n_hops, t->n_run, t->n_dropped_lossless,
                                                t->n_out_of_order, t->n_timeouts });
    }
    return sums;
}

void
sim_add_sums(struct sim_sums *sums, const struct sim_sums *more)
{
    sums->n_hops += more->n_hops;
    sums->n_events += more->n_events;
    sums->n_dropped_lossless += more->n_dropped_lossless;
    sums->n_out_of_order += more->n_out_of_order;
    sums->n_timeouts += more->n_timeouts;
}

static void
add_slots_of(const struct sim *sim, uint32_t node, struct sim_totals *t)
{
    const struct topo_node *n = &sim->model.topo->nodes[node];
    bool is_watched = model_is_watched(&sim->model, node);

    for (uint32_t slot = 0; slot < n->n_ports * sim->model.n_classes; slot++) {
        uint32_t port = n->first_port + slot / sim->model.n_classes;
        struct sim_slot_view s = sim_slot_seen(sim, port, (uint8_t)(slot % sim->model.n_classes));
        hash_in(&t->hash, s.in_peak_bytes);
        hash_in(&t->hash, s.in_bytes);
        t->n_pfc_pauses += s.hold.by[SIM_SHUT_BY_PAUSE].n;
        t->n_fafc_pauses += s.hold.by[SIM_SHUT_BY_HOLD].n;
        t->n_link_start_waits += s.hold.n_starts;
        t->n_rate_changes += s.hold.n_rate_changes;
        if (is_watched) {
            add_storms(t, &s.storms);
        }
    }
}

static void
add_flow_result(const struct sim *sim, uint32_t flow, struct sim_totals *t)
{
    struct sim_flow_result r = sim_flow_result(sim, flow);

    t->sent_bytes += r.sent_bytes;
    t->retransmitted_bytes += r.retransmitted_bytes;
    t->n_cnps += r.n_cnps;
    hash_in(&t->hash, r.sent_bytes);
    hash_in(&t->hash, r.received_bytes);
    hash_in(&t->hash, r.discarded_bytes);
    hash_in(&t->hash, (uint64_t)r.first_ps);
    hash_in(&t->hash, (uint64_t)r.last_ps);
    if (sim_is_connection(sim, flow)) {
        hash_in(&t->hash, r.n_messages_posted);
        hash_in(&t->hash, r.n_messages_sent);
        hash_in(&t->hash, r.n_messages_arrived);
    }
}

static void
add_rank_reports(const struct sim *sim, struct sim_totals *t)
{
    for (uint32_t job = 0; job < sim->model.n_jobs; job++) {
        for (uint32_t rank = 0; rank < sim->model.jobs[job].n_ranks; rank++) {
            struct program_report r = sim_rank_report(sim, job, rank);
            hash_in(&t->hash, (uint64_t)r.begin_ps);
            hash_in(&t->hash, (uint64_t)r.end_ps);
            hash_in(&t->hash, (uint64_t)r.computing_ps);
            hash_in(&t->hash, (uint64_t)r.network_ps);
            hash_in(&t->hash, (uint64_t)r.peer_ps);
            if (r.n_relayed) {
                hash_in(&t->hash, r.n_relayed);
                hash_in(&t->hash, r.relayed_bytes);
            }
        }
    }
}

struct sim_totals
sim_totals(const struct sim *sim)
{
    const struct topo *topo = sim->model.topo;
    struct sim_sums sums = sim_sums_here(sim);

    if (sim->ranks.view) {
        sim_add_sums(&sums, &sim->ranks.view->sums);
    }
    struct sim_totals t = { .hash = 0xcbf29ce484222325,
                            .n_windows = sim->n_windows,
                            .n_hops = sums.n_hops,
                            .n_events = sums.n_events,
                            .n_dropped_lossless = sums.n_dropped_lossless,
                            .n_out_of_order = sums.n_out_of_order,
                            .n_timeouts = sums.n_timeouts };

    hash_in(&t.hash, t.n_hops);
    for (uint32_t i = 0; i < sim->model.n_flows; i++) {
        add_flow_result(sim, i, &t);
    }
    add_rank_reports(sim, &t);
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        for (uint32_t i = 0; i < topo->nodes[id].n_ports; i++) {
            struct sim_port_result r = sim_port_seen(sim, topo->nodes[id].first_port + i);
            add_port(&t, &r);
        }
        add_slots_of(sim, id, &t);
    }
    return t;
}
