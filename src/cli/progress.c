/* Shows on a terminal how far a run or a sweep has come. */

#include "cli/progress.h"

#include <unistd.h>

#include "cli/cli.h"
#include "cli/ranks.h"

typedef unsigned long long llu; /* As printf() has it. */

/* Where it is not a terminal, as in the log of a job, a line every so often says enough. */
enum { LOGGED_EVERY_S = 10 };

bool
progress_is_wanted(void)
{
    return isatty(STDERR_FILENO);
}

void
progress_wipe(struct progress *p)
{
    if (p->is_shown) {
        dprintf(STDERR_FILENO, "\r\033[K");
    }
    p->is_shown = false;
}

static void
print_run_progress(void *arg, weir_ps done_ps, weir_ps until_ps, double elapsed_s)
{
    struct progress *p = arg;
    double share = (double)done_ps / (double)until_ps;
    struct weir_text now = { 0 }, speed = { 0 };
    bool is_seen = progress_is_wanted();

    if (!is_seen && elapsed_s - p->shown_s < LOGGED_EVERY_S) {
        return;
    }
    value_add_time(&now, done_ps);
    value_add_time(&speed, (weir_ps)((double)done_ps / elapsed_s));
    dprintf(STDERR_FILENO, "%s%s simulated, %.0f %%, %s per second, %.0f s left%s",
            is_seen ? "\r" : "", now.s, 100 * share, speed.s,
            share > 0 ? elapsed_s / share - elapsed_s : 0, is_seen ? "   " : "\n");
    p->shown_s = elapsed_s;
    p->is_shown = is_seen;
}

struct outcome_watcher
progress_of_runs(struct progress *p)
{
    return (struct outcome_watcher){ .report = print_run_progress, .arg = p };
}

/* A second takes a second, but for the first ones, until all processes are ready. */
static void
print_lab_progress(void *arg, weir_ps done_ps, weir_ps until_ps, double elapsed_s)
{
    struct progress *p = arg;
    struct weir_text now = { 0 }, end = { 0 };

    (void)elapsed_s;
    value_add_time(&now, done_ps);
    weir_text_add(&end, "%t", until_ps);
    dprintf(STDERR_FILENO, "\r%s of %s   ", now.s, end.s);
    p->is_shown = true;
}

struct outcome_watcher
progress_of_labs(struct progress *p)
{
    return (struct outcome_watcher){ .report = print_lab_progress, .arg = p };
}

/* Many runs. */

static void
write_duration(double left_s, char *out, size_t out_bytes)
{
    llu s = (llu)(left_s + 0.5);

    if (s < 120) {
        snprintf(out, out_bytes, "%llu s", s);
    } else if (s < 7200) {
        snprintf(out, out_bytes, "%llu min", s / 60);
    } else {
        snprintf(out, out_bytes, "%llu h %02llu min", s / 3600, s / 60 % 60);
    }
}

/* On a terminal, and not too often. */
static void
print_sweep_progress(void *arg, const struct sweeping_counts *s)
{
    struct progress *p = arg;
    llu n_done = s->n_there + s->n_now;
    char left[40];

    if (!progress_is_wanted() || !ranks_is_speaker() || s->seconds - p->shown_s < 0.2 ||
        !s->n_now) {
        return;
    }
    p->shown_s = s->seconds;
    p->is_shown = true;
    write_duration(s->seconds / (double)s->n_now * (double)(s->n_own - n_done), left, sizeof left);
    dprintf(STDERR_FILENO, "\r%llu of %llu runs, %.0f %%, %s left; %llu deadlocks   ", n_done,
            (llu)s->n_own, 100 * (double)n_done / (double)s->n_own, left, (llu)s->n_dead);
}

static void
print_failed(void *arg, uint64_t run, const char *settings, const char *why)
{
    progress_wipe(arg);
    /* By whichever rank it is: the others do not know of it. */
    fprintf(stderr, "weir: run %llu failed (%s): %s\n", (llu)run, settings, why);
}

struct sweeping_watcher
progress_of_sweeps(struct progress *p)
{
    return (struct sweeping_watcher){ .report = print_sweep_progress,
                                      .failed = print_failed,
                                      .arg = p };
}
