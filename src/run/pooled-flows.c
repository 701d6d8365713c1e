/* Keeps the flows of many runs in a temporary file that several processes append to. */

#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "run/pooled-flows.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/array.h"

/* The header in front of the flows of each run. */
struct head {
    uint64_t run, n_flows;
};

/* Where the file has the flows of a run. */
struct place {
    struct head head;
    long at;
};

struct pooled_flows {
    FILE *file;
    /* The number of writes that are incomplete or failed, of all processes. */
    atomic_size_t *n_incomplete;
    struct place *places; /* The runs that were found in the file, once it has been read. */
    size_t n, max;
};

struct pooled_flows *
pooled_flows_new(void)
{
    struct pooled_flows *pool = array_new(1, sizeof *pool);

    pool->file = tmpfile();
    pool->n_incomplete = mmap(NULL, sizeof *pool->n_incomplete, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!pool->file || pool->n_incomplete == MAP_FAILED ||
        fcntl(fileno(pool->file), F_SETFL, O_APPEND)) {
        pooled_flows_free(pool);
        return NULL;
    }
    return pool;
}

void
pooled_flows_free(struct pooled_flows *pool)
{
    if (pool && pool->file) {
        fclose(pool->file);
        free(pool->places);
    }
    if (pool && pool->n_incomplete != MAP_FAILED) {
        munmap(pool->n_incomplete, sizeof *pool->n_incomplete);
    }
    free(pool);
}

/* Appends the flows by one system call, because other processes append at the same time. After an
 * incomplete write, for example on a full disk, readers would take later data for these flows, so
 * the whole file becomes invalid. */
void
pooled_flows_add(struct pooled_flows *pool, uint64_t run, const struct completion *c)
{
    struct head head = { run, c->n };
    struct iovec parts[] = { { &head, sizeof head }, { c->flows, c->n * sizeof *c->flows } };

    if (!pool) {
        return;
    }
    atomic_fetch_add(pool->n_incomplete, 1);
    ssize_t n = writev(fileno(pool->file), parts, 2);
    if (n == (ssize_t)(parts[0].iov_len + parts[1].iov_len)) {
        atomic_fetch_sub(pool->n_incomplete, 1);
    }
}

static void
find_places(struct pooled_flows *pool)
{
    struct place place;

    rewind(pool->file);
    while (fread(&place.head, sizeof place.head, 1, pool->file) == 1) {
        place.at = ftell(pool->file);
        ARRAY_PUSH(pool->places, pool->n, pool->max) = place;
        fseek(pool->file, (long)(place.head.n_flows * sizeof(struct completion_flow)), SEEK_CUR);
    }
}

static bool
read_flows(FILE *file, const struct place *place, struct completion *c)
{
    struct completion_flow flow;
    bool good = !fseek(file, place->at, SEEK_SET);

    for (uint64_t i = 0; i < place->head.n_flows && good; i++) {
        good = fread(&flow, sizeof flow, 1, file) == 1;
        flow.id = c->n; /* Ids are consecutive across runs. */
        completion_add(c, &flow, (struct completion_sent){ 0 });
    }
    return good;
}

static bool
read_run(const struct pooled_flows *pool, uint64_t run, struct completion *c)
{
    for (size_t i = 0; i < pool->n; i++) {
        if (pool->places[i].head.run == run) {
            return read_flows(pool->file, &pool->places[i], c);
        }
    }
    return false;
}

bool
pooled_flows_facts(struct pooled_flows *pool, uint64_t first, uint64_t n_runs,
                   struct workload_facts *facts)
{
    struct completion c = { 0 };
    bool good = pool && !atomic_load(pool->n_incomplete);

    if (good && !pool->n) {
        find_places(pool);
    }
    for (uint64_t i = 0; i < n_runs && good; i++) {
        good = read_run(pool, first + i, &c);
    }
    if (good) {
        completion_of(&c, COMPLETION_ALL, facts);
        facts->sent_bytes = facts->retransmitted_bytes = COLUMN_NO_COUNT;
    }
    completion_free(&c);
    return good;
}
