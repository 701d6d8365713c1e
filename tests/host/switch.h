/* A switch in virtual time that takes frames and sends frames: a second host for the kinds of nodes
 * that the simulator has, and nothing else of the simulator.
 *
 *     struct sim_thread *sw = host_new(&config);
 *     host_receive(sw, at, port, bytes, len);     as many as come, in any order
 *     host_run(sw, until);                        tells config.sent of each frame that leaves
 *     host_free(sw);
 *
 * It is a library of its own, as its kinds have the names that the simulator's have. */

#ifndef TESTS_HOST_SWITCH_H
#define TESTS_HOST_SWITCH_H

#include "weir/node.h"

#define HOST_API __attribute__((visibility("default")))

struct host_ways { /* Ports to a destination, as good as each other. */
    const uint16_t *ports;
    uint32_t n;    /* 0: there is no way. */
    uint32_t leaf; /* Where they lead; none, if not under 'n_leaves': to a host of this switch. */
};

struct host_config {
    struct weir_shape shape; /* With the number of the node; its ports are lent. */
    struct weir_stack stack; /* Not resolved. */
    const char *kind, *arbitration, *path_choice, *scheduling;
    const void *kind_params, *arbitration_params, *path_params;
    const uint32_t *weights; /* [class]. */
    uint32_t hop_limit;      /* 0: none. */
    bool takes_short_cuts;   /* Where that makes no difference to what it sends. */
    uint64_t seed;
    const uint32_t *flow_keys;    /* [flow]: sim_flow_key(). */
    const uint32_t *flow_senders; /* [flow]: who sends it, as a destination. */
    uint32_t n_flow_keys;
    const struct host_ways *ways; /* [destination]. */
    uint32_t n_ways, n_leaves;
    void (*sent)(void *arg, weir_ps at, uint32_t port, const uint8_t *bytes, size_t len);
    void *sent_arg;
};

struct host_counts {
    uint64_t n_refused, n_overflowed, n_without_way, n_late, n_without_class, n_discarded;
    uint64_t n_messages_dropped; /* They had no way, or had crossed too many switches. */
    uint64_t n_strange;  /* Frames that are neither packets of a class that there is nor control. */
    uint64_t n_held;     /* Frames that wait, */
    uint64_t n_told;     /* packets that wait, as the kind says, */
    uint64_t used_bytes; /* and what they fill of the buffer. */
};

struct sim_thread;

/* Null: the engines do not fit, or a port is inside a fabric.  The switches of a fabric acknowledge
 * deliveries to each other by names that a single switch does not know; messages to NICs, and those
 * of others that are passed on, are carried. */
HOST_API struct sim_thread *host_new(const struct host_config *);
HOST_API void host_free(struct sim_thread *);

/* The last bit of a frame is there at 'at'. */
HOST_API void host_receive(struct sim_thread *, weir_ps at, uint32_t port, const uint8_t *bytes,
                           size_t len);
HOST_API void host_run(struct sim_thread *, weir_ps until);

/* Drops all that stands at transmit queues; what waits behind it comes when it is run on. */
HOST_API void host_discard(struct sim_thread *, weir_ps now);
HOST_API struct host_counts host_counts(const struct sim_thread *);

#endif
