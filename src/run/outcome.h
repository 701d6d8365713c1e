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

/* A runner of a model in place of sim_run(): nodes run elsewhere, and the simulation receives their
 * reports (sim/live.h).  The results are read as usual afterwards. */
struct outcome_runner {
    const char *host; /* The runner's name for results files: "lab", "virtual lab". */
    void *arg;

    /* Called when the configuration is complete, before the simulation is created.  It may start
     * processes, which build the same scenario; it sets in 'config' where the model runs.  Returns
     * an exit code, as run() does. */
    int (*begin)(void *arg, struct scenario *, struct sim_config *config, struct err *);

    /* Called in place of sim_run(), when the files of the run are open. */
    int (*run)(void *arg, struct sim *, struct err *);

    /* Called after run(): reports the runner's counters by outcome_count(), and its warnings by
     * outcome_warn(). */
    void (*count)(void *arg, struct outcome *);
};

/* A runner's counters of a node. */
struct outcome_counted {
    uint32_t node;
    const char *name; /* Not copied: it must stay valid. */
    uint64_t value;
};

/* Warnings for the user: five from a runner, and one from the recorder. */
enum { OUTCOME_MAX_WARNED = 6 };

struct outcome {
    struct scenario s;
    struct sim *sim;
    struct sim_totals totals;
    struct sim_deadlock deadlock;
    /* Flows that are silent or get less than a tenth of their fair share, except those in
     * n_deadlocked. */
    size_t n_collapsed;
    size_t n_deadlocked; /* Flows that receive nothing because of a deadlock. */
    /* The collapsed flows that reached their share before they became silent. */
    size_t n_silent;
    struct sim_silence silence;
    double seconds;         /* The duration of the run, without its set-up. */
    struct weir_text stuck; /* Names ranks of a job that cannot go on; or empty. */
    struct err imbalance;   /* Where bytes appeared or were lost without a drop; or empty. */
    struct {
        const char *what;
        weir_ps at_ps;
    } violations[9];
    size_t n_violations;
    bool is_stopped;  /* The run was stopped before its end. */
    const char *host; /* The program that ran the nodes: "simulator", or the runner's name. */
    struct outcome_counted *counted;
    size_t n_counted, max_counted;
    uint64_t n_lost_lossless; /* Packets of lossless classes that the host itself has lost. */
    /* How late the runner of the nodes is, as text; empty: it is never late. */
    struct weir_text tau;
    struct weir_text warned[OUTCOME_MAX_WARNED]; /* See run/warnings.h. */
    size_t n_warned;
    struct completion flows; /* Flows with completion times, sorted by their ids. */
    /* The facts of the run (run/collect.h), which only the first rank has. */
    struct collected *collected;
};

/* The number of packets that were lost for any reason; control frames do not count. */
static inline bool
outcome_loses_packets(const struct sim_totals *t)
{
    return t->n_dropped || t->n_flushed || t->n_no_route || t->n_expired ||
           t->n_lost > t->n_lost_frames;
}

/* Reads a scenario. Returns an exit code, like all functions of this header that can fail. */
int outcome_read(struct scenario *, const char *file, const char *const *sets, size_t n_sets,
                 struct err *);

/* Like outcome_read(), for an untrusted scenario: it and all files that it names are opened by
 * base/safe-open.h, below the current folder. */
int outcome_read_confined(struct scenario *, const char *file, const char *const *sets,
                          size_t n_sets, struct err *);

/* Processes that make one run together. */
struct outcome_ranks {
    const struct sim_ranks *sim;
    /* Called in a signal handler, if the process will be killed unless it ends soon. */
    void (*hurry)(void *arg);
    void *arg;
};

struct outcome_job {
    const char *file;
    const char *const *sets; /* "switch.buffer=300KB". */
    size_t n_sets;
    uint32_t n_threads;
    const struct outcome_ranks *ranks; /* Or null: this process runs everything. */
    const char *results;               /* A results file to add the run to, or null. */
    uint64_t command_ns; /* The start of a command that makes several runs; 0: it makes one. */
    uint64_t place;      /* The position of this run among the command's runs. */
    struct sequencer *sequencer; /* Orders the numbering of runs in the results file; or null. */
    bool is_confined;        /* Files are opened below the current folder only, without links. */
    struct capture *capture; /* Its options have been checked; or null. */
    /* Filled during the run; or null. It cannot be used together with 'results'. */
    struct intervals *intervals;
    const struct scn_study *study; /* The study of the run, if there are intervals; or null. */
    const struct outcome_watcher *watcher; /* Or null. */
    /* Null: the run is simulated. A runner cannot be used with ranks or threads. */
    const struct outcome_runner *runner;
};

/* Reads, checks and runs a scenario.  The outcome must be freed only after EXIT_GOOD and
 * EXIT_PROMISE.
 */
int outcome_run(struct outcome *, const struct outcome_job *, struct err *);

/* Like outcome_run(), for a scenario already read into an otherwise empty outcome. */
int outcome_run_read(struct outcome *, const struct outcome_job *, struct err *);
void outcome_free(struct outcome *);

/* Add a counter of a node, and a warning. Runners may call both functions, recorders only
 * outcome_warn(). */
void outcome_count(struct outcome *, uint32_t node, const char *name, uint64_t value);
void outcome_warn(struct outcome *, const char *sentence);

/* Whether static routes lead the flow into a loop, or through more switches than the hop limit. */
bool outcome_flow_is_astray(const struct outcome *, uint32_t flow);

/* Whether queues are silent for a reason other than a deadlock. */
bool outcome_is_silent(const struct outcome *);

/* Whether flow statistics include the flow: it has started, after the warm-up, and is not a
 * connection of a job. */
bool outcome_flow_is_measured(const struct outcome *, size_t flow);

/* The rate of a flow from its start to its end, or to the end of the run. */
uint64_t outcome_flow_bps(const struct outcome *, size_t flow);

/* The flow's duration divided by its duration on an idle network; 0: it has not ended. */
double outcome_flow_slowdown(const struct outcome *, size_t flow);

#endif
