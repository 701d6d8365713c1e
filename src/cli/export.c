/* `weir export`: gives what a results file holds in formats that other programs read. */

#include "cli/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "report/runs.h"
#include "weir/field.h"

enum what_id {
    NOTHING,
    FLOWS,
    NODES,
    PORTS,
    COUNTERS,
    EVENTS,
    WAITS,
    VIOLATIONS,
    PARAMETERS,
    ENGINE_PARAMETERS,
    SUMMARIES,
    WORKLOADS,
    SUMMARY_WORKLOADS,
    CLAIMS,
    RUNS,
    SERIES,
    FCT,
    PFC,
    FLOW_FILE
};

static const struct what {
    int (*write)(const struct export_job *);
    enum rec_table_id table;
} whats[] = {
    [FLOWS] = { export_table, REC_FLOW },
    [NODES] = { export_table, REC_NODE },
    [PORTS] = { export_table, REC_PORT },
    [COUNTERS] = { export_table, REC_COUNTER },
    [EVENTS] = { export_table, REC_EVENT },
    [WAITS] = { export_table, REC_WAIT },
    [VIOLATIONS] = { export_table, REC_VIOLATION },
    [PARAMETERS] = { export_table, REC_PARAMETER },
    [ENGINE_PARAMETERS] = { export_table, REC_ENGINE_PARAMETER },
    [SUMMARIES] = { export_table, REC_SUMMARY },
    [WORKLOADS] = { export_table, REC_WORKLOAD },
    [SUMMARY_WORKLOADS] = { export_table, REC_SUMMARY_WORKLOAD },
    [CLAIMS] = { export_table, REC_CLAIM },
    [RUNS] = { export_runs, REC_RUN },
    [SERIES] = { export_series, REC_SERIES },
    [FCT] = { export_fct, REC_FLOW },
    [PFC] = { export_pfc, REC_EVENT },
    [FLOW_FILE] = { export_flow_file, REC_FLOW },
};

struct options {
    struct verb_operands words; /* The file; behind --series also a quantity. */
    const char *db, *out, *quantity;
    uint64_t run, sweep; /* 0: the newest. */
    int what_id;
    const struct what *what; /* Null: nothing. */
    bool force;
};

#define AT(MEMBER) .offset = offsetof(struct options, MEMBER)

static const struct verb_option options[] = {
    { "--run", "N", "Number of the run to export. Default: the newest.", VERB_NUMBER, AT(run),
      .min = 1, .max = UINT64_MAX },
    { "--sweep", "N",
      "Number of the sweep to export, with --summaries or --summary-workloads. Default: the "
      "newest.",
      VERB_NUMBER, AT(sweep), .min = 1, .max = UINT64_MAX },
    { "-o", "FILE", "Writes to a file instead of standard output.", VERB_FILE, AT(out) },
    { "--force", NULL, "Replaces FILE if it exists.", VERB_FLAG, AT(force) },
    { "--runs", NULL, "All runs of the file with their facts, one row each, as CSV.", VERB_ONE_OF,
      AT(what_id), .min = RUNS, .group = "What to write (choose one)" },
    { "--flows", NULL, "The flows, with what each received and when it finished, as CSV.",
      VERB_ONE_OF, AT(what_id), .min = FLOWS },
    { "--workloads", NULL,
      "Completion times of all measured flows and of each workload, one row each, as CSV.",
      VERB_ONE_OF, AT(what_id), .min = WORKLOADS },
    { "--nodes", NULL, "The switches and NICs, as CSV.", VERB_ONE_OF, AT(what_id), .min = NODES },
    { "--ports", NULL, "The ports, as CSV.", VERB_ONE_OF, AT(what_id), .min = PORTS },
    { "--counters", NULL, "The counters of ports and engines, as CSV.", VERB_ONE_OF, AT(what_id),
      .min = COUNTERS },
    { "--events", NULL,
      "The events in order of time, with the names of node, peer and flow, as CSV.", VERB_ONE_OF,
      AT(what_id), .min = EVENTS },
    { "--waits", NULL,
      "How long each flow was held back at each port that it leaves by, and by what, with names, "
      "as CSV; "
      "the "
      "run must have been recorded with --why.",
      VERB_ONE_OF, AT(what_id), .min = WAITS },
    { "--violations", NULL, "What the network should not have done: deadlocks, drops, as CSV.",
      VERB_ONE_OF, AT(what_id), .min = VIOLATIONS },
    { "--parameters", NULL, "Every value of the scenario, and where it came from, as CSV.",
      VERB_ONE_OF, AT(what_id), .min = PARAMETERS },
    { "--engine-parameters", NULL,
      "The parameters that engines ran with, including derived ones, as CSV.", VERB_ONE_OF,
      AT(what_id), .min = ENGINE_PARAMETERS },
    { "--series", NULL,
      "The samples as CSV, with one column per series: all, or those of one quantity if its name "
      "follows (--series queue).",
      VERB_ONE_OF, AT(what_id), .min = SERIES },
    { "--summaries", NULL, "One row per run of a sweep, as CSV.", VERB_ONE_OF, AT(what_id),
      .min = SUMMARIES },
    { "--summary-workloads", NULL,
      "Completion times of each run of a sweep, one row per workload and one for all, as CSV.",
      VERB_ONE_OF, AT(what_id), .min = SUMMARY_WORKLOADS },
    { "--claims", NULL, "The claims of papers beside what `weir reproduce` measured, as CSV.",
      VERB_ONE_OF, AT(what_id), .min = CLAIMS },
    { "--fct", NULL,
      "The flows that finished, as HPCC's simulator writes them: sip dip sport dport bytes "
      "start_ns fct_ns standalone_fct_ns.",
      VERB_ONE_OF, AT(what_id), .min = FCT },
    { "--pfc", NULL,
      "Pauses and resumes, as HPCC's simulator writes them: time_ns node type ifindex pause.",
      VERB_ONE_OF, AT(what_id), .min = PFC },
    { "--flow-file", NULL,
      "The flows in order of their start, as HPCC's simulator reads them, and a scenario with "
      "`flows: {hpcc: FILE}`: their number; from to class dport bytes start_s.",
      VERB_ONE_OF, AT(what_id), .min = FLOW_FILE },
    { 0 },
};

static int
check_options(struct options *o)
{
    o->db = o->words.items[0];
    o->what = o->what_id ? &whats[o->what_id] : NULL;
    if (o->words.n > 1 && o->what_id != SERIES) {
        return cli_fail(EXIT_USER, "export: unexpected argument '%s'", o->words.items[1]);
    }
    o->quantity = o->words.n > 1 ? o->words.items[1] : NULL;
    return !o->out || o->what
               ? EXIT_GOOD
               : cli_fail(
                     EXIT_USER,
                     "export: -o FILE needs an option that says what to write, such as --flows");
}

/* Functions that the formats share. */

struct each {
    const struct export_job *job;
    void (*write)(FILE *, const void *row, const void *more);
    const void *more;
};

static void
write_each(void *arg, const void *row)
{
    const struct each *e = arg;
    e->write(e->job->out, row, e->more);
}

int
export_each(const struct export_job *j, enum rec_table_id t,
            void (*write)(FILE *, const void *row, const void *more), const void *more)
{
    struct each each = { j, write, more };
    struct err err;

    return rec_read_each(j->file, t, j->parent, write_each, &each, &err)
               ? EXIT_GOOD
               : cli_fail(EXIT_WORLD, "%s", err.text);
}

int
export_names_read(struct export_names *n, const struct export_job *j)
{
    struct err err;

    *n = (struct export_names){ 0 };
    return rec_read_all(j->file, REC_NODE, j->parent, &n->nodes, &err) &&
                   rec_read_all(j->file, REC_PORT, j->parent, &n->ports, &err) &&
                   rec_read_all(j->file, REC_FLOW, j->parent, &n->flows, &err)
               ? EXIT_GOOD
               : cli_fail(EXIT_WORLD, "%s", err.text);
}

void
export_names_free(struct export_names *n)
{
    rec_rows_free(&n->nodes, REC_NODE);
    rec_rows_free(&n->ports, REC_PORT);
    rec_rows_free(&n->flows, REC_FLOW);
}

const struct rec_node *
export_node(const struct export_names *n, uint32_t id)
{
    return id < n->nodes.n ? rec_row(&n->nodes, REC_NODE, id) : NULL;
}

const struct rec_port *
export_port(const struct export_names *n, uint32_t id)
{
    return id < n->ports.n ? rec_row(&n->ports, REC_PORT, id) : NULL;
}

/* Runs. */

static bool
is_whole(const struct rec_run *run)
{
    return strcmp(run->status, "running") != 0;
}

enum { MAX_SCENARIO_WIDTH = 30 };

static int
longest_scenario(const struct rep_runs *runs)
{
    size_t most = strlen("scenario");

    for (size_t i = 0; i < runs->n; i++) {
        size_t len = strlen(runs->items[i].row->name);
        most = len > most ? len : most;
    }
    return most < MAX_SCENARIO_WIDTH ? (int)most : MAX_SCENARIO_WIDTH;
}

static int
list_runs(const struct rep_runs *runs)
{
    int width = longest_scenario(runs);

    printf("%4s %-9s %-20s %12s  %-*s  %s\n", "run", "status", "started", "simulated", width,
           "scenario", "name");
    for (size_t i = 0; i < runs->n; i++) {
        const struct rec_run *run = runs->items[i].row;
        struct weir_text until = { 0 };
        if (run->facts.until_ps >= 0) {
            weir_text_add(&until, "%T", run->facts.until_ps);
        }
        printf("%4llu %-9s %-20s %12s  %-*s  %s%s\n", (unsigned long long)run->id, run->status,
               run->started_at, until.s, width, run->name, runs->items[i].name,
               is_whole(run) ? "" : " (incomplete: it is still running, or was killed)");
    }
    return EXIT_GOOD;
}

static int
unknown_run(const struct options *o, const struct rep_runs *runs)
{
    if (!runs->n) {
        return cli_fail(EXIT_USER, "export: %s has no runs", o->db);
    }
    char list[300] = "";
    for (size_t i = 0, len = 0; i < runs->n && len < sizeof list - 1; i++) {
        len += (size_t)snprintf(list + len, sizeof list - len, "%s%llu", i ? ", " : "",
                                (unsigned long long)runs->items[i].row->id);
    }
    return cli_fail(EXIT_USER, "export: %s has no run %llu; it has %s", o->db,
                    (unsigned long long)o->run, list);
}

static const struct rec_run *
choose_run(const struct options *o, const struct rep_runs *runs)
{
    const struct rec_run *chosen = NULL;

    for (size_t i = 0; i < runs->n; i++) {
        if (!o->run || runs->items[i].row->id == o->run) {
            chosen = runs->items[i].row;
        }
    }
    return chosen;
}

/* Writing. */

static int
write_file(const struct options *o, struct export_job *j)
{
    int code = cli_create(&j->out, o->out, o->force);
    if (code != EXIT_GOOD) {
        return code;
    }
    code = o->what->write(j);
    bool good = !ferror(j->out);
    errno = 0;
    good = fclose(j->out) == 0 && good;
    if (!good) {
        code = cli_fail(EXIT_WORLD, "cannot write %s: %s", o->out, strerror(errno ? errno : EIO));
    }
    if (code != EXIT_GOOD && !o->force) {
        remove(o->out); /* Half a file would look whole; with --force it may be a device. */
    }
    return code;
}

static int
export_run(const struct options *o, const struct rec_run *run, struct rec_file *file)
{
    struct export_job job = { .file = file,
                              .parent = run->id,
                              .table = o->what->table,
                              .quantity = o->quantity,
                              .out = stdout };

    if (!is_whole(run)) {
        cli_fail(EXIT_GOOD, "run %llu is incomplete: it is still running, or was killed",
                 (unsigned long long)run->id);
    }
    return o->out ? write_file(o, &job) : o->what->write(&job);
}

/* Sweeps. */

static int
list_sweeps(const struct rec_rows *sweeps)
{
    if (sweeps->n) {
        printf("\n%5s %9s %-20s  %s\n", "sweep", "runs", "started", "what");
    }
    for (size_t i = 0; i < sweeps->n; i++) {
        const struct rec_sweep *sweep = rec_row(sweeps, REC_SWEEP, i);
        printf("%5llu %9llu %-20s  %s\n", (unsigned long long)sweep->id,
               (unsigned long long)sweep->n_runs, sweep->started_at, sweep->name);
    }
    return EXIT_GOOD;
}

static int
export_summaries(const struct options *o, const struct rec_rows *sweeps, struct rec_file *file)
{
    struct export_job job = { .file = file, .table = o->what->table, .out = stdout };

    for (size_t i = 0; i < sweeps->n; i++) {
        const struct rec_sweep *sweep = rec_row(sweeps, REC_SWEEP, i);
        job.parent = !o->sweep || sweep->id == o->sweep ? sweep->id : job.parent;
    }
    if (!job.parent && o->sweep) {
        return cli_fail(EXIT_USER, "export: %s has no sweep %llu", o->db,
                        (unsigned long long)o->sweep);
    }
    if (!job.parent) {
        return cli_fail(EXIT_USER, "export: %s has no sweeps", o->db);
    }
    return o->out ? write_file(o, &job) : o->what->write(&job);
}

static int
export_sweeps(const struct options *o, struct rec_file *file)
{
    struct rec_rows sweeps = { 0 };
    struct err err;
    int code = !rec_read_all(file, REC_SWEEP, 0, &sweeps, &err)
                   ? cli_fail(EXIT_WORLD, "%s", err.text)
               : o->what ? export_summaries(o, &sweeps, file)
                         : list_sweeps(&sweeps);

    rec_rows_free(&sweeps, REC_SWEEP);
    return code;
}

static int
export_of_run(const struct options *o, struct rec_file *file)
{
    struct rep_runs runs;
    struct err err;
    int code;

    if (!rep_runs_read(&runs, file, &err)) {
        return cli_fail(EXIT_WORLD, "%s", err.text);
    }
    if (o->run && !choose_run(o, &runs)) {
        code = unknown_run(o, &runs);
    } else if (!o->what) {
        code = list_runs(&runs);
    } else if (!runs.n) {
        code = unknown_run(o, &runs);
    } else {
        code = export_run(o, choose_run(o, &runs), file);
    }
    rep_runs_free(&runs);
    return code;
}

/* Runs and claims belong to the file. */
static int
export_of_file(const struct options *o, struct rec_file *file)
{
    struct export_job job = { .file = file, .table = o->what->table, .out = stdout };

    return o->out ? write_file(o, &job) : o->what->write(&job);
}

/* The table to whose rows these belong, such as "sweep"; "": they belong to the file. */
static const char *
parent_of(const struct what *what)
{
    const char *parent = rec_tables[what->table].parent;

    return parent ? parent : "";
}

static int
export_from(const struct options *o, struct rec_file *file)
{
    if (o->what && !strcmp(parent_of(o->what), "sweep")) {
        return export_sweeps(o, file);
    }
    if (o->what && !*parent_of(o->what)) {
        return export_of_file(o, file);
    }
    int code = export_of_run(o, file);
    return code == EXIT_GOOD && !o->what ? export_sweeps(o, file) : code;
}

static int
run_export(int argc, char **argv)
{
    struct options o = { 0 };
    struct err err;
    int code;

    if (!options_read(&cli_export, argc, argv, &o, &code)) {
        return code;
    }
    code = check_options(&o);
    if (code != EXIT_GOOD) {
        return code;
    }
    if (access(o.db, R_OK)) {
        return cli_fail(EXIT_WORLD, "cannot read %s: %s", o.db, strerror(errno));
    }
    struct rec_file *file = rec_read_open(o.db, &err);
    if (!file) {
        return cli_fail(EXIT_USER, "%s", err.text);
    }
    code = export_from(&o, file);
    rec_read_close(file);
    return code;
}

const struct verb cli_export = {
    .name = "export",
    .run = run_export,
    .brief = "write what a results file holds as CSV, or in HPCC's formats",
    .operands = "DB",
    .about = "Writes the newest run of a results file, or run N, as tables. Without an option that "
             "says what to write, lists the runs and sweeps of the file. doc/results.md explains "
             "the tables.",
    .examples = "  weir export ring.db --series queue -o queues.csv\n",
    .options = options,
    .operands_at = offsetof(struct options, words),
    .min_operands = 1,
    .max_operands = 2,
    .missing = "no results file given",
};
