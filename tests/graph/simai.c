/* SimAI workloads: layers, groups and their order, with texts written by hand; a run whose times
 * are computed by hand; and what is wrong is refused with its place. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "graph/simai.h"
#include "host.h"

#define HEAD "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 1 all_gpus: 8"

static void
read_text(const char *text, struct graph *g)
{
    struct simai simai;
    struct err err;

    if (!simai_open_bytes(&simai, text, strlen(text), "x.txt", NULL, &err)) {
        fail_msg("%s", err.text);
    }
    simai_begin(&simai, g);
    for (uint32_t rank = simai.n_ranks; rank-- > 0;) { /* Any order will do. */
        assert_true(simai_load(&simai, g, rank, &err));
    }
    simai_close(&simai);
    struct graph_balance b;
    graph_balance_init(&b, g);
    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        graph_balance_add(&b, rank);
    }
    assert_true(graph_balance_is_even(&b));
    graph_balance_free(&b);
}

/* The tasks of a rank in order, with the tasks for which they wait:
 * "0 calc 5; 1 all-reduce 8 of 0,2 after 0; 2 delay 7 after 1". */
static void
expect_tasks(const struct graph *g, uint32_t rank, const char *expected)
{
    const struct graph_rank *r = &g->ranks[rank];
    char text[4000] = "";
    size_t n = 0;

#define ADD(...) n += (size_t)snprintf(text + n, sizeof text - n, __VA_ARGS__)
    for (uint32_t i = 0; i < r->n_tasks; i++) {
        const struct graph_task *t = &r->tasks[i];
        ADD("%s%u ", i ? "; " : "", i);
        if (t->kind == GRAPH_COLLECTIVE) {
            const struct graph_collective *c = &g->collectives[t->peer];
            const struct graph_group *group = &g->groups[c->group];
            ADD("%s %llu of ", coll_op_names[c->params.op], (unsigned long long)t->amount);
            for (uint32_t k = 0; k < group->n; k++) {
                ADD("%s%u", k ? "," : "", group->ranks[k]);
            }
        } else {
            ADD("%s %llu", t->kind == GRAPH_CALC ? "calc" : "delay",
                (unsigned long long)t->amount / 1000);
        }
        for (uint32_t before = 0; before < i; before++) {
            for (uint32_t k = r->tasks[before].first_after; k < r->tasks[before + 1].first_after;
                 k++) {
                if (r->after[k] == i) {
                    ADD(" after %u", before);
                }
            }
        }
    }
    assert_string_equal(text, expected);
}

/* The order of phases, the groups of suffixes, and sizes below 4096 bytes, which grow in the
 * forward pass only.  A time of 0 takes no task, and neither does NONE. */
static void
test_order(void **state)
{
    struct graph g;

    (void)state;
    read_text(HEAD "\n2\n"
                   "a -1 10 ALLGATHER 1 20 REDUCESCATTER 1 30 ALLREDUCE 9 5\n"
                   "b\t-1   0 ALLTOALL_EP 4096 40 ALLTOALL_EP 0 50 REDUCESCATTER_DP_EP 7 0",
              &g);
    expect_tasks(&g, 3,
                 "0 calc 10; 1 all-gather 4096 of 2,3 after 0; 2 delay 5 after 1; "
                 "3 all-to-all 4096 of 1,3 after 2; "
                 "4 calc 40 after 3; 5 all-to-all 0 of 1,3 after 4; "
                 "6 calc 50 after 5; 7 reduce-scatter 7 of 3,7 after 6; "
                 "8 calc 20 after 6; 9 reduce-scatter 1 of 2,3 after 8; 10 delay 5 after 9; "
                 "11 calc 30 after 10; 12 all-reduce 9 of 1,3,5,7 after 11; 13 delay 5 after 12");
    expect_tasks(&g, 4,
                 "0 calc 10; 1 all-gather 4096 of 4,5 after 0; 2 delay 5 after 1; "
                 "3 all-to-all 4096 of 4,6 after 2; "
                 "4 calc 40 after 3; 5 all-to-all 0 of 4,6 after 4; "
                 "6 calc 50 after 5; 7 reduce-scatter 7 of 0,4 after 6; "
                 "8 calc 20 after 6; 9 reduce-scatter 1 of 4,5 after 8; 10 delay 5 after 9; "
                 "11 calc 30 after 10; 12 all-reduce 9 of 0,2,4,6 after 11; 13 delay 5 after 12");
    graph_free(&g);
}

/* Pipelines: 16 ranks, 2 for tensors, 2 stages, 4 for data with a stride of 4. */
static void
test_pipelines(void **state)
{
    struct graph g;

    (void)state;
    read_text("HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 2 pp: 2 vpp: 1 ga: 4 "
              "all_gpus: 16 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 777 more words\r\n"
              "\r\n 1 \r\n"
              "\r\na 7 0 ALLREDUCE_EP 5000 0 ALLREDUCE_DP_EP 6000 0 ALLREDUCE 7000 0\r\n\r\n",
              &g);
    expect_tasks(&g, 7,
                 "0 all-reduce 5000 of 3,7; 1 all-reduce 6000 of 7,15 after 0; "
                 "2 all-reduce 7000 of 3,7,11,15 after 1");
    graph_free(&g);
}

/* A group of one rank has no collective; HYBRID_CUSTOMIZED has a 13th word. */
static void
test_small_groups(void **state)
{
    struct graph g;

    (void)state;
    read_text("HYBRID_CUSTOMIZED model_parallel_NPU_group: 1 all_gpus: 2\n1\n"
              "a -1 1 ALLREDUCE 9 2 ALLREDUCE_EP 9 3 ALLREDUCE 9 4 HYBRID_DATA_MODEL\n",
              &g);
    expect_tasks(&g, 1,
                 "0 calc 1; 1 calc 2 after 0; 2 calc 3 after 1; 3 all-reduce 9 of 0,1 after 2; "
                 "4 delay 4 after 3");
    assert_int_equal(g.n_groups, 1);
    graph_free(&g);
}

/* Before layer 2 goes backward, layers 1 and up to it run forward again. */
static void
test_checkpoints(void **state)
{
    struct graph g;

    (void)state;
    read_text("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 all_gpus: 1 "
              "checkpoints: 2 0 1 checkpoint_initiates: 1 2\n4\n"
              "a -1 10 NONE 0 11 NONE 0 12 NONE 0 0\n"
              "b -1 20 NONE 0 21 NONE 0 22 NONE 0 0\n"
              "c -1 30 NONE 0 31 NONE 0 32 NONE 0 0\n"
              "d -1 40 NONE 0 41 NONE 0 42 NONE 0 0\n",
              &g);
    expect_tasks(&g, 0,
                 "0 calc 10; 1 calc 20 after 0; 2 calc 30 after 1; 3 calc 40 after 2; "
                 "4 calc 41 after 3; 5 calc 42 after 4; "
                 "6 calc 20 after 5; 7 calc 31 after 6; 8 calc 32 after 7; "
                 "9 calc 21 after 8; 10 calc 22 after 9; 11 calc 11 after 10; 12 calc 12 after 11");
    graph_free(&g);
}

#define LINE "a -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n"

static const char *const refused[][2] = {
    { "", "x.txt:1:1: the first word of a SimAI workload is its kind of parallelism" },
    { "DATA all_gpus: 8\n",
      "x.txt:1:1: the first word of a SimAI workload is its kind of parallelism; write "
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD, HYBRID_TRANSFORMER or HYBRID_CUSTOMIZED, not 'DATA'" },
    { "HYBRID_TRANSFORMER all_gpus: 8\n",
      "x.txt:1:31: the first line has no 'model_parallel_NPU_group:'; write it" },
    { "HYBRID_TRANSFORMER model_parallel_NPU_group: 8\n", "the first line has no 'all_gpus:'" },
    { "HYBRID_TRANSFORMER all_gpus: x\n", "x.txt:1:30: expected a number of ranks, found 'x'" },
    { "HYBRID_TRANSFORMER all_gpus:\n",
      "x.txt:1:29: expected a number of ranks, found the end of the line" },
    { "HYBRID_TRANSFORMER all_gpus: 0\n", "x.txt:1:30: 'all_gpus:' is 0; give at least 1" },
    { "HYBRID_TRANSFORMER all_gpus: 1048577\n", "1048577 is too large: a number of ranks is at" },
    { "HYBRID_TRANSFORMER model_parallel_NPU_group: 3 all_gpus: 8\n",
      "x.txt:1:58: 8 ranks are no multiple of tensor parallel times pipeline parallel, 3 * 1" },
    { "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 3 all_gpus: 8\n",
      "x.txt:1:52: a data group of 4 ranks (8 / 2 / 1) does not divide into expert groups of 3" },
    { HEAD " checkpoints: 1\n", "x.txt:1:99: expected a layer, from 0, found the end of the line" },
    { HEAD " checkpoints: 1 1\n1\n" LINE,
      "x.txt:1:100: layer 1 does not exist; there are 1, counted from 0" },
    { HEAD " checkpoint_initiates: 1 0\n1\n" LINE,
      "x.txt:1:109: layer 0 of checkpoint_initiates has no checkpoint of its own at or before it" },
    { HEAD " checkpoints: 1 0 checkpoints: 1 0\n1\n" LINE, "the line lists these layers twice" },
    { HEAD, "x.txt:1:84: expected the number of layers, found the end of the file" },
    { HEAD "\nx\n", "x.txt:2:1: expected the number of layers, found 'x'" },
    { HEAD "\n1 2\n", "x.txt:2:3: expected the end of the line after the number of layers, found "
                      "'2'" },
    { HEAD "\n2\n" LINE, "x.txt:4:1: the file ends after 1 of 2 layers" },
    { HEAD "\n1\n" LINE LINE, "x.txt:4:1: expected the end of the file after 1 layers, found 'a'" },
    { HEAD "\n1\na x 1 NONE 0 1 NONE 0 1 NONE 0 1\n",
      "x.txt:3:3: expected the dependency of a layer, such as -1, found 'x'" },
    { HEAD "\n1\na -1 -1 NONE 0 1 NONE 0 1 NONE 0 1\n",
      "x.txt:3:6: expected a number of nanoseconds, found '-1'" },
    { HEAD "\n1\na -1 4611686018427388 NONE 0 1 NONE 0 1 NONE 0 1\n",
      "4611686018427388 is too large: a number of nanoseconds is at most 4611686018427387" },
    { HEAD "\n1\na -1 1 BROADCAST 0 1 NONE 0 1 NONE 0 1\n",
      "x.txt:3:8: expected NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL, which may end "
      "with _EP or _DP_EP, found 'BROADCAST'" },
    { HEAD "\n1\na -1 1 ALLREDUCEALLTOALL 0 1 NONE 0 1 NONE 0 1\n", "found 'ALLREDUCEALLTOALL'" },
    { HEAD "\n1\na -1 1 ALLREDUCE_TP 0 1 NONE 0 1 NONE 0 1\n", "found 'ALLREDUCE_TP'" },
    { HEAD "\n1\na -1 1 NONE 1125899906842625 1 NONE 0 1 NONE 0 1\n",
      "too large: a number of bytes is at most 1125899906842624" },
    { HEAD "\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0\n",
      "x.txt:3:32: expected a number of nanoseconds, found the end of the line" },
    { HEAD "\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1 X\n",
      "x.txt:3:35: expected the end of the line after 12 words, found 'X'" },
    { "HYBRID_CUSTOMIZED model_parallel_NPU_group: 1 all_gpus: 1\n1\n" LINE,
      "x.txt:3:34: expected the policy of the layer, its 13th word, found the end of the line" },
    { HEAD "\n1\na -1 1 NO\x01NE 0 1 NONE 0 1 NONE 0 1\n", "found 'NO?NE'" },
};

static void
test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct simai simai;
        struct err err = { .text = "it is accepted" };
        bool good =
            simai_open_bytes(&simai, refused[i][0], strlen(refused[i][0]), "x.txt", NULL, &err);
        assert_says(err.text, refused[i][1]);
        assert_false(good);
        assert_true(err.is_of_content);
    }
}

/* Parameters of collectives are the caller's, and are checked with the place of the collective. */
static void
test_algorithms(void **state)
{
    static const char text[] = "HYBRID_TRANSFORMER model_parallel_NPU_group: 6 all_gpus: 6\n1\n"
                               "a -1 1 ALLREDUCE 9 1 NONE 0 1 NONE 0 1\n";
    struct trace_collectives c = trace_collectives_default();
    struct simai simai;
    struct err err;

    (void)state;
    c.params[COLL_ALL_REDUCE].algorithm = coll_algorithm_find("direct");
    assert_true(simai_open_bytes(&simai, text, strlen(text), "x.txt", &c, &err));
    assert_string_equal(simai.collectives.params[COLL_ALL_REDUCE].algorithm->about.name, "direct");
    simai_close(&simai);
    c.params[COLL_ALL_REDUCE].channels = 0;
    assert_false(simai_open_bytes(&simai, text, strlen(text), "x.txt", &c, &err));
    assert_says(err.text, "x.txt:3:8: 0 channels: give 1 to");
}

static void
test_files(void **state)
{
    static const char text[] = HEAD "\n1\n" LINE;
    char path[] = "/tmp/simai-XXXXXX";
    int file = mkstemp(path);
    struct simai simai;
    struct err err;

    (void)state;
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    assert_true(simai_open(&simai, file, path, NULL, &err));
    assert_int_equal(simai.n_layers, 1);
    simai_close(&simai);
    unlink(path);
    assert_false(simai_open(&simai, open("/", O_RDONLY), "/", NULL, &err));
    assert_says(err.text, "cannot read /: it is not a regular file");
}

/* A byte takes 1 ns, and a message arrives 1 us after it has left. */
static struct host_times
network(void *context, uint32_t from, const struct executor_send *s, weir_ps now)
{
    weir_ps sent = now + 1000 * (weir_ps)s->bytes;

    (void)context, (void)from;
    return (struct host_times){ sent, sent + US };
}

/* With two ranks, a gather or reduce-scatter of S bytes takes S / 2 + 1000 ns, an all-reduce twice
 * as long.
 *
 * Forward: layer a takes 1000 + 5000 + 100 for its update, to 6100.  Layer b takes 2000, to 8100.
 * Backward: layer b takes 300 + 1050 + 50, to 9500, and 400, to 9900.  Its all-reduce takes 4000.
 * Layer a takes 500 + 200, to 10600.  Its all-reduce takes 8000, and its update 100: to 18700. */
static void
test_run(void **state)
{
    struct graph g;
    struct host h;

    (void)state;
    read_text("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 all_gpus: 4\n2\n"
              "a -1 1000 ALLGATHER 8000 500 NONE 0 200 ALLREDUCE 6000 100\n"
              "b -1 2000 NONE 0 300 REDUCESCATTER 100 400 ALLREDUCE 2000 50\n",
              &g);
    host_init(&h, &g, network, NULL);
    host_run(&h, 0);
    for (uint32_t rank = 0; rank < 4; rank++) {
        const struct executor *x = &h.ranks[rank];
        assert_true(executor_is_done(x));
        assert_int_equal(x->end_ps, 18700 * 1000);
        assert_int_equal(x->times.computing_ps, 4400 * 1000);
        assert_int_equal(x->records[3].end_ps, 8100 * 1000);
        assert_int_equal(x->records[8].start_ps, 9900 * 1000);
        assert_int_equal(x->records[8].end_ps, 13900 * 1000);
    }
    host_free(&h);
    graph_free(&g);
}

/* 9,216 ranks with 60 layers, one rank in memory at a time. */
static void
test_many_ranks(void **state)
{
    enum { N = 9216, LAYERS = 60 };
    char *text;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    struct simai simai;
    struct graph g;
    struct err err;

    (void)state;
    fprintf(out,
            "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 16 pp: 12 "
            "all_gpus: %d\n%d\n",
            N, LAYERS);
    for (int i = 0; i < LAYERS; i++) {
        fprintf(out, "l -1 1 ALLTOALL_EP 9 1 ALLGATHER 9 1 REDUCESCATTER_DP_EP 9 1\n");
    }
    fclose(out);
    assert_true(simai_open_bytes(&simai, text, n, "x.txt", NULL, &err));
    simai_begin(&simai, &g);
    assert_int_equal(g.n_groups, N / 2 + N / 16 + N / 24);
    for (uint32_t rank = 0; rank < N; rank++) {
        assert_true(simai_load(&simai, &g, rank, &err));
        assert_int_equal(g.ranks[rank].n_tasks, 9 * LAYERS);
        for (uint32_t i = 1; i < 9; i++) { /* The rank belongs to the groups of its collectives. */
            const struct graph_task *t = &g.ranks[rank].tasks[i];
            if (t->kind == GRAPH_COLLECTIVE) {
                uint32_t group = g.collectives[t->peer].group;
                assert_int_not_equal(graph_index_in_group(&g.groups[group], rank), GRAPH_NONE);
            }
        }
        graph_free_rank(&g, rank);
    }
    graph_free(&g);
    simai_close(&simai);
    free(text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),        cmocka_unit_test(test_pipelines),
        cmocka_unit_test(test_small_groups), cmocka_unit_test(test_checkpoints),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_algorithms),
        cmocka_unit_test(test_files),        cmocka_unit_test(test_run),
        cmocka_unit_test(test_many_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
