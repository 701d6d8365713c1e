/* Simulates the worst case of CaPFC: all other ports of a switch with a pipeline send to one port
 * whose link is blocked.
 *
 *        H1 ===>
 *        ..      S1 --- blocked ---> H        inputs -> pipeline -> the output that fills
 *        Hn ===>
 *
 * Each input is stopped by its own first packet above XOFF, because WARN is XOFF.  A search over
 * the start times of hosts finds the peak queue at an output that never overflows.  Then two runs
 * check the limit: with the space that the plan gives, nothing may be lost; with one byte less than
 * the peak queue, something must be.  No packets are sent to the hosts; for such packets the bound
 * includes up to one packet of each host. */

#include <string.h>

#include "run/verify.h"
#include "simple-net/simple-net.h"

enum { MAX_INPUTS = 32, N_TRIES = 60, S1 = 0, XOFF_PACKETS = 4 };
enum {
    MAX_PACKETS = 100000
}; /* The maximum number of packets in a queue: more take minutes to simulate. */

struct star {
    struct topo topo;
    const struct plan *plan;
    struct weir_link link;
    uint32_t n; /* The number of hosts that send. */
    weir_ps starts[MAX_INPUTS];
    uint32_t n_runs;
    struct err *err;
};

/* The threshold is one byte past the end of a packet, so the packet that crosses it overshoots by
 * the maximum. */
static uint64_t
xoff_of(const struct star *s)
{
    return (uint64_t)XOFF_PACKETS * s->link.mtu_bytes + 1;
}

static void
set_kind(const struct star *s, uint64_t egress, uint64_t *params)
{
    const struct weir_field *fields = sim_kind_find("pipeline")->about.params;

    weir_fields_default(fields, params);
    weir_field_set(weir_field_find(fields, "pps"), params, plan_pps(s->plan));
    weir_field_set(weir_field_find(fields, "delay"), params, s->plan->in.pipeline_ps);
    weir_field_set(weir_field_find(fields, "egress"), params, egress);
}

static bool
set_engine(const struct star *s, struct weir_stack *stack)
{
    struct weir_text why = { 0 };
    bool good = weir_stack_add(stack, weir_engine_find("capfc")) &&
                weir_stack_set(stack, 0, "stop", "calibrate", &why) &&
                weir_stack_set(stack, 0, "cut", "1", &why);

    plan_set_bytes(stack, "egress_xoff", xoff_of(s));
    plan_set_bytes(stack, "egress_xon", s->link.mtu_bytes);
    plan_set_bytes(stack, "egress_warn", xoff_of(s));
    return good;
}

/* The duration of a run: all packets that hosts may still send have arrived by its end. */
static weir_ps
duration(const struct star *s)
{
    uint64_t bytes = xoff_of(s) + plan_capfc_egress_bytes(s->plan, &s->plan->kinds[0]);
    return 2 * weir_wire_ps(bytes, s->link.rate_bps) + 8 * weir_tau_ps(&s->link) +
           2 * (weir_ps)s->plan->in.pipeline_ps;
}

struct seen {
    uint64_t peak_bytes, dropped;
};

static bool
run_star(struct star *s, uint64_t egress, struct seen *seen)
{
    const struct topo_link_event down = { .link = (uint32_t)s->topo.n_links - 1 };
    struct simple_net_flow flows[MAX_INPUTS];
    uint64_t kind_params[MODEL_MAX_PARAMS];
    uint32_t to = (uint32_t)s->topo.n_nodes - 1, port = topo_port_to(&s->topo, S1, to);
    struct simple_net config = { .topo = &s->topo,
                                 .n_classes = 1,
                                 .lossless = 1,
                                 .mtu_bytes = s->link.mtu_bytes,
                                 .gap_bytes = s->link.gap_bytes,
                                 .response_ps = s->link.response_ps,
                                 .buffer = { .reserve_bytes = plan_capfc_input_bytes(s->plan) },
                                 .kind = sim_kind_find("pipeline"),
                                 .kind_params = kind_params,
                                 .arbitration = "fifo",
                                 .flows = flows,
                                 .n_flows = s->n,
                                 .link_events = &down,
                                 .n_link_events = 1,
                                 .run.until_ps = duration(s) };

    for (uint32_t i = 0; i < s->n; i++) {
        flows[i] = (struct simple_net_flow){ .from = 1 + i,
                                             .to = to,
                                             .bytes = MODEL_ENDLESS,
                                             .rate_bps = WEIR_UNLIMITED,
                                             .start_ps = s->starts[i] };
    }
    set_kind(s, egress, kind_params);
    struct sim *sim = set_engine(s, &config.stack) ? simple_net_sim_new(&config, s->err) : NULL;
    if (!sim) {
        return false;
    }
    sim_run(sim);
    *seen = (struct seen){ sim_output_peak_bytes(sim, port, 0), sim_totals(sim).n_dropped };
    sim_free(sim);
    s->n_runs++;
    return true;
}

/* Searches for the start times with the highest peak queue. At first all hosts start at once. Then
 * the search changes one start time after another, and keeps a change unless the peak gets lower.
 */
static bool
find_longest(struct star *s, uint64_t *longest)
{
    uint64_t tau =
        (uint64_t)weir_wire_ps((uint64_t)s->link.mtu_bytes + s->link.gap_bytes, s->link.rate_bps);
    uint64_t chance = 1;
    struct seen seen;

    *longest = 0;
    for (uint32_t i = 0; i < N_TRIES; i++) {
        weir_ps *moved = &s->starts[i % s->n], before = *moved;
        *moved = i ? (weir_ps)(weir_random(&chance) % tau) : 0;
        if (!run_star(s, 0, &seen)) {
            return false;
        }
        *moved = seen.peak_bytes >= *longest ? *moved : before;
        *longest = seen.peak_bytes > *longest ? seen.peak_bytes : *longest;
    }
    return true;
}

static bool
prove(struct star *s, struct plan_proof *proof)
{
    uint64_t xoff = xoff_of(s), longest;
    struct seen inside, outside;

    if (!find_longest(s, &longest) || !run_star(s, xoff + proof->bound_bytes, &inside) ||
        !run_star(s, longest - 1, &outside)) {
        return false;
    }
    proof->needed_bytes = longest - xoff;
    proof->outside_bytes = proof->needed_bytes - 1;
    proof->inside_dropped = inside.dropped * s->link.mtu_bytes;
    proof->outside_dropped = outside.dropped * s->link.mtu_bytes;
    proof->n_runs = s->n_runs;
    return true;
}

bool
verify_capfc(const struct plan *plan, size_t kind, struct plan_proof *proof, struct err *err)
{
    struct plan_kind alike = plan->kinds[kind];
    struct plan of = *plan;
    struct star s = { .plan = &of, .link = alike.link, .err = err };

    s.n = alike.n_ports > MAX_INPUTS ? MAX_INPUTS : alike.n_ports > 1 ? alike.n_ports - 1 : 1;
    alike.n_ports = s.n + 1;
    alike.link.n_classes = 1;
    of.kinds = &alike;
    of.n_kinds = 1;
    of.in.pps = plan_pps(plan);
    const struct topo_build incast = {
        .hosts = s.n, .link = { .rate_bps = s.link.rate_bps, .delay_ps = s.link.cable_ps }
    };
    topo_build_incast(&s.topo, &incast);
    bool good = topo_finish(&s.topo, err);
    if (good) {
        topo_route(&s.topo);
        proof->bound_bytes = plan_capfc_egress_bytes(&of, &alike);
        good = proof->bound_bytes / s.link.mtu_bytes < MAX_PACKETS ||
               err_set(err, "CaPFC's output queue takes %llu packets: too many to simulate",
                       (unsigned long long)(proof->bound_bytes / s.link.mtu_bytes));
        good = good && prove(&s, proof);
    }
    topo_free(&s.topo);
    return good;
}
