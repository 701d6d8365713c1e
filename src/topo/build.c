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
