/* What comes to a node: packets of the plant's flows, control, and frames of strangers. */

#include "dataplane/inside.h"
#include "topo/topo.h"

static void
drop(struct dp_node *d, struct dp_frame *frame)
{
    d->io.drop(d->io.arg, frame);
}

/* Something that looked right is not for us after all. */
static void
recount(struct dp_node *d, enum dp_what from, enum dp_what to)
{
    d->counts.n_whats[from]--;
    d->counts.n_whats[to]++;
}

static void
recount_packet(struct dp_node *d, uint32_t port, const struct sim_packet *packet)
{
    struct dp_amount *in = &d->ports[port].crossed.in;

    recount(d, DP_PACKET, DP_BAD_PACKET);
    in->n_packets[packet->cls]--;
    in->packet_bytes -= packet->bytes;
}

static void
recount_message(struct dp_node *d, uint32_t port)
{
    recount(d, DP_MESSAGE, DP_BAD_CONTROL);
    d->ports[port].crossed.in.n_controls--;
}

/* Packets. */

/* Hot: once per packet. */
static inline void
note_arrival(struct dp_node *d, uint32_t port, uint32_t cls, weir_ps meant_ps)
{
    if (meant_ps != WEIR_NEVER) {
        dp_was_late(&d->counts.frames, d->now_ps - meant_ps);
    }
    dp_came(&d->ports[port].asked[cls], d->now_ps);
}

/* Whether a packet can be what it says. */
static bool
is_believed(struct dp_node *d, uint32_t port, const struct sim_packet *packet)
{
    bool is_good = sim_live_believes(d->sim, packet);

    if (!is_good) {
        recount_packet(d, port, packet);
    }
    return is_good;
}

/* Only what is believed was late, and is what a peer has sent though it was asked to stop. */
static bool
comes_in(struct dp_node *d, uint32_t port, const struct sim_packet *packet, weir_ps meant_ps)
{
    if (!is_believed(d, port, packet)) {
        return false;
    }
    note_arrival(d, port, packet->cls, meant_ps);
    return true;
}

/* A switch holds the frame, and the packet has its number.  A NIC has no use for it: what it takes
 * is the packet. */
static void
take_packet(struct dp_node *d, uint32_t port, weir_ps at, struct dp_frame *frame,
            struct dp_parsed *p)
{
    bool is_good = comes_in(d, port, &p->packet, p->meant_ps);

    if (is_good && d->is_switch) {
        p->packet.sequence = dp_handle_new(&d->handles, frame, DP_PACKET, false);
    }
    if (is_good) {
        sim_live_take(d->sim, port, at, &p->packet);
    }
    if (!is_good || !d->is_switch) {
        drop(d, frame);
    }
}

/* Strangers. */

enum share { ALONE, ORIGINAL, COPY }; /* Of a frame's bytes: copies have the original's. */

static void
pass_on(struct dp_node *d, uint32_t port, weir_ps at, const struct dp_frame *frame,
        enum share share, struct sim_packet packet, uint32_t to)
{
    packet.dst = to & SIM_MAX_DST;
    packet.sequence = dp_handle_new(&d->handles, frame, DP_STRANGER, share != ALONE);
    if (share == COPY) {
        sim_live_take_copy(d->sim, port, at, &packet);
    } else {
        sim_live_take(d->sim, port, at, &packet);
    }
}

/* Where a frame for all, or for nobody known, goes: a port that is down has nobody behind it. */
static uint32_t
flooded_ports(struct dp_node *d, uint32_t port)
{
    uint32_t n = dp_stations_flood(d->stations, port, d->flooded), n_up = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (d->ports[d->flooded[i]].is_up) {
            d->flooded[n_up++] = d->flooded[i];
        }
    }
    return n_up;
}

/* A copy each, and the last has the frame itself. */
static void
flood(struct dp_node *d, uint32_t port, weir_ps at, struct dp_frame *frame,
      const struct sim_packet *packet)
{
    uint32_t n = flooded_ports(d, port);

    if (!n) {
        d->counts.n_without_way++;
        drop(d, frame);
        return;
    }
    d->counts.n_flooded++;
    for (uint32_t i = 0; i < n; i++) {
        struct dp_frame copy = *frame;
        enum share share = i + 1 < n ? COPY : n > 1 ? ORIGINAL : ALONE;
        if (share != COPY || d->io.copy(d->io.arg, frame, &copy)) {
            pass_on(d, port, at, &copy, share, *packet, d->network.topo->n_nics + d->flooded[i]);
        } else {
            d->counts.n_without_memory++;
        }
    }
}

/* At a port that is down a stranger's frame would wait, behind packets of flows for as long as
 * these do, and take room from those whose ports are up. */
static bool
has_way(const struct dp_node *d, struct sim_packet packet, uint32_t to)
{
    packet.dst = to & SIM_MAX_DST;
    return !d->n_down || sim_live_has_way(d->sim, &packet);
}

/* At a switch; a NIC has no use for them. */
static void
take_stranger(struct dp_node *d, uint32_t port, weir_ps at, struct dp_frame *frame,
              struct dp_parsed *p)
{
    if (!d->is_switch) {
        drop(d, frame);
        return;
    }
    dp_stations_learn(d->stations, p->from, port, at);
    uint32_t to = dp_stations_find(d->stations, p->to, at);
    p->packet.flow = d->network.n_flows + p->key % DP_N_STRANGERS;
    dp_came(&d->ports[port].asked[p->packet.cls], d->now_ps);
    if (to == DP_EVERYBODY) {
        flood(d, port, at, frame, &p->packet);
    } else if (to == d->network.topo->n_nics + port || !has_way(d, p->packet, to)) {
        d->counts.n_without_way++; /* Who is on the side that it came from has it already. */
        drop(d, frame);
    } else {
        pass_on(d, port, at, frame, ALONE, p->packet, to);
    }
}

/* Control. */

static void
hear(struct dp_node *d, uint32_t port, weir_ps at, struct dp_frame *frame, struct dp_parsed *p)
{
    sim_live_hear(d->sim, port, at, &p->control);
    drop(d, frame);
}

/* A message is for who sends the flow that it is about, and a NIC passes nothing on. */
static bool
can_be_heard(const struct dp_node *d, const struct sim_control *c)
{
    return d->network.flows[c->flow].from == c->to && (d->is_switch || c->to == d->node);
}

static void
hear_message(struct dp_node *d, uint32_t port, weir_ps at, struct dp_frame *frame,
             struct dp_parsed *p)
{
    if (can_be_heard(d, &p->control)) {
        hear(d, port, at, frame, p);
    } else {
        recount_message(d, port);
        drop(d, frame);
    }
}

static void
ignore(struct dp_node *d, uint32_t port, weir_ps at, struct dp_frame *frame, struct dp_parsed *p)
{
    (void)port, (void)at, (void)p;
    drop(d, frame);
}

typedef void arrival(struct dp_node *, uint32_t port, weir_ps at, struct dp_frame *,
                     struct dp_parsed *);

static arrival *const arrivals[DP_N_WHATS] = {
    [DP_PACKET] = take_packet,     [DP_CONTROL] = hear,       [DP_MESSAGE] = hear_message,
    [DP_STRANGER] = take_stranger, [DP_TOO_SHORT] = ignore,   [DP_TOO_LONG] = ignore,
    [DP_BAD_PACKET] = ignore,      [DP_BAD_CONTROL] = ignore, [DP_LINK_LOCAL] = ignore,
};

static inline void
read_frame(struct dp_node *d, uint32_t port, weir_ps at, const struct dp_frame *frame,
           struct dp_parsed *p)
{
    if (d->tap) {
        d->tap(d->tap_arg, port, frame, at, false);
    }
    dp_frame_read(&d->network, frame->bytes, frame->len, p);
    d->counts.n_received++;
    d->counts.n_whats[p->what]++;
    if (p->what == DP_PACKET) {
        dp_has_crossed(&d->ports[port].crossed.in, &p->packet);
    }
    d->ports[port].crossed.in.n_controls += p->what == DP_CONTROL || p->what == DP_MESSAGE;
}

static __attribute__((noinline)) void
arrive(struct dp_node *d, uint32_t port, weir_ps at, struct dp_frame *frame)
{
    struct dp_parsed p;

    sim_live_run(d->sim, at); /* So that a tap hears first what leaves first. */
    read_frame(d, port, at, frame, &p);
    arrivals[p.what](d, port, at, frame, &p);
}

/* All of a burst are read before the first is taken: what is read of one is written in pieces, and
 * a processor waits if it is to copy that whole at once.  Hot: once per frame. */
void
dp_arrive_read(struct dp_node *d, struct dp_burst *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const struct dp_frame *frame = &b->frames[i];
        struct dp_came *c = &b->came[i];
        c->is_packet = !d->tap && dp_frame_read_packet(&d->network, frame->bytes, frame->len,
                                                       &c->packet, &c->meant_ps);
        if (c->is_packet && d->is_switch) {
            c->packet.sequence = dp_handle_new(&d->handles, frame, DP_PACKET, false);
        }
    }
}

/* A packet that was read with its burst, at a node that does not believe in all.  A switch holds
 * its frame already. */
static void
take_if_believed(struct dp_node *d, uint32_t port, struct dp_frame *frame, const struct dp_came *c)
{
    bool is_good = comes_in(d, port, &c->packet, c->meant_ps);

    if (is_good) {
        sim_live_take(d->sim, port, frame->at, &c->packet);
    }
    if (!is_good && d->is_switch) {
        dp_handle_end(&d->handles, c->packet.sequence);
    }
    if (!is_good || !d->is_switch) {
        drop(d, frame);
    }
}

/* Hot: once per frame. */
void
dp_arrive_next(struct dp_node *d, uint32_t port, struct dp_burst *b)
{
    struct dp_frame *frame = &b->frames[b->first];
    const struct dp_came *c = &b->came[b->first++];

    if (__builtin_expect(!c->is_packet, 0)) {
        arrive(d, port, frame->at, frame);
        return;
    }
    d->counts.n_received++;
    d->counts.n_whats[DP_PACKET]++;
    dp_has_crossed(&d->ports[port].crossed.in, &c->packet);
    if (__builtin_expect(d->takes_all, 1)) {
        note_arrival(d, port, c->packet.cls, c->meant_ps);
        sim_live_take(d->sim, port, frame->at, &c->packet);
    } else {
        take_if_believed(d, port, frame, c);
    }
}

bool
dp_arrive_early(struct dp_node *d, uint32_t port, struct dp_frame *frame, struct dp_parsed *p)
{
    read_frame(d, port, frame->at, frame, p);
    if (p->what == DP_PACKET || p->what == DP_STRANGER) {
        return true;
    }
    arrivals[p->what](d, port, frame->at, frame, p);
    return false;
}

void
dp_arrive_now(struct dp_node *d, uint32_t port, weir_ps at, struct dp_frame *frame,
              struct dp_parsed *p)
{
    arrivals[p->what](d, port, at, frame, p);
}

void
dp_arrive_late(struct dp_node *d, uint32_t port, struct dp_frame *frame)
{
    struct dp_parsed p;

    read_frame(d, port, d->now_ps, frame, &p);
    if (p.what == DP_PACKET && is_believed(d, port, &p.packet)) {
        sim_live_find(d->sim, port, &p.packet);
    }
    drop(d, frame);
}
