/* Sends the frames of a node: held frames with changed fields, and new frames for packets and
 * control. */

#include "dataplane/frame-parts.h"
#include "dataplane/inside.h"

static __attribute__((noinline, cold)) void
refuse(struct dp_node *d, struct dp_frame *frame, const struct sim_packet *packet)
{
    const struct weir_shape *shape = model_shape_like(sim_model(d->sim), d->node);

    d->counts.n_refused++;
    d->counts.n_refused_lossless += packet && weir_is_lossless(shape, packet->cls);
    dp_drop(d, frame);
}

/* Queues a frame for sending; 'packet' is null for a control frame.  Hot: once per frame. */
static inline void
leave(struct dp_node *d, uint32_t port, struct dp_frame *frame, const struct sim_packet *packet,
      weir_ps start, weir_ps at)
{
    if (d->tap) {
        frame->at = at;
        d->tap(d->tap_arg, d->io_port + port, frame, start, true);
    }
    if (!dp_tx_queue_push(&d->ports[port].wire, frame, at)) {
        refuse(d, frame, packet);
    }
}

/* Sends a held frame of a switch. Copies of a frame share its bytes, which must not be changed, so
 * they keep the class and the marks with which they arrived. Hot. */
void
dp_leave_frame(void *node, uint32_t port, const struct sim_packet *packet, weir_ps start,
               weir_ps at)
{
    struct dp_node *d = node;
    struct dp_held *held = &d->handles.items[packet->sequence];

    if (__builtin_expect(held->what == DP_PACKET, 1)) {
        dp_has_crossed(&d->ports[port].crossed.out, packet);
        rewrite_packet(held->frame.bytes, held->frame.len, packet, at);
    } else if (!held->is_shared) {
        dp_frame_rewrite_foreign(&d->network, held->frame.bytes, held->frame.len, packet);
    }
    leave(d, port, &held->frame, packet, start, at);
    dp_handle_end(&d->handles, packet->sequence);
}

/* Sends a packet of a NIC in a new frame. */
void
dp_leave_packet(void *node, uint32_t port, const struct sim_packet *packet, weir_ps start,
                weir_ps at)
{
    struct dp_node *d = node;
    struct dp_frame frame;

    dp_has_crossed(&d->ports[port].crossed.out, packet);
    if (!dp_make(d, (uint32_t)dp_frame_len(packet), d->max_held, &frame)) {
        d->counts.n_without_memory++;
        return;
    }
    dp_frame_write(&d->network, packet, at, frame.bytes);
    leave(d, port, &frame, packet, start, at);
}

void
dp_keep_spares(struct dp_node *d)
{
    while (d->max_frames == UINT32_MAX && d->n_spares < DP_N_SPARES &&
           dp_make(d, WEIR_ETHERNET_BYTES, d->max_frames, &d->spares[d->n_spares])) {
        d->n_spares++;
    }
}

static bool
make_control(struct dp_node *d, struct dp_frame *frame)
{
    if (dp_make(d, WEIR_ETHERNET_BYTES, d->max_frames, frame)) {
        dp_keep_spares(d);
        return true;
    }
    if (d->n_spares) {
        *frame = d->spares[--d->n_spares];
        return true;
    }
    d->counts.n_without_memory++;
    return false;
}

void
dp_leave_control(void *node, uint32_t port, const struct sim_frame *control, weir_ps start,
                 weir_ps at)
{
    struct dp_node *d = node;
    struct dp_port *p = &d->ports[port];
    struct dp_frame frame;

    p->crossed.out.n_controls++;
    if (!make_control(d, &frame)) {
        return;
    }
    dp_frame_write_control(&d->network, d->first_port + port, control, frame.bytes);
    if (control->to == SIM_NONE) {
        dp_asked(p->asked, &control->frame, p->rate_bps, d->now_ps, &d->counts.answers);
    }
    leave(d, port, &frame, NULL, start, at);
}

/* Drops the frame of a packet that the switch held. */
void
dp_leave_never(void *node, const struct sim_packet *packet)
{
    struct dp_node *d = node;

    dp_drop(d, &d->handles.items[packet->sequence].frame);
    dp_handle_end(&d->handles, packet->sequence);
}

/* Passes frames to the device and counts them, which is possible because they stay in the list
 * until the next push. */
static inline void
hand_over(struct dp_node *d, uint32_t port, weir_ps until)
{
    struct dp_port *p = &d->ports[port];
    const struct dp_frame *first = &p->wire.frames[p->wire.first];
    uint32_t n = dp_tx_queue_flush(&p->wire, &d->io, d->io_port + port, until);

    d->n_frames -= n;
    for (uint32_t i = 0; i < n; i++) {
        dp_frame_has_crossed(&p->crossed.out, &first[i]);
    }
}

/* The sequence number of a packet that the switch holds, read from its frame. */
uint32_t
dp_sequence_of(void *node, const struct sim_packet *packet)
{
    const struct dp_node *d = node;
    const struct dp_frame *frame = &d->handles.items[packet->sequence].frame;
    struct sim_packet held = { 0 };
    weir_ps meant_ps;

    dp_frame_read_packet(&d->network, frame->bytes, frame->len, &held, &meant_ps);
    return held.sequence;
}

void
dp_leave_due(struct dp_node *d, weir_ps until)
{
    for (uint32_t i = 0; i < d->n_ports; i++) {
        if (!dp_tx_queue_is_empty(&d->ports[i].wire)) {
            hand_over(d, i, until);
        }
    }
}
