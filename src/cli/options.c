/* Reads the arguments of a verb by its table of options. */

#include "cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "scenario/key-tables.h"

bool
verb_find(const char *name, struct verb *v)
{
    for (size_t i = 0; verb_at(i, v); i++) {
        if (!strcmp(v->name, name)) {
            return true;
        }
    }
    return false;
}

const char *
verb_group_title(enum verb_group group)
{
    static const char *const titles[] = {
        [VERB_SIMULATE] = "Simulate",
        [VERB_PLAN] = "Check and plan a fabric",
        [VERB_UNDERSTAND] = "Understand a result",
        [VERB_REPRODUCE] = "Reproduce papers",
        [VERB_LARGE] = "Large jobs",
        [VERB_REAL] = "Real frames",
        [VERB_WRITE] = "Write a scenario",
        [VERB_OTHER] = "Other",
    };

    return titles[group];
}

const char *
verb_examples(const struct verb *v, char room[VERB_EXAMPLES_BYTES])
{
    if (v->registry) {
        snprintf(room, VERB_EXAMPLES_BYTES, "  weir %s\n  weir %s %s\n", v->name, v->name,
                 weir_plugin_name(v->registry, 1));
    }
    return v->registry ? room : v->examples;
}

bool
verb_term(const struct verb *v, size_t i, const char **word, const char **help)
{
    if (!v->registry) {
        return v->term(i, word, help);
    }
    *word = weir_plugin_name(v->registry, i);
    *help = *word ? v->registry->plugins[i]->title : NULL;
    return *word != NULL;
}

const char *
verb_operand(const struct verb *v, size_t i)
{
    if (v->registry) {
        return weir_plugin_name(v->registry, i);
    }
    return v->operand ? v->operand(i) : NULL;
}

/* Options as help shows them. */

static void
show_field(const struct verb *v, const struct weir_field *f, struct verb_shown *shown)
{
    struct weir_text value = { 0 };
    bool is_left = f->fallback == WEIR_AUTO;

    if (is_left) {
        weir_text_add(&value, "%s", f->derived);
    } else {
        weir_text_add(&value, "%F", f, f->fallback);
    }
    *shown = (struct verb_shown){ .value = v->field_value(f), .choices = f->choices };
    snprintf(shown->name, sizeof shown->name, "--%s", f->name);
    snprintf(shown->help, sizeof shown->help, "%s %s: %s.", f->help,
             is_left ? "If not given" : "Default", value.s);
    shown->group = f == v->fields ? v->fields_group : NULL;
}

static void
show_option(const struct verb_option *o, struct verb_shown *shown)
{
    *shown = (struct verb_shown){ .value = o->value,
                                  .group = o->group,
                                  .is_file = o->kind == VERB_FILE,
                                  .may_repeat = o->kind == VERB_WORDS || o->repeats,
                                  .choices = o->choices };
    snprintf(shown->name, sizeof shown->name, "%s", o->name);
    snprintf(shown->help, sizeof shown->help, "%s", o->help);
}

static bool
has_groups(const struct verb *v)
{
    const struct verb_option *o = v->options;

    while (o && o->name && !o->group) {
        o++;
    }
    return v->fields_group || (o && o->name);
}

bool
verb_show(const struct verb *v, size_t i, struct verb_shown *shown)
{
    static const struct verb_option help = { .name = "--help", .help = "Shows this help." };
    static const struct verb_option quiet = {
        .name = "--quiet", .help = "Shows no progress. By default a terminal shows a progress line."
    };
    const struct verb_option *common[] = { &colour_option, v->is_long ? &quiet : &help, &help };
    const size_t n_common = v->is_long ? 3 : 2;

    for (const struct verb_option *o = v->options; o && o->name; o++) {
        if (!i--) {
            show_option(o, shown);
            return true;
        }
    }
    for (const struct weir_field *f = v->fields; f && f->name; f++) {
        if (!i--) {
            show_field(v, f, shown);
            return true;
        }
    }
    if (i >= n_common) {
        return false;
    }
    show_option(common[i], shown);
    shown->group = !i && has_groups(v) ? "Help" : NULL;
    shown->is_common = true;
    return true;
}

/* Reading of arguments. */

struct reader {
    const struct verb *verb;
    char *options; /* The struct of the verb that receives the values. */
    struct verb_operands operands;
    int code;
};

static bool
has_option(const struct verb *v, const char *name)
{
    struct verb_shown o;

    for (size_t i = 0; verb_show(v, i, &o); i++) {
        if (!strcmp(o.name, name)) {
            return true;
        }
    }
    return false;
}

/* Offers the other verbs that have the option, if there are any. */
static void
offer_verbs(const char *name, char *offer, size_t offer_bytes)
{
    struct verb v;

    for (size_t i = 0, len = 0; verb_at(i, &v) && len < offer_bytes; i++) {
        if (has_option(&v, name)) {
            len += (size_t)snprintf(offer + len, offer_bytes - len, "%s%s",
                                    len ? ", " : "; verbs that have it: ", v.name);
        }
    }
}

/* Offers the option with the most similar name, if there is one. */
static void
offer_option(const struct verb *v, const char *name, char *offer, size_t offer_bytes)
{
    struct verb_shown shown[VERB_MAX_WORDS];
    const char *names[VERB_MAX_WORDS];
    size_t n = 0;

    for (; n < VERB_MAX_WORDS && verb_show(v, n, &shown[n]); n++) {
        names[n] = shown[n].name;
    }
    text_offer_near(name, names, sizeof *names, n, offer, offer_bytes);
}

/* Offers a key of the scenario, for options that a user meant as keys: --seed, --warm-up. */
static void
offer_key(const struct verb *v, const char *name, char *offer, size_t offer_bytes)
{
    char key[VERB_NAME_BYTES], path[SCN_MAX_KEY_PATH];
    const struct verb_option *o = v->options;

    while (o && o->name && strcmp(o->name, "--set")) {
        o++;
    }
    snprintf(key, sizeof key, "%s", name + strspn(name, "-"));
    for (char *c = key; *c; c++) {
        *c = *c == '-' ? '_' : *c;
    }
    if (o && o->name && scn_key_path(key, path)) {
        snprintf(offer, offer_bytes, "; that key of the scenario is set by --set %.*s=VALUE",
                 (int)sizeof path, path);
    }
}

static int
unknown(const struct verb *v, const char *word, size_t len)
{
    char name[VERB_NAME_BYTES], offer[SCN_MAX_KEY_PATH + 80];

    snprintf(name, sizeof name, "%.*s", (int)len, word);
    offer_option(v, name, offer, sizeof offer);
    if (!*offer) {
        offer_key(v, name, offer, sizeof offer);
    }
    if (!*offer) {
        offer_verbs(name, offer, sizeof offer);
    }
    return cli_fail(EXIT_USER, "%s: unknown option '%s'%s\n'weir %s --help' lists the options",
                    v->name, name, offer, v->name);
}

static bool
read_number(const struct verb_option *o, const char *word, uint64_t *to, struct err *err)
{
    char *end;

    errno = 0;
    *to = strtoull(word, &end, 10);
    if (word[0] >= '0' && word[0] <= '9' && !*end && !errno && *to >= o->min && *to <= o->max) {
        return true;
    }
    return o->max == UINT64_MAX
               ? err_set(err, "takes a number of at least %llu, not '%s'",
                         (unsigned long long)o->min, word)
               : err_set(err, "takes a number from %llu to %llu, not '%s'",
                         (unsigned long long)o->min, (unsigned long long)o->max, word);
}

static bool
read_time(const char *word, weir_ps *to, struct err *err)
{
    struct weir_text why = { 0 };
    uint64_t ps;

    if (!weir_value_parse(WEIR_TIME, word, &ps, &why)) {
        return err_set(err, "takes a time; %s", why.s);
    }
    *to = ps < (uint64_t)WEIR_LATE ? (weir_ps)ps : WEIR_LATE;
    return true;
}

static bool
add_word(struct verb_words *words, const char *word, struct err *err)
{
    if (words->n == VERB_MAX_WORDS) {
        return err_set(err, "may be given at most %d times", VERB_MAX_WORDS);
    }
    words->items[words->n++] = word;
    return true;
}

/* Sets the value of an option that excludes others. Options that set the same value exclude each
 * other. */
static bool
choose(const struct verb *v, const struct verb_option *o, int *to, struct err *err)
{
    for (const struct verb_option *other = v->options; other->name; other++) {
        if (other->kind == VERB_ONE_OF && other->offset == o->offset && other != o &&
            *to == (int)other->min) {
            return err_set(err, "and %s exclude each other: give one", other->name);
        }
    }
    *to = (int)o->min;
    return true;
}

static bool
take(struct reader *r, const struct verb_option *o, const char *word, struct err *err)
{
    void *to = r->options + o->offset;

    switch (o->kind) {
    case VERB_FLAG:
        return *(bool *)to = true;
    case VERB_ONE_OF:
        return choose(r->verb, o, to, err);
    case VERB_WORD:
    case VERB_FILE:
        *(const char **)to = word;
        return true;
    case VERB_NUMBER:
        return read_number(o, word, to, err);
    case VERB_TIME:
        return read_time(word, to, err);
    case VERB_WORDS:
        return add_word(to, word, err);
    case VERB_READ:
        return o->read(to, word, err);
    }
    return false;
}

static const struct verb_option *
find_option(const struct verb *v, const char *name, size_t len)
{
    for (const struct verb_option *o = v->options; o && o->name; o++) {
        if (strlen(o->name) == len && !strncmp(o->name, name, len)) {
            return o;
        }
    }
    return NULL;
}

static const struct weir_field *
find_field(const struct verb *v, const char *name, size_t len)
{
    for (const struct weir_field *f = v->fields; f && f->name; f++) {
        if (len > 2 && !strncmp(name, "--", 2) && strlen(f->name) == len - 2 &&
            !strncmp(f->name, name + 2, len - 2)) {
            return f;
        }
    }
    return NULL;
}

/* The value of an option that needs one and has no "="; prints an error and returns null if it is
 * missing. A word that begins with dashes is taken for an option, not for the value. A user who
 * means it as the value writes "=". */
static const char *
next_value(struct reader *r, const char *option, const char *needs, const char *next)
{
    const char *name = r->verb->name;

    if (!next) {
        r->code = cli_fail(EXIT_USER, "%s: %s needs a value: %s %s", name, option, option, needs);
        return NULL;
    }
    if (!strncmp(next, "--", 2)) {
        r->code =
            cli_fail(EXIT_USER,
                     "%s: %s needs a value, and %s looks like an option: write %s %s; a value that "
                     "begins with dashes is written %s=%s",
                     name, option, next, option, needs, option, next);
        return NULL;
    }
    return next;
}

/* Reads "--record FILE" or "--record=FILE"; returns false and prints the error if it is wrong. */
static bool
read_option(struct reader *r, int argc, char **argv, int *i)
{
    const char *word = argv[*i], *equals = !strncmp(word, "--", 2) ? strchr(word, '=') : NULL;
    size_t len = equals ? (size_t)(equals - word) : strlen(word);
    const struct verb_option *o = find_option(r->verb, word, len);
    const struct weir_field *f = o ? NULL : find_field(r->verb, word, len);
    const char *name = r->verb->name, *value = equals ? equals + 1 : NULL;
    const char *needs = o ? o->value : f ? r->verb->field_value(f) : NULL;
    struct err err;

    if (!o && !f) {
        r->code = unknown(r->verb, word, len);
        return false;
    }
    if (!needs && value) {
        r->code = cli_fail(EXIT_USER, "%s: %s takes no value", name, o->name);
        return false;
    }
    if (needs && !value) {
        ++*i;
        value = next_value(r, word, needs, *i < argc ? argv[*i] : NULL);
    }
    if (needs && !value) {
        return false;
    }
    if (o ? take(r, o, value, &err) : r->verb->read_field(r->options, f, value, &err)) {
        return true;
    }
    r->code = cli_fail(EXIT_USER, "%s: %.*s%s %s", name, (int)len, word, f ? ":" : "", err.text);
    return false;
}

static bool
check_operands(struct reader *r)
{
    const struct verb *v = r->verb;

    if (r->operands.n < v->min_operands) {
        r->code = cli_fail(EXIT_USER, "%s: %s\n'weir %s --help' explains the verb", v->name,
                           v->missing, v->name);
        return false;
    }
    if (r->operands.n > v->max_operands) {
        r->code =
            cli_fail(EXIT_USER, "%s: unexpected argument '%s'\n'weir %s --help' explains the verb",
                     v->name, r->operands.items[v->max_operands], v->name);
        return false;
    }
    if (v->max_operands) {
        memcpy(r->options, &r->operands, sizeof r->operands);
    }
    return true;
}

static bool
is_help(const char *word)
{
    return !strcmp(word, "--help") || !strcmp(word, "-h");
}

/* Reads the arguments, and moves operands to their front. Returns false if the verb must not
 * run. */
static bool
read_arguments(struct reader *r, int argc, char **argv)
{
    /* 'is_over': "--" was read, and all arguments after it are operands. */
    bool good = true, is_over = false;

    for (int i = 1; i < argc && good; i++) {
        if (!is_over && is_help(argv[i])) {
            help_verb(r->verb);
            return false;
        }
        if (!is_over && r->verb->is_long && !strcmp(argv[i], "--quiet")) {
            progress_hush();
        } else if (!is_over && !strcmp(argv[i], "--")) {
            is_over = true;
        } else if (is_over || argv[i][0] != '-' || !argv[i][1]) {
            r->operands.items[r->operands.n++] = argv[i];
        } else {
            good = read_option(r, argc, argv, &i);
        }
    }
    return good && check_operands(r);
}

int
verb_run(const struct verb *v, int argc, char **argv)
{
    size_t bytes = v->options_bytes ? v->options_bytes : sizeof(struct verb_operands);
    struct reader r = { .verb = v,
                        .options = array_new(1, bytes),
                        .operands = { .items = argv + 1, .verb = v },
                        .code = EXIT_GOOD };

    if (v->defaults) {
        memcpy(r.options, v->defaults, bytes);
    }
    if (v->fields) {
        weir_fields_default(v->fields, r.options + v->fields_at);
    }
    int code = read_arguments(&r, argc, argv) ? v->run(r.options) : r.code;
    free(r.options);
    return code;
}
