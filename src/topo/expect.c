/* Computes the load of links: all packets to one leaf move together, one hop at a time. */

#include "topo/expect.h"

#include <string.h>

#include "base/arena.h"

enum { MAX_HOPS = 64 }; /* Packets in a loop are dropped after this number of hops. */

/* The packets to a leaf that are at these switches now. */
struct wave {
    uint32_t *switches;
    size_t n;
    uint64_t *amount; /* [switch]: 0 if the switch is not in the list. */
};

static void
add(struct wave *w, uint32_t at, uint64_t amount)
{
    if (amount && !w->amount[at]) {
        w->switches[w->n++] = at;
    }
    w->amount[at] += amount;
}

/* Divides the packets at a switch evenly among its ports to the leaf; the first ports take the
 * remainder. */
static void
leave(const struct topo *t, uint32_t leaf, uint32_t at, uint64_t amount, struct wave *next,
      uint64_t *load)
{
    const uint16_t *choices;
    bool is_there = at == t->leaves[leaf] && topo_multi_of(t, leaf) == TOPO_NONE;
    uint32_t n = is_there ? 0 : topo_choices(t, at, leaf, &choices);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t port = t->nodes[at].first_port + choices[i], to = topo_beyond(t, port);
        uint64_t share = amount / n + (i < amount % n);
        load[port] += share;
        if (t->nodes[to].kind == TOPO_SWITCH) {
            add(next, to, share);
        }
    }
}

static void
spread(const struct topo *t, uint32_t leaf, struct wave *now, struct wave *next, uint64_t *load)
{
    for (uint32_t hop = 0; hop < MAX_HOPS && now->n; hop++) {
        for (size_t i = 0; i < now->n; i++) {
            uint32_t at = now->switches[i];
            leave(t, leaf, at, now->amount[at], next, load);
            now->amount[at] = 0;
        }
        now->n = 0;
        struct wave turned = *now;
        *now = *next;
        *next = turned;
    }
    for (size_t i = 0; i < now->n; i++) {
        now->amount[now->switches[i]] = 0;
    }
    now->n = 0;
}

/* Adds the packets of a NIC. If it has several ports, it sends an even share through each port that
 * leads to the leaf. */
static void
enter(const struct topo *t, uint32_t leaf, const struct topo_demand *d, struct wave *now,
      uint64_t *load)
{
    uint32_t ports = topo_nic_ports(t, d->from, leaf), first = t->nodes[d->from].first_port;
    uint64_t n = (uint64_t)__builtin_popcount(ports);

    for (uint32_t i = 0; ports; i++, ports &= ports - 1) {
        uint32_t port = first + (uint32_t)__builtin_ctz(ports);
        uint64_t share = d->amount / n + (i < d->amount % n);
        load[port] += topo_is_multi(t, d->from) ? share : 0;
        add(now, topo_beyond(t, port), share);
    }
}

static struct wave
wave_new(struct arena *memory, const struct topo *t)
{
    return (struct wave){ .switches = arena_new(memory, t->n_switches, sizeof(uint32_t)),
                          .amount = arena_new(memory, t->n_nodes, sizeof(uint64_t)) };
}

void
topo_expect(const struct topo *t, const struct topo_demand *demands, size_t n, uint64_t *load)
{
    struct arena memory = { 0 };
    size_t *first = arena_new(&memory, t->n_leaves, sizeof *first);
    size_t *after = arena_new(&memory, n, sizeof *after);
    struct wave now = wave_new(&memory, t), next = wave_new(&memory, t);

    memset(load, 0, t->n_ports * sizeof *load);
    for (size_t i = 0; i < n; i++) { /* Makes a list of the demands of each leaf; demands are
                                      * numbered from 1. */
        uint32_t leaf = t->nodes[demands[i].to].leaf, end = t->nodes[demands[i].to].first_port;
        bool is_known = !topo_is_multi(t, demands[i].from) || !t->routes;
        load[t->nodes[demands[i].from].first_port] += is_known ? demands[i].amount : 0;
        load[t->ports[end].peer] += topo_is_multi(t, demands[i].to) ? 0 : demands[i].amount;
        after[i] = first[leaf];
        first[leaf] = i + 1;
    }
    for (uint32_t leaf = 0; leaf < t->n_leaves && t->routes; leaf++) {
        for (size_t i = first[leaf]; i; i = after[i - 1]) {
            enter(t, leaf, &demands[i - 1], &now, load);
        }
        spread(t, leaf, &now, &next, load);
    }
    arena_free(&memory);
}
