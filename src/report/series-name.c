/* Names series by their nodes, links and flows. Adds numbers to flows that have the same name. */

#include "report/series-name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Names of flows. */

static const struct rec_flow *
flow_row(const struct rec_rows *flows, size_t i)
{
    return rec_row(flows, REC_FLOW, i);
}

static int
by_name(const void *a, const void *b)
{
    const struct rec_flow *x = *(const struct rec_flow *const *)a,
                          *y = *(const struct rec_flow *const *)b;
    return strcmp(x->name, y->name);
}

struct rep_flow_names
rep_flow_names_of(const struct rec_rows *flows)
{
    struct rep_flow_names names = { .flows = flows,
                                    .is_shared = array_new(flows->n, sizeof *names.is_shared) };
    const struct rec_flow **sorted = array_new(flows->n, sizeof *sorted);

    for (size_t i = 0; i < flows->n; i++) {
        sorted[i] = flow_row(flows, i);
    }
    array_sort(sorted, flows->n, sizeof *sorted, by_name);
    for (size_t i = 1; i < flows->n; i++) {
        if (!by_name(&sorted[i - 1], &sorted[i])) {
            names.is_shared[sorted[i - 1] - flow_row(flows, 0)] = true;
            names.is_shared[sorted[i] - flow_row(flows, 0)] = true;
        }
    }
    free(sorted);
    return names;
}

void
rep_flow_names_free(struct rep_flow_names *names)
{
    free(names->is_shared);
    *names = (struct rep_flow_names){ 0 };
}

const char *
rep_flow_name(const struct rep_flow_names *names, uint32_t flow, char room[REP_FLOW_BYTES])
{
    if (flow >= names->flows->n) {
        snprintf(room, REP_FLOW_BYTES, "#%u", flow);
        return room;
    }
    const char *name = flow_row(names->flows, flow)->name;
    if (names->is_shared[flow]) {
        snprintf(room, REP_FLOW_BYTES, "%.140s #%u", name, flow);
    } else {
        snprintf(room, REP_FLOW_BYTES, "%s", name);
    }
    return room;
}

/* Names of all series of a run. */

struct rep_places
rep_places_of(const struct rec_rows *nodes, const struct rec_rows *ports,
              const struct rec_rows *flows, const struct rec_rows *series)
{
    struct rep_places places = { rep_port_names_of(nodes, ports), rep_flow_names_of(flows), false };
    uint32_t first = REC_NO_ID;

    for (size_t i = 0; i < series->n; i++) {
        uint32_t cls = ((const struct rec_series *)rec_row(series, REC_SERIES, i))->cls;
        first = first == REC_NO_ID ? cls : first;
        places.has_classes |= cls != REC_NO_ID && cls != first;
    }
    return places;
}

void
rep_places_free(struct rep_places *p)
{
    rep_port_names_free(&p->ports);
    rep_flow_names_free(&p->flows);
}

/* Names of a single series. */

/* Whether a quantity of a port is of its input; all others are of its output. */
static bool
is_of_input(const char *quantity)
{
    return !strcmp(quantity, "queue") || !strcmp(quantity, "held");
}

static void
place_port(const struct rep_places *p, const struct rec_series *s, char room[REP_PLACE_BYTES])
{
    char port[REP_PORT_BYTES], peer[REP_PORT_BYTES];

    rep_port_name(&p->ports, s->object_id, port);
    if (s->object_id >= p->ports.ports->n) {
        snprintf(room, REP_PLACE_BYTES, "%s", port);
        return;
    }
    snprintf(room, REP_PLACE_BYTES, "%s %s %s", port, is_of_input(s->quantity) ? "from" : "to",
             rep_peer_name(&p->ports, s->object_id, peer));
}

static void
add_flow_and_class(const struct rep_places *p, const struct rec_series *s,
                   char room[REP_PLACE_BYTES])
{
    size_t len = strlen(room);
    char name[REP_FLOW_BYTES];

    if (s->flow != REC_NO_ID) {
        len += (size_t)snprintf(room + len, REP_PLACE_BYTES - len, " of flow %s",
                                rep_flow_name(&p->flows, s->flow, name));
    }
    if (p->has_classes && s->cls != REC_NO_ID && len < REP_PLACE_BYTES) {
        snprintf(room + len, REP_PLACE_BYTES - len, ", class %u", s->cls);
    }
}

void
rep_series_place(const struct rep_places *p, const struct rec_series *s, char room[REP_PLACE_BYTES])
{
    char name[REP_PORT_BYTES], flow[REP_FLOW_BYTES];

    if (!strcmp(s->object, "port")) {
        place_port(p, s, room);
    } else if (!strcmp(s->object, "flow")) {
        snprintf(room, REP_PLACE_BYTES, "flow %s", rep_flow_name(&p->flows, s->object_id, flow));
    } else if (!strcmp(s->object, "node")) {
        snprintf(room, REP_PLACE_BYTES, "%s", rep_node_name(&p->ports, s->object_id, name));
    } else {
        snprintf(room, REP_PLACE_BYTES, "%s %u", s->object, s->object_id);
    }
    add_flow_and_class(p, s, room);
}

void
rep_series_name(const struct rep_places *p, const struct rec_series *s, char room[REP_SERIES_BYTES])
{
    char place[REP_PLACE_BYTES];

    rep_series_place(p, s, place);
    snprintf(room, REP_SERIES_BYTES, "%.80s %s", s->quantity, place);
}
