/* Failures to get a resource of the machine: memory or a thread.
 *
 * The program cannot continue without these, and need not undo anything: results files remain
 * consistent, like after a power failure.  So there is one kind of failure everywhere: a line that
 * names the resource and its size, and the exit code for system failures.
 *
 * If the amount is known beforehand, check it first:
 *
 *     oom_check(n_flows * sizeof *flows, "%zu flows", n_flows);
 *
 * Linux overcommits memory and later kills the process that uses it, so a successful allocation
 * proves little. */

#ifndef BASE_OUT_OF_MEMORY_H
#define BASE_OUT_OF_MEMORY_H

#include <stddef.h>
#include <stdint.h>

enum { OOM_EXIT = 3 }; /* The exit code for system errors; run/exit.h has all codes. */

/* Sets the text after "weir: ", such as "rank 2 of 4: ", if several processes share a terminal.
 * Call it before threads are created. */
void oom_speak_as(const char *name);

/* Prints "weir: ..." and ends the program.  Any thread may call it; it allocates nothing. */
_Noreturn void oom_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the program, because an allocation of n items has failed. */
_Noreturn void oom_fail_bytes(size_t n, size_t item_bytes);

/* Ends the program if so much more memory is not available. 'format' names its use, in the
 * plural. */
void oom_check(uint64_t bytes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The number of bytes that this process can still allocate: memory that is free or can be freed on
 * the machine, within the limits of control groups and ulimit.  UINT64_MAX: the limit is
 * unknown. */
uint64_t oom_memory_there(void);

#endif
