/* At random times or periodically, one host receives from many others at the same time. */

#include <stdlib.h>

#include "base/array.h"
#include "workload/chance.h"
#include "workload/pattern.h"

/* The number of hosts that can send to the given receiver, or to any one of the hosts. */
static uint32_t
others_of(const struct wl_spec *w)
{
    uint32_t n = w->n_hosts;

    for (uint32_t i = 0; i < w->n_hosts; i++) {
        n -= w->hosts[i] == w->to;
    }
    return w->to == TOPO_NONE ? n - 1 : n;
}

uint32_t
wl_senders_of(const struct wl_spec *w, uint64_t given, uint32_t fallback)
{
    uint32_t others = others_of(w), most = others > fallback ? fallback : others;

    return given == WEIR_AUTO ? most : (uint32_t)given;
}

/* Adds the flows to one receiver. The senders are the first of the hosts that reach the receiver;
 * if the receiver was chosen at random, the hosts are shuffled before. */
static bool
add_one(const struct wl_spec *w, const struct wl_many_to_one *m, uint32_t *order, weir_ps at_ps,
        uint64_t *stream, struct wl_flows *flows, struct err *err)
{
    bool is_given = w->to != TOPO_NONE;
    uint32_t to = is_given ? w->to : w->hosts[chance_below(stream, w->n_hosts)], n = 0;

    if (!is_given) {
        wl_shuffle(order, w->n_hosts, stream);
    }
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

    if ((w->to == TOPO_NONE && !wl_check_two(w, err)) ||
        !wl_check_count(w, n_times * m->n_senders, err)) {
        return false;
    }
    return m->n_senders <= others_of(w) ||
           err_set(err, "there are %u %s, but %s has only %u others", m->n_senders, m->senders,
                   w->to == TOPO_NONE ? "each host" : w->topo->nodes[w->to].name, others_of(w));
}

bool
wl_draw_many_to_one(const struct wl_spec *w, const struct wl_many_to_one *m, struct wl_flows *flows,
                    struct err *err)
{
    uint64_t stream = wl_stream_of(w, WL_NO_HOST), end_ps = wl_duration_ps(w, m->end_ps);
    uint64_t at_ps = m->is_periodic ? m->first_ps : chance_exponential(&stream, m->gap_ps);
    uint32_t *order = array_new(w->n_hosts, sizeof *order);
    bool good = check_many(w, m, err);

    for (uint32_t i = 0; i < w->n_hosts; i++) {
        order[i] = w->hosts[i];
    }
    for (; good && at_ps < end_ps;
         at_ps += m->is_periodic ? m->gap_ps : chance_exponential(&stream, m->gap_ps)) {
        good = add_one(w, m, order, w->start_ps + (weir_ps)at_ps, &stream, flows, err);
    }
    free(order);
    return good;
}
