/* Shows flow completion times: a table by workload and size, and the worst flows. */

#include "cli/show-completion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "cli/cli.h"
#include "output/form-table.h"
#include "output/text-width.h"
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

/* Writes a bin of sizes, such as "1 KB-1.5 KB" or "1 KB". With edges that the user gave, it writes
 * "under 10 KB", "10 KB-100 KB", "1 MB on". */
static void
write_size(struct weir_text *t, const struct completion_row *row, bool is_given)
{
    uint64_t from = value_rounded(row->from_bytes), to = value_rounded(row->to_bytes);

    if (is_given && !from) {
        weir_text_add(t, "under %b", to);
    } else if (row->to_bytes == COLUMN_NO_COUNT) {
        weir_text_add(t, "%b on", from);
    } else {
        weir_text_add(t, from == to ? "%b" : "%b-%b", from, to);
    }
}

struct line {
    /* The facts are first, so that the offsets of their columns are valid in this struct. */
    struct workload_facts facts;
    const char *name;
    char size[COLUMN_CELL_BYTES];
};

/* The column of the longest time. It has a ">" if some flow has not ended, because that flow takes
 * longer. */
COLUMN_GET(line, get_longest, struct weir_text *text = cell_made(cell);
           weir_text_add(text, r->facts.n_unfinished ? ">" : "");
           table_write_value(text, &workload_facts[WORKLOAD_fct_max_at_least_ps], &r->facts))

/* The column of a percentile, without percentiles of too few flows. */
COLUMN_GET(
    line, get_percentile, const struct column *fact = &workload_facts[c->nth];
    if (!facts_is_of_few(fact, &r->facts)) { column_read(fact, &r->facts, cell); })

static const size_t times[] = { WORKLOAD_n_flows,    WORKLOAD_n_finished, WORKLOAD_fct_mean_ps,
                                WORKLOAD_fct_p50_ps, WORKLOAD_fct_p95_ps, WORKLOAD_fct_p99_ps,
                                WORKLOAD_fct_max_ps };
static const size_t slowdowns[] = { WORKLOAD_slowdown_mean, WORKLOAD_slowdown_p50,
                                    WORKLOAD_slowdown_p95, WORKLOAD_slowdown_p99,
                                    WORKLOAD_slowdown_max };

#define N_OF(ARRAY) (sizeof(ARRAY) / sizeof *(ARRAY))

enum { N_TIMES = sizeof times / sizeof *times, N_SLOWDOWNS = sizeof slowdowns / sizeof *slowdowns };

static void
show_facts(const char *head, const size_t *facts, size_t n_facts, const struct line *lines,
           size_t n)
{
    struct column made[N_TIMES + 2] = {
        { NULL, COLUMN_TEXT, offsetof(struct line, name), .head = head },
    };

    for (size_t i = 0; i < n_facts; i++) {
        made[i + 1] = workload_facts[facts[i]];
        made[i + 1].unknown = "-";
        if (facts_least_flows(&workload_facts[facts[i]])) {
            made[i + 1].get = get_percentile;
            made[i + 1].nth = facts[i];
        }
        if (facts[i] == WORKLOAD_fct_max_ps) {
            made[i + 1].kind = COLUMN_TEXT;
            made[i + 1].get = get_longest;
            made[i + 1].is_right = true;
        }
    }
    form_table_show(stdout, &(struct form_table){ NULL, made, lines, n, sizeof *lines }, FORM_TEXT);
}

bool
show_few(const struct workload_facts *facts)
{
    bool is_few = facts_is_of_few(&workload_facts[WORKLOAD_fct_p99_ps], facts);

    if (is_few) {
        text_print(
            stdout, 0,
            "-: unknown, as some flows have not finished or there are too few flows. 95 %% needs "
            "20 flows, 99 %% needs 100.");
    }
    return is_few;
}

/* Shows when the workloads were done, such as "done all at 864 us, ring at 864 us, web not
 * done". */
static void
show_done(const struct completion_table *c)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);

    for (size_t i = 0; i < c->n_workloads; i++) {
        weir_ps done_ps = c->rows[i].facts.done_ps;
        struct weir_text at = { 0 };
        weir_text_add(&at, done_ps < 0 ? " not done" : " at %t", done_ps);
        fprintf(to, "%s%s%s", i ? ", " : "", c->rows[i].name, at.s);
    }
    fclose(to);
    text_print(stdout, 15, "done           %s", text);
    free(text);
}

/* Whether a workload is a job that has begun. */
static bool
is_job(const struct completion_row *row)
{
    return row->facts.computing_max_ps >= 0;
}

void
show_completion(const struct completion_table *c, bool with_sizes)
{
    size_t n_rows = c->n_workloads + (with_sizes ? c->n_sizes : 0), n = 0;
    struct line *lines = array_new(n_rows, sizeof *lines);

    for (size_t i = 0; i < n_rows; i++) {
        struct weir_text size = { 0 };
        if (i && is_job(&c->rows[i])) {
            continue;
        }
        lines[n].facts = c->rows[i].facts;
        if (i >= c->n_workloads) {
            write_size(&size, &c->rows[i], c->are_given);
            text_cut(lines[n].size, sizeof lines[n].size, size.s);
        }
        lines[n].name = i < c->n_workloads ? c->rows[i].name : lines[n].size;
        n++;
    }
    show_facts("completion", times, N_TIMES, lines, n);
    printf("\n");
    show_done(c);
    printf("\n");
    show_facts("slowdown", slowdowns, N_SLOWDOWNS, lines, n);
    for (size_t i = 0; i < n && !show_few(&lines[i].facts); i++) {
    }
    free(lines);
}

static const size_t job_times[] = { WORKLOAD_job_ps,           WORKLOAD_iteration_p50_ps,
                                    WORKLOAD_iteration_max_ps, WORKLOAD_algbw_bps,
                                    WORKLOAD_busbw_bps,        WORKLOAD_job_slowdown };
static const char *const job_heads[] = { "time",  "iteration", "longest",
                                         "algbw", "busbw",     "slowdown" };
static const size_t rank_times[] = { WORKLOAD_computing_mean_ps, WORKLOAD_computing_max_ps,
                                     WORKLOAD_network_mean_ps,   WORKLOAD_network_max_ps,
                                     WORKLOAD_peer_mean_ps,      WORKLOAD_peer_max_ps };
static const char *const rank_heads[] = { "computing", "max", "network", "max", "peers", "max" };

enum { MAX_HEADS = 8 };

static void
show_of_jobs(const char *head, const size_t *facts, const char *const *heads, size_t n_facts,
             const struct line *lines, size_t n)
{
    struct column made[MAX_HEADS + 2] = {
        { NULL, COLUMN_TEXT, offsetof(struct line, name), .head = head },
    };

    for (size_t i = 0; i < n_facts; i++) {
        made[i + 1] = workload_facts[facts[i]];
        made[i + 1].unknown = "-";
        made[i + 1].head = heads[i];
    }
    form_table_show(stdout, &(struct form_table){ NULL, made, lines, n, sizeof *lines }, FORM_TEXT);
}

void
show_jobs(const struct completion_table *c)
{
    struct line *lines = array_new(c->n_workloads, sizeof *lines);
    size_t n = 0;

    for (size_t i = 1; i < c->n_workloads; i++) {
        if (is_job(&c->rows[i])) {
            lines[n++] = (struct line){ .facts = c->rows[i].facts, .name = c->rows[i].name };
        }
    }
    if (n) {
        printf("\n");
        show_of_jobs("job", job_times, job_heads, N_OF(job_times), lines, n);
        printf("\n");
        show_of_jobs("time of ranks", rank_times, rank_heads, N_OF(rank_times), lines, n);
    }
    free(lines);
}

void
show_worst(const struct completion_table *c)
{
    form_table_show(stdout,
                    &(struct form_table){ NULL, completion_worst_columns, c->worst, c->n_worst,
                                          sizeof *c->worst },
                    FORM_TEXT);
}
