/* Resources of the machine that the program may not get: memory and threads.
 *
 * Nothing can go on without them, and nothing that was begun has to be undone: results files are as
 * whole after this as after a power failure.  So there is one kind of failure everywhere: a line
 * that names the resource and its size, and the exit code for failures of the system.
 *
 * If the amount is known beforehand, check it first:
 *
 *     oom_check(n_flows * sizeof *flows, "%zu flows", n_flows);
 *
 * Linux promises memory that it does not have and then kills the process that uses it, so a
 * successful allocation proves little. */

#ifndef BASE_OUT_OF_MEMORY_H
#define BASE_OUT_OF_MEMORY_H

#include <stddef.h>
#include <stdint.h>

enum { OOM_EXIT = 3 }; /* The world's fault; run/exit.h has all codes. */

/* The text behind "weir: " from here on, as "rank 2 of 4: ", if several processes share a terminal.
 * Before there are threads. */
void oom_speak_as(const char *name);

/* Says "weir: ..." and ends the program.  Any thread may; it allocates nothing. */
_Noreturn void oom_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An allocation of n items has failed. */
_Noreturn void oom_fail_bytes(size_t n, size_t item_bytes);

/* Ends the program if this much more memory is not available; 'what' names its use, in the plural.
 */
void oom_check(uint64_t bytes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* How many bytes this process can still have: memory that is free or can be freed on the machine,
 * within the limits of control groups and ulimit.  UINT64_MAX: the limit is unknown. */
uint64_t oom_memory_there(void);

#endif
