/* How late a switch was: how long it did not look at its ports, and how long peers took to stop
 * once it had asked them to, compared with the times that its thresholds were derived for.
 *
 * The first is known of any switch: what comes between two looks takes effect at the second.  The
 * second only where engines ask for pauses (lab/tau.h); it has the lateness of peers in it, too. */

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "lab/looks.h"
#include "lab/unheld.h"
#include "switch/running.h"

/* Only this node has counted anything. */
static struct lab_tau
tau_of(const struct model *model, uint32_t node, const struct dp_counts *own)
{
    struct dp_counts *counts = array_new(model->topo->n_nodes, sizeof *counts);

    counts[node] = *own;
    struct lab_tau tau = lab_tau_measured(model, node, counts);
    free(counts);
    return tau;
}

/* A late switch holds more frames than others, so it may lack time rather than frames. */
static bool
ran_out_of_frames(const struct switch_running *r, const struct dp_counts *counts,
                  struct weir_text *why)
{
    uint64_t n = lab_unheld_at(dp_node_sim(r->dp), r->node);

    if (n) {
        lab_unheld_words(r->topo->nodes[r->node].name, n, counts->max_held, why);
    }
    return n > 0;
}

struct switch_lateness
switch_lateness_of(const struct switch_running *r)
{
    const struct model *model = sim_model(dp_node_sim(r->dp));
    struct dp_counts counts = dp_node_counts(r->dp);
    struct switch_lateness l = { .node = r->topo->nodes[r->node].name,
                                 .looks = counts.polls,
                                 .allowed_ps = lab_looks_allowed_ps(model, r->node),
                                 .tau = tau_of(model, r->node, &counts) };

    l.n_warnings +=
        lab_looks_are_seldom(l.node, l.looks.most_ps, l.allowed_ps, &l.warnings[l.n_warnings]);
    l.n_warnings += l.tau.n && lab_tau_is_long(l.node, &l.tau, &l.warnings[l.n_warnings]);
    l.n_warnings += ran_out_of_frames(r, &counts, &l.warnings[l.n_warnings]);
    return l;
}

/* In words. */

static void
write_looks_text(FILE *out, const struct switch_lateness *l)
{
    struct weir_text p50, p99, most, allowed;

    fprintf(out, "time between two looks at the ports: %s in the median, %s in 99 %%, %s at most",
            lab_time_text(lab_lateness_at(&l->looks, 0.5), &p50),
            lab_time_text(lab_lateness_at(&l->looks, 0.99), &p99),
            lab_time_text(l->looks.most_ps, &most));
    if (l->allowed_ps != WEIR_NEVER) {
        fprintf(out, "; thresholds were derived for a response within %s",
                lab_time_text(l->allowed_ps, &allowed));
    }
    fputc('\n', out);
}

void
switch_lateness_write_text(FILE *out, const struct switch_lateness *l)
{
    struct weir_text text;

    if (l->looks.n) {
        write_looks_text(out, l);
    }
    if (l->tau.n) {
        lab_tau_words(l->node, &l->tau, &text);
        fprintf(out, "tau %s\n", text.s);
    }
    for (size_t i = 0; i < l->n_warnings; i++) {
        fprintf(out, "warning: %s\n", l->warnings[i].s);
    }
}

/* As JSON. */

static void
write_time(struct json *j, const char *name, weir_ps ps)
{
    if (ps == WEIR_NEVER) {
        json_null(j, name);
    } else {
        json_number(j, name, (uint64_t)ps);
    }
}

static void
write_looks(struct json *j, const struct switch_lateness *l)
{
    json_open(j, "between_looks", '{');
    json_number(j, "looks", l->looks.n);
    write_time(j, "p50_ps", lab_lateness_at(&l->looks, 0.5));
    write_time(j, "p99_ps", lab_lateness_at(&l->looks, 0.99));
    write_time(j, "max_ps", l->looks.most_ps);
    write_time(j, "derived_ps", l->allowed_ps);
    json_close(j, '}');
}

static void
write_tau(struct json *j, const struct lab_tau *t)
{
    if (!t->n) {
        json_null(j, "tau");
        return;
    }
    json_open(j, "tau", '{');
    json_number(j, "pauses", t->n);
    write_time(j, "p50_ps", t->p50_ps);
    write_time(j, "p99_ps", t->p99_ps);
    write_time(j, "max_ps", t->most_ps);
    write_time(j, "derived_ps", t->derived_ps);
    json_close(j, '}');
}

void
switch_lateness_write_json(struct json *j, const struct switch_lateness *l)
{
    write_looks(j, l);
    write_tau(j, &l->tau);
    json_open(j, "warnings", '[');
    for (size_t i = 0; i < l->n_warnings; i++) {
        json_text(j, NULL, l->warnings[i].s);
    }
    json_close(j, ']');
}
