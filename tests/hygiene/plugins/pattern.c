/* A pattern of flows for check-plugins: each host to the next, one after another. */

#include "workload/pattern.h"

struct params {
    uint64_t step_ps;
};

static const struct weir_field fields[] = {
    WL_FIELD(step_ps, "step", WEIR_TIME, .fallback = 1000000, .max = WEIR_PS_PER_S,
             .help = "Time from the start of one flow to that of the next."),
    { 0 },
};

static bool
draw(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    const struct params *p = w->params;
    bool good = wl_check_two(w, err);

    for (uint32_t i = 0; good && i < w->n_hosts; i++) {
        weir_ps start_ps = w->start_ps + (weir_ps)(i * p->step_ps);
        struct wl_flow flow = { w->hosts[i], w->hosts[(i + 1) % w->n_hosts], WL_NONE, 10000,
                                start_ps };
        good = wl_add(w, flows, flow, err);
    }
    return good;
}

const struct wl_pattern wl_throwaway = {
    .about = { .name = "throwaway-pattern",
               .title = "Each host to the next, one after another",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .draw = draw,
};
