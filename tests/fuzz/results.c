/* Tries any bytes as a results file, in all operations of `report`, `export`, `serve`, `merge` and
 * `--record`.  The file is refused, or its contents can be shown; sanitizers check this, and
 * options of the fuzzer limit time and memory. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/record.h"
#include "record/sweep.h"
#include "report/figures.h"
#include "report/report.h"
#include "report/sweep-table.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

enum {
    MAX_RUNS = 2,
    PAGE_BYTES = 4096,
    PAGE_HEAD = 40,
    MAX_PLACES = 4,
    MAX_WINDOW = 16,
    MAX_SWEEP_ROWS = 100
};

static char folder[200], path[250], beside[260];
static FILE *nowhere;

static void
remove_all(void)
{
    char command[300];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    (void)!system(command);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *dir = getenv("TMPDIR");

    (void)argc, (void)argv;
    snprintf(folder, sizeof folder, "%s/weir-fuzz-XXXXXX", dir ? dir : "/tmp");
    nowhere = fopen("/dev/null", "w");
    if (!mkdtemp(folder) || !nowhere) {
        abort();
    }
    atexit(remove_all);
    snprintf(path, sizeof path, "%s/results.db", folder);
    snprintf(beside, sizeof beside, "%s-journal", path);
    return 0;
}

static void
put_file(const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");

    if (!file || fwrite(data, 1, size, file) != size || fclose(file)) {
        abort();
    }
    remove(beside);
}

/* Operations that read. */

static void
show_row(void *arg, const void *row)
{
    const struct rec_table *t = arg;
    char room[COLUMN_CELL_BYTES];

    for (const struct column *c = t->columns; c->name; c++) {
        fputs(c->kind == COLUMN_BLOB ? "" : column_text(c, row, room), nowhere);
    }
}

static void
read_run(struct rec_file *f, uint64_t run)
{
    struct err err;
    struct rep_run r;

    if (rep_run_read(&r, f, run, &err)) {
        r.file = path;
        rep_page_run(nowhere, f, &r, &err);
        rep_run_free(&r);
    }
    for (enum rec_table_id t = 0; t < REC_N_TABLES; t++) {
        rec_read_each(f, t, run, NULL, show_row, (void *)&rec_tables[t], &err);
    }
}

static void
draw_run(struct rec_file *f, uint64_t run)
{
    static const size_t only_scheme = 0;
    struct err err;
    struct rep_figures *figures =
        rep_figures_new(&(struct rep_figures_wish){ .folder = folder,
                                                    .n_runs = 1,
                                                    .schemes = &only_scheme,
                                                    .to_ps = INT64_MAX,
                                                    .overlay = run % 2,
                                                    .force = true },
                        &err);
    struct rep_written written = { 0 };
    struct rep_run r;

    if (rep_run_read(&r, f, run, &err)) {
        rep_figures_add(figures, f, &r, &err);
        rep_run_free(&r);
    }
    rep_figures_finish(figures, &written, &err);
    rep_written_free(&written);
}

static void
read_sweep(struct rec_file *f, uint64_t id)
{
    struct rep_sweep sweep;
    struct err err;

    rep_page_sweep(nowhere, f, path, id, &err);
    if (rep_sweep_read(&sweep, f, id, MAX_SWEEP_ROWS, &err)) {
        struct rep_axes axes = rep_sweep_first_axes(&sweep);
        if (axes.by != REP_NO_COLUMN && axes.metric != REP_NO_COLUMN) {
            struct rep_table table = rep_table_make(&sweep, &axes);
            rep_table_free(&table);
        }
        rep_sweep_free(&sweep);
    }
}

static void
read_file(void)
{
    struct rec_rows runs = { 0 }, sweeps = { 0 };
    struct err err;
    struct rec_file *f = rec_read_open(path, &err);

    if (!f) {
        return;
    }
    rec_read_all(f, REC_RUN, 0, &runs, &err);
    for (size_t i = 0; i < runs.n && i < MAX_RUNS; i++) {
        read_run(f, ((const struct rec_run *)rec_row(&runs, REC_RUN, i))->id);
    }
    if (runs.n) {
        draw_run(f, ((const struct rec_run *)runs.items)->id);
    }
    rec_read_all(f, REC_SWEEP, 0, &sweeps, &err);
    for (size_t i = 0; i < sweeps.n && i < MAX_RUNS; i++) {
        read_sweep(f, ((const struct rec_sweep *)rec_row(&sweeps, REC_SWEEP, i))->id);
    }
    rep_page_claims(nowhere, f, "f", &err);
    rec_rows_free(&sweeps, REC_SWEEP);
    rec_rows_free(&runs, REC_RUN);
    rec_read_close(f);
}

/* Operations that write. */

static void
ignore(void *arg, const void *row)
{
    (void)arg;
    fputs(((const struct rec_summary *)row)->status, nowhere);
}

static void
go_on_with_sweep(void)
{
    struct rec_sweep sweep = { .name = "s",
                               .study = "s",
                               .hash = 0x0123456789abcdef,
                               .build = "b",
                               .started_at = "now",
                               .n_runs = 4 };
    struct err err;
    struct rec_sweeps *s = rec_sweeps_open(path, &err);
    uint64_t id, n_added = 0, n_differ = 0;

    if (!s) {
        return;
    }
    if (rec_sweep_begin(s, &sweep, &id, &err)) {
        rec_sweep_each(s, id, ignore, NULL, &err);
    }
    rec_sweeps_merge(s, path, &n_added, &n_differ, &err);
    rec_sweeps_close(s);
}

static void
add_run(void)
{
    static const struct rec_run run = { .name = "n",
                                        .scenario = "s",
                                        .engines = "pfc",
                                        .build = "b",
                                        .arbitration = "fifo",
                                        .host = "simulator",
                                        .started_at = "now" };
    static const struct rec_end end = { .status = REC_COMPLETE };
    struct err err;
    struct rec *r = rec_open(path, &err);

    if (r && rec_begin(r, &run, &err)) {
        rec_add_node(r, &(struct rec_node){ .name = "S1", .kind = "switch", .role = "r" }, &err);
        rec_end(r, &end, &err);
    }
    if (r) {
        rec_close(r, &err);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    put_file(data, size);
    read_file();
    go_on_with_sweep();
    add_run();
    return 0;
}

/* Changes some bytes of some pages of the file, often those that lead to other pages. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    if (size < 2 * PAGE_BYTES) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    srand(seed);
    for (int n = 1 + rand() % MAX_PLACES; n > 0; n--) {
        size_t page = (size_t)rand() % (size / PAGE_BYTES) * PAGE_BYTES;
        size_t at = page + (size_t)rand() % (rand() % 2 ? PAGE_HEAD : PAGE_BYTES - MAX_WINDOW);
        size_t window = 1 + (size_t)rand() % MAX_WINDOW;
        LLVMFuzzerMutate(data + at, window, window);
    }
    return size;
}
