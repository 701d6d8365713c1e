#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "run/outcome.h"

const struct verb *const cli_verbs[] = {
    &cli_check,      &cli_compare,    &cli_engines,   &cli_explain, &cli_export, &cli_merge,
    &cli_plan,       &cli_report,     &cli_reproduce, &cli_run,     &cli_serve,  &cli_sweep,
    &cli_transcript, &cli_completion, &cli_help,      &cli_version, NULL,
};

/* What verbs share. */

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

uint64_t
cli_rounded(uint64_t v)
{
    uint64_t unit = 1;
    while (v / unit >= 1000) {
        unit *= 10;
    }
    return (v + unit / 2) / unit * unit;
}

/* Verbs about verbs. */

static const char *
verb_at(size_t i)
{
    return cli_verbs[i] ? cli_verbs[i]->name : NULL;
}

static int
unknown_verb(const char *name)
{
    const char *names[VERB_MAX_WORDS];
    char offer[200];
    size_t n = 0;

    for (; n < VERB_MAX_WORDS && verb_at(n); n++) {
        names[n] = verb_at(n);
    }
    text_offer(name, names, sizeof *names, n, offer, sizeof offer);
    return cli_fail(EXIT_USER, "unknown verb '%s'%s\n'weir help' lists them", name, offer);
}

struct help_options {
    struct verb_operands verb;
    bool man;
};

static int
help(int argc, char **argv)
{
    struct help_options o = { 0 };
    int code;

    if (!options_read(&cli_help, argc, argv, &o, &code)) {
        return code;
    }
    const struct verb *verb = o.verb.n ? verb_find(o.verb.items[0]) : NULL;
    if (o.verb.n && !verb) {
        return unknown_verb(o.verb.items[0]);
    }
    if (o.man) {
        man_page(verb);
    } else if (verb) {
        help_verb(verb);
    } else {
        help_verbs();
    }
    return EXIT_GOOD;
}

static const struct verb_option help_options[] = {
    { "--man", NULL, "Writes it as a manual page, for man(1).", VERB_FLAG,
      .offset = offsetof(struct help_options, man) },
    { 0 },
};

const struct verb cli_help = {
    .name = "help",
    .run = help,
    .brief = "list the verbs, or show the help of one",
    .operands = "[VERB]",
    .about = "Lists the verbs; with the name of a verb, shows what it does and its options.",
    .options = help_options,
    .operands_at = offsetof(struct help_options, verb),
    .max_operands = 1,
    .operand = verb_at,
};

static int
version(int argc, char **argv)
{
    int code;

    if (options_read(&cli_version, argc, argv, NULL, &code)) {
        puts("weir " WEIR_VERSION);
    }
    return code;
}

const struct verb cli_version = {
    .name = "version",
    .run = version,
    .brief = "show the version",
    .about = "Shows the version of the program.",
};

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
        help_verbs();
        return finish(EXIT_USER);
    }
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
        name = "help";
    } else if (!strcmp(name, "--version")) {
        name = "version";
    }
    const struct verb *verb = verb_find(name);
    return verb ? finish(verb->run(argc - 1, argv + 1)) : unknown_verb(name);
}
