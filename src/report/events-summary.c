/* Counts the problems of a run, event by event. */

#include "report/events-summary.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"

/* The kinds of events that are problems, by their names in results files. */
static const char *const kinds[REP_N_KINDS] = { "storm", "restored", "discard",  "flush",  "stall",
                                                "drain", "drop",     "overflow", "expire", "loss" };

static void
merge_bins(struct rep_event_counts *h)
{
    for (uint32_t i = 0; i < REP_N_BINS; i++) {
        bool is_there = i < REP_N_BINS / 2;
        h->bins[i] = is_there ? h->bins[2 * i] + h->bins[2 * i + 1] : 0;
    }
    h->bin_ps *= 2;
}

static void
add(struct rep_event_counts *h, uint32_t n_ports, const struct rec_event *e)
{
    h->first_ps = !h->n || e->at_ps < h->first_ps ? e->at_ps : h->first_ps;
    h->last_ps = !h->n || e->at_ps > h->last_ps ? e->at_ps : h->last_ps;
    h->n++;
    if (e->port < n_ports) { /* The port may be out of range, because the file is not trusted. */
        h->n_at[e->port]++;
    }
    while (e->at_ps / h->bin_ps >= REP_N_BINS) {
        merge_bins(h);
    }
    h->bins[e->at_ps / h->bin_ps]++;
}

/* Writes an SQL condition: "kind IN ('storm', ...)". */
static void
write_condition(char *to, size_t size)
{
    size_t n = (size_t)snprintf(to, size, "kind IN (");

    for (size_t kind = 0; kind < REP_N_KINDS; kind++) {
        n += (size_t)snprintf(to + n, size - n, "%s'%s'", kind ? ", " : "", kinds[kind]);
    }
    snprintf(to + n, size - n, ")");
}

static void
take_event(void *arg, const void *row)
{
    struct rep_events_summary *h = arg;
    const struct rec_event *e = row;

    add(&h->of[text_find(e->kind, kinds, sizeof *kinds, REP_N_KINDS)], h->n_ports, e);
}

bool
rep_events_summary_read(struct rep_events_summary *h, struct rec_file *file, uint64_t run,
                        uint32_t n_ports, struct err *err)
{
    char condition[200];

    *h = (struct rep_events_summary){ .n_ports = n_ports };
    for (size_t kind = 0; kind < REP_N_KINDS; kind++) {
        h->of[kind].n_at = array_new(n_ports, sizeof(uint64_t));
        h->of[kind].bin_ps = 1;
    }
    write_condition(condition, sizeof condition);
    bool good = rec_read_each(file, REC_EVENT, run, condition, take_event, h, err);
    if (!good) {
        rep_events_summary_free(h);
    }
    return good;
}

void
rep_events_summary_free(struct rep_events_summary *h)
{
    for (size_t kind = 0; kind < REP_N_KINDS; kind++) {
        free(h->of[kind].n_at);
    }
    *h = (struct rep_events_summary){ 0 };
}

static void
write_places(struct json *j, const struct rep_event_counts *h, uint32_t n_ports)
{
    uint64_t n_there = 0;
    uint32_t n_places = 0, port = 0;

    for (uint32_t i = 0; i < n_ports; i++) {
        n_places += h->n_at[i] > 0;
        port = h->n_at[i] > n_there ? i : port;
        n_there = h->n_at[port];
    }
    json_number(j, "n_ports", n_places);
    if (n_places) {
        json_number(j, "port", port);
        json_number(j, "n_there", n_there);
    }
}

static void
write_bins(struct json *j, const struct rep_event_counts *h)
{
    json_number(j, "bin_ps", (uint64_t)h->bin_ps);
    json_open(j, "bins", '[');
    for (weir_ps i = 0; i <= h->last_ps / h->bin_ps; i++) {
        json_number(j, NULL, h->bins[i]);
    }
    json_close(j, ']');
}

void
rep_events_summary_write(struct json *j, const char *key, const struct rep_events_summary *all)
{
    json_open(j, key, '[');
    for (size_t kind = 0; kind < REP_N_KINDS; kind++) {
        const struct rep_event_counts *h = &all->of[kind];
        if (!h->n) {
            continue;
        }
        json_open(j, NULL, '{');
        json_text(j, "kind", kinds[kind]);
        json_number(j, "n", h->n);
        json_number(j, "first_ps", (uint64_t)h->first_ps);
        json_number(j, "last_ps", (uint64_t)h->last_ps);
        write_places(j, h, all->n_ports);
        write_bins(j, h);
        json_close(j, '}');
    }
    json_close(j, ']');
}
