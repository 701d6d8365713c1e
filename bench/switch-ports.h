/* Ports for the benchmark of the software switch. They deliver packets of flows as fast as the
 * switch polls, from memory or from a driver that has empty frames.
 *
 * Control frames that a port sends to its peer come back to it, as if from a peer in the same
 * state, so that credits and rates are renewed. */

#ifndef BENCH_SWITCH_PORTS_H
#define BENCH_SWITCH_PORTS_H

#include <stdlib.h>
#include <string.h>

#include "dataplane/frame.h"
#include "dataplane/io.h"

enum { MTU = 1500, N_PORTS = 2, HEAD = 64, MAX_ECHOES = 32, N_POOL = 4096 };

/* Ports in memory, with a stack of free frames. */

struct pool {
    uint8_t *bytes;
    void *free[N_POOL];
    uint32_t n_free, len;
};

static inline uint32_t
pool_receive(void *arg, uint32_t port, struct dp_frame *frames, uint32_t max)
{
    struct pool *pool = arg;
    uint32_t n = max < pool->n_free ? max : pool->n_free;

    (void)port;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *bytes = pool->free[--pool->n_free];
        frames[i] =
            (struct dp_frame){ .bytes = bytes, .own = bytes, .at = WEIR_NEVER, .len = pool->len };
    }
    return n;
}

static inline uint32_t
pool_send(void *arg, uint32_t port, struct dp_frame *frames, uint32_t n)
{
    struct pool *pool = arg;

    (void)port;
    for (uint32_t i = 0; i < n; i++) {
        pool->free[pool->n_free++] = frames[i].own;
    }
    return n;
}

static inline bool
pool_make(void *arg, uint32_t len, struct dp_frame *frame)
{
    bool is_there = pool_receive(arg, 0, frame, 1);

    frame->len = len;
    return is_there;
}

static inline bool
pool_copy(void *arg, const struct dp_frame *frame, struct dp_frame *copy)
{
    (void)arg, (void)frame, (void)copy;
    return false; /* No frame of this benchmark is flooded. */
}

static inline void
pool_drop(void *arg, struct dp_frame *frame)
{
    pool_send(arg, 0, frame, 1);
}

static inline bool
pool_is_up(void *arg, uint32_t port)
{
    (void)arg, (void)port;
    return true;
}

static inline struct dp_io
pool_open(struct pool *pool, uint32_t len)
{
    *pool = (struct pool){ .bytes = malloc((size_t)N_POOL * DP_MAX_LEN), .len = len };
    for (uint32_t i = 0; i < N_POOL; i++) {
        pool->free[pool->n_free++] = pool->bytes + (size_t)i * DP_MAX_LEN;
    }
    return (struct dp_io){ .arg = pool,
                           .receive = pool_receive,
                           .send = pool_send,
                           .make = pool_make,
                           .copy = pool_copy,
                           .drop = pool_drop,
                           .is_up = pool_is_up };
}

/* Ports that fill received frames, and return the control frames that are sent through them. */

struct echo {
    uint8_t bytes[WEIR_ETHERNET_BYTES];
};

struct wires {
    struct dp_io io; /* The ports that own the frames. */
    uint8_t heads[N_PORTS][HEAD];
    uint32_t head_len;
    bool is_empty;  /* Frames are neither filled nor read. */
    bool is_silent; /* Only returned control frames are received. */
    struct echo echoes[N_PORTS][MAX_ECHOES];
    uint32_t n_echoes[N_PORTS];
    uint64_t n_came, n_left; /* Frames without returned control frames. */
};

static inline bool
is_control(const uint8_t *bytes)
{
    uint32_t type = (uint32_t)bytes[12] << 8 | bytes[13];

    return type == WEIR_ETHERTYPE_MAC_CONTROL || type == WEIR_ETHERTYPE_EXPERIMENTAL;
}

static __attribute__((noinline)) uint32_t
wires_echo(struct wires *w, uint32_t port, struct dp_frame *frames)
{
    uint32_t n = 0;

    while (n < w->n_echoes[port] && w->io.make(w->io.arg, WEIR_ETHERNET_BYTES, &frames[n])) {
        memcpy(frames[n].bytes, w->echoes[port][n].bytes, WEIR_ETHERNET_BYTES);
        n++;
    }
    w->n_echoes[port] = 0;
    return n;
}

static inline uint32_t
wires_receive(void *arg, uint32_t port, struct dp_frame *frames, uint32_t max)
{
    struct wires *w = arg;
    uint32_t first = w->n_echoes[port] ? wires_echo(w, port, frames) : 0, n = first;

    if (!w->is_silent) {
        n += w->io.receive(w->io.arg, port, frames + first, max - first);
    }
    for (uint32_t i = first; i < n && !w->is_empty; i++) {
        memcpy(frames[i].bytes, w->heads[port], w->head_len);
    }
    w->n_came += n - first;
    return n;
}

static inline uint32_t
wires_send(void *arg, uint32_t port, struct dp_frame *frames, uint32_t n)
{
    struct wires *w = arg;

    for (uint32_t i = 0; i < n && !w->is_empty; i++) {
        if (is_control(frames[i].bytes) && w->n_echoes[port] < MAX_ECHOES) {
            memcpy(w->echoes[port][w->n_echoes[port]++].bytes, frames[i].bytes,
                   WEIR_ETHERNET_BYTES);
        } else {
            w->n_left++;
        }
    }
    return w->io.send(w->io.arg, port, frames, n);
}

static inline bool
wires_make(void *arg, uint32_t len, struct dp_frame *frame)
{
    const struct wires *w = arg;
    return w->io.make(w->io.arg, len, frame);
}

static inline bool
wires_copy(void *arg, const struct dp_frame *frame, struct dp_frame *copy)
{
    const struct wires *w = arg;
    return w->io.copy(w->io.arg, frame, copy);
}

static inline void
wires_drop(void *arg, struct dp_frame *frame)
{
    const struct wires *w = arg;
    w->io.drop(w->io.arg, frame);
}

static inline bool
wires_is_up(void *arg, uint32_t port)
{
    const struct wires *w = arg;
    return w->io.is_up(w->io.arg, port);
}

static inline void
wires_fill_in(struct wires *w, const struct dp_network *network, uint32_t bytes)
{
    uint8_t frame[MTU];

    for (uint32_t flow = 0; flow < N_PORTS; flow++) {
        struct sim_packet packet = { .flow = flow, .bytes = (uint16_t)bytes, .kind = SIM_DATA };
        memset(frame, 0, sizeof frame);
        packet.dst = flow ? 0 : 1; /* The index of the other host. */
        dp_frame_write(network, &packet, WEIR_NEVER, frame);
        memcpy(w->heads[flow], frame, HEAD);
    }
    w->head_len = bytes - 4 < HEAD ? bytes - 4 : HEAD;
}

#endif
