/* Finds the busiest link and the one that was paused longest, from the counters of a run. */

#include "report/hotspots.h"

#include <string.h>

#include "answer/signals.h"

static void
add_sent(struct rep_hotspots *b, const struct rec_port *port, const struct rec_counter *c,
         double run_s)
{
    double share = port->rate_bps ? (double)c->value * 8 / ((double)port->rate_bps * run_s) : 0;

    if (share > b->sent_share) {
        b->sent_share = share;
        b->sending = c->object_id;
    }
}

/* Counts the ports that were paused, and finds the one paused longest. The counters of a port
 * follow each other, class by class. */
static void
add_paused(struct rep_hotspots *b, const struct rec_counter *c, double run_s, uint32_t *last)
{
    double share = (double)c->value / WEIR_PS_PER_S / run_s;

    b->n_paused += c->value && c->object_id != *last;
    *last = c->value ? c->object_id : *last;
    if (share > b->paused_share) {
        b->paused_share = share;
        b->paused = c->object_id;
        b->paused_class = c->cls;
    }
}

static const enum signal_id schemes[] = { SIGNAL_PFC_PAUSES, SIGNAL_FAFC_PAUSES };

enum { N_SCHEMES = sizeof schemes / sizeof *schemes };

static void
count_pauses(struct rep_hotspots *b, const struct rec_rows *counters)
{
    for (size_t i = 0; i < N_SCHEMES; i++) {
        b->n_pauses[i] = REC_NONE;
    }
    for (size_t i = 0; i < counters->n; i++) {
        const struct rec_counter *c = rec_row(counters, REC_COUNTER, i);
        bool is_it =
            !strcmp(c->object, "port") && c->object_id == b->paused && c->cls == b->paused_class;
        for (size_t k = 0; is_it && k < N_SCHEMES; k++) {
            if (!strcmp(c->name, signal_name(schemes[k]))) {
                b->n_pauses[k] = c->value;
            }
        }
    }
}

struct rep_hotspots
rep_find_hotspots(const struct rec_rows *ports, const struct rec_rows *counters, weir_ps until_ps)
{
    struct rep_hotspots b = { .sending = REC_NO_ID, .paused = REC_NO_ID };
    double run_s = (double)until_ps / WEIR_PS_PER_S;
    uint32_t last = REC_NO_ID;

    for (size_t i = 0; until_ps > 0 && i < counters->n; i++) {
        const struct rec_counter *c = rec_row(counters, REC_COUNTER, i);
        if (strcmp(c->object, "port") || c->object_id >= ports->n || c->value == REC_NONE) {
            continue;
        }
        if (!strcmp(c->name, "sent_bytes")) {
            add_sent(&b, rec_row(ports, REC_PORT, c->object_id), c, run_s);
        } else if (!strcmp(c->name, "paused_ps")) {
            add_paused(&b, c, run_s, &last);
        }
    }
    count_pauses(&b, counters);
    return b;
}

void
rep_hotspots_write(struct json *j, const char *key, const struct rep_hotspots *b)
{
    json_open(j, key, '{');
    if (b->sending != REC_NO_ID) {
        json_open(j, "link", '{');
        json_number(j, "port", b->sending);
        json_real(j, "share", b->sent_share, 4);
        json_close(j, '}');
    }
    if (b->paused != REC_NO_ID) {
        json_open(j, "paused", '{');
        json_number(j, "port", b->paused);
        json_number(j, "class", b->paused_class);
        for (size_t i = 0; i < N_SCHEMES; i++) {
            json_maybe(j, signal_name(schemes[i]), b->n_pauses[i] != REC_NONE, b->n_pauses[i]);
        }
        json_real(j, "share", b->paused_share, 4);
        json_number(j, "n_ports", b->n_paused);
        json_close(j, '}');
    }
    json_close(j, '}');
}
