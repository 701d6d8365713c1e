/* Lets the ranks of a run agree before it and after it. */

#include "run/rank-sync.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool
rank_sync_is_first(const struct sim_ranks *ranks)
{
    return !ranks || ranks->rank == 0;
}

static void
free_all(const struct sim_ranks *ranks, struct sim_parcel *in)
{
    for (uint32_t i = 0; i < ranks->n; i++) {
        sim_parcel_free(&in[i]);
    }
    free(in);
}

/* Sends the same bytes to all ranks; in[i] then has the bytes from rank i. */
static struct sim_parcel *
hand_round(const struct sim_ranks *ranks, const void *bytes, size_t n, struct err *err)
{
    struct sim_parcel *in = array_new(ranks->n, sizeof *in);
    struct sim_parcel *out = array_new(ranks->n, sizeof *out);

    for (uint32_t i = 0; i < ranks->n; i++) {
        out[i] = (struct sim_parcel){ .bytes = (void *)bytes, .n = n };
    }
    sim_parcel_add(&in[ranks->rank], bytes, n);
    bool good = ranks->swap(ranks->arg, out, in, err);
    for (uint32_t i = 0; good && i < ranks->n; i++) {
        good = in[i].n == n || err_set(err,
                                       "rank %u does something else than rank %u; all must be "
                                       "started with the same arguments",
                                       i, ranks->rank);
    }
    free(out);
    if (!good) {
        free_all(ranks, in);
    }
    return good ? in : NULL;
}

/* A rank's report to the other ranks. */
struct word {
    uint64_t same;
    int32_t code;
    char why[sizeof((struct err *)0)->text];
};

static const struct word *
word_of(const struct sim_parcel *in, uint32_t rank)
{
    return in[rank].bytes;
}

/* Finds the first rank that failed, and whether the ranks report different values of 'same'. */
static int
judge(const struct sim_ranks *ranks, const struct sim_parcel *in, struct err *err)
{
    const struct word *bad = NULL;
    uint32_t of = 0, n_alike = 0;

    for (uint32_t i = 0; i < ranks->n; i++) {
        const struct word *w = word_of(in, i);
        if (w->code != EXIT_GOOD && !bad) {
            bad = w;
            of = i;
        }
        n_alike += bad && w->code == bad->code && !strcmp(w->why, bad->why);
        if (!bad && w->same != word_of(in, 0)->same) {
            return run_fail(err, EXIT_USER,
                            "rank %u has another scenario or other options than rank 0; all must "
                            "have the same files and options",
                            i);
        }
    }
    if (!bad) {
        return EXIT_GOOD;
    }
    return n_alike == ranks->n || of == 0 ? run_fail(err, bad->code, "%s", bad->why)
                                          : run_fail(err, bad->code, "rank %u: %s", of, bad->why);
}

int
rank_sync_agree(const struct sim_ranks *ranks, int code, uint64_t same, struct err *err)
{
    struct word own = { .same = same, .code = code };

    if (!ranks) {
        return code;
    }
    if (code != EXIT_GOOD) {
        memcpy(own.why, err->text, sizeof own.why);
    }
    struct sim_parcel *in = hand_round(ranks, &own, sizeof own, err);
    if (!in) {
        return EXIT_WORLD;
    }
    code = judge(ranks, in, err);
    free_all(ranks, in);
    return code;
}

bool
rank_sync_broadcast(const struct sim_ranks *ranks, void *bytes, size_t n, struct err *err)
{
    struct sim_parcel *in = ranks ? hand_round(ranks, bytes, n, err) : NULL;

    if (in) {
        memcpy(bytes, in[0].bytes, n);
        free_all(ranks, in);
    }
    return !ranks || in;
}

bool
rank_sync_gather(const struct sim_ranks *ranks, const void *own, size_t n, void *all,
                 struct err *err)
{
    struct sim_parcel *in = hand_round(ranks, own, n, err);

    if (!in) {
        return false;
    }
    for (uint32_t i = 0; i < ranks->n; i++) {
        memcpy((char *)all + i * n, in[i].bytes, n);
    }
    free_all(ranks, in);
    return true;
}
