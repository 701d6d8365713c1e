/* Scenarios become models: roles of nodes, parameters derived by engines, and nodes that share
 * them. */

#include <stdio.h>
#include <string.h>

#include "bind/bind.h"
#include "unit.h"

static void
start(struct scenario *s, struct model *p, const char *text)
{
    struct err err = { 0 };

    if (!scn_read(s, &(struct scn_source){ .name = "t.yaml", .text = text },
                  &(struct scn_files){ 0 }, NULL, 0, &err) ||
        !bind_model(s, p, &err)) {
        fail_msg("%s", err.text);
    }
}

static uint32_t
node(const struct scenario *s, const char *name)
{
    for (uint32_t id = 0; id < s->topo.n_nodes; id++) {
        if (!strcmp(s->topo.nodes[id].name, name)) {
            return id;
        }
    }
    fail_msg("no node %s", name);
    return 0;
}

static uint64_t
parameter(const struct scenario *s, const struct model *p, const char *name, const char *key)
{
    const struct weir_stack *stack = model_stack_at(p, node(s, name));
    const struct weir_field *f = weir_field_find(stack->layers[0].engine->about.params, key);

    assert_non_null(f);
    return weir_field_get(f, stack->layers[0].params);
}

static const char *
engine(const struct scenario *s, const struct model *p, const char *name)
{
    return model_stack_at(p, node(s, name))->layers[0].engine->about.name;
}

#define FAT_TREE                                                                                   \
    "topology: {kind: fat-tree, k: 4, rate: 10Gbps}\n"                                             \
    "workload: {kind: permutation}\n"                                                              \
    "switch: {buffer: 300KB}\n"

/* 16 hosts, 8 edges, 8 aggregations and 4 cores: of each kind, all nodes are equal. */
static void
nodes_that_are_built_alike_share_their_engines(void **state)
{
    struct scenario s;
    struct model p;

    (void)state;
    start(&s, &p, FAT_TREE);
    assert_int_equal(p.n_engines, 4);
    assert_ptr_equal(model_stack_at(&p, node(&s, "E1")), model_stack_at(&p, node(&s, "E8")));
    /* Follows from the response time of 3.072 us, not from 3 us. */
    assert_int_equal(parameter(&s, &p, "C1", "xoff"), 289032);
    assert_string_equal(model_role_at(&p, node(&s, "E1"))->name, "switches");
    assert_string_equal(model_role_at(&p, node(&s, "H0"))->name, "hosts");
    model_free(&p);
    scn_free(&s);
}

/* The last matching role counts; values that it leaves out come from the common settings. */
static void
roles_differ_by_name_and_tier(void **state)
{
    struct scenario s;
    struct model p;

    (void)state;
    start(&s, &p,
          FAT_TREE "engines: {pfc: {xoff: 100KB}, gfc-buffer: {stages: 7}}\n"
                   "roles:\n"
                   "  - {tier: 3, engine: gfc-buffer, switch: {buffer: 400KB}}\n"
                   "  - {nodes: [E1, \"E[23]\"], engines: {pfc: {xon: 60KB}}}\n"
                   "  - {nodes: E3, switch: {arbitration: wfq, host_share: 0.25, response: 9us}}\n"
                   "  - {tier: 0, engine: none}\n");
    assert_string_equal(engine(&s, &p, "C4"), "gfc-buffer");
    assert_int_equal(parameter(&s, &p, "C4", "stages"), 7);
    assert_int_equal(model_shape_like(&p, node(&s, "C4"))->buffer.classes[0].reserve_bytes, 400000);
    assert_string_equal(engine(&s, &p, "H3"), "none");
    assert_int_equal(parameter(&s, &p, "E2", "xon"), 60000);
    assert_int_equal(parameter(&s, &p, "E2", "xoff"), 100000);
    assert_int_equal(parameter(&s, &p, "E3", "xon"), 97000);
    const struct model_role *e3 = model_role_at(&p, node(&s, "E3"));
    assert_string_equal(e3->arbitration->about.name, "wfq");
    assert_int_equal(e3->arbitration_params[0], WEIR_RATIO_1 / 4);
    assert_int_equal(p.response_ps, 9000000);
    assert_string_equal(model_role_at(&p, node(&s, "A1"))->arbitration->about.name, "fifo");
    model_free(&p);
    scn_free(&s);
}

/* Each port gets a default that follows from its rate; a value in the scenario counts for all ports
 * of a node. */
static void
ports_respond_by_their_rates(void **state)
{
    struct scenario s;
    struct model p;

    (void)state;
    start(&s, &p,
          "topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts: 1, rate: 10Gbps, "
          "uplink: 400Gbps}\n"
          "roles: [{nodes: L2, switch: {response: 9us}}]\n"
          "flows: [{from: H1, to: H2}]\n");
    const struct weir_shape *l1 = model_shape_like(&p, node(&s, "L1"));
    WEIR_EACH_PORT (l1, port) {
        bool is_fast = l1->ports[port].rate_bps == 400000000000;
        weir_ps wanted = is_fast ? 1158400 : 3072000;
        assert_int_equal(model_response_ps(&p, node(&s, "L1"), port), wanted);
        assert_int_equal(weir_shape_link(l1, port).response_ps, wanted);
        assert_int_equal(model_response_ps(&p, node(&s, "L2"), port), 9000000);
    }
    assert_int_equal(weir_shape_link(model_shape_like(&p, node(&s, "H2")), 0).response_ps, 9000000);
    assert_int_equal(p.response_ps, 9000000);
    model_free(&p);
    scn_free(&s);
}

static void
faster_ports_may_have_more(void **state)
{
    struct scenario s;
    struct model p;

    (void)state;
    start(&s, &p,
          "topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts: 2, rate: 10Gbps, uplink: "
          "40Gbps}\n"
          "workload: {kind: permutation}\n"
          "switch: {buffer: 100KB, headroom: 9KB, speeds: [{rate: 20Gbps, buffer: 150KB}, {rate: "
          "40Gbps, buffer: 200KB}]}\n");
    const struct weir_shape *leaf = model_shape_like(&p, node(&s, "L1"));
    assert_non_null(leaf->buffer.ports);
    for (uint16_t port = 0; port < leaf->n_ports; port++) {
        bool is_fast = leaf->ports[port].rate_bps == 40000000000;
        const struct weir_buffer_class *c = weir_plan_class(&leaf->buffer, 1, port, 0);
        assert_int_equal(c->reserve_bytes, is_fast ? 200000 : 100000);
        assert_int_equal(c->headroom_bytes, 9000);
    }
    assert_int_equal(leaf->buffer.size_bytes, 2 * 109000 + 209000);
    assert_null(model_shape_like(&p, node(&s, "H1"))->buffer.ports);
    model_free(&p);
    scn_free(&s);
}

/* An error of an engine is reported at the line of the scenario that sets the parameter, for one
 * role or for all. */
static void
what_is_refused_has_a_place(void **state)
{
    static const struct {
        const char *more, *said;
    } cases[] = {
        { "engines: {pfc: {xoff: 90KB, xon: 95KB}}\n", "t.yaml:4:34: E1: pfc: xon is 95KB" },
        { "engines: {pfc: {xoff: 90KB}}\nroles: [{tier: 3, engines: {pfc: {xon: 95KB}}}]\n",
          "t.yaml:5:40: C1: pfc: xon is 95KB" },
        { "engine: gfc-buffer\nroles: [{tier: 0, switch: {buffer: 2KB}}]\n",
          "t.yaml:4:9: H0: gfc-buffer: " },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[500];
        struct scenario s;
        struct model p;
        struct err err = { 0 };
        snprintf(text, sizeof text, "%s%s", FAT_TREE, cases[i].more);
        assert_true(scn_read(&s, &(struct scn_source){ .name = "t.yaml", .text = text },
                             &(struct scn_files){ 0 }, NULL, 0, &err));
        assert_false(bind_model(&s, &p, &err));
        if (strncmp(err.text, cases[i].said, strlen(cases[i].said))) {
            fail_msg("%s", err.text);
        }
        model_free(&p);
        scn_free(&s);
    }
}

/* Warns of values that were set and differ at the two ends of a link.  A difference from a derived
 * value is none, and neither is one between values that each end may choose. */
static void
ends_of_links_that_differ_are_told(void **state)
{
#define LINKS_OF_C1 ", and the ends of 3 more links differ in it; each end assumes the same value"
    static const struct {
        const char *more, *said;
    } cases[] = {
        { "engine: gfc-time\nroles: [{nodes: C1, engines: {gfc-time: {period: 70us}}}]\n",
          "gfc-time: period is 70us, but 52.428us at A1" LINKS_OF_C1 },
        { "engine: gfc-time\nengines: {gfc-time: {period: 70us}}\n"
          "roles: [{nodes: C1, engines: {gfc-time: {period: auto}}}]\n",
          "gfc-time: period is 52.428us, but 70us at A1" LINKS_OF_C1 },
        { "engine: gfc-time\nroles: [{nodes: C1, engines: {gfc-time: {b0: 100KB}}}]\n",
          "gfc-time: b0 is 100KB, but " },
        { "engine: gfc-time\nengines: {gfc-time: {period: 70us}}\n", NULL },
        { "engine: gfc-time\nroles: [{nodes: C1, engines: {gfc-time: {period: 52428ns}}}]\n",
          NULL },
        { "engine: gfc-time\nroles: [{nodes: C1, switch: {buffer: 400KB}}]\n", NULL },
        { "engine: cbfc\nroles: [{nodes: C1, engines: {cbfc: {period: 70us}}}]\n", NULL },
        { "engine: none\nroles: [{nodes: C1, engine: ecn}]\n", NULL },
        { "engine: gfc-time\nroles: [{tier: 0, engine: cbfc}]\n", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[500];
        struct scenario s;
        struct model p;
        snprintf(text, sizeof text, "%s%s", FAT_TREE, cases[i].more);
        start(&s, &p, text);
        assert_int_equal(p.n_warnings, cases[i].said ? 1 : 0);
        if (cases[i].said) {
            assert_int_equal(p.warnings[0].node, node(&s, "C1"));
            assert_memory_equal(p.warnings[0].text, cases[i].said, strlen(cases[i].said));
        }
        model_free(&p);
        scn_free(&s);
    }
}

/* Outputs of slow ports get less of a common memory, and engines rely on that. */
static void
outputs_of_one_memory_hold_what_the_slowest_port_does(void **state)
{
    struct scenario s;
    struct model p;

    (void)state;
    start(&s, &p,
          "topology: {kind: incast, hosts: 2, rate: 10Gbps}\n"
          "workload: {kind: permutation}\n"
          "switch:\n"
          "  kind: pipeline\n"
          "  memory: shared\n"
          "  buffer: 20KB\n"
          "  shared: 900KB\n"
          "  limit: 80KB\n"
          "  speeds: [{rate: 10Gbps, buffer: 5KB, limit: 40KB}]\n");
    const struct weir_shape *shape = model_shape_like(&p, node(&s, "S1"));
    assert_int_equal(shape->buffer.output_bytes[0], 45000);
    assert_true(shape->buffer.is_one_memory);
    model_free(&p);
    scn_free(&s);
}

/* S1 has two hosts and one link to S2. That port gets the inner buffer, and engines derive their
 * parameters from it. */
static void
ports_inside_a_fabric_may_have_other_buffers(void **state)
{
    struct scenario s;
    struct model p;

    (void)state;
    start(&s, &p,
          "topology: {kind: fabric, rate: 10Gbps, inner_rate: 2.5Gbps, delay: 100ns}\n"
          "workload: {kind: permutation}\n"
          "switch: {kind: cioq, buffer: 150KB, egress: 120KB, inner_buffer: 32KB, inner_egress: "
          "40KB}\n"
          "engine: cbfc\n"
          "inside: gfc-buffer\n"
          "engines: {cbfc: {window: 150KB}}\n");
    const struct weir_shape *shape = model_shape_like(&p, node(&s, "S1"));
    const struct weir_buffer_plan *plan = &shape->buffer;
    assert_int_equal(shape->n_ports, 3);
    assert_int_equal(plan->ports[0].reserve_bytes, 150000);
    assert_int_equal(plan->ports[2].reserve_bytes, 32000);
    assert_int_equal(plan->size_bytes, 2 * 150000 + 32000);
    assert_int_equal(plan->outputs[1], 120000);
    assert_int_equal(plan->outputs[2], 40000);
    assert_int_equal(plan->output_bytes[0], 40000);
    assert_string_equal(engine(&s, &p, "H1"), "cbfc");
    assert_int_equal(model_stack_at(&p, node(&s, "S1"))->n, 2);
    assert_int_equal(model_stack_at(&p, node(&s, "H1"))->n, 1);
    model_free(&p);
    scn_free(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_that_are_built_alike_share_their_engines),
        cmocka_unit_test(roles_differ_by_name_and_tier),
        cmocka_unit_test(ports_respond_by_their_rates),
        cmocka_unit_test(faster_ports_may_have_more),
        cmocka_unit_test(what_is_refused_has_a_place),
        cmocka_unit_test(ends_of_links_that_differ_are_told),
        cmocka_unit_test(outputs_of_one_memory_hold_what_the_slowest_port_does),
        cmocka_unit_test(ports_inside_a_fabric_may_have_other_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
