/* Shows hosts that did not drain received packets, and pause storms, with their times and
 * effects. */

#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/run.h"

enum { MAX_SHOWN = 8 };

static const char *const indent = "              ";

static const char *
time_text(struct weir_text *t, weir_ps at_ps)
{
    return run_text(t, "%t", (uint64_t)at_ps);
}

/* Stalls of hosts. */

/* Shows for how long links to a host were paused, in the classes that it did not drain. */
static void
show_paused_links(const struct outcome *o, const struct model_stall *s)
{
    const struct topo *t = &o->s.topo;
    struct weir_text at;

    for (uint32_t port = 0; port < t->n_ports; port++) {
        bool leads_there =
            t->ports[port].peer != TOPO_NONE && t->ports[t->ports[port].peer].node == s->node;
        for (uint8_t cls = 0; leads_there && cls < o->s.wire.classes; cls++) {
            weir_ps now = sim_now(o->sim);
            struct sim_gate_state gate = sim_gate_state(o->sim, port, cls, now);
            if (s->classes >> cls & 1 && gate.paused_ps) {
                printf("; %s was paused %.1f %% of the run", run_place_text(&at, o, port, cls),
                       100 * (double)gate.paused_ps / (double)now);
            }
        }
    }
}

/* Shows queues that are blocked at the end because a host does not drain packets, directly or
 * through other queues. */
static void
show_standing(const struct outcome *o)
{
    struct weir_text at;
    size_t n = 0;

    for (uint32_t port = 0; port < o->s.topo.n_ports; port++) {
        for (uint8_t cls = 0; cls < o->s.wire.classes; cls++) {
            if (!sim_gate_state(o->sim, port, cls, sim_now(o->sim)).is_paused) {
                continue;
            }
            if (n < MAX_SHOWN) {
                printf("%s %s", n ? ";" : "paused         at the end of the run:",
                       run_place_text(&at, o, port, cls));
            }
            n++;
        }
    }
    if (n > MAX_SHOWN) {
        printf("; and %zu more", n - MAX_SHOWN);
    }
    printf("%s", n ? "\n" : "");
}

/* Writes " of class 3", if only packets of one class are blocked. */
static const char *
class_text(struct weir_text *t, uint8_t classes)
{
    *t = (struct weir_text){ 0 };
    for (uint8_t cls = 0; cls < WEIR_MAX_CLASSES; cls++) {
        if (classes == 1 << cls) {
            weir_text_add(t, " of class %u", (uint64_t)cls);
        }
    }
    return t->s;
}

void
run_show_stalls(const struct outcome *o)
{
    const struct model *model = sim_model(o->sim);
    struct weir_text from, until, of;

    for (uint32_t i = 0; i < model->n_stalls && i < MAX_SHOWN; i++) {
        const struct model_stall *s = &model->stalls[i];
        bool goes_on = s->until_ps >= sim_now(o->sim);
        printf("%s %s drained nothing%s from %s to %s", i ? indent : "stalled       ",
               o->s.topo.nodes[s->node].name, class_text(&of, s->classes),
               time_text(&from, s->from_ps),
               goes_on ? "the end of the run" : time_text(&until, s->until_ps));
        show_paused_links(o, s);
        printf("\n");
    }
    if (model->n_stalls > MAX_SHOWN) {
        printf("%s and %u more stalls\n", indent, model->n_stalls - MAX_SHOWN);
    }
    if (model->n_stalls) {
        show_standing(o);
    }
}

/* Pause storms. */

static void
show_storms(const struct outcome *o, const struct run_stormy *q)
{
    const struct sim_storms *s = &q->storms;
    struct weir_text at, first, ended;

    printf("%s %s: %llu storm%s, the first at %s, ", indent,
           run_place_text(&at, o, q->port, q->cls), (unsigned long long)s->n_storms,
           value_plural(s->n_storms), time_text(&first, s->first_ps));
    printf(s->is_storm ? "the last goes on at the end" : "the last was over at %s",
           time_text(&ended, s->ended_ps));
    printf("; %llu packet%s dropped there\n", (unsigned long long)s->n_dropped,
           value_plural(s->n_dropped));
}

static const struct column storm_columns[] = {
    { "n_storms", COLUMN_COUNT, .offset = offsetof(struct sim_storms, n_storms) },
    { "n_restored", COLUMN_COUNT, .offset = offsetof(struct sim_storms, n_restored) },
    { "n_dropped_watchdog", COLUMN_COUNT, .offset = offsetof(struct sim_storms, n_dropped) },
    { "first_ps", COLUMN_TIME, .offset = offsetof(struct sim_storms, first_ps) },
    { "ended_ps", COLUMN_TIME, .offset = offsetof(struct sim_storms, ended_ps) },
};

enum { N_STORM_COLUMNS = sizeof storm_columns / sizeof *storm_columns };

void
run_write_watchdog(struct json *j, const struct outcome *o)
{
    struct run_stormy *queues;
    size_t n = run_list_storms(o, &queues);

    json_open(j, "watchdog", '{');
    json_text(j, "action", scn_watchdog(&o->s));
    json_open(j, "queues", '[');
    for (size_t i = 0; i < n && i < RUN_MAX_ROWS; i++) {
        json_open(j, NULL, '{');
        run_place_write(j, o, queues[i].port, queues[i].cls);
        columns_write_json(j, storm_columns, N_STORM_COLUMNS, &queues[i].storms);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
    free(queues);
}

void
run_show_watchdog(const struct outcome *o)
{
    const struct sim_totals *t = &o->totals;
    struct run_stormy *queues;
    size_t n = run_list_storms(o, &queues), n_shown = n < MAX_SHOWN ? n : MAX_SHOWN;

    if (model_asks_for_watchdog(sim_model(o->sim))) {
        printf("watchdog       %s; storms: %llu, restored: %llu\n", scn_watchdog(&o->s),
               (unsigned long long)t->n_storms, (unsigned long long)t->n_restored);
        for (size_t i = 0; i < n_shown; i++) {
            show_storms(o, &queues[i]);
        }
        if (n > n_shown) {
            printf("%s and %zu more queues\n", indent, n - n_shown);
        }
    }
    free(queues);
}
