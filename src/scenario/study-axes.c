/* The axes of a study: values, ranges of whole numbers, or named variants, each a map of settings.
 *
 *     over:
 *       scheme:                                    an axis of variants; the name is free
 *         dropping: {switch.full: drop}
 *         stopping: {switch.full: stop, engines.pfc.xoff: 40KB}
 *       run.seed: 1..3 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scenario/resolver.h"
#include "scenario/study.h"

/* These functions read values. */

/* Writes a node as YAML on one line, which --set reads as the value in the study. */
void
scn_study_write_node(FILE *out, const struct scn_node *n)
{
    if (n->kind == SCN_WORD) {
        scn_write_word(out, n->word);
        return;
    }
    fputc(n->kind == SCN_LIST ? '[' : '{', out);
    for (size_t i = 0; i < n->n_children; i++) {
        const struct scn_node *child = n->children[i];
        fprintf(out, "%s%s%s", i ? ", " : "", child->key ? child->key : "", child->key ? ": " : "");
        scn_study_write_node(out, child);
    }
    fputc(n->kind == SCN_LIST ? ']' : '}', out);
}

static char *
text_of(const struct scn_node *n)
{
    char *text = NULL;
    size_t len;

    if (n->kind == SCN_WORD) {
        return strdup(n->word);
    }
    FILE *out = open_memstream(&text, &len);
    scn_study_write_node(out, n);
    fclose(out);
    return text;
}

/* Whether a word is a range, such as "1..1000". */
static bool
is_range(const char *word)
{
    static const char digits[] = "0123456789";
    size_t first = strspn(word, digits);

    if (!first || first > 18 || strncmp(word + first, "..", 2)) {
        return false;
    }
    const char *after = word + first + 2;
    size_t last = strspn(after, digits);
    return last && last <= 18 && !after[last];
}

static bool
add_item(struct scn_study_axis *axis, const struct scn_node *n, struct err *err)
{
    struct scn_study_item item = { .node = n, .n = 1 };

    if (n->kind == SCN_WORD && is_range(n->word)) {
        char *end;
        item.first = strtoull(n->word, &end, 10);
        uint64_t last = strtoull(end + 2, NULL, 10);
        if (last < item.first) {
            return scn_fail(n, err, "a range must go up, as in %llu..%llu",
                            (unsigned long long)last, (unsigned long long)item.first);
        }
        item.n = last - item.first + 1;
    } else {
        item.text = text_of(n);
    }
    ARRAY_PUSH(axis->items, axis->n_items, axis->max_items) = item;
    axis->n += item.n;
    return true;
}

/* Whether an axis has variants. They differ from values by the maps under their names. */
static bool
is_variants(const struct scn_node *n)
{
    bool is = n->kind == SCN_MAP && n->n_children;

    for (size_t i = 0; is && i < n->n_children; i++) {
        is = n->children[i]->kind == SCN_MAP;
    }
    return is;
}

static void
add_variant(struct scn_study_axis *axis, const struct scn_node *n)
{
    ARRAY_PUSH(axis->items, axis->n_items, axis->max_items) =
        (struct scn_study_item){ .node = n, .text = strdup(n->key), .settings = n, .n = 1 };
    axis->n++;
}

/* Chooses a variant of the axis by its name. */
static bool
choose_variant(struct scn_study_axis *axis, const struct scn_node *n, struct err *err)
{
    const struct scn_node *variant =
        n->kind == SCN_WORD ? scn_child(axis->variants, n->word) : NULL;

    if (!variant) {
        return scn_fail(n, err, "expected the name of one of the variants of '%s'", axis->key);
    }
    add_variant(axis, variant);
    return true;
}

/* Reads the variants of an axis. Its name must not be a key of claims, because claims select
 * variants by the name of the axis. */
static bool
read_variants(struct scn_study_axis *axis, const struct scn_node *n, struct err *err)
{
    if (scn_study_is_claim_key(n->key)) {
        return scn_fail_key(n, err,
                            "'%s' cannot be the name of an axis: in a claim, that key has another "
                            "meaning. Choose another name",
                            n->key);
    }
    axis->variants = n;
    for (size_t i = 0; i < n->n_children; i++) {
        add_variant(axis, n->children[i]);
    }
    return true;
}

bool
scn_study_read_axis(struct scn_study_axis *axis, const struct scn_node *n, struct err *err)
{
    bool is_word = n->kind == SCN_WORD;

    axis->node = n;
    if (is_variants(n) && !axis->variants) {
        return read_variants(axis, n, err);
    }
    if (n->kind == SCN_MAP || (n->kind == SCN_LIST && !n->n_children)) {
        return scn_fail(n, err,
                        "expected values, as in [pfc, cbfc], a range, as in 1..100, or variants, "
                        "as in {small: {switch.buffer: 100KB}, ...}");
    }
    for (size_t i = 0; i < (is_word ? 1 : n->n_children); i++) {
        const struct scn_node *item = is_word ? n : n->children[i];
        if (!(axis->variants ? choose_variant : add_item)(axis, item, err)) {
            return false;
        }
    }
    return true;
}

void
scn_study_free_axis(struct scn_study_axis *axis)
{
    for (size_t i = 0; i < axis->n_items; i++) {
        free(axis->items[i].text);
    }
    free(axis->items);
    axis->items = NULL;
    axis->n_items = axis->max_items = axis->n = 0;
}

/* Whether two keys are equal, or one sets a map that contains the other, such as switch and
 * switch.buffer. */
static bool
is_same_setting(const char *a, const char *b)
{
    size_t a_len = strlen(a), b_len = strlen(b), len = a_len < b_len ? a_len : b_len;
    char after = a_len < b_len ? b[len] : a[len];

    return !strncmp(a, b, len) && (!after || after == '.');
}

bool
scn_study_axis_sets(const struct scn_study_axis *axis, const char *key)
{
    bool is = !axis->variants && is_same_setting(axis->key, key);

    for (size_t i = 0; axis->variants && !is && i < axis->n_items; i++) {
        const struct scn_node *settings = axis->items[i].settings;
        for (size_t j = 0; !is && j < settings->n_children; j++) {
            is = is_same_setting(settings->children[j]->key, key);
        }
    }
    return is;
}

static bool
check_variant(const struct scn_study_axis *other, const struct scn_node *settings, struct err *err)
{
    for (size_t i = 0; i < settings->n_children; i++) {
        const char *key = settings->children[i]->key;
        if (scn_study_axis_sets(other, key)) {
            return scn_fail_key(settings->children[i], err,
                                "'%s' is also set by the axis '%s', so it is not clear which value "
                                "holds",
                                key, other->key);
        }
    }
    return true;
}

bool
scn_study_check_variants(const struct scn_study *s, struct err *err)
{
    for (size_t a = 0; a < s->n_axes; a++) {
        for (size_t i = 0; i < s->axes[a].n_items && s->axes[a].variants; i++) {
            for (size_t b = 0; b < s->n_axes; b++) {
                if (a != b && !check_variant(&s->axes[b], s->axes[a].items[i].settings, err)) {
                    return false;
                }
            }
        }
    }
    return true;
}

const struct scn_study_axis *
scn_study_axis(const struct scn_study *s, const char *key)
{
    for (size_t a = 0; a < s->n_axes; a++) {
        if (!strcmp(s->axes[a].key, key)) {
            return &s->axes[a];
        }
    }
    return NULL;
}

/* These functions compute the settings of runs. */

/* The number of runs in one step along an axis. */
static uint64_t
step_of(const struct scn_study *s, size_t axis)
{
    uint64_t step = 1;

    for (size_t a = axis + 1; a < s->n_axes; a++) {
        step *= s->axes[a].n;
    }
    return step;
}

/* The item at a position of an axis, and the position within it. */
static const struct scn_study_item *
item_at(const struct scn_study_axis *axis, uint64_t place, uint64_t *within)
{
    const struct scn_study_item *item = axis->items;

    for (; place >= item->n; item++) {
        place -= item->n;
    }
    *within = place;
    return item;
}

char *
scn_study_value_at(const struct scn_study_axis *axis, uint64_t place)
{
    char number[24];
    uint64_t within;
    const struct scn_study_item *item = item_at(axis, place, &within);

    snprintf(number, sizeof number, "%llu", (unsigned long long)(item->first + within));
    return strdup(item->text ? item->text : number);
}

uint64_t
scn_study_place(const struct scn_study *s, uint64_t run, size_t axis)
{
    return run / step_of(s, axis) % s->axes[axis].n;
}

/* Whether a word is one of the numbers of a range; if so, sets its index in the range. */
static bool
is_in_range(const struct scn_study_item *item, const char *word, uint64_t *within)
{
    size_t n_digits = strspn(word, "0123456789");
    bool is_number = n_digits && n_digits <= 18 && !word[n_digits] && (*word != '0' || !word[1]);
    uint64_t number = is_number ? strtoull(word, NULL, 10) : 0;

    *within = number - item->first;
    return is_number && number >= item->first && *within < item->n;
}

bool
scn_study_find(const struct scn_study_axis *axis, const char *value, uint64_t *place)
{
    uint64_t before = 0;

    for (size_t i = 0; i < axis->n_items; before += axis->items[i++].n) {
        const struct scn_study_item *item = &axis->items[i];
        uint64_t within = 0;
        if (item->text ? !strcmp(item->text, value) : is_in_range(item, value, &within)) {
            *place = before + within;
            return true;
        }
    }
    return false;
}

uint64_t
scn_study_moved(const struct scn_study *s, uint64_t run, size_t axis, uint64_t place)
{
    return run + step_of(s, axis) * (place - scn_study_place(s, run, axis));
}

char *
scn_study_value(const struct scn_study *s, uint64_t run, size_t axis)
{
    return scn_study_value_at(&s->axes[axis], scn_study_place(s, run, axis));
}

static void
add_set(struct scn_sets *sets, const char *key, const char *value)
{
    size_t n_bytes = strlen(key) + strlen(value) + 2;
    char *set = array_new(n_bytes, 1);

    snprintf(set, n_bytes, "%s=%s", key, value);
    ARRAY_PUSH(sets->items, sets->n, sets->max) = set;
}

static void
add_settings(struct scn_sets *sets, const struct scn_node *settings)
{
    for (size_t i = 0; i < settings->n_children; i++) {
        char *value = text_of(settings->children[i]);
        add_set(sets, settings->children[i]->key, value);
        free(value);
    }
}

struct scn_sets
scn_study_sets(const struct scn_study *s, uint64_t run)
{
    struct scn_sets sets = { 0 };

    for (size_t i = 0; i < s->fixed.n; i++) {
        ARRAY_PUSH(sets.items, sets.n, sets.max) = strdup(s->fixed.items[i]);
    }
    for (size_t a = 0; a < s->n_axes; a++) {
        uint64_t place = scn_study_place(s, run, a), within;
        const struct scn_node *settings = item_at(&s->axes[a], place, &within)->settings;
        if (settings) {
            add_settings(&sets, settings);
            continue;
        }
        char *value = scn_study_value_at(&s->axes[a], place);
        add_set(&sets, s->axes[a].key, value);
        free(value);
    }
    return sets;
}

void
scn_sets_free(struct scn_sets *sets)
{
    for (size_t i = 0; i < sets->n; i++) {
        free(sets->items[i]);
    }
    free(sets->items);
    *sets = (struct scn_sets){ 0 };
}

/* Writes an axis. Variants are written with their settings, even if the sample only has their
 * names. */
void
scn_study_write_axis(FILE *out, const struct scn_study_axis *axis)
{
    fprintf(out, "  %s: ", axis->key);
    if (!axis->variants) {
        scn_study_write_node(out, axis->node);
    }
    for (size_t i = 0; axis->variants && i < axis->n_items; i++) {
        fputs(i ? ", " : "{", out);
        scn_write_word(out, axis->items[i].text);
        fputs(": ", out);
        scn_study_write_node(out, axis->items[i].settings);
    }
    fputs(axis->variants ? "}\n" : "\n", out);
}
