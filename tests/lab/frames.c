/* The number of frames in the pool of a lab in one process, for any number of nodes, and the memory
 * that processes take. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bind/bind.h"
#include "dataplane/frame-needs.h"
#include "dataplane/inside.h"
#include "lab/capacity.h"
#include "scenario/scenario.h"

static const char text[] = "topology: {kind: fat-tree, k: 16}\n"
                           "flows: [{from: H1, to: H2}]\n";

/* The frames that 1344 nodes keep for control messages are more than the maximum for packets, and
 * come in addition to it. */
static void
what_nodes_keep_is_no_packets_room(void **state)
{
    struct scn_source source = { .name = "frames.yaml", .text = text };
    struct err err = { 0 };
    struct scenario s;
    struct model model;

    (void)state;
    if (!scn_read(&s, &source, &(struct scn_files){ 0 }, NULL, 0, &err) ||
        !bind_model(&s, &model, &err)) {
        fail_msg("%s", err.text);
    }
    uint32_t n = (uint32_t)model.topo->n_nodes, n_kept = n * DP_N_SPARES;
    assert_int_equal(n, 1344);
    assert_true(dp_frames_of(&model, 0, n) >= n_kept + (1 << 16));
    model_free(&model);
    scn_free(&s);
}

static void
a_lab_that_has_not_the_memory_is_told(void **state)
{
    struct weir_text said;

    (void)state;
    lab_memory_warn(2000000000, 2000000000, &said);
    assert_int_equal(said.len, 0);
    lab_memory_warn(2000000001, 1999999999, &said);
    assert_memory_equal(said.s, "its processes take some 2000 MB of memory, and 1999 MB are free",
                        63);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nodes_keep_is_no_packets_room),
        cmocka_unit_test(a_lab_that_has_not_the_memory_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
