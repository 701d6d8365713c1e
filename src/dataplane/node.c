/* The loop of a node on real ports, in real time and in virtual time. */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dataplane/inside.h"
#include "packet/packet.h"
#include "topo/topo.h"

/* The time between checks whether devices are up. */
#define LOOK_PS ((weir_ps)10000000000)

/* If the time between two polls is at least LONG_PS, a port may have received more than one burst.
 * The node then takes up to MOST_BURSTS bursts of a port at one poll. */
#define LONG_PS ((weir_ps)100000000)
enum { MOST_BURSTS = 16 };

/* The maximum number of control frames that wait in the node, because any sender may send some. */
enum { MAX_CONTROL = 4096 };

/* Creating and freeing a node. */

static void
start_port(struct dp_node *d, uint32_t port)
{
    const struct topo *topo = d->network.topo;

    d->ports[port].rate_bps = topo->links[topo->ports[d->first_port + port].link].rate_bps;
    d->ports[port].byte_ps = 8 * (uint64_t)WEIR_PS_PER_S / d->ports[port].rate_bps;
    d->ports[port].is_up = true;
}

static void
start_ports(struct dp_node *d)
{
    const struct topo_node *node = &d->network.topo->nodes[d->node];

    d->is_switch = node->kind == TOPO_SWITCH;
    d->first_port = node->first_port;
    d->n_ports = node->n_ports;
    d->ports = array_new(d->n_ports, sizeof *d->ports);
    d->next_ps = array_new(d->n_ports, sizeof *d->next_ps);
    d->flooded = array_new(d->n_ports, sizeof *d->flooded);
    for (uint32_t i = 0; i < d->n_ports; i++) {
        start_port(d, i);
    }
    d->stations = d->is_switch ? dp_stations_new(d->network.topo, d->node) : NULL;
}

static struct sim *
start_sim(struct dp_node *d, const struct dp_config *config, struct err *err)
{
    struct sim_config sim = config->sim;

    d->live = (struct sim_live){ .node = config->node,
                                 .watch_ps = config->watch_ps,
                                 .n_foreign = d->is_switch ? DP_N_FOREIGN : 0,
                                 .max_control = config->is_open ? MAX_CONTROL : 0,
                                 .arg = d,
                                 .sent = d->is_switch ? dp_leave_frame : dp_leave_packet,
                                 .sent_frame = dp_leave_control,
                                 .gone = dp_leave_never,
                                 .sequence = d->is_switch ? dp_sequence_of : NULL };
    sim.live = &d->live;
    return sim_new(&sim, config->model, err);
}

static void
set_limits(struct dp_node *d, uint32_t max_frames)
{
    uint32_t n_controls = max_frames / 2 < DP_N_CONTROLS ? max_frames / 2 : DP_N_CONTROLS;

    d->max_frames = max_frames ? max_frames : UINT32_MAX;
    d->max_held = max_frames ? max_frames - n_controls : UINT32_MAX;
}

struct dp_node *
dp_node_new(const struct dp_config *config, struct err *err)
{
    struct dp_node *d = array_new(1, sizeof *d);

    d->network = config->network;
    d->io = *config->io;
    d->io_port = config->io_port;
    d->node = config->node;
    d->keeps_wire_time = config->keeps_wire_time;
    d->has_common_clock = config->has_common_clock;
    d->tap = config->tap;
    d->tap_arg = config->tap_arg;
    d->first_broken_ns = -1;
    set_limits(d, config->max_frames);
    start_ports(d);
    dp_keep_spares(d);
    d->sim = start_sim(d, config, err);
    if (!d->sim) {
        dp_node_free(d);
        return NULL;
    }
    d->takes_all = d->is_switch && sim_live_believes_all(d->sim);
    return d;
}

static void
free_waiting(struct dp_node *d, struct dp_waitings *w)
{
    while (w->first < w->n) {
        dp_drop(d, &w->items[w->first++].frame);
    }
    free(w->items);
}

void
dp_node_free(struct dp_node *d)
{
    if (!d) {
        return;
    }
    if (d->sim) {
        sim_free(d->sim);
    }
    for (uint32_t i = 0; i < d->n_ports; i++) {
        d->n_frames -= dp_tx_queue_drop(&d->ports[i].wire, &d->io);
        dp_tx_queue_free(&d->ports[i].wire, &d->io);
        free_waiting(d, &d->ports[i].waiting);
    }
    while (d->n_spares) {
        dp_drop(d, &d->spares[--d->n_spares]);
    }
    d->n_frames -= (uint32_t)(d->handles.n - d->handles.n_free);
    dp_handles_free(&d->handles, &d->io);
    assert(!d->n_frames);
    dp_stations_free(d->stations);
    free(d->ports);
    free(d->flooded);
    free(d->next_ps);
    free(d);
}

struct sim *
dp_node_sim(struct dp_node *d)
{
    return d->sim;
}

bool
dp_node_is_up(const struct dp_node *d, uint32_t port)
{
    return d->ports[port].is_up;
}

uint32_t
dp_node_n_link_changes(const struct dp_node *d)
{
    return d->n_link_changes;
}

/* Running in real time. */

/* Handles a change of a link. Frames queued at a port that goes down are lost, and stations learned
 * there are forgotten, because they may move. */
static void
change_link(struct dp_node *d, uint32_t port, bool is_up, weir_ps now)
{
    struct dp_port *p = &d->ports[port];

    p->is_up = is_up;
    d->n_link_changes++;
    if (!is_up) {
        p->crossed.n_downs++;
        uint32_t n = dp_tx_queue_drop(&p->wire, &d->io);
        d->counts.n_refused += n;
        d->n_frames -= n;
        if (d->is_switch) {
            dp_stations_forget(d->stations, port);
        }
    }
    sim_live_set_link(d->sim, port, is_up, now);
}

static uint64_t
missed_by(const struct dp_node *d, uint32_t port)
{
    return d->io.n_missed ? d->io.n_missed(d->io.arg, d->io_port + port) : 0;
}

static void
check_devices(struct dp_node *d, weir_ps now)
{
    d->n_down = 0;
    for (uint32_t i = 0; i < d->n_ports; i++) {
        bool is_up = d->io.is_up(d->io.arg, d->io_port + i);
        if (is_up != d->ports[i].is_up) {
            change_link(d, i, is_up, now);
        }
        d->n_down += !is_up;
    }
}

/* Makes the first poll. Devices are opened before the node runs, so frames that they dropped until
 * now do not count. A port that is down from the start gets no frames. */
static void
poll_first(struct dp_node *d, weir_ps now)
{
    for (uint32_t i = 0; i < d->n_ports; i++) {
        d->ports[i].n_missed = missed_by(d, i);
    }
    check_devices(d, now);
}

/* Drops foreign frames at ports that are down. Packets of flows wait there, as in the simulator.
 * Foreign frames may be obsolete when they arrive, and must not take buffer from ports that are
 * up. */
static __attribute__((noinline)) void
discard_foreign(struct dp_node *d, weir_ps now)
{
    for (uint32_t i = 0; i < d->n_ports && d->is_switch; i++) {
        if (!d->ports[i].is_up) {
            sim_live_discard_foreign(d->sim, i, now);
        }
    }
}

/* Advances the time, which never goes back, even if clocks do. */
static weir_ps
go_on(struct dp_node *d, weir_ps now)
{
    d->now_ps = now > d->now_ps ? now : d->now_ps;
    return d->now_ps;
}

/* Sets arrival times in a burst: frames arrived back to back at the rate of the link, the last one
 * now, and none before the previous poll. So a switch treats them as if it had polled at each
 * arrival. */
static void
space_out(struct dp_burst *b, uint64_t byte_ps, weir_ps after, weir_ps now)
{
    weir_ps at = now;

    for (uint32_t i = b->n; i-- > 0;) {
        b->frames[i].at = at;
        at -= (weir_ps)((b->frames[i].len + PACKET_FCS_BYTES) * byte_ps);
        at = at > after ? at : after;
    }
}

/* Receives a burst.  A sentinel after its last frame has the time WEIR_NEVER. */
static inline void
receive_burst(struct dp_node *d, uint32_t port, weir_ps before, weir_ps now)
{
    struct dp_burst *b = &d->ports[port].burst;

    b->n = dp_receive(d, port, b->frames);
    b->frames[b->n].at = WEIR_NEVER;
    space_out(b, d->ports[port].byte_ps, before, now);
    dp_arrive_read(d, b);
    b->first = 0;
    d->next_ps[port] = b->frames[0].at;
}

/* Finds the port whose next frame is the earliest before this time; at equal times, the first
 * port. */
static inline uint32_t
port_of_first(const struct dp_node *d, weir_ps before)
{
    uint32_t port = SIM_NONE;
    weir_ps at = before;

    for (uint32_t i = 0; i < d->n_ports; i++) {
        if (d->next_ps[i] < at) {
            at = d->next_ps[i];
            port = i;
        }
    }
    return port;
}

/* Hot: once per frame. */
static inline void
take_first(struct dp_node *d, uint32_t port)
{
    struct dp_burst *b = &d->ports[port].burst;

    d->next_ps[port] = b->frames[b->first + 1].at;
    dp_arrive_next(d, port, b);
}

static inline void
take_until(struct dp_node *d, weir_ps until)
{
    for (uint32_t port; (port = port_of_first(d, until + 1)) != SIM_NONE;) {
        take_first(d, port);
    }
}

/* Receives the first burst of a poll. If the burst is full although the link had time for more
 * frames, others may still be in the device. The frames of this burst arrived before those, so they
 * get earlier arrival times. */
static void
receive_first(struct dp_node *d, uint32_t port, weir_ps before, weir_ps now)
{
    struct dp_burst *b = &d->ports[port].burst;

    receive_burst(d, port, before, now);
    weir_ps spare_ps = b->frames[0].at - before -
                       (weir_ps)((b->frames[0].len + PACKET_FCS_BYTES) * d->ports[port].byte_ps);
    if (b->n < DP_BURST || spare_ps <= 0) {
        return;
    }
    for (uint32_t i = 0; i < b->n; i++) {
        b->frames[i].at -= spare_ps;
    }
    d->next_ps[port] -= spare_ps;
}

/* Reads the next burst of a port, if the current one has been processed. Returns the time up to
 * which all frames of the port are known: now, unless another burst may follow a full one. */
static weir_ps
known_until(struct dp_node *d, uint32_t port, weir_ps before, weir_ps now)
{
    struct dp_burst *b = &d->ports[port].burst;

    if (b->first == b->n && b->n_more) {
        b->n_more--;
        receive_first(d, port, before, now);
    }
    return b->n < DP_BURST || !b->n_more ? now : b->frames[b->n - 1].at;
}

/* Processes all bursts after a long time without a poll. Frames left for the next poll would get
 * arrival times between the two polls, at a higher rate than that of the link. So they are taken
 * now, burst after burst, up to the time for which the frames of all ports are known. */
static __attribute__((noinline, cold)) weir_ps
catch_up(struct dp_node *d, weir_ps before, weir_ps now)
{
    for (uint32_t port = 0; port < d->n_ports; port++) {
        d->ports[port].burst.n_more = MOST_BURSTS;
    }
    while (before < now) {
        weir_ps until = now;
        for (uint32_t port = 0; port < d->n_ports; port++) {
            weir_ps known = known_until(d, port, before, now);
            until = known < until ? known : until;
        }
        take_until(d, until);
        before = until;
    }
    return now;
}

void
dp_node_poll(struct dp_node *d, weir_ps polled)
{
    weir_ps before = d->now_ps, now = go_on(d, polled);

    if (before) {
        dp_was_late(&d->counts.polls, now - before);
    }
    if (__builtin_expect(!d->look_ps, 0)) {
        poll_first(d, before);
    }
    if (__builtin_expect(now - before > LONG_PS, 0)) {
        before = catch_up(d, before, now);
    }
    for (uint32_t i = 0; i < d->n_ports; i++) {
        receive_burst(d, i, before, now);
    }
    take_until(d, now);
    sim_live_run(d->sim, now);
    if (now >= d->look_ps) {
        check_devices(d, now);
        d->look_ps = now + LOOK_PS;
    }
    if (__builtin_expect(d->n_down, 0)) {
        discard_foreign(d, now);
    }
    dp_leave_due(d, d->keeps_wire_time ? now : WEIR_NEVER);
}

/* Running in virtual time. */

/* Appends a frame to the waiting frames. On a busy link the list is never empty. So when the list
 * is full and more than half of it has been taken, the rest is moved to its beginning. */
static void
push_waiting(struct dp_waitings *w, const struct dp_waiting *waiting)
{
    if (w->n == w->max && 2 * w->first > w->n) {
        w->n -= w->first;
        memmove(w->items, &w->items[w->first], w->n * sizeof *w->items);
        w->first = 0;
    }
    ARRAY_PUSH(w->items, w->n, w->max) = *waiting;
}

/* Keeps a frame until its arrival time. A frame without an arrival time arrives now. */
static void
keep_waiting(struct dp_node *d, uint32_t port, struct dp_frame *frame)
{
    struct dp_waiting waiting = { .frame = *frame };

    if (frame->at == WEIR_NEVER || frame->at < d->now_ps) {
        waiting.frame.at = d->now_ps;
    }
    if (dp_arrive_early(d, port, &waiting.frame, &waiting.parsed)) {
        push_waiting(&d->ports[port].waiting, &waiting);
    }
}

static void
receive_all(struct dp_node *d, uint32_t port)
{
    struct dp_frame frames[DP_BURST];
    uint32_t n;

    while ((n = dp_receive(d, port, frames)) > 0) {
        for (uint32_t i = 0; i < n; i++) {
            keep_waiting(d, port, &frames[i]);
        }
    }
}

/* Finds the port whose next packet is the earliest; at equal times, the first port. */
static uint32_t
port_of_next(const struct dp_node *d, weir_ps *at)
{
    uint32_t port = SIM_NONE;

    *at = WEIR_NEVER;
    for (uint32_t i = 0; i < d->n_ports; i++) {
        const struct dp_waitings *w = &d->ports[i].waiting;
        if (w->first < w->n && w->items[w->first].frame.at < *at) {
            *at = w->items[w->first].frame.at;
            port = i;
        }
    }
    return port;
}

static struct dp_waiting
take_waiting(struct dp_waitings *w)
{
    struct dp_waiting waiting = w->items[w->first++];

    if (w->first == w->n) {
        w->first = w->n = 0;
    }
    return waiting;
}

static void
receive_from_all(struct dp_node *d)
{
    for (uint32_t i = 0; i < d->n_ports; i++) {
        receive_all(d, i);
    }
}

weir_ps
dp_node_next(struct dp_node *d)
{
    weir_ps at, next;

    receive_from_all(d);
    port_of_next(d, &at);
    next = sim_live_next(d->sim);
    return at < next ? at : next;
}

void
dp_node_run(struct dp_node *d, weir_ps until)
{
    weir_ps at;

    receive_from_all(d);
    for (uint32_t port; (port = port_of_next(d, &at)) != SIM_NONE && at <= until;) {
        struct dp_waiting next = take_waiting(&d->ports[port].waiting);
        sim_live_run(d->sim, go_on(d, at));
        dp_arrive_now(d, port, at, &next.frame, &next.parsed);
    }
    sim_live_run(d->sim, go_on(d, until));
    dp_leave_due(d, WEIR_NEVER);
    /* The time advances before the next call, so frames that the port has not accepted now are
     * refused. */
    for (uint32_t i = 0; i < d->n_ports; i++) {
        d->counts.n_refused += d->ports[i].wire.n - d->ports[i].wire.first;
    }
}

/* The end of a run. */

/* Ends a node. If the node did not poll until the end, it was late. */
void
dp_node_end(struct dp_node *d, weir_ps now)
{
    if (d->look_ps && now > d->now_ps) {
        dp_was_late(&d->counts.polls, now - d->now_ps);
    }
    sim_live_run(d->sim, go_on(d, now));
    sim_live_end(d->sim, d->now_ps);
}

static void
drain_waiting(struct dp_node *d, uint32_t port)
{
    struct dp_waitings *w = &d->ports[port].waiting;

    while (w->first < w->n) {
        struct dp_waiting waiting = take_waiting(w);
        if (waiting.parsed.what == DP_PACKET) {
            sim_live_find(d->sim, port, &waiting.parsed.packet);
        }
        dp_drop(d, &waiting.frame);
    }
}

static void
drain_port(struct dp_node *d, uint32_t port)
{
    struct dp_frame frames[DP_BURST];
    uint32_t n, *n_late = &d->ports[port].n_late;

    drain_waiting(d, port);
    while (*n_late < DP_MAX_LATE && (n = dp_receive(d, port, frames)) > 0) {
        for (uint32_t i = 0; i < n; i++) {
            dp_arrive_late(d, port, &frames[i]);
        }
        *n_late += n;
    }
}

void
dp_node_drain(struct dp_node *d)
{
    dp_leave_due(d, WEIR_NEVER);
    for (uint32_t i = 0; i < d->n_ports; i++) {
        drain_port(d, i);
    }
}

/* The counts of a node. Frames are summed over ports. Pauses that have not ended are included with
 * their current response times. */
struct dp_counts
dp_node_counts(const struct dp_node *d)
{
    struct dp_counts counts = d->counts;

    counts.max_held = d->max_held;
    for (uint32_t i = 0; i < d->n_ports; i++) {
        counts.n_missed += dp_node_crossed(d, i).n_missed;
        counts.n_sent += d->ports[i].crossed.out.n_frames;
        counts.n_received += d->ports[i].crossed.in.n_frames;
        for (uint32_t c = 0; c < WEIR_MAX_CLASSES; c++) {
            dp_answered(&d->ports[i].asked[c], &counts.answers);
        }
    }
    return counts;
}

struct dp_crossed
dp_node_crossed(const struct dp_node *d, uint32_t port)
{
    struct dp_crossed crossed = d->ports[port].crossed;

    crossed.n_missed = missed_by(d, port) - d->ports[port].n_missed;
    return crossed;
}
