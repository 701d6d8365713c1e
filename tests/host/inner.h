/* What the parts of the second host share.
 *
 *     switch.c   a switch is made, takes frames, runs what is due in order, and is freed
 *     wire.c     ports: what is sent next, and when to look again
 *     serve.c    the rest of what kinds ask for: engines, ways, packets that go no further */

#ifndef TESTS_HOST_INNER_H
#define TESTS_HOST_INNER_H

#include "host.h"
#include "switch.h"

struct host_event {
    struct sim_mail mail;     /* Its key is not used but for a kind's own events and timers. */
    struct host_frame *frame; /* SIM_PACKET, SIM_FRAME. */
};

/* One switch: it is its own caller. */
struct sim_thread {
    struct sim_node node;
    struct host_config config;
    const struct sim_kind *kind;
    const struct sim_path_choice *path_choice;
    struct weir_outbox outbox;
    weir_ps *timers; /* [key]: of engines. */
    uint32_t n_timers;
    struct host_event *received; /* In order from 'i_received' on. */
    size_t i_received, n_received, max_received;
    struct sim_mail *own; /* Events of the kind that are still to come. */
    size_t n_own, max_own;
    struct host_counts counts;
    void *memory, *buffer_memory;
};

/* Of a message: the port by which it goes on, or SIM_NONE. */
uint32_t host_pass_message(struct sim_thread *, const struct host_control *);

void host_wake(struct sim_thread *, uint32_t port, weir_ps now);
void host_kick(struct sim_thread *, uint32_t port, weir_ps now);

#endif
