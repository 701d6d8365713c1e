/* Measures of built networks: distances, numbers of paths, and the maximum flow between two parts
 * of the hosts. */

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

/* The paths from a switch that the routes offer; all are equally long. */
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

/* The paths from host to host. */
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

/* One path from a host of the first half to one of the second with room left; 'used' has the bits
 * per second that flow out of each port, less those that flow in. */
static inline uint64_t
augment(const struct topo *t, int64_t *used, const uint8_t *side)
{
    uint32_t *queue = calloc(t->n_nodes, sizeof *queue), *by = calloc(t->n_nodes, sizeof *by);
    uint32_t n = 0, end = TOPO_NONE;
    uint64_t room = UINT64_MAX;

    for (uint32_t i = 0; i < t->n_nodes; i++) {
        by[i] = TOPO_NONE;
        if (side[i] == 1) {
            queue[n++] = i;
        }
    }
    for (uint32_t head = 0; head < n && end == TOPO_NONE; head++) {
        const struct topo_node *at = &t->nodes[queue[head]];
        for (uint32_t p = at->first_port; p < at->first_port + at->n_ports; p++) {
            uint32_t next = topo_beyond(t, p);
            bool has_room = used[p] < (int64_t)t->links[t->ports[p].link].rate_bps;
            if (has_room && by[next] == TOPO_NONE && side[next] != 1) {
                by[next] = p;
                end = side[next] == 2 ? next : end;
                queue[n++] = next;
            }
        }
    }
    for (uint32_t at = end; end != TOPO_NONE && side[at] != 1; at = t->ports[by[at]].node) {
        uint64_t left = t->links[t->ports[by[at]].link].rate_bps - (uint64_t)used[by[at]];
        room = left < room ? left : room;
    }
    for (uint32_t at = end; end != TOPO_NONE && side[at] != 1; at = t->ports[by[at]].node) {
        used[by[at]] += (int64_t)room;
        used[t->ports[by[at]].peer] -= (int64_t)room;
    }
    free(queue);
    free(by);
    return end == TOPO_NONE ? 0 : room;
}

/* The maximum flow in bit/s from the hosts before 'first_other', by their indices, to all other
 * hosts; this is the minimum cut between them. */
static inline uint64_t
measure_cut(const struct topo *t, uint32_t first_other)
{
    int64_t *used = calloc(t->n_ports, sizeof *used);
    uint8_t *side = calloc(t->n_nodes, sizeof *side);
    uint64_t sum = 0, more = 1;

    for (uint32_t i = 0; i < t->n_nodes; i++) {
        bool is_nic = t->nodes[i].kind == TOPO_NIC;
        side[i] = !is_nic ? 0 : t->nodes[i].index < first_other ? 1 : 2;
    }
    while (more) {
        more = augment(t, used, side);
        sum += more;
    }
    free(used);
    free(side);
    return sum;
}

#endif
