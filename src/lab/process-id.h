/* Processes, distinguished from others that have had the same number before or will have it later:
 * by when they started. */

#ifndef LAB_PROCESS_ID_H
#define LAB_PROCESS_ID_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process_id {
    pid_t pid;
    uint64_t ticks; /* Since the machine started; 0: there was no such process. */
};

/* Its ticks where /proc could not be read, as with too many open files. */
#define PROCESS_ID_UNKNOWN UINT64_MAX

struct process_id process_id_of(pid_t);

/* It runs: a process that has ended and only has not been waited for does not. */
bool process_id_is_alive(struct process_id);

/* It surely does not run.  If nothing can be known of one, neither is true. */
bool process_id_is_gone(struct process_id);

#endif
