/* The executor with the arithmetic of LogGOPSim (Hoefler, Schneider, Lumsdaine: LogGOPSim, LSAP
 * 2010), on GOAL graphs whose times can be written down.
 *
 * A message of s bytes from rank a, which may send at time t:
 *
 *     start   = max(t, cpu(a), nic_out(a))
 *     cpu(a)  = start + o                               the sender's cpu is busy for o,
 *     nic_out(a) = start + g + (s - 1) G                its NIC for the gap and the bytes
 *     first   = start + o + L                           the first byte reaches rank b
 *     taken   = max(first, cpu(b), nic_in(b))
 *     cpu(b)  = taken + o + (s - 1) G                   the receiver has the message
 *     nic_in(b) = taken + g + (s - 1) G
 *
 * A send ends when its cpu is free again.  LogGOPSim lets cpus of messages and of calculations wait
 * for each other, which Weir does not; here they never do. */

#include <stdio.h>
#include <stdlib.h>

#include "../unit/unit.h"
#include "base/array.h"
#include "graph/goal.h"
#include "host.h"

enum { N_MAX = 64 };

/* LogGOPSim's defaults, in picoseconds. */
static const weir_ps L = 2500000, o = 1500000, g = 1000000, G = 6000;

struct loggops {
    weir_ps cpu[N_MAX], nic_out[N_MAX], nic_in[N_MAX];
};

static weir_ps
later(weir_ps a, weir_ps b)
{
    return a > b ? a : b;
}

static struct host_times
send_message(void *context, uint32_t from, const struct executor_send *s, weir_ps now)
{
    struct loggops *n = context;
    weir_ps start = later(now, later(n->cpu[from], n->nic_out[from]));

    n->cpu[from] = start + o;
    n->nic_out[from] = start + g + ((weir_ps)s->bytes - 1) * G;
    return (struct host_times){ start + o, start + o + L };
}

static weir_ps
receive_message(void *context, uint32_t to, const struct executor_message *m, weir_ps now)
{
    struct loggops *n = context;
    weir_ps bytes = ((weir_ps)m->bytes - 1) * G;
    weir_ps taken = later(now, later(n->cpu[to], n->nic_in[to]));

    n->cpu[to] = taken + o + bytes;
    n->nic_in[to] = taken + g + bytes;
    return taken + o + bytes;
}

/* Runs a GOAL file, and sets the end of each rank. */
static void
run_goal(const char *text, size_t n, weir_ps ends[N_MAX])
{
    struct goal goal;
    struct graph graph;
    struct host h;
    struct loggops network = { { 0 }, { 0 }, { 0 } };
    struct err err;

    if (!goal_open_bytes(&goal, text, n, "x.goal", &err)) {
        fail_msg("%s", err.text);
    }
    graph_init(&graph, goal.n_ranks);
    for (uint32_t rank = 0; rank < goal.n_ranks; rank++) {
        assert_true(goal_load(&goal, &graph, rank, &err));
    }
    goal_close(&goal);
    host_init(&h, &graph, send_message, &network);
    h.receive = receive_message;
    host_run(&h, 0);
    for (uint32_t rank = 0; rank < graph.n_ranks; rank++) {
        assert_true(executor_is_done(&h.ranks[rank]));
        ends[rank] = h.ranks[rank].end_ps;
    }
    host_free(&h);
    graph_free(&graph);
}

/* Writes the tasks of a rank. */
typedef void write_rank(FILE *, uint32_t rank, uint32_t n, weir_ps bytes);

static void
run_ranks(write_rank *write, uint32_t n, weir_ps bytes, weir_ps ends[N_MAX])
{
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    fprintf(out, "num_ranks %u\n", n);
    for (uint32_t rank = 0; rank < n; rank++) {
        fprintf(out, "rank %u {\n", rank);
        write(out, rank, n, bytes);
        fprintf(out, "}\n");
    }
    fclose(out);
    run_goal(text, len, ends);
    free(text);
}

/* A message that goes from rank to rank; each computes for 5 us before it sends. */
static void
write_chain(FILE *out, uint32_t rank, uint32_t n, weir_ps bytes)
{
    if (rank > 0) {
        fprintf(out, "v: recv %lldb from %u\n", (long long)bytes, rank - 1);
    }
    fprintf(out, "c: calc 5000\n");
    fprintf(out, rank > 0 ? "c requires v\n" : "");
    if (rank + 1 < n) {
        fprintf(out, "s: send %lldb to %u\ns requires c\n", (long long)bytes, rank + 1);
    }
}

static void
test_chain(void **state)
{
    static const weir_ps sizes[] = { 1, 100, 65000 };
    weir_ps ends[N_MAX];

    (void)state;
    for (size_t i = 0; i < N_OF(sizes); i++) {
        run_ranks(write_chain, 20, sizes[i], ends);
        weir_ps hop = 5000000 + o + L + o + (sizes[i] - 1) * G;
        for (weir_ps rank = 0; rank < 20; rank++) {
            weir_ps last = rank < 19 ? o : 0; /* The rank's own send. */
            assert_int_equal(ends[rank], rank * hop + 5000000 + last);
        }
    }
}

/* A broadcast along a binomial tree: rank r sends to r + 1, r + 2, r + 4, ... while these are below
 * its lowest bit. */
static uint32_t
lowest_bit(uint32_t rank, uint32_t n)
{
    return rank ? rank & -rank : n;
}

static void
write_tree(FILE *out, uint32_t rank, uint32_t n, weir_ps bytes)
{
    if (rank) {
        fprintf(out, "v: recv %lldb from %u\n", (long long)bytes, rank & (rank - 1));
    }
    for (uint32_t bit = lowest_bit(rank, n) / 2; bit; bit /= 2) {
        fprintf(out, "s%u: send %lldb to %u\n", bit, (long long)bytes, rank + bit);
        fprintf(out, rank ? "s%u requires v\n" : "// %u\n", bit);
    }
}

/* A rank sends its messages one after the other, each when the last one has left its NIC. */
static void
expect_tree(uint32_t rank, uint32_t n, weir_ps bytes, weir_ps received, const weir_ps ends[N_MAX])
{
    weir_ps start = received, next = later(o, g + (bytes - 1) * G);

    for (uint32_t bit = lowest_bit(rank, n) / 2; bit; bit /= 2) {
        expect_tree(rank + bit, n, bytes, start + o + L + o + (bytes - 1) * G, ends);
        start += next;
    }
    bool has_sent = start > received;
    assert_int_equal(ends[rank], has_sent ? start - next + o : received);
}

static void
test_tree(void **state)
{
    static const weir_ps sizes[] = { 1, 2, 60, 100, 65000 };
    weir_ps ends[N_MAX];

    (void)state;
    for (uint32_t n = 2; n <= N_MAX; n *= 2) {
        for (size_t i = 0; i < N_OF(sizes); i++) {
            run_ranks(write_tree, n, sizes[i], ends);
            expect_tree(0, n, sizes[i], 0, ends);
        }
    }
}

/* All send to rank 0 at once, which takes one message after the other. */
static void
write_gather(FILE *out, uint32_t rank, uint32_t n, weir_ps bytes)
{
    if (rank) {
        fprintf(out, "send %lldb to 0\n", (long long)bytes);
    }
    for (uint32_t from = 1; !rank && from < n; from++) {
        fprintf(out, "recv %lldb from %u\n", (long long)bytes, from);
    }
}

static void
test_gather(void **state)
{
    static const weir_ps sizes[] = { 1, 100, 65000 };
    weir_ps ends[N_MAX];

    (void)state;
    for (weir_ps n = 2; n <= N_MAX; n += 7) {
        for (size_t i = 0; i < N_OF(sizes); i++) {
            weir_ps bytes = (sizes[i] - 1) * G;
            run_ranks(write_gather, (uint32_t)n, sizes[i], ends);
            assert_int_equal(ends[0], o + L + (n - 2) * (later(o, g) + bytes) + o + bytes);
            assert_int_equal(ends[n - 1], o);
        }
    }
}

/* Each rank sends to the next one what it has received from the one before, n - 1 times. */
static void
write_ring(FILE *out, uint32_t rank, uint32_t n, weir_ps bytes)
{
    for (uint32_t step = 1; step < n; step++) {
        fprintf(out, "s%u: send %lldb to %u tag %u\n", step, (long long)bytes, (rank + 1) % n,
                step);
        fprintf(out, "v%u: recv %lldb from %u tag %u\n", step, (long long)bytes, (rank + n - 1) % n,
                step);
        if (step > 1) {
            fprintf(out, "s%u requires v%u\n", step, step - 1);
        }
    }
}

static void
test_ring(void **state)
{
    static const weir_ps sizes[] = { 1, 100, 65000 };
    weir_ps ends[N_MAX];

    (void)state;
    for (weir_ps n = 2; n <= 20; n += 3) {
        for (size_t i = 0; i < N_OF(sizes); i++) {
            run_ranks(write_ring, (uint32_t)n, sizes[i], ends);
            for (weir_ps rank = 0; rank < n; rank++) {
                assert_int_equal(ends[rank], (n - 1) * (o + L + o + (sizes[i] - 1) * G));
            }
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_gather),
        cmocka_unit_test(test_ring),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
