/* Measures the cost per packet-hop in fat trees with random endless flows, with all features
 * enabled.
 *
 *     bench-sim                         the tables
 *     bench-sim --json                  one object for programs
 *     bench-sim K ENGINE MS N [SWITCH [PATHS [WORK]]]   one run of MS milliseconds on N threads,
 *                                                for counting instructions; ENGINE: one, or some
 *                                                with '+' between them; SWITCH: oq, drop, stop (a
 *                                                pipeline that drops or stops if an output is
 *                                                full), cioq; PATHS: hash, spray, adaptive;
 *                                                WORK: raw, acks
 *
 * Links have 1 us and MTU 1500; all shortest paths are used.  There are two kinds of work.  'raw':
 * 10 Gb/s, 60 KB per port, flows to random hosts without ACKs.  'acks': 100 Gb/s, 400 KB per port,
 * a permutation of the hosts, an ACK per packet.  A packet-hop is a packet, an ACK or a frame that
 * crosses a link.  Rates are per second of CPU time, the best of several rounds.  Each run checks,
 * outside the timed part, that nothing was lost and that every byte is accounted for. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "networks.h"
#include "simple-net/simple-net.h"

enum { MTU = 1500 };

/* The measured kinds of switches. */
enum { OQ, STOP, DROP, CIOQ, N_SWITCHES };

static const struct bench_switch {
    const char *name, *kind, *full, *title;
} switches[N_SWITCHES + 1] = {
    [OQ] = { "oq", "oq", NULL, "oq" },
    [STOP] = { "stop", "pipeline", "stop", "pipeline, full: stop" },
    [DROP] = { "drop", "pipeline", "drop", "pipeline, full: drop" },
    [CIOQ] = { "cioq", "cioq", NULL, "cioq" },
};

/* The traffic of hosts. */
enum { RAW, ACKS, N_WORKS };

static const struct bench_work {
    const char *name;
    uint64_t rate_bps, port_bytes;
    const struct transport *transport;
    /* Each host receives from exactly one other host. Otherwise receivers are random. */
    bool is_permutation;
} works[N_WORKS + 1] = {
    [RAW] = { "raw", 10000000000, 60000, NULL, false },
    [ACKS] = { "acks", 100000000000, 400000, &tp_rdma, true },
};

struct job {
    uint32_t k;
    const char *engine;
    double ms;
    /* The number of threads, and the share of the hosts that send. */
    uint32_t n_threads, load_percent;
    const struct bench_switch *of; /* Null for the first kind. */
    const char *paths;             /* Null for paths by hash. */
    const struct bench_work *work; /* Null for the first kind of work. */
};

/* A job with the first kind of switch, and paths by hash. */
#define JOB(K, ENGINE, MS, N_THREADS, LOAD)                                                        \
    {                                                                                              \
        .k = (K), .engine = (ENGINE), .ms = (MS), .n_threads = (N_THREADS), .load_percent = (LOAD) \
    }

struct measured {
    double setup_s, cpu_s, wall_s, rss_mb;
    uint64_t n_hops, n_dropped, hash;
};

static double
clock_s(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const struct bench_work *
work_of(const struct job *job)
{
    return job->work ? job->work : &works[RAW];
}

/* Makes one cycle of all hosts, each of which sends to the next, by Sattolo's shuffle. */
static void
permute(uint32_t *to, uint32_t n, uint64_t *chance)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = i;
    }
    for (uint32_t i = n - 1; i > 0; i--) {
        uint32_t j = (uint32_t)(weir_random(chance) % i), other = to[i];
        to[i] = to[j];
        to[j] = other;
    }
}

/* Makes flows that start at different times within a packet's time on the wire. */
static struct simple_net_flow *
random_flows(const struct topo *t, const struct bench_work *work)
{
    uint32_t *nics = calloc(t->n_nics, sizeof *nics), *next = calloc(t->n_nics, sizeof *next);
    struct simple_net_flow *flows = calloc(t->n_nics, sizeof *flows);
    uint64_t chance = 5, packet_ps = (uint64_t)weir_wire_ps(MTU, work->rate_bps);

    for (uint32_t i = 0; i < t->n_nodes; i++) {
        if (t->nodes[i].kind == TOPO_NIC) {
            nics[t->nodes[i].index] = i;
        }
    }
    if (work->is_permutation) {
        permute(next, t->n_nics, &chance);
    }
    for (uint32_t i = 0; i < t->n_nics; i++) {
        uint32_t to =
            work->is_permutation
                ? next[i]
                : (uint32_t)((i + 1 + weir_random(&chance) % (t->n_nics - 1)) % t->n_nics);
        flows[i] =
            (struct simple_net_flow){ .from = nics[i],
                                      .to = nics[to],
                                      .bytes = MODEL_ENDLESS,
                                      .rate_bps = WEIR_UNLIMITED,
                                      .start_ps = (weir_ps)(weir_random(&chance) % packet_ps),
                                      .transport = work->transport };
    }
    free(nics);
    free(next);
    return flows;
}

/* Keeps a percentage of the flows, evenly distributed; returns their number. */
static uint32_t
thin_out(struct simple_net_flow *flows, uint32_t n, uint32_t percent)
{
    uint32_t n_kept = 0;

    for (uint32_t i = 0; i < n; i++) {
        if ((i + 1) * percent / 100 > i * percent / 100) {
            flows[n_kept++] = flows[i];
        }
    }
    return n_kept;
}

static void
set_param(const struct sim_kind *kind, void *params, const char *name, const char *text)
{
    const struct weir_field *field = weir_field_find(kind->about.params, name);
    struct weir_text why = { 0 };
    uint64_t value;

    if (!weir_field_parse(field, text, &value, &why)) {
        fprintf(stderr, "bench: %s: %s\n", name, why.s);
        exit(1);
    }
    weir_field_set(field, params, value);
}

/* Chooses the kind of switch.  A pipeline accepts packets of 1000 bytes at the rate of all ports
 * together, so it blocks no port.  A hop through it is then comparable with a hop through oq, with
 * the same packets in flight. */
static void
choose_switch(struct simple_net *config, const struct job *job, uint64_t *params)
{
    const struct bench_switch *of = job->of ? job->of : switches;
    char pps[32];

    config->kind = sim_kind_find(of->kind);
    if (config->kind->about.params) {
        weir_fields_default(config->kind->about.params, params);
        config->kind_params = params;
    }
    if (of->full) {
        snprintf(pps, sizeof pps, "%u", job->k * 1250000);
        set_param(config->kind, params, "pps", pps);
        set_param(config->kind, params, "delay", "2.5us");
        set_param(config->kind, params, "full", of->full);
    }
}

static struct simple_net
configure(const struct job *job, const struct topo *topo, struct simple_net_flow *flows)
{
    struct weir_stack stack = bench_find_engines(job->engine);
    struct simple_net config = { .topo = topo,
                                 .stack = stack,
                                 .n_classes = bench_moves_classes(&stack) ? WEIR_MAX_CLASSES : 1,
                                 .lossless = 0xff,
                                 .mtu_bytes = MTU,
                                 .response_ps = 3000000,
                                 .buffer = { .reserve_bytes = work_of(job)->port_bytes },
                                 .arbitration = "fifo",
                                 .paths = job->paths,
                                 .flows = flows,
                                 .n_flows = thin_out(flows, topo->n_nics, job->load_percent),
                                 .run.until_ps = (weir_ps)(job->ms * 1e9),
                                 .run.seed = 1,
                                 .run.n_threads = job->n_threads };
    return config;
}

static struct measured
run_job(const struct job *job)
{
    uint64_t kind_params[MODEL_MAX_PARAMS] = { 0 };
    struct topo topo = { 0 };
    struct measured m;
    struct err err;
    struct rusage usage;
    double start = clock_s(CLOCK_MONOTONIC);

    topo_build_fat_tree(&topo, &(struct topo_build){ .k = job->k,
                                                     .link = { .rate_bps = work_of(job)->rate_bps,
                                                               .delay_ps = 1000000 } });
    if (!topo_finish(&topo, &err)) {
        exit(1);
    }
    topo_route(&topo);
    struct simple_net_flow *flows = random_flows(&topo, work_of(job));
    struct simple_net config = configure(job, &topo, flows);
    choose_switch(&config, job, kind_params);
    struct sim *sim = simple_net_sim_new(&config, &err);
    if (!sim) {
        fprintf(stderr, "bench: %s\n", err.text);
        exit(1);
    }
    m.setup_s = clock_s(CLOCK_MONOTONIC) - start;
    double cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID), wall = clock_s(CLOCK_MONOTONIC);
    sim_run(sim);
    m.cpu_s = clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    m.wall_s = clock_s(CLOCK_MONOTONIC) - wall;
    m.n_hops = sim_totals(sim).n_hops;
    m.n_dropped = sim_totals(sim).n_dropped;
    m.hash = sim_totals(sim).hash;
    getrusage(RUSAGE_SELF, &usage);
    m.rss_mb = (double)usage.ru_maxrss / 1024;
    if (!sim_is_conserved(sim, &err)) {
        fprintf(stderr, "bench: %s\n", err.text);
        exit(1);
    }
    sim_free(sim);
    free(flows);
    topo_free(&topo);
    return m;
}

/* Runs a job in a separate process, so that its memory can be measured. */
static struct measured
run_apart(const struct job *job)
{
    int ends[2];
    struct measured m = { 0 };

    fflush(stdout);
    if (pipe(ends)) {
        exit(1);
    }
    pid_t pid = fork();
    if (!pid) {
        m = run_job(job);
        _exit(write(ends[1], &m, sizeof m) != sizeof m);
    }
    close(ends[1]);
    if (read(ends[0], &m, sizeof m) != sizeof m) {
        exit(1);
    }
    close(ends[0]);
    waitpid(pid, NULL, 0);
    return m;
}

/* The best of several runs, none of which may lose a packet. */
static struct measured
measure(const struct job *job, int rounds)
{
    struct measured best = { .wall_s = 1e9 };

    for (int i = 0; i < rounds; i++) {
        struct measured m = run_apart(job);
        if (m.n_dropped) {
            fprintf(stderr, "bench: %llu packets were lost\n", (unsigned long long)m.n_dropped);
            exit(1);
        }
        best = m.wall_s < best.wall_s ? m : best;
    }
    return best;
}

static const struct bench_size {
    uint32_t k;
    double ms[N_WORKS];
    int rounds;
} sizes[] = {
    { 8, { [RAW] = 10, [ACKS] = 1 }, 5 },
    { 16, { [RAW] = 5, [ACKS] = 0.4 }, 3 },
    { 32, { [RAW] = 0.5, [ACKS] = 0.05 }, 1 },
};

enum { N_SIZES = sizeof sizes / sizeof *sizes };

static double
mega(const struct measured *m, double seconds)
{
    return (double)m->n_hops / seconds / 1e6;
}

static double
ns_a_hop(const struct measured *m)
{
    return m->cpu_s * 1e9 / (double)m->n_hops;
}

struct pair {
    struct measured one, two; /* The results on one thread and on two. */
};

static struct pair
measure_pair(const struct bench_size *size, int work, const char *engine)
{
    struct job job = JOB(size->k, engine, size->ms[work], 1, 100);
    struct pair p;

    job.work = &works[work];
    p.one = measure(&job, size->rounds);
    job.n_threads = 2;
    p.two = measure(&job, size->rounds);
    if (p.one.hash != p.two.hash) {
        fprintf(stderr, "bench: two threads have another result\n");
        exit(1);
    }
    return p;
}

static void
show_table(void)
{
    static const struct {
        int work;
        const char *engine;
    } rows[] = { { RAW, "pfc" }, { RAW, "gfc-buffer" }, { ACKS, "pfc" } };

    printf("%-4s %-5s %-11s %12s %12s %9s %10s %9s\n", "k", "work", "engine", "M hops/cpu-s",
           "2 threads", "speed-up", "memory MB", "set-up s");
    for (int i = 0; i < N_SIZES; i++) {
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            struct pair p = measure_pair(&sizes[i], rows[r].work, rows[r].engine);
            printf("%-4u %-5s %-11s %12.2f %12.2f %9.2f %10.1f %9.3f\n", sizes[i].k,
                   works[rows[r].work].name, rows[r].engine, mega(&p.one, p.one.cpu_s),
                   mega(&p.two, p.two.wall_s), p.one.wall_s / p.two.wall_s, p.one.rss_mb,
                   p.one.setup_s);
        }
    }
}

/* The cost of a hop by the size of the network, and by the load of one network, with about the same
 * number of hops in each line. */

static const struct {
    const char *title;
    struct job jobs[5];
} growths[] = {
    { "hosts",
      { JOB(4, "pfc", 80, 1, 100), JOB(8, "pfc", 10, 1, 100), JOB(16, "pfc", 1.5, 1, 100),
        JOB(24, "pfc", 0.5, 1, 100), JOB(32, "pfc", 0.25, 1, 100) } },
    { "% of 128 that send",
      { JOB(8, "pfc", 50, 1, 10), JOB(8, "pfc", 12, 1, 50), JOB(8, "pfc", 10, 1, 100) } },
};

static void
show_growth(void)
{
    for (size_t i = 0; i < sizeof growths / sizeof *growths; i++) {
        printf("\n%-18s %12s %12s\n", growths[i].title, "M hops", "ns a hop");
        for (const struct job *job = growths[i].jobs; job < growths[i].jobs + 5 && job->k; job++) {
            struct measured m = measure(job, 3);
            printf("%-18u %12.2f %12.1f\n", i ? job->load_percent : job->k * job->k * job->k / 4,
                   (double)m.n_hops / 1e6, ns_a_hop(&m));
        }
    }
}

/* Kinds of switches, measured alternately, so that other work of the machine affects all of
 * them. */

/* A job of 5 ms with 128 hosts. */
#define KIND(ENGINE, OF)                                                                           \
    {                                                                                              \
        .k = 8, .engine = (ENGINE), .ms = 5, .n_threads = 1, .load_percent = 100,                  \
        .of = &switches[OF]                                                                        \
    }

static const struct job kinds[] = {
    KIND("pfc", OQ),   KIND("pfc", STOP),   KIND("pfc", DROP),   KIND("pfc", CIOQ),
    KIND("capfc", OQ), KIND("capfc", DROP), KIND("pfc+qcn", OQ), KIND("pfc+qcn", CIOQ),
};

enum { N_KINDS = sizeof kinds / sizeof *kinds, KIND_ROUNDS = 7 };

static void
measure_kinds(struct measured *best)
{
    for (int round = 0; round < KIND_ROUNDS; round++) {
        for (int i = 0; i < N_KINDS; i++) {
            struct measured m = run_apart(&kinds[i]);
            best[i] = !round || m.cpu_s < best[i].cpu_s ? m : best[i];
        }
    }
}

static void
show_kinds(void)
{
    struct measured best[N_KINDS];

    measure_kinds(best);
    printf("\n%-22s %-8s %8s %10s %14s\n", "switch", "engine", "M hops", "ns a hop",
           "against the 1st");
    for (int i = 0; i < N_KINDS; i++) {
        printf("%-22s %-8s %8.2f %10.1f %14.2f\n", kinds[i].of->title, kinds[i].engine,
               (double)best[i].n_hops / 1e6, ns_a_hop(&best[i]),
               ns_a_hop(&best[i]) / ns_a_hop(&best[0]));
    }
}

/* Writes all results as JSON. Names of raw work have no suffix, as when there was no other work. */
static void
show_json(void)
{
    const char *comma = "";

    putchar('{');
    for (int work = 0; work < N_WORKS; work++) {
        for (int i = 0; i < N_SIZES; i++) {
            struct pair p = measure_pair(&sizes[i], work, "pfc");
            char name[32];
            snprintf(name, sizeof name, "k%u%s%s", sizes[i].k, work ? "_" : "",
                     work ? works[work].name : "");
            printf("%s\"%s_hops_per_cpu_s\": %.0f, \"%s_speedup_2_threads\": %.3f, ", comma, name,
                   mega(&p.one, p.one.cpu_s) * 1e6, name, p.one.wall_s / p.two.wall_s);
            printf("\"%s_rss_mb\": %.1f, \"%s_setup_s\": %.4f", name, p.one.rss_mb, name,
                   p.one.setup_s);
            comma = ", ";
        }
    }
    puts("}");
}

static const struct bench_switch *
find_switch(const char *name)
{
    const struct bench_switch *s = switches;

    while (s->name && strcmp(s->name, name)) {
        s++;
    }
    if (!s->name) {
        fprintf(stderr, "bench: there is no switch '%s'; write oq, drop, stop or cioq\n", name);
        exit(1);
    }
    return s;
}

static const struct bench_work *
find_work(const char *name)
{
    const struct bench_work *w = works;

    while (w->name && strcmp(w->name, name)) {
        w++;
    }
    if (!w->name) {
        fprintf(stderr, "bench: there is no work '%s'; write raw or acks\n", name);
        exit(1);
    }
    return w;
}

static void
show_one(int argc, char **argv)
{
    struct job job = {
        .k = (uint32_t)atoi(argv[1]),
        .engine = argv[2],
        .ms = atof(argv[3]),
        .n_threads = (uint32_t)atoi(argv[4]),
        .load_percent = 100,
        .of = argc > 5 ? find_switch(argv[5]) : NULL,
        .paths = argc > 6 ? argv[6] : NULL,
        .work = argc > 7 ? find_work(argv[7]) : NULL,
    };
    struct measured m = run_job(&job);

    printf("%llu hops\n", (unsigned long long)m.n_hops);
}

int
main(int argc, char **argv)
{
    if (argc >= 5 && argc <= 8) {
        show_one(argc, argv);
    } else if (argc == 2 && !strcmp(argv[1], "--json")) {
        show_json();
    } else {
        show_table();
        show_growth();
        show_kinds();
    }
    return 0;
}
