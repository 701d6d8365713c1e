/* Queues of a run and the gates that send into and out of them, and how long links were paused. */

#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/run.h"
#include "run/signals.h"

enum { MAX_SHOWN_QUEUES = 8 };

/* The gate that sends into a queue, or out of it: what engines of this run can do to it. */
struct gate_column {
    const char *head;
    int width;
    bool is_shown;
};

enum { GATE_PFC, GATE_FAFC, GATE_PAUSED, GATE_RATE, N_GATE };

static void
find_gate_columns(const struct outcome *o, struct gate_column *columns)
{
    const struct model *p = sim_model(o->sim);

    columns[GATE_PFC] = (struct gate_column){ signals[SIGNAL_PFC_PAUSES].head, 12,
                                              signal_is_possible(p, SIGNAL_PFC_PAUSES) };
    columns[GATE_FAFC] = (struct gate_column){ signals[SIGNAL_FAFC_PAUSES].head, 12,
                                               signal_is_possible(p, SIGNAL_FAFC_PAUSES) };
    columns[GATE_PAUSED] = (struct gate_column){ "paused", 9, peers_can_pause(p) };
    columns[GATE_RATE] =
        (struct gate_column){ "lowest rate", 12, signal_is_possible(p, SIGNAL_RATES) };
}

static void
show_gate(const struct outcome *o, const struct sim_gate_state *g, const struct gate_column *shown)
{
    struct weir_text values[N_GATE] = { 0 };
    bool has_rate = g->least_bps != WEIR_UNLIMITED;

    weir_text_add(&values[GATE_PFC], "%u", g->n_pfc_pauses);
    weir_text_add(&values[GATE_FAFC], "%u", g->n_fafc_pauses);
    values[GATE_PAUSED].len =
        (uint32_t)snprintf(values[GATE_PAUSED].s, sizeof values->s, "%.1f %%",
                           100.0 * (double)g->paused_ps / (double)sim_now(o->sim));
    weir_text_add(&values[GATE_RATE], has_rate ? "%R" : "-", value_rounded(g->least_bps));
    for (size_t i = 0; i < N_GATE; i++) {
        if (shown[i].is_shown) {
            printf(" %*s", shown[i].width, values[i].s);
        }
    }
    printf("\n");
}

static void
show_queue(const struct outcome *o, const struct run_queue *q, const char *way,
           const struct gate_column *shown)
{
    struct weir_text a, b;
    char name[64], cls[16] = "";

    if (o->s.wire.classes > 1) {
        snprintf(cls, sizeof cls, ", %u", q->cls);
    }
    snprintf(name, sizeof name, "%s %s %s%s", run_node_name(o, q->port), way,
             run_node_name(o, o->s.topo.ports[q->port].peer), cls);
    printf("%-14s %12s %12s", name, run_text(&a, "%B", value_rounded(q->peak_bytes)),
           run_text(&b, "%B", value_rounded(q->bytes)));
    show_gate(o, &q->gate, shown);
}

/* Shows the queues at one side of switches.  An input queue is shown with the gate of the peer that
 * fills it, an output queue with the gate of its own port. */
static void
show_side(const struct outcome *o, const char *title, const char *way,
          size_t (*list)(const struct outcome *, struct run_queue **))
{
    struct run_queue *queues;
    size_t n = list(o, &queues);
    struct gate_column shown[N_GATE];
    char head[32];

    find_gate_columns(o, shown);
    snprintf(head, sizeof head, o->s.wire.classes > 1 ? "%s, class" : "%s", title);
    printf("\n%-14s %12s %12s", head, "peak", "at the end");
    for (size_t i = 0; i < N_GATE; i++) {
        if (shown[i].is_shown) {
            printf(" %*s", shown[i].width, shown[i].head);
        }
    }
    printf("\n");
    for (size_t i = 0; i < n && i < MAX_SHOWN_QUEUES; i++) {
        show_queue(o, &queues[i], way, shown);
    }
    free(queues);
}

void
run_show_queues(const struct outcome *o)
{
    show_side(o, "input queue", "from", run_list_queues);
    show_side(o, "output queue", "to", run_list_outputs);
}

/* "time paused    2.36ms over all links; most: S1 to L1, 526us, 26.3 % of the run" */
void
run_show_backpressure(const struct outcome *o, const struct run_facts *f)
{
    struct weir_text in, out;

    printf("peak queues    %s at an input, %s at an output\n",
           run_text(&in, "%B", value_rounded(f->peak_input_queue_bytes)),
           run_text(&out, "%B", value_rounded(f->peak_output_queue_bytes)));
    if (f->paused_ps < 0) {
        return;
    }
    printf("time paused    %s over all links",
           f->paused_ps ? run_text(&in, "%T", value_rounded((uint64_t)f->paused_ps)) : "0");
    if (f->most_paused_link[0]) {
        printf("; most: %s", f->most_paused_link);
        if (o->s.wire.classes > 1) {
            printf(", class %llu", (unsigned long long)f->most_paused_class);
        }
        printf(", %s, %.1f %% of the run",
               run_text(&out, "%T", value_rounded((uint64_t)f->most_paused_ps)),
               100 * (double)f->most_paused_ps / (double)f->until_ps);
    }
    printf("\n");
}
