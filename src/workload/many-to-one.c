/* At chance times, a host drawn each time receives from many others at once. */

#include <stdlib.h>

#include "base/array.h"
#include "workload/chance.h"
#include "workload/pattern.h"

uint32_t
wl_senders_of(const struct wl_spec *w, uint64_t given, uint32_t fallback)
{
    uint32_t most = w->n_hosts > fallback ? fallback : w->n_hosts - 1;

    return given == WEIR_AUTO ? most : (uint32_t)given;
}

/* The senders are the first of the hosts, shuffled, that reach the receiver. */
static bool
add_one(const struct wl_spec *w, const struct wl_many_to_one *m, uint32_t *order, weir_ps at_ps,
        uint64_t *stream, struct wl_flows *flows, struct err *err)
{
    uint32_t to = w->hosts[chance_below(stream, w->n_hosts)], n = 0;

    wl_shuffle(order, w->n_hosts, stream);
    for (uint32_t i = 0; i < w->n_hosts && n < m->n_senders; i++) {
        if (!wl_is_target(w, order[i], to, WL_ANY)) {
            continue;
        }
        n++;
        if (!wl_add(w, flows, (struct wl_flow){ order[i], to, WL_NONE, m->bytes, at_ps }, err)) {
            return false;
        }
    }
    return true;
}

static bool
check_many(const struct wl_spec *w, const struct wl_many_to_one *m, struct err *err)
{
    uint64_t n_times = wl_duration_ps(w, m->end_ps) / m->gap_ps;

    if (!wl_check_two(w, err) || !wl_check_count(w, n_times * m->n_senders, err)) {
        return false;
    }
    return m->n_senders < w->n_hosts ||
           err_set(err, "there are %u %s, but each host has only %u others", m->n_senders,
                   m->senders, w->n_hosts - 1);
}

bool
wl_draw_many_to_one(const struct wl_spec *w, const struct wl_many_to_one *m, struct wl_flows *flows,
                    struct err *err)
{
    uint64_t stream = wl_stream_of(w, WL_NO_HOST), at_ps = chance_exponential(&stream, m->gap_ps);
    uint32_t *order = array_new(w->n_hosts, sizeof *order);
    bool good = check_many(w, m, err);

    for (uint32_t i = 0; i < w->n_hosts; i++) {
        order[i] = w->hosts[i];
    }
    for (; good && at_ps < wl_duration_ps(w, m->end_ps);
         at_ps += chance_exponential(&stream, m->gap_ps)) {
        good = add_one(w, m, order, w->start_ps + (weir_ps)at_ps, &stream, flows, err);
    }
    free(order);
    return good;
}
