/* Counts the cores that this process may use, by its affinity. */

#define _GNU_SOURCE /* sched_getaffinity() */

#include "base/core-count.h"

#include <sched.h>
#include <unistd.h>

size_t
core_count(void)
{
    cpu_set_t cores;
    /* The affinity cannot be read, because the machine has more cores than a cpu_set_t. */
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    if (!sched_getaffinity(0, sizeof cores, &cores)) {
        n = CPU_COUNT(&cores);
    }
    return n > 0 ? (size_t)n : 1;
}
