/* Begins and ends the program as one of several ranks. */

#include "cli/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/out-of-memory.h"
#include "cli/cli.h"
#include "mpi/mpi.h"
#include "run/rank-sync.h"

/* The ranks that this process belongs to. Global, like the streams, because all messages of the
 * program depend on it. */
static struct {
    struct mpi *mpi; /* Null: the process runs alone. */
    struct outcome_ranks all;
    bool is_quiet;
    char name[40];
} own;

static void
hurry(void *mpi)
{
    mpi_hurry(mpi);
}

/* Waits for the rank that prints. When a rank ends with an error, the launcher kills all others,
 * even one that has not printed its error yet, so the rank that prints must end first. */
static void
let_speaker_end_first(void)
{
    if (own.is_quiet) {
        nanosleep(&(struct timespec){ .tv_nsec = 700000000 }, NULL);
    }
}

/* Takes the rank from the launcher, before MPI starts: only the first rank prints. */
static void
take_name(const struct mpi_launch *launch)
{
    own.is_quiet = launch->rank > 0;
    if (own.is_quiet) {
        cli_make_output_silent();
    }
    snprintf(own.name, sizeof own.name, "rank %u of %u: ", launch->rank, launch->n);
    oom_speak_as(own.name);
}

bool
ranks_begin(const char *name, bool is_for_ranks, int *code)
{
    struct mpi_launch launch;
    struct err err;

    if (!mpi_launch_read(&launch, &err)) {
        *code = cli_fail(EXIT_USER, "%s", err.text);
        return false;
    }
    if (!launch.by) {
        return true;
    }
    take_name(&launch);
    own.mpi = mpi_begin(&launch, &err);
    if (!own.mpi) {
        *code = cli_print_error(EXIT_WORLD, &err);
        let_speaker_end_first();
        return false;
    }
    if (!is_for_ranks) {
        *code = ranks_end(
            cli_fail(EXIT_USER,
                     "weir %s cannot be shared by several processes; start it without %s, or set "
                     "WEIR_ALONE=1 in the environment so that each process runs alone",
                     name, launch.by));
        return false;
    }
    own.all = (struct outcome_ranks){ .sim = mpi_ranks(own.mpi), .hurry = hurry, .arg = own.mpi };
    return true;
}

/* Ends the process without finalizing MPI, which is impossible when a rank is missing. All messages
 * have been printed. */
static _Noreturn void
end_broken(int code)
{
    fflush(stderr);
    let_speaker_end_first();
    _exit(code);
}

int
ranks_end(int code)
{
    struct err err;

    if (!own.mpi) {
        return code;
    }
    if (mpi_gone(own.mpi) >= 0) {
        end_broken(code);
    }
    int common = code;
    if (!rank_sync_broadcast(mpi_ranks(own.mpi), &common, sizeof common, &err)) {
        /* An error that was printed already is enough. */
        bool was_said = code == EXIT_USER || code == EXIT_WORLD;
        end_broken(was_said ? code : cli_print_error(EXIT_WORLD, &err));
    }
    mpi_end(own.mpi);
    own.mpi = NULL;
    return common;
}

const struct outcome_ranks *
ranks_all(void)
{
    return own.mpi ? &own.all : NULL;
}

uint32_t
ranks_n_sharing(void)
{
    return own.mpi ? mpi_n_sharing(own.mpi) : 1;
}

bool
ranks_is_speaker(void)
{
    return !own.is_quiet;
}

void
ranks_find_speaker(void)
{
    if (own.mpi && mpi_gone(own.mpi) == 0 && mpi_ranks(own.mpi)->rank == 1) {
        own.is_quiet = false;
    }
}

void
ranks_show_counts(uint64_t n_windows)
{
    struct mpi_counts c = own.mpi ? mpi_counts(own.mpi) : (struct mpi_counts){ 0 };
    double n = n_windows ? (double)n_windows : 1;

    if (own.mpi) {
        fprintf(stderr,
                "rank 0 of %u: %llu swaps, %llu messages and %llu bytes sent, %.2f s waited; per "
                "window %.2f messages and %.0f bytes\n",
                mpi_ranks(own.mpi)->n, (unsigned long long)c.n_swaps,
                (unsigned long long)c.n_messages, (unsigned long long)c.n_bytes, c.waited_s,
                (double)c.n_messages / n, (double)c.n_bytes / n);
    }
}
