#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cli/cli.h"
#include "transcript/transcript.h"

enum format { TEXT, JSON, MARKDOWN };

/* The same facts in three forms. */

static const char *
value_text(const struct weir_field *f, uint64_t value, struct weir_text *text)
{
    *text = (struct weir_text){ 0 };
    weir_text_add(text, "%F", f, value);
    return text->s;
}

static const char *
range_text(const struct weir_field *f, struct weir_text *text)
{
    *text = (struct weir_text){ 0 };
    if (f->kind == WEIR_CHOICE) {
        const char *name;
        for (uint32_t i = 0; (name = weir_field_choice(f, i)); i++) {
            weir_text_add(text, "%s%s", i ? " or " : "", name);
        }
    } else {
        weir_text_add(text, "%F to %F", f, f->min, f, f->max);
    }
    return text->s;
}

/* Breaks a sentence into lines of at most 'width', each after 'indent' blanks. */
static void
print_wrapped(const char *s, int indent, int width)
{
    while (*s) {
        int len = (int)strlen(s);
        if (len > width) {
            for (len = width; len > 0 && s[len] != ' '; len--) {
            }
            len = len ? len : width;
        }
        printf("%*s%.*s\n", indent, "", len, s);
        s += len;
        s += strspn(s, " ");
    }
}

static void
list_text(void)
{
    for (uint32_t e = 0; weir_engine_at(e); e++) {
        printf("%-15s %s\n", weir_engine_at(e)->about.name, weir_engine_at(e)->about.title);
    }
    printf("\n'weir engines NAME' shows an engine's parameters.\n");
}

static void
show_text(const struct weir_engine *e)
{
    struct weir_text text;

    printf("%s: %s\nsource: %s\n", e->about.name, e->about.title, e->about.source);
    printf("\nparameters:%s\n", e->about.params->name ? "" : " none");
    for (const struct weir_field *f = e->about.params; f->name; f++) {
        printf("  %-12s %-7s default %s", f->name, weir_kind_name(f->kind),
               value_text(f, f->fallback, &text));
        printf(", %s\n", range_text(f, &text));
        print_wrapped(f->help, 15, 80);
        if (f->derived) {
            printf("%15sauto: %s\n", "", f->derived);
        }
        if (f->source[0] != '-') {
            printf("%15ssource: %s\n", "", f->source);
        }
    }
    printf("\ncounters:%s\n", e->counters->name ? "" : " none");
    for (const struct weir_field *f = e->counters; f->name; f++) {
        printf("  %-12s %s\n", f->name, f->help);
    }
}

/* Numbers are in the base unit of their kind; the texts beside them are as one would write them. */
static void
json_value(struct json *j, const char *key, const struct weir_field *f, uint64_t value)
{
    struct weir_text text;
    char key_of_text[40];

    snprintf(key_of_text, sizeof key_of_text, "%s_text", key);
    if (f->derived && value == WEIR_AUTO) {
        json_null(j, key);
    } else {
        json_number(j, key, value);
    }
    json_text(j, key_of_text, value_text(f, value, &text));
}

static void
json_range(struct json *j, const struct weir_field *f)
{
    const char *name;

    if (f->kind != WEIR_CHOICE) {
        json_value(j, "min", f, f->min);
        json_value(j, "max", f, f->max);
        return;
    }
    json_open(j, "choices", '[');
    for (uint32_t i = 0; (name = weir_field_choice(f, i)); i++) {
        json_text(j, NULL, name);
    }
    json_close(j, ']');
}

static void
json_field(struct json *j, const struct weir_field *f)
{
    json_open(j, NULL, '{');
    json_text(j, "name", f->name);
    json_text(j, "kind", weir_kind_name(f->kind));
    json_value(j, "default", f, f->fallback);
    json_range(j, f);
    json_text(j, "auto", f->derived);
    json_text(j, "help", f->help);
    json_text(j, "source", f->source);
    json_close(j, '}');
}

static void
json_counter(struct json *j, const struct weir_field *f)
{
    json_open(j, NULL, '{');
    json_text(j, "name", f->name);
    json_text(j, "help", f->help);
    json_close(j, '}');
}

static void
json_table(struct json *j, const char *name, const struct weir_field *table,
           void (*one)(struct json *, const struct weir_field *))
{
    json_open(j, name, '[');
    for (const struct weir_field *f = table; f->name; f++) {
        one(j, f);
    }
    json_close(j, ']');
}

static void
show_json(struct json *j, const struct weir_engine *e)
{
    json_open(j, NULL, '{');
    json_text(j, "name", e->about.name);
    json_text(j, "title", e->about.title);
    json_text(j, "source", e->about.source);
    json_table(j, "parameters", e->about.params, json_field);
    json_table(j, "counters", e->counters, json_counter);
    json_close(j, '}');
}

static void
show_markdown(const struct weir_engine *e)
{
    struct weir_text text;

    if (!e->about.params->name) {
        printf("None.\n");
    } else {
        printf("| name | kind | default | range | what it is | source |\n"
               "| --- | --- | --- | --- | --- | --- |\n");
    }
    for (const struct weir_field *f = e->about.params; f->name; f++) {
        printf("| `%s` | %s | %s", f->name, weir_kind_name(f->kind),
               value_text(f, f->fallback, &text));
        printf(" | %s | %s", range_text(f, &text), f->help);
        if (f->derived) {
            printf(" Auto: %s.", f->derived);
        }
        printf(" | %s |\n", f->source);
    }
    printf("\nCounters: ");
    for (const struct weir_field *f = e->counters; f->name; f++) {
        printf("%s`%s`", f == e->counters ? "" : ", ", f->name);
    }
    printf("%s.\n", e->counters->name ? "" : "none");
}

static int
show(const struct weir_engine *e, enum format format)
{
    struct json j = { .out = stdout, .lines = 3 };

    if (format == TEXT) {
        show_text(e);
    } else if (format == MARKDOWN) {
        show_markdown(e);
    } else {
        json_open(&j, NULL, '[');
        show_json(&j, e);
        json_close(&j, ']');
    }
    return EXIT_GOOD;
}

static int
list(enum format format)
{
    struct json j = { .out = stdout, .lines = 3 };

    if (format == MARKDOWN) {
        return cli_fail(EXIT_USER, "engines: --markdown needs the name of an engine");
    }
    if (format == TEXT) {
        list_text();
        return EXIT_GOOD;
    }
    json_open(&j, NULL, '[');
    for (uint32_t e = 0; weir_engine_at(e); e++) {
        show_json(&j, weir_engine_at(e));
    }
    json_close(&j, ']');
    return EXIT_GOOD;
}

static int
unknown_engine(const char *name)
{
    char offer[200];
    transcript_offer_engines(name, offer, sizeof offer);
    return cli_fail(EXIT_USER, "unknown engine '%s'%s\n'weir engines' lists them", name, offer);
}

struct options {
    struct verb_operands name;
    int format;
};

#define AT(MEMBER) .offset = offsetof(struct options, MEMBER)

static const struct verb_option options[] = {
    { "--json", NULL, CLI_JSON_HELP, VERB_ONE_OF, AT(format), .min = JSON },
    { "--markdown", NULL, "Shows the tables of one engine as they stand in doc/engines.",
      VERB_ONE_OF, AT(format), .min = MARKDOWN },
    { 0 },
};

static int
run(int argc, char **argv)
{
    struct options o = { .format = TEXT };
    int code;

    if (!options_read(&cli_engines, argc, argv, &o, &code)) {
        return code;
    }
    if (!o.name.n) {
        return list((enum format)o.format);
    }
    const struct weir_engine *engine = weir_engine_find(o.name.items[0]);
    return engine ? show(engine, (enum format)o.format) : unknown_engine(o.name.items[0]);
}

static const char *
engine_at(size_t i)
{
    const struct weir_engine *engine = weir_engine_at((uint32_t)i);

    return engine ? engine->about.name : NULL;
}

const struct verb cli_engines = {
    .name = "engines",
    .run = run,
    .brief = "list the flow-control engines, or show one with its parameters",
    .operands = "[NAME]",
    .about = "Lists the flow-control engines; with a name, shows that engine's parameters and "
             "counters.",
    .options = options,
    .operands_at = offsetof(struct options, name),
    .max_operands = 1,
    .operand = engine_at,
};
