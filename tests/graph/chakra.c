/* Chakra traces: rules of nodes, attributes, groups and sizes, with traces written by hand; runs
 * whose times are computed by hand; and what is wrong is refused with its place. */

#include <stdlib.h>
#include <zlib.h>

#include "../unit/unit.h"
#include "base/array.h"
#include "chakra-files.h"
#include "chakra-write.h"
#include "host.h"

/* A trace in memory. */
struct trace {
    struct chakra_out files[CHAKRA_MAX_FILES];
    struct chakra_files at;
};

static void
set_file(struct trace *t, int rank, struct chakra_out file)
{
    t->files[rank] = file;
    t->at.ranks[rank].bytes = file.bytes;
    t->at.ranks[rank].n = file.n;
}

/* Nodes of each rank; null: no more ranks. */
static struct trace
write_trace(const char *const *ranks, const char *groups)
{
    struct trace t = { 0 };

    for (int i = 0; i < CHAKRA_MAX_FILES && ranks[i]; i++) {
        set_file(&t, i, chakra_file(ranks[i]));
    }
    t.at.groups.bytes = groups;
    t.at.groups.n = groups ? strlen(groups) : 0;
    return t;
}

static void
free_trace(struct trace *t)
{
    for (int i = 0; i < CHAKRA_MAX_FILES; i++) {
        chakra_out_free(&t->files[i]);
    }
}

static void
load(struct trace *t, struct graph *g)
{
    struct chakra_source source = chakra_files_source(&t->at);
    struct chakra chakra;
    struct err err = { .text = "" };

    if (!chakra_open(&chakra, &source, &err)) {
        fail_msg("%s", err.text);
    }
    chakra_begin(&chakra, g);
    for (uint32_t rank = chakra.n_ranks; rank-- > 0;) { /* Any order will do. */
        if (!chakra_load(&chakra, g, rank, &err)) {
            fail_msg("%s", err.text);
        }
    }
    chakra_close(&chakra);
}

static void
read_trace(const char *const *ranks, const char *groups, struct graph *g)
{
    struct trace t = write_trace(ranks, groups);

    load(&t, g);
    free_trace(&t);
}

static void
expect_refused(struct trace *t, const char *said)
{
    struct chakra_source source = chakra_files_source(&t->at);
    struct chakra chakra;
    struct err err = { .text = "it is accepted" };

    bool good = chakra_open(&chakra, &source, &err);
    if (good) {
        chakra_close(&chakra);
    }
    assert_says(err.text, said);
    assert_false(good);
    free_trace(t);
}

static void
expect_task(const struct graph *g, uint32_t rank, uint32_t number, struct graph_task t)
{
    const struct graph_task *is = &g->ranks[rank].tasks[number];

    assert_int_equal(is->kind, t.kind);
    assert_int_equal(is->amount, t.amount);
    assert_int_equal(is->cpu, t.cpu);
    assert_int_equal(is->flags & GRAPH_TAKES_CPU, t.flags);
    if (t.kind == GRAPH_SEND || t.kind == GRAPH_RECV) {
        assert_int_equal(is->peer, t.peer);
        assert_int_equal(is->tag, t.tag);
    }
}

static uint32_t
n_before(const struct graph *g, uint32_t rank, uint32_t task)
{
    return g->ranks[rank].tasks[task].n_before;
}

/* Each type of node, and the resource that it takes. */
static void
test_types(void **state)
{
    struct graph g;

    (void)state;
    read_trace((const char *const[]){ "0 type=1\n"
                                      "1 type=2 us=3\n"
                                      "2 type=3 us=4 tensor_size=80\n"
                                      "3 type=4 us=5 num_ops=7\n"
                                      "4 type=4 us=6 is_cpu_op=1\n"
                                      "5 type=5 comm_dst=1 comm_tag=8 comm_size=80 comm_type=5\n"
                                      "6 type=6 comm_src=1 comm_tag=9\n"
                                      "7 type=7 is_cpu_op=1 us=2\n"
                                      "8 type=7 comm_type=0 comm_size=80 is_cpu_op=0",
                                      "0 type=6 comm_src=0 comm_dst=1 comm_tag=8 comm_size=80\n"
                                      "1 type=5 comm_src=1 comm_dst=0 comm_tag=9 comm_size=40\n"
                                      "2 type=7 comm_type=0 comm_size=80",
                                      NULL },
               NULL, &g);
    expect_task(&g, 0, 0, (struct graph_task){ .kind = GRAPH_DELAY });
    expect_task(&g, 0, 1,
                (struct graph_task){ .kind = GRAPH_CALC, .amount = 3 * US, .cpu = CHAKRA_NET });
    expect_task(&g, 0, 2,
                (struct graph_task){ .kind = GRAPH_CALC, .amount = 4 * US, .cpu = CHAKRA_NET });
    expect_task(&g, 0, 3,
                (struct graph_task){ .kind = GRAPH_CALC, .amount = 5 * US, .cpu = CHAKRA_GPU });
    expect_task(&g, 0, 4,
                (struct graph_task){ .kind = GRAPH_CALC, .amount = 6 * US, .cpu = CHAKRA_CPU });
    expect_task(&g, 0, 5,
                (struct graph_task){ .kind = GRAPH_SEND,
                                     .amount = 80,
                                     .peer = 1,
                                     .tag = 8,
                                     .cpu = CHAKRA_NET,
                                     .flags = GRAPH_TAKES_CPU });
    expect_task(&g, 0, 6,
                (struct graph_task){
                    .kind = GRAPH_RECV, .amount = GRAPH_UNKNOWN_BYTES, .peer = 1, .tag = 9 });
    expect_task(&g, 0, 7,
                (struct graph_task){ .kind = GRAPH_CALC, .amount = 2 * US, .cpu = CHAKRA_CPU });
    expect_task(
        &g, 0, 8,
        (struct graph_task){
            .kind = GRAPH_COLLECTIVE, .amount = 80, .cpu = CHAKRA_NET, .flags = GRAPH_TAKES_CPU });
    graph_free(&g);
}

/* A number may be of any type: 4096 in each field that can have it. */
static void
test_numbers(void **state)
{
    static const char *const fields[] = { "3",  "5",  "7",  "9",  "11", "13",
                                          "15", "17", "19", "21", "23", "25" };

    (void)state;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char line[200];
        struct graph g;
        snprintf(line, sizeof line, "0 type=7 comm_type/%s=2 comm_size/%s=4096 is_cpu_op/%s=0",
                 fields[i], fields[i], fields[i]);
        read_trace((const char *const[]){ line, line, NULL }, NULL, &g);
        assert_int_equal(g.ranks[1].tasks[0].amount, 8192);
        graph_free(&g);
    }
}

/* Only data dependencies count: packed or not, on later nodes, with any ids.  Control dependencies
 * have cycles and name nodes that do not exist. */
static void
test_dependencies(void **state)
{
    struct graph g;

    (void)state;
    read_trace((const char *const[]){ "18446744073709551615 type=4 deps=7,0 ctrl=7\n"
                                      "0 type=4 ctrl=0,99\n"
                                      "7 type=4 dep=0 dep=300 ctrl=18446744073709551615\n"
                                      "300 type=4",
                                      NULL },
               NULL, &g);
    assert_int_equal(n_before(&g, 0, 0), 2);
    assert_int_equal(n_before(&g, 0, 1), 0);
    assert_int_equal(n_before(&g, 0, 2), 2);
    assert_int_equal(n_before(&g, 0, 3), 0);
    assert_int_equal(g.ranks[0].n_after, 4);
    graph_free(&g);
}

static const struct graph_collective *
collective_of(const struct graph *g, uint32_t rank, uint32_t task)
{
    return &g->collectives[g->ranks[rank].tasks[task].peer];
}

/* Operations; an all-gather counts what each rank gives. */
static void
test_collectives(void **state)
{
    static const struct {
        enum coll_op op;
        uint64_t bytes;
    } expected[] = {
        { COLL_ALL_REDUCE, 600 }, { COLL_ALL_GATHER, 1800 },    { COLL_BROADCAST, 600 },
        { COLL_ALL_TO_ALL, 600 }, { COLL_REDUCE_SCATTER, 600 }, { COLL_REDUCE_SCATTER, 600 },
        { COLL_BARRIER, 0 },
    };
    static const char lines[] = "0 type=7 comm_type=0 comm_size=600\n"
                                "1 type=7 comm_type=2 comm_size=600 pg_name=0 involved_dim=11\n"
                                "2 type=7 comm_type=5 comm_size=600 pg_name=\n"
                                "3 type=7 comm_type=6 comm_size=600\n"
                                "4 type=7 comm_type=7 comm_size=600\n"
                                "5 type=7 comm_type=8 comm_size=600 comm_priority=3\n"
                                "6 type=7 comm_type=9";
    struct graph g;

    (void)state;
    read_trace((const char *const[]){ lines, lines, lines, NULL }, NULL, &g);
    assert_int_equal(g.n_groups, 1);
    assert_int_equal(g.groups[0].n, 3);
    for (uint32_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(collective_of(&g, 2, i)->params.op, expected[i].op);
        assert_int_equal(g.ranks[2].tasks[i].amount, expected[i].bytes);
    }
    graph_free(&g);
}

static void
expect_group(const struct graph *g, uint32_t rank, uint32_t task, const char *ranks)
{
    const struct graph_group *group = &g->groups[collective_of(g, rank, task)->group];
    char text[100] = "";
    size_t n = 0;

    for (uint32_t i = 0; i < group->n; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%u", i ? "," : "", group->ranks[i]);
    }
    assert_string_equal(text, ranks);
}

/* Groups of a file, in their order there. */
static void
test_groups_of_file(void **state)
{
    struct graph g;

    (void)state;
    read_trace((const char *const[]){ "0 type=7 comm_type=0 comm_size=8 pg_name=1\n"
                                      "1 type=7 comm_type=0 comm_size=8 pg_name=all",
                                      "0 type=7 comm_type=0 comm_size=8 pg_name/9=2\n"
                                      "1 type=7 comm_type=0 comm_size=8 pg_name=all",
                                      "0 type=7 comm_type=0 comm_size=8 pg_name=1\n"
                                      "1 type=7 comm_type=0 comm_size=8 pg_name=all",
                                      NULL },
               " {\"1\": [2, 0], \"2\":[1],\n\"all\": [] } ", &g);
    expect_group(&g, 0, 0, "2,0");
    expect_group(&g, 1, 0, "1");
    expect_group(&g, 2, 0, "2,0");
    expect_group(&g, 1, 1, "0,1,2");
    assert_ptr_equal(collective_of(&g, 0, 0), collective_of(&g, 2, 0));
    graph_free(&g);
}

/* Groups that nodes define: a name may have other ranks in other files, and "0" is all ranks. */
static void
test_groups_of_nodes(void **state)
{
#define GROUPS(RANKS)                                                                              \
    "0 type=1 inputs=['[{\"pg_name\":\"0\",\"ranks\":[]},"                                         \
    "{\"pg_name\":\"7\",\"config\":{\"a\":[1,{}],\"b\\\"\":null},\"ranks\":[" RANKS "]}]']\n"
    struct graph g;

    (void)state;
    read_trace((const char *const[]){ GROUPS("0,1") "1 type=7 comm_type=0 comm_size=8 pg_name=7",
                                      GROUPS("0,1") "1 type=7 comm_type=0 comm_size=8 pg_name=7",
                                      GROUPS("3,2") "1 type=7 comm_type=0 comm_size=8 pg_name=7",
                                      GROUPS("3,2") "1 type=7 comm_type=0 comm_size=8 pg_name=7",
                                      NULL },
               "{\"7\": [0]}", &g);
    expect_group(&g, 0, 1, "0,1");
    expect_group(&g, 1, 1, "0,1");
    expect_group(&g, 2, 1, "3,2");
    expect_group(&g, 3, 1, "3,2");
    assert_int_equal(g.n_groups, 2);
    graph_free(&g);
}

/* The version may be absent or large. */
static void
test_metadata(void **state)
{
    static const size_t sizes[] = { 0, 5, 5000000 };

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct trace t = { 0 };
        struct chakra_out o = { 0 };
        struct graph g;
        chakra_put_metadata(&o, sizes[i]);
        chakra_put_node(&o, "0 type=4 us=1");
        set_file(&t, 0, o);
        load(&t, &g);
        assert_int_equal(g.ranks[0].n_tasks, 1);
        graph_free(&g);
        free_trace(&t);
    }
}

static const char long_trace[] = "0 type=4 us=1\n1 type=4 us=2 deps=0\n2 type=4 us=3 deps=1";

/* Compresses a file in two parts, as gzip files may have several. */
static struct chakra_out
compress_file(const struct chakra_out *file)
{
    struct chakra_out o = { array_new(1000, 1), 0, 1000 };

    for (int part = 0; part < 2; part++) {
        size_t half = file->n / 2;
        z_stream z = { .next_in = file->bytes + (part ? half : 0),
                       .avail_in = (uInt)(part ? file->n - half : half),
                       .next_out = o.bytes + o.n,
                       .avail_out = (uInt)(o.max - o.n) };
        assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        o.n = o.max - z.avail_out;
        deflateEnd(&z);
    }
    return o;
}

static struct trace
write_compressed(void)
{
    struct trace t = { 0 };
    struct chakra_out file = chakra_file(long_trace);

    set_file(&t, 0, compress_file(&file));
    chakra_out_free(&file);
    return t;
}

static void
test_gzip(void **state)
{
    struct trace t = write_compressed();
    struct graph g;

    (void)state;
    load(&t, &g);
    assert_int_equal(g.ranks[0].n_tasks, 3);
    assert_int_equal(g.ranks[0].tasks[2].amount, 3 * US);
    graph_free(&g);
    free_trace(&t);

    t = write_compressed();
    t.at.ranks[0].n -= 12;
    expect_refused(&t, "(uncompressed): the gzip data is damaged: it ends early");
    t = write_compressed();
    t.files[0].bytes[t.files[0].n - 5] ^= 0x55; /* The checksum. */
    expect_refused(&t, "the gzip data is damaged: incorrect data check");
}

/* Wrong nodes of rank 0 of two; the first node is at byte 9. */
static const char *const refused_nodes[][2] = {
    { "5 type=0", "x.0.et: byte 9: node 5: type 0; expected 1 to 7" },
    { "5 type=8", "type 8; expected 1 to 7" },
    { "5 type=4\n5 type=4",
      "x.0.et: byte 22: node 5: another node has this id: the one at byte 9" },
    { "0 type=4\n0 type=4", "node 0: another node has this id: the one at byte 9" },
    { "5 type=4 deps=6",
      "x.0.et: byte 9: node 5 has a data dependency on node 6, which is not in the file" },
    { "5 type=4 deps=5", "x.0.et: byte 9: node 5 has a data dependency on itself" },
    { "5 type=4 deps=6\n6 type=4 deps=7\n7 type=4 deps=5",
      "x.0.et: byte 9: 3 nodes wait for each other in a cycle of data dependencies: 5, " },
    { "5 type=4 num_ops=9",
      "it has num_ops, but no duration_micros; Weir has no model of the GPU" },
    { "5 type=4 num_ops/3=0.5", "it has num_ops, but no duration_micros" },
    { "5 type=2 tensor_size=9", "it has tensor_size, but no duration_micros" },
    { "5 type=4 us=4611686018428",
      "duration_micros is 4611686018428; the maximum is 4611686018427" },
    { "5 type=5 comm_size=80 comm_type=5",
      "x.0.et: byte 9: node 5: it has no comm_dst; PyTorch's converter does not write the peer" },
    { "5 type=5 comm_size=80 comm_dst=1", "it has no comm_tag; PyTorch's converter" },
    { "5 type=6 comm_size=80 comm_tag=1", "it has no comm_src; PyTorch's converter" },
    { "5 type=5 comm_dst=1 comm_tag=1", "it has no comm_size" },
    { "5 type=5 comm_dst=2 comm_tag=1 comm_size=8",
      "comm_dst is rank 2, which has no file; there are ranks 0 to 1" },
    { "5 type=5 comm_src=1 comm_dst=1 comm_tag=1 comm_size=8",
      "comm_src is rank 1, but the file is that of rank 0" },
    { "5 type=5 comm_dst=1 comm_tag=-1 comm_size=8",
      "comm_tag is no whole number from 0 to 4294967294" },
    { "5 type=5 comm_dst/3=0.5 comm_tag=1 comm_size=8", "comm_dst is no whole number" },
    { "5 type=5 comm_dst/29=1 comm_tag=1 comm_size=8", "comm_dst is no whole number" },
    { "5 type=5 comm_dst/28=1 comm_tag=1 comm_size=8", "comm_dst is no whole number" },
    { "5 type=5 comm_dst=1 comm_tag=4294967295 comm_size=8",
      "comm_tag is 4294967295; the maximum is 4294967294" },
    { "5 type=5 comm_dst=1 comm_dst/7=1", "a node has two attributes 'comm_dst'" },
    { "5 type=5 comm_dst=1 comm_tag=1 comm_size=1125899906842625", "the maximum is" },
    { "5 type=4 is_cpu_op/29=no", "is_cpu_op is no whole number" },
    { "5 type=7 comm_size=80", "it has no comm_type" },
    { "5 type=7 comm_type=0", "it has no comm_size" },
    { "5 type=7 comm_type=10 comm_size=8", "comm_type is 10; the maximum is 9" },
    { "5 type=7 comm_type=1 comm_size=8",
      "comm_type 1 (reduce) is not supported; write it as sends and receives" },
    { "5 type=7 comm_type=3 comm_size=8", "comm_type 3 (gather) is not supported" },
    { "5 type=7 comm_type=4 comm_size=8", "comm_type 4 (scatter) is not supported" },
    { "5 type=7 comm_type=2 comm_size=1125899906842624",
      "comm_size is 1125899906842624; the maximum is 562949953421312" },
    { "5 type=7 comm_type=0 comm_size=8 involved_dim=10",
      "involved_dim excludes dimensions of a logical topology" },
    { "5 type=7 comm_type=0 comm_size=8 pg_name=tp",
      "no node before it and no file defines the group 'tp'; name a file with {\"tp\": [0, 1" },
    { "5 type=7 comm_type=0 comm_size=8 pg_name/28=1", "pg_name is no text of at most 255 bytes" },
    { "5 type=1 inputs=[{\"pg_name\":\"a\",\"ranks\":[1]}]\n"
      "6 type=7 comm_type=0 comm_size=8 pg_name=a",
      "node 6: rank 0 is no member of the group 'a'" },
    { "5 type=1 inputs=[{\"pg_name\":\"a\",\"ranks\":[2]}]",
      "node 5: groups, character 26: rank 2 does not exist; ranks are 0 to 1" },
    { "5 type=1 inputs=\"pg_name\"", "groups, character 1: expected a list of groups" },
    { "5 type=1 inputs=[{\"pg_name\":\"a\"}]", "a group without 'ranks'" },
    { "5 type=1 inputs=[{\"ranks\":[1],\"x\":[\"pg_name\"]}]", "a group without 'pg_name'" },
    { "5 type=1 inputs=[{\"pg_name\":1}]", "expected the name of a group, in quotes" },
    { "5 type=1 inputs=[{\"pg_name\":\"a\",\"ranks\":[1,1]}]", "group 'a' has rank 1 twice" },
    { "5 type=5 comm_dst=1 comm_tag=1 comm_size=8",
      "x.*.et: rank 0 sends to rank 1 with tag 1, but rank 1 receives nothing from rank 0" },
    { "5 type=7 comm_type=0 comm_size=8", "x.*.et: " },
};

static void
test_refused_nodes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused_nodes / sizeof *refused_nodes; i++) {
        struct trace t =
            write_trace((const char *const[]){ refused_nodes[i][0], "0 type=4", NULL }, NULL);
        expect_refused(&t, refused_nodes[i][1]);
    }
}

static const char *const refused_groups[][2] = {
    { "", "groups.json:1:1: expected '{' and groups, as in {\"1\": [0, 1]}" },
    { "{\"1\": [0, 1]", "groups.json:1:13: expected '}' or ',' after a group" },
    { "{\n\"1\": [0, 2]}", "groups.json:2:10: rank 2 does not exist; ranks are 0 to 1" },
    { "{\"1\": [0 1]}", "expected ']' or ',' after a rank" },
    { "{\"1\": [-1]}", "expected the number of a rank" },
    { "{\"1\": [1.0]}", "expected the number of a rank" },
    { "{\"1\": [99999999999999999999999]}", "does not exist" },
    { "{\"1\": 0}", "expected '[' and the ranks of a group" },
    { "{\"1\" [0]}", "expected ':' after the name of a group" },
    { "{1: [0]}", "expected '\"' at the beginning of a text" },
    { "{\"1: [0]}", "a text without '\"' at its end" },
    { "{\"1\": [0], \"1\": [1]}", "there are two groups '1'" },
    { "{\"1\": [0]} x", "groups.json:1:12: expected the end of the file" },
};

static void
test_refused_groups(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused_groups / sizeof *refused_groups; i++) {
        struct trace t = write_trace((const char *const[]){ "0 type=4", "0 type=4", NULL },
                                     refused_groups[i][0]);
        expect_refused(&t, refused_groups[i][1]);
    }
}

#define BYTES(TEXT) TEXT, sizeof TEXT - 1

static const struct {
    const char *bytes;
    size_t n;
    const char *said;
} refused_bytes[] = {
    { BYTES(""), "x.0.et: byte 0: the file is empty; a Chakra trace begins with GlobalMetadata" },
    { BYTES("\x02\x08\x05"),
      "x.0.et: byte 1: the first message has field 1, which GlobalMetadata has not" },
    { BYTES("\x05"), "x.0.et: byte 0: a message of 5 bytes, but the file has 1 bytes; it may be "
                     "truncated" },
    { BYTES("\x00\x80"),
      "x.0.et: byte 2: the file ends at byte 2, within the length of a message" },
    { BYTES("\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),
      "x.0.et: byte 1: the length of a message has more than 64 bits" },
    { BYTES("\x00\x01\x08"), "byte 3: a number goes beyond its message, which ends at byte 3" },
    { BYTES("\x00\x03\x08\x80\x80"), "a number goes beyond its message" },
    { BYTES("\x00\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), "byte 3: a number has more "
                                                                     "than 64 bits" },
    { BYTES("\x00\x0c\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
      "a number has more than 10 bytes" },
    { BYTES("\x00\x03\x12\x05z"),
      "byte 2: field 2 has 5 bytes and goes beyond its message, which ends at byte 5" },
    { BYTES("\x00\x01\x0b"), "byte 2: field 1 has wire type 3; expected 0, 1, 2 or 5" },
    { BYTES("\x00\x02\x00\x00"), "byte 2: a field has the number 0; expected 1 or more" },
    { BYTES("\x00\x03\x0a\x01z"), "byte 2: field 1 of a node is not a number" },
    { BYTES("\x00\x04\x0d\x01zz"), "a number of 4 bytes goes beyond its message, which ends at" },
    { BYTES("\x00\x05\x18\x04\x2a\x01\x80"), "a number of a list goes beyond its message" },
};

static void
test_refused_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused_bytes / sizeof *refused_bytes; i++) {
        struct trace t = { 0 };
        t.at.ranks[0].bytes = refused_bytes[i].bytes;
        t.at.ranks[0].n = refused_bytes[i].n;
        expect_refused(&t, refused_bytes[i].said);
    }
}

/* Any part of a file is refused, or has fewer nodes. */
static void
test_truncated(void **state)
{
    struct chakra_out file = chakra_file(long_trace);
    struct err err;
    int n_accepted = 0;

    (void)state;
    for (size_t n = 0; n <= file.n; n++) {
        struct chakra_files files = { .ranks[0] = { file.bytes, n } };
        struct chakra_source source = chakra_files_source(&files);
        struct chakra chakra;
        if (chakra_open(&chakra, &source, &err)) {
            n_accepted++;
            chakra_close(&chakra);
        }
    }
    assert_int_equal(n_accepted, 4); /* After the metadata, and after each node. */
    chakra_out_free(&file);
}

static void
test_missing_files(void **state)
{
    struct trace t = { 0 };

    (void)state;
    expect_refused(&t, "there is no file x.0.et; a Chakra trace has one file for each rank");
    set_file(&t, 0, chakra_file("0 type=4"));
    set_file(&t, 2, chakra_file("0 type=4"));
    expect_refused(&t, "there is a file x.2.et, but no x.1.et; ranks are numbered without a gap");
}

/* A file that changes after it was checked. */
static void
test_changed(void **state)
{
    struct trace t = write_trace((const char *const[]){ "0 type=7 comm_type=9", NULL }, NULL);
    struct chakra_source source = chakra_files_source(&t.at);
    struct chakra chakra;
    struct graph g;
    struct err err;

    (void)state;
    assert_true(chakra_open(&chakra, &source, &err));
    chakra_begin(&chakra, &g);
    chakra_out_free(&t.files[0]);
    set_file(&t, 0, chakra_file("0 type=7 comm_type=0 comm_size=1"));
    assert_false(chakra_load(&chakra, &g, 0, &err));
    assert_says(err.text, "node 0: the file has changed since it was checked");
    graph_free(&g);
    chakra_close(&chakra);
    free_trace(&t);
}

/* A byte takes 1 ns, and a message arrives 1 us after it has left. */
static struct host_times
network(void *context, uint32_t from, const struct executor_send *s, weir_ps now)
{
    weir_ps sent = now + 1000 * (weir_ps)s->bytes;

    (void)context, (void)from;
    return (struct host_times){ sent, sent + US };
}

static void
expect_times(const struct host *h, uint32_t rank, uint32_t task, weir_ps start, weir_ps end)
{
    const struct executor_record *r = &h->ranks[rank].records[task];

    if (r->start_ps != start || r->end_ps != end) {
        fail_msg("rank %u, node %u: from %lld to %lld ns, not from %lld to %lld", rank, task,
                 (long long)r->start_ps / 1000, (long long)r->end_ps / 1000,
                 (long long)start / 1000, (long long)end / 1000);
    }
}

/* One CPU operation, one GPU computation and one communication at a time. */
static void
test_run(void **state)
{
    struct graph g;
    struct host h;

    (void)state;
    read_trace((const char *const[]){ "0 type=4 us=5 is_cpu_op=1\n"
                                      "1 type=4 us=3 is_cpu_op=1\n"
                                      "2 type=4 us=4 deps=0\n"
                                      "3 type=5 deps=2 comm_dst=1 comm_tag=1 comm_size=2000\n"
                                      "4 type=5 deps=2 comm_dst=1 comm_tag=2 comm_size=1000\n"
                                      "5 type=6 comm_src=1 comm_tag=3\n"
                                      "6 type=7 deps=4 comm_type=0 comm_size=2000",
                                      "0 type=6 comm_src=0 comm_tag=1\n"
                                      "1 type=4 us=2 deps=0\n"
                                      "2 type=5 deps=1 comm_dst=0 comm_tag=3 comm_size=500\n"
                                      "3 type=6 comm_src=0 comm_tag=2\n"
                                      "4 type=7 deps=3 comm_type=0 comm_size=2000",
                                      NULL },
               NULL, &g);
    host_init(&h, &g, network, NULL);
    host_run(&h, 0);
    expect_times(&h, 0, 1, 5 * US, 8 * US); /* After node 0 on the CPU. */
    expect_times(&h, 0, 2, 5 * US, 9 * US);
    expect_times(&h, 0, 3, 9 * US, 11 * US);
    expect_times(&h, 0, 4, 11 * US, 12 * US); /* Ready at 9 us. */
    expect_times(&h, 1, 0, 0, 12 * US);
    expect_times(&h, 1, 3, 0, 13 * US);
    /* Halves of 1000 B.  Rank 0 sends at 12 us and, when it has the other half, at 15 us; rank 1
     * at 13 and 14 us. */
    expect_times(&h, 0, 6, 12 * US, 16 * US);
    expect_times(&h, 1, 4, 13 * US, 17 * US);
    expect_times(&h, 1, 1, 12 * US, 14 * US);
    expect_times(&h, 1, 2, 17 * US, 17 * US + US / 2); /* Ready at 14 us. */
    expect_times(&h, 0, 5, 0, 18 * US + US / 2);
    host_free(&h);
    graph_free(&g);
}

/* The ring all-reduce of 8 ranks, as nodes: 7 steps that reduce, and 7 that gather. */
static void
test_ring(void **state)
{
    enum { N = 8, BYTES_OF_STEP = 131072, STEPS = 2 * (N - 1) };
    char texts[N][8000];
    const char *ranks[N + 1] = { 0 };
    struct graph g;
    struct host h;

    (void)state;
    for (int i = 0; i < N; i++) {
        size_t n = 0;
        int id = 0;
        for (int step = 0; step < STEPS; step++) {
            n += (size_t)snprintf(texts[i] + n, sizeof texts[i] - n,
                                  "%d type=5 %s%.0d comm_dst=%d comm_tag=0 comm_size=%d\n"
                                  "%d type=6 deps=%d comm_src=%d comm_tag=0 comm_size=%d\n",
                                  id, id ? "deps=" : "us=0", id ? id - 1 : 0, (i + 1) % N,
                                  BYTES_OF_STEP, id + 1, id, (i + N - 1) % N, BYTES_OF_STEP);
            id += 2;
            if (step < N - 1) {
                n += (size_t)snprintf(texts[i] + n, sizeof texts[i] - n, "%d type=4 us=7 deps=%d\n",
                                      id, id - 1);
                id++;
            }
        }
        ranks[i] = texts[i];
    }
    read_trace(ranks, NULL, &g);
    assert_int_equal(g.ranks[0].n_tasks, 2 * STEPS + N - 1);
    host_init(&h, &g, network, NULL);
    host_run(&h, 0);
    weir_ps end = STEPS * (BYTES_OF_STEP * 1000LL + US) + (N - 1) * 7 * US;
    for (uint32_t i = 0; i < N; i++) {
        assert_true(executor_is_done(&h.ranks[i]));
        assert_int_equal(h.ranks[i].end_ps, end);
        assert_int_equal(h.ranks[i].times.computing_ps, 49 * US);
    }
    host_free(&h);
    graph_free(&g);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_dependencies),
        cmocka_unit_test(test_collectives),
        cmocka_unit_test(test_groups_of_file),
        cmocka_unit_test(test_groups_of_nodes),
        cmocka_unit_test(test_metadata),
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_refused_nodes),
        cmocka_unit_test(test_refused_groups),
        cmocka_unit_test(test_refused_bytes),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_missing_files),
        cmocka_unit_test(test_changed),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
