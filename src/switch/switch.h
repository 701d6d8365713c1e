/* One switch of a scenario on real ports, in real time: the implementation of `weir switch`.
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
    const char *node;         /* The name of the switch; null: the scenario has only one. */
    const char *const *ports; /* One word for each port, such as "H1=eth1" or "H2=down". */
    size_t n_ports;
    const char *const *eal; /* Arguments for DPDK, ended by null. */
    const char *pcap;       /* The path of a capture file; or null. */
    bool force;             /* An existing capture file is replaced. */
    int64_t time_ns;        /* The time to run; 0: the switch runs until it is stopped. */
    FILE *messages;         /* The stream for warnings, and for links that go up or down. */
    FILE *out;              /* The stream for the report at the end. */
    bool json;
    bool shows_seconds; /* The report also has a line for each second. */
};

/* Runs the switch. Returns an exit code. */
int switch_run(const struct scenario *, const struct switch_request *, struct err *);

#endif
