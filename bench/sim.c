/* What a packet-hop costs: fat trees under random endless flows, everything on.
 *
 *     bench-sim                         the tables
 *     bench-sim --json                  one object for programs
 *     bench-sim K ENGINE MS N [SWITCH [PATHS]]   one run of MS milliseconds on N threads, for
 *                                                counting instructions; ENGINE: one, or some with
 *                                                '+' between them; SWITCH: oq, drop, stop (a
 *                                                pipeline that drops or stops if an output is
 *                                                full), cioq; PATHS: hash, spray, adaptive
 *
 * 10 Gb/s, 1 us, MTU 1500, 60 KB a port, flows to random hosts by all shortest paths.  A packet-hop
 * is a packet or frame that crosses a link.  Rates are per second of CPU time, the best of some
 * rounds.  That every byte is accounted for is checked after each run, and not timed. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "uniform/uniform.h"

/* Kinds of switches, as they are measured. */
enum { OQ, STOP, DROP, CIOQ, N_SWITCHES };

static const struct bench_switch {
    const char *name, *kind, *full, *title;
} switches[N_SWITCHES + 1] = {
    [OQ] = { "oq", "oq", NULL, "oq" },
    [STOP] = { "stop", "pipeline", "stop", "pipeline, full: stop" },
    [DROP] = { "drop", "pipeline", "drop", "pipeline, full: drop" },
    [CIOQ] = { "cioq", "cioq", NULL, "cioq" },
};

struct job {
    uint32_t k;
    const char *engine;
    double ms;
    uint32_t n_threads, load_percent; /* Of the hosts, those that send. */
    const struct bench_switch *of;    /* Null: the first. */
    const char *paths;                /* Null: by hash. */
};

/* On the first switch, with paths by hash. */
#define JOB(K, ENGINE, MS, N_THREADS, LOAD)                                                        \
    {                                                                                              \
        .k = (K), .engine = (ENGINE), .ms = (MS), .n_threads = (N_THREADS), .load_percent = (LOAD) \
    }

struct measured {
    double setup_s, cpu_s, wall_s, rss_mb;
    uint64_t n_hops, hash;
};

static double
clock_s(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct plant_flow *
random_flows(const struct topo *t)
{
    uint32_t *nics = calloc(t->n_nics, sizeof *nics);
    struct plant_flow *flows = calloc(t->n_nics, sizeof *flows);
    uint64_t chance = 5;

    for (uint32_t i = 0; i < t->n_nodes; i++) {
        if (t->nodes[i].kind == TOPO_NIC) {
            nics[t->nodes[i].index] = i;
        }
    }
    for (uint32_t i = 0; i < t->n_nics; i++) {
        uint32_t to = (uint32_t)((i + 1 + weir_random(&chance) % (t->n_nics - 1)) % t->n_nics);
        flows[i] = (struct plant_flow){ .from = nics[i],
                                        .to = nics[to],
                                        .bytes = PLANT_ENDLESS,
                                        .rate_bps = WEIR_UNLIMITED,
                                        .start_ps = (weir_ps)(weir_random(&chance) % 1200000) };
    }
    free(nics);
    return flows;
}

/* Of flows, one in so many is kept, evenly. */
static uint32_t
thin_out(struct plant_flow *flows, uint32_t n, uint32_t percent)
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

/* A pipeline lets in what all ports can carry of packets of 1000 bytes, so that it holds nobody up:
 * a hop through it is then a hop through the other kind, and the same packets are on their way. */
static void
choose_switch(struct uniform *config, const struct job *job, uint64_t *params)
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

/* Of names with '+' between them; exits if there is no such engine. */
static struct weir_stack
find_engines(const char *names)
{
    struct weir_stack stack = { 0 };
    char buffer[64];

    snprintf(buffer, sizeof buffer, "%s", names);
    for (char *name = strtok(buffer, "+"); name; name = strtok(NULL, "+")) {
        const struct weir_engine *engine = weir_engine_find(name);
        if (!engine || !weir_stack_add(&stack, engine)) {
            fprintf(stderr, "bench: no engine '%s', or too many\n", name);
            exit(1);
        }
    }
    return stack;
}

static bool
moves_classes(const struct weir_stack *stack)
{
    bool moves = false;

    for (uint32_t i = 0; i < stack->n; i++) {
        moves |= stack->layers[i].engine->moves_classes;
    }
    return moves;
}

static struct uniform
configure(const struct job *job, const struct topo *topo, struct plant_flow *flows)
{
    struct weir_stack stack = find_engines(job->engine);
    struct uniform config = { .topo = topo,
                              .stack = stack,
                              .n_classes = moves_classes(&stack) ? WEIR_MAX_CLASSES : 1,
                              .lossless = 0xff,
                              .mtu_bytes = 1500,
                              .response_ps = 3000000,
                              .buffer = { .reserve_bytes = 60000 },
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
run(const struct job *job)
{
    uint64_t kind_params[PLANT_MAX_PARAMS] = { 0 };
    struct topo topo = { 0 };
    struct measured m;
    struct err err;
    struct rusage usage;
    double start = clock_s(CLOCK_MONOTONIC);

    topo_build_fat_tree(
        &topo, &(struct topo_build){ .k = job->k,
                                     .link = { .rate_bps = 10000000000, .delay_ps = 1000000 } });
    if (!topo_finish(&topo, &err)) {
        exit(1);
    }
    topo_route(&topo);
    struct plant_flow *flows = random_flows(&topo);
    struct uniform config = configure(job, &topo, flows);
    choose_switch(&config, job, kind_params);
    struct sim *sim = uniform_sim_new(&config, &err);
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

/* In a process of its own, so that its memory is its own. */
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
        m = run(job);
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

static struct measured
measure(const struct job *job, int rounds)
{
    struct measured best = { .wall_s = 1e9 };

    for (int i = 0; i < rounds; i++) {
        struct measured m = run_apart(job);
        best = m.wall_s < best.wall_s ? m : best;
    }
    return best;
}

static const struct {
    uint32_t k;
    double ms;
    int rounds;
} sizes[] = { { 8, 10, 5 }, { 16, 5, 3 }, { 32, 0.5, 1 } };

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

static void
show_table(void)
{
    printf("%-4s %-11s %12s %12s %9s %10s %9s\n", "k", "engine", "M hops/cpu-s", "2 threads",
           "speed-up", "memory MB", "set-up s");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        static const char *const engines[] = { "pfc", "gfc-buffer" };
        for (int e = 0; e < 2; e++) {
            struct job job = JOB(sizes[i].k, engines[e], sizes[i].ms, 1, 100);
            struct measured one = measure(&job, sizes[i].rounds);
            job.n_threads = 2;
            struct measured two = measure(&job, sizes[i].rounds);
            printf("%-4u %-11s %12.2f %12.2f %9.2f %10.1f %9.3f%s\n", sizes[i].k, engines[e],
                   mega(&one, one.cpu_s), mega(&two, two.wall_s), one.wall_s / two.wall_s,
                   one.rss_mb, one.setup_s, one.hash == two.hash ? "" : "  HASHES DIFFER");
        }
    }
}

/* How the cost of a hop grows with the network, and with what is sent in one: about as many hops in
 * each line. */

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

/* Kinds of switches beside each other, in turn, so that all see the same noise of the machine. */

/* For 5 ms on 128 hosts. */
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

static void
show_json(void)
{
    struct measured k8 = measure(&(struct job)JOB(8, "pfc", 10, 1, 100), 5);
    struct measured k16 = measure(&(struct job)JOB(16, "pfc", 5, 1, 100), 3);
    struct measured two = measure(&(struct job)JOB(16, "pfc", 5, 2, 100), 3);
    struct measured k32 = measure(&(struct job)JOB(32, "pfc", 0.2, 1, 100), 1);

    printf("{\"k8_hops_per_cpu_s\": %.0f, \"k16_hops_per_cpu_s\": %.0f, ",
           mega(&k8, k8.cpu_s) * 1e6, mega(&k16, k16.cpu_s) * 1e6);
    printf("\"k16_speedup_2_threads\": %.3f, \"k16_rss_mb\": %.1f, \"k16_setup_s\": %.4f, ",
           k16.wall_s / two.wall_s, k16.rss_mb, k16.setup_s);
    printf("\"k32_setup_s\": %.3f, \"k32_rss_mb\": %.1f}\n", k32.setup_s, k32.rss_mb);
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
    };
    struct measured m = run(&job);

    printf("%llu hops\n", (unsigned long long)m.n_hops);
}

int
main(int argc, char **argv)
{
    if (argc >= 5 && argc <= 7) {
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
