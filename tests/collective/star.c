/* Runs collectives on an empty network, packet by packet (star.h). */

#include "star.h"

#include <stdlib.h>

#include "base/array.h"

enum { MAX_LINKS = 8 };
#define NOBODY UINT32_MAX

struct message {
    uint32_t from, to, tag, token;
    uint64_t unsent, in_flight; /* Bytes. */
    uint32_t next;              /* The next message of the same pair and channel. */
};

/* The messages of a pair and channel, at their sender. */
struct connection {
    uint32_t peer, channel, first, last; /* Messages. */
    uint32_t next;                       /* The next connection that has messages. */
};

struct member {
    struct coll_state *state;
    struct connection *connections;
    size_t n_connections, max_connections;
    uint32_t first, last; /* Connections that have messages, in the order of their turns. */
    bool is_sending;
    weir_ps free_ps[MAX_LINKS]; /* When its links towards the switch are free. */
    weir_ps down_ps;            /* When the link from the switch is free. */
    struct coll_step *receives; /* Posted. */
    size_t n_receives, max_receives;
    uint32_t *early; /* Messages that no receive expects yet. */
    size_t n_early, max_early;
};

/* Events.  A packet knows its message. */
struct event {
    weir_ps at_ps;
    uint64_t number; /* At one instant the event that was added first comes first. */
    enum { LEFT, AT_SWITCH, ARRIVED } kind;
    uint32_t message;
    uint64_t bytes;
};

struct run {
    const struct star *star;
    const struct coll_params *p;
    struct member *members;
    struct message *messages;
    size_t n_messages, max_messages;
    struct event *events; /* A heap. */
    size_t n_events, max_events;
    uint64_t n_added;
    weir_ps now, end_ps;
};

weir_ps
star_packet_ps(const struct star *star, uint64_t bytes)
{
    return (weir_ps)(bytes + star->gap_bytes) * star->byte_ps;
}

static uint64_t
smallest(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

weir_ps
star_wire_ps(const struct star *star, uint64_t bytes)
{
    uint64_t m = bytes ? bytes : star->min_bytes;

    return (weir_ps)(m + star->gap_bytes * ((m + star->mtu_bytes - 1) / star->mtu_bytes)) *
           star->byte_ps;
}

weir_ps
star_message_ps(const struct star *star, uint64_t bytes)
{
    uint64_t first = smallest(bytes ? bytes : star->min_bytes, star->mtu_bytes);

    return star->links * star->delay_ps + star_wire_ps(star, bytes) +
           (star->links - 1) * star_packet_ps(star, first);
}

static bool
is_before(const struct event *a, const struct event *b)
{
    return a->at_ps < b->at_ps || (a->at_ps == b->at_ps && a->number < b->number);
}

static void
add_event(struct run *r, struct event e)
{
    size_t i = r->n_events;

    e.number = r->n_added++;
    ARRAY_PUSH(r->events, r->n_events, r->max_events) = e;
    for (; i && is_before(&e, &r->events[(i - 1) / 2]); i = (i - 1) / 2) {
        r->events[i] = r->events[(i - 1) / 2];
    }
    r->events[i] = e;
}

static struct event
take_event(struct run *r)
{
    const struct event first = r->events[0], last = r->events[--r->n_events];
    size_t i = 0;

    for (size_t child; (child = 2 * i + 1) < r->n_events; i = child) {
        child += child + 1 < r->n_events && is_before(&r->events[child + 1], &r->events[child]);
        if (!is_before(&r->events[child], &last)) {
            break;
        }
        r->events[i] = r->events[child];
    }
    r->events[i] = last;
    return first;
}

/* The connection of a member with its next turn sends a packet. */
static void
send_packet(struct run *r, struct member *m)
{
    if (m->is_sending || m->first == NOBODY) {
        return;
    }
    struct connection *c = &m->connections[m->first];
    struct message *message = &r->messages[c->first];
    uint64_t bytes = smallest(message->unsent, r->star->mtu_bytes);
    weir_ps packet_ps = star_packet_ps(r->star, bytes);

    m->is_sending = true;
    m->free_ps[0] = r->now + packet_ps;
    add_event(r, (struct event){ m->free_ps[0], 0, LEFT, c->first, bytes });
    weir_ps at_ps = m->free_ps[0] + r->star->delay_ps;
    for (uint32_t i = 1; i < r->star->links - 1; i++) {
        m->free_ps[i] = (at_ps > m->free_ps[i] ? at_ps : m->free_ps[i]) + packet_ps;
        at_ps = m->free_ps[i] + r->star->delay_ps;
    }
    add_event(r, (struct event){ at_ps, 0, AT_SWITCH, c->first, bytes });
}

static void
append_connection(struct member *m, uint32_t i)
{
    m->connections[i].next = NOBODY;
    if (m->first == NOBODY) {
        m->first = i;
    } else {
        m->connections[m->last].next = i;
    }
    m->last = i;
}

static uint32_t
connection_to(struct member *m, uint32_t peer, uint32_t channel)
{
    for (uint32_t i = 0; i < m->n_connections; i++) {
        if (m->connections[i].peer == peer && m->connections[i].channel == channel) {
            return i;
        }
    }
    ARRAY_PUSH(m->connections, m->n_connections, m->max_connections) =
        (struct connection){ peer, channel, NOBODY, NOBODY, NOBODY };
    return (uint32_t)m->n_connections - 1;
}

static void
post_send(struct run *r, uint32_t me, const struct coll_step *step)
{
    struct member *m = &r->members[me];
    uint32_t i = connection_to(m, step->peer, step->channel), number = (uint32_t)r->n_messages;
    struct connection *c = &m->connections[i];
    uint64_t bytes = step->bytes ? step->bytes : r->star->min_bytes;

    ARRAY_PUSH(r->messages, r->n_messages, r->max_messages) =
        (struct message){ me, step->peer, step->tag, step->token, bytes, bytes, NOBODY };
    if (c->first == NOBODY) {
        c->first = number;
        append_connection(m, i);
    } else {
        r->messages[c->last].next = number;
    }
    c->last = number;
}

static bool
take_early(struct run *r, struct member *m, const struct coll_step *step)
{
    for (size_t i = 0; i < m->n_early; i++) {
        const struct message *message = &r->messages[m->early[i]];
        if (message->from == step->peer && message->tag == step->tag) {
            m->early[i] = m->early[--m->n_early];
            return true;
        }
    }
    return false;
}

static void
post_steps(struct run *r, uint32_t me)
{
    struct member *m = &r->members[me];
    struct coll_step step;

    while (coll_next(r->p, m->state, &step)) {
        if (step.kind == COLL_SEND) {
            post_send(r, me, &step);
        } else if (take_early(r, m, &step)) {
            coll_ended(r->p, m->state, step.token);
        } else {
            ARRAY_PUSH(m->receives, m->n_receives, m->max_receives) = step;
        }
    }
    send_packet(r, m);
}

/* The connection of a packet that has left waits for its next turn. */
static void
packet_left(struct run *r, const struct event *e)
{
    struct message *message = &r->messages[e->message];
    uint32_t me = message->from, i = r->members[me].first;
    struct member *m = &r->members[me];
    struct connection *c = &m->connections[i];

    m->is_sending = false;
    m->first = c->next;
    message->unsent -= e->bytes;
    if (!message->unsent) {
        c->first = message->next;
        coll_ended(r->p, m->state, message->token);
    }
    if (c->first != NOBODY) {
        append_connection(m, i);
    }
    post_steps(r, me);
}

static void
message_arrived(struct run *r, uint32_t number)
{
    const struct message *message = &r->messages[number];
    struct member *m = &r->members[message->to];

    for (size_t i = 0; i < m->n_receives; i++) {
        const struct coll_step step = m->receives[i];
        if (step.peer == message->from && step.tag == message->tag) {
            m->receives[i] = m->receives[--m->n_receives];
            coll_ended(r->p, m->state, step.token);
            post_steps(r, message->to);
            return;
        }
    }
    ARRAY_PUSH(m->early, m->n_early, m->max_early) = number;
}

static void
take(struct run *r, const struct event *e)
{
    struct message *message = &r->messages[e->message];
    struct member *to = &r->members[message->to];

    r->now = e->at_ps;
    switch (e->kind) {
    case LEFT:
        packet_left(r, e);
        break;
    case AT_SWITCH:
        to->down_ps =
            (r->now > to->down_ps ? r->now : to->down_ps) + star_packet_ps(r->star, e->bytes);
        add_event(
            r, (struct event){ to->down_ps + r->star->delay_ps, 0, ARRIVED, e->message, e->bytes });
        break;
    case ARRIVED:
        message->in_flight -= e->bytes;
        r->end_ps = r->now;
        if (!message->in_flight) {
            message_arrived(r, e->message);
        }
        break;
    }
}

static void
start_all(struct run *r)
{
    for (uint32_t i = 0; i < r->p->n; i++) {
        r->members[i].first = NOBODY;
        r->members[i].state = malloc(coll_state_bytes(r->p));
        coll_start(r->p, r->members[i].state, i);
    }
    for (uint32_t i = 0; i < r->p->n; i++) {
        post_steps(r, i);
    }
}

/* Frees a member; returns whether it was done. */
static bool
finish(struct member *m)
{
    bool is_done = coll_is_done(m->state) && !m->n_early && !m->n_receives;

    free(m->state);
    free(m->connections);
    free(m->receives);
    free(m->early);
    return is_done;
}

weir_ps
star_run(const struct star *star, const struct coll_params *p)
{
    struct run r = { .star = star, .p = p, .members = calloc(p->n, sizeof *r.members) };

    start_all(&r);
    while (r.n_events) {
        const struct event e = take_event(&r);
        take(&r, &e);
    }
    for (uint32_t i = 0; i < p->n; i++) {
        r.end_ps = finish(&r.members[i]) ? r.end_ps : WEIR_NEVER;
    }
    free(r.members);
    free(r.messages);
    free(r.events);
    return r.end_ps;
}
