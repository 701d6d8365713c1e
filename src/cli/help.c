/* Writes help to a terminal, from the tables of verbs. */

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "output/text-width.h"

enum { MAX_NAMED = 12, MAX_COLUMN = 22, MAX_TERM = 18, CODE_COLUMN = 7 };

/* Writes the usage of an option, such as "[--set KEY=VALUE]...". */
static void
write_usage(const struct verb_shown *o, char *out, size_t out_bytes)
{
    snprintf(out, out_bytes, "[%s%s%s]%s", o->name, o->value ? " " : "", o->value ? o->value : "",
             o->may_repeat ? "..." : "");
}

/* Whether the usage names each option. If there are too many, it has only "[OPTION]...". */
static bool
names_options(const struct verb *v)
{
    struct verb_shown shown;

    return !verb_show(v, MAX_NAMED, &shown) || shown.is_common;
}

static void
show_usage(const struct verb *v)
{
    int at = printf("usage: weir %s", v->name), indent = at + 1;
    struct verb_shown o;

    if (v->operands && *v->operands) {
        at += printf(" %s", v->operands);
    }
    if (!names_options(v)) {
        printf(" [OPTION]...\n");
        return;
    }
    for (size_t i = 0; verb_show(v, i, &o) && !o.is_common; i++) {
        char text[2 * VERB_NAME_BYTES];
        write_usage(&o, text, sizeof text);
        if (at + 1 + (int)strlen(text) > (int)text_width()) {
            at = printf("\n%*s", indent - 1, "") - 1;
        }
        at += printf(" %s", text);
    }
    printf("\n");
}

/* Shows a name and its meaning on one line. If the name is long, the meaning is below. */
static void
show_pair(const char *name, const char *help, int column)
{
    int at = printf("  %s", name);

    if (at + 2 > column) {
        printf("\n");
        at = 0;
    }
    printf("%*s", column - at, "");
    text_wrap(stdout, help, (size_t)column, (size_t)column);
}

static int
option_column(const struct verb *v)
{
    struct verb_shown o;
    int widest = 0;

    for (size_t i = 0; verb_show(v, i, &o); i++) {
        int width = (int)strlen(o.name) + (o.value ? 1 + (int)strlen(o.value) : 0);
        widest = width > widest && width <= MAX_COLUMN ? width : widest;
    }
    return widest + 4;
}

static void
show_options(const struct verb *v)
{
    int column = option_column(v);
    struct verb_shown o;

    for (size_t i = 0; verb_show(v, i, &o); i++) {
        char name[2 * VERB_NAME_BYTES];
        snprintf(name, sizeof name, "%s%s%s", o.name, o.value ? " " : "", o.value ? o.value : "");
        if (o.group || !i) {
            printf("\n%s:\n", o.group ? o.group : "Options");
        }
        show_pair(name, o.help, column);
    }
}

static void
show_terms(const struct verb *v)
{
    const char *word, *help;

    printf("\n%s:\n", v->terms_group);
    for (size_t i = 0; verb_term(v, i, &word, &help); i++) {
        show_pair(word, help, MAX_TERM + 2);
    }
}

void
help_verb(const struct verb *v)
{
    show_usage(v);
    printf("\n");
    text_wrap(stdout, v->about, 0, 0);
    char room[VERB_EXAMPLES_BYTES];
    printf("\nExamples:\n%s", verb_examples(v, room));
    show_options(v);
    if (v->terms_group) {
        show_terms(v);
    }
}

static void
show_group(enum verb_group group)
{
    struct verb v;

    printf("\n%s:\n", verb_group_title(group));
    for (size_t i = 0; verb_at(i, &v); i++) {
        if (v.group == group) {
            printf("  %-12s  %s\n", v.name, v.brief);
        }
    }
}

const struct cli_exit_code cli_exit_codes[CLI_N_EXIT_CODES] = {
    { EXIT_GOOD, "Everything went as asked." },
    { EXIT_DIFFERS, "The verb found a difference, or the problem that it looks for." },
    { EXIT_USER, "The arguments or a file have an error, or a results file has another version." },
    { EXIT_WORLD, "A file, a disk or a process failed, or a file does not exist." },
    { EXIT_PROMISE, "The simulated network deadlocked, dropped packets of a lossless class, "
                    "collapsed or stopped, and the scenario does not expect that." },
    { EXIT_STOPPED, "Ctrl-C, or the signal SIGTERM, stopped the command before its end." },
};

static void
show_exit_codes(void)
{
    char code[12];

    printf("\nExit codes:\n");
    for (size_t i = 0; i < CLI_N_EXIT_CODES; i++) {
        snprintf(code, sizeof code, "%d", cli_exit_codes[i].code);
        show_pair(code, cli_exit_codes[i].meaning, CODE_COLUMN);
    }
}

void
help_verbs(void)
{
    puts("Weir simulates, checks and plans lossless networks.\n"
         "\n"
         "usage: weir VERB [ARGUMENTS]");
    for (enum verb_group group = 1; group < VERB_GROUPS_END; group++) {
        show_group(group);
    }
    puts("\n"
         "Examples:\n"
         "  weir plan --rate 100Gbps --cable 300m --ports 32 --buffer 32MB\n"
         "  weir run ring.yaml --record ring.db && weir report ring.db\n"
         "  weir compare ring.yaml --over engine=pfc,gfc-buffer,cbfc");
    show_exit_codes();
    puts("\n"
         "'weir help VERB' or 'weir VERB --help' explains a verb and its options.");
}
