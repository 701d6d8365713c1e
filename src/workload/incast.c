/* Many to one at chance times, as often as makes a load. */

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

static bool
draw(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    const struct params *p = w->params;
    uint32_t n_senders = wl_senders_of(w, p->senders, DEFAULT_SENDERS);

    return wl_draw_many_to_one(
        w,
        &(struct wl_many_to_one){
            .senders = "senders",
            .n_senders = n_senders,
            .bytes = p->bytes,
            .end_ps = p->end_ps,
            .gap_ps = wl_mean_gap_ps(p->bytes * 1000 * n_senders, wl_rate_of_all(w), p->load) },
        flows, err);
}

static uint64_t
load(const struct wl_spec *w)
{
    const struct params *p = w->params;

    return p->load;
}

const struct wl_pattern wl_incast = {
    .about = { .name = "incast",
               .title = "At random times, many hosts send to one random host at once",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .check = check,
    .draw = draw,
    .load = load,
};
