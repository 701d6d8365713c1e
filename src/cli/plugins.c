/* Lists: all of a kind that can be chosen by name, or one with its parameters.  `weir engines`,
 * `weir topologies` and the others are this verb, one for each registry. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "scenario/scenario.h"

enum format { TEXT, JSON, MARKDOWN };

/* What is shown besides parameters: counters, which engines have, and keys of a scenario that are
 * no numbers. */

static const struct weir_field no_fields[] = { { 0 } };

static const struct weir_field *
counters_of(const struct weir_registry *registry, const struct weir_plugin *p)
{
    return registry == &weir_engines ? ((const struct weir_engine *)p)->counters : NULL;
}

/* The same facts in three forms. */

static const char *
value_text(const struct weir_field *f, uint64_t value, struct weir_text *text)
{
    *text = (struct weir_text){ 0 };
    weir_text_add(text, "%F", f, value);
    return text->s;
}

/* A value without end or limit is said by leaving it out. */
static const char *
default_text(const struct weir_field *f, struct weir_text *text)
{
    return f->fallback == WEIR_AUTO && !f->derived ? "-" : value_text(f, f->fallback, text);
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
        weir_text_add(text, "%F to %F%s", f, f->min, f, f->max, f->may_be_off ? ", or off" : "");
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
list_text(const struct scn_registry *r)
{
    for (const struct weir_plugin *const *p = r->registry->plugins; *p; p++) {
        printf("%-15s %s\n", (*p)->name, (*p)->title);
    }
    printf("\n'weir %s NAME' shows one with its parameters. A scenario chooses one by '%s',\n"
           "and sets its parameters %s.\n",
           r->registry->many, r->key, r->params);
}

static void
text_fields(const struct weir_field *fields)
{
    struct weir_text text;

    for (const struct weir_field *f = fields; f->name; f++) {
        printf("  %-12s %-7s default %s", f->name, weir_kind_name(f->kind), default_text(f, &text));
        printf(", %s\n", range_text(f, &text));
        print_wrapped(f->help, 15, 80);
        if (f->derived) {
            printf("%15sauto: %s\n", "", f->derived);
        }
        if (f->source && f->source[0] != '-') {
            printf("%15ssource: %s\n", "", f->source);
        }
    }
}

static void
show_text(const struct weir_registry *registry, const struct weir_plugin *p)
{
    const struct weir_field *fields = scn_choice_fields(p), *counters = counters_of(registry, p);
    const struct scn_key *keys = scn_plugin_keys(registry, p);

    printf("%s: %s\n", p->name, p->title);
    if (p->source) {
        printf("source: %s\n", p->source);
    }
    printf("\nparameters:%s\n", fields->name || keys->name ? "" : " none");
    text_fields(fields);
    for (const struct scn_key *k = keys; k->name; k++) {
        printf("  %s\n", k->name);
        print_wrapped(k->help, 15, 80);
    }
    if (counters) {
        printf("\ncounters:%s\n", counters->name ? "" : " none");
    }
    for (const struct weir_field *f = counters ? counters : no_fields; f->name; f++) {
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
    if (value == WEIR_AUTO) { /* Left to be derived, or there is none. */
        json_null(j, key);
    } else {
        json_number(j, key, value);
    }
    json_text(j, key_of_text,
              value == WEIR_AUTO && !f->derived ? NULL : value_text(f, value, &text));
}

static void
json_range(struct json *j, const struct weir_field *f)
{
    if (f->kind != WEIR_CHOICE) {
        json_value(j, "min", f, f->min);
        json_value(j, "max", f, f->max);
        return;
    }
    cli_json_choices(j, "choices", f);
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
    json_bool(j, "may_be_off", f->may_be_off);
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
json_key(struct json *j, const struct scn_key *k)
{
    json_open(j, NULL, '{');
    json_text(j, "name", k->name);
    json_text(j, "help", k->help);
    json_close(j, '}');
}

static void
show_json(struct json *j, const struct weir_registry *registry, const struct weir_plugin *p)
{
    const struct weir_field *counters = counters_of(registry, p);
    const struct scn_key *keys = scn_plugin_keys(registry, p);

    json_open(j, NULL, '{');
    json_text(j, "name", p->name);
    json_text(j, "title", p->title);
    json_text(j, "source", p->source);
    json_table(j, "parameters", scn_choice_fields(p), json_field);
    if (keys->name) {
        json_open(j, "keys", '[');
        for (const struct scn_key *k = keys; k->name; k++) {
            json_key(j, k);
        }
        json_close(j, ']');
    }
    if (counters) {
        json_table(j, "counters", counters, json_counter);
    }
    json_close(j, '}');
}

void
cli_json_plugins(struct json *j, const char *key, const struct weir_registry *registry)
{
    json_open(j, key, '[');
    for (const struct weir_plugin *const *p = registry->plugins; *p; p++) {
        show_json(j, registry, *p);
    }
    json_close(j, ']');
}

static void
markdown_fields(const struct weir_field *fields)
{
    struct weir_text text;

    for (const struct weir_field *f = fields; f->name; f++) {
        printf("| `%s` | %s | %s", f->name, weir_kind_name(f->kind), default_text(f, &text));
        printf(" | %s | %s", range_text(f, &text), f->help);
        if (f->derived) {
            printf(" Auto: %s.", f->derived);
        }
        printf(" | %s |\n", f->source ? f->source : "-");
    }
}

static void
show_markdown(const struct weir_registry *registry, const struct weir_plugin *p)
{
    const struct weir_field *fields = scn_choice_fields(p), *counters = counters_of(registry, p);
    const struct scn_key *keys = scn_plugin_keys(registry, p);

    if (!fields->name && !keys->name) {
        printf("No parameters.\n");
    } else {
        printf("| name | kind | default | range | what it is | source |\n"
               "| --- | --- | --- | --- | --- | --- |\n");
    }
    markdown_fields(fields);
    for (const struct scn_key *k = keys; k->name; k++) {
        printf("| `%s` | - | - | - | %s | - |\n", k->name, k->help);
    }
    for (const struct weir_field *f = counters ? counters : no_fields; f->name; f++) {
        printf("%s`%s`", f == counters ? "\nCounters: " : ", ", f->name);
    }
    if (counters) {
        printf("%s.\n", counters->name ? "" : "\nCounters: none");
    }
}

static void
list_markdown(const struct weir_registry *registry)
{
    printf("| name | what it is | source |\n| --- | --- | --- |\n");
    for (const struct weir_plugin *const *p = registry->plugins; *p; p++) {
        printf("| `%s` | %s | %s |\n", (*p)->name, (*p)->title, (*p)->source ? (*p)->source : "-");
    }
}

/* The verb. */

static void
show(const struct weir_registry *registry, const struct weir_plugin *p, enum format format)
{
    struct json j = { .out = stdout, .lines = 3 };

    if (format == TEXT) {
        show_text(registry, p);
    } else if (format == MARKDOWN) {
        show_markdown(registry, p);
    } else {
        json_open(&j, NULL, '[');
        show_json(&j, registry, p);
        json_close(&j, ']');
    }
}

static void
list(const struct scn_registry *r, enum format format)
{
    struct json j = { .out = stdout, .lines = 3 };

    if (format == TEXT) {
        list_text(r);
        return;
    }
    if (format == MARKDOWN) {
        list_markdown(r->registry);
        return;
    }
    cli_json_plugins(&j, NULL, r->registry);
}

enum { MAX_NAMES = 64 };

static int
unknown_plugin(const struct weir_registry *registry, const char *name)
{
    const char *names[MAX_NAMES];
    char offer[200];

    text_offer(name, names, sizeof names[0], weir_plugin_names(registry, names, MAX_NAMES), offer,
               sizeof offer);
    return cli_fail(EXIT_USER, "unknown %s '%s'%s\n'weir %s' lists them", registry->one, name,
                    offer, registry->many);
}

struct options {
    struct verb_operands name;
    int format;
};

static const struct verb_option options[] = {
    { "--json", NULL, CLI_JSON_HELP, VERB_ONE_OF, .offset = offsetof(struct options, format),
      .min = JSON },
    { "--markdown", NULL, "Shows the same as Markdown tables, as in doc/.", VERB_ONE_OF,
      .offset = offsetof(struct options, format), .min = MARKDOWN },
    { 0 },
};

static int
run(int argc, char **argv)
{
    const struct scn_registry *r = scn_registry_find(argv[0]);
    const struct verb verb = cli_plugins(r->registry);
    struct options o = { .format = TEXT };
    int code;

    if (!options_read(&verb, argc, argv, &o, &code)) {
        return code;
    }
    if (!o.name.n) {
        list(r, (enum format)o.format);
        return EXIT_GOOD;
    }
    const struct weir_plugin *p = weir_plugin_find(r->registry, o.name.items[0]);
    if (!p) {
        return unknown_plugin(r->registry, o.name.items[0]);
    }
    show(r->registry, p, (enum format)o.format);
    return EXIT_GOOD;
}

struct verb
cli_plugins(const struct weir_registry *registry)
{
    return (struct verb){ .name = registry->many,
                          .run = run,
                          .brief = registry->title,
                          .operands = "[NAME]",
                          .about = "Lists what a scenario can choose by name. With a NAME, shows "
                                   "that one with its parameters: kind, default, range, source.",
                          .options = options,
                          .operands_at = offsetof(struct options, name),
                          .max_operands = 1,
                          .terms_group = "Names",
                          .registry = registry };
}
