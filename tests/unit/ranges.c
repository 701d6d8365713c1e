/* Arguments out of range. A wrong call of the host fails an assert, in a child process that must
 * abort; wrong input from outside is counted and ignored.  Without asserts, only the second kind is
 * tested. */

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../rig.h"
#include "unit.h"

enum { N_RIG_PORTS = 4 };

static struct rig
start(void)
{
    struct rig r = rig_start("pfc", N_RIG_PORTS, 100 * GBPS, 100 * KB);
    r.out->n = 0;
    return r;
}

static struct weir_frame
a_pause(void)
{
    struct weir_class_frame f = { .opcode = WEIR_OPCODE_PFC, .enable = 1, .values = { 100 } };
    struct weir_frame bytes;
    weir_class_frame_encode(&f, &bytes);
    return bytes;
}

/* Values that come from outside. */

static void
assert_refused(uint16_t port, uint8_t len)
{
    struct rig r = start();
    struct weir_frame f = a_pause();
    const size_t n_bytes = r.n_slots * sizeof(struct weir_gate);
    void *before = malloc(n_bytes);

    memcpy(before, r.node.ctx.gates, n_bytes);
    f.len = len;
    weir_node_frame(&r.node, 0, port, &f);
    assert_int_equal(r.node.n_refused, 1);
    assert_int_equal(r.node.n_strange_frames, 0);
    assert_int_equal(r.out->n, 0);
    assert_memory_equal(r.node.ctx.gates, before, n_bytes);
    free(before);
    rig_stop(&r);
}

static void
frames_out_of_range_are_counted_and_ignored(void **state)
{
    (void)state;
    assert_refused(77, 22);
    assert_refused(N_RIG_PORTS, 22);
    assert_refused(UINT16_MAX, 22);
    assert_refused(0, WEIR_FRAME_MAX + 1);
    assert_refused(0, UINT8_MAX);
}

static void
the_last_port_is_in_range(void **state)
{
    struct rig r = start();
    struct weir_frame f = a_pause();

    (void)state;
    weir_node_frame(&r.node, 0, N_RIG_PORTS - 1, &f);
    assert_int_equal(r.node.n_refused, 0);
    assert_int_equal(r.out->n, 1);
    rig_stop(&r);
}

/* This node has no flows, so a message about a flow is out of range. */
static void
messages_out_of_range_are_counted_and_ignored(void **state)
{
    struct rig r = start();
    struct weir_frame f = a_pause();

    (void)state;
    weir_node_heard(&r.node, 0, 0, &f);
    weir_node_heard(&r.node, 0, UINT32_MAX, &f);
    assert_int_equal(r.node.n_refused, 2);
    assert_int_equal(r.out->n, 0);
    rig_stop(&r);
}

/* Wrong calls of the host. */

#ifndef NDEBUG

static void
tell_in_port(struct rig *r)
{
    weir_node_arrived(&r->node, 0, &(struct weir_pkt){ .bytes = 1, .in_port = N_RIG_PORTS });
}

static void
tell_out_port(struct rig *r)
{
    weir_node_departed(&r->node, 0, &(struct weir_pkt){ .bytes = 1, .out_port = N_RIG_PORTS });
}

static void
tell_class(struct rig *r)
{
    weir_node_queued(&r->node, 0, &(struct weir_pkt){ .bytes = 1, .cls = RIG_CLASSES });
}

static void
tell_no_bytes(struct rig *r)
{
    weir_node_arrived(&r->node, 0, &(struct weir_pkt){ .bytes = 0 });
}

static void
tell_ecn(struct rig *r)
{
    weir_node_arrived(&r->node, 0, &(struct weir_pkt){ .bytes = 1, .ecn = WEIR_CE + 1 });
}

static void
tell_forwarded(struct rig *r) /* This node has no stages. */
{
    weir_node_forwarded(&r->node, 0, &(struct weir_pkt){ .bytes = 1 });
}

static void
tell_sent(struct rig *r) /* This node has no flows. */
{
    weir_node_sent(&r->node, 0, &(struct weir_pkt){ .bytes = 1 });
}

static void
tell_link(struct rig *r)
{
    weir_node_link(&r->node, 0, N_RIG_PORTS, true);
}

static void
tell_timer(struct rig *r)
{
    weir_node_timer(&r->node, 0, r->n_timers);
}

static void
tell_the_past(struct rig *r)
{
    weir_node_link(&r->node, 10, 0, true);
    r->out->n = 0;
    weir_node_link(&r->node, 9, 0, true);
}

static void
tell_a_full_outbox(struct rig *r)
{
    r->out->n = 1;
    weir_node_link(&r->node, 0, 0, true);
}

static void
set_layer(struct rig *r)
{
    struct weir_stack stack = { 0 };
    struct weir_text why = { 0 };

    (void)r;
    weir_stack_set(&stack, 0, "xoff", "1KB", &why);
}

static void
admit_in_slot(struct rig *r)
{
    weir_buffer_admit(r->buffer, r->n_slots, 0, 1500);
}

static void
admit_out_slot(struct rig *r)
{
    weir_buffer_admit(r->buffer, 0, r->n_slots, 1500);
}

static void
admit_no_bytes(struct rig *r)
{
    weir_buffer_admit(r->buffer, 0, 0, 0);
}

static void
release_what_is_not_there(struct rig *r)
{
    weir_buffer_release(r->buffer, 0, 0, 1500);
}

static void
forward_what_is_not_there(struct rig *r)
{
    weir_buffer_forward(r->buffer, 0, 1500);
}

static void
admit_what_is_not_on_its_way(struct rig *r)
{
    weir_buffer_admit_output(r->buffer, 0, 1500);
}

static void
gate_of_no_bytes(struct rig *r)
{
    weir_gate_ready(&r->node.ctx.gates[0], 0, 0);
}

static void
gate_of_the_past(struct rig *r)
{
    weir_gate_sent(&r->node.ctx.gates[0], 10, 1500);
    weir_gate_sent(&r->node.ctx.gates[0], 9, 1500);
}

/* Wrong outputs of an engine. */

static void
answer_slot(struct rig *r)
{
    weir_set_open(&r->node.ctx, r->n_slots, 0);
}

static void
answer_rate_of_slot(struct rig *r)
{
    weir_set_rate(&r->node.ctx, r->n_slots, GBPS);
}

static void
answer_grain(struct rig *r)
{
    weir_restart_credit(&r->node.ctx, 0, 48, 0);
}

static void
answer_port(struct rig *r)
{
    weir_send(&r->node.ctx, N_RIG_PORTS);
}

static void
answer_flow(struct rig *r)
{
    weir_limit_flow(&r->node.ctx, 0, GBPS);
}

static void
answer_factor(struct rig *r)
{
    weir_slow_flows(&r->node.ctx, 0, WEIR_RATIO_1 + 1);
}

static void
answer_message_class(struct rig *r)
{
    weir_send_to_source(&r->node.ctx, 1, 0, RIG_CLASSES);
}

static const struct {
    const char *name;
    void (*call)(struct rig *);
} mistakes[] = {
    { "in_port", tell_in_port },
    { "out_port", tell_out_port },
    { "class", tell_class },
    { "no bytes", tell_no_bytes },
    { "ecn", tell_ecn },
    { "forwarded without stages", tell_forwarded },
    { "sent without flows", tell_sent },
    { "link", tell_link },
    { "timer", tell_timer },
    { "the past", tell_the_past },
    { "a full outbox", tell_a_full_outbox },
    { "layer", set_layer },
    { "admit: input", admit_in_slot },
    { "admit: output", admit_out_slot },
    { "admit: no bytes", admit_no_bytes },
    { "release", release_what_is_not_there },
    { "forward", forward_what_is_not_there },
    { "admit_output", admit_what_is_not_on_its_way },
    { "gate: no bytes", gate_of_no_bytes },
    { "gate: the past", gate_of_the_past },
    { "answer: open", answer_slot },
    { "answer: rate", answer_rate_of_slot },
    { "answer: grain", answer_grain },
    { "answer: port", answer_port },
    { "answer: flow", answer_flow },
    { "answer: factor", answer_factor },
    { "answer: message", answer_message_class },
};

/* Whether the process aborts after mistake 'which'; after the last one there is no mistake. */
static bool
aborts(size_t which)
{
    struct rig r = start();
    int status = 0;
    pid_t child = fork();

    assert_true(child >= 0);
    if (!child) {
        fclose(stderr);
        if (which < N_OF(mistakes)) {
            mistakes[which].call(&r);
        }
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    rig_stop(&r);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void
calls_out_of_range_are_asserted(void **state)
{
    (void)state;
    assert_false(aborts(N_OF(mistakes)));
    for (size_t i = 0; i < N_OF(mistakes); i++) {
        if (!aborts(i)) {
            fail_msg("%s: not asserted", mistakes[i].name);
        }
    }
}

#endif

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_out_of_range_are_counted_and_ignored),
        cmocka_unit_test(the_last_port_is_in_range),
        cmocka_unit_test(messages_out_of_range_are_counted_and_ignored),
#ifndef NDEBUG
        cmocka_unit_test(calls_out_of_range_are_asserted),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
