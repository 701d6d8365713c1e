/* Axes and settings that a command adds to a study: --over engine=pfc,cbfc and --set run.time=1ms.
 *
 * Each option is parsed as the YAML that it stands for, so that values, ranges, lists and names of
 * variants have the same form as in a file.  Errors name the option. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scenario/resolver.h"
#include "scenario/study.h"

struct scn_study_option {
    struct scn_source source;
    char *text;
    struct scn_node *root;
};

static char *
joined(const char *format, const char *word, int len, const char *rest)
{
    char *text = NULL;
    size_t n_bytes;
    FILE *out = open_memstream(&text, &n_bytes);

    fprintf(out, format, len, word, rest);
    fclose(out);
    return text;
}

/* The values of an option, as a list with the option's key; null with an error if it is invalid. */
static const struct scn_node *
read_option(struct scn_study *s, const char *name, const char *word, struct err *err)
{
    const char *equals = strchr(word, '=');
    int len = equals ? (int)(equals - word) : 0;

    if (!len || !equals[1]) {
        err_set(err, "%s %s: expected KEY=VALUE, as in %s engine=pfc", name, word, name);
        return NULL;
    }
    struct scn_study_option *o = array_new(1, sizeof *o);
    ARRAY_PUSH(s->options, s->n_options, s->max_options) = o;
    o->text = joined("%.*s: [%s]\n", word, len, equals + 1);
    o->source = (struct scn_source){ .name = joined("%.*s %s", name, (int)strlen(name), word),
                                     .text = o->text,
                                     .is_set = true };
    o->root = scn_tree_read(&o->source, err);
    o->source.text = NULL; /* Errors need no text, because the name shows the whole option. */
    if (!o->root) {
        return NULL;
    }
    const struct scn_node *n = o->root->children[0];
    bool good = o->root->n_children == 1 && n->kind == SCN_LIST && n->n_children &&
                strlen(n->key) == (size_t)len && !strncmp(n->key, word, (size_t)len);
    if (!good) {
        scn_fail(o->root, err, "expected KEY=VALUE, as in %s engine=pfc", name);
    }
    return good ? n : NULL;
}

/* Checks that no other axis sets the same key: it would not be clear which value applies. */
static bool
check_key(const struct scn_study *s, const struct scn_node *n, struct err *err)
{
    for (size_t a = 0; a < s->n_axes; a++) {
        if (strcmp(s->axes[a].key, n->key) && scn_study_axis_sets(&s->axes[a], n->key)) {
            return scn_fail(n, err, "the axis '%s' sets '%s', too", s->axes[a].key, n->key);
        }
    }
    return true;
}

/* Replaces the values of an axis of the study, or adds a new axis at the end. */
static bool
vary(struct scn_study *s, const struct scn_node *n, struct err *err)
{
    const struct scn_study_axis *old = scn_study_axis(s, n->key);

    if (!old) {
        ARRAY_PUSH(s->axes, s->n_axes, s->max_axes) = (struct scn_study_axis){ .key = n->key };
        return scn_study_read_axis(&s->axes[s->n_axes - 1], n, err);
    }
    struct scn_study_axis *axis = &s->axes[old - s->axes];
    struct scn_study_axis other = { .key = axis->key, .variants = axis->variants };
    bool good = scn_study_read_axis(&other, n, err);
    scn_study_free_axis(good ? axis : &other);
    *axis = good ? other : *axis;
    return good;
}

static bool
add_over(struct scn_study *s, const char *word, struct err *err)
{
    const struct scn_node *n = read_option(s, "--over", word, err);

    return n && check_key(s, n, err) && vary(s, n, err);
}

/* Sets a value in all runs.  If the key is an axis, the axis has only this value. */
static bool
add_set(struct scn_study *s, const char *word, struct err *err)
{
    const struct scn_node *n = read_option(s, "--set", word, err);

    if (!n || !check_key(s, n, err)) {
        return false;
    }
    if (n->n_children > 1) {
        return scn_fail(n, err, "sets one value in all runs; --over %s runs each of them", word);
    }
    if (scn_study_axis(s, n->key)) {
        return vary(s, n, err);
    }
    ARRAY_PUSH(s->fixed.items, s->fixed.n, s->fixed.max) = strdup(word);
    return true;
}

bool
scn_study_add_options(struct scn_study *s, const struct scn_study_options *o, struct err *err)
{
    bool good = true;

    for (size_t i = 0; good && i < o->n_over; i++) {
        good = add_over(s, o->over[i], err);
    }
    for (size_t i = 0; good && i < o->n_sets; i++) {
        good = add_set(s, o->sets[i], err);
    }
    return good;
}

void
scn_study_free_options(struct scn_study *s)
{
    for (size_t i = 0; i < s->n_options; i++) {
        struct scn_study_option *o = s->options[i];
        if (o->root) {
            scn_tree_free(o->root);
        }
        free((char *)o->source.name);
        free(o->text);
        free(o);
    }
    free(s->options);
    scn_sets_free(&s->fixed);
}
