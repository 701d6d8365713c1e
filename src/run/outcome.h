/* A scenario that has been run. */

#ifndef RUN_OUTCOME_H
#define RUN_OUTCOME_H

#include "answer/completion.h"
#include "run/exit.h"
#include "scenario/scenario.h"
#include "sim/sim.h"

struct capture;
struct collected;
struct intervals;
struct scn_study;
struct sequencer;

/* Receives the progress of a run.  Called several times per second, on a thread of its own. */
struct outcome_watcher {
    void (*report)(void *arg, weir_ps done_ps, weir_ps until_ps, double elapsed_s);
    void *arg;
};

struct outcome;

/* Another runner of a model than sim_run(): nodes run elsewhere, and the simulation receives their
 * reports (sim/live.h).  Its results are read in the same way afterwards. */
struct outcome_runner {
    const char *host; /* The runner's name for results files: "lab", "virtual lab". */
    void *arg;

    /* Called when the simulation's configuration is complete, before it is made.  May start
     * processes, which build the same scenario; 'config' has the place where the model runs.
     * Returns an exit code, as does the next. */
    int (*begin)(void *arg, struct scenario *, struct sim_config *config, struct err *);

    /* Instead of sim_run(); the files of the run are there. */
    int (*run)(void *arg, struct sim *, struct err *);

    /* After that: reports its own counters by outcome_count(), and its warnings by
     * outcome_warn(). */
    void (*count)(void *arg, struct outcome *);
};

/* A runner's counters of a node. */
struct outcome_counted {
    uint32_t node;
    const char *name; /* Not copied. */
    uint64_t value;
};

/* Warnings for the user: five from a runner, and one from the recorder. */
enum { OUTCOME_MAX_WARNED = 6 };

struct outcome {
    struct scenario s;
    struct sim *sim;
    struct sim_totals totals;
    struct sim_deadlock deadlock;
    size_t n_collapsed;  /* Flows below a tenth of their fair share or silent, but for these: */
    size_t n_deadlocked; /* flows that get nothing because of a deadlock. */
    size_t n_silent;     /* Collapsed flows that had their share before they fell silent. */
    struct sim_silence silence;
    double seconds;       /* Running time, without the set-up. */
    struct err imbalance; /* Where bytes were created or forgotten. */
    struct {
        const char *what;
        weir_ps at_ps;
    } violations[8];
    size_t n_violations;
    bool is_stopped;  /* Before its time. */
    const char *host; /* The program that ran its nodes: "simulator", or the runner's name. */
    struct outcome_counted *counted;
    size_t n_counted, max_counted;
    uint64_t n_lost_lossless; /* Packets of lossless classes that the host itself has lost. */
    struct weir_text tau;     /* The lateness of its host, as text; empty: it keeps exact time. */
    struct weir_text warned[OUTCOME_MAX_WARNED]; /* See run/warnings.h. */
    size_t n_warned;
    struct completion flows;     /* Flows with completion times, by their ids; */
    struct collected *collected; /* and the facts (run/collect.h), which the first rank has. */
};

/* Packets that did not arrive for whatever reason; control frames are no packets. */
static inline bool
outcome_loses_packets(const struct sim_totals *t)
{
    return t->n_dropped || t->n_flushed || t->n_no_route || t->n_expired ||
           t->n_lost > t->n_lost_frames;
}

/* Reads a scenario.  Returns an exit code, as all here do that can fail. */
int outcome_read(struct scenario *, const char *file, const char *const *sets, size_t n_sets,
                 struct err *);

/* The same for a scenario that is not trusted: it and all files that it names are opened by the
 * rule of base/safe-open.h, below the current folder. */
int outcome_read_confined(struct scenario *, const char *file, const char *const *sets,
                          size_t n_sets, struct err *);

/* Processes that make one run together. */
struct outcome_ranks {
    const struct sim_ranks *sim;
    void (*hurry)(
        void *arg); /* From a signal handler: a process that does not end soon is killed. */
    void *arg;
};

struct outcome_job {
    const char *file;
    const char *const *sets; /* "switch.buffer=300KB". */
    size_t n_sets;
    uint32_t n_threads;
    const struct outcome_ranks *ranks; /* Or null: this process runs everything. */
    const char *results;               /* A results file to add the run to, or null. */
    uint64_t command_ns; /* When the command began that makes several runs; 0: it makes one. */
    uint64_t place;      /* The position of this run among them. */
    struct sequencer *sequencer; /* In which they get their numbers in the results file, or null. */
    bool is_confined;        /* Files are opened below the current folder only, without links. */
    struct capture *capture; /* Its options have been checked; or null. */
    struct intervals *intervals;           /* Filled during the run; not with results; or null. */
    const struct scn_study *study;         /* The study of the run, with intervals; or null. */
    const struct outcome_watcher *watcher; /* Or null. */
    const struct outcome_runner *runner;   /* Not with ranks or threads; null: it is simulated. */
};

/* Reads, checks and runs.  After all codes but EXIT_GOOD and EXIT_PROMISE there is nothing to free.
 */
int outcome_run(struct outcome *, const struct outcome_job *, struct err *);

/* The same for a scenario that has been read, in an outcome that has nothing else. */
int outcome_run_read(struct outcome *, const struct outcome_job *, struct err *);
void outcome_free(struct outcome *);

/* Called by runners; recorders may call the second, too. */
void outcome_count(struct outcome *, uint32_t node, const char *name, uint64_t value);
void outcome_warn(struct outcome *, const char *sentence);

/* Static routes lead the flow round in a loop, or by more switches than the hop limit. */
bool outcome_flow_is_astray(const struct outcome *, uint32_t flow);

/* Whether queues are silent for another reason than a deadlock. */
bool outcome_is_silent(const struct outcome *);

/* Whether statistics of flows count it: it has started, and not in the warm-up. */
bool outcome_flow_is_measured(const struct outcome *, size_t flow);

/* The rate of a flow from its start to its end, or to the end of the run. */
uint64_t outcome_flow_bps(const struct outcome *, size_t flow);

/* How many times longer it took than alone; 0: it has not ended. */
double outcome_flow_slowdown(const struct outcome *, size_t flow);

#endif
