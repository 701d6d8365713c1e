/* A library that is loaded before a program and makes its clock leap.  The clock begins as on a
 * machine that has run for months, and each SIGUSR1 advances it by 106 days, almost the range of
 * 64-bit picoseconds. */

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_S = 120 * 86400, LEAP_S = 106 * 86400 + 5 * 3600 };

static volatile sig_atomic_t n_leaps;

static void
leap(int signal)
{
    (void)signal;
    n_leaps++;
}

static __attribute__((constructor)) void
hear(void)
{
    signal(SIGUSR1, leap);
}

int
clock_gettime(clockid_t id, struct timespec *t)
{
    int failed = (int)syscall(SYS_clock_gettime, id, t);

    if (!failed && id == CLOCK_MONOTONIC) {
        t->tv_sec += FIRST_S + (time_t)n_leaps * LEAP_S;
    }
    return failed;
}
