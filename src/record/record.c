/* Writes a run into a results file during the run. */

#include "record/record.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/moment.h"
#include "record/store.h"

enum { FLUSH_EVERY_MS = 1000 };
enum { ENOUGH_PENDING = 8 << 20, MAX_PENDING = 256 << 20 }; /* In bytes. */

struct rec {
    struct rec_file *store;
    bool has_failed;
    struct err failure; /* The first failure. */

    uint64_t run;         /* The id of the run; 0: none has begun. */
    struct rec_rows runs; /* The run's row, as written at the start. */
    struct rec_rows pending[REC_N_TABLES];
    uint64_t n_written[REC_N_TABLES];
    int64_t flush_at_ms;
    size_t flush_at_bytes; /* More pending bytes of one table cause a flush. */

    struct rec_frame frame; /* The block that is being filled. */
    uint32_t max_rows, n_rows_queued;
};

static bool
answer(const struct rec *r, struct err *err)
{
    return !r->has_failed || err_set(err, "%s", r->failure.text);
}

static void
keep_failure(struct rec *r)
{
    if (!r->has_failed) {
        r->has_failed = true;
        store_fail(r->store, "write", &r->failure);
    }
}

/* Opening. */

static struct rec *
open_results(const char *path, int more_flags, struct err *err)
{
    struct rec_file *store = store_open_to_write(path, more_flags, err);
    if (!store) {
        return NULL;
    }
    struct rec *r = array_new(1, sizeof *r);
    r->store = store;
    return r;
}

struct rec *
rec_open(const char *path, struct err *err)
{
    return open_results(path, 0, err);
}

struct rec *
rec_open_nofollow(const char *path, struct err *err)
{
    return open_results(path, SQLITE_OPEN_NOFOLLOW, err);
}

/* Writing pending rows. */

static int
put_end(struct rec *r, const struct rec_end *end)
{
    static const char *const names[] = { "complete", "stopped", "failed" };
    struct rec_run row = *(const struct rec_run *)rec_row(&r->runs, REC_RUN, 0);

    row.status = names[end->status];
    row.wall_s = end->wall_s;
    row.facts = end->facts ? *end->facts : row.facts;
    return store_put(r->store, REC_RUN, &row, 0);
}

static int
put_all(struct rec *r, const struct rec_end *end)
{
    int code = store_exec(r->store, "BEGIN IMMEDIATE");

    if (code == SQLITE_OK) {
        code = store_put_all(r->store, r->pending, r->run);
    }
    if (end && code == SQLITE_OK) {
        code = put_end(r, end);
    }
    return code == SQLITE_OK ? store_exec(r->store, "COMMIT") : code;
}

static size_t
pending_bytes(const struct rec *r)
{
    size_t n = 0;
    for (enum rec_table_id t = 0; t < REC_N_TABLES; t++) {
        n += r->pending[t].n_bytes;
    }
    return n;
}

/* Queues the current block, full or not. A block that was written before it was full is written
 * again later, and replaces its row in the file. */
static void
queue_block(struct rec *r)
{
    const struct rec_frame *f = &r->frame;
    size_t last = (size_t)(f->n_rows - 1) * f->n_columns;
    struct rec_block block = { .id = r->n_written[REC_BLOCK],
                               .first_ps = (weir_ps)f->values[0],
                               .last_ps = (weir_ps)f->values[last],
                               .n_rows = f->n_rows };

    block.bytes.at = rec_packer_pack(r->store->packer, f, &block.bytes.n);
    rec_rows_copy(&r->pending[REC_BLOCK], REC_BLOCK, &block);
    r->n_rows_queued = f->n_rows;
}

/* Writes all pending rows. If another program has locked the file, a caller that may wait tries
 * again later. */
static bool
flush(struct rec *r, const struct rec_end *end, bool may_wait)
{
    if (r->frame.n_rows > r->n_rows_queued) {
        queue_block(r);
    }
    may_wait = may_wait && pending_bytes(r) < MAX_PENDING;
    sqlite3_busy_timeout(r->store->db, may_wait ? STORE_WAIT_BRIEFLY_MS : STORE_WAIT_LONG_MS);
    int code = put_all(r, end);
    r->flush_at_ms = moment_ms() + FLUSH_EVERY_MS;
    r->flush_at_bytes = ENOUGH_PENDING;
    if (code != SQLITE_OK) {
        bool is_later = may_wait && (code & 0xff) == SQLITE_BUSY;
        r->flush_at_bytes += pending_bytes(r);
        if (!is_later) {
            keep_failure(r);
        }
        store_exec(r->store, "ROLLBACK");
        return is_later;
    }
    rec_rows_free_all(r->pending);
    return true;
}

static bool
flush_if_due(struct rec *r, enum rec_table_id t, struct err *err)
{
    if (r->pending[t].n_bytes > r->flush_at_bytes || moment_ms() >= r->flush_at_ms) {
        flush(r, NULL, true);
    }
    return answer(r, err);
}

bool
rec_flush(struct rec *r, struct err *err)
{
    if (!r->has_failed) {
        flush(r, NULL, false);
    }
    return answer(r, err);
}

/* Rows from the caller. */

/* Begins a run under a lock, because other programs may begin runs in the same file. */
static bool
put_begin(struct rec *r, struct rec_run *row)
{
    sqlite3_busy_timeout(r->store->db, STORE_WAIT_LONG_MS);
    if (store_exec(r->store, "BEGIN IMMEDIATE") != SQLITE_OK) {
        keep_failure(r);
    } else if (!store_next_id(r->store, REC_RUN, &row->id, &r->failure)) {
        r->has_failed = true;
    } else if (store_put(r->store, REC_RUN, row, 0) != SQLITE_OK ||
               store_exec(r->store, "COMMIT") != SQLITE_OK) {
        keep_failure(r);
    }
    return !r->has_failed;
}

bool
rec_begin(struct rec *r, const struct rec_run *run, struct err *err)
{
    struct rec_run row = *run;

    assert(!r->run);
    if (r->has_failed) {
        return answer(r, err);
    }
    row.status = "running";
    row.wall_s = -1;
    facts_clear(&row.facts);
    if (!put_begin(r, &row)) {
        store_exec(r->store, "ROLLBACK");
        return answer(r, err);
    }
    r->run = row.id;
    rec_rows_copy(&r->runs, REC_RUN, &row);
    r->flush_at_ms = moment_ms() + FLUSH_EVERY_MS;
    r->flush_at_bytes = ENOUGH_PENDING;
    memset(r->n_written, 0, sizeof r->n_written);
    return true;
}

static bool
set(struct rec *r, enum rec_table_id t, const void *row, struct err *err)
{
    assert(r->run || r->has_failed);
    if (r->has_failed) {
        return answer(r, err);
    }
    rec_rows_copy(&r->pending[t], t, row);
    return flush_if_due(r, t, err);
}

#define DEFINE_ADD(NAME, TABLE)                                                                    \
    bool rec_add_##NAME(struct rec *r, const struct rec_##NAME *given, struct err *err)            \
    {                                                                                              \
        struct rec_##NAME row = *given;                                                            \
        row.id = r->n_written[TABLE]++;                                                            \
        return set(r, TABLE, &row, err);                                                           \
    }

DEFINE_ADD(parameter, REC_PARAMETER)
DEFINE_ADD(engine_parameter, REC_ENGINE_PARAMETER)
DEFINE_ADD(node, REC_NODE)
DEFINE_ADD(port, REC_PORT)
DEFINE_ADD(flow, REC_FLOW)
DEFINE_ADD(workload, REC_WORKLOAD)
DEFINE_ADD(counter, REC_COUNTER)
DEFINE_ADD(event, REC_EVENT)
DEFINE_ADD(wait, REC_WAIT)
DEFINE_ADD(violation, REC_VIOLATION)
DEFINE_ADD(series, REC_SERIES)

bool
rec_set_flow(struct rec *r, const struct rec_flow *flow, struct err *err)
{
    assert(flow->id < r->n_written[REC_FLOW] || r->has_failed);
    return set(r, REC_FLOW, flow, err);
}

static void
start_sampling(struct rec *r)
{
    r->frame.n_columns = 1 + (uint32_t)r->n_written[REC_SERIES];
    r->max_rows = rec_frame_rows(r->frame.n_columns);
    r->frame.values = array_new((size_t)r->max_rows * r->frame.n_columns, sizeof(uint64_t));
}

/* Hot: once a sample. */
bool
rec_sample(struct rec *r, weir_ps at_ps, const uint64_t *values, struct err *err)
{
    struct rec_frame *f = &r->frame;

    if (r->has_failed) {
        return answer(r, err);
    }
    if (!f->values) {
        start_sampling(r);
    }
    assert(r->run && f->n_columns == 1 + r->n_written[REC_SERIES]);
    uint64_t *row = f->values + (size_t)f->n_rows++ * f->n_columns;
    row[0] = (uint64_t)at_ps;
    memcpy(row + 1, values, (f->n_columns - 1) * sizeof *values);
    if (f->n_rows == r->max_rows) {
        queue_block(r);
        r->n_written[REC_BLOCK]++;
        f->n_rows = r->n_rows_queued = 0;
    }
    return flush_if_due(r, REC_BLOCK, err);
}

bool
rec_end(struct rec *r, const struct rec_end *end, struct err *err)
{
    assert(r->run || r->has_failed);
    if (!r->has_failed) {
        flush(r, end, false);
    }
    free(r->frame.values);
    r->frame = (struct rec_frame){ 0 };
    r->n_rows_queued = 0;
    r->run = 0;
    rec_rows_free(&r->runs, REC_RUN);
    return answer(r, err);
}

bool
rec_close(struct rec *r, struct err *err)
{
    bool good = r->run ? rec_flush(r, err) : answer(r, err);

    rec_rows_free_all(r->pending);
    rec_rows_free(&r->runs, REC_RUN);
    store_close(r->store);
    free(r->frame.values);
    free(r);
    return good;
}
