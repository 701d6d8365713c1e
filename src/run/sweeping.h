/* Runs a sweep: all runs of a study that a results file does not have yet, in a pool of worker
 * processes.
 *
 *     struct sweeping s = { .study = &study, .sample = run, .results = "study.db" };
 *     if (!sweeping_run(&s, &err)) ...
 *     s.id, s.counts.n_now ...                                   the sweep and its counts
 *
 * A watcher receives reports on the progress.  Ctrl-C stops the sweep properly; the same sweep
 * continues later. */

#ifndef RUN_SWEEPING_H
#define RUN_SWEEPING_H

#include "run/collect.h"
#include "run/settings.h"
#include "run/worker-pool.h"
#include "sim/ranks.h"

enum sweeping_status {
    SWEEPING_COMPLETE,
    SWEEPING_STOPPED,
    SWEEPING_SKIPPED,
    SWEEPING_REFUSED,
    SWEEPING_FAILED,
    SWEEPING_N
};

extern const char
    *const sweeping_statuses[SWEEPING_N]; /* The statuses of runs, as they are in results files. */

/* The summary of a run: plain numbers, which a worker sends through a pipe. */
struct sweeping_summary {
    enum sweeping_status status;
    struct collected collected;
    double wall_s;                /* Negative: not known. */
    double own[SCN_MAX_MEASURES]; /* The study's measures; negative: none. */
    char warning[256];            /* Warnings about workloads with too little data; or empty. */
    char why[WORKER_POOL_HARM_BYTES + WORKER_POOL_SAID_BYTES + 2];
};

/* Counts of the runs of a sweep, or of a rank's part of it.  It has no pointers, since ranks send
 * it to the first rank. */
struct sweeping_counts {
    uint64_t n_own, n_there, n_now, n_dead, n_collapsed;
    /* The number of runs that measure a workload too briefly, and the first of their warnings. */
    uint64_t n_warned;
    char warning[sizeof((struct sweeping_summary *)0)->warning];
    uint64_t n_by_status[SWEEPING_N];
    double seconds;
    bool is_interrupted;
};

struct sweeping_watcher {
    /* Called several times per second. */
    void (*report)(void *arg, const struct sweeping_counts *);
    void (*failed)(void *arg, uint64_t run, const char *settings, const char *why);
    void *arg;
};

struct sweeping {
    const struct scn_study *study;
    uint64_t sample; /* A run whose scenario can be read, found by study_check(). */
    const char *results;
    uint64_t shard, n_shards; /* The part to run, counted from 1; 0: all parts. */
    size_t n_jobs;            /* 0: one per core.  */
    /* The ranks that share the sweep, or null.  Each has its own file, STEM.IofN.db; the first rank
     * joins them in 'results'. */
    const struct sim_ranks *ranks;
    const char *stem;
    uint32_t n_sharing; /* The number of ranks on the same cores, including this one; or 0. */
    const struct sweeping_watcher *watcher; /* Or null. */

    /* The counts during the sweep and afterwards. */
    uint64_t id; /* The sweep's id in the results file. */
    struct sweeping_counts counts;
};

/* Runs the sweep. Returns false after a system error. */
bool sweeping_run(struct sweeping *, struct err *);

/* Opens the results file, and finds or begins the sweep in it. Used by sweeping-share.c, too. */
struct rec_sweeps *sweeping_open(struct sweeping *, struct err *);

/* Runs the part of one of several ranks (sweeping-share.c). */
bool sweeping_share(struct sweeping *, struct err *);

#endif
