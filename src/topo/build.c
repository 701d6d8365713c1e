#include <stdio.h>

#include "topo/topo.h"

static uint32_t
add(struct topo *t, enum topo_kind kind, const char *letter, uint64_t number, uint64_t part)
{
    char name[TOPO_NAME_BYTES];
    snprintf(name, sizeof name, "%s%llu", letter, (unsigned long long)number);
    uint32_t node = topo_add_node(t, kind, name);
    t->nodes[node].part = (uint32_t)part;
    return node;
}

void
topo_build_ring(struct topo *t, const struct topo_build *b)
{
    uint32_t first = 0;

    for (uint64_t i = 0; i < b->switches; i++) {
        uint32_t s = add(t, TOPO_SWITCH, "S", i + 1, i);
        first = i ? first : s;
    }
    for (uint64_t i = 0; i < b->switches; i++) {
        topo_add_link(t, add(t, TOPO_NIC, "H", i + 1, i), first + (uint32_t)i, &b->link);
    }
    for (uint64_t i = 0; i < b->switches; i++) {
        topo_add_link(t, first + (uint32_t)i, first + (uint32_t)((i + 1) % b->switches), &b->link);
    }
}

void
topo_build_incast(struct topo *t, const struct topo_build *b)
{
    uint32_t s = add(t, TOPO_SWITCH, "S", 1, 0);
    for (uint64_t i = 0; i <= b->hosts; i++) {
        topo_add_link(t, add(t, TOPO_NIC, "H", i + 1, 0), s, &b->link);
    }
}

void
topo_build_dumbbell(struct topo *t, const struct topo_build *b)
{
    uint32_t left = add(t, TOPO_SWITCH, "S", 1, 0), right = add(t, TOPO_SWITCH, "S", 2, 1);

    for (uint64_t i = 0; i < 2 * b->hosts; i++) {
        bool is_left = i < b->hosts;
        uint32_t h = add(t, TOPO_NIC, "H", i + 1, is_left ? 0 : 1);
        topo_add_link(t, h, is_left ? left : right, &b->link);
    }
    topo_add_link(t, left, right, &b->link);
}

/* Edge switches E1.., aggregation A1.., core C1.., hosts H0.., as GFC's Fig. 11 names them.  Core
 * switches belong to the pods in turn, so that the parts are of one size. */
void
topo_build_fat_tree(struct topo *t, const struct topo_build *b)
{
    uint32_t k = (uint32_t)b->k, half = k / 2;
    uint32_t edge = 0, aggregation = 0, core = 0;

    for (uint32_t i = 0; i < k * half; i++) {
        uint32_t n = add(t, TOPO_SWITCH, "E", i + 1, i / half);
        edge = i ? edge : n;
    }
    for (uint32_t i = 0; i < k * half; i++) {
        uint32_t n = add(t, TOPO_SWITCH, "A", i + 1, i / half);
        aggregation = i ? aggregation : n;
    }
    for (uint32_t i = 0; i < half * half; i++) {
        uint32_t n = add(t, TOPO_SWITCH, "C", i + 1, (uint64_t)i * k / (half * half));
        core = i ? core : n;
    }
    for (uint32_t i = 0; i < k * half * half; i++) {
        topo_add_link(t, add(t, TOPO_NIC, "H", i, i / (half * half)), edge + i / half, &b->link);
    }
    for (uint32_t e = 0; e < k * half; e++) {
        for (uint32_t a = 0; a < half; a++) {
            topo_add_link(t, edge + e, aggregation + e / half * half + a, &b->link);
        }
    }
    for (uint32_t a = 0; a < k * half; a++) {
        for (uint32_t c = 0; c < half; c++) {
            topo_add_link(t, aggregation + a, core + a % half * half + c, &b->link);
        }
    }
}

static uint32_t
add_row(struct topo *t, const char *letter, uint64_t n, uint64_t n_parts)
{
    uint32_t first = (uint32_t)t->n_nodes;

    for (uint64_t i = 0; i < n; i++) {
        add(t, TOPO_SWITCH, letter, i + 1, i * n_parts / n);
    }
    return first;
}

static void
add_hosts(struct topo *t, const struct topo_build *b, uint32_t leaf, uint64_t n_leaves)
{
    for (uint64_t i = 0; i < n_leaves * b->hosts; i++) {
        uint32_t at = leaf + (uint32_t)(i / b->hosts);
        topo_add_link(t, add(t, TOPO_NIC, "H", i + 1, t->nodes[at].part), at, &b->link);
    }
}

void
topo_build_leaf_spine(struct topo *t, const struct topo_build *b)
{
    struct topo_link uplink = b->link;
    uint32_t leaf = add_row(t, "L", b->leaves, b->leaves);
    uint32_t spine = add_row(t, "S", b->spines, b->leaves);

    uplink.rate_bps = b->uplink_bps;
    add_hosts(t, b, leaf, b->leaves);
    for (uint64_t i = 0; i < b->leaves * b->spines; i++) {
        topo_add_link(t, leaf + (uint32_t)(i / b->spines), spine + (uint32_t)(i % b->spines),
                      &uplink);
    }
}

void
topo_build_three_tier(struct topo *t, const struct topo_build *b)
{
    struct topo_link uplink = b->link, core_link = b->link;
    uint64_t n_leaves = b->pods * b->leaves, n_spines = b->pods * b->spines;
    uint64_t group = b->cores / b->spines;
    uint32_t leaf = add_row(t, "L", n_leaves, b->pods);
    uint32_t spine = add_row(t, "S", n_spines, b->pods);
    uint32_t core = add_row(t, "C", b->cores, b->pods);

    uplink.rate_bps = b->uplink_bps;
    core_link.rate_bps = b->core_bps;
    add_hosts(t, b, leaf, n_leaves);
    for (uint64_t i = 0; i < n_leaves * b->spines; i++) {
        uint64_t l = i / b->spines, s = l / b->leaves * b->spines + i % b->spines;
        topo_add_link(t, leaf + (uint32_t)l, spine + (uint32_t)s, &uplink);
    }
    for (uint64_t i = 0; i < n_spines * group; i++) {
        uint64_t s = i / group, c = s % b->spines * group + i % group;
        topo_add_link(t, spine + (uint32_t)s, core + (uint32_t)c, &core_link);
    }
}

void
topo_build_torus(struct topo *t, const struct topo_build *b)
{
    uint64_t n = b->x * b->y;
    uint32_t first = add_row(t, "S", n, b->y);

    add_hosts(t, b, first, n);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t row = i / b->x * b->x;
        topo_add_link(t, first + (uint32_t)i, first + (uint32_t)(row + (i + 1) % b->x), &b->link);
        topo_add_link(t, first + (uint32_t)i, first + (uint32_t)((i + b->x) % n), &b->link);
    }
}
