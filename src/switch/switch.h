/* One switch of a scenario on real ports, in real time: the daemon behind `weir switch`.
 *
 *     struct switch_request request = { .ports = words, .n_ports = n, .out = out, ... };
 *     code = switch_run(&scenario, &request, &err);
 *
 * The thread that calls switch_run() polls the ports until the switch is stopped
 * (run/stopping.h). */

#ifndef SWITCH_SWITCH_H
#define SWITCH_SWITCH_H

#include <stdio.h>

#include "scenario/scenario.h"

enum { SWITCH_MAX_PORTS = 64 };

struct switch_request {
    const char *node;         /* Null: the scenario has one switch. */
    const char *const *ports; /* "H1=eth1", "H2=down": one for each port. */
    size_t n_ports;
    const char *const *eal; /* Arguments for DPDK, ended by null. */
    const char *pcap;       /* A capture file, or null. */
    bool force;             /* Replaces that file. */
    int64_t time_ns;        /* The time to run; 0: until it is stopped. */
    FILE *messages;         /* Warnings, and links that go up or down. */
    FILE *out;              /* The report at the end. */
    bool json;
    bool shows_seconds; /* Adds a line for each second to 'out'. */
};

/* Returns an exit code. */
int switch_run(const struct scenario *, const struct switch_request *, struct err *);

#endif
