/* Runs written scenarios: the deadlock that a run finds, and whether the check predicted it. */

#ifndef TESTS_CHECK_FOUND_H
#define TESTS_CHECK_FOUND_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/sim.h"

/* A ring of three switches with one host each; all flows take the same direction. */
#define RING                                                                                       \
    "topology: {kind: ring, switches: 3, rate: 10Gbps, delay: 1us}\n"                              \
    "run: {time: 20ms}\n"                                                                          \
    "flows: [{from: H1, to: H3, via: [S1, S2, S3]}, {from: H2, to: H1, via: [S2, S3, S1]},\n"      \
    "        {from: H3, to: H2, via: [S3, S1, S2]}]\n"

struct found {
    struct sim_deadlock deadlock;
    struct sim_totals totals;
    /* Received bytes of the first flow, and its rate in the second half of the run. */
    uint64_t received_bytes, late_bps;
    bool was_foretold;
};

/* Runs a scenario with one thread and with two. Checks that the results are equal and that the
 * check predicted any deadlock. */
struct found run(const char *text);

#endif
