/* A sweep shared by ranks: each rank makes its runs in a file of its own, and the first rank joins
 * the files. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "record/sweep.h"
#include "run/rank-sync.h"
#include "run/sweeping.h"

enum { PATH_BYTES = 4200 };

/* The sweep is cut into N times as many parts as there are ranks. Part I of N then consists of the
 * parts I, I + N, I + 2 N, ... */
static struct sweeping
part_of(const struct sweeping *s, uint32_t rank, char path[PATH_BYTES])
{
    struct sweeping part = *s;

    part.shard = s->shard + s->n_shards * rank;
    part.n_shards = s->n_shards * s->ranks->n;
    part.ranks = NULL;
    part.results = path;
    snprintf(path, PATH_BYTES, "%s.%lluof%llu.db", s->stem, (unsigned long long)part.shard,
             (unsigned long long)part.n_shards);
    return part;
}

static void
add(struct sweeping_counts *s, const struct sweeping_counts *t)
{
    s->n_own += t->n_own;
    s->n_there += t->n_there;
    s->n_now += t->n_now;
    s->n_dead += t->n_dead;
    s->n_collapsed += t->n_collapsed;
    if (!s->n_warned && t->n_warned) {
        memcpy(s->warning, t->warning, sizeof s->warning);
    }
    s->n_warned += t->n_warned;
    for (int i = 0; i < SWEEPING_N; i++) {
        s->n_by_status[i] += t->n_by_status[i];
    }
    s->seconds = t->seconds > s->seconds ? t->seconds : s->seconds;
    s->is_interrupted |= t->is_interrupted;
}

static bool
gather(struct sweeping *s, const struct sweeping *part, struct err *err)
{
    struct sweeping_counts *all = array_new(s->ranks->n, sizeof *all);
    bool good = rank_sync_gather(s->ranks, &part->counts, sizeof part->counts, all, err);

    s->counts = (struct sweeping_counts){ 0 };
    for (uint32_t i = 0; good && i < s->ranks->n; i++) {
        add(&s->counts, &all[i]);
    }
    free(all);
    return good;
}

static bool
join_part(struct sweeping *s, struct rec_sweeps *store, uint32_t rank, struct err *err)
{
    char path[PATH_BYTES];
    uint64_t n_added = 0, n_differ = 0;

    part_of(s, rank, path);
    if (access(path, R_OK)) {
        return err_set(err,
                       "cannot read %s, which rank %u has written: all ranks must use one folder; "
                       "copy their files into one, and `weir merge` joins them",
                       path, rank);
    }
    return rec_sweeps_merge(store, path, &n_added, &n_differ, err) &&
           (!n_differ || err_set(err, "%s and %s have different results for %llu runs", path,
                                 s->results, (unsigned long long)n_differ));
}

static bool
join(struct sweeping *s, struct err *err)
{
    struct rec_sweeps *store = sweeping_open(s, err);
    bool good = store;

    for (uint32_t i = 0; good && i < s->ranks->n; i++) {
        good = join_part(s, store, i, err);
    }
    if (store) {
        rec_sweeps_close(store);
    }
    return good;
}

bool
sweeping_share(struct sweeping *s, struct err *err)
{
    char path[PATH_BYTES];
    struct sweeping part = part_of(s, s->ranks->rank, path);
    int code = sweeping_run(&part, err) ? EXIT_GOOD : run_code_of_file(err);

    code = rank_sync_agree(s->ranks, code, 0, err);
    if (code != EXIT_GOOD || !gather(s, &part, err)) {
        return false;
    }
    code = rank_sync_is_first(s->ranks) && !join(s, err) ? EXIT_WORLD : EXIT_GOOD;
    return rank_sync_agree(s->ranks, code, 0, err) == EXIT_GOOD;
}
