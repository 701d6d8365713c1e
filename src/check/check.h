/* Checks without a run whether a network can deadlock: finds cyclic buffer dependencies under its
 * routing, also when links fail, and routing loops.
 *
 *     struct check_request request = { .file = file, .sets = sets, .n_sets = n, .out = out };
 *     code = check_run(&scenario, &request, &err); */

#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include <stdio.h>

#include "scenario/scenario.h"

enum { CHECK_MAX_SETS = 64, CHECK_MAX_HOP_CLASSES = 64 };

struct check_request {
    const char *file;        /* The scenario's file. The check reads it again with other
                              * settings. */
    const char *const *sets; /* The settings "key=value" with which it was read. */
    size_t n_sets;
    const char *dot, *svg, *scenario; /* Files to write, or null. */
    bool force;                       /* Replaces an existing file at the path 'scenario'. */
    uint64_t n_fail;                  /* The number of links that fail at the same time: 0, 1 or
                                       * 2. */
    uint64_t n_threads;               /* The number of threads; 0: one for each core. */
    uint64_t n_hop_classes;           /* The number of classes that count hops; 0: packets keep
                                       * their class. */
    bool flows;                       /* Only the routes of flows count. */
    bool json;
    FILE *out;
    void (*progress)(void *arg, size_t n_tried,
                     size_t n_trials); /* Called with the number of failures tried so far; or
                                        * null. */
    void *arg;
};

/* Refuses options that do not apply to the scenario.  Returns an exit code. */
int check_refuse(const struct scenario *, const struct check_request *, struct err *);

/* Checks, and writes the result.  Returns an exit code: EXIT_DIFFERS if there is a cycle. */
int check_run(const struct scenario *, const struct check_request *, struct err *);

#endif
