/* A library that is loaded before a program and makes its clock a thousand times as fast: output
 * that the program shows after a second appears at once. */

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { QUICKER = 1000 };

static const long long ns_per_s = 1000000000;
static long long first_ns;

static long long
now_ns(void)
{
    struct timespec t;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return t.tv_sec * ns_per_s + t.tv_nsec;
}

static __attribute__((constructor)) void
begin(void)
{
    first_ns = now_ns();
}

int
clock_gettime(clockid_t id, struct timespec *t)
{
    if (id != CLOCK_MONOTONIC) {
        return (int)syscall(SYS_clock_gettime, id, t);
    }
    long long ns = first_ns + (now_ns() - first_ns) * QUICKER;
    *t = (struct timespec){ .tv_sec = (time_t)(ns / ns_per_s), .tv_nsec = (long)(ns % ns_per_s) };
    return 0;
}
