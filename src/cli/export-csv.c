/* Writes tables of a results file as CSV. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/csv.h"
#include "cli/cli.h"
#include "cli/export.h"
#include "report/series-name.h"

/* Tables as CSV. */

/* Writes a row, or the names of the columns if the row is null. */
static void
write_row(FILE *out, const void *row, const void *columns)
{
    const struct column *all = columns;
    size_t n = columns_count(all);

    if (row) {
        columns_write_cells(out, all, n, row);
    } else {
        columns_write_names(out, all, n);
    }
    putc('\n', out);
}

static int
export_rows(const struct export_job *j, const struct column *columns)
{
    write_row(j->out, NULL, columns);
    return export_each(j, j->table, write_row, columns);
}

/* Writes all columns of runs except the scenario, which is a text of many lines. */
int
export_runs(const struct export_job *j)
{
    const struct column *columns = rec_tables[REC_RUN].columns;
    const struct column *scenario = rec_find_column(REC_RUN, "scenario");
    size_t n_before = (size_t)(scenario - columns), n = columns_count(columns);
    struct column *some = array_new(n, sizeof *some);

    memcpy(some, columns, n_before * sizeof *some);
    memcpy(some + n_before, scenario + 1, (n - n_before) * sizeof *some);
    int code = export_rows(j, some);
    free(some);
    return code;
}

/* Tables of a file with names: after their own columns, tables with ports and flows have the names
 * of these, so that a reader need not join three tables. */

struct named {
    const struct rec_table *table;
    const struct column *node, *port, *flow; /* Columns with ids; 'node' may be null. */
    struct export_names names;
    struct rep_flow_names flows;
    struct rep_port_names ports;
};

static uint32_t
id_of(const struct column *c, const void *row)
{
    return *(const uint32_t *)((const char *)row + c->offset);
}

/* Writes the names of a port and its peer. For an event without a port, it writes the name of the
 * node. */
static void
write_port_names(FILE *out, const struct named *n, uint32_t port, uint32_t node)
{
    char here[REP_PORT_BYTES], there[REP_PORT_BYTES];
    const struct rec_port *row = export_port(&n->names, port);
    bool has_peer = row && export_port(&n->names, row->peer);

    csv_text(out, row                            ? rep_port_name(&n->ports, port, here)
                  : export_node(&n->names, node) ? rep_node_name(&n->ports, node, here)
                                                 : "");
    putc(',', out);
    csv_text(out, has_peer ? rep_peer_name(&n->ports, port, there) : "");
    putc(',', out);
}

static void
write_named_row(FILE *out, const void *row, const void *more)
{
    const struct named *n = more;
    uint32_t flow = id_of(n->flow, row);
    char room[REP_FLOW_BYTES];

    columns_write_cells(out, n->table->columns, columns_count(n->table->columns), row);
    putc(',', out);
    write_port_names(out, n, id_of(n->port, row), n->node ? id_of(n->node, row) : REC_NO_ID);
    csv_text(out, flow != REC_NO_ID ? rep_flow_name(&n->flows, flow, room) : "");
    putc('\n', out);
}

static int
export_named(const struct export_job *j)
{
    struct named n = { .table = &rec_tables[j->table],
                       .node = j->table == REC_EVENT ? rec_find_column(j->table, "node") : NULL,
                       .port = rec_find_column(j->table, "port"),
                       .flow = rec_find_column(j->table, "flow") };
    int code = export_names_read(&n.names, j);

    n.flows = rep_flow_names_of(&n.names.flows);
    n.ports = rep_port_names_of(&n.names.nodes, &n.names.ports);
    if (code == EXIT_GOOD) {
        columns_write_names(j->out, n.table->columns, columns_count(n.table->columns));
        fputs(",node_name,peer_name,flow_name\n", j->out);
        code = export_each(j, j->table, write_named_row, &n);
    }
    rep_flow_names_free(&n.flows);
    rep_port_names_free(&n.ports);
    export_names_free(&n.names);
    return code;
}

int
export_table(const struct export_job *j)
{
    return j->table == REC_EVENT || j->table == REC_WAIT
               ? export_named(j)
               : export_rows(j, rec_tables[j->table].columns);
}

/* Series as CSV: a row with the names of the columns, then the samples. */

/* Writes the name of a series with its unit, such as "queue S1 from L2 [bytes]". */
static void
write_series_name(FILE *out, const struct rep_places *places, const struct rec_series *s)
{
    char name[REP_SERIES_BYTES], header[REP_SERIES_BYTES + 80];

    rep_series_name(places, s, name);
    snprintf(header, sizeof header, "%s [%.70s]", name, s->unit);
    csv_text(out, header);
}

/* Chooses the columns of a frame: the time, then the series of the quantity. If the quantity is
 * null, it chooses all series. */
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
    return cli_print_error_unless(good, &err);
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
    struct weir_text list = { 0 };

    for (size_t i = 0; i < series->n; i++) {
        if (is_first_of_its_quantity(all, i)) {
            weir_text_add(&list, i ? ", %s" : "%s", all[i].quantity);
        }
    }
    return cli_fail(EXIT_USER, "export: no series of '%s' was recorded; the run has %.299s", name,
                    series->n ? list.s : "none at all");
}

int
export_series(const struct export_job *j)
{
    struct rec_rows series = { 0 };
    struct err err;

    bool good = rec_read_all(j->file, REC_SERIES, j->parent, &series, &err);
    int code = good ? EXIT_GOOD : cli_print_error(EXIT_WORLD, &err);
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
