/* A scheduling of classes for check-plugins: one class has priority over all others. */

#include "sim/host/host.h"

struct scheduling_params {
    uint64_t first;
};

static const struct weir_field throwaway_scheduling_fields[] = {
    WEIR_FIELD(struct scheduling_params, first, "first", WEIR_COUNT, .max = 7,
               .help = "Class that is served first.", .source = "-"),
    { 0 },
};

static size_t
throwaway_scheduling_bytes(uint32_t n_slots)
{
    (void)n_slots;
    return sizeof(struct scheduling_params);
}

static void
throwaway_scheduling_init(struct sim_node *n, const void *params, const uint32_t *weights)
{
    (void)weights;
    *(struct scheduling_params *)n->schedule = *(const struct scheduling_params *)params;
}

static uint32_t
one_before_the_others(const struct sim_node *n, uint32_t port, uint8_t *classes)
{
    const struct scheduling_params *p = n->schedule;

    (void)port;
    for (uint32_t i = 0; i < n->n_classes; i++) {
        classes[i] = (uint8_t)((p->first + i) % n->n_classes);
    }
    return n->n_classes;
}

static void
throwaway_scheduling_served(struct sim_node *n, uint32_t port, uint32_t cls, uint32_t bytes)
{
    (void)n, (void)port, (void)cls, (void)bytes;
}

const struct sim_scheduling sim_throwaway_scheduling = {
    .about = { .name = "throwaway-scheduling",
               .title = "One class before the others",
               .params = throwaway_scheduling_fields,
               .params_bytes = sizeof(struct scheduling_params) },
    .bytes = throwaway_scheduling_bytes,
    .init = throwaway_scheduling_init,
    .order = one_before_the_others,
    .served = throwaway_scheduling_served,
};
