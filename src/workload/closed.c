/* Each host sends without pauses: when a flow has been sent, it starts the next one, to a random
 * host.
 *
 * The network decides when a flow ends.  So each host gets enough flows for the whole time: the
 * bytes of a full link, and one more flow. */

#include "workload/chance.h"
#include "workload/pattern.h"

struct params {
    uint64_t bytes, to, end_ps;
};

static const struct weir_field fields[] = {
    WL_BYTES_FIELD(WEIR_AUTO, "Size of every flow, instead of a distribution of sizes."),
    WL_TO_FIELD(WL_OTHER_RACK),
    WL_END_FIELD,
    { 0 },
};

/* Generates flows without pauses until their number is sufficient: even a link that is never idle
 * could not send the last but one of them. */
static bool
draw_chain(const struct wl_spec *w, uint32_t host, struct wl_flows *flows, struct err *err)
{
    const struct params *p = w->params;
    uint64_t stream = wl_stream_of(w, host), sum = 0;
    uint64_t enough =
        weir_wire_bytes((weir_ps)wl_duration_ps(w, p->end_ps), wl_port_rate_of(w, host));
    bool is_last = false;

    for (uint32_t last = WL_NONE; !is_last; last = (uint32_t)flows->n - 1) {
        uint32_t to = wl_draw_target(w, host, p->to, &stream);
        struct wl_flow flow = { .from = host,
                                .to = to,
                                .after = last,
                                .bytes = wl_draw_bytes(w, p->bytes, &stream),
                                .start_ps = last == WL_NONE ? w->start_ps : 0 };
        if (to == TOPO_NONE) {
            return true;
        }
        is_last = sum > enough;
        sum += flow.bytes;
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
        uint64_t bytes =
            weir_wire_bytes((weir_ps)wl_duration_ps(w, p->end_ps), wl_port_rate_of(w, w->hosts[i]));
        expected += weir_mul_div(bytes, 1000, wl_mean_mbytes(w, p->bytes));
    }
    if (!wl_check_two(w, err) || !wl_check_racks(w, p->to, err) ||
        !wl_check_count(w, expected, err)) {
        return false;
    }
    for (uint32_t i = 0; i < w->n_hosts; i++) {
        if (!draw_chain(w, w->hosts[i], flows, err)) {
            return false;
        }
    }
    return true;
}

const struct wl_pattern wl_closed = {
    .about = { .name = "closed",
               .title =
                   "Each host starts a flow to a random host as soon as its last flow has been "
                   "sent",
               .source = "GFC, 6.2.3",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .instead_of_sizes = "bytes",
    .draw = draw,
};
