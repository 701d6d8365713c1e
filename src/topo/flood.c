/* Finds where packets to one leaf pass: from switches with hosts, by all choices, each switch once
 * in each epoch.  Static routes may form loops, so switches cannot be sorted along the routes. */

#include <string.h>

#include "topo/depend-graph.h"

static void
set_choices(struct depend *d, uint32_t at)
{
    uint64_t *choices = d->choices + d->set[at];
    uint32_t first = d->s.first[at];

    memset(choices, 0, depend_words(d, at) * sizeof *choices);
    for (uint32_t h = first; h < d->s.first[at + 1]; h++) {
        if (topo_search_is_choice(&d->s, at, h)) {
            choices[(h - first) / 64] |= UINT64_C(1) << (h - first) % 64;
        }
    }
}

static void
reach_switch(struct depend *d, uint32_t at, uint32_t by)
{
    if (d->came_by[at] == DEPEND_NOBODY) {
        d->came_by[at] = by;
        d->reached[d->n_reached++] = at;
    }
}

/* Adds the packets that leave 'at' to the switches at which they arrive. */
static void
pass_on(struct depend *d, uint32_t at)
{
    for (uint32_t w = 0; w < depend_words(d, at); w++) {
        for (uint64_t bits = d->choices[d->set[at] + w]; bits; bits &= bits - 1) {
            const struct topo_hop *hop = &d->s.hops[d->s.first[at] + 64 * w + bit_of(bits)];
            uint32_t in = hop->back - d->s.first[hop->next];
            d->from_switches[d->set[hop->next] + in / 64] |= UINT64_C(1) << in % 64;
            reach_switch(d, hop->next, hop->back);
        }
    }
}

/* These functions count the hops to go.  With static routes, packets at one switch may have
 * different numbers of hops left, and may be in a loop. */

/* The remaining hops after the choices of a switch, plus one; the highest class stays the
 * highest. */
static uint64_t
to_go_from(const struct depend *d, uint32_t at)
{
    uint64_t highest = UINT64_C(1) << (d->traffic.n_classes - 1), next = 0;
    bool is_last = true;

    for (uint32_t h = d->s.first[at]; h < d->s.first[at + 1]; h++) {
        if (topo_search_is_choice(&d->s, at, h)) {
            next |= d->to_go[d->s.hops[h].next];
            is_last = false;
        }
    }
    return is_last ? 1 : (next << 1 | (next & highest)) & (highest | (highest - 1));
}

/* Begins with all possible hop counts and removes those that no path has.  Packets that stay in the
 * highest class have a long path ahead, or are in a loop. */
static void
count_hops_to_go(struct depend *d)
{
    bool changed = d->s.is_fixed;

    for (uint32_t i = 0; i < d->n_reached; i++) {
        uint32_t at = d->reached[i];
        d->to_go[at] = d->s.is_fixed ? UINT64_MAX
                       : d->s.distance[at] == TOPO_NONE
                           ? 1
                           : UINT64_C(1) << depend_class(d, 0, topo_search_hops(&d->s, at));
    }
    while (changed) {
        changed = false;
        for (uint32_t i = d->n_reached; i-- > 0;) {
            uint64_t to_go = to_go_from(d, d->reached[i]);
            changed |= to_go != d->to_go[d->reached[i]];
            d->to_go[d->reached[i]] = to_go;
        }
    }
}

bool
depend_comes_in(const struct depend *d, uint8_t flood_cls, uint32_t at, uint8_t cls)
{
    return d->traffic.hop_classes ? d->to_go[at] >> cls & 1 : cls == flood_cls;
}

bool
depend_has_classes(const struct depend *d, uint8_t flood_cls, uint32_t hop, uint8_t cls,
                   uint8_t next_cls)
{
    if (!d->traffic.hop_classes) {
        return cls == flood_cls && next_cls == flood_cls;
    }
    return d->to_go[d->s.hops[hop].next] >> next_cls & 1 &&
           cls == depend_class(d, 0, next_cls + 1u);
}

bool
depend_choose_class(struct depend *d, uint32_t at, uint8_t next_cls)
{
    uint64_t any = 0;

    for (uint32_t w = 0; w < depend_words(d, at); w++) {
        uint64_t *some = &d->some[d->set[at] + w];
        *some = 0;
        for (uint64_t bits = d->choices[d->set[at] + w]; bits; bits &= bits - 1) {
            uint32_t next = d->s.hops[d->s.first[at] + 64 * w + bit_of(bits)].next;
            *some |= d->to_go[next] >> next_cls & 1 ? bits & -bits : 0;
        }
        any |= *some;
    }
    return any;
}

/* Continues from all switches with packets, along the routes of this epoch. */
static void
spread(struct depend *d)
{
    for (uint32_t i = 0; i < d->n_reached; i++) {
        set_choices(d, d->reached[i]);
        pass_on(d, d->reached[i]);
    }
    if (d->traffic.hop_classes) {
        count_hops_to_go(d);
    }
}

/* Adds the packets of hosts with several ports, which may send to other switches when routes have
 * changed. */
static void
reach_senders(struct depend *d)
{
    for (uint32_t at = 0; at < d->s.n_switches; at++) {
        if (d->from_hosts[at]) {
            reach_switch(d, at, DEPEND_BY_HOSTS);
        }
    }
}

void
depend_flood(struct depend *d, uint32_t leaf, void (*reach)(struct depend *, uint32_t at, void *),
             void *arg)
{
    memset(d->from_switches, 0, d->n_set_words * sizeof *d->from_switches);
    memset(d->came_by, 0xff, d->s.n_switches * sizeof *d->came_by);
    d->n_reached = 0;
    for (size_t epoch = 0; epoch < d->n_epochs; epoch++) {
        if (epoch != d->epoch) {
            depend_search(d, leaf, epoch);
            depend_set_senders(d, &d->part);
        }
        reach_senders(d);
        spread(d);
        for (uint32_t i = 0; reach && i < d->n_reached; i++) {
            reach(d, d->reached[i], arg);
        }
    }
}
