/* Writes the help of all verbs as one Markdown page, from the tables of verbs. */

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "output/text-width.h"

/* Writes an item such as "- `--set KEY=VALUE`: Sets a key ...". */
static void
put_item(const char *name, const char *value, const char *help)
{
    int at = printf("- `%s%s%s`: ", name, value ? " " : "", value ? value : "");

    text_wrap(stdout, help, (size_t)at, 2);
}

static void
put_options(const struct verb *v)
{
    struct verb_shown o;

    for (size_t i = 0; verb_show(v, i, &o); i++) {
        if (o.group || !i) {
            printf("\n%s:\n\n", o.group ? o.group : "Options");
        }
        put_item(o.name, o.value, o.help);
    }
}

static void
put_terms(const struct verb *v)
{
    const char *word, *help;

    printf("\n%s:\n\n", v->terms_group);
    for (size_t i = 0; verb_term(v, i, &word, &help); i++) {
        put_item(word, NULL, help);
    }
}

static void
put_verb(const struct verb *v)
{
    char room[VERB_EXAMPLES_BYTES];
    const char *operands = v->operands ? v->operands : "";

    printf("\n### weir %s\n```\nweir %s%s%s [OPTION]...\n```\n\n", v->name, v->name,
           *operands ? " " : "", operands);
    text_wrap(stdout, v->about, 0, 0);
    put_options(v);
    /* Names of registries are left out, because each registry has a page with them. */
    if (v->terms_group && !v->registry) {
        put_terms(v);
    }
    printf("\nExamples:\n\n```\n%s```\n", verb_examples(v, room));
}

void
help_markdown(void)
{
    struct verb v;

    for (enum verb_group group = 1; group < VERB_GROUPS_END; group++) {
        printf("%s## %s\n", group > 1 ? "\n" : "", verb_group_title(group));
        for (size_t i = 0; verb_at(i, &v); i++) {
            if (v.group == group) {
                put_verb(&v);
            }
        }
    }
}
