/* Measures of topologies: distances, numbers of paths, and the maximum flow between two parts of
 * the hosts. */

#ifndef TESTS_TOPO_MEASURE_H
#define TESTS_TOPO_MEASURE_H

#include "net.h"

struct measured {
    uint32_t hops;  /* The length of the shortest paths in links; 0: there is no path. */
    uint32_t paths; /* The number of shortest paths. */
};

static inline void
add_paths(struct measured *sum, struct measured further, uint32_t hops)
{
    if (further.paths) {
        assert_true(!sum->hops || sum->hops == further.hops + hops);
        sum->hops = further.hops + hops;
        sum->paths += further.paths;
    }
}

/* The shortest paths from a switch that the routes offer; all have the same length. */
static inline struct measured
measure_from(const struct topo *t, uint32_t at, uint32_t nic)
{
    struct measured sum = { 0 };
    const uint16_t *choices;

    if (!topo_is_multi(t, nic) && topo_switch_of(t, nic) == at) {
        return (struct measured){ 1, 1 };
    }
    for (uint32_t i = topo_choices(t, at, t->nodes[nic].leaf, &choices); i > 0; i--) {
        uint32_t next = topo_beyond(t, t->nodes[at].first_port + choices[i - 1]);
        add_paths(&sum, next == nic ? (struct measured){ 0, 1 } : measure_from(t, next, nic), 1);
    }
    return sum;
}

/* The shortest paths from host to host. */
static inline struct measured
measure(const struct topo *t, const char *from, const char *to)
{
    uint32_t a = named(t, from), b = named(t, to);
    struct measured sum = { 0 };

    for (uint32_t ports = topo_nic_ports(t, a, t->nodes[b].leaf); ports; ports &= ports - 1) {
        uint32_t port = t->nodes[a].first_port + (uint32_t)__builtin_ctz(ports);
        add_paths(&sum, measure_from(t, topo_beyond(t, port), b), 1);
    }
    return sum;
}

#define assert_paths(T, FROM, TO, HOPS, PATHS)                                                     \
    do {                                                                                           \
        struct measured m = measure(T, FROM, TO);                                                  \
        assert_int_equal(m.hops, HOPS);                                                            \
        assert_int_equal(m.paths, PATHS);                                                          \
    } while (0)

/* A search for a path with free capacity from hosts of one side to hosts of the other. */
struct flow_search {
    const struct topo *t;
    int64_t *used; /* [port]: bit/s that flow out, less those that flow in. */
    uint8_t *side; /* [node]: 1 and 2 for hosts, 0 for switches. */
    uint32_t *by;  /* [node]: the port that leads to it on the path, or TOPO_NONE. */
};

static inline uint64_t
room_of(const struct flow_search *s, uint32_t port)
{
    return (uint64_t)((int64_t)s->t->links[s->t->ports[port].link].rate_bps - s->used[port]);
}

/* Returns the host of side 2 at which the path ends, or TOPO_NONE. */
static inline uint32_t
find_room(struct flow_search *s, uint32_t *queue)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->t->n_nodes; i++) {
        s->by[i] = TOPO_NONE;
        if (s->side[i] == 1) {
            queue[n++] = i;
        }
    }
    for (uint32_t head = 0; head < n; head++) {
        const struct topo_node *at = &s->t->nodes[queue[head]];
        for (uint32_t p = at->first_port; p < at->first_port + at->n_ports; p++) {
            uint32_t next = topo_beyond(s->t, p);
            if (!room_of(s, p) || s->by[next] != TOPO_NONE || s->side[next] == 1) {
                continue;
            }
            s->by[next] = p;
            if (s->side[next] == 2) {
                return next;
            }
            queue[n++] = next;
        }
    }
    return TOPO_NONE;
}

/* Fills the path to 'end'; returns the bit/s that it adds. */
static inline uint64_t
fill_path(struct flow_search *s, uint32_t end)
{
    uint64_t room = UINT64_MAX;

    for (uint32_t at = end; s->side[at] != 1; at = s->t->ports[s->by[at]].node) {
        uint64_t left = room_of(s, s->by[at]);
        room = left < room ? left : room;
    }
    for (uint32_t at = end; s->side[at] != 1; at = s->t->ports[s->by[at]].node) {
        s->used[s->by[at]] += (int64_t)room;
        s->used[s->t->ports[s->by[at]].peer] -= (int64_t)room;
    }
    return room;
}

/* The maximum flow in bit/s from the hosts before 'first_other', by their indices, to all other
 * hosts; this is the minimum cut between them. */
static inline uint64_t
measure_cut(const struct topo *t, uint32_t first_other)
{
    struct flow_search s = { t, calloc(t->n_ports, sizeof *s.used), calloc(t->n_nodes, 1),
                             calloc(t->n_nodes, sizeof *s.by) };
    uint32_t *queue = calloc(t->n_nodes, sizeof *queue), end;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < t->n_nodes; i++) {
        bool is_nic = t->nodes[i].kind == TOPO_NIC;
        s.side[i] = !is_nic ? 0 : t->nodes[i].index < first_other ? 1 : 2;
    }
    while ((end = find_room(&s, queue)) != TOPO_NONE) {
        sum += fill_path(&s, end);
    }
    free(queue);
    free(s.used);
    free(s.side);
    free(s.by);
    return sum;
}

#endif
