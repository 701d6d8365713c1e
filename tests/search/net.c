#include "net.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void
write_step(const struct network *net, const char *format, ...)
{
    va_list args;

    if (net->trace) {
        va_start(args, format);
        vfprintf(net->trace, format, args);
        va_end(args);
    }
}

static uint8_t
n_switches(const struct network *net)
{
    return net->plan->n_switches;
}

static bool
is_host(const struct network *net, uint32_t node)
{
    return node >= n_switches(net);
}

static uint32_t
number(const struct network *net, uint32_t node)
{
    return node % n_switches(net) + 1;
}

static struct live *
touch(struct network *net, uint32_t node)
{
    net->is_touched[node] = true;
    return &net->nodes[node];
}

static struct lane *
touch_lane(struct network *net, uint32_t lane)
{
    net->is_touched[net->n_nodes + lane] = true;
    return &net->lanes[lane];
}

/* Moves a packet to its next hop; returns false if the packet is at its last switch. */
static bool
next_hop(const struct network *net, struct packet *p)
{
    const struct search_flow *f = &net->plan->flows[p->flow];

    p->hop++;
    if (p->hop == f->n && f->is_loop) {
        p->hop = 0;
    }
    return p->hop < f->n;
}

/* Frames. */

static void
hear(struct network *net, uint32_t node, uint16_t port, const struct weir_class_frame *frame)
{
    struct live *n = touch(net, node);
    struct weir_frame bytes;

    weir_class_frame_encode(frame, &bytes);
    weir_node_frame(&n->node, 0, port, &bytes);
    n->out.n = 0; /* The outputs are gates, which the search reads when it needs them. */
}

static void
send_frame(struct network *net, uint32_t node, uint32_t port, const struct weir_frame *bytes)
{
    uint8_t lane = net->nodes[node].lane_in[port];
    struct weir_class_frame frame;
    bool is_frame = weir_class_frame_decode(bytes, &frame);

    assert(is_frame);
    (void)is_frame;
    bool is_pause = frame.values[__builtin_ctz(frame.enable)] > 0;
    uint32_t to = port == 0 ? n_switches(net) + node : net->ends[lane].from;
    write_step(net, "; S%u asks %c%u to %s", number(net, node), is_host(net, to) ? 'H' : 'S',
               number(net, to), is_pause ? "pause" : "go on");
    if (port == 0) {
        hear(net, to, 0, &frame);
    } else if (!net->plan->n_late) {
        hear(net, to, net->ends[lane].out_port, &frame);
    } else {
        struct lane *l = touch_lane(net, lane);
        assert(l->n_frames < MAX_FRAMES);
        l->frames[l->n_frames].frame = frame;
        l->frames[l->n_frames++].n_late = 0;
    }
}

/* Sends frames. The search reads gates when it needs them, and timers never fire. */
static void
obey(struct network *net, uint32_t node)
{
    struct live *n = &net->nodes[node];

    for (uint32_t i = 0; i < n->out.n; i++) {
        if (n->out.emits[i].kind == WEIR_FRAME) {
            send_frame(net, node, n->out.emits[i].key, &n->out.emits[i].frame);
        }
    }
    n->out.n = 0;
}

/* Packets. */

static int
compare(struct packet a, struct packet b)
{
    return a.flow != b.flow ? a.flow - b.flow : a.hop - b.hop;
}

/* If any packet may be served next, the order of a queue has no meaning. The queue is then sorted
 * by flow and hop, so that equal queues are equal states. */
static void
push(const struct network *net, struct queue *q, struct packet p)
{
    uint32_t i = q->n++;

    assert(q->n <= MAX_HELD);
    for (; net->plan->scheduler == SEARCH_ANY && i && compare(q->packets[i - 1], p) > 0; i--) {
        q->packets[i] = q->packets[i - 1];
    }
    q->packets[i] = p;
}

static void
take_out(struct queue *q, uint32_t place)
{
    q->n--;
    memmove(&q->packets[place], &q->packets[place + 1], (q->n - place) * sizeof *q->packets);
    q->packets[q->n] = (struct packet){ 0 };
}

static uint8_t
lane_between(const struct network *net, uint32_t from, uint32_t to)
{
    uint8_t lane = 0;

    while (lane < net->n_lanes && (net->ends[lane].from != from || net->ends[lane].to != to)) {
        lane++;
    }
    return lane < net->n_lanes ? lane : NO_LANE;
}

/* The lane through which a packet leaves a switch; NO_LANE if it leaves through port 0, to the
 * host. */
static uint8_t
lane_out(const struct network *net, uint32_t node, struct packet p)
{
    const struct search_flow *f = &net->plan->flows[p.flow];

    return next_hop(net, &p) ? lane_between(net, node, f->path[p.hop]) : NO_LANE;
}

static uint16_t
port_out(const struct network *net, uint8_t lane)
{
    return lane == NO_LANE ? 0 : net->ends[lane].out_port;
}

static void
arrive(struct network *net, uint32_t node, uint16_t port, struct packet p, uint8_t sent)
{
    struct live *n = touch(net, node);
    uint8_t cls = weir_class_here(&n->node.ctx, port, sent);
    struct weir_pkt pkt = { .bytes = SEARCH_PACKET_BYTES,
                            .in_port = port,
                            .out_port = port_out(net, lane_out(net, node, p)),
                            .cls = cls };

    write_step(net, "; it is at S%u", number(net, node));
    if (cls == WEIR_NO_CLASS) {
        net->has_expired = true;
        write_step(net, " and has no class left");
        return;
    }
    uint32_t in = weir_slot(&n->node.ctx, port, cls),
             out = weir_slot(&n->node.ctx, pkt.out_port, cls);
    if (weir_buffer_admit(&n->buffer, in, out, pkt.bytes) != WEIR_ADMITTED) {
        net->has_dropped = true;
        write_step(net, " and is DROPPED");
        return;
    }
    push(net, &n->queues[in], p);
    weir_node_arrived(&n->node, 0, &pkt);
    obey(net, node);
}

/* Puts a packet onto a lane, where it is in flight or arrives at once. */
static void
fly(struct network *net, uint8_t lane, struct packet p, uint8_t cls)
{
    struct lane *l = touch_lane(net, lane);

    for (uint32_t i = 0; i < l->n_frames; i++) {
        l->frames[i].n_late++;
    }
    next_hop(net, &p);
    if (net->plan->n_flying) {
        l->flying[l->n_flying].packet = p;
        l->flying[l->n_flying++].cls = cls;
    } else {
        arrive(net, net->ends[lane].to, net->ends[lane].in_port, p, cls);
    }
}

static bool
lane_is_free(const struct network *net, uint8_t lane)
{
    const struct lane *l = &net->lanes[lane];
    bool is_free = !net->plan->n_flying || l->n_flying < net->plan->n_flying;

    for (uint32_t i = 0; i < l->n_frames; i++) {
        is_free = is_free && l->frames[i].n_late < net->plan->n_late;
    }
    return is_free;
}

static bool
is_open(const struct live *n, uint32_t slot)
{
    return weir_gate_ready(&n->node.ctx.gates[slot], 0, SEARCH_PACKET_BYTES) == 0;
}

/* Events. */

static bool
inject(struct network *net, struct event e)
{
    const struct search_flow *f = &net->plan->flows[e.at];
    uint32_t host = n_switches(net) + f->path[0];

    if (!is_open(&net->nodes[host], 0)) {
        return false;
    }
    write_step(net, "H%u sends a packet of flow %u", number(net, host), e.at + 1);
    arrive(net, f->path[0], 0, (struct packet){ e.at, 0 }, 0);
    return true;
}

static bool
send(struct network *net, struct event e)
{
    struct live *n = &net->nodes[e.at];
    const struct queue *q = &n->queues[e.slot];
    struct packet p = q->packets[e.place];
    bool is_again = e.place && !compare(q->packets[e.place - 1], p);
    bool is_allowed = net->plan->scheduler == SEARCH_ANY ? !is_again : e.place == 0;

    if (e.place >= q->n || !is_allowed) {
        return false;
    }
    uint8_t lane = lane_out(net, e.at, p), cls = weir_slot_class(&n->node.ctx, e.slot);
    struct weir_pkt pkt = { .bytes = SEARCH_PACKET_BYTES,
                            .in_port = weir_slot_port(&n->node.ctx, e.slot),
                            .out_port = port_out(net, lane),
                            .cls = cls };
    uint32_t out = weir_slot(&n->node.ctx, pkt.out_port, cls);
    if (!is_open(n, out) || (lane != NO_LANE && !lane_is_free(net, lane))) {
        return false;
    }
    touch(net, e.at);
    write_step(net, "S%u sends a packet of flow %u on", number(net, e.at), p.flow + 1);
    take_out(&n->queues[e.slot], e.place);
    weir_buffer_release(&n->buffer, e.slot, out, pkt.bytes);
    weir_node_departed(&n->node, 0, &pkt);
    obey(net, e.at);
    if (lane != NO_LANE) {
        fly(net, lane, p, cls);
    }
    return true;
}

static bool
land(struct network *net, struct event e)
{
    const struct lane_ends *ends = &net->ends[e.at];
    struct lane *l = &net->lanes[e.at];

    if (!l->n_flying) {
        return false;
    }
    touch_lane(net, e.at);
    struct packet p = l->flying[0].packet;
    uint8_t cls = l->flying[0].cls;
    l->n_flying--;
    memmove(&l->flying[0], &l->flying[1], l->n_flying * sizeof l->flying[0]);
    write_step(net, "a packet of flow %u has crossed the link", p.flow + 1);
    arrive(net, ends->to, ends->in_port, p, cls);
    return true;
}

static bool
land_frame(struct network *net, struct event e)
{
    const struct lane_ends *ends = &net->ends[e.at];
    struct lane *l = &net->lanes[e.at];

    if (!l->n_frames) {
        return false;
    }
    touch_lane(net, e.at);
    struct weir_class_frame frame = l->frames[0].frame;
    l->n_frames--;
    memmove(&l->frames[0], &l->frames[1], l->n_frames * sizeof l->frames[0]);
    write_step(net, "S%u hears what S%u asked for", number(net, ends->from), number(net, ends->to));
    hear(net, ends->from, ends->out_port, &frame);
    return true;
}

static bool (*const does[])(struct network *, struct event) = {
    [INJECT] = inject, [SEND] = send, [ARRIVE] = land, [FRAME] = land_frame
};

bool
network_do(struct network *net, struct event e)
{
    return does[e.kind](net, e);
}

/* Steps through all events like an odometer: first the place in a queue, then the slot, then the
 * flow, node or lane, then the kind of event. */
bool
network_next(const struct network *net, struct event *e)
{
    const uint32_t n_at[] = { net->plan->n_flows, n_switches(net), net->n_lanes, net->n_lanes };

    if (e->kind == SEND && ++e->place < net->nodes[e->at].queues[e->slot].n) {
        return true;
    }
    e->place = 0;
    if (e->kind == SEND && ++e->slot < net->nodes[e->at].n_slots) {
        return true;
    }
    e->slot = 0;
    if (++e->at < n_at[e->kind]) {
        return true;
    }
    e->at = 0;
    return ++e->kind <= FRAME;
}

uint32_t
network_n_packets(const struct network *net)
{
    uint32_t n = 0;

    for (uint32_t node = 0; node < n_switches(net); node++) {
        for (uint32_t slot = 0; slot < net->nodes[node].n_slots; slot++) {
            n += net->nodes[node].queues[slot].n;
        }
    }
    for (uint32_t lane = 0; lane < net->n_lanes; lane++) {
        n += net->lanes[lane].n_flying;
    }
    return n;
}

/* Converts parts of the state to bytes and back. One function serves both directions: it copies
 * each member out or in. */

struct copier {
    uint8_t *out;
    const uint8_t *in;
    size_t n;
};

static void
copy(struct copier *c, void *what, size_t bytes)
{
    if (c->out) {
        memcpy(c->out + c->n, what, bytes);
    } else {
        memcpy(what, c->in + c->n, bytes);
    }
    c->n += bytes;
}

/* Sets the counters of engines to 0: they are only reported, so states that differ in nothing else
 * are one state. */
static void
forget_counts(struct live *n)
{
    for (uint32_t i = 0; i < n->node.n_layers; i++) {
        const struct weir_field *f = n->node.layers[i].engine->counters;
        for (; f && f->name; f++) {
            weir_field_set(f, n->node.layers[i].state, 0);
        }
    }
}

static void
copy_node(struct copier *c, struct live *n)
{
    /* The states of the engines follow the trip wires. */
    uint8_t *trips = (uint8_t *)n->node.ctx.trips;

    forget_counts(n);
    for (uint32_t slot = 0; slot < n->n_slots; slot++) {
        copy(c, &n->node.ctx.gates[slot].open_ps, sizeof(weir_ps));
    }
    copy(c, trips, n->memory_bytes - (size_t)(trips - (uint8_t *)n->memory));
    copy(c, n->slots, n->n_slots * sizeof *n->slots);
    copy(c, n->queues, n->n_slots * sizeof *n->queues);
    copy(c, &n->buffer.used_bytes, sizeof n->buffer.used_bytes);
    copy(c, &n->buffer.shared_used_bytes, sizeof n->buffer.shared_used_bytes);
    copy(c, n->buffer.class_bytes, sizeof n->buffer.class_bytes);
}

static void
copy_lane(struct copier *c, struct lane *l)
{
    copy(c, &l->n_flying, 1);
    copy(c, &l->n_frames, 1);
    copy(c, l->flying, l->n_flying * sizeof l->flying[0]);
    for (uint32_t i = 0; i < l->n_frames; i++) {
        copy(c, &l->frames[i].frame.opcode, sizeof l->frames[i].frame.opcode);
        copy(c, &l->frames[i].frame.enable, sizeof l->frames[i].frame.enable);
        copy(c, l->frames[i].frame.values, sizeof l->frames[i].frame.values);
        copy(c, &l->frames[i].n_late, 1);
    }
}

static size_t
copy_part(struct network *net, uint32_t part, struct copier c)
{
    if (part < net->n_nodes) {
        copy_node(&c, &net->nodes[part]);
    } else {
        copy_lane(&c, &net->lanes[part - net->n_nodes]);
    }
    assert(c.n <= PART_BYTES);
    return c.n;
}

size_t
network_save(struct network *net, uint32_t part, uint8_t bytes[PART_BYTES])
{
    return copy_part(net, part, (struct copier){ .out = bytes });
}

void
network_load(struct network *net, uint32_t part, const uint8_t *bytes)
{
    copy_part(net, part, (struct copier){ .in = bytes });
}
