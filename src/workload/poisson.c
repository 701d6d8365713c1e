/* Each host by itself, at chance times, to a host drawn each time.  A host that the network is cut
 * from is not drawn, and one that reaches nobody is silent. */

#include "workload/chance.h"
#include "workload/pattern.h"

struct params {
    uint64_t load, bytes, to, end_ps;
};

static const struct weir_field fields[] = {
    WL_LOAD_FIELD(WEIR_RATIO_1 / 2, "Offered load: share of the rate of each host's link."),
    WL_BYTES_FIELD(WEIR_AUTO, "Size of every flow, instead of a distribution of sizes."),
    WL_TO_FIELD(WL_ANY),
    WL_END_FIELD,
    { 0 },
};

static bool
check(const struct wl_spec *w, const char **at, struct err *err)
{
    const struct params *p = w->params;

    return wl_check_end(w, p->end_ps, at, err);
}

static bool
draw_arrivals(const struct wl_spec *w, uint32_t host, struct wl_flows *flows, struct err *err)
{
    const struct params *p = w->params;
    uint64_t gap_ps = wl_mean_gap_ps(wl_mean_mbytes(w, p->bytes), wl_rate_of(w, host), p->load);
    uint64_t stream = wl_stream_of(w, host), at_ps = chance_exponential(&stream, gap_ps);

    for (; at_ps < wl_duration_ps(w, p->end_ps); at_ps += chance_exponential(&stream, gap_ps)) {
        uint32_t to = wl_draw_target(w, host, p->to, &stream);
        struct wl_flow flow = { .from = host,
                                .to = to,
                                .after = WL_NONE,
                                .bytes = wl_draw_bytes(w, p->bytes, &stream),
                                .start_ps = w->start_ps + (weir_ps)at_ps };
        if (to == TOPO_NONE) {
            return true;
        }
        if (!wl_add(w, flows, flow, err)) {
            return false;
        }
    }
    return true;
}

static bool
draw(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    const struct params *p = w->params;
    uint64_t expected = 0;

    for (uint32_t i = 0; i < w->n_hosts; i++) {
        expected +=
            wl_duration_ps(w, p->end_ps) /
            wl_mean_gap_ps(wl_mean_mbytes(w, p->bytes), wl_rate_of(w, w->hosts[i]), p->load);
    }
    if (!wl_check_two(w, err) || !wl_check_racks(w, p->to, err) ||
        !wl_check_count(w, expected, err)) {
        return false;
    }
    for (uint32_t i = 0; i < w->n_hosts; i++) {
        if (!draw_arrivals(w, w->hosts[i], flows, err)) {
            return false;
        }
    }
    return true;
}

const struct wl_pattern wl_poisson = {
    .about = { .name = "poisson",
               .title = "Each host starts flows at random times (a Poisson process), each to a "
                        "random host",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .instead_of_sizes = "bytes",
    .check = check,
    .draw = draw,
};
