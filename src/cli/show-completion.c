/* Shows flow completion times: a table by workload and size, and the worst flows. */

#include "cli/show-completion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "output/form-table.h"
#include "weir/field.h"

static bool
add_edge(struct show_sizes *s, const char *word, struct err *err)
{
    struct weir_text why = { 0 };
    uint64_t bytes;

    if (!weir_value_parse(WEIR_BYTES, word, &bytes, &why)) {
        return err_set(err, "%s: %s", word, why.s);
    }
    if (bytes <= (s->n ? s->edges[s->n - 1] : 0)) {
        return err_set(err, "takes sizes that increase, and %s does not", word);
    }
    s->edges[s->n++] = bytes;
    return true;
}

bool
show_sizes_read(void *sizes, const char *word, struct err *err)
{
    struct show_sizes *s = sizes;
    char *copy = strdup(word), *rest = copy, *item;
    bool good = true;

    s->n = 0;
    while (good && (item = strtok_r(rest, ",", &rest))) {
        good = s->n < COMPLETION_MAX_EDGES
                   ? add_edge(s, item, err)
                   : err_set(err, "takes at most %d sizes", COMPLETION_MAX_EDGES);
    }
    free(copy);
    return good && (s->n || err_set(err, "takes sizes: 10KB,100KB"));
}

/* In the order in which they are shown. */
static const size_t shown[] = {
    WORKLOAD_n_flows,      WORKLOAD_n_finished,   WORKLOAD_fct_mean_ps,  WORKLOAD_fct_p50_ps,
    WORKLOAD_fct_p95_ps,   WORKLOAD_fct_p99_ps,   WORKLOAD_fct_max_ps,   WORKLOAD_slowdown_mean,
    WORKLOAD_slowdown_p50, WORKLOAD_slowdown_p95, WORKLOAD_slowdown_p99, WORKLOAD_slowdown_max,
};

enum { N_SHOWN = sizeof shown / sizeof *shown, FIRST_TIME = 3, FIRST_SLOWDOWN = 8 };

/* "1KB-1.5KB", "1KB"; of given edges "under 10KB", "10KB-100KB", "1MB on". */
static void
write_size(struct weir_text *t, const struct completion_row *row, bool is_given)
{
    uint64_t from = value_rounded(row->from_bytes), to = value_rounded(row->to_bytes);

    if (is_given && !from) {
        weir_text_add(t, "under %B", to);
    } else if (row->to_bytes == COLUMN_NO_COUNT) {
        weir_text_add(t, "%B on", from);
    } else {
        weir_text_add(t, from == to ? "%B" : "%B-%B", from, to);
    }
}

/* One that has not ended took longer than this. */
static void
add_longest(struct table *t, const struct workload_facts *g)
{
    struct weir_text text = { 0 };

    if (g->n_unfinished) {
        weir_text_add(&text, ">");
    }
    table_write_value(&text, &workload_facts[WORKLOAD_fct_max_at_least_ps], g);
    table_add(t, "%s", text.s);
}

static void
add_row(struct table *t, const char *name, const struct workload_facts *g)
{
    table_add(t, "%s", name);
    for (size_t i = 0; i < N_SHOWN; i++) {
        if (shown[i] == WORKLOAD_fct_max_ps) {
            add_longest(t, g);
        } else {
            table_add_value(t, &workload_facts[shown[i]], g);
        }
    }
    table_end_row(t);
}

static void
add_sizes(struct table *t, const struct completion_table *c)
{
    for (size_t i = 0; i < c->n_sizes; i++) {
        const struct completion_row *row = &c->rows[c->n_workloads + i];
        struct weir_text name = { 0 };
        write_size(&name, row, c->are_given);
        add_row(t, name.s, &row->facts);
    }
}

void
show_completion(const struct completion_table *c, bool with_sizes)
{
    struct table t = { .n_left = 1, .n_groups = 2 };

    t.groups[0].column = FIRST_TIME;
    t.groups[0].title = "time";
    t.groups[1].column = FIRST_SLOWDOWN;
    t.groups[1].title = "slowdown";
    table_add(&t, "completion");
    for (size_t i = 0; i < N_SHOWN; i++) {
        table_add(&t, "%s", workload_facts[shown[i]].head);
    }
    table_end_row(&t);
    for (size_t i = 0; i < c->n_workloads; i++) {
        add_row(&t, c->rows[i].name, &c->rows[i].facts);
    }
    if (with_sizes) {
        add_sizes(&t, c);
    }
    table_write(stdout, &t);
}

void
show_worst(const struct completion_table *c)
{
    form_table_show(stdout,
                    &(struct form_table){ NULL, completion_worst_columns, c->worst, c->n_worst,
                                          sizeof *c->worst },
                    FORM_TEXT);
}
