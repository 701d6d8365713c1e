/* How long packets wait at a node, and what for: stays.h. */

#include "sim/stays.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/view.h"

void
sim_start_stays(const struct sim *sim, struct sim_node *n)
{
    uint32_t n_slots = n->n_ports * n->n_classes;
    bool is_switch = sim->plant.topo->nodes[n->id].kind == TOPO_SWITCH;

    if (!sim->config.why) {
        return;
    }
    n->stays = array_new(1, sizeof *n->stays);
    n->stays->clocks = array_new(n_slots, sizeof *n->stays->clocks);
    if (is_switch) {
        n->stays->bytes_for = array_new((size_t)n_slots * n->n_ports, sizeof(uint64_t));
        n->stays->blamed = array_new(n_slots, sizeof(uint32_t));
        memset(n->stays->blamed, 0xff, n_slots * sizeof(uint32_t));
    }
}

void
sim_free_stays(struct sim_node *n)
{
    if (n->stays) {
        free(n->stays->clocks);
        free(n->stays->stays);
        free(n->stays->rows);
        free(n->stays->table);
        free(n->stays->bytes_for);
        free(n->stays->blamed);
        free(n->stays);
    }
}

uint64_t
sim_stays_bytes(const struct sim *sim)
{
    const struct plant *p = &sim->plant;
    uint64_t bytes = 0;

    for (uint32_t id = 0; sim->config.why && id < sim->n_nodes; id++) {
        const struct weir_shape *shape = plant_shape_like(p, id);
        bool is_switch = p->topo->nodes[id].kind == TOPO_SWITCH;
        uint64_t a_slot = is_switch ? shape->n_ports * sizeof(uint64_t) + sizeof(uint32_t) : 0;
        if (sim_is_here(sim, id)) {
            bytes += sizeof(struct sim_stays) +
                     weir_n_slots(shape) * (sizeof(struct sim_clocks) + a_slot);
        }
    }
    /* A flow has a row at its sender and at a switch, at least. */
    uint64_t a_flow = sizeof(struct sim_stay) + 2 * sizeof(struct sim_flow_wait);
    return bytes + (sim->config.why ? sim->n_senders * a_flow : 0);
}

/* Clocks. */

static weir_ps
within(weir_ps at, weir_ps from, weir_ps to)
{
    return at < from ? from : at > to ? to : at;
}

/* They go on to 'to', by what the gate has been since they last did. */
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
read_clocks(const struct sim_clocks *c, struct sim_stay *stay)
{
    memcpy(stay->clocks_ps, c->held_ps, sizeof stay->clocks_ps);
    stay->state = SIM_STAY_WAITS;
}

static void
run_clocks_to(struct sim_clocks *c, weir_ps now)
{
    while (c->first && c->first->since_ps <= now) {
        struct sim_stay *stay = c->first;
        assert(stay->since_ps >= c->at_ps);
        run_clocks(c, stay->since_ps);
        read_clocks(c, stay);
        stay->is_to_read = false;
        c->first = stay->next;
        c->last = c->first ? c->last : NULL;
    }
    run_clocks(c, now);
}

/* It reads the clocks when it begins to wait.  Those of one pace come in order, so that the last is
 * looked at first. */
static void
let_read(struct sim_clocks *c, struct sim_stay *stay)
{
    bool is_last = c->last && c->last->since_ps <= stay->since_ps;
    struct sim_stay **at = is_last ? &c->last->next : &c->first;

    assert(!stay->is_to_read);
    while (*at && (*at)->since_ps <= stay->since_ps) {
        at = &(*at)->next;
    }
    stay->next = *at;
    stay->is_to_read = true;
    *at = stay;
    c->last = stay->next ? c->last : stay;
}

/* What the gate is from now on. */
static void
see_gate(const struct sim_node *n, uint32_t slot, weir_ps now)
{
    const struct weir_gate *g = &n->weir.ctx.gates[slot];
    struct sim_clocks *c = &n->stays->clocks[slot];
    bool has_rate = g->rate_bps != WEIR_UNLIMITED;
    weir_ps held_ps = weir_gate_is_held(g, now) ? g->next_ps : 0;

    c->paused_until_ps = g->open_ps > held_ps ? g->open_ps : held_ps;
    c->lacks_credit = g->limit_bytes != WEIR_UNLIMITED &&
                      g->sent_bytes + weir_gate_cost(g, n->shape.mtu_bytes) > g->limit_bytes;
    c->paced_until_ps = has_rate ? g->next_ps : 0;
    c->paced_from_ps = has_rate && g->last_bytes
                           ? g->last_ps + sim_port_wire_ps(n, slot / n->n_classes, g->last_bytes)
                           : g->last_ps;
}

void
sim_stays_gate_changed(struct sim_node *n, uint32_t slot, weir_ps now)
{
    run_clocks_to(&n->stays->clocks[slot], now);
    see_gate(n, slot, now);
}

/* Rows. */

static uint32_t
table_place(const struct sim_stays *s, const struct sim_flow_wait *rows, uint32_t flow,
            uint32_t slot, uint32_t n_classes)
{
    uint64_t key = ((uint64_t)flow << 20 ^ slot) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(key >> 32) & (s->n_table - 1);

    while (s->table[at] != SIM_NONE) {
        const struct sim_flow_wait *row = &rows[s->table[at]];
        if (row->flow == flow && row->port * n_classes + row->cls == slot) {
            break;
        }
        at = (at + 1) & (s->n_table - 1);
    }
    return at;
}

static void
grow_table(struct sim_stays *s, uint32_t n_classes)
{
    s->n_table = s->n_table ? 2 * s->n_table : 64;
    free(s->table);
    s->table = array_new(s->n_table, sizeof *s->table);
    memset(s->table, 0xff, s->n_table * sizeof *s->table);
    for (size_t i = 0; i < s->n_rows; i++) {
        const struct sim_flow_wait *row = &s->rows[i];
        uint32_t slot = row->port * n_classes + row->cls;
        s->table[table_place(s, s->rows, row->flow, slot, n_classes)] = (uint32_t)i;
    }
}

static struct sim_flow_wait *
row_of(struct sim_node *n, uint32_t flow, uint32_t slot, weir_ps since_ps)
{
    struct sim_stays *s = n->stays;

    if (2 * (s->n_rows + 1) > s->n_table) {
        grow_table(s, n->n_classes);
    }
    uint32_t at = table_place(s, s->rows, flow, slot, n->n_classes);
    if (s->table[at] == SIM_NONE) {
        s->table[at] = (uint32_t)s->n_rows;
        ARRAY_PUSH(s->rows, s->n_rows, s->max_rows) =
            (struct sim_flow_wait){ .flow = flow,
                                    .port = slot / n->n_classes,
                                    .cls = (uint8_t)(slot % n->n_classes),
                                    .first_ps = since_ps };
    }
    return &s->rows[s->table[at]];
}

/* A packet of a flow leaves by a transmit queue; its own gate held it back for so long at most. */
static void
count_wait(struct sim_node *n, uint32_t flow, uint32_t slot, const struct sim_stay *stay,
           weir_ps own_ps, weir_ps now)
{
    static const weir_ps none_ps[SIM_N_CLOCKS];
    bool is_carried = stay->state == SIM_STAY_CARRIED;
    const weir_ps *clocks_ps = is_carried ? none_ps : n->stays->clocks[slot].held_ps;
    struct sim_flow_wait *row = row_of(n, flow, slot, stay->came_ps);
    weir_ps pause_ps = clocks_ps[SIM_BY_PAUSE] - stay->clocks_ps[SIM_BY_PAUSE],
            credit_ps = clocks_ps[SIM_BY_CREDIT] - stay->clocks_ps[SIM_BY_CREDIT],
            rate_ps = clocks_ps[SIM_BY_RATE] - stay->clocks_ps[SIM_BY_RATE];
    weir_ps rest_ps = (is_carried ? 0 : now) - stay->since_ps - pause_ps - credit_ps - rate_ps;
    weir_ps control_ps = within(own_ps, 0, rest_ps);

    row->n_packets++;
    row->first_ps = stay->came_ps < row->first_ps ? stay->came_ps : row->first_ps;
    row->last_ps = now > row->last_ps ? now : row->last_ps;
    row->pause_ps += pause_ps;
    row->credit_ps += credit_ps;
    row->rate_ps += rate_ps;
    row->control_ps += control_ps;
    row->queue_ps += rest_ps - control_ps;
}

/* Packets at switches. */

static uint32_t
slot_of(const struct sim_node *n, uint32_t index)
{
    const struct sim_held *held = &n->pool[index];

    return held->out_port * n->n_classes + held->packet.cls;
}

static struct sim_stay *
stay_of(struct sim_node *n, uint32_t index)
{
    struct sim_stays *s = n->stays;

    while (index >= s->max_stays) {
        s->stays = array_room(s->stays, s->max_stays, &s->max_stays, sizeof *s->stays);
    }
    return &s->stays[index];
}

static const struct sim_clocks *
clocks_at(struct sim_node *n, uint32_t index, weir_ps now)
{
    struct sim_clocks *c = &n->stays->clocks[slot_of(n, index)];

    run_clocks_to(c, now);
    return c;
}

void
sim_stay_begun(struct sim_node *n, uint32_t index, weir_ps now)
{
    struct sim_stay *stay = stay_of(n, index);

    *stay = (struct sim_stay){ .came_ps = now, .since_ps = now };
    if (n->pool[index].out_port < n->n_ports) {
        read_clocks(clocks_at(n, index, now), stay);
    }
}

void
sim_stay_piped(struct sim_node *n, uint32_t index, weir_ps carried_ps, weir_ps now)
{
    struct sim_stay *stay = stay_of(n, index);

    stay->since_ps += carried_ps;
    read_clocks(clocks_at(n, index, now), stay);
}

static void
shift(struct sim_stay *stay, const struct sim_clocks *c, weir_ps now, int sign)
{
    stay->since_ps += sign * now;
    for (int i = 0; i < SIM_N_CLOCKS; i++) {
        stay->clocks_ps[i] += sign * c->held_ps[i];
    }
    stay->state = sign < 0 ? SIM_STAY_CARRIED : SIM_STAY_WAITS;
}

void
sim_stay_lifted(struct sim_node *n, uint32_t index, weir_ps now)
{
    shift(stay_of(n, index), clocks_at(n, index, now), now, -1);
}

void
sim_stay_set_down(struct sim_node *n, uint32_t index, weir_ps now)
{
    shift(stay_of(n, index), clocks_at(n, index, now), now, 1);
}

/* It waited for the port that it was to leave by until now, and waits for the other from now on. */
void
sim_stay_redirected(struct sim_node *n, uint32_t index, uint32_t out_port, weir_ps now)
{
    struct sim_held *held = &n->pool[index];
    uint32_t in_slot = held->in_port * n->n_classes + held->packet.cls;
    uint32_t slot = out_port * n->n_classes + held->packet.cls;
    uint64_t *bytes_for = &n->stays->bytes_for[(size_t)in_slot * n->n_ports];
    struct sim_stay *stay = stay_of(n, index);

    bytes_for[held->out_port] -= held->packet.bytes;
    bytes_for[out_port] += held->packet.bytes;
    if (stay->state == SIM_STAY_CARRIED) {
        return;
    }
    run_clocks_to(&n->stays->clocks[slot_of(n, index)], now);
    if (sim_is_data(held->packet.kind)) {
        count_wait(n, held->packet.flow, slot_of(n, index), stay, 0, now);
    }
    run_clocks_to(&n->stays->clocks[slot], now);
    stay->came_ps = stay->since_ps = now;
    read_clocks(&n->stays->clocks[slot], stay);
}

void
sim_stay_ended(struct sim_node *n, uint32_t index, weir_ps now)
{
    const struct sim_held *held = &n->pool[index];
    uint32_t slot = slot_of(n, index), in_slot = held->in_port * n->n_classes + held->packet.cls;

    sim_stays_gate_changed(n, slot, now);
    n->stays->bytes_for[(size_t)in_slot * n->n_ports + held->out_port] -= held->packet.bytes;
    if (sim_is_data(held->packet.kind)) {
        count_wait(n, held->packet.flow, slot, stay_of(n, index), 0, now);
    }
}

/* Packets that are next at NICs. */

static struct sim_stay *
stay_of_flow(const struct sim *sim, uint32_t flow)
{
    return &sim->sender_stays[sim_sender_slot(sim, flow)];
}

void
sim_stay_of_flow_begun(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    struct sim_clocks *c = &n->stays->clocks[t->sim->plant.flows[flow].cls];
    struct sim_stay *stay = stay_of_flow(t->sim, flow);

    run_clocks_to(c, now);
    if (!stay->is_to_read) { /* Else its last packet is on the wire, or the next is not due. */
        stay->came_ps = stay->since_ps = now;
        read_clocks(c, stay);
    }
}

/* How long its own gate has held a flow back, of the time since the packet before. */
static weir_ps
held_by_itself_ps(const struct sim *sim, uint32_t flow, weir_ps now)
{
    const struct sim_sender *f = sim_sender(sim, flow);
    const struct sim_stay *stay = stay_of_flow(sim, flow);

    if (!f->has_gate) {
        return 0;
    }
    weir_ps ready_ps = weir_gate_ready(f->gate, 0, sim->plant.mtu_bytes);
    weir_ps open_ps = ready_ps > stay->opened_ps ? ready_ps : stay->opened_ps;
    return within(open_ps, stay->since_ps, now) - stay->since_ps;
}

/* When a flow has its next packet: as soon as this one is out, or when its application, which has a
 * rate of its own, gives it. */
static weir_ps
next_due_ps(const struct sim *sim, const struct sim_node *n, const struct sim_packet *packet,
            weir_ps now)
{
    const struct weir_gate *g = sim_sender(sim, packet->flow)->gate;
    uint64_t rate_bps = sim->plant.flows[packet->flow].terms->rate_bps;
    weir_ps out_ps = now + sim_port_wire_ps(n, 0, packet->bytes);

    if (rate_bps == WEIR_UNLIMITED) {
        return out_ps;
    }
    weir_ps given_ps = weir_after(g->next_ps, weir_wire_ps(packet->bytes + g->gap_bytes, rate_bps));
    return given_ps > out_ps ? given_ps : out_ps;
}

void
sim_stay_of_flow_ended(struct sim_thread *t, struct sim_node *n, const struct sim_packet *packet,
                       weir_ps now)
{
    struct sim_clocks *c = &n->stays->clocks[packet->cls];
    struct sim_stay *stay = stay_of_flow(t->sim, packet->flow);

    sim_stays_gate_changed(n, packet->cls, now);
    count_wait(n, packet->flow, packet->cls, stay, held_by_itself_ps(t->sim, packet->flow, now),
               now);
    stay->came_ps = stay->since_ps = next_due_ps(t->sim, n, packet, now);
    let_read(c, stay);
}

void
sim_stay_of_flow_opened(struct sim_thread *t, uint32_t flow, weir_ps now)
{
    stay_of_flow(t->sim, flow)->opened_ps = now;
}

/* The end. */

static void
count_held(struct sim_node *n, uint32_t index, weir_ps now)
{
    const struct sim_packet *packet = &n->pool[index].packet;

    if (packet->bytes && sim_is_data(packet->kind) &&
        stay_of(n, index)->state != SIM_STAY_WITHOUT_WAY) {
        run_clocks_to(&n->stays->clocks[slot_of(n, index)], now);
        count_wait(n, packet->flow, slot_of(n, index), stay_of(n, index), 0, now);
    }
}

static void
count_sender(const struct sim *sim, uint32_t flow, weir_ps now)
{
    const struct plant_flow *f = &sim->plant.flows[flow];
    struct sim_node *n = sim_node_at(sim, f->from);
    const struct sim_stay *stay = stay_of_flow(sim, flow);

    if (sim_sender(sim, flow)->in_ring) {
        run_clocks_to(&n->stays->clocks[f->cls], now);
        if (stay->since_ps <= now) {
            count_wait(n, flow, f->cls, stay, held_by_itself_ps(sim, flow, now), now);
        }
    }
}

void
sim_end_stays(struct sim *sim)
{
    for (uint32_t slot = 0; sim->config.why && slot < sim->n_senders; slot++) {
        count_sender(sim, sim_flow_of_sender(sim, slot), sim->now_ps);
    }
    for (uint32_t id = 0; sim->config.why && id < sim->n_nodes; id++) {
        bool is_switch = sim->plant.topo->nodes[id].kind == TOPO_SWITCH;
        if (is_switch && sim_is_here(sim, id)) {
            struct sim_node *n = sim_node_at(sim, id);
            for (uint32_t i = 0; i < n->n_pool; i++) {
                count_held(n, i, sim->now_ps);
            }
        }
    }
}

struct sim_flow_wait
sim_wait_of(const struct sim *sim, const struct sim_node *n, size_t row)
{
    struct sim_flow_wait wait = n->stays->rows[row];

    wait.port += sim->plant.topo->nodes[n->id].first_port;
    return wait;
}

/* Of one flow in the order in which it came there, which its sender's port is the first of. */
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
    sim->n_waits = 0;
    for (uint32_t id = 0; sim->config.why && id < sim->n_nodes; id++) {
        const struct sim_node *node = sim_is_here(sim, id) ? sim_node_at(sim, id) : NULL;
        for (size_t i = 0; node && i < node->stays->n_rows; i++) {
            ARRAY_PUSH(sim->waits, sim->n_waits, sim->max_waits) = sim_wait_of(sim, node, i);
        }
    }
    for (size_t i = 0; sim->view && i < sim->view->n_waits; i++) {
        ARRAY_PUSH(sim->waits, sim->n_waits, sim->max_waits) = sim->view->waits[i];
    }
    array_sort(sim->waits, sim->n_waits, sizeof *sim->waits, by_flow);
    *n = sim->n_waits;
    return sim->waits;
}
