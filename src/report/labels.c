/* Labels of schemes. The user selects a scheme by the number of a run, or by values of settings. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "report/run-schemes.h"

/* The files whose schemes get labels. */
struct labelled {
    struct rep_chosen *files;
    size_t n_files;
    size_t *n_drawn; /* [scheme]: the number of its runs that are drawn. */
};

static bool
is_drawn(const struct rep_chosen *c, const struct rep_listed *run)
{
    for (size_t k = c->first_drawn; k < c->n; k++) {
        if (c->runs[k].listed == run) {
            return true;
        }
    }
    return false;
}

/* Whether a label is for runs of the file; 'file' has 'len' bytes, where 0 means all files. */
static bool
is_for_file(const struct rep_chosen *c, const char *file, size_t len)
{
    const char *names[] = { c->name, rep_chosen_short_name(c) };
    bool is = !len;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        is |= strlen(names[i]) == len && !strncmp(names[i], file, len);
    }
    return is;
}

/* Gives a label to all runs of a scheme. */
static bool
label_scheme(struct labelled *l, const struct rep_listed *of, const char *text, struct err *err)
{
    char label[REP_NAME_BYTES];

    text_shorten(label, sizeof label, text);
    if (of->is_labelled && strcmp(of->scheme_name, label)) {
        return err_set(err,
                       "gives run %llu the label '%s', but it already has '%s'; all seeds of a "
                       "scheme share one label",
                       (unsigned long long)of->row->id, label, of->scheme_name);
    }
    const size_t scheme = of->scheme;
    for (size_t i = 0; i < l->n_files; i++) {
        for (size_t k = 0; k < l->files[i].all.n; k++) {
            struct rep_listed *run = &l->files[i].all.items[k];
            if (run->scheme == scheme) {
                strcpy(run->scheme_name, label);
                run->is_labelled = true;
            }
        }
    }
    return true;
}

/* Selection by the number of a run. */

/* The number of a run before an equals sign, "3" or "results.db#3", and the label after it. */
struct numbered {
    const char *file, *text;
    size_t file_len;
    unsigned long long id;
};

static bool
read_number(const char *word, struct numbered *n)
{
    size_t len = strcspn(word, "="), file_len = len;
    char *end;

    while (file_len && word[file_len] != '#') {
        file_len--;
    }
    const char *number = word + file_len + (word[file_len] == '#');
    *n = (struct numbered){ word, word + len + 1, file_len, strtoull(number, &end, 10) };
    return n->id && *end == '=' && number[0] != '-';
}

static bool
label_number(struct labelled *l, const struct numbered *n, const char *word, struct err *err)
{
    const struct rep_chosen *file = NULL;
    const struct rep_listed *run = NULL;
    size_t n_found = 0;

    for (size_t i = 0; i < l->n_files; i++) {
        const struct rep_listed *found = rep_runs_find(&l->files[i].all, n->id);
        if (found && is_for_file(&l->files[i], n->file, n->file_len)) {
            file = n_found++ ? file : &l->files[i];
            run = found;
        }
    }
    if (n_found > 1) {
        return err_set(err, "%llu: several files have a run %llu; write %s#%llu=%s", n->id, n->id,
                       rep_chosen_short_name(file), n->id, n->text);
    }
    if (!n_found) {
        return err_set(err, "%.*s: there is no such run; 'weir export %s' lists them",
                       (int)(n->text - 1 - word), word, l->files[0].name);
    }
    if (!is_drawn(file, run)) {
        return err_set(err, "%.*s: this run is not drawn; choose it by --run %llu",
                       (int)(n->text - 1 - word), word, n->id);
    }
    return label_scheme(l, run, n->text, err);
}

/* Selection by values of settings. */

enum { SETTING_BYTES = 400 };

/* The next "key=value" of a run: first the settings with which it was started, then its engines,
 * arbitration and seed. */
static const char *
next_value(const struct rep_listed *run, const char **at, size_t *nth, char out[SETTING_BYTES])
{
    const struct rec_run *r = run->row;

    if (**at) {
        size_t len = strcspn(*at, "\n");
        snprintf(out, SETTING_BYTES, "%.*s", len < SETTING_BYTES ? (int)len : SETTING_BYTES, *at);
        *at += len + ((*at)[len] == '\n');
        return out;
    }
    switch ((*nth)++) {
    case 0:
        snprintf(out, SETTING_BYTES, "engine=%s", r->engines);
        return out;
    case 1:
        snprintf(out, SETTING_BYTES, "switch.arbitration=%s", r->arbitration);
        return out;
    case 2:
        snprintf(out, SETTING_BYTES, "run.seed=%llu", (unsigned long long)r->seed);
        return out;
    default:
        return NULL;
    }
}

/* If the text begins with a setting of the run, returns the rest of the text; else null. */
static const char *
after_value(const struct rep_listed *run, const char *text)
{
    char value[SETTING_BYTES];
    const char *at = run->row->settings, *after = NULL;
    size_t nth = 0;

    while (!after && next_value(run, &at, &nth, value)) {
        size_t len = strlen(value);
        bool is_it = !strncmp(text, value, len) && (text[len] == '=' || text[len] == ',');
        after = is_it ? text + len : NULL;
    }
    return after;
}

/* The label in a word such as "engine=pfc,switch.arbitration=rr=PFC"; null unless the run has all
 * the values before it. */
static const char *
text_for(const struct rep_listed *run, const char *word)
{
    const char *at = after_value(run, word);

    while (at && *at == ',') {
        at = after_value(run, at + 1);
    }
    return at ? at + 1 : NULL;
}

/* A set of distinct settings of runs, "key=value". */
struct values {
    char **items;
    size_t n, max;
};

static void
list_values(const struct rep_listed *run, struct values *values)
{
    char value[SETTING_BYTES];
    const char *at = run->row->settings;
    size_t nth = 0;

    while (next_value(run, &at, &nth, value)) {
        if (text_find(value, values->items, sizeof *values->items, values->n) == values->n) {
            ARRAY_PUSH(values->items, values->n, values->max) = strdup(value);
        }
    }
}

static bool
refuse_values(const struct labelled *l, const char *word, bool is_found, struct err *err)
{
    const char *text = strrchr(word, '=');
    char asked[SETTING_BYTES], offer[400];
    struct values values = { 0 };

    if (is_found) {
        return err_set(err, "%s: no run with these values is drawn; choose one by --run N", word);
    }
    for (size_t i = 0; i < l->n_files; i++) {
        for (size_t k = 0; k < l->files[i].all.n; k++) {
            list_values(&l->files[i].all.items[k], &values);
        }
    }
    snprintf(asked, sizeof asked, "%.*s", (int)(text - word), word);
    text_offer(asked, (const char *const *)values.items, sizeof *values.items, values.n, offer,
               sizeof offer);
    for (size_t i = 0; i < values.n; i++) {
        free(values.items[i]);
    }
    free(values.items);
    return err_set(err, "%s: no run has '%s'%s", word, asked, offer);
}

static bool
label_values(struct labelled *l, const char *word, struct err *err)
{
    bool is_found = false, is_shown = false, good = true;

    for (size_t i = 0; i < l->n_files; i++) {
        for (size_t k = 0; k < l->files[i].all.n && good; k++) {
            struct rep_listed *run = &l->files[i].all.items[k];
            const char *text = text_for(run, word);
            if (text && l->n_drawn[run->scheme]) {
                good = label_scheme(l, run, text, err);
                is_shown = true;
            }
            is_found |= text != NULL;
        }
    }
    return good && (is_shown || refuse_values(l, word, is_found, err));
}

/* Labels of all kinds. */

static bool
label_word(struct labelled *l, const char *word, struct err *err)
{
    const char *value = strchr(word, '=');
    struct numbered number;

    if (value && value[1] && read_number(word, &number)) {
        return label_number(l, &number, word, err);
    }
    if (value && strchr(value + 1, '=') && !text_ends_with(word, "=")) {
        return label_values(l, word, err);
    }
    return err_set(err,
                   "takes SETTING=VALUE=TEXT, as in engine=pfc=PFC, or RUN=TEXT, as in "
                   "3='PFC, 100 KB', not '%s'",
                   word);
}

/* Names the labelled runs. If several runs of a scheme are drawn, their names include the seed. */
static void
name_runs(const struct labelled *l)
{
    char label[REP_NAME_BYTES - 40];

    for (size_t i = 0; i < l->n_files; i++) {
        for (size_t k = 0; k < l->files[i].all.n; k++) {
            struct rep_listed *run = &l->files[i].all.items[k];
            if (run->is_labelled && l->n_drawn[run->scheme] > 1) {
                text_shorten(label, sizeof label, run->scheme_name);
                snprintf(run->name, sizeof run->name, "%s, seed %llu", label,
                         (unsigned long long)run->row->seed);
            } else if (run->is_labelled) {
                strcpy(run->name, run->scheme_name);
            }
        }
    }
}

bool
rep_schemes_label(struct rep_chosen *files, size_t n_files, const char *const *words,
                  size_t n_words, struct err *err)
{
    size_t n = 0;
    bool good = true;

    for (size_t i = 0; i < n_files; i++) {
        n += files[i].all.n;
    }
    struct labelled l = { files, n_files, array_new(n, sizeof *l.n_drawn) };
    for (size_t i = 0; i < n_files; i++) {
        for (size_t k = files[i].first_drawn; k < files[i].n; k++) {
            l.n_drawn[files[i].runs[k].listed->scheme]++;
        }
    }
    for (size_t i = 0; i < n_words && good; i++) {
        good = label_word(&l, words[i], err);
    }
    name_runs(&l);
    free(l.n_drawn);
    return good;
}
