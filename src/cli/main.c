/* The table of verbs, their common code, and the verbs `help`, `version` and the like. */

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/near-file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "dataplane/dpdk.h"
#include "mpi/mpi.h"
#include "output/plain-stream.h"
#include "report/runs.h"
#include "run/outcome.h"
#include "run/stopping.h"
#include "scenario/scenario.h"

/* The verbs, in the order in which the help lists them within their groups. */
static const struct verb *const verbs[] = {
    &cli_run,        &cli_compare, &cli_check,   &cli_plan,      &cli_report,     &cli_serve,
    &cli_why,        &cli_export,  &cli_facts,   &cli_reproduce, &cli_sweep,      &cli_merge,
    &cli_lab,        &cli_switch,  &cli_explain, &cli_keys,      &cli_transcript, &cli_docs,
    &cli_completion, &cli_help,    &cli_version,
};

enum { N_VERBS = sizeof verbs / sizeof *verbs };

bool
verb_at(size_t i, struct verb *v)
{
    size_t n_registries = 0;

    while (scn_registries[n_registries].registry) {
        n_registries++;
    }
    if (i >= N_VERBS + n_registries) {
        return false;
    }
    *v = i < N_VERBS ? *verbs[i] : cli_plugins(scn_registries[i - N_VERBS].registry);
    return true;
}

/* Functions that the verbs share. */

int
cli_fail(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (ranks_is_speaker()) {
        fputs("weir: ", stderr);
        vfprintf(stderr, format, args);
        fputc('\n', stderr);
    }
    va_end(args);
    return code;
}

int
cli_create(FILE **out, const char *path, bool force)
{
    struct err err;
    int code = run_create(out, path, force, &err);

    return code == EXIT_GOOD ? code : cli_fail(code, "%s", err.text);
}

int
cli_close(FILE *out, const char *path, bool force, int code)
{
    bool good = !ferror(out);

    errno = 0;
    good = !fclose(out) && good;
    if (!good && code == EXIT_GOOD) {
        code = cli_fail(EXIT_WORLD, "cannot write %s: %s", path, strerror(errno ? errno : EIO));
    }
    if (code != EXIT_GOOD && !force) {
        remove(path);
    }
    return code;
}

/* Progress of reading results files, for those that the verb has open. */
static struct progress_reading reading;

int
cli_open_results(struct rec_file **file, const char *path)
{
    const size_t most = sizeof reading.files / sizeof *reading.files;
    char offer[200];
    struct err err;

    if (access(path, R_OK)) {
        int why = errno;
        near_file_offer(path, offer, sizeof offer);
        return cli_fail(EXIT_WORLD, "cannot read %s: %s%s", path, strerror(why), offer);
    }
    *file = rec_read_open_until(path, progress_of_reading(&reading), &err);
    if (*file && reading.n_files < most) {
        reading.files[reading.n_files++] = *file;
    }
    if (!*file && err.is_of_content &&
        (text_ends_with(path, ".yaml") || text_ends_with(path, ".yml"))) {
        return cli_fail(EXIT_USER, "%s; 'weir run %s --record RESULTS' makes one", err.text, path);
    }
    return *file ? EXIT_GOOD : cli_fail(run_code_of_file(&err), "%s", err.text);
}

void
cli_close_results(struct rec_file *file)
{
    size_t n_kept = 0;

    for (size_t i = 0; i < reading.n_files; i++) {
        if (reading.files[i] != file) {
            reading.files[n_kept++] = reading.files[i];
        }
    }
    reading.n_files = n_kept;
    rec_read_close(file);
}

const struct rep_listed *
cli_choose_run(const struct rep_runs *runs, uint64_t number)
{
    return number ? rep_runs_find(runs, number) : runs->n ? &runs->items[runs->n - 1] : NULL;
}

static void
print_stopped(void)
{
    static const char words[] = "weir: stopped\n";
    ssize_t n = write(STDERR_FILENO, words, sizeof words - 1);

    (void)n; /* If this fails, the message cannot be printed anywhere else. */
}

void
cli_hear_interrupts(void)
{
    if (!ranks_all()) {
        stopping_begin(print_stopped);
    }
}

int
cli_print_error(int code, const struct err *err)
{
    bool has_place = code == EXIT_USER && !err->is_of_content;

    if (ranks_is_speaker()) {
        fprintf(stderr, "%s%s\n", has_place ? "" : "weir: ", err->text);
    }
    return code;
}

int
cli_print_error_unless(bool good, const struct err *err)
{
    return good ? EXIT_GOOD : cli_print_error(EXIT_WORLD, err);
}

int
cli_read_scenario(struct scenario *s, const char *file, const char *const *sets, size_t n_sets)
{
    struct err err;
    int code = outcome_read(s, file, sets, n_sets, &err);

    return code == EXIT_GOOD ? code : cli_print_error(code, &err);
}

int
cli_set_why(const char *verb, const char *results, struct verb_words *sets)
{
    if (!results) {
        return cli_fail(EXIT_USER, "%s: --why is for runs that are recorded: give --record RESULTS",
                        verb);
    }
    if (sets->n == VERB_MAX_WORDS) {
        return cli_fail(EXIT_USER, "%s: at most %d values can be set with --set and --why", verb,
                        VERB_MAX_WORDS);
    }
    sets->items[sets->n++] = "record.why=yes";
    return EXIT_GOOD;
}

/* The streams of the program, which every verb writes to. */
static struct plain_stream out = { .fd = STDOUT_FILENO, .before = progress_wipe },
                           err = { .fd = STDERR_FILENO, .before = progress_wipe };

void
cli_make_output_silent(void)
{
    out.fd = -1;
}

static void
make_output_plain(void)
{
    static char out_buffer[BUFSIZ], err_buffer[BUFSIZ];
    int how = isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF;

    stdout = plain_stream_open(&out, how, out_buffer, sizeof out_buffer);
    stderr = plain_stream_open(&err, _IOLBF, err_buffer, sizeof err_buffer);
}

/* Verbs about verbs. */

static const char *
verb_name(size_t i)
{
    struct verb v;
    return verb_at(i, &v) ? v.name : NULL;
}

static int
unknown_verb(const char *name)
{
    const char *names[VERB_MAX_WORDS];
    char offer[200];
    struct stat file;
    size_t n = 0;

    if (!stat(name, &file) && S_ISDIR(file.st_mode)) {
        return cli_fail(EXIT_USER, "'%s' is a folder; write a verb before it: weir serve %s", name,
                        name);
    }
    if (!stat(name, &file) && S_ISREG(file.st_mode)) {
        return cli_fail(EXIT_USER, "'%s' is a file; write a verb before it: weir %s %s", name,
                        text_ends_with(name, ".db") ? "report" : "run", name);
    }
    for (; n < VERB_MAX_WORDS && verb_name(n); n++) {
        names[n] = verb_name(n);
    }
    text_offer_near(name, names, sizeof *names, n, offer, sizeof offer);
    return cli_fail(EXIT_USER, "unknown verb '%s'%s\n'weir help' lists them", name, offer);
}

struct help_options {
    struct verb_operands verb;
    bool man, markdown;
};

static int
help(void *given)
{
    const struct help_options *o = given;
    struct verb verb;

    if (o->verb.n && !verb_find(o->verb.items[0], &verb)) {
        return unknown_verb(o->verb.items[0]);
    }
    if (o->man) {
        man_page(o->verb.n ? &verb : NULL);
    } else if (o->markdown) {
        help_markdown();
    } else if (o->verb.n) {
        help_verb(&verb);
    } else {
        help_verbs();
    }
    return EXIT_GOOD;
}

static const struct verb_option help_options[] = {
    { "--man", NULL, "Writes the help as a manual page, for man(1).", VERB_FLAG,
      .offset = offsetof(struct help_options, man) },
    { "--markdown", NULL, "Writes the help of all verbs as a Markdown page, as in doc/.", VERB_FLAG,
      .offset = offsetof(struct help_options, markdown) },
    { 0 },
};

const struct verb cli_help = {
    .name = "help",
    .group = VERB_OTHER,
    .run = help,
    .brief = "list the verbs, or explain one",
    .operands = "[VERB]",
    .about = "Lists the verbs. With the name of a verb, explains that verb and its options.",
    .examples = "  weir help plan\n"
                "  weir help --man | man -l -\n",
    .options = help_options,
    .options_bytes = sizeof(struct help_options),
    .max_operands = 1,
    .operand = verb_name,
    .is_for_ranks = true,
};

static int
version(void *given)
{
    (void)given;
    printf("weir " WEIR_VERSION ", %s MPI, %s DPDK\n", mpi_is_built_in() ? "with" : "without",
           dpdk_is_there() ? "with" : "without");
    return EXIT_GOOD;
}

const struct verb cli_version = {
    .name = "version",
    .group = VERB_OTHER,
    .run = version,
    .brief = "show the version",
    .about = "Shows the version of the program, and whether it can run on several machines by MPI.",
    .examples = "  weir version\n"
                "  weir --version\n",
    .is_for_ranks = true,
};

/* Ends a verb. If its output went to a full disk or a closed pipe, the verb has failed. */
static int
finish(int code)
{
    progress_wipe();
    if (fflush(stdout) || ferror(stdout)) {
        return cli_fail(EXIT_WORLD, "cannot write to standard output");
    }
    return code;
}

/* The verb that the user named; null: none. */
static const char *
asked_verb(int argc, char **argv)
{
    const char *name = argc < 2 ? NULL : argv[1];

    if (name && (!strcmp(name, "--help") || !strcmp(name, "-h"))) {
        return "help";
    }
    return name && !strcmp(name, "--version") ? "version" : name;
}

int
main(int argc, char **argv)
{
    const char *name;
    struct verb verb;
    bool is_known;
    int code;

    make_output_plain();
    if ((code = colour_take(&argc, argv, &out, &err)) != EXIT_GOOD) {
        return code;
    }
    name = asked_verb(argc, argv);
    is_known = name && verb_find(name, &verb);
    /* If a file cannot grow, the write fails, and the program prints an error. */
    signal(SIGXFSZ, SIG_IGN);
    if (!ranks_begin(name, !is_known || verb.is_for_ranks, &code)) {
        return code;
    }
    if (is_known) {
        code = verb_run(&verb, argc - 1, argv + 1);
    } else if (name) {
        code = unknown_verb(name);
    } else {
        help_verbs();
        code = EXIT_USER;
    }
    return ranks_end(finish(code));
}
