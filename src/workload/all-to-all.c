/* Each host sends to all others. */

#include "workload/pattern.h"

static bool
draw(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    const struct wl_bytes *p = w->params;

    if (!wl_check_two(w, err) || !wl_check_count(w, (uint64_t)w->n_hosts * (w->n_hosts - 1), err)) {
        return false;
    }
    for (uint32_t i = 0; i < w->n_hosts; i++) {
        for (uint32_t j = 1; j < w->n_hosts; j++) { /* Hosts begin with different receivers. */
            uint32_t from = w->hosts[i], to = w->hosts[(i + j) % w->n_hosts];
            if (!wl_check_path(w, from, to, err) ||
                !wl_add(w, flows, (struct wl_flow){ from, to, WL_NONE, p->bytes, w->start_ps },
                        err)) {
                return false;
            }
        }
    }
    return true;
}

const struct wl_pattern wl_all_to_all = {
    .about = { .name = "all-to-all",
               .title = "Each host sends to every other host",
               .params = wl_bytes_fields,
               .params_bytes = sizeof(struct wl_bytes) },
    .is_one_job = true,
    .draw = draw,
};
