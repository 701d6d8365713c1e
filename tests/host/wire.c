/* Ports of the second host: control frames first, then what the kind chooses, class by class. */

#include "frame.h"
#include "inner.h"

static void
take_wire(struct sim_thread *t, uint32_t port, uint32_t bytes, weir_ps now)
{
    const struct weir_shape *shape = &t->node.shape;

    t->node.ports[port].busy_ps =
        now + weir_wire_ps((uint64_t)bytes + shape->gap_bytes, shape->ports[port].rate_bps);
}

static void
send_control(struct sim_thread *t, uint32_t port, weir_ps now)
{
    static const uint8_t source[6] = { 0 };
    struct sim_port *p = &t->node.ports[port];
    uint8_t bytes[WEIR_ETHERNET_BYTES];

    const struct host_control *c = &p->control[p->first_control++];
    if (c->is_message) {
        frame_encode_message(&c->frame, &c->message, bytes);
    } else {
        weir_frame_to_ethernet(&c->frame, source, bytes);
    }
    if (p->first_control == p->n_control) {
        p->first_control = p->n_control = 0;
    }
    take_wire(t, port, WEIR_CONTROL_BYTES, now);
    t->config.sent(t->config.sent_arg, now, port, bytes, sizeof bytes);
}

/* A frame leaves, with what the switch has changed of its packet. */
static void
send_frame(struct sim_thread *t, uint32_t port, const struct sim_packet *packet,
           struct host_frame *frame, weir_ps now)
{
    frame_rewrite(frame->bytes, packet);
    take_wire(t, port, packet->bytes, now);
    t->node.ports[port].sent_bytes += packet->bytes;
    t->config.sent(t->config.sent_arg, now, port, frame->bytes, frame->len);
}

void
sim_port_send_held(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t held,
                   weir_ps now)
{
    send_frame(t, port, &n->pool[held].packet, n->frames[held], now);
}

bool
sim_port_is_idle(const struct sim_node *n, uint32_t port, weir_ps now)
{
    const struct sim_port *p = &n->ports[port];

    return p->busy_ps <= now && !p->active && !p->n_control;
}

void
sim_port_pass(struct sim_thread *t, struct sim_node *n, uint32_t port,
              const struct sim_packet *packet, weir_ps now)
{
    send_frame(t, port, packet, n->arriving, now);
    n->scheduling->served(n, port, packet->cls, packet->bytes);
}

/* The first class that may send does.  Returns when the first may if none does, else never. */
static weir_ps
send_packet(struct sim_thread *t, uint32_t port, weir_ps now)
{
    struct sim_node *n = &t->node;
    struct sim_port *p = &n->ports[port];
    uint8_t classes[SIM_MAX_ORDER];
    uint32_t n_order = n->scheduling->order(n, port, classes);
    uint64_t sent_before = p->sent_bytes;
    weir_ps soonest = WEIR_NEVER;

    for (uint32_t i = 0; i < n_order; i++) {
        if (!(p->active >> classes[i] & 1)) {
            continue;
        }
        weir_ps at = t->kind->send(t, n, port, classes[i], now);
        if (at <= now) {
            n->scheduling->served(n, port, classes[i], (uint32_t)(p->sent_bytes - sent_before));
            return WEIR_NEVER;
        }
        soonest = at < soonest ? at : soonest;
    }
    return soonest;
}

void
host_kick(struct sim_thread *t, uint32_t port, weir_ps now)
{
    struct sim_port *p = &t->node.ports[port];

    if (p->busy_ps <= now && p->n_control) {
        send_control(t, port, now);
    } else if (p->busy_ps <= now && p->active) {
        weir_ps again = send_packet(t, port, now);
        p->wake_ps = again == WEIR_NEVER ? p->wake_ps : again;
    }
    if (p->busy_ps > now && (p->active || p->n_control)) {
        p->wake_ps = p->busy_ps;
    }
}

void
host_wake(struct sim_thread *t, uint32_t port, weir_ps now)
{
    t->node.ports[port].wake_ps = WEIR_NEVER;
    host_kick(t, port, now);
}

void
sim_port_offer(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t cls, weir_ps now)
{
    n->ports[port].active |= (uint8_t)(1u << cls);
    host_kick(t, port, now);
}

void
sim_port_idle(struct sim_node *n, uint32_t port, uint32_t cls)
{
    n->ports[port].active &= (uint8_t) ~(1u << cls);
}
