/* Runs a scenario in a lab, in real time or virtually. */

#include "base/out-of-memory.h"
#include "dataplane/dpdk.h"
#include "lab/capacity.h"
#include "lab/lab.h"
#include "output/terminal.h"
#include "run/capture.h"
#include "run/outcome.h"
#include "run/stopping.h"

/* Checks that the ports to capture exist. */
static int
check_ports(const struct capture *asked, const struct scenario *s, struct err *err)
{
    struct capture trial = *asked;
    int code = capture_configure(&trial, s, &(struct sim_config){ 0 }, err);

    capture_free(&trial);
    return code;
}

/* Reads the scenario, and checks it and the machine before anything is set up. */
static int
read_and_check(struct outcome *out, const struct lab_request *r, struct err *err)
{
    *out = (struct outcome){ 0 };
    int code = outcome_read(&out->s, r->job.file, r->job.sets, r->job.n_sets, err);

    if (code != EXIT_GOOD) {
        return code;
    }
    code = (r->is_virtual ? lab_check_virtual : lab_check)(&out->s, err);
    code = code == EXIT_GOOD ? check_ports(r->capture, &out->s, err) : code;
    code = code == EXIT_GOOD && !dpdk_load(err) ? EXIT_WORLD : code;
    if (code != EXIT_GOOD) {
        outcome_free(out);
    }
    return code;
}

/* Warns of too little memory before the processes allocate it. */
static void
warn_of_memory(FILE *messages, const struct scenario *s)
{
    struct weir_text text;

    lab_memory_warn(lab_memory_bytes(s), oom_memory_there(), &text);
    if (text.len) {
        fprintf(messages, "warning: %s\n", text.s);
    }
}

/* Sets up the lab and runs it. From here on interrupts are deferred to the coordinator, so that the
 * lab is removed in any case. */
static int
set_up_and_run(struct outcome *out, const struct lab_request *r, struct err *err)
{
    struct lab lab;

    warn_of_memory(r->messages, &out->s);
    stopping_hold(NULL, NULL);
    const struct terminal before = terminal_hold();
    int code = lab_open(&lab, &out->s, lab_child_main, err);
    if (code == EXIT_GOOD) {
        code = lab_coordinate(&lab, out, &r->job, r->listener, err);
        lab_close(&lab);
    } else {
        outcome_free(out);
    }
    terminal_let_go(&before);
    stopping_let_go();
    return code;
}

int
lab_run(struct outcome *out, struct lab_request *r, struct err *err)
{
    int code = capture_check(r->capture, r->job.results, err);

    r->job.capture = r->capture->path ? r->capture : NULL;
    code = code == EXIT_GOOD ? read_and_check(out, r, err) : code;
    if (code == EXIT_GOOD) {
        code = r->is_virtual ? lab_run_virtually(out, &r->job, err) : set_up_and_run(out, r, err);
    }
    capture_free(r->capture);
    return code;
}
