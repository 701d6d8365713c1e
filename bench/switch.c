/* Measures the cost per packet through the software switch: two ports, line rate in both
 * directions, in bursts.
 *
 *     bench-switch                  CPU time per packet for each engine and size of packets, on
 *                                   ports of DPDK's null driver, in lines "name bytes ns"
 *     bench-switch ENGINE BYTES N   N polls of a switch with ports in memory, for counting
 *                                   instructions; ENGINE: one, or some with '+' between them, or
 *                                   'forward': frames go from port to port, and there is no switch
 *                                   with '/queued' after them half of the packets wait in queues
 *
 * Every received frame is filled with a packet of a flow, because the driver's frames are empty,
 * and every sent frame is read (switch-ports.h).  'forward' does both and 'forward-empty' neither,
 * so that their difference is the work that a real switch would not do.
 *
 * The clock of the switch follows the line, not the machine: a burst arrives when its last bit
 * would, and packets pass without waiting.  With '/queued' the clock stops for every second burst,
 * whose frames then arrive at once, and then advances twice as far. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dataplane/dpdk.h"
#include "dataplane/node.h"
#include "networks.h"
#include "simple-net/simple-net.h"
#include "switch-ports.h"

enum { START_POLLS = 100, POLLS = 4000, ROUNDS = 5 };
#define LINE_BPS ((uint64_t)100000000000)

static void
quit(const char *why)
{
    fprintf(stderr, "bench: %s\n", why);
    exit(1);
}

static double
cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The network: a switch and two hosts, with a flow in each direction. */

static const struct dp_flow_ends ends[N_PORTS] = { { 1, 2 }, { 2, 1 } };

static const struct simple_net_flow flows[N_PORTS] = {
    { .from = 1, .to = 2, .bytes = MODEL_ENDLESS, .rate_bps = WEIR_UNLIMITED },
    { .from = 2, .to = 1, .bytes = MODEL_ENDLESS, .rate_bps = WEIR_UNLIMITED },
};

static struct simple_net
describe(const char *engines, const struct topo *topo)
{
    struct weir_stack stack = bench_find_engines(engines);

    return (struct simple_net){ .topo = topo,
                                .stack = stack,
                                .n_classes = bench_moves_classes(&stack) ? WEIR_MAX_CLASSES : 1,
                                .lossless = 0xff,
                                .mtu_bytes = MTU,
                                .response_ps = 3000000,
                                .buffer = { .reserve_bytes = 1000000 },
                                .arbitration = "fifo",
                                .flows = flows,
                                .n_flows = N_PORTS,
                                .run = { .until_ps = WEIR_PS_PER_S, .seed = 1, .n_threads = 1 } };
}

/* The cost of polls. */

struct bench {
    struct topo topo;
    struct dp_network network;
    struct wires wires;
    struct dp_io io;
    struct dp_node *node; /* Null if frames are forwarded without a switch. */
    weir_ps now, burst_ps;
    bool is_queued; /* The frames of every second burst arrive at once. */
};

static void
forward(struct bench *b)
{
    struct dp_frame frames[DP_BURST];

    for (uint32_t port = 0; port < N_PORTS; port++) {
        uint32_t n = b->io.receive(b->io.arg, port, frames, DP_BURST);
        b->io.send(b->io.arg, N_PORTS - 1 - port, frames, n);
    }
}

static void
poll_often(struct bench *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (b->node) {
            b->now += !b->is_queued ? b->burst_ps : i % 2 ? 0 : 2 * b->burst_ps;
            dp_node_poll(b->node, b->now);
        } else {
            forward(b);
        }
    }
}

static void
make_node(struct bench *b, const char *engines)
{
    struct simple_net like = describe(engines, &b->topo);
    struct dp_config config = { .network = b->network, .io = &b->io, .sim = like.run };
    struct model model;
    struct err err;

    config.network.n_classes = like.n_classes;
    config.model = &model;
    if (!simple_net_model(&like, &model, &err)) {
        quit(err.text);
    }
    b->node = dp_node_new(&config, &err);
    if (!b->node) {
        quit(err.text);
    }
}

static void
start(struct bench *b, const char *name, uint32_t bytes, const struct dp_io *io)
{
    char engines[64];

    *b = (struct bench){ .burst_ps = DP_BURST * weir_wire_ps(bytes, LINE_BPS),
                         .is_queued = strchr(name, '/') };
    bench_link_hosts(&b->topo, LINE_BPS);
    b->network = (struct dp_network){
        .topo = &b->topo, .flows = ends, .n_flows = N_PORTS, .n_classes = 1, .max_len = MTU
    };
    b->wires.io = *io;
    b->wires.is_empty = !strcmp(name, "forward-empty");
    wires_fill_in(&b->wires, &b->network, bytes);
    b->io = (struct dp_io){ .arg = &b->wires,
                            .receive = wires_receive,
                            .send = wires_send,
                            .make = wires_make,
                            .copy = wires_copy,
                            .drop = wires_drop,
                            .is_up = wires_is_up };
    if (strncmp(name, "forward", strlen("forward"))) {
        snprintf(engines, sizeof engines, "%.*s", (int)strcspn(name, "/"), name);
        make_node(b, engines);
    }
    /* Peers do not send yet, so engines first send all frames of the start. */
    b->wires.is_silent = true;
    poll_often(b, START_POLLS);
    b->wires.is_silent = false;
}

/* Checks that all received packets have been sent, except for those that are queued. */
static void
check(const struct bench *b)
{
    const struct wires *w = &b->wires;

    if (!w->is_empty && w->n_left + N_PORTS * 2 * DP_BURST < w->n_came) {
        fprintf(stderr, "bench: of %llu packets only %llu left\n", (unsigned long long)w->n_came,
                (unsigned long long)w->n_left);
        exit(1);
    }
}

static void
stop(struct bench *b)
{
    if (b->node) {
        dp_node_free(b->node);
    }
    topo_free(&b->topo);
}

static double
measure_ns(const char *name, uint32_t bytes, const struct dp_io *io)
{
    static struct bench b;
    double best_ns = 1e18;

    start(&b, name, bytes, io);
    poll_often(&b, POLLS);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t came_before = b.wires.n_came;
        double before = cpu_ns();
        poll_often(&b, POLLS);
        double ns = (cpu_ns() - before) / (double)(b.wires.n_came - came_before);
        best_ns = ns < best_ns ? ns : best_ns;
    }
    check(&b);
    stop(&b);
    return best_ns;
}

/* Measures all engines on ports of DPDK's null driver. */

static const char *const names[] = {
    "forward-empty", "forward", "none",  "pfc",     "cbfc",    "gfc-conceptual", "gfc-buffer",
    "gfc-time",      "ttl",     "capfc", "pfc+ecn", "pfc+qcn", "pfc+fafc",       "pfc/queued",
};

static const uint32_t sizes[] = { 64, 1500 };

static void
measure_all_of(const struct dpdk_calls *dpdk, uint32_t bytes)
{
    char devices[N_PORTS][64];
    struct dpdk_port ports[N_PORTS];
    struct dp_io io;
    struct err err;

    for (uint32_t i = 0; i < N_PORTS; i++) {
        snprintf(devices[i], sizeof devices[i], "net_null%u,size=%u", bytes + i, bytes - 4);
        ports[i] = (struct dpdk_port){ .device = devices[i] };
    }
    if (!dpdk->open(ports, N_PORTS, N_POOL, MTU, &io, &err)) {
        quit(err.text);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        printf("%s %u %.2f\n", names[i], bytes, measure_ns(names[i], bytes, &io));
        fflush(stdout);
    }
    dpdk->close(&io);
}

static void
measure_all(void)
{
    struct err err;
    const struct dpdk_calls *dpdk = dpdk_load(&err);

    if (!dpdk || !dpdk->begin((const char *const[]){ NULL }, &err)) {
        quit(err.text);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        measure_all_of(dpdk, sizes[i]);
    }
    dpdk->end();
}

static void
count(const char *name, uint32_t bytes, uint32_t n_polls)
{
    static struct pool pool;
    static struct bench b;
    struct dp_io io = pool_open(&pool, bytes - 4);

    start(&b, name, bytes, &io);
    poll_often(&b, n_polls);
    printf("%llu packets\n", (unsigned long long)b.wires.n_came);
    check(&b);
    stop(&b);
    free(pool.bytes);
}

int
main(int argc, char **argv)
{
    if (argc == 4) {
        count(argv[1], (uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]));
    } else {
        measure_all();
    }
    return 0;
}
