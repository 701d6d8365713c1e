/* A run and its samples as JSON; report.h says how it looks. */

#include <stdlib.h>
#include <string.h>

#include "answer/figure-name.h"
#include "base/array.h"
#include "report/packed.h"
#include "report/report.h"
#include "weir/gate.h"
#include "weir/wire.h"

/* Texts that come again and again are written once.  Few differ where it pays, so they are looked
 * for one by one, and given up when they are many. */
enum { MAX_WORDS = 64, PAGE_DIGITS = 6 };

struct words {
    const char *texts[MAX_WORDS];
    uint32_t n;
};

static const char *
text_of(const struct column *c, const void *row)
{
    const char *text = *(const char *const *)((const char *)row + c->offset);
    return text ? text : "";
}

static uint32_t
word_number(struct words *w, const char *text)
{
    uint32_t i = 0;

    while (i < w->n && strcmp(w->texts[i], text)) {
        i++;
    }
    if (i == w->n && w->n < MAX_WORDS) {
        w->texts[w->n++] = text;
    }
    return i;
}

static void
write_words(struct json *j, const char *key, const struct words *w, const uint64_t *numbers,
            size_t n)
{
    json_open(j, key, '{');
    json_packed(j, "of", numbers, n, 1);
    json_open(j, "texts", '[');
    for (uint32_t i = 0; i < w->n; i++) {
        json_text(j, NULL, w->texts[i]);
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void
write_texts(struct json *j, const struct rec_rows *rows, enum rec_table_id t,
            const struct column *c)
{
    uint64_t *numbers = array_new(rows->n, sizeof *numbers);
    struct words words = { 0 };
    bool is_many = rows->n < 8;

    for (size_t i = 0; i < rows->n && !is_many; i++) {
        numbers[i] = word_number(&words, text_of(c, rec_row(rows, t, i)));
        is_many = numbers[i] == MAX_WORDS || words.n > rows->n / 2;
    }
    if (!is_many) {
        write_words(j, c->name, &words, numbers, rows->n);
    } else {
        json_open(j, c->name, '[');
        for (size_t i = 0; i < rows->n; i++) {
            json_text(j, NULL, text_of(c, rec_row(rows, t, i)));
        }
        json_close(j, ']');
    }
    free(numbers);
}

static void
write_numbers(struct json *j, const struct rec_rows *rows, enum rec_table_id t,
              const struct column *c)
{
    uint64_t *numbers = array_new(rows->n, sizeof *numbers);

    for (size_t i = 0; i < rows->n; i++) {
        uint64_t number;
        bool is_there = column_whole(c, rec_row(rows, t, i), &number);
        numbers[i] = is_there ? (number < PACKED_MOST ? number : PACKED_MOST - 1) + 1 : 0;
    }
    json_packed(j, c->name, numbers, rows->n, 1);
    free(numbers);
}

static void
write_reals(struct json *j, const struct rec_rows *rows, enum rec_table_id t,
            const struct column *c)
{
    json_open(j, c->name, '[');
    for (size_t i = 0; i < rows->n; i++) {
        double value = *(const double *)((const char *)rec_row(rows, t, i) + c->offset);
        if (value >= 0) {
            json_real(j, NULL, value, PAGE_DIGITS);
        } else {
            json_null(j, NULL);
        }
    }
    json_close(j, ']');
}

/* The id of a row is its place: it is left out. */
static void
write_columns(struct json *j, enum rec_table_id t, const struct rec_rows *rows)
{
    json_number(j, "n", rows->n);
    for (const struct column *c = rec_tables[t].columns + 1; c->name; c++) {
        if (c->kind == COLUMN_TEXT) {
            write_texts(j, rows, t, c);
        } else if (column_store(c->kind) == STORE_REAL) {
            write_reals(j, rows, t, c);
        } else {
            write_numbers(j, rows, t, c);
        }
    }
}

static void
write_table(struct json *j, const char *key, enum rec_table_id t, const struct rec_rows *rows)
{
    json_open(j, key, '{');
    write_columns(j, t, rows);
    json_close(j, '}');
}

/* The run itself: a cell each.  JavaScript's numbers are not exact for large seeds. */
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
    json_open(j, "cdf", '[');
    for (size_t i = 0; has_cdf && i <= COMPLETION_CDF_POINTS; i++) {
        json_real(j, NULL, cdf[i], PAGE_DIGITS);
    }
    json_close(j, ']');
    json_close(j, '}');
}

void
rep_write_run(FILE *out, const struct rep_run *r)
{
    struct json j = { .out = out };
    const struct {
        const char *key;
        enum rec_table_id table;
        const struct rec_rows *rows;
    } tables[] = {
        { "parameters", REC_PARAMETER, &r->parameters },
        { "engine_parameters", REC_ENGINE_PARAMETER, &r->engine_parameters },
        { "nodes", REC_NODE, &r->nodes },
        { "ports", REC_PORT, &r->ports },
        { "flows", REC_FLOW, &r->flows },
        { "workloads", REC_WORKLOAD, &r->workloads },
        { "counters", REC_COUNTER, &r->counters },
        { "events", REC_EVENT, &r->events },
        { "violations", REC_VIOLATION, &r->violations },
        { "series", REC_SERIES, &r->series },
    };

    json_open(&j, NULL, '{');
    json_text(&j, "file", r->file);
    json_text(&j, "label", r->label);
    write_run_row(&j, rep_run_row(r));
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        write_table(&j, tables[i].key, tables[i].table, tables[i].rows);
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

/* Samples. */

/* A port that may send at any rate sends at its link's; other limits that are not there stay as
 * large as a number may be. */
static uint64_t
no_limit(const struct rep_run *r, const struct rec_series *s)
{
    bool is_rate = !strcmp(s->quantity, "rate") && !strcmp(s->object, "port");
    const struct rec_port *port =
        is_rate && s->object_id < r->ports.n ? rec_row(&r->ports, REC_PORT, s->object_id) : NULL;

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
        const struct rec_series *series = rec_row(&r->series, REC_SERIES, id);
        bool is_range = s->each > 1 && !rep_only_grows(series->quantity);
        write_series(&j, s, i, is_range, no_limit(r, series));
    }
    json_close(&j, ']');
    json_close(&j, '}');
}
