/* Victims and causes in a file for which they are known: H1 sends to H3, which is congested, and
 * the flow of H2 to H4 is a victim behind it.
 *
 *     H1 --0--\            /--6-- H3
 *              S1 --4-- S2
 *     H2 --2--/            \--8-- H4          ports of the left or upper end; the other is one more
 */

#include <math.h>

#include "record/record.h"
#include "report/flow-waits.h"
#include "scratch.h"

enum { N_LINKS = 5, GUILTY = 0, VICTIM = 1, IDLE = 2 };

static const uint32_t ends[N_LINKS][2] = { { 0, 4 }, { 1, 4 }, { 4, 5 }, { 5, 2 }, { 5, 3 } };

static void
tell_network(struct rec *r, struct err *err)
{
    static const char *const names[] = { "H1", "H2", "H3", "H4", "S1", "S2" };

    for (uint32_t i = 0; i < N_OF(names); i++) {
        rec_add_node(
            r, &(struct rec_node){ .name = names[i], .kind = i < 4 ? "nic" : "switch", .role = "" },
            err);
    }
    for (uint32_t i = 0; i < 2 * N_LINKS; i++) {
        rec_add_port(r, &(struct rec_port){ .node = ends[i / 2][i % 2], .peer = i ^ 1 }, err);
    }
}

static void
tell_flow(struct rec *r, const char *name, uint32_t from, uint32_t to, const char *path,
          struct err *err)
{
    rec_add_flow(r,
                 &(struct rec_flow){ .name = name,
                                     .from = from,
                                     .to = to,
                                     .bytes = REC_NONE,
                                     .finished_ps = -1,
                                     .stopped_ps = -1,
                                     .path = path,
                                     .dport = REC_NO_ID },
                 err);
}

static void
tell_event(struct rec *r, weir_ps at_ps, const char *kind, uint32_t port, uint64_t value,
           struct err *err)
{
    rec_add_event(r,
                  &(struct rec_event){ .at_ps = at_ps,
                                       .kind = kind,
                                       .node = REC_NO_ID,
                                       .port = port,
                                       .flow = REC_NO_ID,
                                       .value = value },
                  err);
}

/* The end of the first pause is written last, as for a pause that expires. */
static void
tell_pauses(struct rec *r, struct err *err)
{
    tell_event(r, 15, "blame", 1, 4, err);
    tell_event(r, 20, "pause", 0, 0, err);
    tell_event(r, 40, "resume", 0, 0, err);
    tell_event(r, 90, "blame", 5, 6, err);
    tell_event(r, 100, "pause", 4, 0, err);
    tell_event(r, 110, "blame", 3, 4, err);
    tell_event(r, 120, "pause", 0, 0, err);
    tell_event(r, 130, "pause", 2, 0, err);
    tell_event(r, 180, "resume", 2, 0, err);
    tell_event(r, 220, "resume", 0, 0, err);
    tell_event(r, 200, "resume", 4, 0, err);
}

static void
tell_waits(struct rec *r, struct err *err)
{
    const struct rec_wait waits[] = {
        { .flow = VICTIM,
          .port = 4,
          .n_packets = 10,
          .first_ps = 60,
          .last_ps = 300,
          .pause_ps = 300,
          .queue_ps = 200 },
        { .flow = GUILTY,
          .port = 0,
          .n_packets = 20,
          .first_ps = 0,
          .last_ps = 400,
          .pause_ps = 120,
          .control_ps = 7 },
        { .flow = VICTIM,
          .port = 2,
          .n_packets = 10,
          .first_ps = 50,
          .last_ps = 250,
          .pause_ps = 50 },
        { .flow = VICTIM, .port = 8, .n_packets = 10, .first_ps = 70, .last_ps = 310 },
    };

    for (size_t i = 0; i < N_OF(waits); i++) {
        rec_add_wait(r, &waits[i], err);
    }
}

static struct rec_file *
write_incast(const char *path, bool asks_why, struct err *err)
{
    struct rec *r = rec_open(path, err);

    rec_begin(r, &sample_run, err);
    tell_network(r, err);
    tell_flow(r, "guilty", 0, 2, "0 4 6", err);
    tell_flow(r, "victim", 1, 3, "2 4 8", err);
    tell_flow(r, "idle", 1, 3, "2 4 8", err);
    tell_pauses(r, err);
    if (asks_why) {
        tell_waits(r, err);
    }
    rec_end(r, &(struct rec_end){ REC_COMPLETE, 0, &(struct run_facts){ .until_ps = 500 } }, err);
    assert_true(rec_close(r, err));
    return open_good(path);
}

static void
assert_time(double found_ps, double expected_ps)
{
    assert_true(fabs(found_ps - expected_ps) < 1e-6);
}

/* How long a flow waited because of the output of a port. */
static double
because_of(const struct rep_flow_waits *s, const struct rep_blocked_flow *f, uint32_t port)
{
    double held_ps = 0;

    for (size_t i = 0; i < f->n_hops; i++) {
        const struct rep_hop *hop = &s->hops[f->first_hop + i];
        for (size_t k = 0; k < hop->n_shares; k++) {
            const struct rep_share *share = &s->shares[hop->first_share + k];
            held_ps += s->why->roots[share->root].ports[0] == port ? share->held_ps : 0;
        }
    }
    return held_ps;
}

/* Reads the waits of the only run. */
static bool
read_waits(struct rep_flow_waits *s, struct rec_file *file, struct err *err)
{
    struct rec_rows runs = { 0 };
    bool good = rec_read_all(file, REC_RUN, 0, &runs, err) &&
                rep_flow_waits_read(s, file, rec_row(&runs, REC_RUN, 0), err);

    rec_rows_free(&runs, REC_RUN);
    return good;
}

static void
a_victim_is_told_from_the_guilty(void **state)
{
    const struct scratch *scratch = *state;
    struct err err = { 0 };
    struct rec_file *file = write_incast(scratch->path, true, &err);
    struct rep_flow_waits s;

    assert_true(read_waits(&s, file, &err));
    assert_true(s.is_recorded);
    assert_int_equal(s.n_flows, 2);
    assert_int_equal(s.n_victims, 1);
    const struct rep_blocked_flow *victim = rep_blocked_flow_of(&s, VICTIM),
                                  *guilty = rep_blocked_flow_of(&s, GUILTY);
    assert_null(rep_blocked_flow_of(&s, IDLE));
    assert_ptr_equal(s.worst[0], guilty);
    assert_time(guilty->total_ps, 127);
    assert_time(guilty->victim_ps, 0);
    assert_time(because_of(&s, guilty, 6), 100);
    assert_time(because_of(&s, guilty, 4), 20);
    assert_time(victim->total_ps, 50 + 30 + 20);
    assert_time(victim->held_ps[REP_WAIT_PAUSE], 80);
    assert_time(victim->held_ps[REP_WAIT_QUEUE], 20);
    assert_time(victim->victim_ps, 80);
    assert_int_equal(s.why->roots[victim->victim_of].ports[0], 6);
    assert_int_equal(guilty->victim_of, WHY_NONE);
    rep_flow_waits_free(&s);
    rec_read_close(file);
}

static void
a_story_goes_hop_by_hop(void **state)
{
    const struct scratch *scratch = *state;
    struct err err = { 0 };
    struct rec_file *file = write_incast(scratch->path, true, &err);
    struct rep_flow_waits s;

    assert_true(read_waits(&s, file, &err));
    const struct rep_blocked_flow *victim = rep_blocked_flow_of(&s, VICTIM);
    const struct rep_hop *hops = &s.hops[victim->first_hop];
    assert_int_equal(victim->n_hops, 3);
    assert_int_equal(hops[0].port, 2);
    assert_int_equal(hops[1].port, 4);
    assert_int_equal(hops[2].port, 8);
    assert_true(hops[0].is_sender);
    assert_false(hops[1].is_sender);
    assert_int_equal(victim->reason.what, REP_WAIT_PAUSE);
    assert_int_equal(victim->reason.port, 2);
    assert_int_equal(s.why->roots[victim->reason.root].ports[0], 6);
    assert_int_equal(s.n_faults, 2);
    assert_int_equal(s.why->roots[s.faults[0].root].ports[0], 6);
    assert_int_equal(s.faults[0].n_flows, 2);
    assert_int_equal(s.faults[0].n_victims, 1);
    assert_time(s.faults[0].held_ps, 180);
    assert_int_equal(s.faults[1].n_victims, 0);
    rep_flow_waits_free(&s);
    rec_read_close(file);
}

static void
a_run_that_did_not_ask_has_no_answer(void **state)
{
    const struct scratch *scratch = *state;
    struct err err = { 0 };
    struct rec_file *file = write_incast(scratch->path, false, &err);
    struct rep_flow_waits s;

    assert_true(read_waits(&s, file, &err));
    assert_false(s.is_recorded);
    rep_flow_waits_free(&s);
    rec_read_close(file);
}

/* If an argument names a file, the program writes this results file instead of running tests. */
int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_victim_is_told_from_the_guilty, make_scratch,
                                        drop_scratch),
        cmocka_unit_test_setup_teardown(a_story_goes_hop_by_hop, make_scratch, drop_scratch),
        cmocka_unit_test_setup_teardown(a_run_that_did_not_ask_has_no_answer, make_scratch,
                                        drop_scratch),
    };

    if (argc > 1) {
        struct err err = { 0 };
        rec_read_close(write_incast(argv[1], true, &err));
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
