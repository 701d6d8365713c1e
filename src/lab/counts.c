/* Counters of a lab for a node, by name. */

#include "lab/counts.h"

#include "lab/tau.h"

/* Tau of two kinds, which do not compare: each under its own name, where it is known. */
struct tau_names {
    const char *p50, *p99, *most;
};

static const struct tau_names measured_names = { "lab.tau_measured_p50_ps",
                                                 "lab.tau_measured_p99_ps",
                                                 "lab.tau_measured_most_ps" };
static const struct tau_names estimated_names = { "lab.tau_estimated_p50_ps",
                                                  "lab.tau_estimated_p99_ps",
                                                  "lab.tau_estimated_most_ps" };

static void
count_tau(struct outcome *o, uint32_t node, const struct tau_names *names, const struct lab_tau *t)
{
    if (t->n) {
        outcome_count(o, node, names->p50, (uint64_t)t->p50_ps);
        outcome_count(o, node, names->p99, (uint64_t)t->p99_ps);
        outcome_count(o, node, names->most, (uint64_t)t->most_ps);
    }
}

/* Hosts have no thresholds to reach. */
static void
count_taus(struct outcome *o, uint32_t node, const struct dp_counts *all)
{
    struct lab_tau known = lab_tau_of(sim_model(o->sim), node, all);
    struct lab_tau measured = lab_tau_measured(sim_model(o->sim), node, all);
    struct lab_tau estimated = lab_tau_estimated(sim_model(o->sim), node, all);

    if (o->s.topo.nodes[node].kind == TOPO_SWITCH) {
        outcome_count(o, node, "lab.tau_derived_ps", (uint64_t)known.derived_ps);
        count_tau(o, node, &measured_names, &measured);
        count_tau(o, node, &estimated_names, &estimated);
    }
}

void
lab_count_node(struct outcome *o, uint32_t node, const struct dp_counts *all)
{
    const struct dp_counts *c = &all[node];
    const struct {
        const char *name;
        uint64_t value;
    } counters[] = {
        { "lab.late_p50_ps", (uint64_t)lab_lateness_at(&c->frames, 0.5) },
        { "lab.late_p99_ps", (uint64_t)lab_lateness_at(&c->frames, 0.99) },
        { "lab.late_most_ps", (uint64_t)c->frames.most_ps },
        { "lab.polls_p50_ps", (uint64_t)lab_lateness_at(&c->polls, 0.5) },
        { "lab.polls_p99_ps", (uint64_t)lab_lateness_at(&c->polls, 0.99) },
        { "lab.polls_most_ps", (uint64_t)c->polls.most_ps },
        { "lab.n_sent", c->n_sent },
        { "lab.n_received", c->n_received },
        { "lab.n_refused", c->n_refused },
        { "lab.n_without_memory", c->n_without_memory },
        { "lab.n_missed", c->n_missed },
    };

    count_taus(o, node, all);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        outcome_count(o, node, counters[i].name, counters[i].value);
    }
    for (size_t i = 0; i < DP_N_WHATS; i++) {
        outcome_count(o, node, dp_whats[i].counter, c->n_whats[i]);
    }
}
