/* Queries: many hosts send a response to one host, at random times with a rate per second. */

#include "workload/pattern.h"

struct params {
    uint64_t per_second, sources, bytes, end_ps;
};

static const struct weir_field fields[] = {
    WL_PER_SECOND_FIELD(100, NULL, "Mean number of queries per second, in the whole network."),
    WL_FIELD(sources, "sources", WEIR_COUNT, .fallback = WEIR_AUTO, .min = 1, .max = 10000,
             .derived = "40, or all others if there are fewer",
             .help = "Number of different random hosts that answer a query, all at once."),
    WL_BYTES_FIELD(16000, "Bytes of each answer."),
    WL_END_FIELD,
    { 0 },
};

enum { DEFAULT_SOURCES = 40 };

static bool
draw(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    const struct params *p = w->params;

    return wl_draw_many_to_one(
        w,
        &(struct wl_many_to_one){ .senders = "sources",
                                  .n_senders = wl_senders_of(w, p->sources, DEFAULT_SOURCES),
                                  .bytes = p->bytes,
                                  .end_ps = p->end_ps,
                                  .gap_ps = wl_gap_of_rate_ps(p->per_second) },
        flows, err);
}

static uint64_t
load(const struct wl_spec *w)
{
    const struct params *p = w->params;
    uint64_t n_sources = wl_senders_of(w, p->sources, DEFAULT_SOURCES);

    return wl_load_of_rate(w, p->per_second, p->bytes * 1000 * n_sources);
}

const struct wl_pattern wl_query = {
    .about = { .name = "query",
               .title =
                   "At random times (a Poisson process), a random host receives the answers of "
                   "many random hosts to a query at once",
               .source = "CaPFC, IV.B",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .draw = draw,
    .load = load,
};
