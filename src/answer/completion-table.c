/* Builds the table of flow completion times of a run, and writes it as JSON or CSV. */

#include "answer/completion-table.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/csv.h"

#define ROW(MEMBER)   .offset = offsetof(struct completion_row, MEMBER)
#define WORST(MEMBER) .offset = offsetof(struct completion_worst, MEMBER)

enum { N_HEADS = 4 };

/* The columns before the facts of a group. */
static const struct column heads[N_HEADS] = {
    { "of", COLUMN_TEXT, ROW(of) },
    { "name", COLUMN_TEXT, ROW(name) },
    { "from_bytes", COLUMN_BYTES, ROW(from_bytes) },
    { "to_bytes", COLUMN_BYTES, ROW(to_bytes) },
};

/* For users: null if nothing was retransmitted, so that the column can be left out. */
COLUMN_GET(
    completion_worst, get_shown_retransmitted,
    if (r->retransmitted_bytes) { cell_number(cell, r->retransmitted_bytes); })

const struct column completion_worst_columns[] = {
    { "name", COLUMN_TEXT, WORST(name), .head = "worst flows" },
    { "id", COLUMN_COUNT, WORST(flow) },
    { "why", COLUMN_TEXT, WORST(why), .head = "main cause of wait", .is_optional = true,
      .unknown = "-" },
    { "workload", COLUMN_TEXT, WORST(workload), .head = "workload", .is_optional = true,
      .unknown = "-" },
    { "bytes", COLUMN_BYTES, WORST(bytes), .head = "size" },
    { "state", COLUMN_TEXT, WORST(state), .head = "state" },
    { "fct_ps", COLUMN_TIME, WORST(fct_ps) },
    { "fct_at_least_ps", COLUMN_TIME, WORST(fct_at_least_ps), .head = "time", .unknown = "-" },
    { "ideal_ps", COLUMN_TIME, WORST(ideal_ps), .head = "alone", .unknown = "-" },
    { "slowdown", COLUMN_RATIO, WORST(slowdown) },
    { "slowdown_at_least", COLUMN_RATIO, WORST(slowdown_at_least), .head = "slowdown",
      .unknown = "-" },
    { "retransmitted_bytes", COLUMN_BYTES, WORST(retransmitted_bytes) },
    { NULL, COLUMN_BYTES, .get = get_shown_retransmitted, .head = "retransmitted",
      .is_optional = true, .unknown = "0" },
    { 0 },
};

static struct completion_row *
next_row(struct completion_table *t, const char *of, const char *name)
{
    struct completion_row *row = &t->rows[t->n_workloads + t->n_sizes];

    *row = (struct completion_row){ of, name, COLUMN_NO_COUNT, COLUMN_NO_COUNT, { 0 } };
    return row;
}

static void
add_sizes(struct completion_table *t, const struct completion *c, const uint64_t *edges,
          size_t n_edges)
{
    struct completion_bins bins;

    completion_by_size(c, edges, n_edges, &bins);
    t->are_given = bins.are_given;
    for (size_t i = 0; i < bins.n; i++) {
        struct completion_row *row = next_row(t, "size", NULL);
        row->from_bytes = bins.items[i].from_bytes;
        row->to_bytes = bins.items[i].to_bytes;
        row->facts = bins.items[i].of;
        t->n_sizes++;
    }
}

static void
add_worst(struct completion_table *t, const struct completion *c, const char *const *workloads,
          size_t n_workloads)
{
    const struct completion_flow *worst[COMPLETION_MAX_WORST];

    t->n_worst = completion_worst(c, worst);
    for (size_t i = 0; i < t->n_worst; i++) {
        const struct completion_flow *f = worst[i];
        t->worst[i] = (struct completion_worst){
            .workload =
                f->workload && f->workload <= n_workloads ? workloads[f->workload - 1] : NULL,
            .state = f->has_ended ? "finished" : "unfinished",
            .flow = f->id,
            .bytes = f->bytes,
            .retransmitted_bytes = completion_sent_of(c, f).retransmitted_bytes,
            .fct_ps = f->has_ended ? f->taken_ps : -1,
            .fct_at_least_ps = f->taken_ps,
            .ideal_ps = f->ideal_ps,
            .slowdown = f->has_ended ? completion_slowdown(f) : -1,
            .slowdown_at_least = completion_slowdown(f)
        };
    }
}

void
completion_table_fill(struct completion_table *t, const struct completion *c,
                      const char *const *workloads, size_t n_workloads, const uint64_t *edges,
                      size_t n_edges)
{
    *t = (struct completion_table){ .rows = array_new(1 + n_workloads + COMPLETION_MAX_BINS,
                                                      sizeof *t->rows) };
    completion_of(c, COMPLETION_ALL, &next_row(t, "all", "all")->facts);
    t->n_workloads = 1;
    for (uint32_t w = 1; w <= n_workloads; w++) {
        completion_of(c, w, &next_row(t, "workload", workloads[w - 1])->facts);
        t->n_workloads++;
    }
    add_sizes(t, c, edges, n_edges);
    add_worst(t, c, workloads, n_workloads);
}

void
completion_table_free(struct completion_table *t)
{
    free(t->rows);
    *t = (struct completion_table){ 0 };
}

static void
write_rows(struct json *j, const char *key, const struct column *head, size_t n_heads,
           const struct completion_row *rows, size_t n)
{
    json_open(j, key, '[');
    for (size_t i = 0; i < n; i++) {
        json_open(j, NULL, '{');
        columns_write_json(j, head, n_heads, &rows[i]);
        columns_write_json(j, workload_facts, N_WORKLOAD_FACTS, &rows[i].facts);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void
completion_table_write(struct json *j, const struct completion_table *t)
{
    write_rows(j, "workloads", heads + 1, 1, t->rows, t->n_workloads);
    write_rows(j, "sizes", heads + 2, 2, t->rows + t->n_workloads, t->n_sizes);
    json_open(j, "worst", '[');
    for (size_t i = 0; i < t->n_worst; i++) {
        json_open(j, NULL, '{');
        columns_write_json(j, completion_worst_columns, columns_count(completion_worst_columns),
                           &t->worst[i]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
write_front(FILE *out, const char *const *front, size_t n_front)
{
    for (size_t i = 0; i < n_front; i++) {
        csv_text(out, front[i]);
        fputc(',', out);
    }
}

void
completion_table_write_names(FILE *out, const char *const *front, size_t n_front)
{
    write_front(out, front, n_front);
    columns_write_names(out, heads, N_HEADS);
    fputc(',', out);
    columns_write_names(out, workload_facts, N_WORKLOAD_FACTS);
    fputc('\n', out);
}

void
completion_table_write_csv(FILE *out, const char *const *front, size_t n_front,
                           const struct completion_table *t)
{
    for (size_t i = 0; i < t->n_workloads + t->n_sizes; i++) {
        write_front(out, front, n_front);
        columns_write_cells(out, heads, N_HEADS, &t->rows[i]);
        fputc(',', out);
        columns_write_cells(out, workload_facts, N_WORKLOAD_FACTS, &t->rows[i].facts);
        fputc('\n', out);
    }
}
