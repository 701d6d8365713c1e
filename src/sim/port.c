/* Starts packets and frames onto the wires of ports.
 *
 * A port starts its next packet or frame when its wire is free.  Control frames go first, frames
 * for the peer before messages for other nodes.  Packets follow, of the class that the node chooses
 * among those whose gates are open.  If all must wait, the port wakes when the first of them may
 * start. */

#include "sim/flow-ends.h"
#include "sim/observers.h"
#include "sim/scheduler.h"
#include "sim/wires.h"

static __attribute__((noinline)) void
wake_far_off(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps at)
{
    if (at != WEIR_NEVER && at < n->far_ps[port]) {
        n->far_ps[port] = at;
        sim_post(t, &(struct sim_mail){
                        .at = at, .node = n->id, .port = (uint16_t)port, .event = SIM_TX });
    }
}

/* Lets a port wake at a time.  A port that will wake in a coming window has a bit set in that
 * window.  A wake-up in the current window is added to the events of the node, without mail.  If
 * the port changes the time, the old event, bit or mail has no effect, because its time is no
 * longer 'wake_ps'.  A pause ends far in the future and rarely runs out, so one item of mail per
 * port is enough.
 *
 * Hot: once per packet, at ports that have more to send. */
static inline void
wake_at(struct sim_thread *t, struct sim_node *n, struct sim_port *p, uint32_t port, weir_ps at)
{
    int64_t window = at >> t->window_bits, ahead = window - t->window;

    p->wake_ps = at;
    if (ahead == 0) {
        sim_insert_wake(t, port, at);
    } else if (ahead < t->reach) {
        struct sim_due *due = &t->due[window & t->ring_mask];
        due->wakes[n->first_word + port / 64] |= (uint64_t)1 << port % 64;
        sim_set_busy(due, n->local);
    } else {
        wake_far_off(t, n, port, at);
    }
}

void
sim_port_wake_at(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps at)
{
    struct sim_port *p = &n->ports[port];

    if (p->wake_ps != at && at != WEIR_NEVER) {
        wake_at(t, n, p, port, at);
    }
}

/* Called when mail that wakes a port has arrived.  If the port has meanwhile set another time far
 * in the future, no mail was written for that time, so the mail is written now. */
void
sim_port_wake(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    struct sim_port *p = &n->ports[port];
    weir_ps at = p->wake_ps;

    if (n->far_ps[port] == now) {
        n->far_ps[port] = WEIR_NEVER;
    }
    if (at == now) {
        sim_node_wake(t, n, port, now);
    } else if (at != WEIR_NEVER) {
        p->wake_ps = WEIR_NEVER;
        sim_port_wake_at(t, n, port, at);
    }
}

static void
see_if_swift(struct sim_port *p)
{
    p->is_swift = p->is_plain && p->byte_ps && p->peer_local != SIM_NONE;
}

void
sim_port_set_up(struct sim_node *n, uint32_t port, bool up)
{
    struct sim_port *p = &n->ports[port];

    p->up = up;
    p->is_plain = up && !n->losses[port] && !p->is_captured;
    see_if_swift(p);
}

void
sim_port_set_rate(struct sim_node *n, uint32_t port, uint64_t rate_bps)
{
    uint64_t byte_ps = 8 * (uint64_t)WEIR_PS_PER_S / rate_bps;
    bool is_exact = byte_ps <= UINT32_MAX && byte_ps * rate_bps == 8 * (uint64_t)WEIR_PS_PER_S;

    n->ports[port].byte_ps = is_exact ? (uint32_t)byte_ps : 0;
    n->line_bps[port] = rate_bps;
    see_if_swift(&n->ports[port]);
}

void
sim_port_marked(struct sim_node *n, uint32_t port)
{
    n->results[port].n_marked++;
}

static bool
is_lost(struct sim_node *n, uint32_t port)
{
    return !n->ports[port].up ||
           (n->losses[port] && weir_random(&n->chance) % WEIR_RATIO_1 < n->losses[port]);
}

/* At a port that is not plain: returns true if a packet that starts here is not lost.  Not inline,
 * because that would cost every other port nine instructions per hop. */
static __attribute__((noinline)) bool
survives_link(struct sim_thread *t, struct sim_node *n, uint32_t port,
              const struct sim_packet *packet, const struct sim_frame *frame, weir_ps now)
{
    if (n->ports[port].is_captured) {
        sim_capture(t, n, port, packet, frame, true, now);
    }
    if (is_lost(n, port)) {
        sim_lose(t, n, port, packet, now);
        return false;
    }
    return true;
}

static __attribute__((noinline)) bool
frame_survives_link(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t frame,
                    weir_ps now)
{
    struct sim_packet packet = sim_frame_packet(&t->frames[frame]);

    return survives_link(t, n, port, &packet, &t->frames[frame], now);
}

/* The frame after which a new frame for the peer is queued: the last frame for the peer, or
 * none. */
static uint32_t
last_for_peer(const struct sim_thread *t, const struct sim_port *p)
{
    uint32_t last = SIM_NONE;

    for (uint32_t i = p->frames_head; i != SIM_NONE && !sim_is_message(&t->frames[i]);
         i = t->frames[i].next) {
        last = i;
    }
    return last;
}

/* Queues a frame for the peer before all messages.  Headroom is computed for a frame that waits for
 * one packet, not for any number of messages. */
static __attribute__((noinline)) void
insert_before_messages(struct sim_thread *t, struct sim_port *p, uint32_t frame)
{
    uint32_t last = last_for_peer(t, p);
    uint32_t *link = last == SIM_NONE ? &p->frames_head : &t->frames[last].next;

    t->frames[frame].next = *link;
    *link = frame;
}

void
sim_port_queue_frame(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t frame)
{
    struct sim_port *p = &n->ports[port];
    uint32_t *last = &n->last_frame[port];

    __builtin_prefetch(&n->results[port].n_frames_sent);
    if (p->frames_head == SIM_NONE) {
        p->frames_head = frame;
    } else if (sim_is_message(&t->frames[*last]) && !sim_is_message(&t->frames[frame])) {
        insert_before_messages(t, p, frame);
        return;
    } else {
        t->frames[*last].next = frame;
    }
    *last = frame;
}

void
sim_port_forget_frames(struct sim_thread *t, struct sim_node *n, uint32_t port)
{
    struct sim_port *p = &n->ports[port];

    while (p->frames_head != SIM_NONE) {
        uint32_t frame = p->frames_head;
        const struct sim_frame *f = &t->frames[frame];
        n->results[port].n_messages_dropped += sim_is_message(f) && sim_is_to_nic(t, f);
        p->frames_head = f->next;
        sim_frame_free(t, frame);
    }
}

/* Sends the next control frame. The destination of a message needs its response time, like any node
 * that receives a frame; nodes before it only forward the message. */
static __attribute__((noinline)) void
send_frame(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    const struct sim_live *live = t->sim->config.live;
    struct sim_port *p = &n->ports[port];
    uint32_t frame = p->frames_head;

    p->frames_head = t->frames[frame].next;
    p->busy_ps = now + sim_port_wire_ps(n, port, WEIR_CONTROL_BYTES);
    n->results[port].n_frames_sent++;
    t->n_hops++;
    if (!p->is_plain && !frame_survives_link(t, n, port, frame, now)) {
        sim_frame_free(t, frame);
        return;
    }
    if (live) {
        live->sent_frame(live->arg, port, &t->frames[frame], now, p->busy_ps + p->delay_ps);
        sim_frame_free(t, frame);
        return;
    }
    bool goes_on = sim_is_message(&t->frames[frame]) && t->frames[frame].to != p->peer_node;
    weir_ps response_ps =
        goes_on ? 0 : model_response_ps(&t->sim->model, p->peer_node, p->peer_port);
    sim_post(t, &(struct sim_mail){ .at = p->busy_ps + p->delay_ps + response_ps,
                                    .node = p->peer_node,
                                    .port = p->peer_port,
                                    .event = goes_on ? SIM_MESSAGE : SIM_FRAME,
                                    .key = frame });
}

/* The slow path of sim_port_send(): to a node of another thread or process, into a distant window,
 * or through a port that is not plain or whose time per byte is no whole number. */
static __attribute__((noinline)) void
send_with_care(struct sim_thread *t, struct sim_node *n, uint32_t port,
               const struct sim_packet *packet, weir_ps now)
{
    const struct sim_live *live = t->sim->config.live;
    struct sim_port *p = &n->ports[port];

    p->busy_ps = now + sim_port_wire_ps(n, port, packet->bytes);
    p->sent_bytes += packet->bytes;
    p->n_sent++;
    t->n_hops++;
    if (!p->is_plain && !survives_link(t, n, port, packet, NULL, now)) {
        return;
    }
    if (live) {
        live->sent(live->arg, port, packet, now, p->busy_ps + p->delay_ps);
    } else {
        sim_post(t, &(struct sim_mail){ .at = p->busy_ps + p->delay_ps,
                                        .node = p->peer_node,
                                        .port = p->peer_port,
                                        .event = SIM_PACKET,
                                        .packet = *packet });
    }
}

/* Hot: once per packet-hop.  The function writes the mail to its final location and calls no other
 * function, so that no register has to be saved. */
void
sim_port_send(struct sim_thread *t, struct sim_node *n, uint32_t port,
              const struct sim_packet *packet, weir_ps now)
{
    struct sim_port *p = &n->ports[port];
    weir_ps busy_ps = now + (weir_ps)(packet->bytes + n->gap_bytes) * p->byte_ps;
    weir_ps at = busy_ps + p->delay_ps;
    int64_t window = at >> t->window_bits;

    if (!p->is_swift || window - t->window >= t->reach || t->chunk_free == SIM_NONE) {
        send_with_care(t, n, port, packet, now);
        return;
    }
    p->busy_ps = busy_ps;
    p->sent_bytes += packet->bytes;
    p->n_sent++;
    t->n_hops++;
    uint32_t place = sim_inbox_place(t, &t->due[window & t->ring_mask], p->peer_local);
    struct sim_mail *m = &t->mails[place];
    m->at = at;
    m->port = p->peer_port;
    m->event = SIM_PACKET;
    m->packet = *packet;
}

/* Sends a packet of a class.  If it may not start now, returns the time at which it may. */
static weir_ps
send_of_class(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t cls, weir_ps now)
{
    uint64_t sent_before = n->ports[port].sent_bytes;
    weir_ps at = n->kind->send(t, n, port, cls, now);

    if (at <= now) {
        uint64_t bytes = n->ports[port].sent_bytes - sent_before;
        n->scheduling->served(n, port, cls, (uint32_t)bytes);
    }
    return at;
}

/* Sends a packet of the first class that may send.  Returns 'now', or the earliest time at which a
 * class may send. */
static __attribute__((noinline)) weir_ps
send_in_order(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    uint8_t classes[SIM_MAX_ORDER];
    uint32_t n_order = n->scheduling->order(n, port, classes);
    weir_ps soonest = WEIR_NEVER;

    for (uint32_t i = 0; i < n_order && soonest > now; i++) {
        if (n->ports[port].active >> classes[i] & 1) {
            weir_ps at = send_of_class(t, n, port, classes[i], now);
            soonest = at < soonest ? at : soonest;
        }
    }
    return soonest;
}

/* Sends a packet of the waiting classes. If only one class waits, there is nothing to choose. */
static __attribute__((noinline)) weir_ps
send_of_classes(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    uint32_t active = n->ports[port].active;

    return active & (active - 1) ? send_in_order(t, n, port, now)
                                 : send_of_class(t, n, port, (uint32_t)__builtin_ctz(active), now);
}

/* Starts a frame if one waits, else a packet.  If all packets must wait, the port wakes when the
 * first of them may start. */
static inline void
start_something(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    const struct sim_port *p = &n->ports[port];

    if (p->frames_head != SIM_NONE) {
        send_frame(t, n, port, now);
    } else if (p->active) {
        weir_ps at = n->n_classes == 1 ? n->kind->send(t, n, port, 0, now)
                                       : send_of_classes(t, n, port, now);
        if (at > now) {
            sim_port_wake_at(t, n, port, at);
        }
    }
}

/* Hot: once for each packet or frame. */
void
sim_port_start(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    struct sim_port *p = &n->ports[port];

    if (!p->up) {
        sim_port_is_down(t, n, port, now);
        return;
    }
    start_something(t, n, port, now);
    if (p->busy_ps > now && (p->active || p->frames_head != SIM_NONE) && p->wake_ps != p->busy_ps) {
        wake_at(t, n, p, port, p->busy_ps);
    }
}
