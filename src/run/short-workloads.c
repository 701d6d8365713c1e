/* Warns of workloads that a run measures too briefly: all their flows start in the warm-up, or the
 * run ends before their job is finished. */

#include <stdlib.h>

#include "base/array.h"
#include "run/job-facts.h"
#include "run/warnings.h"

struct share { /* The finite flows of a workload. */
    uint64_t n, n_started, n_measured, n_finished;
};

static struct share *
count_flows(const struct outcome *o)
{
    struct share *shares = array_new(o->s.n_workloads + 1, sizeof *shares);

    for (uint32_t i = 0; i < o->s.n_flows; i++) {
        struct sim_flow_result r = sim_flow_result(o->sim, i);
        struct scn_flow flow = scn_flow_at(&o->s, i);
        struct share *s = &shares[flow.group];
        if (!model_is_finite(flow.bytes)) {
            continue;
        }
        s->n++;
        s->n_started += r.started_ps >= 0;
        s->n_measured += outcome_flow_is_measured(o, i);
        s->n_finished += r.received_bytes == flow.bytes;
    }
    return shares;
}

static void
warn_of_warm_up(const struct scn_workload *w, struct weir_text *text)
{
    weir_text_add(
        text,
        "%sworkload %s starts all of its flows in the warm-up, so none is measured. Use a "
        "shorter run.warm_up, or a later start.",
        text->len ? " " : "", w->name);
}

static const char *
advice(const struct outcome *o)
{
    return o->deadlock.stands     ? ". The network is in a deadlock."
           : outcome_is_silent(o) ? ". The network is blocked."
                                  : ". Use a longer run.time.";
}

/* Warns that the run ends too early, unless no flow makes progress any more: then a longer run does
 * not help. */
static void
warn_of_end(const struct outcome *o, const struct scn_workload *w, const struct share *s,
            struct weir_text *text)
{
    weir_text_add(text, "%sthe run ends before workload %s is done: %u of %u flows finished",
                  text->len ? " " : "", w->name, s->n_finished, s->n);
    if (s->n_started < s->n) {
        weir_text_add(text, ", %u never started", s->n - s->n_started);
    }
    weir_text_add(text, "%s", advice(o));
}

/* The same for a job; ranks that cannot go on are a violation. */
static void
warn_of_ranks(const struct outcome *o, size_t workload, struct weir_text *text)
{
    uint64_t n_ranks, n_left = job_facts_n_unfinished(o, workload, &n_ranks);

    if (n_left && !o->stuck.len) {
        weir_text_add(text, "%sthe run ends before workload %s is done: %u of %u ranks finished%s",
                      text->len ? " " : "", o->s.workloads[workload].name, n_ranks - n_left,
                      n_ranks, advice(o));
    }
}

void
short_workloads_warn(const struct outcome *o, struct weir_text *text)
{
    struct share *shares = count_flows(o);

    for (size_t i = 0; i < o->s.n_workloads && !o->is_stopped; i++) {
        const struct scn_workload *w = &o->s.workloads[i];
        const struct share *s = &shares[i + 1];
        if (s->n && s->n_started == s->n && !s->n_measured) {
            warn_of_warm_up(w, text);
        }
        if (s->n_finished < s->n && scn_workload_is_one_job(&o->s, i)) {
            warn_of_end(o, w, s, text);
        }
        warn_of_ranks(o, i, text);
    }
    free(shares);
}
