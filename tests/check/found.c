/* Looks for a deadlock in a run, and for its cycle in the findings of the check: see found.h. */

#include "found.h"

#include "bind/bind.h"
#include "bind/traffic.h"

static bool
is_foretold(const struct scenario *s)
{
    struct bind_traffic b;

    bind_traffic(s, BIND_FLOWS, &b);
    struct depend *graph = depend_new(&s->topo, &b.traffic);
    bool is = depend_is_cyclic(graph);
    depend_free(graph);
    bind_traffic_free(&b);
    return is;
}

static struct found
run_on(const char *text, uint32_t n_threads)
{
    struct scenario s;
    struct model model;
    struct err err = { 0 };
    struct sim *sim = NULL;

    if (!scn_read(&s, &(struct scn_source){ .name = "text", .text = text },
                  &(struct scn_files){ 0 }, NULL, 0, &err) ||
        !bind_model(&s, &model, &err)) {
        fail_msg("%s", err.text);
    }
    sim = sim_new(&(struct sim_config){ .until_ps = (weir_ps)s.run.time_ps,
                                        .seed = s.run.seed,
                                        .n_threads = n_threads },
                  &model, &err);
    assert_non_null(sim);
    sim_run(sim);
    assert_true(sim_is_conserved(sim, &err));
    struct found f = { .deadlock = sim_deadlock(sim),
                       .totals = sim_totals(sim),
                       .received_bytes = sim_flow_result(sim, 0).received_bytes,
                       .late_bps = sim_flow_late_bps(sim, 0),
                       .was_foretold = is_foretold(&s) };
    sim_free(sim);
    scn_free(&s);
    return f;
}

struct found
run(const char *text)
{
    struct found one = run_on(text, 1), two = run_on(text, 2);

    assert_int_equal(one.totals.hash, two.totals.hash);
    assert_int_equal(one.deadlock.found, two.deadlock.found);
    assert_int_equal(one.deadlock.formed_ps, two.deadlock.formed_ps);
    assert_true(one.was_foretold || !one.deadlock.found);
    return one;
}
