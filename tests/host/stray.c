/* Frames that the second host can not forward: each is counted by its reason, nothing is sent for
 * it, and nothing is kept.  In a program that has nothing of the simulator's core. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "frame.h"
#include "switch.h"

enum { N_PORTS = 2, N_CLASSES = 8 };

static void
count_sent(void *arg, weir_ps at, uint32_t port, const uint8_t *bytes, size_t len)
{
    struct sim_packet packet;

    (void)at, (void)port;
    *(uint32_t *)arg += frame_decode(bytes, len, &packet);
}

/* Two ports; destination 0 is behind the second, and nothing else is known. */
static struct host_config
config_of(const char *engine, uint32_t *n_sent)
{
    static const struct weir_port ports[N_PORTS] = { { .rate_bps = 10000000000 },
                                                     { .rate_bps = 10000000000 } };
    static const uint16_t second = 1;
    static const struct host_ways ways[] = { { &second, 1, SIM_NONE } };
    struct host_config c = { .shape = { .ports = ports,
                                        .n_ports = N_PORTS,
                                        .n_classes = N_CLASSES,
                                        .lossless = 0xff,
                                        .mtu_bytes = 1500,
                                        .tier = 1 },
                             .kind = "oq",
                             .arbitration = "fifo",
                             .path_choice = "hash",
                             .scheduling = "strict",
                             .hop_limit = 3,
                             .ways = ways,
                             .n_ways = 1,
                             .sent = count_sent,
                             .sent_arg = n_sent };

    *n_sent = 0;
    for (int cls = 0; cls < N_CLASSES; cls++) {
        c.shape.buffer.classes[cls].reserve_bytes = 100000;
    }
    c.shape.buffer.size_bytes = N_PORTS * N_CLASSES * 100000;
    assert_true(weir_stack_add(&c.stack, weir_engine_find(engine)));
    return c;
}

static struct sim_thread *
new_switch(const char *engine, uint32_t *n_sent)
{
    struct host_config c = config_of(engine, n_sent);
    struct sim_thread *sw = host_new(&c);

    assert_non_null(sw);
    return sw;
}

static struct host_counts
counts_after(struct sim_thread *sw, struct sim_packet packet)
{
    uint8_t bytes[FRAME_MAX];

    packet.bytes = 1500;
    host_receive(sw, 1000000, 0, bytes, frame_encode(&packet, bytes));
    host_run(sw, 10000000);
    struct host_counts counts = host_counts(sw);
    assert_int_equal(counts.n_held + counts.n_told + counts.used_bytes, 0);
    return counts;
}

static void
what_can_be_forwarded_is(void **state)
{
    uint32_t n_sent;
    struct sim_thread *sw = new_switch("pfc", &n_sent);

    (void)state;
    counts_after(sw, (struct sim_packet){ .n_hops = 2 });
    assert_int_equal(n_sent, 1);
    host_free(sw);
}

static void
there_is_no_way(void **state)
{
    uint32_t n_sent;
    struct sim_thread *sw = new_switch("pfc", &n_sent);

    (void)state;
    assert_int_equal(counts_after(sw, (struct sim_packet){ .dst = 1 }).n_without_way, 1);
    assert_int_equal(n_sent, 0);
    host_free(sw);
}

static void
it_is_late(void **state)
{
    uint32_t n_sent;
    struct sim_thread *sw = new_switch("cbfc", &n_sent);

    (void)state;
    assert_int_equal(counts_after(sw, (struct sim_packet){ .n_hops = 3 }).n_late, 1);
    assert_int_equal(n_sent, 0);
    host_free(sw);
}

/* Its class here would be the one after the last. */
static void
there_is_no_class(void **state)
{
    uint32_t n_sent;
    struct sim_thread *sw = new_switch("ttl", &n_sent);

    (void)state;
    struct sim_packet last = { .cls = N_CLASSES - 1 };
    assert_int_equal(counts_after(sw, last).n_without_class, 1);
    assert_int_equal(n_sent, 0);
    host_free(sw);
}

static void
it_is_none_of_ours(void **state)
{
    static const uint8_t garbage[64] = { 1, 2, 3 };
    struct sim_packet of_no_class = { .cls = N_CLASSES, .bytes = 64 };
    uint8_t bytes[FRAME_MAX];
    uint32_t n_sent;
    struct sim_thread *sw = new_switch("pfc", &n_sent);

    (void)state;
    host_receive(sw, 0, 0, garbage, 3);
    host_receive(sw, 0, 0, garbage, sizeof garbage);
    host_receive(sw, 0, 0, bytes, frame_encode(&of_no_class, bytes));
    host_run(sw, 10000000);
    assert_int_equal(host_counts(sw).n_strange, 3);
    assert_int_equal(n_sent, 0);
    host_free(sw);
}

/* A switch of a fabric may have words for another, which nothing here could bring there. */
static void
it_is_part_of_a_fabric(void **state)
{
    static const struct weir_port ports[N_PORTS] = {
        { .rate_bps = 10000000000 }, { .rate_bps = 10000000000, .is_inner = true }
    };
    uint32_t n_sent;
    struct host_config c = config_of("pfc", &n_sent);

    (void)state;
    c.shape.ports = ports;
    assert_null(host_new(&c));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_can_be_forwarded_is),
        cmocka_unit_test(there_is_no_way),
        cmocka_unit_test(it_is_late),
        cmocka_unit_test(there_is_no_class),
        cmocka_unit_test(it_is_none_of_ours),
        cmocka_unit_test(it_is_part_of_a_fabric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
