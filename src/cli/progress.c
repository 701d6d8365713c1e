/* Shows the progress of a run, a sweep or another long command on a terminal. */

#include "cli/progress.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/moment.h"
#include "cli/cli.h"
#include "cli/ranks.h"
#include "output/text-width.h"

typedef unsigned long long llu; /* Arguments like printf()'s. */

/* If the output is not a terminal, such as the log of a job, a line every 10 seconds is enough. */
enum { LOGGED_EVERY_S = 10, LINE_BYTES = 400, MAX_BAR = 30, MIN_BAR = 5, DURATION_BYTES = 40 };

#define EVERY_S 0.1
#define AFTER_S 0.2
#define UNKNOWN (-1.)

static bool is_hushed;
static atomic_bool seen; /* A line of progress is on the terminal. */

void
progress_hush(void)
{
    is_hushed = true;
}

bool
progress_is_wanted(void)
{
    return !is_hushed && isatty(STDERR_FILENO);
}

void
progress_wipe(void)
{
    if (atomic_exchange(&seen, false)) {
        dprintf(STDERR_FILENO, "\r\033[K");
    }
}

/* The progress line. */

/* Writes a duration; "?" if it is UNKNOWN. */
static void
write_duration(double seconds, char out[DURATION_BYTES])
{
    llu s = seconds < 0 ? 0 : seconds < 1e9 ? (llu)(seconds + 0.5) : 1000000000;

    if (seconds < 0) {
        strcpy(out, "?");
    } else if (s < 120) {
        snprintf(out, DURATION_BYTES, "%llu s", s);
    } else if (s < 7200) {
        snprintf(out, DURATION_BYTES, "%llu min", s / 60);
    } else {
        snprintf(out, DURATION_BYTES, "%llu h %02llu min", s / 3600, s / 60 % 60);
    }
}

static size_t
terminal_width(void)
{
    struct winsize size;

    return !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : text_width();
}

/* Writes a bar such as "[#####-----] 50 %, ", or nothing if the terminal is too narrow. */
static void
write_bar(double share, size_t room, char out[LINE_BYTES])
{
    size_t n = room < MAX_BAR ? room : MAX_BAR, n_done = (size_t)(share * (double)n);

    out[0] = '\0';
    if (n >= MIN_BAR) {
        snprintf(out, LINE_BYTES, "[%.*s%.*s] ", (int)n_done, "##############################",
                 (int)(n - n_done), "------------------------------");
    }
}

/* The contents of a progress line: the finished share of the work; the same in words, such as "3 of
 * 7 runs, "; a rate, such as "2 ms per second"; the time so far and the time left. */
struct shown {
    double share;
    const char *done, *rate;
    double elapsed_s, left_s;
};

static void
show_line(const struct shown *s)
{
    char text[LINE_BYTES], bar[LINE_BYTES], elapsed[DURATION_BYTES], left[DURATION_BYTES];
    size_t width = terminal_width() - 1;

    write_duration(s->elapsed_s, elapsed);
    write_duration(s->left_s, left);
    int n = snprintf(text, sizeof text, "%.0f %%, %s, %s, %s, %s left", 100 * s->share, s->done,
                     s->rate, elapsed, left);
    write_bar(s->share, (size_t)n + MIN_BAR < width ? width - (size_t)n - 3 : 0, bar);
    dprintf(STDERR_FILENO, "\r%s%.*s\033[K", bar, (int)(width - strlen(bar)), text);
    atomic_store(&seen, true);
}

/* Whether the line is due to be shown again. */
static bool
is_due(struct progress *p, double elapsed_s)
{
    bool is = progress_is_wanted() && ranks_is_speaker() && elapsed_s >= AFTER_S &&
              elapsed_s >= p->shown_s + EVERY_S;

    p->shown_s = is ? elapsed_s : p->shown_s;
    return is;
}

/* The time left, if the work continues at the rate at which it went beyond the share 'first'. */
static double
left_of(double share, double first, double elapsed_s)
{
    return share > first ? elapsed_s / (share - first) * (1 - share) : UNKNOWN;
}

/* Progress of one run. */

static void
print_run_progress(void *arg, weir_ps done_ps, weir_ps until_ps, double elapsed_s)
{
    struct progress *p = arg;
    double share = (double)done_ps / (double)until_ps;
    struct weir_text now = { 0 }, rate = { 0 };
    char left[DURATION_BYTES];
    bool is_log = !progress_is_wanted();

    if (is_hushed || (is_log ? elapsed_s - p->shown_s < LOGGED_EVERY_S : !is_due(p, elapsed_s))) {
        return;
    }
    value_add_time(&now, done_ps);
    value_add_time(&rate, (weir_ps)((double)done_ps / elapsed_s));
    weir_text_add(&now, " simulated");
    weir_text_add(&rate, " per second");
    double left_s = left_of(share, 0, elapsed_s);
    if (is_log) {
        write_duration(left_s, left);
        fprintf(stderr, "%s, %.0f %%, %s, %s left\n", now.s, 100 * share, rate.s, left);
        p->shown_s = elapsed_s;
    } else {
        show_line(&(struct shown){ share, now.s, rate.s, elapsed_s, left_s });
    }
}

struct outcome_watcher
progress_of_runs(struct progress *p)
{
    return (struct outcome_watcher){ .report = print_run_progress, .arg = p };
}

/* Shows the progress of a lab. Labs run in real time, except at the beginning, until all processes
 * are ready. */
static void
print_lab_progress(void *arg, weir_ps done_ps, weir_ps until_ps, double elapsed_s)
{
    struct progress *p = arg;
    struct weir_text now = { 0 };

    if (is_due(p, elapsed_s)) {
        value_add_time(&now, done_ps);
        show_line(&(struct shown){ (double)done_ps / (double)until_ps, now.s, "real time",
                                   elapsed_s, (double)(until_ps - done_ps) / 1e12 });
    }
}

struct outcome_watcher
progress_of_labs(struct progress *p)
{
    return (struct outcome_watcher){ .report = print_lab_progress, .arg = p };
}

/* Progress of a command with several parts. */

static void
show_parts(struct progress *p, const char *what, uint64_t n_done, uint64_t n, double elapsed_s)
{
    double share = n ? (double)n_done / (double)n : 1;
    double per_s = (share - p->first) * (double)n / elapsed_s;
    char done[200], rate[100];

    snprintf(done, sizeof done, "%.80s%s%llu of %llu %s", p->label ? p->label : "",
             p->label ? ": " : "", (llu)n_done, (llu)n, what);
    snprintf(rate, sizeof rate, per_s >= 100 ? "%.0f per second" : "%.3g per second", per_s);
    if (share <= p->first) {
        strcpy(rate, "? per second");
    }
    show_line(&(struct shown){ share, done, rate, elapsed_s, left_of(share, p->first, elapsed_s) });
}

void
progress_count(struct progress *p, const char *what, uint64_t n_done, uint64_t n)
{
    if (n_done < p->n_done) { /* The next task has begun, and has a rate of its own. */
        *p = (struct progress){ .label = p->label };
    }
    p->n_done = n_done;
    p->begun_s = p->begun_s > 0 ? p->begun_s : moment_seconds();
    double elapsed_s = moment_seconds() - p->begun_s;
    if (is_due(p, elapsed_s)) {
        show_parts(p, what, n_done, n, elapsed_s);
    }
}

/* Shows the progress of a sweep. Runs that an earlier command made do not count for the rate. */
static void
print_sweep_progress(void *arg, const struct sweeping_counts *s)
{
    struct progress *p = arg;

    p->first = s->n_own ? (double)s->n_there / (double)s->n_own : 0;
    if (is_due(p, s->seconds)) {
        show_parts(p, "runs", s->n_there + s->n_now, s->n_own, s->seconds);
    }
}

static void
print_failed(void *arg, uint64_t run, const char *settings, const char *why)
{
    (void)arg;
    progress_wipe();
    /* The rank that made the run prints this, because the other ranks do not know of the
     * failure. */
    fprintf(stderr, "weir: run %llu failed (%s): %s\n", (llu)run, settings, why);
}

struct sweeping_watcher
progress_of_sweeps(struct progress *p)
{
    return (struct sweeping_watcher){ .report = print_sweep_progress,
                                      .failed = print_failed,
                                      .arg = p };
}

/* Progress of reading results files. */

static bool
print_reading(void *arg)
{
    struct progress_reading *r = arg;
    uint64_t n = 0, of = 0, of_file;

    for (size_t i = 0; i < r->n_files; i++) {
        n += rec_read_bytes(r->files[i], &of_file);
        of += of_file;
    }
    if (of) {
        progress_count(&r->progress, "KB read", (n < of ? n : of) / 1000, of / 1000);
    }
    return false;
}

struct rec_until
progress_of_reading(struct progress_reading *r)
{
    return (struct rec_until){ progress_is_wanted() ? print_reading : NULL, r };
}
