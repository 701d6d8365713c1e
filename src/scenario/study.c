/* Reads a study: a scenario, and the axes that it is run over. */

#include "scenario/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "scenario/resolver.h"

static bool
count_runs(struct scn_study *s, struct err *err)
{
    s->n_runs = 1;
    for (size_t a = 0; a < s->n_axes; a++) {
        if (s->axes[a].n > SCN_STUDY_MAX_RUNS / s->n_runs) {
            return scn_fail_key(s->axes[a].node, err,
                                "this makes over %llu million runs, the maximum of a study",
                                (unsigned long long)(SCN_STUDY_MAX_RUNS / 1000000));
        }
        s->n_runs *= s->axes[a].n;
    }
    return true;
}

/* Reads the sample's values of an axis. It does so even if they are not used, so that errors are
 * found. */
static bool
sample_axis(struct scn_study_axis *axis, const struct scn_node *n, enum scn_study_part part,
            struct err *err)
{
    struct scn_study_axis sample = { .key = axis->key, .variants = axis->variants };
    bool good = scn_study_read_axis(&sample, n, err), is_used = good && part == SCN_STUDY_SAMPLE;

    if (is_used) {
        scn_study_free_axis(axis);
        *axis = sample;
    } else {
        scn_study_free_axis(&sample);
    }
    return good;
}

/* Replaces the values of axes by those of the sample. */
static bool
read_sample(struct scn_study *s, enum scn_study_part part, struct err *err)
{
    if (part == SCN_STUDY_SAMPLE && !s->sample) {
        return true;
    }
    s->is_sample = part == SCN_STUDY_SAMPLE;
    for (size_t i = 0; s->sample && i < s->sample->n_children; i++) {
        const struct scn_node *n = s->sample->children[i];
        const struct scn_study_axis *whole = scn_study_axis(s, n->key);
        if (!whole) {
            return scn_fail_key(n, err, "'%s' is not a key of 'over', so it cannot have a sample",
                                n->key);
        }
        if (!sample_axis(&s->axes[whole - s->axes], n, part, err)) {
            return false;
        }
    }
    return count_runs(s, err);
}

/* These functions read the values of keys. */

static bool
read_base(struct scn_study *s, const struct scn_node *n, struct err *err)
{
    if (n->kind != SCN_WORD) {
        return scn_fail(n, err, "expected the name of a scenario file");
    }
    const char *slash = strrchr(n->source->name, '/');
    size_t folder = slash && n->word[0] != '/' ? (size_t)(slash - n->source->name) + 1 : 0;
    s->base = array_new(folder + strlen(n->word) + 1, 1);
    memcpy(s->base, n->source->name, folder);
    strcpy(s->base + folder, n->word);
    return true;
}

static bool
read_over(struct scn_study *s, const struct scn_node *n, struct err *err)
{
    if (n->kind != SCN_MAP || !n->n_children) {
        return scn_fail(n, err, "expected keys and the values to try, as in {run.seed: 1..100}");
    }
    for (size_t i = 0; i < n->n_children; i++) {
        ARRAY_PUSH(s->axes, s->n_axes, s->max_axes) =
            (struct scn_study_axis){ .key = n->children[i]->key };
        if (!scn_study_read_axis(&s->axes[i], n->children[i], err)) {
            return false;
        }
    }
    return scn_study_check_variants(s, err) && count_runs(s, err);
}

static bool
take_sample(struct scn_study *s, const struct scn_node *n, struct err *err)
{
    s->sample = n;
    return n->kind == SCN_MAP ||
           scn_fail(n, err, "expected keys of 'over' with fewer values, as in {run.seed: 1..10}");
}

static bool
read_name(struct scn_study *s, const struct scn_node *n, struct err *err)
{
    if (n->kind != SCN_WORD || strlen(n->word) >= sizeof s->name) {
        return scn_fail(n, err, "expected a name of at most %zu bytes", sizeof s->name - 1);
    }
    strcpy(s->name, n->word);
    return true;
}

/* Keeps the node of the claims, which are read when all axes are known. */
static bool
take_claims(struct scn_study *s, const struct scn_node *n, struct err *err)
{
    s->claims_node = n;
    return n->kind == SCN_LIST || scn_fail(n, err, "expected a list of claims");
}

static bool
expect_word(const struct scn_node *n, const char *word, struct err *err)
{
    return (n->kind == SCN_WORD && !strcmp(n->word, word)) ||
           scn_fail(n, err, "'%s' is the only value that this key can have", word);
}

static const char *const onlies[] = { [SCN_ALL_NETWORKS] = "", "cyclic", "acyclic" };

static bool
read_only(struct scn_study *s, const struct scn_node *n, struct err *err)
{
    for (int i = SCN_CYCLIC; i <= SCN_ACYCLIC; i++) {
        if (n->kind == SCN_WORD && !strcmp(n->word, onlies[i])) {
            s->only = (enum scn_study_only)i;
            return true;
        }
    }
    return scn_fail(n, err, "expected 'cyclic' or 'acyclic'");
}

static bool
read_stop(struct scn_study *s, const struct scn_node *n, struct err *err)
{
    s->stops_at_deadlock = true;
    return expect_word(n, "deadlock", err);
}

static bool
read_keep(struct scn_study *s, const struct scn_node *n, struct err *err)
{
    (void)s;
    return expect_word(n, "summary", err);
}

static const struct {
    const char *name;
    bool (*read)(struct scn_study *, const struct scn_node *, struct err *);
} keys[] = {
    { "name", read_name },     { "base", read_base },
    { "over", read_over },     { "only", read_only },
    { "stop", read_stop },     { "keep", read_keep },
    { "sample", take_sample }, { "measure", scn_study_read_measures },
    { "claims", take_claims },
};

enum { N_KEYS = sizeof keys / sizeof *keys };

static bool
is_scenario(const struct scn_study *s)
{
    return scn_child(s->root, "topology") && !scn_child(s->root, "over");
}

static bool
read_key(struct scn_study *s, const struct scn_node *n, struct err *err)
{
    size_t k = scn_find_key(n, &keys[0].name, sizeof keys[0], N_KEYS, err);

    return k < N_KEYS && keys[k].read(s, n, err);
}

static bool
read_keys(struct scn_study *s, struct err *err)
{
    if (is_scenario(s)) {
        return scn_fail(s->root, err,
                        "this is a scenario, not a study; 'weir run %s' runs it, and "
                        "'weir sweep --over KEY=VALUE,VALUE' varies a key of it",
                        s->source->name);
    }
    for (size_t i = 0; i < s->root->n_children; i++) {
        if (!read_key(s, s->root->children[i], err)) {
            return false;
        }
    }
    if (!s->base) {
        return scn_fail(s->root, err, "a study needs 'base', the scenario that it runs");
    }
    return s->n_axes ||
           scn_fail(s->root, err, "a study needs 'over', the keys that it varies and their values");
}

/* Whether the file is a scenario; it then becomes the base for the axes of a command. */
static bool
take_scenario(struct scn_study *s, const struct scn_study_options *o)
{
    bool is_one = o && o->n_over && !scn_child(s->root, "over");

    s->base = is_one ? strdup(s->source->name) : NULL;
    return is_one;
}

static bool
add_options(struct scn_study *s, const struct scn_study_options *o, struct err *err)
{
    return !o || (scn_study_add_options(s, o, err) && scn_study_check_variants(s, err) &&
                  count_runs(s, err));
}

bool
scn_study_read(struct scn_study *s, const char *file, const char *text, enum scn_study_part part,
               const struct scn_statements *statements, const struct scn_study_options *options,
               struct err *err)
{
    const char *slash = strrchr(file, '/'), *last = slash ? slash + 1 : file;

    *s = (struct scn_study){ .source = array_new(1, sizeof *s->source) };
    *s->source = (struct scn_source){ .name = strdup(file), .text = strdup(text) };
    snprintf(s->name, sizeof s->name, "%.*s", (int)strcspn(last, "."), last);
    s->root = scn_tree_read(s->source, err);
    if (!s->root || !(take_scenario(s, options) || read_keys(s, err)) ||
        !scn_study_read_claims(s, err) ||
        (statements && !scn_study_take_statements(s, statements, err)) ||
        !read_sample(s, part, err) || !add_options(s, options, err)) {
        scn_study_free(s);
        return false;
    }
    return true;
}

void
scn_study_free(struct scn_study *s)
{
    for (size_t a = 0; a < s->n_axes; a++) {
        scn_study_free_axis(&s->axes[a]);
    }
    free(s->axes);
    scn_study_free_options(s);
    scn_study_free_claims(s);
    free(s->base);
    if (s->root) {
        scn_tree_free(s->root);
    }
    if (s->source) {
        free((char *)s->source->name);
        free((char *)s->source->text);
        free(s->source);
    }
    *s = (struct scn_study){ 0 };
}

char *
scn_study_text(const struct scn_study *s)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    for (size_t i = 0; i < s->fixed.n; i++) {
        fprintf(out, "set: %s\n", s->fixed.items[i]);
    }
    fprintf(out, "over:\n");
    for (size_t a = 0; a < s->n_axes; a++) {
        scn_study_write_axis(out, &s->axes[a]);
    }
    if (s->only) {
        fprintf(out, "only: %s\n", onlies[s->only]);
    }
    fputs(s->stops_at_deadlock ? "stop: deadlock\n" : "", out);
    for (size_t i = 0; i < s->n_measures; i++) {
        fprintf(out, "%s  %s: ", i ? "" : "measure:\n", s->measures[i].name);
        scn_study_write_node(out, s->measures[i].node);
        fputc('\n', out);
    }
    fclose(out);
    return text;
}
