#include "cli/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "weir/field.h"

static const char help[] =
    "usage: weir export DB [--run N | --sweep N] [WHAT] [-o FILE [--force]]\n"
    "\n"
    "Gives what a results file holds, of its newest run or of run N.  Without WHAT it lists the\n"
    "runs and sweeps.  doc/results.md says what is in them.\n"
    "\n"
    "  --flows, --nodes, --ports, --counters, --events, --violations, --parameters\n"
    "                       a table as CSV\n"
    "  --series [QUANTITY]  the samples as CSV, a column a series: all, or those of a quantity\n"
    "  --summaries          a row a run of the newest sweep, or of sweep N, as CSV\n"
    "  --claims             what papers claim and what `weir reproduce` measured, as CSV\n"
    "  --fct                the flows that finished, as HPCC's simulator writes them:\n"
    "                       sip dip sport dport bytes start_ns fct_ns standalone_fct_ns\n"
    "  --pfc                pauses and resumes, as well: time_ns node type ifindex pause\n"
    "  -o FILE              to a file; --force if it may take the place of an old one\n";

static const struct what {
    const char *option;
    int (*write)(const struct export_job *);
    enum rec_table_id table;
} whats[] = {
    { "--flows", export_table, REC_FLOW },
    { "--nodes", export_table, REC_NODE },
    { "--ports", export_table, REC_PORT },
    { "--counters", export_table, REC_COUNTER },
    { "--events", export_table, REC_EVENT },
    { "--violations", export_table, REC_VIOLATION },
    { "--parameters", export_table, REC_PARAMETER },
    { "--summaries", export_table, REC_SUMMARY },
    { "--claims", export_table, REC_CLAIM },
    { "--series", export_series, REC_SERIES },
    { "--fct", export_fct, REC_FLOW },
    { "--pfc", export_pfc, REC_EVENT },
};

enum { N_WHATS = sizeof whats / sizeof *whats };

struct options {
    const char *db, *out, *quantity;
    uint64_t run, sweep; /* 0: the newest. */
    const struct what *what;
    bool force;
};

static const struct what *
find_what(const char *option)
{
    for (size_t i = 0; i < N_WHATS; i++) {
        if (!strcmp(whats[i].option, option)) {
            return &whats[i];
        }
    }
    return NULL;
}

static int
unexpected(const char *word)
{
    char offer[200];
    text_offer(word, &whats[0].option, sizeof whats[0], N_WHATS, offer, sizeof offer);
    return cli_fail(EXIT_USER, "export: unexpected '%s'%s\n\n%s", word, offer, help);
}

static int
read_id(const char *option, const char *word, uint64_t *id)
{
    char *end;
    *id = strtoull(word, &end, 10);
    return *end || word[0] < '1' || word[0] > '9'
               ? cli_fail(EXIT_USER, "export: %s takes the number of a %s, not '%s'", option,
                          option + 2, word)
               : EXIT_GOOD;
}

static int
read_option(int argc, char **argv, int *i, struct options *o)
{
    const char *word = argv[*i], *value = *i + 1 < argc ? argv[*i + 1] : NULL;
    const struct what *what = find_what(word);

    if (what && o->what) {
        return cli_fail(EXIT_USER, "export: %s or %s, one at a time", o->what->option, word);
    }
    if (what) {
        o->what = what;
    } else if (!strcmp(word, "--force")) {
        o->force = true;
    } else if (!strcmp(word, "-o") && value) {
        o->out = argv[++*i];
    } else if (!strcmp(word, "--run") && value) {
        return read_id(word, argv[++*i], &o->run);
    } else if (!strcmp(word, "--sweep") && value) {
        return read_id(word, argv[++*i], &o->sweep);
    } else if (word[0] == '-') {
        return unexpected(word);
    } else if (!o->db) {
        o->db = word;
    } else if (!o->quantity && o->what && o->what->write == export_series) {
        o->quantity = word;
    } else {
        return unexpected(word);
    }
    return EXIT_GOOD;
}

static int
read_options(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i++) {
        int code = read_option(argc, argv, &i, o);
        if (code != EXIT_GOOD) {
            return code;
        }
    }
    if (!o->db) {
        return cli_fail(EXIT_USER, "export: no results file given\n\n%s", help);
    }
    if (o->out && !o->what) {
        return cli_fail(EXIT_USER, "export: -o needs to know what to write\n\n%s", help);
    }
    return EXIT_GOOD;
}

/* What the forms have in common. */

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

const struct rec_flow *
export_flow(const struct export_names *n, uint32_t id)
{
    return id < n->flows.n ? rec_row(&n->flows, REC_FLOW, id) : NULL;
}

/* Runs. */

static bool
is_whole(const struct rec_run *run)
{
    return strcmp(run->status, "running") != 0;
}

static int
list_runs(const struct rec_rows *runs)
{
    printf("%4s %-9s %-20s %12s  %s\n", "run", "status", "started", "simulated", "what");
    for (size_t i = 0; i < runs->n; i++) {
        const struct rec_run *run = rec_row(runs, REC_RUN, i);
        struct weir_text until = { 0 };
        if (run->until_ps >= 0) {
            weir_text_add(&until, "%T", run->until_ps);
        }
        printf("%4llu %-9s %-20s %12s  %s: %s, %s%s\n", (unsigned long long)run->id, run->status,
               run->started_at, until.s, run->name, run->engines, run->arbitration,
               is_whole(run) ? "" : " (not whole: it goes on, or was killed)");
    }
    return EXIT_GOOD;
}

static int
unknown_run(const struct options *o, const struct rec_rows *runs)
{
    const struct rec_run *all = runs->items;

    if (!runs->n) {
        return cli_fail(EXIT_USER, "export: %s has no runs", o->db);
    }
    char list[300] = "";
    for (size_t i = 0, len = 0; i < runs->n && len < sizeof list - 1; i++) {
        len += (size_t)snprintf(list + len, sizeof list - len, "%s%llu", i ? ", " : "",
                                (unsigned long long)all[i].id);
    }
    return cli_fail(EXIT_USER, "export: %s has no run %llu; it has %s", o->db,
                    (unsigned long long)o->run, list);
}

static const struct rec_run *
choose_run(const struct options *o, const struct rec_rows *runs)
{
    const struct rec_run *all = runs->items, *chosen = NULL;

    for (size_t i = 0; i < runs->n; i++) {
        if (!o->run || all[i].id == o->run) {
            chosen = &all[i];
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
        cli_fail(EXIT_GOOD, "run %llu is not whole: it goes on, or was killed",
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
    struct export_job job = { .file = file, .table = REC_SUMMARY, .out = stdout };

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
export_runs(const struct options *o, struct rec_file *file)
{
    struct rec_rows runs = { 0 };
    struct err err;
    int code;

    if (!rec_read_all(file, REC_RUN, 0, &runs, &err)) {
        code = cli_fail(EXIT_WORLD, "%s", err.text);
    } else if (o->run && !choose_run(o, &runs)) {
        code = unknown_run(o, &runs);
    } else if (!o->what) {
        code = list_runs(&runs);
    } else if (!runs.n) {
        code = unknown_run(o, &runs);
    } else {
        code = export_run(o, choose_run(o, &runs), file);
    }
    rec_rows_free(&runs, REC_RUN);
    return code;
}

/* Claims are nobody's but the file's. */
static int
export_claims(const struct options *o, struct rec_file *file)
{
    struct export_job job = { .file = file, .table = REC_CLAIM, .out = stdout };

    return o->out ? write_file(o, &job) : o->what->write(&job);
}

static int
export_from(const struct options *o, struct rec_file *file)
{
    if (o->what && o->what->table == REC_SUMMARY) {
        return export_sweeps(o, file);
    }
    if (o->what && o->what->table == REC_CLAIM) {
        return export_claims(o, file);
    }
    int code = export_runs(o, file);
    return code == EXIT_GOOD && !o->what ? export_sweeps(o, file) : code;
}

int
cli_export(int argc, char **argv)
{
    struct options o = { 0 };
    struct err err;

    if (cli_helped(argc, argv, help)) {
        return EXIT_GOOD;
    }
    int code = read_options(argc, argv, &o);
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
