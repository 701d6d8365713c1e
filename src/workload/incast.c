/* At chance times, a host drawn each time receives from many at once. */

#include <stdlib.h>

#include "base/array.h"
#include "workload/chance.h"
#include "workload/pattern.h"

struct params {
    uint64_t senders, bytes, load, end_ps;
};

static const struct weir_field fields[] = {
    WL_FIELD(senders, "senders", WEIR_COUNT, .fallback = WEIR_AUTO, .min = 1, .max = 10000,
             .derived = "60, or all others if there are fewer",
             .help = "Number of hosts that send to one receiver at once."),
    WL_BYTES_FIELD(500000, "Bytes that each sender sends."),
    WL_LOAD_FIELD((WEIR_RATIO_1 + 25) / 50,
                  "Offered load: share of the rates of all hosts' links together."),
    WL_END_FIELD,
    { 0 },
};

static bool
check(const struct wl_spec *w, const char **at, struct err *err)
{
    const struct params *p = w->params;

    return wl_check_end(w, p->end_ps, at, err);
}

enum { DEFAULT_SENDERS = 60 };

static uint32_t
senders_of(const struct wl_spec *w)
{
    const struct params *p = w->params;
    uint32_t most = w->n_hosts > DEFAULT_SENDERS ? DEFAULT_SENDERS : w->n_hosts - 1;

    return p->senders == WEIR_AUTO ? most : (uint32_t)p->senders;
}

/* The senders are the first of the hosts, shuffled, that reach the receiver. */
static bool
add_incast(const struct wl_spec *w, uint32_t *order, weir_ps at_ps, uint64_t *stream,
           struct wl_flows *flows, struct err *err)
{
    const struct params *p = w->params;
    uint32_t to = w->hosts[chance_below(stream, w->n_hosts)], n_senders = senders_of(w), n = 0;

    wl_shuffle(order, w->n_hosts, stream);
    for (uint32_t i = 0; i < w->n_hosts && n < n_senders; i++) {
        if (!wl_is_target(w, order[i], to, WL_ANY)) {
            continue;
        }
        n++;
        if (!wl_add(w, flows, (struct wl_flow){ order[i], to, WL_NONE, p->bytes, at_ps }, err)) {
            return false;
        }
    }
    return true;
}

static bool
draw(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    const struct params *p = w->params;
    uint64_t stream = wl_stream_of(w, WL_NO_HOST), rate_bps = 0;
    uint32_t n_senders = senders_of(w);
    uint32_t *order = array_new(w->n_hosts, sizeof *order);

    for (uint32_t i = 0; i < w->n_hosts; i++) {
        order[i] = w->hosts[i];
        rate_bps += wl_rate_of(w, w->hosts[i]);
    }
    uint64_t gap_ps = wl_mean_gap_ps(p->bytes * 1000 * n_senders, rate_bps, p->load);
    uint64_t at_ps = chance_exponential(&stream, gap_ps);
    bool good = wl_check_two(w, err) &&
                wl_check_count(w, wl_duration_ps(w, p->end_ps) / gap_ps * n_senders, err);
    if (good && n_senders >= w->n_hosts) {
        good = err_set(err, "there are %u senders, but each host has only %u others", n_senders,
                       w->n_hosts - 1);
    }
    for (; good && at_ps < wl_duration_ps(w, p->end_ps);
         at_ps += chance_exponential(&stream, gap_ps)) {
        good = add_incast(w, order, w->start_ps + (weir_ps)at_ps, &stream, flows, err);
    }
    free(order);
    return good;
}

const struct wl_pattern wl_incast = {
    .about = { .name = "incast",
               .title = "At random times, many hosts send to one random host at once",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .check = check,
    .draw = draw,
};
