/* Writes manual pages for man(1), from the tables of verbs. */

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"

/* Writes the text of a paragraph. Escapes prevent requests of troff, and keep dashes plain ASCII,
 * so that a user can copy them. */
static void
put_text(const char *text)
{
    bool begins = true;

    for (; *text; text++) {
        if (begins && (*text == '.' || *text == '\'')) {
            fputs("\\&", stdout);
        }
        begins = *text == '\n';
        if (*text == '\\') {
            fputs("\\e", stdout);
        } else if (*text == '-') {
            fputs("\\-", stdout);
        } else if (begins && text[1] == '\n') {
            fputs("\n.PP\n", stdout);
            text++;
        } else {
            putchar(*text);
        }
    }
    putchar('\n');
}

static void
put_heading(const char *heading)
{
    fputs(".SH ", stdout);
    for (; *heading; heading++) {
        putchar(toupper((unsigned char)*heading));
    }
    putchar('\n');
}

/* Writes text in a font: B or I. */
static void
put_in(char font, const char *text)
{
    printf("\\f%c", font);
    for (; *text; text++) {
        fputs(*text == '-' ? "\\-" : *text == '\\' ? "\\e" : (char[]){ *text, 0 }, stdout);
    }
    printf("\\fR");
}

static void
put_title(const char *name, const char *brief)
{
    printf(".TH ");
    for (const char *c = name; *c; c++) {
        putchar(toupper((unsigned char)*c));
    }
    printf(" 1 \"\" \"weir " WEIR_VERSION "\" \"Weir\"\n");
    put_heading("name");
    put_text(name);
    fputs("\\- ", stdout);
    put_text(brief);
}

static void
put_option(const struct verb_shown *o)
{
    printf(".TP\n");
    put_in('B', o->name);
    if (o->value) {
        putchar(' ');
        put_in('I', o->value);
    }
    putchar('\n');
    put_text(o->help);
}

static void
put_options(const struct verb *v)
{
    struct verb_shown o;

    for (size_t i = 0; verb_show(v, i, &o); i++) {
        if (o.group || !i) {
            put_heading(o.group ? o.group : "options");
        }
        put_option(&o);
    }
}

static void
put_terms(const struct verb *v)
{
    const char *word, *help;

    put_heading(v->terms_group);
    for (size_t i = 0; verb_term(v, i, &word, &help); i++) {
        printf(".TP\n");
        put_in('B', word);
        putchar('\n');
        put_text(help);
    }
}

static void
put_exit_codes(void)
{
    put_heading("exit status");
    for (size_t i = 0; i < CLI_N_EXIT_CODES; i++) {
        printf(".TP\n\\fB%d\\fR\n", cli_exit_codes[i].code);
        put_text(cli_exit_codes[i].meaning);
    }
}

static void
put_see_also(const struct verb *but)
{
    const char *before = "";

    put_heading("see also");
    if (but) {
        printf("\\fBweir\\fR(1)");
        before = ", ";
    }
    struct verb v;
    for (size_t i = 0; verb_at(i, &v); i++) {
        if (!but || strcmp(v.name, but->name)) {
            printf("%s\\fBweir\\-%s\\fR(1)", before, v.name);
            before = ", ";
        }
    }
    printf("\n");
}

static void
put_group(enum verb_group group)
{
    struct verb v;

    printf(".SS %s\n", verb_group_title(group));
    for (size_t i = 0; verb_at(i, &v); i++) {
        if (v.group == group) {
            printf(".TP\n");
            put_in('B', v.name);
            putchar('\n');
            put_text(v.brief);
        }
    }
}

static void
put_program(void)
{
    put_title("weir", "flow control for lossless networks");
    put_heading("synopsis");
    printf("\\fBweir\\fR \\fIVERB\\fR [\\fIARGUMENT\\fR]...\n");
    put_heading("description");
    put_text(
        "Simulates lossless networks, whose switches pause their senders instead of dropping "
        "packets. "
        "Finds out before a run whether a network can deadlock, plans buffers and thresholds, and "
        "shows results. Every verb has a manual page of its own.");
    put_heading("verbs");
    for (enum verb_group group = 1; group < VERB_GROUPS_END; group++) {
        put_group(group);
    }
}

static void
put_verb(const struct verb *v)
{
    char name[VERB_NAME_BYTES];

    snprintf(name, sizeof name, "weir-%s", v->name);
    put_title(name, v->brief);
    put_heading("synopsis");
    printf("\\fBweir %s\\fR", v->name);
    if (v->operands) {
        putchar(' ');
        put_in('I', v->operands);
    }
    printf(" [\\fIOPTION\\fR]...\n");
    put_heading("description");
    put_text(v->about);
    put_options(v);
    if (v->terms_group) {
        put_terms(v);
    }
    char room[VERB_EXAMPLES_BYTES];
    put_heading("examples");
    printf(".nf\n");
    put_text(verb_examples(v, room));
    printf(".fi\n");
}

void
man_page(const struct verb *v)
{
    if (v) {
        put_verb(v);
    } else {
        put_program();
    }
    put_exit_codes();
    put_see_also(v);
}
