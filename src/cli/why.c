/* `weir why`: shows which flows of a recorded run had to wait, for what, and the root causes. */

#include "cli/why.h"

#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/wrapped.h"
#include "output/next-step.h"

struct options {
    struct verb_operands files;
    uint64_t run; /* 0: the newest run. */
    const char *flow;
    weir_ps at_ps;
    bool victims;
    int form; /* enum cli_form. */
};

#define AT(MEMBER) .offset = offsetof(struct options, MEMBER)

static const struct verb_option options[] = {
    { "--run", "N", "Number of the run to explain. Default: the newest.", VERB_NUMBER, AT(run),
      .min = 1, .max = UINT64_MAX },
    { "--flow", "FLOW",
      "Shows the waits of this flow, hop by hop. FLOW is its name or, "
      "as several flows may have the same, its number in the file: '#3'.",
      VERB_WORD, AT(flow) },
    { "--victims", NULL, "Shows victims only, with the time for which pauses blocked each.",
      VERB_FLAG, AT(victims) },
    { "--at", "TIME",
      "Shows which ports are paused at this instant, such as 1.5ms, as a tree: each port is below "
      "the one that it waits for.",
      VERB_TIME, AT(at_ps) },
    { "--json", NULL, CLI_JSON_HELP, VERB_ONE_OF, AT(form), .min = CLI_JSON },
    { "--csv", NULL,
      "Writes CSV: a row per flow, sorted by waiting time, longest first. With --flow, writes a "
      "row per hop; with --at, a row per paused port.",
      VERB_ONE_OF, AT(form), .min = CLI_CSV },
    { 0 },
};

/* The table of flows. */

const char *
why_workload(const struct why_job *j, uint32_t flow)
{
    uint32_t id = flow < j->flows.n
                      ? ((const struct rec_flow *)rec_row(&j->flows, REC_FLOW, flow))->workload
                      : 0;

    return id && id < j->workloads.n
               ? ((const struct rec_workload *)rec_row(&j->workloads, REC_WORKLOAD, id))->name
               : NULL;
}

/* Names of ports, roots and times. */

void
why_add_slot(struct weir_text *t, const struct why_job *j, uint32_t slot)
{
    const struct why *w = j->waits.why;
    rep_add_port(t, &j->names, why_port(w, slot), slot % w->n_classes);
}

void
why_add_root(struct weir_text *t, const struct why_job *j, uint32_t root)
{
    rep_add_root(t, &j->names, &j->waits.why->roots[root]);
}

void
why_add_time(struct weir_text *t, double ps)
{
    value_add_time(t, (weir_ps)(ps + 0.5));
}

/* The flow that the user named. */

static int
unknown_flow(const struct why_job *j, const char *word)
{
    char offer[200];

    text_offer(word, j->flows.n ? &((const struct rec_flow *)j->flows.items)->name : NULL,
               sizeof(struct rec_flow), j->flows.n, offer, sizeof offer);
    return cli_fail(EXIT_USER, "why: run %llu of %s has no flow '%s'%s",
                    (unsigned long long)j->run->row->id, j->file, word, offer);
}

/* Refuses a name that several flows have, and lists their numbers: "#0, #1, #4". */
static int
ambiguous_flow(const struct why_job *j, const char *word)
{
    struct weir_text list = { 0 };

    for (size_t i = 0; i < j->flows.n; i++) {
        const struct rec_flow *flow = rec_row(&j->flows, REC_FLOW, i);
        if (!strcmp(flow->name, word)) {
            weir_text_add(&list, list.len ? ", #%u" : "#%u", flow->id);
        }
    }
    return cli_fail(
        EXIT_USER,
        "why: several flows of run %llu are called '%s'; choose one by its number: %.199s",
        (unsigned long long)j->run->row->id, word, list.s);
}

/* Reads the number of a flow, in the forms "#3", "3", or "H1-H4 #3" (for flows that share a
 * name). */
static bool
read_number(const struct why_job *j, const char *word, uint64_t *id)
{
    const char *mark = strrchr(word, '#');
    char name[REP_FLOW_BYTES];

    return text_number(mark ? mark + 1 : word, id) && *id < j->flows.n &&
           (!mark || mark == word ||
            !strcmp(rep_flow_name(&j->flow_names, (uint32_t)*id, name), word));
}

static int
find_flow(struct why_job *j, const char *word)
{
    uint64_t id = 0;
    size_t n = 0;
    char name[REP_FLOW_BYTES];

    for (size_t i = 0; i < j->flows.n; i++) {
        const struct rec_flow *flow = rec_row(&j->flows, REC_FLOW, i);
        if (!strcmp(flow->name, word)) {
            id = flow->id;
            n++;
        }
    }
    if (n > 1) {
        return ambiguous_flow(j, word);
    }
    if (!n && !read_number(j, word, &id)) {
        return unknown_flow(j, word);
    }
    j->flow = rep_blocked_flow_of(&j->waits, id);
    return j->flow ? EXIT_GOOD
                   : cli_fail(EXIT_USER, "why: flow %s has sent nothing, so it has no waits",
                              rep_flow_name(&j->flow_names, (uint32_t)id, name));
}

static int
fail_late(const struct why_job *j, weir_ps at_ps)
{
    struct weir_text asked = { 0 }, end = { 0 };

    weir_text_add(&asked, "%T", at_ps);
    weir_text_add(&end, "%T", j->run->row->facts.until_ps);
    return cli_fail(EXIT_USER, "why: --at %s is after the end of run %llu, which ended at %s",
                    asked.s, (unsigned long long)j->run->row->id, end.s);
}

/* Suggests a command about the flow that waited longest, after a list of all flows. It has the
 * flow's number if a shell would change the name. */
static void
show_next(const struct why_job *j, const struct options *o)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:";
    char name[REP_FLOW_BYTES], run[40] = "";

    if (o->run) {
        snprintf(run, sizeof run, " --run %llu", (unsigned long long)o->run);
    }
    if (j->flow || j->at_ps >= 0 || !j->waits.n_waited) {
        next_step_write(stdout, "weir report %s%s", j->file, run);
        return;
    }
    uint32_t flow = j->waits.worst[0]->flow;
    rep_flow_name(&j->flow_names, flow, name);
    if (name[strspn(name, plain)]) {
        snprintf(name, sizeof name, "'#%u'", flow);
    }
    next_step_write(stdout, "weir why %s%s --flow %s", j->file, run, name);
}

static int
answer(struct why_job *j, const struct options *o)
{
    struct wrapped wrapped;

    if (!j->waits.is_recorded) {
        return cli_fail(EXIT_USER,
                        "why: run %llu of %s has no waits of flows; to record them, run "
                        "the scenario again: weir run SCENARIO --record %s --why, or weir compare "
                        "with both options",
                        (unsigned long long)j->run->row->id, j->file, j->file);
    }
    int code = o->flow ? find_flow(j, o->flow) : EXIT_GOOD;
    if (code != EXIT_GOOD) {
        return code;
    }
    if (o->at_ps > j->run->row->facts.until_ps) {
        return fail_late(j, o->at_ps);
    }
    j->at_ps = o->at_ps;
    j->only_victims = o->victims;
    j->names.n_classes = j->waits.why->n_classes;
    wrapped_begin(&wrapped, o->form == CLI_TEXT);
    if (o->form == CLI_JSON) {
        why_write_json(j);
    } else if (o->form == CLI_CSV) {
        why_write_csv(j);
    } else if (o->at_ps >= 0) {
        why_show_instant(j);
    } else if (j->flow) {
        why_show_flow(j);
    } else {
        why_show_all(j);
    }
    wrapped_end(&wrapped);
    if (o->form == CLI_TEXT) {
        show_next(j, o);
    }
    return EXIT_GOOD;
}

static int
read_and_answer(struct why_job *j, const struct options *o, struct rec_file *file)
{
    uint64_t run = j->run->row->id;
    struct err err;
    bool good = rec_read_all(file, REC_NODE, run, &j->nodes, &err) &&
                rec_read_all(file, REC_PORT, run, &j->ports, &err) &&
                rec_read_all(file, REC_FLOW, run, &j->flows, &err) &&
                rec_read_all(file, REC_WORKLOAD, run, &j->workloads, &err) &&
                rep_flow_waits_read(&j->waits, file, j->run->row, &err);

    j->flow_names = rep_flow_names_of(&j->flows);
    j->names.ports = rep_port_names_of(&j->nodes, &j->ports);
    int code = good ? answer(j, o) : cli_print_error(EXIT_WORLD, &err);
    rep_flow_names_free(&j->flow_names);
    rep_port_names_free(&j->names.ports);
    rec_rows_free(&j->nodes, REC_NODE);
    rec_rows_free(&j->ports, REC_PORT);
    rec_rows_free(&j->flows, REC_FLOW);
    rec_rows_free(&j->workloads, REC_WORKLOAD);
    rep_flow_waits_free(&j->waits);
    return code;
}

static int
explain(const struct options *o, struct rec_file *file)
{
    struct why_job job = { .file = o->files.items[0] };
    struct rep_runs runs;
    struct err err;

    if (!rep_runs_read(&runs, file, &err)) {
        return cli_print_error(EXIT_WORLD, &err);
    }
    job.run = cli_choose_run(&runs, o->run);
    int code = job.run ? read_and_answer(&job, o, file)
               : o->run
                   ? cli_fail(EXIT_USER, "why: %s has no run %llu; 'weir export %s' lists them",
                              job.file, (unsigned long long)o->run, job.file)
                   : cli_fail(EXIT_USER, "why: %s has no runs", job.file);
    rep_runs_free(&runs);
    return code;
}

static int
run_why(void *given)
{
    const struct options *o = given;
    struct rec_file *file;

    if (o->flow && o->at_ps >= 0) {
        return cli_fail(EXIT_USER, "why: --flow covers the whole run, --at all ports at one "
                                   "instant; choose one");
    }
    int code = cli_open_results(&file, o->files.items[0]);
    if (code == EXIT_GOOD) {
        code = explain(o, file);
        cli_close_results(file);
    }
    return code;
}

const struct verb cli_why = {
    .name = "why",
    .group = VERB_UNDERSTAND,
    .run = run_why,
    .brief = "find what slowed the flows of a recorded run, and its root",
    .operands = "RESULTS",
    .about =
        "Shows which flows of a run waited longest, where and for what: a pause, "
        "missing credit, a rate, their own sender's control, or packets before them in a queue. "
        "Pauses are followed from port to port to their root, where the congestion is. A flow "
        "that such pauses blocked for at least 1 % of its time, and that never crosses their "
        "root, is a "
        "victim.\n\n"
        "The run must have been recorded with `weir run --record RESULTS --why` or `weir compare "
        "--record RESULTS --why`, or with `record: {why: yes}` in its scenario.",
    .examples = "  weir run scenario.yaml --record results.db --why\n"
                "  weir why results.db\n"
                "  weir why results.db --victims\n"
                "  weir why results.db --flow H1-H5\n"
                "  weir why results.db --at 1.5ms\n",
    .options = options,
    .options_bytes = sizeof(struct options),
    .defaults = &(const struct options){ .at_ps = -1 },
    .min_operands = 1,
    .max_operands = 1,
    .missing = "no results file given",
    .is_long = true,
};
