/* Measures the cost per packet-hop if each host sends many flows at a time.
 *
 *     bench-flows                           the table
 *     bench-flows TRANSPORT N MS [K [why]]  one run of N flows at each host and MS milliseconds
 *
 * TRANSPORT is raw, paced, rdma, dcqcn or hpcc; paced flows have a rate.  K is the number of ports
 * of a switch.  The word 'why' enables wait accounting.
 *
 * A fat tree of 128 hosts under PFC, 100 Gb/s, 1 us, MTU 1500.  Each host sends endless flows to
 * other hosts, evenly spread, so the network carries about the same traffic with few flows and with
 * many.  Flows begin in the first microseconds.  Costs are those of a long run without those of a
 * short one, in CPU time, so they contain neither set-up nor most starts.  The runs of a row
 * alternate, so that the machine's noise affects all of them, and each time is the best of several
 * rounds. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "networks.h"
#include "simple-net/simple-net.h"

enum { MTU = 1500, K = 8 };
#define SHORT_MS 0.2
#define LONG_MS  0.6
#define LINE_BPS ((uint64_t)100000000000)

static const struct bench_sender {
    const char *name, *engines;
    const struct transport *transport;
    uint64_t load_percent; /* The flows of a host have rates, and share this part of its link; 0:
                            * they have none. */
    int rounds;
} senders[] = {
    { "raw", "pfc", NULL, 0, 5 },      { "paced", "pfc", NULL, 90, 5 },
    { "rdma", "pfc", &tp_rdma, 0, 5 }, { "dcqcn", "pfc+ecn", &tp_dcqcn, 0, 3 },
    { "hpcc", "pfc", &tp_hpcc, 0, 1 },
};

enum { N_SENDERS = sizeof senders / sizeof *senders };

struct job {
    const struct bench_sender *sender;
    uint32_t n_flows; /* At each host. */
    uint32_t k;
    double ms;
    bool why;
};

struct measured {
    double cpu_s;
    uint64_t n_hops;
};

static double
cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Host i sends to hosts that are evenly spread over all others, by steps without a common divisor
 * with their number. */
static struct simple_net_flow *
spread_flows(const struct topo *t, const struct job *job)
{
    uint32_t *nics = calloc(t->n_nics, sizeof *nics);
    struct simple_net_flow *flows = calloc((size_t)t->n_nics * job->n_flows, sizeof *flows);
    uint64_t chance = 5, start_ps = 50 * (uint64_t)weir_wire_ps(MTU, LINE_BPS);
    const struct transport *transport = job->sender->transport;
    uint64_t load_bps = LINE_BPS / 100 * job->sender->load_percent;
    static uint64_t params[MODEL_MAX_PARAMS];

    if (transport && transport->about.params) {
        weir_fields_default(transport->about.params, params);
    }

    for (uint32_t i = 0; i < t->n_nodes; i++) {
        if (t->nodes[i].kind == TOPO_NIC) {
            nics[t->nodes[i].index] = i;
        }
    }
    for (uint32_t i = 0; i < t->n_nics * job->n_flows; i++) {
        uint32_t host = i / job->n_flows, step = 1 + i % job->n_flows * 50 % (t->n_nics - 1);
        flows[i] = (struct simple_net_flow){ .from = nics[host],
                                             .to = nics[(host + step) % t->n_nics],
                                             .bytes = MODEL_ENDLESS,
                                             .rate_bps = load_bps ? load_bps / job->n_flows
                                                                  : WEIR_UNLIMITED,
                                             .start_ps = (weir_ps)(weir_random(&chance) % start_ps),
                                             .transport = transport,
                                             .transport_params = params };
    }
    free(nics);
    return flows;
}

static struct simple_net
configure(const struct job *job, const struct topo *topo, const struct simple_net_flow *flows)
{
    return (struct simple_net){
        .topo = topo,
        .stack = bench_find_engines(job->sender->engines),
        .n_classes = 1,
        .lossless = 1,
        .mtu_bytes = MTU,
        .response_ps = 3000000,
        .buffer = { .reserve_bytes = 400000 },
        .arbitration = "fifo",
        .flows = flows,
        .n_flows = topo->n_nics * job->n_flows,
        .run = { .until_ps = (weir_ps)(job->ms * 1e9), .seed = 1, .n_threads = 1, .why = job->why }
    };
}

static struct measured
run_job(const struct job *job)
{
    struct topo topo = { 0 };
    struct err err;

    topo_build_fat_tree(
        &topo,
        &(struct topo_build){ .k = job->k, .link = { .rate_bps = LINE_BPS, .delay_ps = 1000000 } });
    if (!topo_finish(&topo, &err)) {
        exit(1);
    }
    topo_route(&topo);
    struct simple_net_flow *flows = spread_flows(&topo, job);
    struct simple_net config = configure(job, &topo, flows);
    struct sim *sim = simple_net_sim_new(&config, &err);
    if (!sim) {
        fprintf(stderr, "bench: %s\n", err.text);
        exit(1);
    }
    double start = cpu_s();
    sim_run(sim);
    struct measured m = { cpu_s() - start, sim_totals(sim).n_hops };
    if (sim_totals(sim).n_dropped || !sim_is_conserved(sim, &err)) {
        fprintf(stderr, "bench: packets were lost\n");
        exit(1);
    }
    sim_free(sim);
    free(flows);
    topo_free(&topo);
    return m;
}

static const struct bench_column {
    uint32_t n_flows;
    bool why;
} columns[] = { { 32, false }, { 32, true }, { 256, false }, { 1024, false } };

enum { FEW, FEW_WHY, SOME, MANY, N_COLUMNS };

/* The cost of a hop in the later part of a long run, from the best times of all rounds. */
static void
measure_row(const struct bench_sender *sender, double *ns_a_hop)
{
    struct measured begin[N_COLUMNS], end[N_COLUMNS];

    for (int round = 0; round < sender->rounds; round++) {
        for (int i = 0; i < N_COLUMNS; i++) {
            struct job job = { sender, columns[i].n_flows, K, SHORT_MS, columns[i].why };
            struct measured m = run_job(&job);
            begin[i] = !round || m.cpu_s < begin[i].cpu_s ? m : begin[i];
            job.ms = LONG_MS;
            m = run_job(&job);
            end[i] = !round || m.cpu_s < end[i].cpu_s ? m : end[i];
        }
    }
    for (int i = 0; i < N_COLUMNS; i++) {
        ns_a_hop[i] =
            (end[i].cpu_s - begin[i].cpu_s) * 1e9 / (double)(end[i].n_hops - begin[i].n_hops);
    }
}

static void
show_table(void)
{
    printf("%-18s %8s %8s %8s %8s %12s %12s\n", "ns a hop; flows:", "32", "256", "1024", "32, why",
           "1024 to 32", "why to not");
    for (size_t s = 0; s < N_SENDERS; s++) {
        double ns[N_COLUMNS];
        measure_row(&senders[s], ns);
        printf("%-18s %8.1f %8.1f %8.1f %8.1f %12.2f %12.2f\n", senders[s].name, ns[FEW], ns[SOME],
               ns[MANY], ns[FEW_WHY], ns[MANY] / ns[FEW], ns[FEW_WHY] / ns[FEW]);
    }
}

static const struct bench_sender *
find_sender(const char *name)
{
    for (size_t i = 0; i < N_SENDERS; i++) {
        if (!strcmp(senders[i].name, name)) {
            return &senders[i];
        }
    }
    fprintf(stderr, "bench: no transport '%s'; write raw, paced, rdma, dcqcn or hpcc\n", name);
    exit(1);
}

int
main(int argc, char **argv)
{
    if (argc >= 4) {
        struct job job = { .sender = find_sender(argv[1]),
                           .n_flows = (uint32_t)atoi(argv[2]),
                           .ms = atof(argv[3]),
                           .k = argc > 4 ? (uint32_t)atoi(argv[4]) : K,
                           .why = argc > 5 && !strcmp(argv[5], "why") };
        struct measured m = run_job(&job);
        printf("%llu hops, %.3f s\n", (unsigned long long)m.n_hops, m.cpu_s);
    } else {
        show_table();
    }
    return 0;
}
