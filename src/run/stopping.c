/* Handles interrupts, depending on the stage of the program. */

#include "run/stopping.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "run/outcome.h"

/* Global, because a signal handler gets no arguments from the program. */
static struct sim *_Atomic running;
static const struct outcome_ranks *_Atomic running_ranks;
static void (*_Atomic print_stopped)(void);
static atomic_bool is_asked;
/* The number of holds, which nest: a function that holds may call others that do. */
static atomic_uint n_held;

static const int signals[] = { SIGINT, SIGTERM };

enum { N_SIGNALS = sizeof signals / sizeof *signals };

/* The signal handlers from before the first hold. */
static struct sigaction before[N_SIGNALS];

static void
end_at_once(void)
{
    void (*say)(void) = print_stopped;

    if (say) {
        say();
    }
    _exit(EXIT_STOPPED);
}

/* The signal handler. Only launchers and job schedulers send SIGTERM, and they kill processes that
 * do not end soon. */
static void
stop(int signal)
{
    struct sim *sim = running;
    const struct outcome_ranks *ranks = running_ranks;

    is_asked = true;
    if (!n_held) {
        end_at_once();
    }
    if (sim) {
        sim_stop(sim);
    }
    if (ranks && signal == SIGTERM) {
        ranks->hurry(ranks->arg);
    }
}

static void
catch_signals(struct sigaction *old)
{
    const struct sigaction on_signal = { .sa_handler = stop };

    for (size_t i = 0; i < N_SIGNALS; i++) {
        sigaction(signals[i], &on_signal, old ? &old[i] : NULL);
    }
}

void
stopping_begin(void (*say)(void))
{
    print_stopped = say;
    is_asked = false;
    n_held = 0;
    running = NULL;
    catch_signals(NULL);
}

static void
mask_asked(int how)
{
    sigset_t asked;

    sigemptyset(&asked);
    sigaddset(&asked, SIGTERM);
    sigprocmask(how, &asked, NULL);
}

void
stopping_begin_worker(void)
{
    stopping_begin(NULL);
    mask_asked(SIG_UNBLOCK);
}

void
stopping_end_worker(void)
{
    mask_asked(SIG_BLOCK);
}

void
stopping_hold(struct sim *sim, const struct outcome_ranks *ranks)
{
    running = sim;
    running_ranks = ranks;
    if (!n_held++) {
        catch_signals(before);
    }
}

void
stopping_let_go(void)
{
    running = NULL;
    running_ranks = NULL;
    if (--n_held) {
        return;
    }
    for (size_t i = 0; i < N_SIGNALS; i++) {
        sigaction(signals[i], &before[i], NULL);
    }
}

bool
stopping_is_asked(void)
{
    return is_asked;
}
