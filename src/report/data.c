/* A run and its samples as JSON; report.h describes the format. */

#include <stdlib.h>
#include <string.h>

#include "answer/figure-name.h"
#include "base/array.h"
#include "report/packed.h"
#include "report/report.h"
#include "weir/gate.h"
#include "weir/wire.h"

/* Writes a table by columns.  The id of a row is its position, so it is left out. */
static void
write_columns(struct json *j, enum rec_table_id t, const struct rec_rows *rows)
{
    const struct packed_rows packed = { rows->items, rec_tables[t].row_bytes, rows->n };

    json_number(j, "n", rows->n);
    json_columns(j, rec_tables[t].columns + 1, &packed);
}

/* Writes the run itself, one value for each column.  The seed is text, since JavaScript's numbers
 * are not exact for large seeds. */
static void
write_run_row(struct json *j, const struct rec_run *row)
{
    for (const struct column *c = rec_tables[REC_RUN].columns; c->name; c++) {
        char room[COLUMN_CELL_BYTES];
        if (strcmp(c->name, "seed")) {
            columns_write_json(j, c, 1, row);
        } else {
            json_text(j, c->name, column_text(c, row, room));
        }
    }
}

static void
write_completion(struct json *j, const struct rep_fct *c)
{
    double cdf[COMPLETION_CDF_POINTS + 1];
    bool has_cdf = completion_cdf(&c->flows, cdf);

    json_open(j, "completion", '{');
    completion_table_write(j, &c->table);
    json_reals(j, "cdf", cdf, has_cdf ? COMPLETION_CDF_POINTS + 1 : 0, PACKED_DIGITS);
    json_close(j, '}');
}

void
rep_write_run(FILE *out, const struct rep_run *r)
{
    struct json j = { .out = out };
    static const struct {
        const char *key;
        enum rec_table_id table;
    } tables[] = {
        { "parameters", REC_PARAMETER }, { "engine_parameters", REC_ENGINE_PARAMETER },
        { "nodes", REC_NODE },           { "ports", REC_PORT },
        { "flows", REC_FLOW },           { "workloads", REC_WORKLOAD },
        { "counters", REC_COUNTER },     { "events", REC_EVENT },
        { "violations", REC_VIOLATION }, { "series", REC_SERIES },
    };

    json_open(&j, NULL, '{');
    json_text(&j, "file", r->file);
    json_text(&j, "label", r->label);
    json_bool(&j, "is_labelled", r->is_labelled);
    write_run_row(&j, rep_run_row(r));
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        json_open(&j, tables[i].key, '{');
        write_columns(&j, tables[i].table, &r->tables[tables[i].table]);
        json_close(&j, '}');
    }
    json_number(&j, "n_recorded_flows", r->n_flows);
    json_number(&j, "n_events", r->n_events);
    json_number(&j, "control_bytes", WEIR_CONTROL_BYTES);
    write_completion(&j, &r->completions);
    rep_flow_waits_write(&j, "why", &r->waits);
    rep_events_summary_write(&j, "troubles", &r->troubles);
    rep_hotspots_write(&j, "hotspots", &r->hotspots);
    json_close(&j, '}');
}

void
rep_write_scorecard(struct json *j, const struct rec_rows *statements)
{
    json_open(j, "scorecard", '{');
    write_columns(j, REC_STATEMENT, statements);
    json_close(j, '}');
}

void
rep_write_claims(struct json *j, const struct rec_rows *claims)
{
    json_open(j, "claims", '{');
    write_columns(j, REC_CLAIM, claims);
    json_open(j, "figure", '[');
    for (size_t i = 0; i < claims->n; i++) {
        const struct rec_claim *claim = rec_row(claims, REC_CLAIM, i);
        char name[FIGURE_NAME_BYTES];
        figure_name(claim->source, name);
        json_text(j, NULL, name);
    }
    json_close(j, ']');
    json_close(j, '}');
}

/* Samples of a run. */

/* The value that stands for no limit: for the rate of a port it is the rate of its link, for other
 * limits the largest number. */
static uint64_t
no_limit(const struct rep_run *r, const struct rec_series *s)
{
    bool is_rate = !strcmp(s->quantity, "rate") && !strcmp(s->object, "port");
    const struct rec_port *port = is_rate ? rep_run_at(r, REC_PORT, s->object_id) : NULL;

    return port ? port->rate_bps : WEIR_UNLIMITED;
}

static void
write_series(struct json *j, const struct rep_samples *s, uint32_t i, bool is_range,
             uint64_t no_limit)
{
    uint32_t n_columns = is_range ? 2 : 1;
    uint64_t *values = array_new((size_t)s->n_rows * n_columns, sizeof *values);

    for (uint32_t row = 0; row < s->n_rows; row++) {
        const struct rep_range *v = &s->values[(size_t)row * s->n_series + i];
        values[row * n_columns] = v->low == WEIR_UNLIMITED ? no_limit : v->low;
        values[row * n_columns + n_columns - 1] = v->high == WEIR_UNLIMITED ? no_limit : v->high;
    }
    json_packed(j, NULL, values, s->n_rows, n_columns);
    free(values);
}

void
rep_write_samples(FILE *out, const struct rep_run *r, const struct rep_want *want,
                  const struct rep_samples *s)
{
    struct json j = { .out = out };

    json_open(&j, NULL, '{');
    json_number(&j, "n", s->n_rows);
    json_number(&j, "each", s->each);
    json_packed(&j, "times", s->times_ps, s->n_rows, 1);
    json_open(&j, "values", '[');
    for (uint32_t i = 0; i < s->n_series; i++) {
        uint32_t id = want->ids ? want->ids[i] : i;
        const struct rec_series *series = rep_run_at(r, REC_SERIES, id);
        bool is_range = s->each > 1 && !rec_only_grows(series->quantity);
        write_series(&j, s, i, is_range, no_limit(r, series));
    }
    json_close(&j, ']');
    json_close(&j, '}');
}
