/* The cores that a process may run on, in EAL's syntax. */

#ifndef DATAPLANE_DPDK_CORES_H
#define DATAPLANE_DPDK_CORES_H

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

enum { CORES_TEXT = 8 * CPU_SETSIZE };

/* Describes one logical core of DPDK that may run on any of these cores: "0@(2,3)". Their numbers
 * may be higher than those that DPDK allows for its own cores. Returns false if there are none. */
static inline bool
eal_name_cores(const cpu_set_t *own, char text[CORES_TEXT])
{
    size_t len = (size_t)snprintf(text, CORES_TEXT, "0@(");

    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, own)) {
            len += (size_t)snprintf(text + len, CORES_TEXT - len, "%d,", i);
        }
    }
    text[len - 1] = ')';
    return CPU_COUNT(own) > 0;
}

#endif
