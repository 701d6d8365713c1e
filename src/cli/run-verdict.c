/* Writes the verdict on a run, in one sentence: "No deadlock, but 15 packets of a lossless class
 * were dropped." */

#include "cli/cli.h"
#include "cli/run.h"

static void
write_deadlock(const struct outcome *o, struct weir_text *text)
{
    const struct sim_deadlock *d = &o->deadlock;

    if (!d->found) {
        weir_text_add(text, o->is_stopped ? "No deadlock so far" : "No deadlock");
    } else if (d->stands) {
        weir_text_add(text, "Deadlock since %t", d->formed_ps);
    } else {
        weir_text_add(text, "Deadlock at %t, which the watchdog broke", d->formed_ps);
    }
}

struct part {
    uint64_t n;
    const char *one, *many;
};

/* Writes the parts whose number is not 0, such as ", but 15 packets were dropped, and 1 flow ...".
 * Returns how many they are. */
static size_t
write_parts(const struct part *parts, size_t n_parts, const char *join, struct weir_text *text)
{
    size_t n = 0;

    for (size_t i = 0; i < n_parts; i++) {
        if (parts[i].n) {
            weir_text_add(text, "%s%u %s", n ? ", and " : join, parts[i].n,
                          parts[i].n == 1 ? parts[i].one : parts[i].many);
            n++;
        }
    }
    return n;
}

/* Writes the violations, which a lossless network must not have. */
static size_t
write_harm(const struct outcome *o, struct weir_text *text)
{
    bool is_silent = outcome_is_silent(o);
    size_t n_hosts = is_silent ? o->silence.n_hosts : 0;
    bool is_only_queues = is_silent && !n_hosts && !o->n_silent;
    const struct part parts[] = {
        { o->totals.n_dropped_lossless, "packet of a lossless class was dropped",
          "packets of a lossless class were dropped" },
        { o->n_lost_lossless, "packet of a lossless class was lost between nodes",
          "packets of a lossless class were lost between nodes" },
        { o->n_collapsed - o->n_silent, "flow got less than a tenth of its fair share",
          "flows got less than a tenth of their fair share" },
        { n_hosts, "host was blocked and sent nothing in the last tenth of the run",
          "hosts were blocked and sent nothing in the last tenth of the run" },
        { o->n_silent, "flow made no progress in the last tenth of the run",
          "flows made no progress in the last tenth of the run" },
        { is_only_queues ? o->silence.n_queues : 0,
          "queue was blocked and sent nothing in the last tenth of the run",
          "queues were blocked and sent nothing in the last tenth of the run" },
        { o->collected->n_workloads ? o->collected->facts.n_waiting_ranks : 0,
          "rank of a job cannot go on", "ranks of jobs cannot go on" },
        { o->s.routing.reroute_ps ? 0 : o->totals.n_no_route, "packet had no route",
          "packets had no route" },
    };

    return write_parts(parts, sizeof parts / sizeof *parts, o->deadlock.found ? ", and " : ", but ",
                       text);
}

/* Writes the losses that are not violations. */
static size_t
write_losses(const struct outcome *o, struct weir_text *text)
{
    const struct part parts[] = {
        { o->totals.n_dropped, "packet was dropped, but none of a lossless class",
          "packets were dropped, but none of a lossless class" },
        { o->totals.n_flushed, "packet was flushed at a port whose link was down",
          "packets were flushed at ports whose link was down" },
        { o->totals.n_no_route, "packet had no route until a new one was found",
          "packets had no route until new ones were found" },
        { o->totals.n_expired, "packet expired", "packets expired" },
        { o->totals.n_lost, "packet or frame was lost on the wire",
          "packets and frames were lost on the wire" },
    };

    return write_parts(parts, sizeof parts / sizeof *parts, "; ", text);
}

/* Writes "; 8 of 144 flows did not finish, 67 more never started" or "; all 12 flows finished". */
static void
write_flows(uint64_t n, uint64_t n_unfinished, uint64_t n_not_started, struct weir_text *text)
{
    bool are_all = !n_unfinished && !n_not_started;

    if (n_unfinished) {
        weir_text_add(text, "; %u of %u flow%s did not finish", n_unfinished, n, value_plural(n));
    } else if (are_all && n == 1) {
        weir_text_add(text, "; the flow finished");
    } else if (n) {
        weir_text_add(text, "; %s%u flow%s finished", are_all ? "all " : "", n, value_plural(n));
    }
    if (n && n_not_started) {
        weir_text_add(text, ", %u more never started", n_not_started);
    } else if (n_not_started) {
        weir_text_add(text, "; %u flow%s never started", n_not_started,
                      value_plural(n_not_started));
    }
}

/* Writes whether all finite flows have finished. Returns the number that have not. */
static uint64_t
write_finished(const struct outcome *o, struct weir_text *text)
{
    const struct workload_facts *all = &o->collected->workloads[0];
    uint64_t n_not_started = o->collected->facts.n_not_started;

    if (!o->collected->n_workloads) {
        return 0;
    }
    write_flows(all->n_flows, all->n_unfinished, n_not_started, text);
    return all->n_unfinished + n_not_started;
}

/* Writes "; the job finished" or "; 1 of 3 jobs did not finish"; returns the number that did not.
 */
static uint64_t
write_jobs(const struct outcome *o, struct weir_text *text)
{
    uint64_t n = sim_model(o->sim)->n_jobs, n_done = 0;

    for (size_t i = 1; i < o->collected->n_workloads; i++) {
        n_done += o->collected->workloads[i].job_ps >= 0;
    }
    if (n == 1) {
        weir_text_add(text, n_done ? "; the job finished" : "; the job did not finish");
    } else if (n) {
        weir_text_add(text,
                      n_done == n ? "; all %u jobs finished" : "; %u of %u jobs did not finish",
                      n_done == n ? n : n - n_done, n);
    }
    return n - n_done;
}

static const char *
judgement(const struct outcome *o, bool is_calm)
{
    if (o->s.expect & SCN_EXPECT_DEADLOCK && !o->deadlock.found && !o->is_stopped) {
        return ", though the scenario expects a deadlock.";
    }
    if (o->n_violations) {
        return ".";
    }
    return is_calm ? "." : ": that is what the scenario expects.";
}

enum line_level
run_write_verdict(const struct outcome *o, struct weir_text *text)
{
    *text = (struct weir_text){ 0 };
    write_deadlock(o, text);
    bool is_harmed = write_harm(o, text) > 0, is_calm = !is_harmed && !o->deadlock.found;
    size_t n_losses = is_harmed ? 0 : write_losses(o, text);

    if (!is_harmed && !n_losses) {
        weir_text_add(text, o->deadlock.found ? ", and nothing was dropped" : ", no drops");
    }
    uint64_t n_unfinished = write_finished(o, text);
    n_unfinished += write_jobs(o, text);
    if (*o->imbalance.text) {
        weir_text_add(text, "; but the counts of the %s do not add up: %s", o->host,
                      o->imbalance.text);
    }
    weir_text_add(text, "%s", judgement(o, is_calm));
    return o->n_violations                         ? LINE_BAD
           : is_calm && (n_losses || n_unfinished) ? LINE_DOUBTFUL
                                                   : LINE_GOOD;
}
