/* Engines at both ends of a link: pairs that Weir refuses, pairs with a warning, and pairs that
 * fit. The properties of engines that decide this are also checked. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/bind.h"
#include "unit.h"

#define TREE                                                                                       \
    "topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts: 2, rate: 10Gbps}\n"                 \
    "flows: [{from: H1, to: H3}]\n"                                                                \
    "switch: {buffer: 300KB}\n"

static bool
bind(struct scenario *s, struct model *p, const char *more, struct err *err)
{
    char text[1000];

    snprintf(text, sizeof text, "%s%s", TREE, more);
    if (!scn_read(s, &(struct scn_source){ .name = "t.yaml", .text = text },
                  &(struct scn_files){ 0 }, NULL, 0, err)) {
        fail_msg("%s", err->text);
    }
    return bind_model(s, p, err);
}

static void
a_sender_that_waits_for_ever_is_refused(void **state)
{
    static const struct {
        const char *more, *said;
    } cases[] = {
        { "roles: [{nodes: S1, engine: cbfc}]\n",
          "t.yaml:4:29: S1: link from S1 to L1, class 0: S1 (cbfc) sends nothing before the first "
          "frame of its peer, but L1 (pfc) sends no frame that it understands, so S1 would never "
          "send a packet there; 1 more link is affected. Use the same flow control at both ends" },
        { "engine: cbfc\nroles: [{tier: 0, engine: none}]\n",
          "t.yaml:5:27: H1: link from L1 to H1, class 0: L1 (cbfc) sends nothing" },
        { "roles: [{nodes: H2, engine: [cbfc, ecn]}]\nwire: {classes: 4, lossless: 0x9}\n",
          "t.yaml:4:29: H2: link from H2 to L1, classes 0, 3: H2 (cbfc + ecn) sends nothing" },
        { "engine: [pfc, cbfc]\nroles: [{nodes: L2, engine: pfc}]\n",
          "t.yaml:5:29: L2: link from S1 to L2, class 0: S1 (pfc + cbfc) sends nothing" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scenario s;
        struct model p;
        struct err err = { 0 };
        assert_false(bind(&s, &p, cases[i].more, &err));
        assert_true(p.links_clash);
        if (strncmp(err.text, cases[i].said, strlen(cases[i].said))) {
            fail_msg("%s", err.text);
        }
        model_free(&p);
        scn_free(&s);
    }
}

/* Returns the number of warnings about links; sets 'is_there' if one of them begins with 'text'. */
static size_t
count_warnings(const struct model *p, const char *text, bool *is_there)
{
    size_t n = 0;

    *is_there = false;
    for (size_t i = 0; i < p->n_warnings; i++) {
        n += p->warnings[i].is_of_link;
        *is_there |= text && !strncmp(p->warnings[i].text, text, strlen(text));
    }
    return n;
}

static const struct {
    const char *more;
    size_t n;
    const char *said; /* The beginning of one of the warnings. */
} links[] = {
    { "roles: [{nodes: S1, engine: gfc-buffer}]\nwire: {classes: 8}\n", 2,
      "link from L1 to S1, classes 0 to 7: L1 (pfc) ignores the frames of S1 (gfc-buffer), so S1 "
      "may lose packets under congestion; 1 more link is affected. Use the same flow control" },
    { "roles: [{nodes: S1, engine: gfc-buffer}]\n", 2,
      "link from S1 to L1, class 0: S1 (gfc-buffer) ignores the frames of L1 (pfc), so L1 may" },
    { "roles: [{nodes: L1, engine: none}]\n", 3,
      "link from S1 to L1, class 0: S1 (pfc) has flow control, but L1 (none) has none that "
      "prevents "
      "losses, so L1 may lose packets under congestion. Use" },
    { "engine: cbfc\nroles: [{nodes: S1, engine: gfc-time}]\n", 1,
      "link from S1 to L1, class 0: S1 (gfc-time) slows down but never stops, and L1 (cbfc) keeps "
      "no buffer for that, so L1 may lose packets under congestion; 1 more link is affected." },

    /* A host drains what it receives at once, unless it stalls. */
    { "roles: [{tier: 0, engine: none}]\n", 1,
      "link from H1 to L1, class 0: H1 (none) ignores the frames of L1 (pfc), so L1 may lose "
      "packets under congestion; 3 more links are affected." },
    { "roles: [{tier: 0, engine: none}]\nstalls: [{at: H3, from: 1us}]\n", 2,
      "link from L2 to H3, class 0: L2 (pfc) has flow control, but H3 (none) has none that "
      "prevents" },

    /* These stacks have in common what prevents losses. */
    { "roles: [{nodes: S1, engine: [pfc, ecn]}]\n", 0, NULL },
    { "roles: [{nodes: S1, engine: capfc}]\n", 0, NULL },
    { "roles: [{nodes: S1, engine: ttl}]\nwire: {classes: 8}\n", 0, NULL },
    { "roles: [{nodes: S1, engine: [pfc, qcn]}, {tier: 0, engine: [pfc, fafc]}]\n", 0, NULL },
    { "engine: gfc-time\nroles: [{tier: 0, engine: cbfc}]\n", 0, NULL },
    { "engine: [pfc, gfc-buffer]\nroles: [{nodes: S1, engine: gfc-buffer}]\n", 0, NULL },

    /* FAFC needs an engine that prevents losses: FAFC at both ends is not enough. */
    { "engine: [pfc, fafc]\nroles: [{nodes: S1, engine: fafc}]\n", 2,
      "link from S1 to L1, class 0: S1 (fafc) ignores the frames of L1 (pfc + fafc)" },

    /* A peer with PFC alone is paused by frames of PFC, and by no others. */
    { "roles: [{tier: 1, engine: [pfc, fafc]}]\n", 2,
      "link from H1 to L1, class 0: H1 (pfc) ignores frames of L1 (pfc + fafc) that pause it, so "
      "an "
      "engine of L1 has no effect there; 3 more links are affected." },
    { "roles: [{tier: 1, engine: [pfc, fafc], engines: {fafc: {frames: pfc}}}]\n", 0, NULL },
    { "engine: [pfc, fafc]\nengines: {fafc: {frames: pfc}}\nroles: [{nodes: S1, engine: pfc}]\n", 0,
      NULL },

    /* These scenarios promise no lossless class, so there is nothing to warn of. */
    { "engine: none\nroles: [{nodes: S1, engine: ecn}, {nodes: L1, engine: qcn}]\n", 0, NULL },
    { "wire: {lossless: 0x0}\nroles: [{nodes: S1, engine: cbfc}]\n", 0, NULL },

    /* Frames with the same opcode but another meaning are ignored. */
    { "engines: {gfc-buffer: {opcode: 0x0101}}\nroles: [{nodes: S1, engine: gfc-buffer}]\n", 2,
      "link from L1 to S1, class 0: L1 (pfc) ignores the frames of S1 (gfc-buffer)" },
};

static void
a_receiver_that_is_not_obeyed_is_warned_of(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        struct scenario s;
        struct model p;
        struct err err = { 0 };
        bool is_there;
        if (!bind(&s, &p, links[i].more, &err)) {
            fail_msg("%s%s", links[i].more, err.text);
        }
        size_t n = count_warnings(&p, links[i].said, &is_there);
        if (n != links[i].n || is_there != !!links[i].said) {
            fail_msg("%s%zu warnings; the last: %s", links[i].more, n,
                     p.n_warnings ? p.warnings[p.n_warnings - 1].text : "-");
        }
        model_free(&p);
        scn_free(&s);
    }
}

/* An engine counts only for the ports that it serves: links inside a fabric have another engine. */
static void
scopes_count_by_the_ports_that_they_serve(void **state)
{
    static const char fabric[] = "topology: {kind: fabric, edges: 4, middles: 2}\n"
                                 "engine: [pfc, ecn]\ninside: cbfc\n"
                                 "workload: {kind: permutation}\n";
    static const struct {
        const char *roles;
        size_t n;
    } cases[] = {
        { "", 0 },
        { "roles: [{tier: 0, engine: pfc}]\n", 0 },
        { "roles: [{nodes: [S4, H7, H8], engine: gfc-buffer}]\n", 0 },
        { "roles: [{nodes: [H7, H8], engine: gfc-buffer}]\n", 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        struct scenario s;
        struct model p;
        struct err err = { 0 };
        bool is_there;
        snprintf(text, sizeof text, "%s%s", fabric, cases[i].roles);
        if (!scn_read(&s, &(struct scn_source){ .name = "t.yaml", .text = text },
                      &(struct scn_files){ 0 }, NULL, 0, &err) ||
            !bind_model(&s, &p, &err)) {
            fail_msg("%s", err.text);
        }
        assert_int_equal(count_warnings(&p, NULL, &is_there), cases[i].n);
        model_free(&p);
        scn_free(&s);
    }
}

/* Engines of one protocol must agree in the parameters that both have. */
static void
parameters_of_one_protocol_must_agree(void **state)
{
    struct scenario s;
    struct model p;
    struct err err = { 0 };
    bool is_there;

    (void)state;
    assert_false(bind(&s, &p,
                      "engine: cbfc\nengines: {cbfc: {block: 128B}}\n"
                      "roles: [{nodes: S1, engine: gfc-time}]\n",
                      &err));
    assert_non_null(strstr(err.text, "S1: gfc-time: block is 64B, but 128B at L1"));
    model_free(&p);
    scn_free(&s);
    assert_true(bind(&s, &p,
                     "engine: cbfc\nengines: {cbfc: {period: 20us}}\n"
                     "roles: [{nodes: S1, engine: gfc-time}]\n",
                     &err));
    assert_int_equal(count_warnings(&p, "gfc-time: period is 52.428us, but 20us at L1", &is_there),
                     2);
    assert_true(is_there);
    model_free(&p);
    scn_free(&s);
}

/* Properties that engines declare. */

/* True if a node that has received nothing may send a packet. */
static bool
sends_unasked(const struct weir_stack *stack, const struct weir_shape *shape,
              const struct weir_needs *needs)
{
    struct weir_outbox out = { .emits = calloc(needs->max_emits, sizeof *out.emits),
                               .max = needs->max_emits };
    void *counts = calloc(1, weir_buffer_memory(shape->n_ports, shape->n_classes));
    void *memory = aligned_alloc(WEIR_MEMORY_ALIGN, needs->state_bytes);
    struct weir_buffer buffer;
    struct weir_node node;

    assert_true(out.emits && counts && memory);
    weir_buffer_init(&buffer, &shape->buffer, shape->n_ports, shape->n_classes, counts);
    weir_node_init(&node, stack, shape, &buffer, &out, memory, 0);
    bool sends = weir_gate_is_open(&node.ctx.gates[0], 0, shape->mtu_bytes);
    free(memory);
    free(counts);
    free(out.emits);
    return sends;
}

/* Whether the engine limits rates of queues, and has a minimum rate. Limits of single flows do not
 * count. */
static bool
has_least_rate(const struct weir_engine *engine)
{
    return engine->limits & WEIR_LIMIT_RATE && weir_field_find(engine->about.params, "min_rate");
}

/* Checks what the engine declares against what it does.  An engine without frames waits for no
 * peer. */
static void
check_facts(const struct weir_engine *engine)
{
    char more[100];
    struct scenario s;
    struct model p;
    struct err err = { 0 };

    snprintf(more, sizeof more, "wire: {classes: 8}\nengine: %s\n", engine->about.name);
    assert_true(bind(&s, &p, more, &err));
    const struct model_engines *e = &p.engines[0];
    bool sends = !weir_layer_needs(&e->stack, 0, &e->shape).frame_id ||
                 sends_unasked(&e->stack, &e->shape, &e->needs);
    if (engine->waits_for_peer == sends || engine->never_stops != has_least_rate(engine)) {
        fail_msg("%s", engine->about.name);
    }
    model_free(&p);
    scn_free(&s);
}

static void
facts_of_engines_are_true(void **state)
{
    (void)state;
    for (uint32_t i = 0; weir_engine_at(i); i++) {
        check_facts(weir_engine_at(i));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sender_that_waits_for_ever_is_refused),
        cmocka_unit_test(a_receiver_that_is_not_obeyed_is_warned_of),
        cmocka_unit_test(scopes_count_by_the_ports_that_they_serve),
        cmocka_unit_test(parameters_of_one_protocol_must_agree),
        cmocka_unit_test(facts_of_engines_are_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
