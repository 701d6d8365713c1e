/* Lets several processes take turns, by a counter in shared memory. */

#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "run/sequencer.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <time.h>

#include "base/out-of-memory.h"
#include "run/stopping.h"

struct sequencer {
    size_t n_bytes;
    atomic_bool is_over[];
};

struct sequencer *
sequencer_new(size_t n)
{
    size_t n_bytes = sizeof(struct sequencer) + n * sizeof(atomic_bool);
    struct sequencer *t =
        mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (t == MAP_FAILED) {
        oom_fail_bytes(1, n_bytes);
    }
    t->n_bytes = n_bytes;
    return t;
}

void
sequencer_free(struct sequencer *t)
{
    munmap(t, t->n_bytes);
}

/* Polls every millisecond, since a process with an earlier turn may have died. The process that
 * notices the death ends that turn. */
void
sequencer_wait(struct sequencer *t, size_t turn)
{
    const struct timespec pause = { .tv_nsec = 1000000 };

    for (size_t i = 0; i < turn; i++) {
        while (!atomic_load(&t->is_over[i]) && !stopping_is_asked()) {
            nanosleep(&pause, NULL);
        }
    }
}

void
sequencer_end(struct sequencer *t, size_t turn)
{
    atomic_store(&t->is_over[turn], true);
}
