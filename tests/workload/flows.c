/* Workloads in scenarios: flows are the same under any scheme, and follow the listed flows. */

#include <stdio.h>
#include <stdlib.h>

#include "../unit/unit.h"
#include "scenario/scenario.h"

static char *
read_other(void *arg, const char *path, struct err *err)
{
    (void)arg;
    if (strcmp(path, "my.cdf")) {
        err_set(err, "%s: no such file", path);
        return NULL;
    }
    return strdup("100 50\n1000 100\n");
}

static const char text[] = "topology: {kind: fat-tree, k: 4, rate: 10Gbps}\n"
                           "flows: [{name: first, from: H0, to: H9}]\n"
                           "wire: {classes: 2}\n"
                           "workload:\n"
                           "  - {kind: poisson, sizes: hadoop, load: 0.3, end: 1ms}\n"
                           "  - {kind: closed, sizes: my.cdf, class: 1, hosts: [H1, H8, H4]}\n"
                           "run: {time: 2ms, seed: 5}\n";

static struct scenario
scenario_with(const char *set)
{
    struct scn_source source = { .name = "text.yaml", .text = text };
    struct scn_files files = { .read = read_other };
    struct scenario s;
    struct err err;

    if (!scn_read(&s, &source, &files, &set, 1, &err)) {
        fail_msg("%s", err.text);
    }
    return s;
}

static bool
are_flows_equal(const struct scenario *a, const struct scenario *b)
{
    bool equal = a->n_flows == b->n_flows;

    for (size_t i = 0; equal && i < a->n_flows; i++) {
        const struct scn_flow x_at = scn_flow_at(a, i), y_at = scn_flow_at(b, i);
        const struct scn_flow *x = &x_at, *y = &y_at;
        equal = x->from == y->from && x->to == y->to && x->bytes == y->bytes &&
                x->start_ps == y->start_ps && x->after == y->after && x->cls == y->cls &&
                x->transport == y->transport && x->rate_bps == y->rate_bps;
    }
    return equal;
}

static void
test_same_for_all(void **state)
{
    static const char *const sets[] = { "engine=cbfc", "engine=gfc-buffer", "switch.buffer=300KB",
                                        "switch.arbitration=rr" };
    struct scenario first = scenario_with("engine=pfc"), other = scenario_with("run.seed=6");

    (void)state;
    assert_false(are_flows_equal(&first, &other));
    scn_free(&other);
    for (size_t i = 0; i < N_OF(sets); i++) {
        struct scenario s = scenario_with(sets[i]);
        assert_true(are_flows_equal(&first, &s));
        scn_free(&s);
    }
    scn_free(&first);
}

static void
test_layout(void **state)
{
    struct scenario s = scenario_with("engine=pfc");
    char room[SCN_NAME_BYTES], expected[SCN_NAME_BYTES];
    size_t first_closed = 1;

    (void)state;
    assert_int_equal(s.n_listed_flows, 1);
    assert_string_equal(scn_flow_name(&s, 0, room), "first");
    while (scn_flow_at(&s, first_closed).cls == 0) {
        assert_true(scn_flow_at(&s, first_closed++).start_ps < 1000 * (uint64_t)US);
    }
    assert_true(first_closed > 10 && s.n_flows > first_closed + 3);
    snprintf(expected, sizeof expected, "H1-%s#%zu",
             s.topo.nodes[scn_flow_at(&s, first_closed).to].name, first_closed);
    assert_string_equal(scn_flow_name(&s, first_closed, room), expected);
    assert_int_equal(scn_flow_at(&s, first_closed).after, UINT32_MAX);
    assert_int_equal(scn_flow_at(&s, first_closed + 1).after, first_closed);
    for (size_t i = first_closed; i < s.n_flows; i++) {
        const char *to = s.topo.nodes[scn_flow_at(&s, i).to].name;
        assert_true(!strcmp(to, "H1") || !strcmp(to, "H8") || !strcmp(to, "H4"));
        assert_true(scn_flow_at(&s, i).bytes >= 100 && scn_flow_at(&s, i).bytes <= 1000);
    }
    scn_free(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_same_for_all),
                                        cmocka_unit_test(test_layout) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
