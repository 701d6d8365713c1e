/* Arrivals at a node: packets of the model's flows, control, and foreign frames. */

#include "dataplane/inside.h"
#include "topo/topo.h"

/* Corrects the counts for a frame whose header is valid, but which is not for this node. */
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

/* Packets of the model's flows. */

/* Hot: once per packet. */
static inline void
note_arrival(struct dp_node *d, uint32_t port, uint32_t cls, weir_ps meant_ps)
{
    if (d->has_common_clock && meant_ps != WEIR_NEVER) {
        dp_was_late(&d->counts.frames, d->now_ps - meant_ps);
    }
    dp_came(&d->ports[port].asked[cls], d->now_ps);
}

/* Whether the header of a packet is plausible. If it is not, the packet counts as a bad one. */
static bool
is_believed(struct dp_node *d, uint32_t port, const struct sim_packet *packet)
{
    bool is_good = sim_live_believes(d->sim, packet);

    if (!is_good) {
        recount_packet(d, port, packet);
    }
    return is_good;
}

/* Accepts an arriving packet. Only a plausible packet counts as late, or as a packet that the peer
 * sent after a request to pause. */
static bool
comes_in(struct dp_node *d, uint32_t port, const struct sim_packet *packet, weir_ps meant_ps)
{
    if (!is_believed(d, port, packet)) {
        return false;
    }
    note_arrival(d, port, packet->cls, meant_ps);
    return true;
}

/* Whether the node would hold too many frames, including received frames that have not been
 * processed yet. 'n_more' copies of frames will be made. Hot: once per packet. */
static inline bool
is_too_many(const struct dp_node *d, uint32_t n_more)
{
    return __builtin_expect(d->n_frames + n_more > d->max_held, 0);
}

/* Takes a packet at a switch, which holds its frame. If the packet is refused, dp_leave_never()
 * frees the frame. Hot: once per packet. */
static inline __attribute__((always_inline)) void
take_held(struct dp_node *d, uint32_t port, weir_ps at, const struct sim_packet *packet)
{
    if (is_too_many(d, 0)) {
        sim_live_refuse(d->sim, port, at, packet);
    } else {
        sim_live_take(d->sim, port, at, packet);
    }
}

/* Takes a packet at a node that checks headers.  A switch holds its frame already.  A NIC drops the
 * frame and keeps only the packet. */
static void
take_if_believed(struct dp_node *d, uint32_t port, weir_ps at, struct dp_frame *frame,
                 const struct sim_packet *packet, weir_ps meant_ps)
{
    bool is_good = comes_in(d, port, packet, meant_ps);

    if (is_good && d->is_switch) {
        take_held(d, port, at, packet);
        return;
    }
    if (is_good) {
        sim_live_take(d->sim, port, at, packet);
    } else if (d->is_switch) {
        dp_handle_end(&d->handles, packet->sequence);
    }
    dp_drop(d, frame);
}

static void
take_packet(struct dp_node *d, uint32_t port, weir_ps at, struct dp_frame *frame,
            struct dp_parsed *p)
{
    if (d->is_switch) {
        p->packet.sequence = dp_handle_new(&d->handles, frame, DP_PACKET, false);
    }
    take_if_believed(d, port, at, frame, &p->packet, p->meant_ps);
}

/* Foreign frames. */

enum share {
    ALONE,
    ORIGINAL,
    COPY
}; /* The ownership of a frame's bytes: copies share those of the original. */

static void
pass_on(struct dp_node *d, uint32_t port, weir_ps at, const struct dp_frame *frame,
        enum share share, struct sim_packet packet, uint32_t to)
{
    packet.dst = (d->network.topo->n_nics + to) & SIM_MAX_DST;
    packet.sequence = dp_handle_new(&d->handles, frame, DP_FOREIGN, share != ALONE);
    if (share == COPY) {
        sim_live_take_copy(d->sim, port, at, &packet);
    } else {
        take_held(d, port, at, &packet);
    }
}

/* Lists the output ports of a broadcast frame, or of a frame for an unknown address, without ports
 * that are down. */
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

/* Floods a frame: each port gets a copy, and the last one the frame itself. */
static void
flood(struct dp_node *d, uint32_t port, weir_ps at, struct dp_frame *frame,
      const struct sim_packet *packet)
{
    uint32_t n = flooded_ports(d, port);

    if (!n) {
        d->counts.n_without_way++;
        dp_drop(d, frame);
        return;
    }
    if (is_too_many(d, n - 1)) {
        struct sim_packet whole = *packet;
        whole.sequence = dp_handle_new(&d->handles, frame, DP_FOREIGN, false);
        sim_live_refuse(d->sim, port, at, &whole);
        return;
    }
    d->counts.n_flooded++;
    for (uint32_t i = 0; i < n; i++) {
        struct dp_frame copy = *frame;
        enum share share = i + 1 < n ? COPY : n > 1 ? ORIGINAL : ALONE;
        if (share != COPY || dp_copy(d, frame, &copy)) {
            pass_on(d, port, at, &copy, share, *packet, d->flooded[i]);
        } else {
            d->counts.n_without_memory++;
        }
    }
}

/* The port that leads to a station. DP_EVERYBODY: the station is unknown; n_ports: no port leads to
 * it. Hosts of the model are found by routes. */
static uint32_t
port_to(struct dp_node *d, weir_ps at, const struct dp_parsed *p)
{
    uint32_t to = dp_stations_find(d->stations, p->to, at), n_nics = d->network.topo->n_nics;
    struct sim_packet packet = p->packet;

    if (to >= n_nics) {
        return to == DP_EVERYBODY ? to : to - n_nics;
    }
    packet.dst = to & SIM_MAX_DST;
    uint32_t way = sim_live_output_port(d->sim, &packet, at);
    return way == SIM_NONE ? d->n_ports : way;
}

/* Whether a frame can be forwarded to a port: the port is up, and the frame did not arrive on
 * it. */
static bool
is_way(const struct dp_node *d, uint32_t from, uint32_t to)
{
    return to < d->n_ports && to != from && d->ports[to].is_up;
}

/* Takes a foreign frame at a switch; a NIC drops it. Nothing is sent to a port that is down,
 * because it would wait there and block packets behind it. */
static void
take_foreign(struct dp_node *d, uint32_t port, weir_ps at, struct dp_frame *frame,
             struct dp_parsed *p)
{
    if (!d->is_switch) {
        dp_drop(d, frame);
        return;
    }
    dp_stations_learn(d->stations, p->from, port, at);
    p->packet.flow = d->network.n_flows + p->key % DP_N_FOREIGN;
    uint32_t to = port_to(d, at, p);
    dp_came(&d->ports[port].asked[p->packet.cls], d->now_ps);
    if (to == DP_EVERYBODY) {
        flood(d, port, at, frame, &p->packet);
    } else if (is_way(d, port, to)) {
        pass_on(d, port, at, frame, ALONE, p->packet, to);
    } else {
        d->counts.n_without_way++;
        dp_drop(d, frame);
    }
}

/* Control frames and messages. */

static void
hear(struct dp_node *d, uint32_t port, weir_ps at, struct dp_frame *frame, struct dp_parsed *p)
{
    sim_live_hear(d->sim, port, at, &p->control);
    dp_drop(d, frame);
}

/* Whether a node accepts a message. It must be for the sender of its flow, and a NIC does not
 * forward messages of others. */
static bool
can_be_heard(const struct dp_node *d, const struct sim_frame *c)
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
        dp_drop(d, frame);
    }
}

static void
ignore(struct dp_node *d, uint32_t port, weir_ps at, struct dp_frame *frame, struct dp_parsed *p)
{
    (void)port, (void)at, (void)p;
    dp_drop(d, frame);
}

typedef void arrival(struct dp_node *, uint32_t port, weir_ps at, struct dp_frame *,
                     struct dp_parsed *);

static arrival *const arrivals[DP_N_WHATS] = {
    [DP_PACKET] = take_packet,   [DP_CONTROL] = hear,       [DP_MESSAGE] = hear_message,
    [DP_FOREIGN] = take_foreign, [DP_TOO_SHORT] = ignore,   [DP_TOO_LONG] = ignore,
    [DP_BAD_PACKET] = ignore,    [DP_BAD_CONTROL] = ignore, [DP_LINK_LOCAL] = ignore,
};

static inline void
read_frame(struct dp_node *d, uint32_t port, weir_ps at, const struct dp_frame *frame,
           struct dp_parsed *p)
{
    struct dp_amount *in = &d->ports[port].crossed.in;

    if (d->tap) {
        d->tap(d->tap_arg, d->io_port + port, frame, at, false);
    }
    dp_frame_read(&d->network, frame->bytes, frame->len, p);
    d->counts.n_whats[p->what]++;
    dp_frame_has_crossed(in, frame);
    if (p->what == DP_PACKET) {
        dp_has_crossed(in, &p->packet);
    }
    in->n_controls += p->what == DP_CONTROL || p->what == DP_MESSAGE;
}

static __attribute__((noinline)) void
arrive(struct dp_node *d, uint32_t port, weir_ps at, struct dp_frame *frame)
{
    struct dp_parsed p;

    /* The node runs first, so that a tap receives frames in the order in which they leave. */
    sim_live_run(d->sim, at);
    read_frame(d, port, at, frame, &p);
    arrivals[p.what](d, port, at, frame, &p);
}

/* Parses all frames of a burst before the first is processed. Parsing writes the fields of a packet
 * one by one, and a processor stalls if it copies the whole struct right afterwards. Hot: once per
 * frame. */
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

/* Hot: once per frame. */
void
dp_arrive_next(struct dp_node *d, uint32_t port, struct dp_burst *b)
{
    struct dp_frame *frame = &b->frames[b->first];
    const struct dp_came *c = &b->came[b->first++];
    struct dp_amount *in = &d->ports[port].crossed.in;

    if (__builtin_expect(!c->is_packet, 0)) {
        arrive(d, port, frame->at, frame);
        return;
    }
    d->counts.n_whats[DP_PACKET]++;
    dp_frame_has_crossed(in, frame);
    dp_has_crossed(in, &c->packet);
    if (__builtin_expect(d->takes_all, 1)) {
        note_arrival(d, port, c->packet.cls, c->meant_ps);
        take_held(d, port, frame->at, &c->packet);
    } else {
        take_if_believed(d, port, frame->at, frame, &c->packet, c->meant_ps);
    }
}

bool
dp_arrive_early(struct dp_node *d, uint32_t port, struct dp_frame *frame, struct dp_parsed *p)
{
    read_frame(d, port, frame->at, frame, p);
    if (p->what == DP_PACKET || p->what == DP_FOREIGN) {
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

/* Counts a frame as late if it should have arrived before the end. It was received only now, so it
 * is at least this late. */
static void
note_overdue(struct dp_node *d, weir_ps meant_ps)
{
    if (d->has_common_clock && meant_ps < d->now_ps) {
        dp_was_late(&d->counts.frames, d->now_ps - meant_ps);
    }
}

void
dp_arrive_late(struct dp_node *d, uint32_t port, struct dp_frame *frame)
{
    struct dp_parsed p;

    read_frame(d, port, d->now_ps, frame, &p);
    if (p.what == DP_PACKET && is_believed(d, port, &p.packet)) {
        note_overdue(d, p.meant_ps);
        sim_live_find(d->sim, port, &p.packet);
    }
    dp_drop(d, frame);
}
