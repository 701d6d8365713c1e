/* The switch with a pipeline between its inputs and its outputs, like merchant silicon.
 *
 *     packet -> input -> one packet every 1/pps -> delay -> routing -> output -> wire
 *              arrived        forwarded                        queued     departed
 *
 * Each input port is one queue for all its classes, and the inputs with packets are served round
 * robin.  A packet is counted at its input until it enters the pipeline, then in the pipeline, and
 * at its output until it starts onto the wire.  Its output is chosen at the end of the pipeline.
 * If the packet does not fit there, it is dropped, or the whole pipeline stops until it fits.
 *
 * The pipeline has its own clock, which stops when the pipeline stops, so packets in it keep their
 * distances.  The time between two packets that enter is a whole number of picoseconds, rounded up,
 * so the rate never exceeds 'pps'. */

#include <stdlib.h>

#include "base/array.h"
#include "sim/host/host.h"
#include "sim/nodes/outputs.h"

enum pipeline_full { PIPELINE_DROPS, PIPELINE_STOPS };
enum pipeline_egress { PIPELINE_OF_CLASS, PIPELINE_OF_PORT };

enum pipeline_memory { PIPELINE_SPLIT, PIPELINE_SHARED };

struct pipeline_params {
    uint64_t pps, delay_ps, full, egress_bytes, egress_of, memory, port_limit_bytes;
    uint64_t outputs_limit_bytes;
};

static const char *const full_names[] = { "drop", "stop", 0 };
static const char *const egress_names[] = { "class", "port", 0 };
static const char *const memory_names[] = { "split", "shared", 0 };

static const struct weir_field pipeline_fields[] = {
    WEIR_FIELD(struct pipeline_params, pps, "pps", WEIR_COUNT, .fallback = 1000000, .min = 1,
               .max = 10000000000,
               .help = "Packets per second that the pipeline takes from all input ports together.",
               .source = "CaPFC, Table II"),
    WEIR_FIELD(struct pipeline_params, delay_ps, "delay", WEIR_TIME, .fallback = 25000000,
               .max = WEIR_PS_PER_S,
               .help = "Time that a packet takes through the pipeline, from its input queue to "
                       "its output queue.",
               .source = "CaPFC, Table II"),
    WEIR_FIELD(struct pipeline_params, full, "full", WEIR_CHOICE, .choices = full_names,
               .help = "Fate of a packet that does not fit its output queue: it is "
                       "dropped, or the whole pipeline stops until it fits.",
               .source = "CaPFC, II.A and IV.C"),
    WEIR_FIELD(struct pipeline_params, egress_bytes, "egress", WEIR_BYTES, .fallback = 60000,
               .max = WEIR_MAX_BYTES, .help = "Maximum bytes of an output queue; 0: no limit.",
               .source = "CaPFC, II.D; 60KB: Table II"),
    WEIR_FIELD(struct pipeline_params, egress_of, "egress_of", WEIR_CHOICE, .choices = egress_names,
               .help = "Whether egress limits each traffic class of an output port, or all classes "
                       "of the port together.",
               .source = "-"),
    WEIR_FIELD(struct pipeline_params, memory, "memory", WEIR_CHOICE, .choices = memory_names,
               .help = "Whether inputs and outputs have memories of their own, or one that "
                       "stores each packet once (buffer, shared and limit then apply to it, "
                       "and egress does not).",
               .source = "CaPFC, II.F"),
    WEIR_FIELD(struct pipeline_params, port_limit_bytes, "port_limit", WEIR_BYTES,
               .max = WEIR_MAX_BYTES,
               .help = "With shared memory: maximum that all input queues of a port, and all its "
                       "output queues, may take of the pool; 0: no limit.",
               .source = "CaPFC, II.F"),
    WEIR_FIELD(struct pipeline_params, outputs_limit_bytes, "outputs_limit", WEIR_BYTES,
               .max = WEIR_MAX_BYTES,
               .help = "With shared memory: maximum that the output queues of all ports may take "
                       "of the pool; 0: no limit.",
               .source = "CaPFC, II.F"),
    { 0 },
};

enum { NO_PORT = (uint16_t)SIM_NONE, BITS = 64 };

struct pipeline { /* The state of the kind, at n->own. */
    weir_ps period_ps, delay_ps;
    weir_ps stood_ps;         /* The total time of its stops so far; its clock is behind the node's
                               * clock by that time. */
    weir_ps since_ps;         /* The start of the current stop. */
    weir_ps next_ps;          /* No packet enters before this time of its clock. */
    struct sim_queue inside;  /* Packets inside, in order; 'due_ps' is a time of its clock. */
    uint32_t stands_for;      /* The output slot that has no room; SIM_NONE: the pipeline moves. */
    uint32_t last;            /* The input that was served last. */
    uint32_t n_waiting;       /* The number of packets at inputs. */
    void *stored;             /* Memory lent to the buffer, if it stores packets once. */
    uint64_t *waiting;        /* Bit i: input i has packets. */
    struct sim_queue *inputs; /* [port]. */
};

/* With one memory for inputs and outputs: true if its parts together can hold a packet. */
static bool
packets_fit(const struct pipeline_params *p, const struct sim_making *making, struct weir_text *why)
{
    uint64_t own = making->buffer->reserve_bytes, mtu = making->mtu_bytes;
    const struct {
        const char *name;
        uint64_t bytes;
    } parts[] = { { "limit", making->buffer->limit_bytes },
                  { "shared", making->shared_bytes },
                  { "port_limit", p->port_limit_bytes ? p->port_limit_bytes : mtu },
                  { "outputs_limit", p->outputs_limit_bytes ? p->outputs_limit_bytes : mtu } };

    for (size_t i = 0; i < sizeof parts / sizeof *parts && !why->len; i++) {
        if (own + parts[i].bytes < mtu) {
            weir_text_add(why,
                          "%P is %B and the dedicated buffer %B, but a packet has up to %B and "
                          "would never fit: enlarge one of them",
                          parts[i].name, parts[i].bytes, own, mtu);
        }
    }
    return !why->len;
}

/* Checks the parameters of a switch with one memory, and whether its parts can hold a packet. */
static bool
parts_are_shared(const struct pipeline_params *p, const struct sim_making *making,
                 struct weir_text *why)
{
    const struct weir_buffer_class *b = making->buffer;
    const char *odd = b->alpha             ? "alpha"
                      : b->headroom_bytes  ? "headroom"
                      : b->partition_bytes ? "partition"
                                           : NULL;

    if (odd) {
        weir_text_add(why,
                      "%P is set, but with memory: shared a queue has a dedicated part (buffer) "
                      "and a limit of the pool (limit): leave it out",
                      odd);
        return false;
    }
    return packets_fit(p, making, why);
}

static bool
pipeline_check(const void *params, const struct sim_making *making, struct weir_text *why)
{
    const struct pipeline_params *p = params;

    if (making->arbitration->free_input) {
        weir_text_add(why,
                      "%P is %s, under which an input offers one packet at a time to the outputs; "
                      "in a pipeline packets have left their inputs by then: choose another",
                      "arbitration", making->arbitration->about.name);
    } else if (p->memory == PIPELINE_SHARED && !parts_are_shared(p, making, why)) {
        return false;
    } else if (p->memory == PIPELINE_SPLIT && p->egress_bytes &&
               p->egress_bytes < making->mtu_bytes) {
        weir_text_add(why,
                      "%P is %B, but a packet has up to %B and would never fit; write at least "
                      "that, or 0 for no limit",
                      "egress", p->egress_bytes, (uint64_t)making->mtu_bytes);
    } else if (making->until_ps && (weir_ps)p->delay_ps > making->until_ps) {
        weir_text_add(why,
                      "%P is %T, but the run ends after %T: no packet would come out of the "
                      "pipeline",
                      "delay", (weir_ps)p->delay_ps, making->until_ps);
    }
    return !why->len;
}

/* The reason why inputs wait. If outputs have no limit, no packet waits for them. */
static enum sim_input_wait
pipeline_input_wait(const void *params, bool is_inner)
{
    const struct pipeline_params *p = params;
    bool has_limit = p->egress_bytes || p->memory == PIPELINE_SHARED;

    (void)is_inner;
    return p->full == PIPELINE_STOPS && has_limit ? SIM_WAITS_FOR_ALL : SIM_WAITS_FOR_NOTHING;
}

/* With one memory, an output can hold as many bytes of a class as an input.  If ports differ, the
 * minimum over ports, because engines rely on it at each port. */
static uint64_t
least_at_output(const struct weir_shape *shape, uint8_t cls)
{
    uint64_t least = UINT64_MAX;

    for (uint16_t port = 0; port < shape->n_ports; port++) {
        const struct weir_buffer_class *c =
            weir_plan_class(&shape->buffer, shape->n_classes, port, cls);
        uint64_t here = c->reserve_bytes + c->limit_bytes;
        least = here < least ? here : least;
    }
    return least;
}

static void
pipeline_shape(const void *params, struct weir_shape *shape)
{
    const struct pipeline_params *p = params;

    shape->services |= SIM_SWITCH_SERVICES | WEIR_SERVICE_STAGES;
    shape->pipeline_ps = (weir_ps)p->delay_ps;
    shape->pipeline_pps = p->pps;
    shape->routes_late = true;
    shape->pipeline_stops = p->full == PIPELINE_STOPS;
    shape->buffer.is_one_memory = p->memory == PIPELINE_SHARED;
    shape->buffer.port_limit_bytes = p->memory == PIPELINE_SHARED ? p->port_limit_bytes : 0;
    shape->buffer.outputs_limit_bytes = p->memory == PIPELINE_SHARED ? p->outputs_limit_bytes : 0;
    if (p->memory == PIPELINE_SHARED) {
        for (uint8_t cls = 0; cls < shape->n_classes; cls++) {
            shape->buffer.output_bytes[cls] = least_at_output(shape, cls);
        }
        return;
    }
    for (uint8_t cls = 0; cls < shape->n_classes && p->egress_of == PIPELINE_OF_CLASS; cls++) {
        shape->buffer.output_bytes[cls] = p->egress_bytes;
    }
    if (p->egress_of == PIPELINE_OF_PORT) {
        shape->buffer.output_port_bytes = p->egress_bytes;
    }
}

static void
pipeline_init(struct sim_thread *t, struct sim_node *n, const void *params)
{
    const struct pipeline_params *p = params;
    struct pipeline *own = array_new(1, sizeof *own);

    (void)t;
    *own = (struct pipeline){
        .period_ps = weir_period_ps(p->pps),
        .delay_ps = (weir_ps)p->delay_ps,
        .inside = { SIM_NONE, SIM_NONE },
        .stands_for = SIM_NONE,

        .waiting = array_new(n->n_ports / BITS + 1, sizeof *own->waiting),
        .inputs = array_new(n->n_ports, sizeof *own->inputs),
    };
    for (uint32_t port = 0; port < n->n_ports; port++) {
        own->inputs[port] = (struct sim_queue){ SIM_NONE, SIM_NONE };
    }
    n->own = own;
    if (p->memory == PIPELINE_SHARED) {
        uint16_t n_ports = n->shape.n_ports;
        own->stored = array_new(1, weir_buffer_store_memory(n_ports, n->shape.n_classes));
        weir_buffer_store_once(&n->buffer, own->stored);
    }
}

static void
pipeline_release(struct sim_node *n)
{
    struct pipeline *p = n->own;

    free(p->stored);
    free(p->waiting);
    free(p->inputs);
    free(p);
}

static void
pipeline_prepare(const struct sim_thread *t, struct sim_node *n, struct sim_mail *mails,
                 uint32_t n_mails)
{
    (void)t;
    for (const struct sim_mail *m = mails; m < mails + n_mails; m++) {
        if (m->event == SIM_PACKET) {
            __builtin_prefetch(&n->buffer.slots[m->port * n->n_classes + m->packet.cls]);
        }
    }
}

/* These functions handle inputs. */

static inline void
wait_at_input(struct sim_node *n, struct pipeline *p, uint32_t port, uint32_t index)
{
    sim_append(n, &p->inputs[port], index);
    p->waiting[port / BITS] |= (uint64_t)1 << port % BITS;
    p->n_waiting++;
}

/* The next input: the first one with packets after the input served last.  At least one input must
 * have packets. */
static inline uint32_t
next_input(const struct sim_node *n, const struct pipeline *p)
{
    uint32_t n_words = n->n_ports / BITS + 1, from = p->last + 1, word = from / BITS;
    uint64_t bits = p->waiting[word] & ~(uint64_t)0 << from % BITS;

    while (!bits) {
        word = word + 1 < n_words ? word + 1 : 0;
        bits = p->waiting[word];
    }
    return word * BITS + (uint32_t)__builtin_ctzll(bits);
}

static inline uint32_t
take_from_inputs(struct sim_node *n, struct pipeline *p)
{
    uint32_t port = next_input(n, p), index = sim_take(n, &p->inputs[port]);

    if (p->inputs[port].head == SIM_NONE) {
        p->waiting[port / BITS] &= ~((uint64_t)1 << port % BITS);
    }
    p->n_waiting--;
    return index;
}

/* These functions move packets into the pipeline and out of it. */

static inline void
let_in(struct sim_thread *t, struct sim_node *n, struct pipeline *p, uint32_t index, weir_ps now)
{
    struct sim_held *held = &n->pool[index];
    struct weir_pkt pkt = output_pkt(held);

    p->last = pkt.in_port;
    p->next_ps = now - p->stood_ps + p->period_ps;
    held->due_ps = now - p->stood_ps + p->delay_ps;
    sim_append(n, &p->inside, index);
    weir_buffer_forward(&n->buffer, held->in_port * n->n_classes + pkt.cls, pkt.bytes);
    pkt.out_port = pkt.in_port;
    units_forward(n, index, &pkt);
    weir_node_forwarded(&n->weir, now, &pkt);
    output_mark(n, held, &pkt, pkt.in_port);
    sim_node_obey(t, n, now);
}

/* Removes a packet that is in no queue, to be dropped. */
static struct sim_held
pull_out(struct sim_node *n, uint32_t index)
{
    struct sim_held held = n->pool[index];

    weir_buffer_discard(&n->buffer, held.packet.bytes);
    output_forget(n, &held);
    sim_held_free(n, index);
    return held;
}

/* Drops the first packet, because its output has no room. Out of line, like strand(), because
 * packets are rarely dropped here. */
static __attribute__((noinline)) void
overflow(struct sim_thread *t, struct sim_node *n, struct pipeline *p, weir_ps now)
{
    struct sim_held held = pull_out(n, sim_take(n, &p->inside));
    struct weir_pkt pkt = output_pkt(&held);

    pkt.flow = held.packet.flow;
    pkt.unit = pkt.output_unit = WEIR_NO_UNIT;
    weir_node_refused(&n->weir, now, &pkt);
    sim_drop_overflowing(t, n, held.out_port, &held.packet, now);
    sim_node_obey(t, n, now);
}

static __attribute__((noinline)) void
strand(struct sim_thread *t, struct sim_node *n, uint32_t index, weir_ps now)
{
    struct sim_held held = pull_out(n, index);

    sim_drop_stranded(t, n, held.in_port, &held.packet, now);
}

static inline void
stand_at_output(struct sim_thread *t, struct sim_node *n, struct pipeline *p, weir_ps now)
{
    uint32_t index = sim_take(n, &p->inside);
    struct sim_held *held = &n->pool[index];
    struct weir_pkt pkt = output_pkt(held);

    output_count_hop(&held->packet);
    sim_sojourn_count(n, &pkt);
    sim_sojourn_pipe(n, index, p->delay_ps, now);
    output_note_peak(n, pkt.out_port * n->n_classes + pkt.cls);
    output_enter(t, n, index, now);
}

/* Called when the output of the first packet has no room.  A packet whose output is down and that
 * has no new route is dropped. */
static __attribute__((noinline)) void
hold_back(struct sim_thread *t, struct sim_node *n, struct pipeline *p, weir_ps now)
{
    const struct sim_held *held = &n->pool[p->inside.head];

    if (!n->ports[held->out_port].up && !sim_has_new_port(t, n, &held->packet)) {
        strand(t, n, sim_take(n, &p->inside), now);
    } else if (n->shape.pipeline_stops) {
        p->stands_for = held->out_port * n->n_classes + held->packet.cls;
        p->since_ps = now;
    } else {
        overflow(t, n, p, now);
    }
}

/* Handles the first packet when it has reached the end of the pipeline.  Its output is chosen once;
 * while the pipeline is stopped, the packet waits for that output. */
static inline void
let_out(struct sim_thread *t, struct sim_node *n, struct pipeline *p, weir_ps now)
{
    struct sim_held *held = &n->pool[p->inside.head];

    if (held->out_port == NO_PORT) {
        held->out_port = (uint16_t)sim_output_port(t, n, &held->packet);
    }
    if (held->out_port == NO_PORT) {
        strand(t, n, sim_take(n, &p->inside), now);
        return;
    }
    uint32_t slot = held->out_port * n->n_classes + held->packet.cls;
    if (weir_buffer_admit_output(&n->buffer, slot, held->packet.bytes)) {
        stand_at_output(t, n, p, now);
    } else {
        hold_back(t, n, p, now);
    }
}

/* Sets the alarm for the next event, if no packet arrives before. */
static inline void
expect_next(struct sim_thread *t, struct sim_node *n, struct pipeline *p)
{
    weir_ps at = p->n_waiting ? p->next_ps : WEIR_NEVER;

    if (p->inside.head != SIM_NONE && n->pool[p->inside.head].due_ps < at) {
        at = n->pool[p->inside.head].due_ps;
    }
    if (p->stands_for == SIM_NONE && at != WEIR_NEVER) {
        sim_node_alarm(t, n, at + p->stood_ps);
    }
}

/* Runs the events that are due by its clock.  At equal times, a packet leaves before another
 * enters. */
static void
move(struct sim_thread *t, struct sim_node *n, struct pipeline *p, weir_ps now)
{
    while (p->stands_for == SIM_NONE) {
        weir_ps clock = now - p->stood_ps;
        if (list_has_due(n, &p->inside, clock)) {
            let_out(t, n, p, now);
        } else if (p->n_waiting && p->next_ps <= clock) {
            let_in(t, n, p, take_from_inputs(n, p), now);
        } else {
            break;
        }
    }
    expect_next(t, n, p);
}

/* Called when bytes have left an output. */
static inline void
go_on_if_room(struct sim_thread *t, struct sim_node *n, weir_ps now)
{
    struct pipeline *p = n->own;

    if (p->stands_for != SIM_NONE &&
        weir_buffer_fits_output(&n->buffer, p->stands_for, n->pool[p->inside.head].packet.bytes)) {
        p->stood_ps += now - p->since_ps;
        p->stands_for = SIM_NONE;
        move(t, n, p, now);
    }
}

/* Called when a packet has arrived at its input.  Usually it can enter the pipeline at once and is
 * not queued. */
static inline void
enter(struct sim_thread *t, struct sim_node *n, struct pipeline *p, uint32_t index, weir_ps now)
{
    weir_ps clock = now - p->stood_ps;

    if (p->n_waiting || p->stands_for != SIM_NONE || p->next_ps > clock ||
        list_has_due(n, &p->inside, clock)) {
        wait_at_input(n, p, n->pool[index].in_port, index);
        move(t, n, p, now);
    } else {
        let_in(t, n, p, index, now);
        expect_next(t, n, p);
    }
}

/* Hot: once per packet-hop. */
static void
pipeline_arrive(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    if (m->packet.n_hops >= n->hop_limit && n->drops_late) {
        sim_drop_expired(t, n, m);
        return;
    }
    uint32_t index = input_take(t, n, m, SIM_NONE);
    if (index != SIM_NONE) {
        enter(t, n, n->own, index, m->at);
    }
}

static void
pipeline_alarm(struct sim_thread *t, struct sim_node *n, weir_ps now)
{
    move(t, n, n->own, now);
}

/* These functions handle outputs. */

static weir_ps
pipeline_send(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t cls, weir_ps now)
{
    weir_ps at = output_send(t, n, port, cls, now);

    if (at <= now) {
        go_on_if_room(t, n, now);
    }
    return at;
}

static void
pipeline_discard(struct sim_thread *t, struct sim_node *n, uint32_t slot, sim_drop *drop,
                 weir_ps now)
{
    output_discard(t, n, slot, drop, now);
    sim_node_obey(t, n, now);
    go_on_if_room(t, n, now);
}

/* These functions handle new routes. */

/* Lets a packet pass the pipeline once more, before packets at inputs, and at the rate of the
 * pipeline. */
static void
recirculate(struct sim_node *n, struct pipeline *p, uint32_t index, weir_ps now)
{
    struct sim_held *held = &n->pool[index];
    weir_ps clock = (p->stands_for == SIM_NONE ? now : p->since_ps) - p->stood_ps;
    weir_ps in_ps = p->next_ps > clock ? p->next_ps : clock;

    held->out_port = NO_PORT;
    held->due_ps = in_ps + p->delay_ps;
    p->next_ps = in_ps + p->period_ps;
    sim_append(n, &p->inside, index);
    sim_sojourn_begin(n, index, now);
}

/* Handles the first packet of a queue whose port is down.  Without a new route it would return to
 * that port for ever, so it is dropped. */
static void
return_first(struct sim_thread *t, struct sim_node *n, struct pipeline *p, uint32_t slot,
             weir_ps now)
{
    uint32_t index = output_return(n, slot, now);

    if (sim_has_new_port(t, n, &n->pool[index].packet)) {
        recirculate(n, p, index, now);
    } else {
        strand(t, n, index, now);
    }
    sim_node_obey(t, n, now);
}

/* Starts the pipeline again, so that its first packet gets a new output. */
static void
stand_no_more(struct sim_node *n, struct pipeline *p, weir_ps now)
{
    n->pool[p->inside.head].out_port = NO_PORT;
    p->stood_ps += now - p->since_ps;
    p->stands_for = SIM_NONE;
}

static void
pipeline_reforward(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    struct pipeline *p = n->own;

    if (p->stands_for != SIM_NONE && p->stands_for / n->n_classes == port) {
        stand_no_more(n, p, now);
    }
    for (uint32_t cls = 0; cls < n->n_classes; cls++) {
        while (output_has(n, port, cls)) {
            return_first(t, n, p, port * n->n_classes + cls, now);
        }
    }
    go_on_if_room(t, n, now);
    move(t, n, p, now);
}

/* Whether a queue blocks the pipeline: the queue that has no room for its first packet, or a queue
 * that shares the limit of that queue. */
static bool
pipeline_stands_for(const struct sim_node *n, uint32_t slot, weir_ps *since_ps)
{
    const struct pipeline *p = n->own;
    const struct weir_buffer_plan *plan = &n->buffer.plan;
    uint32_t n_shared = plan->outputs_limit_bytes                           ? n->buffer.n_slots
                        : plan->output_port_bytes || plan->port_limit_bytes ? n->n_classes
                                                                            : 1;

    *since_ps = p->since_ps;
    return p->stands_for != SIM_NONE && slot / n_shared == p->stands_for / n_shared &&
           n->buffer.slots[slot].out_bytes;
}

/* Visits all packets. Packets without an output wait for the queue that stops the pipeline. */
static void
pipeline_each_held(const struct sim_node *n, sim_visit_held *visit, void *arg)
{
    const struct pipeline *p = n->own;
    bool goes_on = true;

    for (uint32_t i = 0; i < n->n_pool && goes_on; i++) {
        const struct sim_held *held = &n->pool[i];
        uint32_t cls = held->packet.cls;
        if (held->packet.bytes) {
            bool is_out = held->out_port != NO_PORT;
            goes_on = visit(
                arg, &(struct sim_waiting){ .packet = &held->packet,
                                            .in_slot = held->in_port * n->n_classes + cls,
                                            .out_slot = is_out ? held->out_port * n->n_classes + cls
                                                               : p->stands_for });
        }
    }
}

/* Whether packets in the pipeline are in order, and the alarm is set if the pipeline moves and has
 * packets. */
static bool
pipeline_holds(const struct sim_node *n)
{
    const struct pipeline *p = n->own;
    uint64_t bytes = 0;
    weir_ps due = 0;

    for (uint32_t i = p->inside.head; i != SIM_NONE; i = n->pool[i].next) {
        if (n->pool[i].due_ps < due) {
            return false;
        }
        due = n->pool[i].due_ps;
        bytes += n->pool[i].packet.bytes;
    }
    bool has_any = p->n_waiting || p->inside.head != SIM_NONE;
    return bytes == n->buffer.passing_bytes && outputs_hold(n) &&
           (!has_any || p->stands_for != SIM_NONE || n->alarm_ps != WEIR_NEVER);
}

/* While the pipeline is stopped, its clock stays at 'since_ps'; otherwise it is behind the node's
 * clock by 'stood_ps'.  This function makes both clocks equal, so the lag never accumulates. */
static void
pipeline_rebase(struct sim_node *n, weir_ps by_ps)
{
    struct pipeline *p = n->own;
    weir_ps before_ps = p->since_ps;

    p->since_ps = weir_rebased(p->since_ps, by_ps);
    weir_ps back_ps = p->stands_for == SIM_NONE ? by_ps : before_ps - p->since_ps;
    p->next_ps = weir_rebased(p->next_ps + p->stood_ps, back_ps);
    for (uint32_t i = p->inside.head; i != SIM_NONE; i = n->pool[i].next) {
        n->pool[i].due_ps = weir_rebased(n->pool[i].due_ps + p->stood_ps, back_ps);
    }
    p->stood_ps = 0;
}

const struct sim_kind sim_pipeline = {
    .about = { .name = "pipeline",
               .title = "A pipeline between queues at each input and queues at each output",
               .source = "CaPFC",
               .params = pipeline_fields,
               .params_bytes = sizeof(struct pipeline_params) },
    .is_watched = true,
    .check = pipeline_check,
    .input_wait = pipeline_input_wait,
    .shape = pipeline_shape,
    .init = pipeline_init,
    .release = pipeline_release,
    .prepare = pipeline_prepare,
    .fetch_ports = output_fetch_ports,
    .fetch_heads = output_fetch_heads,
    .arrive = pipeline_arrive,
    .arrive_unclassed = sim_drop_unclassed,
    .send = pipeline_send,
    .alarm = pipeline_alarm,
    .discard = pipeline_discard,
    .reforward = pipeline_reforward,
    .stands_for = pipeline_stands_for,
    .rebase = pipeline_rebase,
    .each_held = pipeline_each_held,
    .holds = pipeline_holds,
};
