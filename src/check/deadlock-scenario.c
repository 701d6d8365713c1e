/* Writes a cycle of buffers as a scenario that deadlocks. */

#define _XOPEN_SOURCE 700 /* For realpath(). */
#include "check/deadlock-scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "bind/bind.h"
#include "check/check.h"
#include "output/value.h"
#include "run/outcome.h"
#include "sim/sim.h"
#include "topo/fill.h"
#include "topo/port-names.h"

/* Methods to fill a cycle, in the order in which they are tried. */
static const struct way {
    struct topo_fill_options fill;
    bool stalls; /* Receivers stall temporarily, one after another. */
} ways[] = {
    { { .all = false, .each_port = false }, false }, { { .all = true, .each_port = false }, false },
    { { .all = false, .each_port = true }, false },  { { .all = true, .each_port = true }, false },
    { { .all = false, .each_port = false }, true },  { { .all = true, .each_port = true }, true },
};
enum { N_WAYS = sizeof ways / sizeof *ways };

enum { MAX_SETTINGS = CHECK_MAX_SETS + 8, KEY_BYTES = 128 };

/* A key with dots, as in --set, and its value. */
struct setting {
    char key[KEY_BYTES];
    const char *value;
};

struct writing {
    const struct deadlock_scenario *job;
    const struct way *way;
    struct topo_fill fill;
    weir_ps time_ps;                               /* The length of the run. */
    const struct deadlock_scenario_result *result; /* The result of a trial run; null: none yet. */
    struct setting settings[MAX_SETTINGS];
    size_t n_settings;
};

/* These functions collect settings. */

/* Adds a setting, which replaces an earlier one with the same key. */
static void
set(struct writing *w, const char *key, size_t key_bytes, const char *value)
{
    size_t i = 0;

    while (i < w->n_settings && (strlen(w->settings[i].key) != key_bytes ||
                                 memcmp(w->settings[i].key, key, key_bytes))) {
        i++;
    }
    w->n_settings += i == w->n_settings;
    snprintf(w->settings[i].key, KEY_BYTES, "%.*s", (int)key_bytes, key);
    w->settings[i].value = value;
}

/* Whether the scenario has its own value for a key, which replaces that of --set. */
static bool
is_replaced(const char *set)
{
    static const char *const own[] = { "flows",    "workload",    "stalls",
                                       "claims",   "expect",      "transport",
                                       "run.time", "run.warm_up", "run.run_out" };

    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        size_t n = strlen(own[i]);
        if (!strncmp(set, own[i], n) && (set[n] == '.' || set[n] == '=')) {
            return true;
        }
    }
    return false;
}

/* Whether an engine of the stack makes packets wait without limit, so that a cycle can fill. */
static bool
has_waiting_engine(const struct weir_stack *stack)
{
    static const char *const names[] = { "pfc", "cbfc", "capfc" };

    for (uint32_t i = 0; i < stack->n; i++) {
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            if (!strcmp(stack->layers[i].engine->about.name, names[k])) {
                return true;
            }
        }
    }
    return false;
}

static void
gather_settings(struct writing *w)
{
    const struct deadlock_scenario *job = w->job;

    w->n_settings = 0;
    for (size_t i = 0; i < job->n_sets; i++) {
        const char *word = job->sets[i], *equals = strchr(word, '=');
        if (equals && !is_replaced(word)) {
            set(w, word, (size_t)(equals - word), equals + 1);
        }
    }
    if (!has_waiting_engine(&job->s->stack)) {
        set(w, "engine", strlen("engine"), "pfc");
    }
    if (job->failed) {
        set(w, "topology.failed", strlen("topology.failed"), job->failed);
    }
}

static size_t
part_bytes(const char *key)
{
    return strcspn(key, ".");
}

static bool
has_part(const char *key, const char *part, size_t n)
{
    return part_bytes(key) == n && !strncmp(key, part, n);
}

/* Writes the settings with the same first part of the key as 'at', as a map: {a: 1, b: {c: 2}}.
 * Keys are printed without their first 'skip' bytes. */
static void
write_map(FILE *out, const struct writing *w, size_t at, size_t skip)
{
    const char *key = w->settings[at].key + skip;
    size_t n = part_bytes(key);
    const char *comma = "";

    fprintf(out, "%.*s: ", (int)n, key);
    if (!key[n]) {
        fprintf(out, "%s", w->settings[at].value);
        return;
    }
    fputc('{', out);
    for (size_t i = at; i < w->n_settings; i++) {
        const char *other = w->settings[i].key;
        bool is_first = true;
        for (size_t k = at; k < i; k++) {
            is_first &= strncmp(w->settings[k].key, other, skip + n + 1) ||
                        !has_part(w->settings[k].key + skip + n + 1, other + skip + n + 1,
                                  part_bytes(other + skip + n + 1));
        }
        if (is_first && !strncmp(other, w->settings[at].key, skip + n + 1)) {
            fprintf(out, "%s", comma);
            write_map(out, w, i, skip + n + 1);
            comma = ", ";
        }
    }
    fputc('}', out);
}

static void
write_settings(FILE *out, const struct writing *w)
{
    for (size_t i = 0; i < w->n_settings; i++) {
        const char *key = w->settings[i].key;
        bool is_first = true;
        for (size_t k = 0; k < i; k++) {
            is_first &= !has_part(w->settings[k].key, key, part_bytes(key));
        }
        if (is_first) {
            write_map(out, w, i, 0);
            fputc('\n', out);
        }
    }
}

/* Refuses settings of both a whole map and a part of it, which one file cannot have. */
static int
check_settings(const struct writing *w, struct err *err)
{
    for (size_t i = 0; i < w->n_settings; i++) {
        for (size_t k = 0; k < w->n_settings; k++) {
            size_t n = strlen(w->settings[i].key);
            if (!strncmp(w->settings[k].key, w->settings[i].key, n) &&
                w->settings[k].key[n] == '.') {
                return run_fail_command(
                    err, EXIT_USER,
                    "check: --scenario cannot write both %s and %s; set the parts of %s "
                    "one by one",
                    w->settings[i].key, w->settings[k].key, w->settings[i].key);
            }
        }
    }
    return EXIT_GOOD;
}

/* These functions write the file. */

static const char *
name_of(const struct writing *w, uint32_t node)
{
    return w->job->s->topo.nodes[node].name;
}

/* The path relative to the folder of the output file. */
static char *
base_of(const struct deadlock_scenario *job)
{
    const char *slash = strrchr(job->out, '/'), *of_file = strrchr(job->file, '/');
    size_t n = slash ? (size_t)(slash - job->out) : 0;

    if (!slash) {
        return strdup(job->file);
    }
    if (of_file && (size_t)(of_file - job->file) == n && !strncmp(job->file, job->out, n)) {
        return strdup(of_file + 1);
    }
    return realpath(job->file, NULL);
}

static void
write_buffer(FILE *out, const struct writing *w, uint32_t at, uint32_t port)
{
    if (port == TOPO_NONE) {
        fprintf(out, "the pipeline of %s", name_of(w, at));
    } else {
        struct topo_ends ends = topo_name_ends(&w->job->s->topo, port);
        fprintf(out, "%s from %s", ends.here, ends.there);
    }
}

static void
write_ring(FILE *out, const struct writing *w)
{
    const struct topo *t = &w->job->s->topo;

    for (uint32_t i = 0; i < w->job->ring->n; i++) {
        const struct depend_edge *e = &w->job->ring->edges[i];
        fprintf(out, "#   ");
        write_buffer(out, w, e->at, e->in);
        fprintf(out, " waits for ");
        write_buffer(out, w, e->at, e->out == TOPO_NONE ? TOPO_NONE : t->ports[e->out].peer);
        fputc('\n', out);
    }
}

static void
write_verdict(FILE *out, const struct writing *w)
{
    struct weir_text at = { 0 };

    if (!w->result) {
        return;
    }
    weir_text_add(&at, "%T", (weir_ps)value_rounded((uint64_t)w->result->formed_ps));
    if (w->result->has_deadlock) {
        fprintf(out, "# A run of this scenario deadlocks after %s.\n", at.s);
    } else {
        fprintf(
            out,
            "# Run as it is, it does not deadlock, and neither did others that were tried: more "
            "flows, and receivers\n"
            "# that stall. The cycle is still a danger: other flows may fill it.\n");
    }
}

static void
write_flows(FILE *out, const struct writing *w)
{
    const struct topo *t = &w->job->s->topo;

    fprintf(out, "flows:\n");
    for (size_t i = 0; i < w->fill.n; i++) {
        const struct topo_fill_flow *f = &w->fill.flows[i];
        fprintf(out, "  - {from: %s, to: %s", name_of(w, f->from), name_of(w, f->to));
        for (uint32_t k = 0; k < f->n_via; k++) {
            char text[TOPO_PORT_BYTES];
            fprintf(out, "%s%s", k ? ", " : ", via: [", topo_port_text(t, f->via[k], text));
        }
        fprintf(out, "%s, class: %u}\n", f->n_via ? "]" : "", f->cls);
    }
}

/* Writes stalls. Each lasts a twentieth of the run and begins a fortieth after the previous one, so
 * that no two queues fill at the same time. */
static void
write_stalls(FILE *out, const struct writing *w)
{
    fprintf(out, "stalls:%s\n", w->way->stalls ? "" : " []");
    for (size_t i = 0; i < w->fill.n && w->way->stalls; i++) {
        struct weir_text line = { 0 };
        weir_ps from = w->time_ps / 40 * (weir_ps)(1 + i % 16);
        weir_text_add(&line, "from: %T, until: %T", from, from + w->time_ps / 20);
        fprintf(out, "  - {at: %s, %s}\n", name_of(w, w->fill.flows[i].to), line.s);
    }
}

static void
write_all(FILE *out, const struct writing *w, const char *base)
{
    struct weir_text time = { 0 };

    weir_text_add(&time, "%T", w->time_ps);
    fprintf(out,
            "# Written by weir check: flows that fill a cycle of buffers in the network of %s.\n"
            "# Each buffer of the cycle waits for the next:\n",
            base);
    write_ring(out, w);
    fprintf(out,
            "# Every flow crosses links of the cycle and sends as fast as it can, on a path that "
            "the routing allows.\n");
    write_verdict(out, w);
    fprintf(out,
            "# --set engine=gfc-buffer shows what another scheme does with the same flows.\n"
            "base: %s\n",
            base);
    write_settings(out, w);
    write_flows(out, w);
    fprintf(out, "workload: []\n");
    write_stalls(out, w);
    fprintf(out,
            "transport: raw\nrun: {time: %s, warm_up: 0ps}\nclaims: []\n"
            "expect: deadlock\n",
            time.s);
}

static int
write_file(struct writing *w, bool force, struct err *err)
{
    const char *path = w->job->out;
    struct err why;
    FILE *out;
    int code = run_create(&out, path, force, &why);

    if (code != EXIT_GOOD) {
        return run_fail_command(err, code, "%s", why.text);
    }
    char *base = base_of(w->job);
    if (!base) {
        fclose(out);
        return run_fail(err, EXIT_WORLD, "check: cannot write %s: %s", path, strerror(errno));
    }
    write_all(out, w, base);
    free(base);
    return run_close(out, "check", path, err);
}

/* These functions run the scenario, to find out whether it deadlocks. */

static int
run_file(const char *path, struct deadlock_scenario_result *result, struct err *err)
{
    struct scenario s;
    struct model model;
    int code = outcome_read(&s, path, NULL, 0, err);

    if (code != EXIT_GOOD) {
        return code;
    }
    const struct sim_config config = { .n_threads = 1,
                                       .until_ps = (weir_ps)s.run.time_ps,
                                       .seed = s.run.seed };
    struct sim *sim = bind_model(&s, &model, err) ? sim_new(&config, &model, err) : NULL;
    if (sim) {
        sim_run(sim);
        struct sim_deadlock d = sim_deadlock(sim);
        result->has_deadlock = d.found;
        result->formed_ps = d.formed_ps;
        sim_free(sim);
    }
    scn_free(&s);
    return sim ? EXIT_GOOD : EXIT_USER;
}

static int
write_and_run(struct writing *w, bool force, struct deadlock_scenario_result *result,
              struct err *err)
{
    int code = write_file(w, force, err);

    result->n_flows = w->fill.n;
    return code == EXIT_GOOD ? run_file(w->job->out, result, err) : code;
}

static uint64_t
known(uint64_t bytes)
{
    return bytes == WEIR_AUTO ? 0 : bytes;
}

/* Returns a run time that is long enough to fill every buffer of the cycle many times. */
static weir_ps
time_to_fill(const struct deadlock_scenario *job)
{
    enum { TIMES = 20 };
    const weir_ps least = WEIR_PS_PER_S / 1000, most = 200 * least;
    uint64_t slowest = WEIR_PS_PER_S, bytes = 0;

    for (uint32_t i = 0; i < job->ring->n; i++) {
        const struct depend_edge *e = &job->ring->edges[i];
        const struct scn_switch *at = scn_switch_at(job->s, e->at);
        const struct topo *t = &job->s->topo;
        bytes += known(at->buffer_bytes) + known(at->partition_bytes) + known(at->shared_bytes);
        if (e->out != TOPO_NONE) {
            uint64_t rate = t->links[t->ports[e->out].link].rate_bps;
            slowest = rate < slowest ? rate : slowest;
        }
    }
    double ps = (double)bytes * 8 * TIMES / (double)slowest * (double)WEIR_PS_PER_S;
    return ps < (double)least  ? least
           : ps > (double)most ? most
                               : (weir_ps)value_rounded((uint64_t)ps);
}

static void
choose(struct writing *w, const struct way *way)
{
    w->way = way;
    topo_fill_free(&w->fill);
    topo_fill_cycle(&w->job->s->topo, w->job->loops, w->job->ring, &way->fill, &w->fill);
}

/* Takes the first method of filling the cycle that leads to a deadlock. */
static int
try_ways(struct writing *w, struct deadlock_scenario_result *result, struct err *err)
{
    int code = EXIT_GOOD;

    for (size_t i = 0; i < N_WAYS && code == EXIT_GOOD && !result->has_deadlock; i++) {
        choose(w, &ways[i]);
        code = write_and_run(w, i > 0 || w->job->force, result, err);
    }
    if (code == EXIT_GOOD && !result->has_deadlock) {
        choose(w, &ways[0]);
    }
    return code;
}

/* The final scenario ends soon after the deadlock, unless it has stalls, which depend on the time
 * of the run. */
static void
shorten(struct writing *w, const struct deadlock_scenario_result *result)
{
    weir_ps soon = 2 * result->formed_ps + WEIR_PS_PER_S / 10000;

    if (result->has_deadlock && !w->way->stalls && soon < w->time_ps) {
        w->time_ps = (weir_ps)value_rounded((uint64_t)soon);
    }
}

int
deadlock_scenario_write(const struct deadlock_scenario *job,
                        struct deadlock_scenario_result *result, struct err *err)
{
    struct writing w = { .job = job, .time_ps = time_to_fill(job) };

    *result = (struct deadlock_scenario_result){ 0 };
    gather_settings(&w);
    int code = check_settings(&w, err);
    code = code == EXIT_GOOD ? try_ways(&w, result, err) : code;
    if (code == EXIT_GOOD) {
        shorten(&w, result);
        w.result = result;
        code = write_and_run(&w, true, result, err);
    }
    topo_fill_free(&w.fill);
    return code;
}
