/* Reads a results file, also while it is being written. */

#include "record/reader.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "record/fetch.h"
#include "record/sqlite-hardening.h"

struct rec_file {
    struct store *store;
    struct rec_packer *packer;
};

static struct rec_file *
open_results(const char *path, int more_flags, const struct rec_until *until, struct err *err)
{
    struct store *store = store_open_to_read(path, more_flags, until, err);

    if (!store) {
        return NULL;
    }
    struct rec_file *f = array_new(1, sizeof *f);
    *f = (struct rec_file){ .store = store, .packer = rec_packer_new() };
    return f;
}

struct rec_file *
rec_read_open(const char *path, struct err *err)
{
    return open_results(path, 0, &(struct rec_until){ 0 }, err);
}

struct rec_file *
rec_read_open_nofollow(const char *path, struct rec_until until, struct err *err)
{
    return open_results(path, SQLITE_OPEN_NOFOLLOW, &until, err);
}

void
rec_read_close(struct rec_file *f)
{
    store_close(f->store);
    rec_packer_free(f->packer);
    free(f);
}

void
rec_read_until(struct rec_file *f, struct rec_until until)
{
    f->store->until = until;
}

bool
rec_read_if(struct rec_file *f, enum rec_table_id t, uint64_t parent, const char *condition,
            uint64_t first_id, uint32_t max, struct rec_rows *rows, struct err *err)
{
    struct fetch fetch = {
        .table = t, .parent = parent, .condition = condition, .next_id = first_id
    };

    return fetch_more(f->store, &fetch, max, rows, err);
}

bool
rec_read(struct rec_file *f, enum rec_table_id t, uint64_t parent, uint64_t first_id, uint32_t max,
         struct rec_rows *rows, struct err *err)
{
    return rec_read_if(f, t, parent, "1", first_id, max, rows, err);
}

bool
rec_read_count(struct rec_file *f, enum rec_table_id t, uint64_t parent, uint64_t *n,
               struct err *err)
{
    const struct rec_table *table = &rec_tables[t];
    char sql[200];
    int64_t count;

    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s WHERE %s = %lld", table->name,
             table->parent ? table->parent : "0", table->parent ? (long long)parent : 0);
    hardening_limit(f->store);
    bool good = store_number(f->store, sql, &count);
    *n = (uint64_t)count;
    return good || store_fail(f->store, "read", err);
}

bool
rec_read_all(struct rec_file *f, enum rec_table_id t, uint64_t parent, struct rec_rows *rows,
             struct err *err)
{
    return rec_read(f, t, parent, 0, UINT32_MAX, rows, err);
}

bool
rec_read_each(struct rec_file *f, enum rec_table_id t, uint64_t parent,
              void (*each)(void *arg, const void *row), void *arg, struct err *err)
{
    return fetch_each(f->store, t, parent, each, arg, err);
}

static bool
open_block(struct rec_file *f, const struct rec_block *b, uint64_t id, struct rec_frame *frame,
           struct err *err)
{
    if (b->id != id) {
        return err_set(err, "a block of samples is missing");
    }
    if (frame->n_columns > REC_MAX_COLUMNS || b->n_rows < 1 ||
        b->n_rows > rec_frame_rows(frame->n_columns)) {
        return err_set(err, "a block of samples cannot have %llu rows of %u columns",
                       (unsigned long long)b->n_rows, frame->n_columns);
    }
    free(frame->values);
    frame->n_rows = (uint32_t)b->n_rows;
    frame->values = array_new((size_t)frame->n_rows * frame->n_columns, sizeof(uint64_t));
    if (!rec_packer_unpack(f->packer, frame, b->bytes.at, b->bytes.n, err)) {
        return false;
    }
    uint64_t last_ps = frame->values[(size_t)(frame->n_rows - 1) * frame->n_columns];
    return (frame->values[0] == (uint64_t)b->first_ps && last_ps == (uint64_t)b->last_ps) ||
           err_set(err, "the times in a block of samples differ from those in its row");
}

bool
rec_read_frame(struct rec_file *f, uint64_t run, uint64_t id, struct rec_frame *frame,
               struct err *err)
{
    struct rec_rows rows = { 0 };
    struct err why;

    if (hardening_is_over(f->store)) {
        return err_set(err, "cannot read %s: it took too long, and was ended", f->store->path);
    }
    bool good = rec_read(f, REC_BLOCK, run, id, 1, &rows, err);

    frame->n_rows = 0;
    if (good && rows.n && !open_block(f, rows.items, id, frame, &why)) {
        frame->n_rows = 0;
        good = err_set(err, "cannot read %s: block %llu: %s", f->store->path,
                       (unsigned long long)id, why.text);
    }
    rec_rows_free(&rows, REC_BLOCK);
    return good;
}
