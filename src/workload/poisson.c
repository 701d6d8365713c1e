/* Flows at random times to random hosts.  Each host sends independently, with a load on its link;
 * or flows have a rate per second over the whole network, and senders are random, too.  A host
 * sends only to hosts that it can reach; a host that reaches no other sends nothing. */

#include "workload/chance.h"
#include "workload/pattern.h"

struct params {
    uint64_t load, per_second, bytes, to, end_ps;
};

static const struct weir_field fields[] = {
    WL_LOAD_FIELD(WEIR_AUTO, "Offered load: share of the rate of each host's link, or links.",
                  .derived = "0.5, unless per_second is given"),
    WL_PER_SECOND_FIELD(WEIR_AUTO, "as load says",
                        "Mean number of flows per second in the whole network, each between two "
                        "random hosts, instead of a load."),
    WL_BYTES_FIELD(WEIR_AUTO, "Size of every flow, instead of a distribution of sizes."),
    WL_TO_FIELD(WL_ANY),
    WL_END_FIELD,
    { 0 },
};

static bool
check(const struct wl_spec *w, const char **at, struct err *err)
{
    const struct params *p = w->params;

    *at = "per_second";
    return p->load == WEIR_AUTO || p->per_second == WEIR_AUTO ||
           err_set(err, "'load' already determines the number of flows; give one of the two");
}

static uint64_t
load_per_host(const struct params *p)
{
    return p->load == WEIR_AUTO ? WEIR_RATIO_1 / 2 : p->load;
}

static uint64_t
load(const struct wl_spec *w)
{
    const struct params *p = w->params;

    return p->per_second == WEIR_AUTO
               ? load_per_host(p)
               : wl_load_of_rate(w, p->per_second, wl_mean_mbytes(w, p->bytes));
}

/* A Poisson process of flows from one host, or from any. */
struct process {
    uint32_t from; /* The sender; WL_NO_HOST: chosen at random for each flow. */
    uint64_t gap_ps;
};

static struct process
process_of(const struct wl_spec *w, uint32_t host)
{
    const struct params *p = w->params;

    return (struct process){ .from = host,
                             .gap_ps =
                                 host == WL_NO_HOST
                                     ? wl_gap_of_rate_ps(p->per_second)
                                     : wl_mean_gap_ps(wl_mean_mbytes(w, p->bytes),
                                                      wl_rate_of(w, host), load_per_host(p)) };
}

static bool
draw_arrivals(const struct wl_spec *w, const struct process *of, struct wl_flows *flows,
              struct err *err)
{
    const struct params *p = w->params;
    uint64_t stream = wl_stream_of(w, of->from), at_ps = chance_exponential(&stream, of->gap_ps);
    bool is_of_all = of->from == WL_NO_HOST;

    for (; at_ps < wl_duration_ps(w, p->end_ps); at_ps += chance_exponential(&stream, of->gap_ps)) {
        uint32_t from = is_of_all ? w->hosts[chance_below(&stream, w->n_hosts)] : of->from;
        uint32_t to = wl_draw_target(w, from, p->to, &stream);
        struct wl_flow flow = { .from = from,
                                .to = to,
                                .after = WL_NONE,
                                .bytes = wl_draw_bytes(w, p->bytes, &stream),
                                .start_ps = w->start_ps + (weir_ps)at_ps };
        if (to != TOPO_NONE && !wl_add(w, flows, flow, err)) {
            return false;
        }
    }
    return true;
}

static bool
draw(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    const struct params *p = w->params;
    bool is_of_all = p->per_second != WEIR_AUTO;
    uint32_t n_processes = is_of_all ? 1 : w->n_hosts;
    uint64_t expected = 0;

    for (uint32_t i = 0; i < n_processes; i++) {
        struct process of = process_of(w, is_of_all ? WL_NO_HOST : w->hosts[i]);
        expected += wl_duration_ps(w, p->end_ps) / of.gap_ps;
    }
    bool good =
        wl_check_two(w, err) && wl_check_racks(w, p->to, err) && wl_check_count(w, expected, err);
    for (uint32_t i = 0; good && i < n_processes; i++) {
        struct process of = process_of(w, is_of_all ? WL_NO_HOST : w->hosts[i]);
        good = draw_arrivals(w, &of, flows, err);
    }
    return good;
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
    .load = load,
};
