/* Runs a switch on real ports: polls them until the switch is stopped. */

#include <sys/prctl.h>
#include <time.h>

#include "base/moment.h"
#include "run/exit.h"
#include "run/stopping.h"
#include "switch/running.h"

/* The maximum duration of a nap. The kernel takes longer than this to deliver a frame, so a switch
 * on interfaces may yield the core in this time. The scheduler then prefers it to threads that
 * never sleep. */
enum { NAP_PS = 50000000 };

static bool
may_nap(const struct switch_running *r)
{
    bool may = true;

    for (uint32_t i = 0; i < r->n_ports; i++) {
        may &= r->ports[i].is_interface || r->ports[i].is_down;
    }
    return may;
}

static void
nap(const struct switch_running *r)
{
    weir_ps ps = sim_live_next(dp_node_sim(r->dp)) - dp_node_now(r->dp);
    const struct timespec t = { .tv_nsec = (ps < NAP_PS ? ps : NAP_PS) / PS_PER_NS };

    if (ps > 0) {
        nanosleep(&t, NULL);
    }
}

static void
poll_ports(struct switch_running *r, int64_t began_ns)
{
    r->now_ns = moment_ns(CLOCK_MONOTONIC) - began_ns;
    dp_node_poll_ns(r->dp, r->now_ns);
}

static void
report_while_running(struct switch_running *r, struct switch_ticker *ticker)
{
    uint32_t n_link_changes = dp_node_n_link_changes(r->dp);

    if (n_link_changes != r->n_link_changes) {
        r->n_link_changes = n_link_changes;
        switch_write_links(r->request->messages, r);
    }
    if (r->request->shows_seconds && r->now_ns - ticker->last_ns >= NS_PER_S) {
        switch_write_second(r->request->out, ticker, r);
    }
}

/* Runs the switch. After the first poll it prints that it is running. */
static void
forward(struct switch_running *r)
{
    int64_t until_ns = r->request->time_ns ? r->request->time_ns : INT64_MAX;
    struct switch_ticker ticker = { 0 };
    bool naps = may_nap(r);

    prctl(PR_SET_TIMERSLACK, 1); /* Without slack, naps end as soon as their time is over. */
    int64_t began_ns = moment_ns(CLOCK_MONOTONIC);
    poll_ports(r, began_ns);
    fprintf(r->request->messages, "%s is running; Ctrl-C ends it\n", r->topo->nodes[r->node].name);
    while (!stopping_is_asked() && r->now_ns < until_ns) {
        poll_ports(r, began_ns);
        report_while_running(r, &ticker);
        if (naps) {
            nap(r);
        }
    }
    r->now_ns = moment_ns(CLOCK_MONOTONIC) - began_ns;
    /* Ports are not drained, because other hosts may send for ever. */
    dp_node_end_ns(r->dp, r->now_ns);
}

static int
report_at_end(struct switch_running *r, struct err *err)
{
    bool may_drop = r->scenario->expect & SCN_EXPECT_DROPS;
    struct switch_captured captured;
    struct weir_text violation;
    int code = EXIT_GOOD;

    if (r->capture) {
        code = switch_capture_end(r->capture, &captured, err);
        r->captured = &captured;
        r->capture = NULL;
    }
    r->violation = may_drop ? NULL : switch_violation(r, &violation);
    (r->request->json ? switch_write_json : switch_write_text)(r->request->out, r);
    if (code != EXIT_GOOD) {
        return code;
    }
    return r->violation ? EXIT_PROMISE : r->now_ns < r->request->time_ns ? EXIT_STOPPED : EXIT_GOOD;
}

int
switch_run(const struct scenario *scenario, const struct switch_request *request, struct err *err)
{
    struct switch_running r = { .request = request, .scenario = scenario, .topo = &scenario->topo };
    int code = switch_set_up(&r, err);

    if (code == EXIT_GOOD) {
        forward(&r);
        code = report_at_end(&r, err);
    }
    switch_clean_up(&r);
    return code;
}
