/* Tables of a results file as CSV. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/csv.h"
#include "cli/cli.h"
#include "cli/export.h"
#include "report/series-name.h"

/* Tables. */

/* Cells of a row, and behind the last what follows it. */
static void
write_cells(FILE *out, const void *row, const struct rec_table *table, char last)
{
    char room[COLUMN_CELL_BYTES];

    for (const struct column *c = table->columns; c->name; c++) {
        csv_text(out, row ? column_text(c, row, room) : c->name);
        putc(c[1].name ? ',' : last, out);
    }
}

static void
write_row(FILE *out, const void *row, const void *table)
{
    write_cells(out, row, table, '\n');
}

static int
export_plain(const struct export_job *j)
{
    const struct rec_table *table = &rec_tables[j->table];

    write_row(j->out, NULL, table);
    return export_each(j, j->table, write_row, table);
}

/* All columns but the scenario, which is a text of many lines. */
static void
write_run(FILE *out, const void *row, const void *more)
{
    const struct column *first = rec_tables[REC_RUN].columns;
    char room[COLUMN_CELL_BYTES];

    (void)more;
    for (const struct column *c = first; c->name; c++) {
        if (strcmp(c->name, "scenario")) {
            fputs(c == first ? "" : ",", out);
            csv_text(out, row ? column_text(c, row, room) : c->name);
        }
    }
    putc('\n', out);
}

int
export_runs(const struct export_job *j)
{
    write_run(j->out, NULL, NULL);
    return export_each(j, REC_RUN, write_run, NULL);
}

/* Tables whose rows are about a port and a flow have their names behind their own columns, so that
 * nobody has to join three tables to read them. */

struct named {
    const struct rec_table *table;
    size_t port_at, flow_at; /* Where in a row these ids are. */
    size_t node_at;          /* NO_NODE: the one whose port it is. */
    struct export_names names;
    struct rep_flow_names flows;
};

#define NO_NODE SIZE_MAX

static uint32_t
id_at(const void *row, size_t offset)
{
    return *(const uint32_t *)((const char *)row + offset);
}

static void
write_node_name(FILE *out, const struct export_names *names, uint32_t id, char last)
{
    const struct rec_node *node = export_node(names, id);

    csv_text(out, node ? node->name : "");
    putc(last, out);
}

static void
write_named_row(FILE *out, const void *row, const void *more)
{
    const struct named *n = more;
    const struct rec_port *port = export_port(&n->names, id_at(row, n->port_at));
    const struct rec_port *peer = port ? export_port(&n->names, port->peer) : NULL;
    uint32_t flow = id_at(row, n->flow_at);
    char room[REP_FLOW_BYTES];

    write_cells(out, row, n->table, ',');
    write_node_name(out, &n->names,
                    n->node_at != NO_NODE ? id_at(row, n->node_at)
                    : port                ? port->node
                                          : REC_NO_ID,
                    ',');
    write_node_name(out, &n->names, peer ? peer->node : REC_NO_ID, ',');
    csv_text(out, flow != REC_NO_ID ? rep_flow_name(&n->flows, flow, room) : "");
    putc('\n', out);
}

static int
export_named(const struct export_job *j, struct named *n)
{
    int code = export_names_read(&n->names, j);

    n->flows = rep_flow_names_of(&n->names.flows);
    if (code == EXIT_GOOD) {
        write_cells(j->out, NULL, n->table, ',');
        fputs("node_name,peer_name,flow_name\n", j->out);
        code = export_each(j, j->table, write_named_row, n);
    }
    rep_flow_names_free(&n->flows);
    export_names_free(&n->names);
    return code;
}

int
export_table(const struct export_job *j)
{
    struct named n = { .table = &rec_tables[j->table], .node_at = NO_NODE };

    if (j->table == REC_EVENT) {
        n.node_at = offsetof(struct rec_event, node);
        n.port_at = offsetof(struct rec_event, port);
        n.flow_at = offsetof(struct rec_event, flow);
        return export_named(j, &n);
    }
    if (j->table == REC_WAIT) {
        n.port_at = offsetof(struct rec_wait, port);
        n.flow_at = offsetof(struct rec_wait, flow);
        return export_named(j, &n);
    }
    return export_plain(j);
}

/* Series: the names of their columns, then the samples. */

/* "queue S1 from L2 [bytes]": what, where and in what. */
static void
write_series_name(FILE *out, const struct rep_places *places, const struct rec_series *s)
{
    char name[REP_SERIES_BYTES], header[REP_SERIES_BYTES + 80];

    rep_series_name(places, s, name);
    snprintf(header, sizeof header, "%s [%.70s]", name, s->unit);
    csv_text(out, header);
}

/* Chooses the columns of a frame: the time first, then those of the quantity; null: all. */
static size_t
choose_columns(const char *quantity, const struct rec_rows *series, uint32_t *columns)
{
    size_t n = 0;

    columns[n++] = 0;
    for (size_t i = 0; i < series->n; i++) {
        const struct rec_series *s = rec_row(series, REC_SERIES, i);
        if (!quantity || !strcmp(s->quantity, quantity)) {
            columns[n++] = (uint32_t)i + 1;
        }
    }
    return n;
}

static void
write_frame(FILE *out, const struct rec_frame *f, const uint32_t *columns, size_t n)
{
    for (uint32_t row = 0; row < f->n_rows; row++) {
        const uint64_t *values = f->values + (size_t)row * f->n_columns;
        for (size_t i = 0; i < n; i++) {
            fprintf(out, i ? ",%" PRIu64 : "%" PRIu64, values[columns[i]]);
        }
        putc('\n', out);
    }
}

static int
write_frames(const struct export_job *j, size_t n_series, const uint32_t *columns, size_t n)
{
    struct rec_frame f = { .n_columns = 1 + (uint32_t)n_series };
    struct err err;
    bool good;

    for (uint64_t id = 0; (good = rec_read_frame(j->file, j->parent, id, &f, &err)) && f.n_rows;
         id++) {
        write_frame(j->out, &f, columns, n);
    }
    free(f.values);
    return good ? EXIT_GOOD : cli_fail(EXIT_WORLD, "%s", err.text);
}

static int
write_samples(const struct export_job *j, const struct rec_rows *series, const uint32_t *columns,
              size_t n)
{
    struct export_names names;
    int code = export_names_read(&names, j);

    if (code == EXIT_GOOD) {
        struct rep_places places = rep_places_of(&names.nodes, &names.ports, &names.flows, series);
        fputs("at_ps", j->out);
        for (size_t i = 1; i < n; i++) {
            putc(',', j->out);
            write_series_name(j->out, &places, rec_row(series, REC_SERIES, columns[i] - 1));
        }
        putc('\n', j->out);
        rep_places_free(&places);
        code = write_frames(j, series->n, columns, n);
    }
    export_names_free(&names);
    return code;
}

static bool
is_first_of_its_quantity(const struct rec_series *all, size_t i)
{
    for (size_t earlier = 0; earlier < i; earlier++) {
        if (!strcmp(all[earlier].quantity, all[i].quantity)) {
            return false;
        }
    }
    return true;
}

static int
refuse_quantity(const char *name, const struct rec_rows *series)
{
    const struct rec_series *all = series->items;
    char list[300] = "";

    for (size_t i = 0, len = 0; i < series->n && len < sizeof list - 1; i++) {
        if (is_first_of_its_quantity(all, i)) {
            len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : "",
                                    all[i].quantity);
        }
    }
    return cli_fail(EXIT_USER, "export: no series of '%s' was recorded; the run has %s", name,
                    series->n ? list : "none at all");
}

int
export_series(const struct export_job *j)
{
    struct rec_rows series = { 0 };
    struct err err;

    bool good = rec_read_all(j->file, REC_SERIES, j->parent, &series, &err);
    int code = good ? EXIT_GOOD : cli_fail(EXIT_WORLD, "%s", err.text);
    uint32_t *columns = array_new(series.n + 1, sizeof *columns);
    size_t n = choose_columns(j->quantity, &series, columns);
    if (good && j->quantity && n == 1) {
        code = refuse_quantity(j->quantity, &series);
    } else if (good) {
        code = write_samples(j, &series, columns, n);
    }
    free(columns);
    rec_rows_free(&series, REC_SERIES);
    return code;
}
