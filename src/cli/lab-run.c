/* Runs a scenario in a lab, and beside it in the simulator if that is asked for. */

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/out-of-memory.h"
#include "cli/compare.h"
#include "cli/lab.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "dataplane/dpdk.h"
#include "lab/lab.h"
#include "lab/memory.h"
#include "output/terminal.h"
#include "run/fct-of-run.h"
#include "run/stopping.h"

/* The line of a terminal that says how far it is goes before anything else is said. */
static void
tell(void *progress, const char *line)
{
    progress_wipe(progress);
    fprintf(stderr, "%s\n", line);
}

/* The first run of a command, in the lab, or the second, which is simulated. */
static struct outcome_job
job_of(const struct lab_options *o, uint64_t place)
{
    return (struct outcome_job){ .file = o->file.items[0],
                                 .sets = o->sets.items,
                                 .n_sets = o->sets.n,
                                 .n_threads = 1,
                                 .results = o->results,
                                 .command_ns = o->compares ? o->command_ns : 0,
                                 .place = place };
}

static struct capture *
capture_of(struct lab_options *o)
{
    return o->capture.path ? &o->capture : NULL;
}

/* Whether there are the ports that are to be captured. */
static int
check_ports(const struct capture *asked, const struct scenario *s, struct err *err)
{
    struct capture trial = *asked;
    int code = capture_configure(&trial, s, &(struct sim_config){ 0 }, err);

    capture_free(&trial);
    return code;
}

/* All that a scenario or a machine may lack is said before anything is set up. */
static int
read_and_check(const struct lab_options *o, struct outcome *out, struct err *err)
{
    *out = (struct outcome){ 0 };
    int code = outcome_read(&out->s, o->file.items[0], o->sets.items, o->sets.n, err);

    if (code != EXIT_GOOD) {
        return code;
    }
    code = (o->is_virtual ? lab_check_virtual : lab_check)(&out->s, err);
    code = code == EXIT_GOOD ? check_ports(&o->capture, &out->s, err) : code;
    code = code == EXIT_GOOD && !dpdk_load(err) ? EXIT_WORLD : code;
    if (code != EXIT_GOOD) {
        outcome_free(out);
    }
    return code;
}

/* Before any of it is taken. */
static void
warn_of_memory(const struct scenario *s)
{
    struct weir_text text;

    lab_memory_warn(lab_memory_bytes(s), oom_memory_there(), &text);
    if (text.len) {
        fprintf(stderr, "warning: %s\n", text.s);
    }
}

/* An interrupt is remembered from here on, and heard by who coordinates: what is set up is removed
 * in any case. */
static int
set_up_and_run(struct lab_options *o, struct outcome *out, struct progress *progress,
               struct err *err)
{
    struct outcome_watcher watcher = progress_of_labs(progress);
    const struct lab_teller teller = { tell, progress };
    struct outcome_job job = job_of(o, 0);
    struct lab lab;

    job.capture = capture_of(o);
    job.watcher = progress_is_wanted() ? &watcher : NULL;
    warn_of_memory(&out->s);
    stopping_hold(NULL, NULL);
    const struct terminal before = terminal_hold();
    int code = lab_open(&lab, &out->s, lab_child_main, err);
    if (code == EXIT_GOOD) {
        code = lab_coordinate(&lab, out, &job, o->is_quiet ? NULL : &teller, err);
        lab_close(&lab);
    } else {
        outcome_free(out);
    }
    terminal_let_go(&before);
    stopping_let_go();
    return code;
}

static int
run_virtually(struct lab_options *o, struct outcome *out, struct progress *progress,
              struct err *err)
{
    struct outcome_watcher watcher = progress_of_runs(progress);
    struct outcome_job job = job_of(o, 0);

    job.capture = capture_of(o);
    job.watcher = progress_is_wanted() && !o->is_quiet ? &watcher : NULL;
    return lab_run_virtually(out, &job, err);
}

static int
run_in_lab(struct lab_options *o, struct outcome *out)
{
    struct progress progress = { 0 };
    struct err err;
    int code = capture_check(&o->capture, o->results, &err);

    code = code == EXIT_GOOD ? read_and_check(o, out, &err) : code;
    if (code == EXIT_GOOD) {
        code = (o->is_virtual ? run_virtually : set_up_and_run)(o, out, &progress, &err);
    }
    capture_free(&o->capture);
    progress_wipe(&progress);
    return code == EXIT_GOOD || code == EXIT_PROMISE ? code : cli_tell(code, &err);
}

static void
show(struct lab_options *o, const struct outcome *out)
{
    struct fct_of_run c;

    fct_of_run_fill(&c, out, NULL, 0);
    if (o->form == CLI_JSON) {
        run_show_json(out, &c.table, capture_of(o));
    } else {
        run_show_text(out, &c.table, capture_of(o));
    }
    fct_of_run_free(&c);
}

/* The same file, simulated; an exit code.  An interrupt is remembered meanwhile: what is known is
 * shown in any case. */
static int
simulate(const struct lab_options *o, struct compare_row *row)
{
    struct outcome_job job = job_of(o, 1);
    struct outcome simulated;

    stopping_hold(NULL, NULL);
    if (stopping_is_asked()) {
        stopping_let_go();
        return EXIT_STOPPED;
    }
    int code = outcome_run(&simulated, &job, &row->err);
    stopping_let_go();
    if (code != EXIT_GOOD && code != EXIT_PROMISE) {
        return cli_tell(code, &row->err);
    }
    compare_sum_up(row, code, &simulated);
    outcome_free(&simulated);
    return row->is_stopped ? EXIT_STOPPED : EXIT_GOOD;
}

static void
show_both(const struct lab_options *o, const struct outcome *real, const struct compare_row rows[2])
{
    char *names[] = { (char *)real->host, "simulator" };
    struct compare c = { .axes = { { "host", names, 2, 2 } }, .n_axes = 1, .form = o->form };

    if (o->form != CLI_JSON) {
        printf("\n");
    }
    compare_show(&c, rows, 2);
    if (o->form != CLI_JSON && !o->is_virtual) {
        printf("\nA simulated node always takes its response time to obey a frame; one in the lab "
               "takes "
               "only\nwhat it took, which is part of the tau that was measured.\n");
    }
}

/* As a second row; if the lab was stopped there is none.  A promise may be broken in either. */
static int
compare(const struct lab_options *o, const struct outcome *real, int code)
{
    struct compare_row *rows = array_new(2, sizeof *rows);

    compare_sum_up(&rows[0], code, real);
    int second = real->is_stopped ? EXIT_STOPPED : simulate(o, &rows[1]);
    if (second == EXIT_GOOD || second == EXIT_STOPPED) {
        show_both(o, real, rows);
    }
    code = rows[1].code == EXIT_PROMISE ? EXIT_PROMISE : code;
    free(rows);
    return second == EXIT_GOOD ? code : second;
}

int
lab_run(struct lab_options *o)
{
    struct outcome out;
    int code;

    cli_hear_interrupts();
    code = run_in_lab(o, &out);
    if (code != EXIT_GOOD && code != EXIT_PROMISE) {
        return code;
    }
    bool is_stopped = out.is_stopped;
    if (o->form != CLI_JSON || !o->compares) {
        show(o, &out);
    }
    if (o->compares && (o->form == CLI_JSON || !is_stopped)) {
        code = compare(o, &out, code);
    }
    outcome_free(&out);
    return is_stopped ? EXIT_STOPPED : code;
}
