/* GOAL files: graphs that are written are read again, as text and as binary; what is wrong is
 * refused with its place. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "base/array.h"
#include "goal-write.h"
#include "graph/goal.h"
#include "tasks.h"

static void
load_all(const struct goal *goal, struct graph *g)
{
    struct err err;

    graph_init(g, goal->n_ranks);
    for (uint32_t rank = goal->n_ranks; rank-- > 0;) { /* Any order will do. */
        if (!goal_load(goal, g, rank, &err)) {
            fail_msg("%s", err.text);
        }
    }
}

static void
read_bytes(const void *bytes, size_t n, struct graph *g)
{
    struct goal goal;
    struct err err;

    if (!goal_open_bytes(&goal, bytes, n, "x.goal", &err)) {
        fail_msg("%s", err.text);
    }
    load_all(&goal, g);
    goal_close(&goal);
}

static void
read_text(const char *text, struct graph *g)
{
    read_bytes(text, strlen(text), g);
}

static void
expect_refused(const char *text, const char *said)
{
    struct goal goal;
    struct err err = { .text = "" };

    assert_false(goal_open_bytes(&goal, text, strlen(text), "x.goal", &err));
    assert_true(err.is_of_content);
    assert_says(err.text, said);
}

static void
expect_task(const struct graph *g, uint32_t rank, uint32_t number, struct graph_task t)
{
    const struct graph_task *is = &g->ranks[rank].tasks[number];

    assert_int_equal(is->kind, t.kind);
    assert_int_equal(is->amount, t.amount);
    assert_int_equal(is->cpu, t.cpu);
    assert_int_equal(is->nic, t.nic);
    if (t.kind != GRAPH_CALC) {
        assert_int_equal(is->peer, t.peer);
        assert_int_equal(is->tag, t.tag);
    }
}

/* Comments, blanks, ends of lines, options, labels, and text after the last rank. */
static void
test_text(void **state)
{
    struct graph g;

    (void)state;
    read_text("// A comment.\r\n"
              "num_ranks 3\r\n"
              "\r\n"
              "/* Another\n"
              "   rank 0 {\n"
              " * one **/ rank 0 {\n"
              "  a: calc 2000 cpu 255\n"
              "\tl2_b:send 80 b to 1 tag 7 cpu 3 nic 4\r\n"
              "l2_b requires a\n"
              "// recv 1b from 2\n"
              "calc 0\n"
              "} rank 1{\n"
              "cpu: recv 80b from 0 tag 7\n"
              "  recv  0b  from 2 nic 9  \n"
              "tag : calc 1\n"
              "tag irequires cpu\n"
              "}\n"
              "rank 2 {\n"
              "send 0b to 1\n"
              "}\n"
              "rank 99 { anything",
              &g);
    assert_int_equal(g.n_ranks, 3);
    assert_int_equal(g.ranks[0].n_tasks, 3);
    expect_task(&g, 0, 0, (struct graph_task){ .kind = GRAPH_CALC, .amount = 2000000, .cpu = 255 });
    expect_task(&g, 0, 1,
                (struct graph_task){
                    .kind = GRAPH_SEND, .amount = 80, .peer = 1, .tag = 7, .cpu = 3, .nic = 4 });
    expect_task(&g, 0, 2, (struct graph_task){ .kind = GRAPH_CALC });
    assert_int_equal(g.ranks[0].after[0], 1);
    expect_task(&g, 1, 0,
                (struct graph_task){ .kind = GRAPH_RECV, .amount = 80, .peer = 0, .tag = 7 });
    expect_task(&g, 1, 1, (struct graph_task){ .kind = GRAPH_RECV, .peer = 2, .nic = 9 });
    expect_task(&g, 1, 2, (struct graph_task){ .kind = GRAPH_CALC, .amount = 1000 });
    assert_int_equal(g.ranks[1].after[0], 2 | GRAPH_ON_START);
    assert_int_equal(g.ranks[1].tasks[0].first_after, 0);
    assert_int_equal(g.ranks[1].tasks[1].first_after, 1);
    graph_free(&g);
}

static void
test_text_wildcards(void **state)
{
    struct graph g;

    (void)state;
    read_text("num_ranks 1\nrank 0 {\nrecv 5b from -1 tag -1\nsend 5b to 0 tag 4294967294\n}", &g);
    expect_task(&g, 0, 0,
                (struct graph_task){
                    .kind = GRAPH_RECV, .amount = 5, .peer = GRAPH_ANY, .tag = GRAPH_ANY });
    assert_true(g.ranks[0].matches_arrived);
    assert_int_equal(g.ranks[0].tasks[1].tag, 4294967294);
    graph_free(&g);
}

#define IN_RANK(LINES) "num_ranks 2\nrank 0 {\n" LINES "\n}\nrank 1 {\n}\n"

static const char *const refused_texts[][2] = {
    { "", "x.goal: the file is empty; a GOAL file begins with 'num_ranks'" },
    { "ranks 3", "x.goal:1:1: expected 'num_ranks' and the number of ranks, found 'ranks'" },
    { "num_ranks 0\n", "x.goal:1:11: expected the number of ranks, at least 1, found '0'" },
    { "num_ranks 5000000000\n", "x.goal:1:11: the file of 21 bytes is too short for 5000000000" },
    { "num_ranks 1\n", "x.goal:2:1: expected 'rank 0 {', found the end of the file" },
    { "num_ranks 1\nrank 1 {\n}\n",
      "x.goal:2:6: expected 0, as ranks are in ascending order, found '1'" },
    { "num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n",
      "x.goal:4:6: expected 1, as ranks are in ascending order, found '0'" },
    { "num_ranks 1\nrank 0\n{\n}\n", "x.goal:2:7: expected '{', found the end of the line" },
    { "num_ranks 1\nrank 0 {\ncalc 5\n",
      "x.goal:4:1: expected 'send', 'recv', 'calc', a label, or '}' at the end of the rank, "
      "found the end of the file" },
    { "num_ranks 2\nrank 0 {\nrank 1 {\n}\n",
      "x.goal:3:1: expected a statement, or '}' at the end of the rank, found 'rank'" },
    { IN_RANK("calc 5;"), "x.goal:3:7: expected the end of the line, or 'cpu', found ';'" },
    { IN_RANK("calc 5 }"), "x.goal:3:8: expected the end of the line, or 'cpu', found '}'" },
    { IN_RANK("calc"), "x.goal:3:5: expected a number of nanoseconds, found the end of the line" },
    { IN_RANK("calc 4611686018427388"), "x.goal:3:6: 4611686018427388 is too large: a number of "
                                        "nanoseconds is at most 4611686018427387" },
    { IN_RANK("calc 99999999999999999999999"), "is too large" },
    { IN_RANK("calc 5 cpu 256"), "x.goal:3:12: 256 is too large: a cpu is at most 255" },
    { IN_RANK("calc 5 nic 2"), "expected the end of the line, or 'cpu', found 'nic'" },
    { IN_RANK("calc 5 // later"), "found a comment, which needs a line of its own" },
    { IN_RANK("send 80 to 1"),
      "x.goal:3:9: expected 'b', for bytes, after the number, found 'to'" },
    { IN_RANK("send 80b from 1"), "x.goal:3:10: expected 'to' and a rank, found 'from'" },
    { IN_RANK("recv 80b to 1"), "x.goal:3:10: expected 'from' and a rank, found 'to'" },
    { IN_RANK("send 80b to 2"), "x.goal:3:13: rank 2 does not exist; ranks are 0 to 1" },
    { IN_RANK("send 80b to -1"), "x.goal:3:13: expected a rank, found '-1'" },
    { IN_RANK("recv 80b from -12"), "expected a rank, or -1 for any rank, found '-12'" },
    { IN_RANK("send 80b to 1 tag -1"), "x.goal:3:19: expected a tag, found '-1'" },
    { IN_RANK("send 80b to 1 tag 4294967295"),
      "x.goal:3:19: 4294967295 is too large: a tag is at most 4294967294" },
    { IN_RANK("recv 80b from 1 tag 4294967295"),
      "4294967295 is too large: a tag, or -1 for any tag, is at most 4294967294" },
    { IN_RANK("send 80b to 1 nic 0 cpu 0"),
      "x.goal:3:21: expected the end of the line, or options in the order tag, cpu, nic, found "
      "'cpu'" },
    { IN_RANK("send 80b to 1 nic 256"), "256 is too large: a nic is at most 255" },
    { IN_RANK("send 1125899906842625b to 1"), "too large: a number of bytes is at most" },
    { IN_RANK("a: wait 5"), "x.goal:3:4: expected 'send', 'recv' or 'calc', found 'wait'" },
    { IN_RANK("a b"), "x.goal:3:3: expected ':', 'requires' or 'irequires' after a label, found "
                      "'b'" },
    { IN_RANK("_a: calc 5"), "found '_'" },
    { IN_RANK("\xc3\xa4: calc 5"), "found the byte 0xc3" },
    { IN_RANK("a: calc 5\n\na: calc 6"), "x.goal:5:1: rank 0 already has a label 'a', in line 3" },
    { IN_RANK("a: calc 5\na requires b\nb: calc 6"),
      "x.goal:4:12: rank 0 has no label 'b' before this line; define it first, as in 'b: calc "
      "100'" },
    { IN_RANK("b irequires a"), "x.goal:3:1: rank 0 has no label 'b' before this line" },
    { IN_RANK("a: calc 5\na requires 7"), "x.goal:4:12: expected the label of a task, found '7'" },
    { IN_RANK("a: calc 5\na requires a"), "x.goal:3:1: rank 0: 'a' (line 3) waits for itself" },
    { IN_RANK("c: calc 1\na: calc 5\nb: calc 5\na requires b\nb irequires a"),
      "x.goal:4:1: rank 0: 2 tasks wait for each other in a cycle: 'a' (line 4), 'b' (line "
      "5)" },
    { IN_RANK("send 80b to 1 tag 5"),
      "x.goal: rank 0 sends to rank 1 with tag 5, but rank 1 receives nothing from rank 0" },
    { IN_RANK("/* send"), "x.goal:3:1: expected 'send', 'recv', 'calc', a label, or '}' at the "
                          "end of the rank, found a comment that does not end with '*/'" },
};

static void
test_text_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(refused_texts); i++) {
        expect_refused(refused_texts[i][0], refused_texts[i][1]);
    }
}

static void
test_long_label(void **state)
{
    struct graph g;
    char text[1000];

    (void)state;
    for (int n = 255; n < 257; n++) {
        char label[300] = "";
        memset(label, 'a', (size_t)n);
        snprintf(text, sizeof text, IN_RANK("%s: calc 5\n%s requires x"), label, label);
        expect_refused(text, n < 256 ? "has no label 'x'" : "at most 255 characters, not 256");
        snprintf(text, sizeof text, IN_RANK("%s: calc 5"), label);
        if (n < 256) {
            read_text(text, &g);
            graph_free(&g);
        }
    }
}

/* Graphs of which each message is sent and received, without cycles. */
static void
draw_graph(uint64_t *random, struct graph *g)
{
    uint32_t n_ranks = 1 + (uint32_t)below(random, 5);

    graph_init(g, n_ranks);
    for (uint64_t i = below(random, 20); i > 0; i--) {
        uint32_t from = (uint32_t)below(random, n_ranks), to = (uint32_t)below(random, n_ranks);
        uint32_t tag = (uint32_t)(of_any_length(random) % GRAPH_ANY);
        uint64_t bytes = of_any_length(random) % GRAPH_MAX_BYTES;
        add_send(g, from, to, bytes, tag);
        add_recv(g, to, one_in(random, 5) ? GRAPH_ANY : from, bytes,
                 one_in(random, 5) ? GRAPH_ANY : tag);
        add_calc(g, from, of_any_length(random) % (GRAPH_MAX_PS / 1000) * 1000,
                 (uint8_t)below(random, 256));
    }
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        for (size_t i = below(random, 1 + 2 * g->ranks[rank].n_tasks); i > 0; i--) {
            uint32_t a = (uint32_t)below(random, g->ranks[rank].n_tasks);
            uint32_t b = (uint32_t)below(random, g->ranks[rank].n_tasks);
            if (a * 7919 % 1009 > b * 7919 % 1009) {
                graph_require(g, rank, a, b, (enum graph_after)below(random, 2));
            }
        }
        for (size_t i = 0; i < g->ranks[rank].n_tasks; i++) {
            struct graph_task *t = &g->ranks[rank].tasks[i];
            if (t->kind != GRAPH_CALC) {
                t->cpu = (uint8_t)below(random, 256);
                t->nic = (uint8_t)below(random, 256);
            }
        }
    }
}

static int
by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Files have the dependents of a task in another order. */
static void
expect_equal(const struct graph *a, const struct graph *b)
{
    assert_int_equal(a->n_ranks, b->n_ranks);
    for (uint32_t rank = 0; rank < a->n_ranks; rank++) {
        const struct graph_rank *x = &a->ranks[rank], *y = &b->ranks[rank];
        assert_int_equal(x->n_tasks, y->n_tasks);
        assert_int_equal(x->n_after, y->n_after);
        for (uint32_t i = 0; i < x->n_tasks; i++) {
            uint32_t first = x->tasks[i].first_after, n = x->tasks[i + 1].first_after - first;
            expect_task(b, rank, i, x->tasks[i]);
            assert_int_equal(y->tasks[i].first_after, first);
            assert_int_equal(y->tasks[i].n_before, x->tasks[i].n_before);
            assert_int_equal(y->tasks[i].flags, x->tasks[i].flags);
            qsort(x->after + first, n, sizeof *x->after, by_value);
            qsort(y->after + first, n, sizeof *y->after, by_value);
            assert_memory_equal(x->after + first, y->after + first, n * sizeof *x->after);
        }
    }
}

static void
test_round_trips(void **state)
{
    static void (*const writers[])(FILE *, const struct graph *) = { goal_write_text,
                                                                     goal_write_binary };
    uint64_t random = 3;

    (void)state;
    for (int i = 0; i < 400; i++) {
        struct graph g;
        struct err err;
        draw_graph(&random, &g);
        if (!graph_finish(&g, &err)) {
            fail_msg("%s", err.text);
        }
        for (size_t k = 0; k < N_OF(writers); k++) {
            struct graph again;
            char *bytes;
            size_t n;
            FILE *out = open_memstream(&bytes, &n);
            writers[k](out, &g);
            fclose(out);
            read_bytes(bytes, n, &again);
            expect_equal(&g, &again);
            graph_free(&again);
            free(bytes);
        }
        graph_free(&g);
    }
}

/* A file that ends anywhere is refused, or is a whole one. */
static void
test_truncated(void **state)
{
    uint64_t random = 11;

    (void)state;
    for (int i = 0; i < 20; i++) {
        struct graph g;
        struct err err;
        char *bytes;
        size_t n;
        draw_graph(&random, &g);
        assert_true(graph_finish(&g, &err));
        FILE *out = open_memstream(&bytes, &n);
        goal_write_binary(out, &g);
        fclose(out);
        for (size_t upto = 8; upto < n; upto++) {
            struct goal goal;
            assert_false(goal_open_bytes(&goal, bytes, upto, "x.bin", &err));
            assert_says(err.text, "x.bin: byte ");
        }
        free(bytes);
        graph_free(&g);
    }
}

/* Rank 0: a calc, and a send that requires it; rank 1: a receive.  Bytes of the file are replaced.
 *
 *     0 magic, 8 ranks, 12 cpu and nic, 14 places, 46 rank 0: 46 tasks, 50 roots, 54 root, 58 calc,
 *     97 send, 136 dependent, 140 rank 1: 148 root, 152 receive, 191 end */
enum { N_SMALL = 191 };

static void
write_small(uint8_t bytes[N_SMALL])
{
    struct graph g;
    struct err err;
    char *all;
    size_t n;

    graph_init(&g, 2);
    uint32_t calc = add_calc(&g, 0, 5000, 0);
    require(&g, 0, add_send(&g, 0, 1, 80, 7), calc);
    add_recv(&g, 1, 0, 80, 7);
    assert_true(graph_finish(&g, &err));
    FILE *out = open_memstream(&all, &n);
    goal_write_binary(out, &g);
    fclose(out);
    assert_int_equal(n, N_SMALL);
    memcpy(bytes, all, n);
    free(all);
    graph_free(&g);
}

static const struct {
    size_t at;
    uint64_t value;
    int n_bytes;
    const char *said;
} refused_bytes[] = {
    { 0, 2342, 8, "x.bin: byte 0: a run of LogGOPSim with --save-mem has invalidated this file" },
    { 0, 1234, 8, "x.bin:1:1: expected 'num_ranks' and the number of ranks, found the byte 0xd2" },
    { 8, 0, 4, "x.bin: byte 8: the file has no ranks" },
    { 8, 900, 4, "x.bin: byte 8: the file of 191 bytes ends within its ranks" },
    { 14, 37, 8,
      "x.bin: byte 14: rank 0 is from byte 45 to 140; expected at least 8 bytes from "
      "byte 46" },
    { 22, 1000, 8,
      "x.bin: byte 14: rank 0 is from byte 38 to 1000 (both counted from byte 8), "
      "but the file has 191 bytes; it may be truncated" },
    { 30, 38, 8,
      "x.bin: byte 30: rank 1 is from byte 46 to 191; expected at least 8 bytes from "
      "byte 140" },
    { 46, 3, 4, "x.bin: byte 46: rank 0: 3 tasks and 1 roots take 129 bytes, but the rank has 94" },
    { 50, 4294967295, 4, "x.bin: byte 46: rank 0: 2 tasks and 4294967295 roots take" },
    { 54, 1, 4, "x.bin: byte 54: rank 0: task 1 is listed as a root, but has requirements" },
    { 54, 2, 4, "x.bin: byte 54: rank 0: task 2 is listed as a root, but does not exist" },
    { 62, 4, 1,
      "x.bin: byte 62: rank 0: a task of kind 4; expected 1 (send), 2 (receive) or 3 "
      "(calc)" },
    { 67, UINT64_MAX, 8, "x.bin: byte 67: rank 0: a calc of 18446744073709551615 ns is longer" },
    { 97, 2, 4,
      "x.bin: byte 97: rank 0: task 1 has 2 requirements, but is a dependent of 1 "
      "tasks" },
    { 102, 2, 4, "x.bin: byte 102: rank 0: rank 2 does not exist; ranks are 0 to 1" },
    { 102, GRAPH_ANY, 4, "x.bin: byte 102: rank 0: rank 4294967295 does not exist" },
    { 106, (uint64_t)1 << 51, 8, "x.bin: byte 106: rank 0: 2251799813685248 bytes are more" },
    { 114, GRAPH_ANY, 4,
      "x.bin: byte 114: rank 0: a send has the tag 4294967295, which means "
      "any tag" },
    { 85, 1, 4, "x.bin: byte 81: rank 0: dependents 1 to 1, but the rank has 1" },
    { 81, 4294967295, 4, "x.bin: byte 81: rank 0: dependents 0 to 4294967294" },
    { 136, 2, 4,
      "x.bin: byte 136: rank 0: dependent 2 of task 0 does not exist; tasks are 0 to "
      "1" },
    { 136, 0, 4, "x.bin: byte 58: rank 0: task 0 waits for itself" },
    { 169, 8, 4, "x.bin: rank 0 sends to rank 1 with tag 7, but rank 1 receives nothing" },
    { 152, 1, 4,
      "x.bin: byte 152: rank 1: task 0 has 1 requirements, but is a dependent of 0 "
      "tasks" },
};

static void
test_binary_refused(void **state)
{
    uint8_t bytes[N_SMALL];
    struct goal goal;
    struct err err;

    (void)state;
    for (size_t i = 0; i < N_OF(refused_bytes); i++) {
        write_small(bytes);
        for (int k = 0; k < refused_bytes[i].n_bytes; k++) {
            bytes[refused_bytes[i].at + (size_t)k] = (uint8_t)(refused_bytes[i].value >> 8 * k);
        }
        assert_false(goal_open_bytes(&goal, bytes, sizeof bytes, "x.bin", &err));
        assert_says(err.text, refused_bytes[i].said);
    }
}

/* Two tasks that name the same dependent of the list. */
static void
test_shared_dependents(void **state)
{
    uint8_t bytes[N_SMALL];
    struct goal goal;
    struct err err;

    (void)state;
    write_small(bytes);
    bytes[97 + 23] = 1;
    memset(bytes + 97 + 27, 0, 4);
    assert_false(goal_open_bytes(&goal, bytes, sizeof bytes, "x.bin", &err));
    assert_says(err.text,
                "x.bin: byte 120: rank 0: tasks share dependents: more than the 1 of the rank");
}

static int
open_temporary(const void *bytes, size_t n)
{
    char path[] = "goal-XXXXXX";
    int file = mkstemp(path);

    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, n), n);
    unlink(path);
    return file;
}

/* A file is the same as memory; it is larger than the buffer of the reader, so that tokens cross
 * its ends. */
static void
test_files(void **state)
{
    struct goal goal;
    struct graph g, again;
    struct err err;
    char *text;
    size_t n;

    (void)state;
    graph_init(&g, 2);
    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t s = add_send(&g, 0, 1, i, i % 977), v = add_recv(&g, 1, 0, i, i % 977);
        if (i) {
            require(&g, 0, s, s - 1);
            require(&g, 1, v, v / 2);
        }
    }
    assert_true(graph_finish(&g, &err));
    FILE *out = open_memstream(&text, &n);
    goal_write_text(out, &g);
    fclose(out);
    assert_true(n > 1 << 20);
    assert_true(goal_open(&goal, open_temporary(text, n), "big.goal", &err));
    load_all(&goal, &again);
    goal_close(&goal);
    expect_equal(&g, &again);
    graph_free(&g);
    graph_free(&again);
    free(text);
}

static void
test_no_file(void **state)
{
    struct goal goal;
    struct err err;

    (void)state;
    assert_false(goal_open(&goal, open(".", O_RDONLY), "folder", &err));
    assert_says(err.text, "cannot read folder: it is not a regular file");
    assert_false(goal_open(&goal, -1, "nothing", &err));
    assert_says(err.text, "cannot read nothing: Bad file descriptor");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),           cmocka_unit_test(test_text_wildcards),
        cmocka_unit_test(test_text_refused),   cmocka_unit_test(test_long_label),
        cmocka_unit_test(test_round_trips),    cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_binary_refused), cmocka_unit_test(test_shared_dependents),
        cmocka_unit_test(test_files),          cmocka_unit_test(test_no_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
