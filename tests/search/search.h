/* Every schedule of a small network, on the engines themselves.
 *
 * A run of the simulator is one schedule of many.  Here a few switches with buffers of a few
 * packets run the real engines, and every possible event happens in every order: which host sends,
 * which output serves which packet, when a packet or a frame arrives.  The search visits each state
 * only once, so it ends; it is breadth-first, so it finds a shortest schedule.
 *
 *     struct search_net net = { .engine = "pfc", .n_switches = 3, ... };
 *     struct search_result r = search_run(&net);
 *     search_tell(&net, &r, stdout);                     prints what was found, and its schedule
 *     search_free(&r);
 *
 * The search looks for a dropped packet, a deadlock, and a host that stays paused although all
 * queues are empty and no event is possible. A deadlock is a state with packets in which no event
 * is possible if hosts stop sending.  (The search also finds a cycle that is blocked while other
 * packets move: when those have left, only the cycle remains.)
 *
 * Time.  The clock stays at 0.  A pause lasts until a resume, and no timer fires. In real
 * time, a peer that stays full renews its pause before it expires. A pause that expires would mean
 * a lost frame, and no frame is lost here.  Events that time would order happen in any order, with
 * two bounds; without them no buffer would be large enough. A link holds 'n_flying' packets, and at
 * most 'n_late' packets start on it before a pause takes effect.  With 0, packets and frames arrive
 * at once.  Links of hosts have 0.
 *
 * Packets have one size.  Hosts always have packets to send, and drain at once.
 *
 * A state is a number for each part of the network: a node with its packets, a link.  A part is the
 * bytes of the node's memory and of its buffer, without counters. */

#ifndef TESTS_SEARCH_H
#define TESTS_SEARCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SEARCH_MAX_SWITCHES = 6, SEARCH_MAX_FLOWS = 8, SEARCH_MAX_PATH = 8 };
enum { SEARCH_PACKET_BYTES = 64 };

enum search_scheduler {
    SEARCH_ANY,  /* Any packet of a queue may be next. */
    SEARCH_HEAD, /* Only the first packet of each (input, class) may be next. */
};

struct search_flow {
    uint8_t path[SEARCH_MAX_PATH], n; /* Switches; there is a host at each. */
    bool is_loop;                     /* The last switch forwards packets to the first. */
};

struct search_net {
    const char *name, *engine;
    const char *params[8]; /* Names and values. */
    uint8_t n_switches, n_classes;
    uint8_t tiers[SEARCH_MAX_SWITCHES]; /* 0 means tier 1. */
    struct search_flow flows[SEARCH_MAX_FLOWS];
    uint8_t n_flows;
    uint8_t xoff, room; /* In packets: the threshold, and the buffer of each (port, class). */
    uint8_t partition,
        /* If set, the headroom follows Eq. 16, xoff has no meaning, and all room is headroom. */
        shared;
    uint8_t n_flying, n_late;
    enum search_scheduler scheduler;
    uint32_t max_states; /* The search gives up after this number of states. */
};

enum search_found {
    SEARCH_NOTHING,
    SEARCH_DEADLOCK,
    SEARCH_DROP,
    SEARCH_SHUT,
    SEARCH_TOO_MANY,
};

struct search_result {
    enum search_found found;
    uint32_t n_states, n_parts;
    uint64_t n_events;
    uint32_t n_expired; /* Events in which a packet had no class left. */
    uint32_t *schedule; /* The events to the state that was found, for search_tell(). */
    uint32_t n_schedule;
};

struct search_result search_run(const struct search_net *);
void search_tell(const struct search_net *, const struct search_result *, FILE *);
void search_free(struct search_result *);

#endif
