/* Each host sends to one other host, and receives from one. */

#include <stdlib.h>

#include "base/array.h"
#include "workload/pattern.h"

static bool
has_own(const struct wl_spec *w, const uint32_t *targets)
{
    bool has = false;
    for (uint32_t i = 0; i < w->n_hosts; i++) {
        has |= targets[i] == w->hosts[i];
    }
    return has;
}

/* Shuffles until no host sends to itself, three times on average, so that all such permutations are
 * equally likely. */
static bool
draw(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    const struct wl_bytes *p = w->params;
    uint32_t *targets = array_new(w->n_hosts, sizeof *targets);
    uint64_t stream = wl_stream_of(w, WL_NO_HOST);
    bool good = wl_check_two(w, err);

    for (uint32_t i = 0; i < w->n_hosts; i++) {
        targets[i] = w->hosts[i];
    }
    while (good && has_own(w, targets)) {
        wl_shuffle(targets, w->n_hosts, &stream);
    }
    for (uint32_t i = 0; good && i < w->n_hosts; i++) {
        struct wl_flow flow = { w->hosts[i], targets[i], WL_NONE, p->bytes, w->start_ps };
        good = wl_check_path(w, flow.from, flow.to, err) && wl_add(w, flows, flow, err);
    }
    free(targets);
    return good;
}

const struct wl_pattern wl_permutation = {
    .about = { .name = "permutation",
               .title =
                   "A random permutation: each host sends to one other host and receives from one",
               .params = wl_bytes_fields,
               .params_bytes = sizeof(struct wl_bytes) },
    .is_one_job = true,
    .draw = draw,
};
