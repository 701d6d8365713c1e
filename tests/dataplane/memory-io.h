/* Ports in memory, for tests: a frame that is sent through a port arrives at the peer of that port,
 * in order, with the time at which it was sent.
 *
 *     struct memory_io *m = memory_io_new(topo.n_ports);
 *     memory_io_join(m, a, b);                             or, of a whole network,
 *     memory_io_join_all(m, &topo);
 *     struct memory_side side;
 *     struct dp_io io = memory_io_of(m, &side, first);     ports of one node, from 'first' on
 *     memory_io_put(m, port, bytes, len, at);              a frame arrives at a port
 *     memory_io_free(m);                                   fails if a frame was lost
 *
 * Ports of all nodes are in one table.  A port that leads nowhere keeps the frames that are sent
 * through it, for memory_io_get().  Memory can be scarce, and ports can be full or disappear. */

#ifndef TESTS_DATAPLANE_MEMORY_IO_H
#define TESTS_DATAPLANE_MEMORY_IO_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dataplane/io.h"
#include "topo/topo.h"

#define MEMORY_NOWHERE UINT32_MAX

struct memory_bytes { /* The bytes of a frame, which its copies share. */
    uint32_t n_users;
    uint8_t bytes[];
};

/* Frames that have arrived at a port and, for a port that leads nowhere, sent frames. */
struct memory_port {
    struct dp_frame *items, *sent;
    size_t first, n, max, first_sent, n_sent, max_sent;
    uint32_t peer;
    /* Frames that may wait at the peer or, if the port leads nowhere, be sent. */
    uint32_t max_waiting;
    uint64_t n_missed; /* Frames that the device reports as missed. */
    bool is_up;
    bool is_flooded; /* The port receives frames of zeros without end. */
};

struct memory_io {
    struct memory_port *ports;
    uint32_t n_ports;
    uint32_t n_frames, max_frames; /* The current and the maximum number of frames. */
    uint64_t n_drops;
};

struct memory_side { /* The ports of one node. */
    struct memory_io *io;
    uint32_t first_port;
};

static inline struct memory_io *
memory_io_new(size_t n_ports)
{
    struct memory_io *m = array_new(1, sizeof *m);

    m->ports = array_new(n_ports, sizeof *m->ports);
    m->n_ports = (uint32_t)n_ports;
    m->max_frames = UINT32_MAX;
    for (uint32_t i = 0; i < m->n_ports; i++) {
        m->ports[i].peer = MEMORY_NOWHERE;
        m->ports[i].max_waiting = UINT32_MAX;
        m->ports[i].is_up = true;
    }
    return m;
}

static inline void
memory_io_join(struct memory_io *m, uint32_t a, uint32_t b)
{
    m->ports[a].peer = b;
    m->ports[b].peer = a;
}

static inline void
memory_io_join_all(struct memory_io *m, const struct topo *topo)
{
    for (uint32_t i = 0; i < topo->n_ports; i++) {
        m->ports[i].peer = topo->ports[i].peer;
    }
}

static inline bool
memory_make(void *arg, uint32_t len, struct dp_frame *frame)
{
    struct memory_io *m = ((struct memory_side *)arg)->io;

    if (m->n_frames >= m->max_frames) {
        return false;
    }
    struct memory_bytes *own = malloc(sizeof *own + len);
    assert(own);
    m->n_frames++;
    own->n_users = 1;
    *frame = (struct dp_frame){ .bytes = own->bytes, .own = own, .at = WEIR_NEVER, .len = len };
    return true;
}

static inline bool
memory_copy(void *arg, const struct dp_frame *frame, struct dp_frame *copy)
{
    struct memory_io *m = ((struct memory_side *)arg)->io;

    if (m->n_frames >= m->max_frames) {
        return false;
    }
    m->n_frames++;
    ((struct memory_bytes *)frame->own)->n_users++;
    *copy = *frame;
    return true;
}

static inline void
memory_drop(void *arg, struct dp_frame *frame)
{
    struct memory_io *m = ((struct memory_side *)arg)->io;
    struct memory_bytes *own = frame->own;

    m->n_frames--;
    m->n_drops++;
    if (--own->n_users == 0) {
        free(own);
    }
}

static inline uint32_t
memory_receive(void *arg, uint32_t port, struct dp_frame *frames, uint32_t max)
{
    struct memory_side *side = arg;
    struct memory_port *p = &side->io->ports[side->first_port + port];
    uint32_t n = 0;

    while (n < max && p->first < p->n) {
        frames[n++] = p->items[p->first++];
    }
    if (p->first == p->n) {
        p->first = p->n = 0;
    }
    while (p->is_flooded && n < max && memory_make(arg, 60, &frames[n])) {
        memset(frames[n++].bytes, 0, 60);
    }
    return n;
}

/* Moves a frame that a port sends to its peer; returns false if there is no room. */
static inline bool
memory_carry(struct memory_io *m, struct memory_port *p, const struct dp_frame *frame)
{
    struct memory_port *to = p->peer == MEMORY_NOWHERE ? NULL : &m->ports[p->peer];
    size_t n_waiting = to ? to->n - to->first : p->n_sent - p->first_sent;

    if (!p->is_up || n_waiting >= p->max_waiting) {
        return false;
    }
    if (to) {
        ARRAY_PUSH(to->items, to->n, to->max) = *frame;
    } else {
        ARRAY_PUSH(p->sent, p->n_sent, p->max_sent) = *frame;
    }
    return true;
}

static inline uint32_t
memory_send(void *arg, uint32_t port, struct dp_frame *frames, uint32_t n)
{
    struct memory_side *side = arg;
    uint32_t n_taken = 0;

    while (n_taken < n &&
           memory_carry(side->io, &side->io->ports[side->first_port + port], &frames[n_taken])) {
        n_taken++;
    }
    return n_taken;
}

static inline bool
memory_is_up(void *arg, uint32_t port)
{
    struct memory_side *side = arg;

    return side->io->ports[side->first_port + port].is_up;
}

static inline uint64_t
memory_n_missed(void *arg, uint32_t port)
{
    struct memory_side *side = arg;

    return side->io->ports[side->first_port + port].n_missed;
}

static inline struct dp_io
memory_io_of(struct memory_io *m, struct memory_side *side, uint32_t first_port)
{
    *side = (struct memory_side){ m, first_port };
    return (struct dp_io){ .arg = side,
                           .receive = memory_receive,
                           .send = memory_send,
                           .make = memory_make,
                           .copy = memory_copy,
                           .drop = memory_drop,
                           .is_up = memory_is_up,
                           .n_missed = memory_n_missed };
}

/* Makes a frame with these bytes arrive at a port at a time, or at once if the time is WEIR_NEVER.
 */
static inline void
memory_io_put(struct memory_io *m, uint32_t port, const uint8_t *bytes, uint32_t len, weir_ps at)
{
    struct memory_side side = { m, 0 };
    struct memory_port *p = &m->ports[port];
    struct dp_frame *frame = &ARRAY_PUSH(p->items, p->n, p->max);
    bool is_made = memory_make(&side, len, frame);

    assert(is_made);
    (void)is_made;
    memcpy(frame->bytes, bytes, len);
    frame->at = at;
}

/* Takes the next frame that was sent through a port that leads nowhere; the caller drops the frame.
 * Returns false if there is none. */
static inline bool
memory_io_get(struct memory_io *m, uint32_t port, struct dp_frame *frame)
{
    struct memory_port *p = &m->ports[port];

    if (p->first_sent == p->n_sent) {
        return false;
    }
    *frame = p->sent[p->first_sent++];
    return true;
}

static inline void
memory_io_drop(struct memory_io *m, struct dp_frame *frame)
{
    struct memory_side side = { m, 0 };

    memory_drop(&side, frame);
}

/* Frees the ports and the frames that are in flight; all other frames must have been given back. */
static inline void
memory_io_free(struct memory_io *m)
{
    for (uint32_t i = 0; i < m->n_ports; i++) {
        struct memory_port *p = &m->ports[i];
        while (p->first < p->n) {
            memory_io_drop(m, &p->items[p->first++]);
        }
        while (p->first_sent < p->n_sent) {
            memory_io_drop(m, &p->sent[p->first_sent++]);
        }
        free(p->items);
        free(p->sent);
    }
    assert(m->n_frames == 0);
    free(m->ports);
    free(m);
}

#endif
