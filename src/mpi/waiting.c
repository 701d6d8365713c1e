/* Waits for other ranks, and decides when they are lost.
 *
 * MPI does not report that a rank has died: a rank that waits for it waits for ever, or until the
 * launcher kills all ranks. Open MPI's mpirun asks all others to end, by SIGTERM, and kills them
 * about a second later. In that second the first rank must detect the loss and write its results.
 * So a waiting rank checks the processes that it waits for: a rank of this machine is lost when its
 * process no longer exists. A rank of another machine counts as lost if it does not respond for
 * most of the second after the request to end. */

#define _GNU_SOURCE /* sched_getaffinity() */

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/moment.h"
#include "base/text.h"
#include "mpi/pairs.h"

/* The times after which a waiting rank sleeps, and for how long at a time. Before the first of them
 * it only yields the core. The first sleep is short compared with the computing time between two
 * swaps. The last sleep is so long that a rank that waits while others make a sweep takes no
 * noticeable processor time. */
static const struct {
    double after_s;
    long sleep_ns;
} sleeps[] = { { 1, 5000000 }, { 0.02, 100000 } };

static const double look_every_s = 0.02, answer_within_s = 0.6;
enum { IDLE_BEFORE_CLOCK = 16 };

struct mpi_wait
mpi_wait_begin(void)
{
    double now = moment_seconds();
    return (struct mpi_wait){ .since_s = now, .looked_s = now };
}

/* A hash of the kernel and the PID namespace. Processes with the same hash can see each other by
 * process id. Containers have their own namespace. */
static uint64_t
machine(void)
{
    char text[200] = "";
    struct stat numbers = { 0 };
    FILE *boot = fopen("/proc/sys/kernel/random/boot_id", "r");

    if (boot) {
        if (!fgets(text, 100, boot)) {
            text[0] = '\0';
        }
        fclose(boot);
    }
    if (stat("/proc/self/ns/pid", &numbers)) {
        numbers.st_ino = 0;
    }
    size_t len = strlen(text);
    snprintf(text + len, sizeof text - len, "%llu", (unsigned long long)numbers.st_ino);
    return text_hash(text);
}

static uint64_t
cores(void)
{
    char text[CPU_SETSIZE + 1] = "";
    cpu_set_t set;

    if (!sched_getaffinity(0, sizeof set, &set)) {
        for (int i = 0; i < CPU_SETSIZE; i++) {
            text[i] = CPU_ISSET(i, &set) ? '1' : '0';
        }
    }
    return text_hash(text);
}

struct mpi_card
mpi_own_card(void)
{
    struct mpi_card card = {
        .build = WEIR_VERSION, .cores = cores(), .machine = machine(), .pid = getpid()
    };

    if (gethostname(card.host, sizeof card.host - 1)) {
        snprintf(card.host, sizeof card.host, "an unknown machine");
    }
    return card;
}

bool
mpi_lose(struct mpi *m, uint32_t rank, const char *why, struct err *err)
{
    const struct mpi_card *card = &m->cards[rank];

    m->gone = rank;
    return err_set(err, "rank %u of %u is gone, process %lld on %s: %s", rank, m->ranks.n,
                   (long long)card->pid, card->host, why);
}

static bool
is_dead(const struct mpi_card *card)
{
    return card->pid && kill((pid_t)card->pid, 0) && errno == ESRCH;
}

/* Checks whether the awaited ranks are alive. Before ranks know each other's cards, none can be
 * declared lost. */
static bool
check_ranks(struct mpi *m, struct mpi_wait *w, double now, struct err *err)
{
    const struct mpi_card *own = &m->cards[m->ranks.rank];

    if (atomic_load_explicit(&m->hurries, memory_order_relaxed) && w->hurried_s == 0) {
        w->hurried_s = now;
    }
    bool is_late = w->hurried_s > 0 && now - w->hurried_s > answer_within_s;
    for (uint32_t i = 0; i < m->ranks.n; i++) {
        const struct mpi_pair *p = &m->pairs[i];
        bool is_near = m->cards[i].machine == own->machine;
        if (!p->is_sending && !p->is_receiving) {
            continue;
        }
        if (is_near && is_dead(&m->cards[i])) {
            return mpi_lose(m, i, "the process has ended", err);
        }
        if (!is_near && is_late) {
            return mpi_lose(m, i, "it did not answer when the run was asked to end", err);
        }
    }
    w->looked_s = now;
    return true;
}

static void
give_way(double waited_s)
{
    for (size_t i = 0; i < sizeof sleeps / sizeof *sleeps; i++) {
        if (waited_s > sleeps[i].after_s) {
            nanosleep(&(struct timespec){ .tv_nsec = sleeps[i].sleep_ns }, NULL);
            return;
        }
    }
    sched_yield();
}

bool
mpi_wait_on(struct mpi *m, struct mpi_wait *w, struct err *err)
{
    if (++w->n_idle < IDLE_BEFORE_CLOCK) {
        sched_yield();
        return true;
    }
    double now = moment_seconds();
    if (now - w->looked_s > look_every_s && !check_ranks(m, w, now, err)) {
        return false;
    }
    give_way(now - w->since_s);
    return true;
}
