/* A library to preload: the n-th allocation, thread or short write of a program fails.
 *
 *     LD_PRELOAD=libfail.so FAIL_ALLOCATION=17 weir run ...
 *
 * FAIL_ALLOCATION, FAIL_THREAD   the n-th fails; all others succeed
 * FAIL_SHORT                     the n-th write that a library calls directly writes half of its
 *                                bytes (the C library itself repeats short writes of streams)
 * FAIL_COUNT                     a file that gets the number of calls of each kind at the end
 *
 * For the n-th system call that writes, tests use strace instead, because it also sees calls of the
 * C library. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct kind {
    const char *variable;
    _Atomic long n;     /* The number of calls so far. */
    _Atomic long fails; /* The call that fails; 0 for none; -1 before the variable is read. */
} kinds[] = {
    { "FAIL_ALLOCATION", 0, -1 },
    { "FAIL_THREAD", 0, -1 },
    { "FAIL_SHORT", 0, -1 },
};

enum { ALLOCATION, THREAD, SHORT, N_KINDS };

static bool
fails_now(int kind)
{
    struct kind *k = &kinds[kind];

    if (k->fails < 0) {
        const char *asked = getenv(k->variable);
        k->fails = asked ? atol(asked) : 0;
    }
    return ++k->n == k->fails;
}

static __attribute__((destructor)) void
tell_count(void)
{
    const char *path = getenv("FAIL_COUNT");
    FILE *out = path ? fopen(path, "w") : NULL;

    if (out) {
        for (int i = 0; i < N_KINDS; i++) {
            fprintf(out, "%s %ld\n", kinds[i].variable, (long)kinds[i].n);
        }
        fclose(out);
    }
}

/* Calls the real function, in a library that is loaded after this one. */
#define NEXT(NAME, ...)                                                                            \
    static _Atomic(void *) found;                                                                  \
    void *next = found;                                                                            \
    if (!next) {                                                                                   \
        found = next = dlsym(RTLD_NEXT, NAME);                                                     \
    }                                                                                              \
    return ((__VA_ARGS__)next)

/* Functions that libraries call, and the functions behind them that src/cli/allocate.c calls. */
#define ALLOCATES(NAME, PARAMETERS, TYPES, ARGUMENTS)                                              \
    void *NAME PARAMETERS                                                                          \
    {                                                                                              \
        if (fails_now(ALLOCATION)) {                                                               \
            errno = ENOMEM;                                                                        \
            return NULL;                                                                           \
        }                                                                                          \
        NEXT(#NAME, void *(*)TYPES) ARGUMENTS;                                                     \
    }

ALLOCATES(malloc, (size_t bytes), (size_t), (bytes))
ALLOCATES(calloc, (size_t n, size_t item_bytes), (size_t, size_t), (n, item_bytes))
ALLOCATES(realloc, (void *memory, size_t bytes), (void *, size_t), (memory, bytes))
ALLOCATES(aligned_alloc, (size_t align, size_t bytes), (size_t, size_t), (align, bytes))
ALLOCATES(__libc_malloc, (size_t bytes), (size_t), (bytes))
ALLOCATES(__libc_calloc, (size_t n, size_t item_bytes), (size_t, size_t), (n, item_bytes))
ALLOCATES(__libc_realloc, (void *memory, size_t bytes), (void *, size_t), (memory, bytes))
ALLOCATES(__libc_memalign, (size_t align, size_t bytes), (size_t, size_t), (align, bytes))

int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *arg)
{
    if (fails_now(THREAD)) {
        return EAGAIN;
    }
    NEXT("pthread_create", int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))
    (thread, attributes, run, arg);
}

ssize_t
pwrite64(int fd, const void *bytes, size_t n, off64_t at)
{
    size_t rest = fails_now(SHORT) && n > 1 ? n / 2 : n;
    NEXT("pwrite64", ssize_t(*)(int, const void *, size_t, off64_t))(fd, bytes, rest, at);
}

ssize_t
write(int fd, const void *bytes, size_t n)
{
    size_t rest = fails_now(SHORT) && n > 1 ? n / 2 : n;
    NEXT("write", ssize_t(*)(int, const void *, size_t))(fd, bytes, rest);
}
