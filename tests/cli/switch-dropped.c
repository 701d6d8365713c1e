/* The report of a switch on real ports, for a node on ports in memory. Foreign packets that are
 * discarded because their port went down count as dropped, at the end and in the line of each
 * second. */

#include "../dataplane/alone.h"

#include <stdio.h>

#include "switch/running.h"

enum { N = 30, LEN = 1400, IN = 0, DOWN = 1 };

/* Starts a switch at which foreign frames wait for a port, and takes that port down. */
static void
start(struct alone *a)
{
    uint8_t bytes[MAX_LEN];

    alone_start(a);
    make_foreign(bytes, 0xff, 7);
    /* The switch looks at its ports every 10 ms, so this ends shortly before it does. */
    alone_poll(a, 9900 * US);
    for (int i = 0; i < N; i++) {
        alone_put(a, IN, bytes, LEN);
    }
    a->nodes.memory->ports[a->first_port + DOWN].is_up = false;
    alone_poll(a, 2 * MS);
}

static struct switch_running
running_on(const struct alone *a)
{
    return (struct switch_running){
        .topo = &a->net.topo,
        .node = a->id,
        .n_ports = 4,
        .ports = { { .peer = "A" }, { .peer = "B" }, { .peer = "C" }, { .peer = "D" } },
        .io = a->nodes.ios[a->id],
        .dp = a->node,
        .now_ns = a->nodes.now / PS_PER_NS
    };
}

static void
discarded_packets_are_dropped(void **state)
{
    struct switch_ticker ticker = { 0 };
    char *json, *second, row[40], end[40];
    struct alone a;
    size_t len;

    (void)state;
    start(&a);
    const struct switch_running running = running_on(&a);
    FILE *out = open_memstream(&json, &len);
    switch_write_json(out, &running);
    fclose(out);
    out = open_memstream(&second, &len);
    switch_write_second(out, &ticker, &running);
    fclose(out);
    uint64_t n = sim_port_result(dp_node_sim(a.node), a.first_port + DOWN).n_dropped_watchdog;
    assert_true(n > 0 && n <= N);
    snprintf(row, sizeof row, "\"n_dropped\": %u", (unsigned)n);
    assert_non_null(strstr(strstr(json, "\"to\": \"B\""), row));
    snprintf(end, sizeof end, " %u\n", (unsigned)n);
    assert_string_equal(second + strlen(second) - strlen(end), end);
    free(json);
    free(second);
    alone_stop(&a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(discarded_packets_are_dropped) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
