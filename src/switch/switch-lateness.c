/* Reports the lateness of a switch: the times between polls of its ports, and the response times of
 * peers, compared with the times for which its thresholds were derived.
 *
 * The time between polls is known for any switch: frames that arrive between two polls take effect
 * at the second poll. The response times are known only if engines request pauses (lab/timing.h),
 * and include the lateness of peers. */

#include <stdio.h>

#include "lab/losses.h"
#include "switch/running.h"

/* Warns that the switch ran out of frames.  A late switch holds more frames, so lateness may be the
 * cause. */
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
                                 .looks = lab_polls_of(model, r->node, &counts),
                                 .tau = lab_tau_measured(model, r->node, &counts) };

    l.n_warnings += lab_polls_are_rare(l.node, &l.looks, &l.warnings[l.n_warnings]);
    l.n_warnings += l.tau.n && lab_tau_is_long(l.node, &l.tau, &l.warnings[l.n_warnings]);
    l.n_warnings += ran_out_of_frames(r, &counts, &l.warnings[l.n_warnings]);
    return l;
}

/* Lateness in words. */

static void
write_polls_text(FILE *out, const struct lab_delays *looks)
{
    struct weir_text text = { 0 };

    lab_delays_words(looks, &text);
    if (looks->derived_ps != WEIR_NEVER) {
        weir_text_add(&text, "; thresholds were derived for a response within %t",
                      lab_rounded_ps(looks->derived_ps));
    }
    fprintf(out, "time between two polls of the ports: %s\n", text.s);
}

void
switch_lateness_write_text(FILE *out, const struct switch_lateness *l)
{
    struct weir_text text;

    if (l->looks.n) {
        write_polls_text(out, &l->looks);
    }
    if (l->tau.n) {
        lab_tau_words(l->node, &l->tau, &text);
        fprintf(out, "tau %s\n", text.s);
    }
    for (size_t i = 0; i < l->n_warnings; i++) {
        fprintf(out, "warning: %s\n", l->warnings[i].s);
    }
}

/* Lateness as JSON. */

static void
write_delays(struct json *j, const char *key, const char *n_key, const struct lab_delays *d)
{
    json_open(j, key, '{');
    json_number(j, n_key, d->n);
    json_number(j, "p50_ps", (uint64_t)d->p50_ps);
    json_number(j, "p99_ps", (uint64_t)d->p99_ps);
    json_number(j, "max_ps", (uint64_t)d->most_ps);
    json_maybe(j, "derived_ps", d->derived_ps != WEIR_NEVER, (uint64_t)d->derived_ps);
    json_close(j, '}');
}

void
switch_lateness_write_json(struct json *j, const struct switch_lateness *l)
{
    write_delays(j, "between_looks", "looks", &l->looks);
    if (l->tau.n) {
        write_delays(j, "tau", "pauses", &l->tau);
    } else {
        json_null(j, "tau");
    }
    json_open(j, "warnings", '[');
    for (size_t i = 0; i < l->n_warnings; i++) {
        json_text(j, NULL, l->warnings[i].s);
    }
    json_close(j, ']');
}
