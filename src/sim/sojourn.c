/* Records how long packets wait at a node, and why: sojourn.h. */

#include "sim/sojourn.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/flow-ends.h"
#include "sim/observers.h"
#include "sim/setup.h"
#include "sim/view.h"
#include "sim/watch.h"
#include "sim/wires.h"

void
sim_start_sojourns(const struct sim *sim, struct sim_node *n)
{
    uint32_t n_slots = n->n_ports * n->n_classes;
    bool is_switch = sim->model.topo->nodes[n->id].kind == TOPO_SWITCH;

    if (!sim->config.why) {
        return;
    }
    n->sojourns = array_new(1, sizeof *n->sojourns);
    n->sojourns->clocks = array_new(n_slots, sizeof *n->sojourns->clocks);
    if (is_switch) {
        n->sojourns->bytes_for = array_new((size_t)n_slots * n->n_ports, sizeof(uint64_t));
        n->sojourns->blamed = array_new(n_slots, sizeof(uint32_t));
        memset(n->sojourns->blamed, 0xff, n_slots * sizeof(uint32_t));
    }
}

void
sim_free_sojourns(struct sim_node *n)
{
    if (n->sojourns) {
        free(n->sojourns->clocks);
        free(n->sojourns->sojourns);
        sim_free_wait_rows(n->sojourns);
        free(n->sojourns->bytes_for);
        free(n->sojourns->blamed);
        free(n->sojourns);
    }
}

uint64_t
sim_sojourns_bytes(const struct sim *sim)
{
    const struct model *p = &sim->model;
    uint64_t bytes = 0;

    for (uint32_t id = 0; sim->config.why && id < sim->n_nodes; id++) {
        const struct weir_shape *shape = model_shape_like(p, id);
        bool is_switch = p->topo->nodes[id].kind == TOPO_SWITCH;
        uint64_t a_slot = is_switch ? shape->n_ports * sizeof(uint64_t) + sizeof(uint32_t) : 0;
        if (sim_is_here(sim, id)) {
            bytes += sizeof(struct sim_sojourns) +
                     weir_n_slots(shape) * (sizeof(struct sim_clocks) + a_slot);
        }
    }
    /* A flow has at least a row at its sender and a row at a switch. */
    uint64_t a_flow = sizeof(struct sim_sojourn) +
                      2 * (sizeof(struct sim_wait_row) + 2 * sizeof(struct sim_wait_key));
    return bytes + (sim->config.why ? sim->flows.n_senders * a_flow : 0);
}

/* These functions handle clocks. */

static weir_ps
within(weir_ps at, weir_ps from, weir_ps to)
{
    return at < from ? from : at > to ? to : at;
}

/* Whether the gate has been open since the last advance, and stays open until it changes. */
static inline bool
is_open(const struct sim_clocks *c)
{
    return c->shut_until_ps <= c->at_ps;
}

/* Advances the clocks to 'to', by the state of the gate since the last advance. */
static void
run_clocks(struct sim_clocks *c, weir_ps to)
{
    if (to <= c->at_ps) {
        return;
    }
    weir_ps open_ps = within(c->paused_until_ps, c->at_ps, to);
    weir_ps paced_from_ps = within(c->paced_from_ps, open_ps, to);

    c->held_ps[SIM_BY_PAUSE] += open_ps - c->at_ps;
    if (c->lacks_credit) {
        c->held_ps[SIM_BY_CREDIT] += to - open_ps;
    } else {
        c->held_ps[SIM_BY_RATE] += within(c->paced_until_ps, paced_from_ps, to) - paced_from_ps;
    }
    c->at_ps = to;
}

static void
read_clocks(const struct sim_clocks *c, struct sim_sojourn *sojourn)
{
    for (int i = 0; i < SIM_N_CLOCKS; i++) {
        sojourn->clocks_ps[i] = c->held_ps[i];
    }
    sojourn->state = SIM_SOJOURN_WAITS;
}

static inline void
run_clocks_to(struct sim_clocks *c, weir_ps now)
{
    while (c->first && c->first->since_ps <= now) {
        struct sim_sojourn *sojourn = c->first;
        assert(sojourn->since_ps >= c->at_ps);
        run_clocks(c, sojourn->since_ps);
        read_clocks(c, sojourn);
        sojourn->is_to_read = false;
        c->first = sojourn->next;
        c->last = c->first ? c->last : NULL;
    }
    run_clocks(c, now);
}

/* Lets a flow read the clocks when its next packet begins to wait.  Packets with equal spacing are
 * due in order, so the search begins at the end. */
static void
let_read(struct sim_clocks *c, struct sim_sojourn *sojourn)
{
    bool is_last = c->last && c->last->since_ps <= sojourn->since_ps;
    struct sim_sojourn **at = is_last ? &c->last->next : &c->first;

    assert(!sojourn->is_to_read);
    while (*at && (*at)->since_ps <= sojourn->since_ps) {
        at = &(*at)->next;
    }
    sojourn->next = *at;
    sojourn->is_to_read = true;
    *at = sojourn;
    c->last = sojourn->next ? c->last : sojourn;
}

/* Removes a flow from the list, because it will read other clocks. */
static void
let_not_read(struct sim_clocks *c, struct sim_sojourn *sojourn)
{
    struct sim_sojourn **at = &c->first, *before = NULL;

    while (*at != sojourn) {
        before = *at;
        at = &before->next;
    }
    *at = sojourn->next;
    c->last = c->last == sojourn ? before : c->last;
    sojourn->is_to_read = false;
}

/* Stores the state of the gate from now on. */
static void
see_gate(const struct sim_node *n, uint32_t slot, weir_ps now)
{
    const struct weir_gate *g = &n->weir.ctx.gates[slot];
    struct sim_clocks *c = &n->sojourns->clocks[slot];
    bool has_rate = g->rate_bps != WEIR_UNLIMITED;
    weir_ps held_ps = weir_gate_is_held(g, now) ? g->next_ps : 0;

    c->paused_until_ps = g->open_ps > held_ps ? g->open_ps : held_ps;
    c->lacks_credit = g->limit_bytes != WEIR_UNLIMITED &&
                      g->sent_bytes + weir_gate_cost(g, n->shape.mtu_bytes) > g->limit_bytes;
    c->paced_until_ps = has_rate ? g->next_ps : 0;
    c->paced_from_ps = has_rate && g->last_bytes
                           ? g->last_ps + sim_port_wire_ps(n, slot / n->n_classes, g->last_bytes)
                           : g->last_ps;
    c->shut_until_ps =
        c->paused_until_ps > c->paced_until_ps ? c->paused_until_ps : c->paced_until_ps;
    c->shut_until_ps = c->lacks_credit ? WEIR_NEVER : c->shut_until_ps;
}

/* Advances clocks that are read while the gate has not changed.  Clocks that stand still need no
 * advance. */
static inline void
run_open_clocks(struct sim_clocks *c, weir_ps now)
{
    if (!is_open(c)) {
        run_clocks(c, now);
    }
}

/* Called when a packet was sent.  An open gate without a rate and without credit stays as it
 * was. */
static inline void
gate_sent(struct sim_node *n, uint32_t slot, weir_ps now)
{
    const struct weir_gate *g = &n->weir.ctx.gates[slot];
    struct sim_clocks *c = &n->sojourns->clocks[slot];
    bool has_limit = (g->rate_bps & g->limit_bytes) != WEIR_UNLIMITED;

    run_open_clocks(c, now);
    if (has_limit || !is_open(c)) {
        sim_sojourns_gate_changed(n, slot, now);
    }
}

void
sim_sojourns_gate_changed(struct sim_node *n, uint32_t slot, weir_ps now)
{
    run_clocks_to(&n->sojourns->clocks[slot], now);
    see_gate(n, slot, now);
}

/* These functions handle rows. */

/* The row that counts a wait.  A known row has counted a packet that arrived earlier. */
static uint32_t
row_of(struct sim_sojourns *s, uint32_t flow, uint32_t slot, const struct sim_sojourn *sojourn)
{
    uint32_t row = sojourn->row;

    if (row < s->n_rows && s->rows[row].flow == flow && s->rows[row].slot == slot) {
        return row;
    }
    row = sim_wait_row(s, flow, slot, sojourn->came_ps);
    if (sojourn->came_ps < s->first_ps[row]) {
        s->first_ps[row] = sojourn->came_ps;
    }
    return row;
}

/* Counts the wait of a packet that leaves through a transmit queue.  The flow's own gate blocked it
 * for at most 'own_ps'.  Returns the row. */
static uint32_t
count_wait(struct sim_node *n, uint32_t flow, uint32_t slot, const struct sim_sojourn *sojourn,
           weir_ps own_ps, weir_ps now)
{
    static const weir_ps none_ps[SIM_N_CLOCKS];
    struct sim_sojourns *s = n->sojourns;
    bool is_carried = sojourn->state == SIM_SOJOURN_CARRIED;
    const weir_ps *clocks_ps = is_carried ? none_ps : s->clocks[slot].held_ps;
    uint32_t at = row_of(s, flow, slot, sojourn);
    struct sim_wait_row *row = &s->rows[at];
    weir_ps rest_ps = (is_carried ? 0 : now) - sojourn->since_ps;

    for (int i = 0; i < SIM_N_CLOCKS; i++) {
        weir_ps held_ps = clocks_ps[i] - sojourn->clocks_ps[i];
        row->held_ps[i] += held_ps;
        rest_ps -= held_ps;
    }
    weir_ps control_ps = within(own_ps, 0, rest_ps);
    row->n_packets++;
    row->last_ps = now > row->last_ps ? now : row->last_ps;
    row->control_ps += control_ps;
    row->queue_ps += rest_ps - control_ps;
    return at;
}

/* These functions handle packets at switches. */

static uint32_t
slot_of(const struct sim_node *n, uint32_t index)
{
    const struct sim_held *held = &n->pool[index];

    return held->out_port * n->n_classes + held->packet.cls;
}

static inline struct sim_sojourn *
sojourn_of(struct sim_node *n, uint32_t index)
{
    struct sim_sojourns *s = n->sojourns;

    while (__builtin_expect(index >= s->max_sojourns, 0)) {
        s->sojourns =
            array_room(s->sojourns, s->max_sojourns, &s->max_sojourns, sizeof *s->sojourns);
    }
    return &s->sojourns[index];
}

static const struct sim_clocks *
clocks_at(struct sim_node *n, uint32_t index, weir_ps now)
{
    struct sim_clocks *c = &n->sojourns->clocks[slot_of(n, index)];

    run_clocks_to(c, now);
    return c;
}

/* Forgets the row of a packet, because an engine has received the packet or routes have changed. */
static void
forget_row(struct sim_node *n, uint32_t index)
{
    if (n->is_timed) {
        n->pool[index].wait_row = SIM_NONE;
    }
}

void
sim_sojourn_begun(struct sim_node *n, uint32_t index, weir_ps now)
{
    struct sim_sojourn *sojourn = sojourn_of(n, index);

    *sojourn = (struct sim_sojourn){ .came_ps = now, .since_ps = now, .row = SIM_NONE };
    forget_row(n, index);
    if (n->pool[index].out_port < n->n_ports) {
        read_clocks(clocks_at(n, index, now), sojourn);
    }
}

/* Called when the packet becomes the first of its queue.  A switch may send many packets of a queue
 * in a window, so the packet after it is prefetched, too. */
void
sim_sojourn_fetch_next(const struct sim_node *n, uint32_t index)
{
    const struct sim_sojourns *s = n->sojourns;
    uint32_t after = n->pool[index].next, row = n->pool[index].wait_row;

    __builtin_prefetch(&s->sojourns[index]);
    if (row != SIM_NONE) {
        __builtin_prefetch(&s->rows[row], 1);
    }
    if (after != SIM_NONE) {
        __builtin_prefetch(&n->pool[after], 1);
    }
}

/* Hot: once per packet-hop, if packets wait.  Waits of ACKs, NACKs and CNPs are not counted. */
void
sim_sojourn_queued(struct sim_node *n, uint32_t index, uint32_t in_slot, uint32_t slot, weir_ps now)
{
    struct sim_held *held = &n->pool[index];
    struct sim_sojourns *s = n->sojourns;

    s->bytes_for[(size_t)in_slot * n->n_ports + held->out_port] += held->packet.bytes;
    held->wait_row = SIM_NONE;
    if (sim_is_data(held->packet.kind)) {
        struct sim_sojourn *sojourn = sojourn_of(n, index);
        sojourn->came_ps = sojourn->since_ps = now;
        held->wait_row = sim_wait_row(s, held->packet.flow, slot, now);
        __builtin_prefetch(&s->rows[held->wait_row]);
        run_open_clocks(&s->clocks[slot], now);
        read_clocks(&s->clocks[slot], sojourn);
    }
}

/* Hot: once per packet-hop, if packets do not wait. */
void
sim_sojourn_passed(struct sim_node *n, const struct sim_packet *packet, uint32_t slot, weir_ps now)
{
    gate_sent(n, slot, now);
    if (sim_is_data(packet->kind)) {
        uint32_t row = sim_wait_row(n->sojourns, packet->flow, slot, now);
        n->sojourns->rows[row].n_packets++;
        n->sojourns->rows[row].last_ps = now;
    }
}

static __attribute__((noinline)) void
count_with_care(struct sim_node *n, uint32_t index, uint32_t slot, weir_ps now)
{
    count_wait(n, n->pool[index].packet.flow, slot, &n->sojourns->sojourns[index], 0, now);
}

/* Hot: once per packet-hop, if packets wait. */
void
sim_sojourn_left(struct sim_node *n, uint32_t index, uint32_t slot, weir_ps now)
{
    const struct sim_held *held = &n->pool[index];
    const struct sim_sojourns *s = n->sojourns;
    const struct sim_sojourn *sojourn = &s->sojourns[index];
    uint32_t in_slot = held->in_port * n->n_classes + held->packet.cls;
    const weir_ps *clocks_ps = s->clocks[slot].held_ps;

    gate_sent(n, slot, now);
    s->bytes_for[(size_t)in_slot * n->n_ports + held->out_port] -= held->packet.bytes;
    if (!sim_is_data(held->packet.kind)) {
        return;
    }
    if (held->wait_row == SIM_NONE) {
        count_with_care(n, index, slot, now);
        return;
    }
    struct sim_wait_row *row = &s->rows[held->wait_row];
    weir_ps rest_ps = now - sojourn->since_ps;
    for (int i = 0; i < SIM_N_CLOCKS; i++) {
        weir_ps held_ps = clocks_ps[i] - sojourn->clocks_ps[i];
        row->held_ps[i] += held_ps;
        rest_ps -= held_ps;
    }
    row->n_packets++;
    row->last_ps = now;
    row->queue_ps += rest_ps;
}

void
sim_sojourn_piped(struct sim_node *n, uint32_t index, weir_ps carried_ps, weir_ps now)
{
    struct sim_sojourn *sojourn = sojourn_of(n, index);

    sojourn->since_ps += carried_ps;
    read_clocks(clocks_at(n, index, now), sojourn);
}

void
sim_sojourn_shifted(struct sim_node *n, uint32_t index, int sign, weir_ps now)
{
    const struct sim_clocks *c = clocks_at(n, index, now);
    struct sim_sojourn *sojourn = sojourn_of(n, index);

    sojourn->since_ps += sign * now;
    for (int i = 0; i < SIM_N_CLOCKS; i++) {
        sojourn->clocks_ps[i] += sign * c->held_ps[i];
    }
    sojourn->state = sign < 0 ? SIM_SOJOURN_CARRIED : SIM_SOJOURN_WAITS;
}

/* Lets a packet wait for another port from now on. Its wait until now was for the old port. */
void
sim_sojourn_redirect(struct sim_node *n, uint32_t index, uint32_t out_port, weir_ps now)
{
    if (!n->sojourns) {
        return;
    }
    struct sim_held *held = &n->pool[index];
    uint32_t in_slot = held->in_port * n->n_classes + held->packet.cls;
    uint32_t slot = out_port * n->n_classes + held->packet.cls;
    uint64_t *bytes_for = &n->sojourns->bytes_for[(size_t)in_slot * n->n_ports];
    struct sim_sojourn *sojourn = sojourn_of(n, index);

    bytes_for[held->out_port] -= held->packet.bytes;
    bytes_for[out_port] += held->packet.bytes;
    if (sojourn->state == SIM_SOJOURN_CARRIED) {
        return;
    }
    run_clocks_to(&n->sojourns->clocks[slot_of(n, index)], now);
    if (sim_is_data(held->packet.kind)) {
        count_wait(n, held->packet.flow, slot_of(n, index), sojourn, 0, now);
    }
    run_clocks_to(&n->sojourns->clocks[slot], now);
    sojourn->came_ps = sojourn->since_ps = now;
    forget_row(n, index);
    read_clocks(&n->sojourns->clocks[slot], sojourn);
}

void
sim_sojourn_ended(struct sim_node *n, uint32_t index, weir_ps now)
{
    const struct sim_held *held = &n->pool[index];
    uint32_t slot = slot_of(n, index), in_slot = held->in_port * n->n_classes + held->packet.cls;

    sim_sojourns_gate_changed(n, slot, now);
    n->sojourns->bytes_for[(size_t)in_slot * n->n_ports + held->out_port] -= held->packet.bytes;
    if (sim_is_data(held->packet.kind)) {
        count_wait(n, held->packet.flow, slot, sojourn_of(n, index), 0, now);
    }
}

/* These functions handle the next packet of each flow at a NIC. */

static struct sim_sojourn *
sojourn_of_flow(const struct sim *sim, uint32_t flow)
{
    return &sim->watch->sender_sojourns[sim_sender_slot(sim, flow)];
}

static uint32_t
slot_of_flow(const struct sim *sim, const struct sim_node *n, uint32_t flow)
{
    return sim_out_port(sim, flow) * n->n_classes + sim->model.flows[flow].cls;
}

void
sim_sojourn_of_flow_begun(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    struct sim_clocks *c = &n->sojourns->clocks[slot_of_flow(t->sim, n, flow)];
    struct sim_sojourn *sojourn = sojourn_of_flow(t->sim, flow);

    run_clocks_to(c, now);
    if (!sojourn->is_to_read) { /* If false, the last packet of the flow is on the wire, or the next
                                 * one is not due. */
        sojourn->came_ps = sojourn->since_ps = now;
        read_clocks(c, sojourn);
    }
}

/* The time for which the flow's own gate has blocked it since the previous packet. */
static weir_ps
held_by_itself_ps(const struct sim *sim, uint32_t flow, weir_ps now)
{
    const struct sim_sender *f = sim_sender(sim, flow);
    const struct sim_sojourn *sojourn = sojourn_of_flow(sim, flow);

    if (!f->has_gate) {
        return 0;
    }
    weir_ps ready_ps = weir_gate_ready(f->gate, 0, sim->model.mtu_bytes);
    weir_ps open_ps = ready_ps > sojourn->opened_ps ? ready_ps : sojourn->opened_ps;
    return within(open_ps, sojourn->since_ps, now) - sojourn->since_ps;
}

/* The time of a flow's next packet: as soon as this packet is sent, or when the application
 * provides it, if the application has its own rate. */
static weir_ps
next_due_ps(const struct sim *sim, const struct sim_node *n, uint32_t port,
            const struct sim_packet *packet, weir_ps now)
{
    const struct weir_gate *g = sim_sender(sim, packet->flow)->gate;
    uint64_t rate_bps = sim->model.flows[packet->flow].terms->rate_bps;
    weir_ps out_ps = now + sim_port_wire_ps(n, port, packet->bytes);

    if (rate_bps == WEIR_UNLIMITED) {
        return out_ps;
    }
    weir_ps given_ps = weir_after(g->next_ps, weir_wire_ps(packet->bytes + g->gap_bytes, rate_bps));
    return given_ps > out_ps ? given_ps : out_ps;
}

/* Prefetches the row of the flow that is served next, and the state that the flow after it
 * needs. */
static inline void
fetch_next_flows(const struct sim *sim, const struct sim_node *n, uint32_t flow)
{
    const struct sim_sender *f = sim_sender(sim, flow);
    const struct sim_sojourn *sojourns = sim->watch->sender_sojourns;
    uint32_t row = sojourns[f->next].row;

    __builtin_prefetch(&n->sojourns->rows[row < n->sojourns->n_rows ? row : 0], 1);
    __builtin_prefetch(&sojourns[sim->flows.senders[f->next].next], 1);
}

void
sim_sojourn_of_flow_ended(struct sim_thread *t, struct sim_node *n, uint32_t port,
                          const struct sim_packet *packet, weir_ps now)
{
    uint32_t slot = port * n->n_classes + packet->cls;
    struct sim_clocks *c = &n->sojourns->clocks[slot];
    struct sim_sojourn *sojourn = sojourn_of_flow(t->sim, packet->flow);

    run_clocks_to(c, now);
    gate_sent(n, slot, now);
    if (sojourn->is_to_read) { /* The previous packet is still on the wire of another port. */
        let_not_read(c, sojourn);
        sojourn->came_ps = sojourn->since_ps = now;
        read_clocks(c, sojourn);
    }
    fetch_next_flows(t->sim, n, packet->flow);
    sojourn->row = count_wait(n, packet->flow, slot, sojourn,
                              held_by_itself_ps(t->sim, packet->flow, now), now);
    sojourn->came_ps = sojourn->since_ps = next_due_ps(t->sim, n, port, packet, now);
    let_read(c, sojourn);
}

/* Begins the wait at another port.  The next packet of a flow was due when its last one would have
 * left through the old port.  Through another port it can leave now, or when the application
 * provides it. */
static void
begin_elsewhere(const struct sim *sim, uint32_t flow, struct sim_clocks *to,
                struct sim_sojourn *sojourn, weir_ps now)
{
    const struct sim_sender *f = sim_sender(sim, flow);
    bool has_rate = f->has_gate && sim->model.flows[flow].terms->rate_bps != WEIR_UNLIMITED;
    weir_ps due_ps = has_rate ? weir_gate_ready(f->gate, 0, sim->model.mtu_bytes) : now;

    sojourn->came_ps = sojourn->since_ps = within(due_ps, now, sojourn->since_ps);
    if (sojourn->since_ps > now) {
        let_read(to, sojourn);
    } else {
        read_clocks(to, sojourn);
    }
}

void
sim_sojourn_of_flow_moved(struct sim_thread *t, struct sim_node *n, uint32_t flow, uint32_t port,
                          weir_ps now)
{
    uint32_t slot = port * n->n_classes + t->sim->model.flows[flow].cls;
    struct sim_clocks *from = &n->sojourns->clocks[slot];
    struct sim_clocks *to = &n->sojourns->clocks[slot_of_flow(t->sim, n, flow)];
    struct sim_sojourn *sojourn = sojourn_of_flow(t->sim, flow);

    run_clocks_to(from, now);
    run_clocks_to(to, now);
    if (sojourn->is_to_read) {
        let_not_read(from, sojourn);
        begin_elsewhere(t->sim, flow, to, sojourn, now);
    } else if (sim_sender(t->sim, flow)->in_ring) {
        count_wait(n, flow, slot, sojourn, held_by_itself_ps(t->sim, flow, now), now);
        sojourn->came_ps = sojourn->since_ps = now;
        read_clocks(to, sojourn);
    }
}

void
sim_sojourn_of_flow_opened(struct sim_thread *t, uint32_t flow, weir_ps now)
{
    sojourn_of_flow(t->sim, flow)->opened_ps = now;
}

/* These functions end the accounting. */

static void
count_held(struct sim_node *n, uint32_t index, weir_ps now)
{
    const struct sim_packet *packet = &n->pool[index].packet;

    if (packet->bytes && sim_is_data(packet->kind) &&
        sojourn_of(n, index)->state != SIM_SOJOURN_WITHOUT_OUTPUT) {
        run_clocks_to(&n->sojourns->clocks[slot_of(n, index)], now);
        count_wait(n, packet->flow, slot_of(n, index), sojourn_of(n, index), 0, now);
    }
}

static void
count_sender(const struct sim *sim, uint32_t flow, weir_ps now)
{
    const struct model_flow *f = &sim->model.flows[flow];
    struct sim_node *n = sim_node_at(sim, f->from);
    const struct sim_sojourn *sojourn = sojourn_of_flow(sim, flow);

    if (sim_sender(sim, flow)->in_ring) {
        uint32_t slot = slot_of_flow(sim, n, flow);
        run_clocks_to(&n->sojourns->clocks[slot], now);
        if (sojourn->since_ps <= now) {
            count_wait(n, flow, slot, sojourn, held_by_itself_ps(sim, flow, now), now);
        }
    }
}

void
sim_end_sojourns(struct sim *sim)
{
    for (uint32_t slot = 0; sim->config.why && slot < sim->flows.n_senders; slot++) {
        count_sender(sim, sim_flow_of_sender(sim, slot), sim->now_ps);
    }
    for (uint32_t k = 0; sim->config.why && k < sim->n_here; k++) {
        struct sim_node *n = &sim->nodes[k];
        for (uint32_t i = 0; n->path_choice && i < n->n_pool; i++) { /* The node is a switch. */
            count_held(n, i, sim->now_ps);
        }
    }
}

struct sim_flow_wait
sim_wait_of(const struct sim *sim, const struct sim_node *n, size_t row)
{
    const struct sim_wait_row *r = &n->sojourns->rows[row];
    uint32_t first_port = sim->model.topo->nodes[n->id].first_port;

    return (struct sim_flow_wait){ .flow = r->flow,
                                   .port = first_port + r->slot / n->n_classes,
                                   .cls = (uint8_t)(r->slot % n->n_classes),
                                   .n_packets = r->n_packets,
                                   .first_ps = n->sojourns->first_ps[row],
                                   .last_ps = r->last_ps,
                                   .pause_ps = r->held_ps[SIM_BY_PAUSE],
                                   .credit_ps = r->held_ps[SIM_BY_CREDIT],
                                   .rate_ps = r->held_ps[SIM_BY_RATE],
                                   .control_ps = r->control_ps,
                                   .queue_ps = r->queue_ps };
}

/* Sorts waits by flow; those of one flow are in the order in which it reached the ports, beginning
 * with the sender's port. */
static int
by_flow(const void *a, const void *b)
{
    const struct sim_flow_wait *x = a, *y = b;

    if (x->flow != y->flow) {
        return x->flow < y->flow ? -1 : 1;
    }
    if (x->first_ps != y->first_ps) {
        return x->first_ps < y->first_ps ? -1 : 1;
    }
    if (x->port != y->port) {
        return x->port < y->port ? -1 : 1;
    }
    return (x->cls > y->cls) - (x->cls < y->cls);
}

const struct sim_flow_wait *
sim_flow_waits(struct sim *sim, size_t *n)
{
    sim->watch->n_waits = 0;
    for (uint32_t k = 0; sim->config.why && k < sim->n_here; k++) {
        for (size_t i = 0; i < sim->nodes[k].sojourns->n_rows; i++) {
            ARRAY_PUSH(sim->watch->waits, sim->watch->n_waits, sim->watch->max_waits) =
                sim_wait_of(sim, &sim->nodes[k], i);
        }
    }
    for (size_t i = 0; sim->ranks.view && i < sim->ranks.view->n_waits; i++) {
        ARRAY_PUSH(sim->watch->waits, sim->watch->n_waits, sim->watch->max_waits) =
            sim->ranks.view->waits[i];
    }
    array_sort(sim->watch->waits, sim->watch->n_waits, sizeof *sim->watch->waits, by_flow);
    *n = sim->watch->n_waits;
    return sim->watch->waits;
}
