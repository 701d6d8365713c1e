/* `weir export`: writes the contents of a results file in formats that other programs read. */

#include "cli/export.h"

#include <string.h>

#include "cli/cli.h"
#include "output/form-table.h"
#include "report/runs.h"
#include "weir/field.h"

/* Values of `what` that do not stand for a whole table of the file. */
enum { NOTHING = REC_N_TABLES, FCT, PFC, FLOW_FILE };

/* Contents that have functions of their own. */
static const struct what {
    int (*write)(const struct export_job *);
    enum rec_table_id table; /* The table that the function reads. */
} whats[] = {
    [REC_RUN] = { export_runs, REC_RUN },
    [REC_SERIES] = { export_series, REC_SERIES },
    [FCT] = { export_fct, REC_FLOW },
    [PFC] = { export_pfc, REC_EVENT },
    [FLOW_FILE] = { export_flow_file, REC_FLOW },
};

struct options {
    struct verb_operands words; /* The file, and with --series also a quantity. */
    const char *db, *out, *quantity;
    uint64_t run, sweep; /* 0: the newest one. */
    int what;
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
      AT(what), .min = REC_RUN, .group = "Tables (choose one)" },
    { "--flows", NULL,
      "The flows, with the bytes that each received and the time when it finished, as CSV.",
      VERB_ONE_OF, AT(what), .min = REC_FLOW },
    { "--workloads", NULL,
      "Completion times of all measured flows and of each workload, one row each, as CSV.",
      VERB_ONE_OF, AT(what), .min = REC_WORKLOAD },
    { "--nodes", NULL, "The switches and NICs, as CSV.", VERB_ONE_OF, AT(what), .min = REC_NODE },
    { "--ports", NULL, "The ports, as CSV.", VERB_ONE_OF, AT(what), .min = REC_PORT },
    { "--counters", NULL, "The counters of ports and engines, as CSV.", VERB_ONE_OF, AT(what),
      .min = REC_COUNTER },
    { "--events", NULL,
      "The events in order of time, with the names of node, peer and flow, as CSV.", VERB_ONE_OF,
      AT(what), .min = REC_EVENT },
    { "--waits", NULL,
      "Waits of each flow at each port on its path, with their causes, as CSV; the run "
      "must have been recorded with --why.",
      VERB_ONE_OF, AT(what), .min = REC_WAIT },
    { "--violations", NULL, "Violations of the network: deadlocks, drops, as CSV.", VERB_ONE_OF,
      AT(what), .min = REC_VIOLATION },
    { "--parameters", NULL, "Every value of the scenario with its origin, as CSV.", VERB_ONE_OF,
      AT(what), .min = REC_PARAMETER },
    { "--engine-parameters", NULL,
      "The parameters that engines ran with, including derived ones, as CSV.", VERB_ONE_OF,
      AT(what), .min = REC_ENGINE_PARAMETER },
    { "--series", NULL,
      "The samples as CSV, with one column per series: all, or those of one quantity if its name "
      "follows (--series queue).",
      VERB_ONE_OF, AT(what), .min = REC_SERIES },
    { "--summaries", NULL, "One row per run of a sweep, as CSV.", VERB_ONE_OF, AT(what),
      .min = REC_SUMMARY },
    { "--summary-workloads", NULL,
      "Completion times of each run of a sweep, one row per workload and one for all, as CSV.",
      VERB_ONE_OF, AT(what), .min = REC_SUMMARY_WORKLOAD },
    { "--statements", NULL,
      "The statements of papers with the verdicts of `weir reproduce`, as CSV.", VERB_ONE_OF,
      AT(what), .min = REC_STATEMENT },
    { "--claims", NULL,
      "The claims of papers, with the values that `weir reproduce` measured, as CSV.", VERB_ONE_OF,
      AT(what), .min = REC_CLAIM },
    { "--fct", NULL,
      "The flows that finished, as HPCC's simulator writes them: sip dip sport dport bytes "
      "start_ns fct_ns standalone_fct_ns.",
      VERB_ONE_OF, AT(what), .min = FCT },
    { "--pfc", NULL,
      "Pauses and resumes, as HPCC's simulator writes them: time_ns node type ifindex pause.",
      VERB_ONE_OF, AT(what), .min = PFC },
    { "--flow-file", NULL,
      "The flows in order of their start, in the format that HPCC's simulator and `flows: {hpcc: "
      "FILE}` read: a line with the number of flows, then a line for each flow: from to class "
      "dport "
      "bytes start_s.",
      VERB_ONE_OF, AT(what), .min = FLOW_FILE },
    { 0 },
};

static int
check_options(struct options *o)
{
    o->db = o->words.items[0];
    o->quantity = o->words.n > 1 ? o->words.items[1] : NULL;
    if (o->quantity && o->what != REC_SERIES) {
        return cli_fail(EXIT_USER, "export: unexpected argument '%s'", o->quantity);
    }
    return !o->out || o->what != NOTHING
               ? EXIT_GOOD
               : cli_fail(EXIT_USER,
                          "export: -o FILE needs an option that selects a table, such as --flows");
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

    return cli_print_error_unless(
        rec_read_each(j->file, t, j->parent, NULL, write_each, &each, &err), &err);
}

int
export_names_read(struct export_names *n, const struct export_job *j)
{
    struct err err;

    *n = (struct export_names){ 0 };
    return cli_print_error_unless(rec_read_all(j->file, REC_NODE, j->parent, &n->nodes, &err) &&
                                      rec_read_all(j->file, REC_PORT, j->parent, &n->ports, &err) &&
                                      rec_read_all(j->file, REC_FLOW, j->parent, &n->flows, &err),
                                  &err);
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

/* Exporting runs. */

static bool
is_whole(const struct rec_run *run)
{
    return strcmp(run->status, "running") != 0;
}

COLUMN_GET(rep_listed, get_id, cell_number(cell, r->row->id))
COLUMN_GET(rep_listed, get_status, cell_text(cell, r->row->status))
COLUMN_GET(rep_listed, get_started, cell_text(cell, r->row->started_at))
COLUMN_GET(
    rep_listed, get_until, if (r->row->facts.until_ps >= 0) {
        weir_text_add(cell_made(cell), "%t", r->row->facts.until_ps);
    })
COLUMN_GET(rep_listed, get_scenario, cell_text(cell, r->row->name))
COLUMN_GET(rep_listed, get_name,
           weir_text_add(cell_made(cell), "%s%s", r->name,
                         is_whole(r->row) ? ""
                                          : " (incomplete: it is still running, or was killed)"))

static const struct column run_columns[] = {
    { NULL, COLUMN_COUNT, .get = get_id, .head = "run" },
    { NULL, COLUMN_TEXT, .get = get_status, .head = "status" },
    { NULL, COLUMN_TEXT, .get = get_started, .head = "started" },
    { NULL, COLUMN_TEXT, .get = get_until, .head = "simulated", .is_right = true },
    { NULL, COLUMN_TEXT, .get = get_scenario, .head = "scenario" },
    { NULL, COLUMN_TEXT, .get = get_name, .head = "name" },
    { 0 },
};

static int
list_runs(const struct rep_runs *runs)
{
    form_table_show(
        stdout,
        &(struct form_table){ NULL, run_columns, runs->items, runs->n, sizeof *runs->items },
        FORM_TEXT);
    return EXIT_GOOD;
}

static int
unknown_run(const struct options *o, const struct rep_runs *runs)
{
    struct weir_text list = { 0 };

    if (!runs->n) {
        return cli_fail(EXIT_USER, "export: %s has no runs", o->db);
    }
    for (size_t i = 0; i < runs->n; i++) {
        weir_text_add(&list, i ? ", %u" : "%u", runs->items[i].row->id);
    }
    return cli_fail(EXIT_USER, "export: %s has no run %llu; it has %.299s", o->db,
                    (unsigned long long)o->run, list.s);
}

/* Writing tables. */

static enum rec_table_id
table_of(const struct options *o)
{
    return whats[o->what].write ? whats[o->what].table : (enum rec_table_id)o->what;
}

/* Writes the rows of a run or sweep. If 'parent' is 0, it writes those of the whole file. */
static int
export_rows(const struct options *o, struct rec_file *file, uint64_t parent)
{
    struct export_job job = {
        .file = file, .parent = parent, .table = table_of(o), .quantity = o->quantity, .out = stdout
    };
    int (*write)(const struct export_job *) =
        whats[o->what].write ? whats[o->what].write : export_table;
    int code = o->out ? cli_create(&job.out, o->out, o->force) : EXIT_GOOD;

    if (code != EXIT_GOOD) {
        return code;
    }
    code = write(&job);
    return o->out ? cli_close(job.out, o->out, o->force, code) : code;
}

static int
export_run(const struct options *o, const struct rec_run *run, struct rec_file *file)
{
    if (!is_whole(run)) {
        cli_fail(EXIT_GOOD, "run %llu is incomplete: it is still running, or was killed",
                 (unsigned long long)run->id);
    }
    return export_rows(o, file, run->id);
}

/* Exporting sweeps. */

static const struct column sweep_columns[] = {
    { NULL, COLUMN_COUNT, .offset = offsetof(struct rec_sweep, id), .head = "sweep" },
    { NULL, COLUMN_COUNT, .offset = offsetof(struct rec_sweep, n_runs), .head = "runs" },
    { NULL, COLUMN_TEXT, .offset = offsetof(struct rec_sweep, started_at), .head = "started" },
    { NULL, COLUMN_TEXT, .offset = offsetof(struct rec_sweep, name), .head = "what" },
    { 0 },
};

static int
list_sweeps(const struct rec_rows *sweeps)
{
    if (sweeps->n) {
        printf("\n");
        form_table_show(stdout,
                        &(struct form_table){ NULL, sweep_columns, sweeps->items, sweeps->n,
                                              sizeof(struct rec_sweep) },
                        FORM_TEXT);
    }
    return EXIT_GOOD;
}

static int
export_summaries(const struct options *o, const struct rec_rows *sweeps, struct rec_file *file)
{
    uint64_t id = 0;

    for (size_t i = 0; i < sweeps->n; i++) {
        const struct rec_sweep *sweep = rec_row(sweeps, REC_SWEEP, i);
        id = !o->sweep || sweep->id == o->sweep ? sweep->id : id;
    }
    if (id) {
        return export_rows(o, file, id);
    }
    return o->sweep ? cli_fail(EXIT_USER, "export: %s has no sweep %llu", o->db,
                               (unsigned long long)o->sweep)
                    : cli_fail(EXIT_USER, "export: %s has no sweeps", o->db);
}

static int
export_sweeps(const struct options *o, struct rec_file *file)
{
    struct rec_rows sweeps = { 0 };
    struct err err;
    int code = !rec_read_all(file, REC_SWEEP, 0, &sweeps, &err) ? cli_print_error(EXIT_WORLD, &err)
               : o->what != NOTHING                             ? export_summaries(o, &sweeps, file)
                                                                : list_sweeps(&sweeps);

    rec_rows_free(&sweeps, REC_SWEEP);
    return code;
}

static int
export_of_run(const struct options *o, struct rec_file *file)
{
    struct rep_runs runs;
    struct err err;

    if (!rep_runs_read(&runs, file, &err)) {
        return cli_print_error(EXIT_WORLD, &err);
    }
    const struct rep_listed *run = cli_choose_run(&runs, o->run);
    bool lists = o->what == NOTHING;
    int code = !run && (o->run || !lists) ? unknown_run(o, &runs)
               : lists                    ? list_runs(&runs)
                                          : export_run(o, run->row, file);
    rep_runs_free(&runs);
    return code;
}

static int
export_from(const struct options *o, struct rec_file *file)
{
    if (o->what == NOTHING) {
        int code = export_of_run(o, file);
        return code == EXIT_GOOD ? export_sweeps(o, file) : code;
    }
    const char *parent = rec_tables[table_of(o)].parent;
    return !parent                    ? export_rows(o, file, 0)
           : !strcmp(parent, "sweep") ? export_sweeps(o, file)
                                      : export_of_run(o, file);
}

static int
run_export(void *given)
{
    struct rec_file *file;
    struct options *o = given;
    int code = check_options(o);

    code = code == EXIT_GOOD ? cli_open_results(&file, o->db) : code;
    if (code == EXIT_GOOD) {
        code = export_from(o, file);
        cli_close_results(file);
    }
    return code;
}

const struct verb cli_export = {
    .name = "export",
    .group = VERB_UNDERSTAND,
    .run = run_export,
    .brief = "write results as CSV, or in the formats of HPCC's simulator",
    .operands = "DB",
    .about = "Writes the newest run of a results file, or run N, as tables. Without an option that "
             "selects a table, lists the runs and sweeps of the file. doc/results.md explains "
             "the tables.",
    .examples = "  weir export ring.db\n"
                "  weir export ring.db --series queue -o queues.csv\n"
                "  weir export ring.db --fct -o fct.csv\n",
    .options = options,
    .options_bytes = sizeof(struct options),
    .defaults = &(const struct options){ .what = NOTHING },
    .min_operands = 1,
    .max_operands = 2,
    .missing = "no results file given",
    .is_long = true,
};
