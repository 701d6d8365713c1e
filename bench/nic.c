/* Measures the cost per packet at a NIC with many paced flows.
 *
 *     bench-nic           the table
 *     bench-nic N MS      one run of N flows and MS milliseconds: for counting instructions
 *
 * Two hosts at a switch, 10 Gb/s, MTU 1500.  The flows of one host share 90 % of its link, each
 * with half to one and a half times the mean rate, so nearly all wait while one sends.  Times are
 * the CPU time of a run without set-up, the best of several rounds.  They include two links and a
 * switch, which each packet crosses. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "networks.h"
#include "simple-net/simple-net.h"

enum { ROUNDS = 3, MTU = 1500 };
#define LINE_BPS ((uint64_t)10000000000)

struct measured {
    double cpu_s;
    uint64_t n_packets;
};

static double
cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Makes flows that start at different times within one packet's time. */
static struct simple_net_flow *
paced_flows(uint32_t n)
{
    struct simple_net_flow *flows = calloc(n, sizeof *flows);
    uint64_t chance = 7, mean_bps = LINE_BPS / 10 * 9 / n;
    uint64_t turn_ps = (uint64_t)weir_wire_ps(MTU, mean_bps);

    for (uint32_t i = 0; i < n; i++) {
        uint64_t percent = n > 1 ? 50 + weir_random(&chance) % 101 : 100;
        flows[i] =
            (struct simple_net_flow){ .from = 1,
                                      .to = 2,
                                      .bytes = MODEL_ENDLESS,
                                      .rate_bps = mean_bps * percent / 100,
                                      .start_ps = (weir_ps)(weir_random(&chance) % turn_ps) };
    }
    return flows;
}

static struct measured
run_flows(uint32_t n_flows, double ms)
{
    struct topo topo = { 0 };
    struct err err;

    bench_link_hosts(&topo, LINE_BPS);
    struct simple_net_flow *flows = paced_flows(n_flows);
    struct simple_net config = { .topo = &topo,
                                 .n_classes = 1,
                                 .lossless = 1,
                                 .mtu_bytes = MTU,
                                 .response_ps = 3000000,
                                 .buffer = { .reserve_bytes = 1000000 },
                                 .arbitration = "fifo",
                                 .flows = flows,
                                 .n_flows = n_flows,
                                 .run.until_ps = (weir_ps)(ms * 1e9),
                                 .run.seed = 1,
                                 .run.n_threads = 1 };
    weir_stack_add(&config.stack, weir_engine_find("none"));
    struct sim *sim = simple_net_sim_new(&config, &err);
    if (!sim) {
        fprintf(stderr, "bench: %s\n", err.text);
        exit(1);
    }
    double start = cpu_s();
    sim_run(sim);
    struct measured m = { cpu_s() - start, sim_totals(sim).n_hops / 2 };
    sim_free(sim);
    free(flows);
    topo_free(&topo);
    return m;
}

static void
show_table(void)
{
    static const uint32_t counts[] = { 1, 100, 10000 };

    printf("%-18s %12s %12s\n", "flows at a NIC", "packets", "ns a packet");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double best_ns = 1e18;
        struct measured m = { 0 };
        for (int round = 0; round < ROUNDS; round++) {
            m = run_flows(counts[i], 50);
            double ns = m.cpu_s * 1e9 / (double)m.n_packets;
            best_ns = ns < best_ns ? ns : best_ns;
        }
        printf("%-18u %12llu %12.1f\n", counts[i], (unsigned long long)m.n_packets, best_ns);
    }
}

int
main(int argc, char **argv)
{
    if (argc == 3) {
        struct measured m = run_flows((uint32_t)atoi(argv[1]), atof(argv[2]));
        printf("%llu packets\n", (unsigned long long)m.n_packets);
    } else {
        show_table();
    }
    return 0;
}
