#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "run/outcome.h"

static int cli_help(int argc, char **argv);
static int cli_version(int argc, char **argv);

static const struct verb {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} verbs[] = {
    { "check", cli_check, "whether a network can deadlock: buffers that wait for each other" },
    { "compare", cli_compare, "run a scenario under several schemes and show them in one table" },
    { "engines", cli_engines, "list the flow-control engines, or show one with its parameters" },
    { "explain", cli_explain, "show a scenario with every default, and what follows from it" },
    { "export", cli_export, "give what a results file holds as CSV, or in HPCC's formats" },
    { "merge", cli_merge, "put sweeps of several results files into one" },
    { "plan", cli_plan, "headroom and thresholds of a switch, for every scheme, and what fits" },
    { "report", cli_report, "show results as a page: one file, opens in a browser" },
    { "reproduce", cli_reproduce, "run a paper's scenarios: published beside measured" },
    { "run", cli_run, "simulate a scenario: flows, queues, drops, deadlock" },
    { "serve", cli_serve, "show results in a browser while runs go on; start runs from there" },
    { "sweep", cli_sweep, "run a study: a scenario over many settings, on all cores" },
    { "transcript", cli_transcript, "play transcripts and show where an engine answers otherwise" },
    { "help", cli_help, "show this" },
    { "version", cli_version, "show the version" },
};

enum { N_VERBS = sizeof verbs / sizeof *verbs };

int
cli_fail(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("weir: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
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
cli_tell(int code, const struct err *err)
{
    fprintf(stderr, code == EXIT_USER ? "%s\n" : "weir: %s\n", err->text);
    return code;
}

int
cli_read_scenario(struct scenario *s, const char *file, const char *const *sets, size_t n_sets)
{
    struct err err;
    int code = outcome_read(s, file, sets, n_sets, &err);

    return code == EXIT_GOOD ? code : cli_tell(code, &err);
}

bool
cli_helped(int argc, char **argv, const char *help)
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            return true;
        }
    }
    return false;
}

uint64_t
cli_rounded(uint64_t v)
{
    uint64_t unit = 1;
    while (v / unit >= 1000) {
        unit *= 10;
    }
    return (v + unit / 2) / unit * unit;
}

static int
cli_help(int argc, char **argv)
{
    (void)argc, (void)argv;
    puts("Weir: flow control for lossless networks that neither drops packets nor stands still.\n"
         "\n"
         "usage: weir VERB [ARGUMENTS]\n");
    for (size_t i = 0; i < N_VERBS; i++) {
        printf("  %-12s %s\n", verbs[i].name, verbs[i].help);
    }
    puts("\n'weir VERB --help' says more of a verb.");
    return EXIT_GOOD;
}

static int
cli_version(int argc, char **argv)
{
    (void)argc, (void)argv;
    puts("weir " WEIR_VERSION);
    return EXIT_GOOD;
}

static int
unknown_verb(const char *name)
{
    char offer[200];
    text_offer(name, &verbs[0].name, sizeof verbs[0], N_VERBS, offer, sizeof offer);
    return cli_fail(EXIT_USER, "unknown verb '%s'%s\n'weir help' lists them", name, offer);
}

/* A verb's output may go to a full disk or a closed pipe: that is no success. */
static int
finish(int code)
{
    if (fflush(stdout) || ferror(stdout)) {
        return cli_fail(EXIT_WORLD, "could not write to standard output");
    }
    return code;
}

int
main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* A file that may not grow is an error in words. */
    if (argc < 2) {
        cli_help(argc, argv);
        return finish(EXIT_USER);
    }
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
        name = "help";
    } else if (!strcmp(name, "--version")) {
        name = "version";
    }
    for (size_t i = 0; i < N_VERBS; i++) {
        if (!strcmp(verbs[i].name, name)) {
            return finish(verbs[i].run(argc - 1, argv + 1));
        }
    }
    return unknown_verb(name);
}
