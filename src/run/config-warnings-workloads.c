/* Warnings about workloads before a run: workloads without flows, and workloads that offer more
 * load than the links of hosts can carry. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "run/config-warnings.h"

/* Adds the location of a workload, such as "flows.yaml:4:5: ". */
static void
add_place(const struct scenario *s, const struct scn_workload *w, struct weir_text *text)
{
    const char *path = s->paths[w->place.source];

    if (text->len) {
        weir_text_add(text, "; ");
    }
    if (w->place.line) {
        weir_text_add(text, "%s:%u:%u: ", path, (uint64_t)w->place.line, (uint64_t)w->column);
    } else {
        weir_text_add(text, "%s: ", path);
    }
}

void
warnings_of_idle_workloads(const struct scenario *s, const struct model *p, struct weir_text *text)
{
    uint64_t *n_drawn = array_new(s->n_workloads + 1, sizeof *n_drawn);

    (void)p;
    for (size_t i = 0; i < s->n_flows; i++) {
        n_drawn[scn_flow_at(s, i).group]++;
    }
    for (size_t i = 0; i < s->n_workloads; i++) {
        if (!n_drawn[i + 1]) {
            add_place(s, &s->workloads[i], text);
            weir_text_add(text,
                          "workload %s draws no flow before its end. Use a longer run.time, or "
                          "more or smaller flows.",
                          s->workloads[i].name);
        }
    }
    free(n_drawn);
}

/* Loads. */

/* Each load is a fixed-point ratio that may be rounded up, so a small excess is ignored. */
static bool
is_too_much(const struct scenario *s, uint64_t load)
{
    return load > WEIR_RATIO_1 + s->n_workloads;
}

/* Rounds to the nearest percent, but never shows an excessive load as 100. */
static uint64_t
per_cent(uint64_t load)
{
    uint64_t nearest = (load * 100 + WEIR_RATIO_1 / 2) / WEIR_RATIO_1;
    return nearest > 100 ? nearest : 101;
}

static const char too_much[] =
    " of what the link of a host can carry: flows pile up at hosts, and the longer the run, the "
    "slower they are";

/* Adds the load that a workload offers to the link of each of its hosts. */
static void
add_to_hosts(const struct scenario *s, const struct scn_workload *w, uint64_t load, uint64_t *sums)
{
    for (uint32_t i = 0; i < (w->hosts ? w->n_hosts : s->topo.n_nics); i++) {
        sums[w->hosts ? w->hosts[i] - s->topo.n_switches : i] += load;
    }
}

/* The maximum load offered to any host when this workload starts. */
static uint64_t
load_at_start(const struct scenario *s, weir_ps at_ps)
{
    uint64_t *sums = array_new(s->topo.n_nics, sizeof *sums), most = 0;
    weir_ps until_ps;

    for (size_t i = 0; i < s->n_workloads; i++) {
        uint64_t load = scn_workload_load(s, i, &until_ps);
        if ((weir_ps)s->workloads[i].start_ps <= at_ps && at_ps < until_ps) {
            add_to_hosts(s, &s->workloads[i], load, sums);
        }
    }
    for (uint32_t i = 0; i < s->topo.n_nics; i++) {
        most = sums[i] > most ? sums[i] : most;
    }
    free(sums);
    return most;
}

/* Warns of each workload that by itself offers too much load. If there is none, warns of the first
 * workload at whose start the total load is too high. */
void
warnings_of_load(const struct scenario *s, const struct model *p, struct weir_text *text)
{
    weir_ps until_ps;

    (void)p;
    for (size_t i = 0; i < s->n_workloads; i++) {
        uint64_t load = scn_workload_load(s, i, &until_ps);
        if (is_too_much(s, load)) {
            add_place(s, &s->workloads[i], text);
            weir_text_add(text, "workload %s offers %u %%%s", s->workloads[i].name, per_cent(load),
                          too_much);
        }
    }
    for (size_t i = 0; i < s->n_workloads && !text->len; i++) {
        uint64_t load = load_at_start(s, (weir_ps)s->workloads[i].start_ps);
        if (is_too_much(s, load)) {
            add_place(s, &s->workloads[i], text);
            weir_text_add(text, "when workload %s starts, workloads together offer %u %%%s",
                          s->workloads[i].name, per_cent(load), too_much);
        }
    }
}
