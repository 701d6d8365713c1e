#include "duet.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SENDER = DUET_SENDER, RECEIVER = DUET_RECEIVER, N_NODES = DUET_N_ENDS };
enum { MAX_FRAMES = 1 << 16, MAX_CLASSES = 2 };

/* Frames and packets in flight, in FIFO order. */

struct flying_packet {
    weir_ps at;
    uint32_t bytes;
};

struct flying_frame {
    weir_ps at;
    struct weir_frame frame;
};

struct frames {
    struct flying_frame items[MAX_FRAMES];
    uint32_t head, n;
    weir_ps wire_free_ps;
};

struct packets {
    struct flying_packet *items;
    uint32_t head, n, max;
};

struct end {
    struct weir_port port;
    struct weir_shape shape;
    struct weir_buffer buffer;
    struct weir_buffer_slot slots[MAX_CLASSES];
    uint8_t cls; /* The class at this node of packets that are sent in class 0. */
    struct weir_node node;
    void *memory;
    weir_ps timers[8];
    uint32_t n_timers;
    struct frames in; /* Frames in flight to this end. */
    bool is_down;
};

struct duet {
    const struct duet_config *c;
    struct duet_result r;
    struct end ends[N_NODES];
    struct weir_emit emits[64];
    struct weir_outbox out;
    uint64_t chance;
    weir_ps now;

    struct packets link;  /* Packets in flight from the sender to the receiver. */
    struct packets queue; /* Packets that wait at the receiver. */
    weir_ps wire_free_ps;
    weir_ps drain_ready_ps; /* The drain is busy with the last packet until this time. */
    uint32_t n_changed;     /* Number of changes of the link that have happened. */
};

static bool
drawn(struct duet *d, uint64_t ratio)
{
    return ratio && weir_random(&d->chance) % WEIR_RATIO_1 < ratio;
}

static void
push_packet(struct packets *p, weir_ps at, uint32_t bytes)
{
    if (p->n == p->max) {
        struct flying_packet *items = malloc((p->max * 2 + 64) * sizeof *items);
        for (uint32_t i = 0; i < p->n; i++) {
            items[i] = p->items[(p->head + i) % p->max];
        }
        free(p->items);
        p->items = items;
        p->max = p->max * 2 + 64;
        p->head = 0;
    }
    p->items[(p->head + p->n++) % p->max] = (struct flying_packet){ at, bytes };
}

static struct flying_packet
pop_packet(struct packets *p)
{
    struct flying_packet item = p->items[p->head];
    p->head = (p->head + 1) % p->max;
    p->n--;
    return item;
}

static weir_ps
first_packet(const struct packets *p)
{
    return p->n ? p->items[p->head].at : WEIR_NEVER;
}

/* A frame of the receiver waits behind a packet of the reverse traffic. A frame of the sender waits
 * behind the packet that the sender is sending. */
static void
send_frame(struct duet *d, int from, const struct weir_frame *frame)
{
    struct frames *in = &d->ends[1 - from].in;
    const struct weir_link *link = &d->c->link;
    uint64_t wait_bytes = weir_mul_div(link->mtu_bytes, d->c->frame_wait, WEIR_RATIO_1);
    weir_ps start = d->now;

    if (d->ends[from].is_down) {
        return;
    }
    d->r.n_frames++;
    if (drawn(d, d->c->frame_loss)) {
        return;
    }
    if (from == SENDER) {
        start = d->wire_free_ps > start ? d->wire_free_ps : start;
    } else {
        wait_bytes = d->c->random_wait ? duet_draw(&d->chance, 0, wait_bytes) : wait_bytes;
        start += weir_wire_ps(wait_bytes, link->rate_bps);
    }
    weir_ps taken = weir_wire_ps(WEIR_CONTROL_BYTES, link->rate_bps);
    start = in->wire_free_ps > start ? in->wire_free_ps : start;
    in->wire_free_ps = start + taken;
    if (from == SENDER) {
        d->wire_free_ps = in->wire_free_ps;
    }
    assert(in->n < MAX_FRAMES);
    in->items[(in->head + in->n++) % MAX_FRAMES] =
        (struct flying_frame){ in->wire_free_ps + link->cable_ps + link->response_ps, *frame };
}

static void
obey(struct duet *d, int who)
{
    struct end *e = &d->ends[who];

    for (uint32_t i = 0; i < d->out.n; i++) {
        const struct weir_emit *emit = &d->out.emits[i];
        if (emit->kind == WEIR_FRAME) {
            send_frame(d, who, &emit->frame);
        } else if (emit->kind == WEIR_TIMER) {
            e->timers[emit->key] = emit->at;
        }
    }
    d->out.n = 0;
}

/* Events. */

static weir_ps
may_start(const struct duet *d, uint32_t bytes)
{
    if (d->ends[SENDER].is_down) {
        return WEIR_NEVER;
    }
    weir_ps at = weir_gate_ready(&d->ends[SENDER].node.ctx.gates[0], d->now, bytes);
    at = at < d->wire_free_ps ? d->wire_free_ps : at;
    return at < d->c->phase_ps ? d->c->phase_ps : at;
}

static void
lose_packet(struct duet *d, uint32_t bytes)
{
    d->r.n_lost++;
    d->r.lost_bytes += bytes;
}

static void
start_packet(struct duet *d, uint32_t bytes)
{
    const struct weir_link *link = &d->c->link;

    weir_gate_sent(&d->ends[SENDER].node.ctx.gates[0], d->now, bytes);
    d->wire_free_ps = d->now + weir_wire_ps(bytes, link->rate_bps);
    d->r.n_sent++;
    d->r.sent_bytes += bytes;
    if (drawn(d, d->c->packet_loss)) {
        lose_packet(d, bytes);
    } else {
        push_packet(&d->link, d->wire_free_ps + link->cable_ps, bytes);
    }
}

static void
receive_packet(struct duet *d)
{
    struct end *e = &d->ends[RECEIVER];
    struct weir_pkt pkt = { .bytes = pop_packet(&d->link).bytes, .cls = e->cls };

    if (e->is_down) {
        lose_packet(d, pkt.bytes);
        return;
    }
    if (weir_buffer_admit(&e->buffer, e->cls, e->cls, pkt.bytes) != WEIR_ADMITTED) {
        d->r.n_dropped++;
        d->r.dropped_bytes += pkt.bytes;
        return;
    }
    push_packet(&d->queue, d->now, pkt.bytes);
    weir_node_arrived(&e->node, d->now, &pkt);
    obey(d, RECEIVER);
}

/* When the drain finishes a packet that it starts now, at the rates of the pieces. */
static weir_ps
drained_at(const struct duet *d, uint32_t bytes)
{
    weir_ps begin = 0, at = d->now;
    uint64_t bits = (uint64_t)bytes * 8; /* Bits that are not drained yet. */

    for (uint32_t i = 0; i < d->c->n_pieces; i++) {
        const struct duet_piece *piece = &d->c->drain[i];
        weir_ps end = i + 1 < d->c->n_pieces ? begin + piece->ps : WEIR_NEVER;
        if (end > at && piece->rate_bps) {
            uint64_t need = weir_mul_div_up(bits, WEIR_PS_PER_S, piece->rate_bps);
            if (end == WEIR_NEVER || need <= (uint64_t)(end - at)) {
                return at + (weir_ps)need;
            }
            bits -= weir_mul_div((uint64_t)(end - at), piece->rate_bps, WEIR_PS_PER_S);
        }
        at = end > at ? end : at;
        begin = end;
    }
    return WEIR_NEVER;
}

/* The head of the queue leaves as soon as the drain is free and its rate is not 0. */
static weir_ps
may_drain(const struct duet *d)
{
    if (!d->queue.n || d->drain_ready_ps == WEIR_NEVER) {
        return WEIR_NEVER;
    }
    weir_ps begin = 0, at = d->drain_ready_ps > d->now ? d->drain_ready_ps : d->now;
    for (uint32_t i = 0; i < d->c->n_pieces; i++) {
        weir_ps end = i + 1 < d->c->n_pieces ? begin + d->c->drain[i].ps : WEIR_NEVER;
        if (end > at && d->c->drain[i].rate_bps) {
            return at > begin ? at : begin;
        }
        begin = end;
    }
    return WEIR_NEVER;
}

static void
drain_packet(struct duet *d)
{
    struct end *e = &d->ends[RECEIVER];
    struct weir_pkt pkt = { .bytes = pop_packet(&d->queue).bytes, .cls = e->cls };

    d->drain_ready_ps = drained_at(d, pkt.bytes);
    d->r.n_delivered++;
    d->r.last_delivered_ps = d->now;
    d->r.delivered_bytes += pkt.bytes;
    weir_buffer_release(&e->buffer, e->cls, e->cls, pkt.bytes);
    weir_node_departed(&e->node, d->now, &pkt);
    obey(d, RECEIVER);
}

static void
receive_frame(struct duet *d, int who)
{
    struct frames *in = &d->ends[who].in;
    struct weir_frame frame = in->items[in->head].frame;

    in->head = (in->head + 1) % MAX_FRAMES;
    in->n--;
    if (d->ends[who].is_down) {
        return;
    }
    weir_node_frame(&d->ends[who].node, d->now, 0, &frame);
    obey(d, who);
}

static void
fire_timer(struct duet *d, int who, uint32_t key)
{
    d->ends[who].timers[key] = WEIR_NEVER;
    weir_node_timer(&d->ends[who].node, d->now, key);
    obey(d, who);
}

/* One end notices that the link goes down or comes up. If it goes down, packets and frames in
 * flight in both directions are lost. */
static void
change_link(struct duet *d)
{
    const struct duet_change *change = &d->c->changes[d->n_changed++];

    while (!change->up && d->link.n) {
        lose_packet(d, pop_packet(&d->link).bytes);
    }
    for (int who = 0; !change->up && who < N_NODES; who++) {
        d->ends[who].in.n = 0;
    }
    d->ends[change->end].is_down = !change->up;
    weir_node_link(&d->ends[change->end].node, d->now, 0, change->up);
    obey(d, change->end);
}

/* The next event is the earliest. Among events at the same time it is the first that find_next()
 * considers. */

enum what { LINK, FRAME_IN, PACKET_IN, TIMER, DRAIN, START };

struct next {
    weir_ps at;
    enum what what;
    int who;
    uint32_t key;
};

static void
consider(struct next *best, struct next candidate)
{
    if (candidate.at < best->at) {
        *best = candidate;
    }
}

static struct next
find_next(const struct duet *d, uint32_t bytes)
{
    struct next best = { .at = WEIR_NEVER };

    if (d->n_changed < d->c->n_changes) {
        consider(&best, (struct next){ d->c->changes[d->n_changed].at, LINK, SENDER, 0 });
    }
    for (int who = 0; who < N_NODES; who++) {
        const struct end *e = &d->ends[who];
        if (e->in.n) {
            consider(&best, (struct next){ e->in.items[e->in.head].at, FRAME_IN, who, 0 });
        }
        for (uint32_t key = 0; key < e->n_timers; key++) {
            consider(&best, (struct next){ e->timers[key], TIMER, who, key });
        }
    }
    consider(&best, (struct next){ first_packet(&d->link), PACKET_IN, RECEIVER, 0 });
    consider(&best, (struct next){ may_drain(d), DRAIN, RECEIVER, 0 });
    consider(&best, (struct next){ may_start(d, bytes), START, SENDER, 0 });
    return best;
}

static uint32_t
draw_bytes(struct duet *d)
{
    return (uint32_t)duet_draw(&d->chance, d->c->min_packet_bytes, d->c->link.mtu_bytes);
}

static void
run_duet(struct duet *d)
{
    uint32_t bytes = draw_bytes(d);

    for (struct next e = find_next(d, bytes); e.at <= d->c->until_ps; e = find_next(d, bytes)) {
        d->now = e.at;
        switch (e.what) {
        case LINK:
            change_link(d);
            break;
        case FRAME_IN:
            receive_frame(d, e.who);
            break;
        case PACKET_IN:
            receive_packet(d);
            break;
        case TIMER:
            fire_timer(d, e.who, e.key);
            break;
        case DRAIN:
            drain_packet(d);
            break;
        default:
            start_packet(d, bytes);
            bytes = draw_bytes(d);
        }
    }
}

static bool
set_up(struct duet *d, int who)
{
    struct end *e = &d->ends[who];
    struct weir_stack stack = d->c->stack;
    struct weir_needs needs;
    uint8_t n_classes = stack.layers[0].engine->moves_classes ? 2 : 1;

    e->port =
        (struct weir_port){ .rate_bps = d->c->link.rate_bps, .cable_ps = d->c->link.cable_ps };
    e->shape = (struct weir_shape){ .ports = &e->port,
                                    .n_ports = 1,
                                    .n_classes = n_classes,
                                    .lossless = 0xff,
                                    .mtu_bytes = d->c->link.mtu_bytes,
                                    .response_ps = d->c->link.response_ps };
    e->shape.buffer.size_bytes = n_classes * d->c->room_bytes;
    for (uint8_t cls = 0; cls < n_classes; cls++) {
        e->shape.buffer.classes[cls].reserve_bytes = d->c->room_bytes;
    }
    if (!weir_stack_resolve(&stack, &e->shape, &needs, &d->r.said)) {
        d->r.refused = true;
        return false;
    }
    assert(needs.n_timers <= 8 && needs.max_emits <= 64);
    for (uint32_t i = 0; i < 8; i++) {
        e->timers[i] = WEIR_NEVER;
    }
    e->n_timers = needs.n_timers;
    e->memory = aligned_alloc(WEIR_MEMORY_ALIGN, needs.state_bytes);
    weir_buffer_init(&e->buffer, &e->shape.buffer, 1, n_classes, e->slots);
    weir_node_init(&e->node, &stack, &e->shape, &e->buffer, &d->out, e->memory, 0);
    e->cls = weir_class_here(&e->node.ctx, 0, 0);
    return true;
}

struct duet_result
duet_run(const struct duet_config *c)
{
    struct duet *d = calloc(1, sizeof *d);
    d->c = c;
    d->chance = c->seed;
    d->out = (struct weir_outbox){ .emits = d->emits, .max = 64 };
    bool fits = set_up(d, SENDER);
    if (fits) {
        obey(d, SENDER);
        fits = set_up(d, RECEIVER);
    }
    if (fits) {
        obey(d, RECEIVER);
        run_duet(d);
    }
    struct duet_result r = d->r;
    r.held_bytes = d->ends[RECEIVER].slots[d->ends[RECEIVER].cls].in_bytes;
    while (d->link.n) {
        r.flying_bytes += pop_packet(&d->link).bytes;
    }
    free(d->ends[SENDER].memory);
    free(d->ends[RECEIVER].memory);
    free(d->link.items);
    free(d->queue.items);
    free(d);
    return r;
}

void
duet_set(struct duet_config *c, const char *name, uint64_t value)
{
    const struct weir_field *field = weir_field_find(c->stack.layers[0].engine->about.params, name);
    assert(field);
    weir_field_set(field, c->stack.layers[0].params, value);
}

/* Random numbers, links and draining functions. */

uint64_t
duet_draw(uint64_t *chance, uint64_t low, uint64_t high)
{
    return low + weir_random(chance) % (high - low + 1);
}

uint64_t
duet_draw_log(uint64_t *chance, uint64_t low, uint64_t high)
{
    uint64_t doublings = 0;
    while (low << (doublings + 1) <= high) {
        doublings++;
    }
    uint64_t base = low << duet_draw(chance, 0, doublings);
    return duet_draw(chance, base, 2 * base < high ? 2 * base : high);
}

struct weir_link
duet_draw_link(uint64_t *chance)
{
    static const uint64_t gbps[] = { 1, 10, 25, 40, 50, 100, 200, 400, 800 };
    static const uint32_t mtus[] = { 256, 1024, 1500, 4096, 9216 };

    return (struct weir_link){
        .rate_bps = gbps[duet_draw(chance, 0, 8)] * 1000000000,
        .cable_ps = (weir_ps)duet_draw_log(chance, 5000, 10000000),
        .response_ps = (weir_ps)duet_draw_log(chance, 100000, 10000000),
        .mtu_bytes = mtus[duet_draw(chance, 0, 4)],
    };
}

static void
add_piece(struct duet_config *c, weir_ps ps, uint64_t rate_bps)
{
    if (c->n_pieces < DUET_MAX_PIECES) {
        c->drain[c->n_pieces++] = (struct duet_piece){ ps, rate_bps };
    }
}

void
duet_draw_drain(struct duet_config *c, uint64_t *chance)
{
    uint64_t line = c->link.rate_bps;
    uint64_t tau = (uint64_t)weir_tau_ps(&c->link);
    uint64_t kind = duet_draw(chance, 0, 4);

    c->n_pieces = 0;
    if (kind == 0) { /* The receiver drains nothing. */
        add_piece(c, 1, 0);
    } else if (kind == 1) { /* The receiver drains packets as fast as they arrive, then stops. */
        add_piece(c, (weir_ps)duet_draw(chance, tau, 20 * tau), line);
        add_piece(c, 1, 0);
    } else if (kind == 2) { /* The receiver drains at a constant rate. */
        add_piece(c, 1, duet_draw(chance, line / 1000, line));
    } else {
        /* The receiver drains on and off, or at random rates. */
        for (uint32_t i = 0; i < DUET_MAX_PIECES; i++) {
            uint64_t rate = kind == 3 ? (i % 2 ? line : 0) : duet_draw(chance, 0, line);
            add_piece(c, (weir_ps)duet_draw_log(chance, tau / 8 + 1, 8 * tau), rate);
        }
    }
}
