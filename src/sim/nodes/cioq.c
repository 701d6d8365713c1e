/* The switch with queues at its inputs and at its outputs, and a crossbar between them.
 *
 *     packet -> way out -> virtual output queue -> matched -> through the crossbar -> output ->
 * wire arrived                 forwarded               queued     departed
 *
 * At its input a packet waits in the queue for its output and class, so that no packet waits for
 * one that goes elsewhere.  It leaves its input, and takes its place in the buffer of its output,
 * when it starts through the crossbar; that happens only if all of it fits there.  So nothing is
 * dropped inside: an output that is full fills the queues for it, and these their input.
 *
 * In slots, all transfers start together and last as long as a whole packet of MTU size takes, so
 * one packet per slot leaves each matched input, and enters each matched output.  The clock of
 * slots stands while nothing moves: the next packet that can go starts a slot at once.  Held, there
 * are no slots: a transfer takes the time of its own bytes, and the next one starts when both ends
 * are free. */

#include <stdlib.h>

#include "base/array.h"
#include "host.h"
#include "sim/nodes/crossbar.h"
#include "sim/nodes/outputs.h"

enum cioq_transfer { CIOQ_SLOTS, CIOQ_HELD };

struct cioq_params {
    uint64_t egress_bytes, speedup, matching, iterations, transfer;
    uint64_t inner_bytes, inner_egress_bytes;
};

static const char *const matching_names[] = { "islip", "longest", 0 };
static const char *const transfer_names[] = { "slots", "held", 0 };

static const struct weir_field cioq_fields[] = {
    WEIR_FIELD(struct cioq_params, egress_bytes, "egress", WEIR_BYTES, .fallback = 150000,
               .max = WEIR_MAX_BYTES,
               .help = "Most bytes that the output buffer of a port and class holds; 0: no limit.",
               .source = "QCN-OS, IV"),
    WEIR_FIELD(struct cioq_params, speedup, "speedup", WEIR_RATIO, .fallback = 2 * WEIR_RATIO_1,
               .min = WEIR_RATIO_1, .max = 16 * WEIR_RATIO_1,
               .help = "How many times faster than the fastest port the crossbar takes packets "
                       "from an input, and brings them to an output.",
               .source = "-"),
    WEIR_FIELD(struct cioq_params, matching, "matching", WEIR_CHOICE, .choices = matching_names,
               .help = "How inputs and outputs of the crossbar are matched: in turn, by pointers "
                       "that move apart, or the longest queue first, which can starve an input.",
               .source = "McKeown 1999"),
    WEIR_FIELD(struct cioq_params, iterations, "iterations", WEIR_COUNT, .fallback = 2, .min = 1,
               .max = 8, .help = "Rounds in which a matching adds to itself, before each slot.",
               .source = "McKeown 1999"),
    WEIR_FIELD(struct cioq_params, transfer, "transfer", WEIR_CHOICE, .choices = transfer_names,
               .help = "Whether all packets cross in slots of an MTU, or each by itself: then an "
                       "output waits for the input whose turn it is, as long as that has a packet "
                       "for it.",
               .source = "-"),
    WEIR_FIELD(struct cioq_params, inner_bytes, "inner_buffer", WEIR_BYTES, .max = WEIR_MAX_BYTES,
               .help = "Input buffer of a class of a port inside a fabric; 0: the same as buffer.",
               .source = "QCN-OS, V"),
    WEIR_FIELD(struct cioq_params, inner_egress_bytes, "inner_egress", WEIR_BYTES,
               .fallback = 32000, .max = WEIR_MAX_BYTES,
               .help = "Most bytes that the output buffer of a class of a port inside a fabric "
                       "holds; 0: no limit.",
               .source = "QCN-OS, V"),
    { 0 },
};

struct voq { /* Packets that wait at an input, in a class, for an output. */
    struct sim_queue packets;
    uint32_t bytes;
};

struct cioq { /* At n->own. */
    struct crossbar crossbar;
    struct sim_queue moving; /* Packets in the crossbar, by the time at which they are through. */
    bool is_held;
    bool is_at_work; /* It is being looked at what can go on; */
    bool is_asked;   /* and meanwhile something has changed. */
    weir_ps slot_ps;
    uint64_t rate_bps; /* Of a transfer. */
    struct voq *voqs;  /* [input slot][output]. */
};

enum { MAX_VOQ_BYTES = 1 << 28 }; /* More are a mistake: 1500 ports of 8 classes. */

/* What a packet is doing: at an input it has no time yet at which it goes on, at its output no
 * more. */
#define AT_INPUT  WEIR_NEVER
#define AT_OUTPUT 0

static uint64_t
voqs_bytes(uint64_t n_ports, uint64_t n_classes)
{
    return n_ports * n_ports * n_classes * sizeof(struct voq);
}

static bool
is_too_small(uint64_t bytes, uint64_t least_bytes)
{
    return bytes && bytes < least_bytes;
}

static bool
cioq_check(const void *params, const struct sim_making *making, struct weir_text *why)
{
    const struct cioq_params *p = params;

    if (making->arbitration->free_input) {
        weir_text_add(why,
                      "%P is %s, under which an input offers one packet at a time to the outputs; "
                      "here inputs have a queue for each output: choose another",
                      "arbitration", making->arbitration->about.name);
    } else if (is_too_small(p->egress_bytes, making->mtu_bytes)) {
        weir_text_add(why,
                      "%P is %B, but a packet has up to %B and would never fit; write at least "
                      "that, or 0 for no limit",
                      "egress", p->egress_bytes, (uint64_t)making->mtu_bytes);
    } else if (is_too_small(p->inner_egress_bytes, making->mtu_bytes)) {
        weir_text_add(why,
                      "%P is %B, but a packet has up to %B and would never fit; write at least "
                      "that, or 0 for no limit",
                      "inner_egress", p->inner_egress_bytes, (uint64_t)making->mtu_bytes);
    } else if (is_too_small(p->inner_bytes, making->mtu_bytes)) {
        weir_text_add(why,
                      "%P is %B, but a packet has up to %B and would never fit; write at least "
                      "that, or 0 to give inner ports what the others have",
                      "inner_buffer", p->inner_bytes, (uint64_t)making->mtu_bytes);
    } else if (voqs_bytes(making->n_ports, making->n_classes) > MAX_VOQ_BYTES) {
        weir_text_add(why,
                      "%P is cioq, which has a queue for each input, output and class: with %u "
                      "ports and %u classes these are %u, and take %B of memory for each switch; "
                      "at most %B are allowed: use fewer ports or classes, or another kind",
                      "kind", (uint64_t)making->n_ports, (uint64_t)making->n_classes,
                      (uint64_t)making->n_ports * making->n_ports * making->n_classes,
                      voqs_bytes(making->n_ports, making->n_classes), (uint64_t)MAX_VOQ_BYTES);
    }
    return !why->len;
}

/* Where outputs have no limit, nothing waits for them. */
static enum sim_input_wait
cioq_input_wait(const void *params)
{
    const struct cioq_params *p = params;

    return p->egress_bytes ? SIM_WAITS_FOR_WAY : SIM_WAITS_FOR_NOTHING;
}

static uint64_t
crossbar_bps(const struct cioq_params *p, const struct weir_shape *shape)
{
    uint64_t fastest = 0;

    for (uint16_t port = 0; port < shape->n_ports; port++) {
        uint64_t bps = shape->ports[port].rate_bps;
        fastest = bps > fastest ? bps : fastest;
    }
    return weir_mul_div(fastest, p->speedup, WEIR_RATIO_1);
}

/* The least that an output of the switch may hold; 0: none has a limit. */
static uint64_t
least_egress(const struct cioq_params *p, const struct weir_shape *shape)
{
    uint64_t least = 0;

    for (uint16_t port = 0; port < shape->n_ports; port++) {
        uint64_t here = shape->ports[port].is_inner ? p->inner_egress_bytes : p->egress_bytes;
        least = here && (!least || here < least) ? here : least;
    }
    return least;
}

/* Inside a fabric buffers are small, and nothing is shared. */
static void
cioq_port_buffer(const void *params, const struct weir_port *port, struct weir_buffer_class *input,
                 uint64_t *output_bytes)
{
    const struct cioq_params *p = params;

    *output_bytes = port->is_inner ? p->inner_egress_bytes : p->egress_bytes;
    if (port->is_inner && p->inner_bytes) {
        *input = (struct weir_buffer_class){ .reserve_bytes = p->inner_bytes };
    }
}

/* Held, a short packet is through sooner than any time that holds for all. */
static void
cioq_shape(const void *params, struct weir_shape *shape)
{
    const struct cioq_params *p = params;

    shape->services |= WEIR_SERVICE_STAGES | SIM_SWITCH_SERVICES;
    shape->pipeline_ps =
        p->transfer == CIOQ_SLOTS ? weir_wire_ps(shape->mtu_bytes, crossbar_bps(p, shape)) : 0;
    shape->pipeline_stops = true;
    for (uint8_t cls = 0; cls < shape->n_classes; cls++) {
        shape->buffer.output_bytes[cls] = least_egress(p, shape);
    }
}

static void
cioq_init(struct sim_thread *t, struct sim_node *n, const void *params)
{
    const struct cioq_params *p = params;
    struct cioq *own = array_new(1, sizeof *own);
    size_t n_voqs = (size_t)n->n_ports * n->n_ports * n->n_classes;

    (void)t;
    *own = (struct cioq){ .moving = { SIM_NONE, SIM_NONE },
                          .is_held = p->transfer == CIOQ_HELD,
                          .rate_bps = crossbar_bps(p, &n->shape),
                          .voqs = array_new(n_voqs, sizeof *own->voqs) };
    own->slot_ps = weir_wire_ps(n->shape.mtu_bytes, own->rate_bps);
    crossbar_init(&own->crossbar, n->n_ports, n->n_classes);
    own->crossbar.rule = (enum crossbar_rule)p->matching;
    own->crossbar.is_held = own->is_held;
    own->crossbar.iterations = own->is_held ? 1 : (uint32_t)p->iterations;
    for (size_t i = 0; i < n_voqs; i++) {
        own->voqs[i].packets = (struct sim_queue){ SIM_NONE, SIM_NONE };
    }
    n->own = own;
}

static void
cioq_release(struct sim_node *n)
{
    struct cioq *c = n->own;

    crossbar_release(&c->crossbar);
    free(c->voqs);
    free(c);
}

/* Inputs. */

static inline struct voq *
voq_of(const struct sim_node *n, const struct crossbar_pair *p)
{
    const struct cioq *c = n->own;

    return &c->voqs[(size_t)(p->in * n->n_classes + p->cls) * n->n_ports + p->out];
}

static inline struct crossbar_pair
ends_of(const struct sim_held *held)
{
    return (struct crossbar_pair){ held->in_port, held->out_port, held->packet.cls };
}

static inline void
wait_in_voq(struct sim_node *n, struct cioq *c, uint32_t index)
{
    struct crossbar_pair ends = ends_of(&n->pool[index]);
    struct voq *voq = voq_of(n, &ends);

    if (voq->packets.head == SIM_NONE) {
        crossbar_want(&c->crossbar, &ends);
    }
    sim_append(n, &voq->packets, index);
    voq->bytes += n->pool[index].packet.bytes;
    n->pool[index].due_ps = AT_INPUT;
}

static inline uint32_t
take_from_voq(struct sim_node *n, struct cioq *c, const struct crossbar_pair *ends)
{
    struct voq *voq = voq_of(n, ends);
    uint32_t index = sim_take(n, &voq->packets);

    voq->bytes -= n->pool[index].packet.bytes;
    if (voq->packets.head == SIM_NONE) {
        crossbar_unwant(&c->crossbar, ends);
    }
    return index;
}

/* The crossbar. */

static bool
first_fits(const void *arg, const struct crossbar_pair *p)
{
    const struct sim_node *n = arg;

    return weir_buffer_fits_output(&n->buffer, p->out * n->n_classes + p->cls,
                                   n->pool[voq_of(n, p)->packets.head].packet.bytes);
}

static uint64_t
waiting_bytes(const void *arg, const struct crossbar_pair *p)
{
    return voq_of(arg, p)->bytes;
}

/* Mostly it is through after all others. */
static inline void
add_moving(struct sim_node *n, struct cioq *c, uint32_t index)
{
    weir_ps due = n->pool[index].due_ps;
    uint32_t before = SIM_NONE, next = c->moving.head;

    if (next == SIM_NONE || n->pool[c->moving.tail].due_ps <= due) {
        sim_append(n, &c->moving, index);
        return;
    }
    while (n->pool[next].due_ps <= due) {
        before = next;
        next = n->pool[next].next;
    }
    n->pool[index].next = next;
    if (before == SIM_NONE) {
        c->moving.head = index;
    } else {
        n->pool[before].next = index;
    }
}

/* A packet leaves its input, and its place at its output is taken. */
static inline void
start_moving(struct sim_thread *t, struct sim_node *n, struct cioq *c,
             const struct crossbar_pair *ends, weir_ps now)
{
    uint32_t index = take_from_voq(n, c, ends);
    struct sim_held *held = &n->pool[index];
    struct weir_pkt pkt = output_pkt(held);

    held->due_ps = now + (c->is_held ? weir_wire_ps(pkt.bytes, c->rate_bps) : c->slot_ps);
    add_moving(n, c, index);
    weir_buffer_forward(&n->buffer, ends->in * n->n_classes + ends->cls, pkt.bytes);
    weir_buffer_admit_output(&n->buffer, ends->out * n->n_classes + ends->cls, pkt.bytes);
    weir_node_forwarded(&n->weir, now, &pkt);
    held->packet.ecn = pkt.ecn & 3u;
    sim_node_obey(t, n, now);
}

/* The first packet is through, and stands at its output. */
static inline void
stop_moving(struct sim_thread *t, struct sim_node *n, struct cioq *c, weir_ps now)
{
    uint32_t index = sim_take(n, &c->moving);
    struct sim_held *held = &n->pool[index];
    struct crossbar_pair ends = ends_of(held);

    crossbar_free(&c->crossbar, &ends);
    held->due_ps = AT_OUTPUT;
    output_count_hop(&held->packet);
    if (n->tells_queued) {
        struct weir_pkt pkt = output_pkt(held);
        output_tell(t, n, ends.out * n->n_classes + ends.cls, &pkt, now);
        held->packet.ecn = pkt.ecn & 3u;
    }
    output_add(t, n, index, now);
}

static void
cioq_match(struct sim_thread *t, struct sim_node *n, struct cioq *c, weir_ps now)
{
    const struct crossbar_ask ask = { first_fits, waiting_bytes, n };
    uint32_t n_pairs = crossbar_match(&c->crossbar, &ask);

    for (uint32_t i = 0; i < n_pairs; i++) {
        start_moving(t, n, c, &c->crossbar.pairs[i], now);
    }
}

/* Whether transfers may start: in slots all at once, so between two slots, or at the very start of
 * one. */
static inline bool
may_start(const struct sim_node *n, const struct cioq *c, weir_ps now)
{
    return c->is_held || c->moving.head == SIM_NONE ||
           n->pool[c->moving.head].due_ps == now + c->slot_ps;
}

/* Does what can be done now.  What engines answer to it may have packets leave, and that may ask
 * for the same again: then it is done once more, and not within itself. */
static void
cioq_move(struct sim_thread *t, struct sim_node *n, struct cioq *c, weir_ps now)
{
    c->is_asked = true;
    if (c->is_at_work) {
        return;
    }
    c->is_at_work = true;
    while (c->is_asked) {
        c->is_asked = false;
        while (c->moving.head != SIM_NONE && n->pool[c->moving.head].due_ps <= now) {
            stop_moving(t, n, c, now);
        }
        if (may_start(n, c, now)) {
            cioq_match(t, n, c, now);
        }
    }
    c->is_at_work = false;
    if (c->moving.head != SIM_NONE) {
        sim_node_alarm(t, n, n->pool[c->moving.head].due_ps);
    }
}

/* Something can go on, unless it has to wait for the next slot. */
static inline void
cioq_go_on(struct sim_thread *t, struct sim_node *n, struct cioq *c, weir_ps now)
{
    if (may_start(n, c, now)) {
        cioq_move(t, n, c, now);
    }
}

static void
cioq_alarm(struct sim_thread *t, struct sim_node *n, weir_ps now)
{
    cioq_move(t, n, n->own, now);
}

/* Hot: once per packet-hop. */
static void
cioq_arrive(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    if (m->packet.n_hops >= n->hop_limit && n->drops_late) {
        sim_drop_expired(t, n, m);
        return;
    }
    uint32_t out_port = output_of(t, n, m), slot = m->port * n->n_classes + m->packet.cls;
    if (out_port == SIM_NONE) {
        sim_drop_unroutable(t, n, m);
        return;
    }
    enum weir_admission how = weir_buffer_admit_input(&n->buffer, slot, m->packet.bytes);
    if (how != WEIR_ADMITTED) {
        sim_drop_refused(t, n, m, how);
        return;
    }
    uint64_t in_bytes = n->buffer.slots[slot].in_bytes;
    n->peaks[slot] = in_bytes > n->peaks[slot] ? in_bytes : n->peaks[slot];
    struct weir_pkt pkt = { .bytes = m->packet.bytes,
                            .in_port = m->port,
                            .out_port = (uint16_t)out_port,
                            .cls = m->packet.cls,
                            .ecn = m->packet.ecn,
                            .flow = m->packet.flow };
    weir_node_arrived(&n->weir, m->at, &pkt);
    sim_node_obey(t, n, m->at);
    uint32_t index = sim_held_new(n);
    struct sim_held *held = &n->pool[index];
    held->packet = m->packet;
    held->packet.ecn = pkt.ecn & 3u;
    held->in_port = m->port;
    held->out_port = (uint16_t)out_port;
    wait_in_voq(n, n->own, index);
    cioq_go_on(t, n, n->own, m->at);
}

/* Outputs. */

static inline void
cioq_leave(struct sim_node *n, uint32_t slot, struct sim_held *held, weir_ps now)
{
    struct weir_pkt pkt = output_pkt(held);

    weir_buffer_release_output(&n->buffer, slot, held->packet.bytes);
    weir_node_departed(&n->weir, now, &pkt);
    held->packet.ecn = pkt.ecn & 3u;
}

static inline void
go_on_if_awaited(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    struct cioq *c = n->own;

    if (crossbar_unblock(&c->crossbar, port)) {
        cioq_go_on(t, n, c, now);
    }
}

static weir_ps
cioq_send(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t cls, weir_ps now)
{
    uint32_t slot = port * n->n_classes + cls, index = output_first(n, slot);
    weir_ps at = output_ready(n, slot, index, now);

    if (at > now) {
        return at;
    }
    output_pop(n, port, cls);
    weir_gate_sent(&n->weir.ctx.gates[slot], now, n->pool[index].packet.bytes);
    cioq_leave(n, slot, &n->pool[index], now);
    sim_port_send_held(t, n, port, index, now);
    sim_held_free(n, index);
    sim_node_obey(t, n, now);
    go_on_if_awaited(t, n, port, now);
    return now;
}

/* As if it had been sent in no time, but for the gate and the wire. */
static void
cioq_discard(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    uint32_t port = slot / n->n_classes, index = output_first(n, slot);
    struct sim_held held = n->pool[index];

    output_pop(n, port, slot % n->n_classes);
    cioq_leave(n, slot, &held, now);
    sim_held_free(n, index);
    sim_drop_discarded(t, n, port, &held.packet, now);
    sim_node_obey(t, n, now);
    go_on_if_awaited(t, n, port, now);
}

/* What stands at an input waits for its output if that has no room; else only for its turn. */
static bool
cioq_each_held_one(const struct sim_node *n, const struct sim_held *held, sim_visit_held *visit,
                   void *arg)
{
    const struct cioq *c = n->own;
    uint32_t cls = held->packet.cls, out_slot = held->out_port * n->n_classes + cls;
    bool is_at_input = held->due_ps == AT_INPUT;
    bool is_blocked = c->crossbar.blocked[held->out_port] >> cls & 1;

    return visit(arg, &(struct sim_waiting){
                          .packet = &held->packet,
                          .in_slot = is_at_input ? held->in_port * n->n_classes + cls : SIM_NONE,
                          .out_slot = is_at_input && !is_blocked ? SIM_NONE : out_slot });
}

static void
cioq_each_held(const struct sim_node *n, sim_visit_held *visit, void *arg)
{
    bool goes_on = true;

    for (uint32_t i = 0; i < n->n_pool && goes_on; i++) {
        if (n->pool[i].packet.bytes) {
            goes_on = cioq_each_held_one(n, &n->pool[i], visit, arg);
        }
    }
}

/* What its queues say of an input: bytes, and which outputs it wants. */
static bool
input_holds(const struct sim_node *n, uint32_t in_slot)
{
    const struct cioq *c = n->own;
    uint64_t bytes = 0;

    for (uint32_t out = 0; out < n->n_ports; out++) {
        uint32_t in = in_slot / n->n_classes, slot = out * n->n_classes + in_slot % n->n_classes;
        const struct voq *voq = &c->voqs[(size_t)in_slot * n->n_ports + out];
        bool wants = c->crossbar.wants[slot * c->crossbar.n_words + in / 64] >> in % 64 & 1;
        if (wants != (voq->packets.head != SIM_NONE) || wants != (voq->bytes > 0)) {
            return false;
        }
        bytes += voq->bytes;
    }
    return bytes == n->buffer.slots[in_slot].in_bytes;
}

/* A class of a port is on offer if, and only if, packets are there that have come through. */
static bool
output_holds(const struct sim_node *n, uint32_t slot)
{
    const struct cioq *c = n->own;
    uint64_t on_the_way = 0;

    for (uint32_t i = c->moving.head; i != SIM_NONE; i = n->pool[i].next) {
        bool is_own = n->pool[i].out_port * n->n_classes + n->pool[i].packet.cls == slot;
        on_the_way += is_own ? n->pool[i].packet.bytes : 0;
    }
    bool is_offered = n->ports[slot / n->n_classes].active >> slot % n->n_classes & 1;
    return is_offered == (n->buffer.slots[slot].out_bytes > on_the_way);
}

/* And its alarm is set if anything moves; nothing waits that could. */
static bool
cioq_holds(const struct sim_node *n)
{
    const struct cioq *c = n->own;
    bool is_moving = c->moving.head != SIM_NONE, is_ready = false;
    bool holds = crossbar_holds(&c->crossbar) && !c->is_at_work;

    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes && holds; slot++) {
        holds = input_holds(n, slot) && output_holds(n, slot);
    }
    for (uint32_t word = 0; word < c->crossbar.n_words; word++) {
        is_ready |= c->crossbar.ready[word];
    }
    return holds && (!is_moving || n->alarm_ps != WEIR_NEVER) && (is_moving || !is_ready);
}

const struct sim_kind sim_cioq = {
    .about = { .name = "cioq",
               .title = "Queues at each input, one per output, a crossbar, and queues at each "
                        "output",
               .source = "QCN-OS",
               .params = cioq_fields,
               .params_bytes = sizeof(struct cioq_params) },
    .is_watched = true,
    .check = cioq_check,
    .input_wait = cioq_input_wait,
    .port_buffer = cioq_port_buffer,
    .shape = cioq_shape,
    .init = cioq_init,
    .release = cioq_release,
    .prepare = output_prepare,
    .fetch_ports = output_fetch_ports,
    .fetch_heads = output_fetch_heads,
    .arrive = cioq_arrive,
    .arrive_unclassed = sim_drop_unclassed,
    .send = cioq_send,
    .alarm = cioq_alarm,
    .discard = cioq_discard,
    .each_held = cioq_each_held,
    .holds = cioq_holds,
};
