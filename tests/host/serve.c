/* What kinds ask of the second host beside wires: engines are obeyed, ways found, packets that go
 * no further counted. */

#include <assert.h>

#include "base/array.h"
#include "inner.h"

/* Words for the peer go before messages. */
static void
queue_control(struct sim_port *p, const struct host_control *c)
{
    size_t i = p->n_control;

    ARRAY_PUSH(p->control, p->n_control, p->max_control) = *c;
    for (; i > p->first_control && p->control[i - 1].is_message && !c->is_message; i--) {
        p->control[i] = p->control[i - 1];
    }
    p->control[i] = *c;
}

uint32_t
host_pass_message(struct sim_thread *t, const struct host_control *c)
{
    const struct sim_packet like = { .flow = c->message.flow,
                                     .dst = c->message.dst & SIM_MAX_DST,
                                     .n_hops = c->message.n_hops,
                                     .bytes = WEIR_CONTROL_BYTES,
                                     .kind = SIM_CNP };
    uint32_t port = sim_output_port(t, &t->node, &like);

    if (port == SIM_NONE) {
        t->counts.n_messages_dropped++;
    } else {
        queue_control(&t->node.ports[port], c);
    }
    return port;
}

/* The port that has something to do, or SIM_NONE. */
static uint32_t
obey_one(struct sim_thread *t, struct sim_node *n, const struct weir_emit *e)
{
    struct host_control c = { .frame = e->frame };

    switch (e->kind) {
    case WEIR_TIMER:
        t->timers[e->key] = e->at;
        return SIM_NONE;
    case WEIR_MESSAGE:
        c.is_message = true;
        c.message = (struct frame_message){ t->config.flow_senders[e->key], e->key, 0 };
        return host_pass_message(t, &c);
    case WEIR_FRAME:
        queue_control(&n->ports[e->key], &c);
        return e->key;
    default:
        return e->key / n->n_classes;
    }
}

/* Ports start something after the outbox is read, as what they start may fill it again. */
void
sim_node_obey(struct sim_thread *t, struct sim_node *n, weir_ps now)
{
    uint64_t kicks = 0;

    for (uint32_t i = 0; i < t->outbox.n; i++) {
        uint32_t port = obey_one(t, n, &t->outbox.emits[i]);
        kicks |= port == SIM_NONE ? 0 : UINT64_C(1) << port;
    }
    t->outbox.n = 0;
    for (; kicks; kicks &= kicks - 1) {
        host_kick(t, (uint32_t)__builtin_ctzll(kicks), now);
    }
}

void
sim_node_expect(struct sim_thread *t, struct sim_node *n, uint32_t which, uint32_t port,
                uint32_t key, weir_ps at)
{
    (void)n;
    ARRAY_PUSH(t->own, t->n_own, t->max_own) = (struct sim_mail){
        .at = at, .port = (uint16_t)port, .event = (uint8_t)(SIM_OWN + which), .key = key
    };
}

void
sim_node_alarm(struct sim_thread *t, struct sim_node *n, weir_ps at)
{
    (void)t;
    n->alarm_ps = at < n->alarm_ps ? at : n->alarm_ps;
}

uint32_t
sim_output_port(const struct sim_thread *t, struct sim_node *n, const struct sim_packet *p)
{
    const struct host_config *c = &t->config;
    const struct host_ways *ways = p->dst < c->n_ways ? &c->ways[p->dst] : NULL;

    if (!ways || !ways->n) {
        return SIM_NONE;
    }
    return ways->n > 1 ? t->path_choice->choose(n, p, ways->ports, ways->n) : ways->ports[0];
}

/* host_new() takes no switch that is part of a fabric, so each is a fabric by itself: what it has
 * taken in, it has taken in here, */
uint32_t
sim_entry_of(const struct sim_thread *t, const struct sim_node *n, const struct sim_packet *p)
{
    (void)t, (void)n, (void)p;
    return SIM_NONE;
}

/* and nobody else waits for word of it. */
void
sim_message_send(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t to,
                 uint32_t flow, const struct weir_frame *f, weir_ps now)
{
    (void)t, (void)n, (void)port, (void)to, (void)flow, (void)f, (void)now;
    assert(!"a message for another switch");
}

uint32_t
sim_leaf_of(const struct sim_thread *t, const struct sim_node *n, const struct sim_packet *p)
{
    uint32_t leaf = p->dst < t->config.n_ways ? t->config.ways[p->dst].leaf : SIM_NONE;

    (void)n;
    return leaf < t->config.n_leaves ? leaf : SIM_NONE;
}

uint32_t
sim_n_leaves(const struct sim_thread *t)
{
    return t->config.n_leaves;
}

/* A frame may name any flow: one that nobody knows is hashed by its number. */
uint32_t
sim_key_of(const struct sim_node *n, const struct sim_packet *p)
{
    return p->flow < n->n_flow_keys ? n->flow_keys[p->flow] : p->flow;
}

/* Its sender counted on room for it: engines hear that it came, and that it is gone. */
static void
turn_away(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    struct weir_pkt pkt = { .bytes = m->packet.bytes,
                            .in_port = m->port,
                            .out_port = m->port,
                            .cls = m->packet.cls,
                            .flow = m->packet.flow,
                            .unit = WEIR_NO_UNIT,
                            .output_unit = WEIR_NO_UNIT };

    weir_node_arrived(&n->weir, m->at, &pkt);
    sim_node_obey(t, n, m->at);
    if (weir_has_stages(&n->shape)) {
        weir_node_forwarded(&n->weir, m->at, &pkt);
    } else {
        weir_node_departed(&n->weir, m->at, &pkt);
    }
    sim_node_obey(t, n, m->at);
}

void
sim_drop_refused(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m,
                 enum weir_admission how)
{
    (void)n, (void)m, (void)how;
    t->counts.n_refused++;
}

void
sim_drop_unroutable(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    t->counts.n_without_way++;
    turn_away(t, n, m);
}

void
sim_drop_expired(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    t->counts.n_late++;
    turn_away(t, n, m);
}

void
sim_drop_unclassed(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    (void)n, (void)m;
    t->counts.n_without_class++;
}

void
sim_drop_stranded(struct sim_thread *t, struct sim_node *n, uint32_t port,
                  const struct sim_packet *packet, weir_ps now)
{
    (void)n, (void)port, (void)packet, (void)now;
    t->counts.n_without_way++;
}

void
sim_drop_overflowing(struct sim_thread *t, struct sim_node *n, uint32_t port,
                     const struct sim_packet *packet, weir_ps now)
{
    (void)n, (void)port, (void)packet, (void)now;
    t->counts.n_overflowed++;
}

void
sim_drop_discarded(struct sim_thread *t, struct sim_node *n, uint32_t port,
                   const struct sim_packet *packet, weir_ps now)
{
    (void)n, (void)port, (void)packet, (void)now;
    t->counts.n_discarded++;
}
