/* Prints events of a lab as text. */

#include "lab/words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/core-count.h"
#include "lab/capacity.h"
#include "lab/timing.h"
#include "topo/port-names.h"

static const char *
time_text(weir_ps at, struct weir_text *room)
{
    *room = (struct weir_text){ 0 };
    weir_text_add(room, "%t", lab_rounded_ps(at));
    return room->s;
}

/* Reports a line with the time of the event, unless the time is WEIR_NEVER. */
static void print_line(const struct lab_words *, weir_ps now, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void
print_line(const struct lab_words *w, weir_ps now, const char *format, ...)
{
    char *line = NULL;
    size_t len;
    FILE *out = open_memstream(&line, &len);
    struct weir_text time;
    va_list args;

    if (now != WEIR_NEVER) {
        fprintf(out, "at %s: ", time_text(now, &time));
    }
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    fclose(out);
    if (w->listener) {
        w->listener->report(w->listener->arg, line);
    }
    free(line);
}

void
lab_words_of_start(struct lab_words *w, uint32_t n_processes)
{
    struct weir_text fast;

    lab_pace_warn(&w->scenario->topo, core_count(), &fast);
    if (fast.len) {
        print_line(w, WEIR_NEVER, "warning: %s", fast.s);
    }
    print_line(w, WEIR_NEVER, "%" PRIu32 " processes are ready, one for each node; the run begins",
               n_processes);
}

/* Deadlocks. */

static void
report_cycle(const struct lab_words *w, const struct sim *sim, const struct sim_deadlock *d)
{
    const struct topo *t = &w->scenario->topo;
    struct weir_text since;
    char *ring = NULL, port[TOPO_PORT_BYTES];
    size_t len;
    FILE *out = open_memstream(&ring, &len);

    for (uint32_t i = 0; i < d->n_cycle; i++) {
        fprintf(out, "%s waits for ", topo_port_text(t, d->cycle[i].port, port));
    }
    fprintf(out, "%s", topo_port_text(t, d->cycle[0].port, port));
    fclose(out);
    print_line(w, sim_now(sim), "deadlock since %s: %s", time_text(d->formed_ps, &since), ring);
    free(ring);
}

static void
report_deadlocks(struct lab_words *w, const struct sim *sim)
{
    struct sim_deadlock d = sim_deadlock(sim);

    if (d.n_formed > w->n_formed && d.n_formed == 1) {
        report_cycle(w, sim, &d);
    } else if (d.n_formed > w->n_formed) {
        print_line(w, sim_now(sim), "deadlock again, number %" PRIu32, d.n_formed);
    } else if (w->was_standing && !d.stands) {
        print_line(w, sim_now(sim), "the watchdog has broken the deadlock");
    }
    w->n_formed = d.n_formed;
    w->was_standing = d.stands;
}

/* Watchdogs. */

static void
report_storm(struct lab_words *w, const struct sim *sim, uint32_t port, uint8_t cls)
{
    uint64_t *n_reported = &w->n_storms[port * sim_model(sim)->n_classes + cls];
    uint64_t n = sim_storms(sim, port, cls).n_storms;

    if (n > *n_reported) {
        struct topo_ends ends = topo_name_ends(&w->scenario->topo, port);
        print_line(w, sim_now(sim), "the watchdog of %s acts on its queue to %s, class %u",
                   ends.here, ends.there, cls);
    }
    *n_reported = n;
}

static void
report_storms(struct lab_words *w, const struct sim *sim)
{
    const struct model *model = sim_model(sim);
    uint32_t n_ports = (uint32_t)model->topo->n_ports;

    if (!model_asks_for_watchdog(model)) {
        return;
    }
    if (!w->n_storms) {
        w->n_storms = array_new((size_t)n_ports * model->n_classes, sizeof *w->n_storms);
    }
    for (uint32_t port = 0; port < n_ports; port++) {
        for (uint8_t cls = 0; cls < model->n_classes; cls++) {
            report_storm(w, sim, port, cls);
        }
    }
}

void
lab_words_of_round(struct lab_words *w, const struct sim *sim)
{
    report_storms(w, sim);
    report_deadlocks(w, sim);
}

void
lab_words_free(struct lab_words *w)
{
    free(w->n_storms);
}
