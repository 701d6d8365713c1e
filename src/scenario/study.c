#include "scenario/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "scenario/resolver.h"

/* Values. */

/* A node as YAML on one line, so that a setting of it is read as it stood in the study. */
static void
write_node(FILE *out, const struct scn_node *n)
{
    if (n->kind == SCN_WORD) {
        scn_write_word(out, n->word);
        return;
    }
    fputc(n->kind == SCN_LIST ? '[' : '{', out);
    for (size_t i = 0; i < n->n_children; i++) {
        const struct scn_node *child = n->children[i];
        fprintf(out, "%s%s%s", i ? ", " : "", child->key ? child->key : "", child->key ? ": " : "");
        write_node(out, child);
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
    write_node(out, n);
    fclose(out);
    return text;
}

/* "1..1000". */
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
            return scn_fail(n, err, "a range goes up: %llu..%llu", (unsigned long long)last,
                            (unsigned long long)item.first);
        }
        item.n = last - item.first + 1;
    } else {
        item.text = text_of(n);
    }
    ARRAY_PUSH(axis->items, axis->n_items, axis->max_items) = item;
    axis->n += item.n;
    return true;
}

static bool
add_axis(struct scn_study *s, const struct scn_node *n, struct err *err)
{
    ARRAY_PUSH(s->axes, s->n_axes, s->max_axes) =
        (struct scn_study_axis){ .key = n->key, .node = n };
    struct scn_study_axis *axis = &s->axes[s->n_axes - 1];
    bool is_word = n->kind == SCN_WORD;

    if (n->kind == SCN_MAP || (n->kind == SCN_LIST && !n->n_children)) {
        return scn_fail(n, err, "expected values, as in [pfc, cbfc], or a range, as in 1..100");
    }
    for (size_t i = 0; i < (is_word ? 1 : n->n_children); i++) {
        if (!add_item(axis, is_word ? n : n->children[i], err)) {
            return false;
        }
    }
    if (axis->n > SCN_STUDY_MAX_RUNS / s->n_runs) {
        return scn_fail_key(n, err, "over %llu million runs",
                            (unsigned long long)(SCN_STUDY_MAX_RUNS / 1000000));
    }
    s->n_runs *= axis->n;
    return true;
}

/* Keys, each with what it makes of its value. */

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
        return scn_fail(n, err, "expected what is varied, as in {run.seed: 1..100}");
    }
    for (size_t i = 0; i < n->n_children; i++) {
        if (!add_axis(s, n->children[i], err)) {
            return false;
        }
    }
    return true;
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

static bool
expect_word(const struct scn_node *n, const char *word, struct err *err)
{
    return (n->kind == SCN_WORD && !strcmp(n->word, word)) ||
           scn_fail(n, err, "'%s' is all that can stand here", word);
}

static bool
read_only(struct scn_study *s, const struct scn_node *n, struct err *err)
{
    s->is_only_cyclic = true;
    return expect_word(n, "cyclic", err);
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
    { "name", read_name }, { "base", read_base }, { "over", read_over },
    { "only", read_only }, { "stop", read_stop }, { "keep", read_keep },
};

enum { N_KEYS = sizeof keys / sizeof *keys };

static bool
read_key(struct scn_study *s, const struct scn_node *n, struct err *err)
{
    char offer[200];

    for (size_t i = 0; i < N_KEYS; i++) {
        if (!strcmp(keys[i].name, n->key)) {
            return keys[i].read(s, n, err);
        }
    }
    text_offer(n->key, &keys[0].name, sizeof keys[0], N_KEYS, offer, sizeof offer);
    return scn_fail_key(n, err, "unknown key '%s'%s", n->key, offer);
}

static bool
read_root(struct scn_study *s, const struct scn_source *source, struct err *err)
{
    const char *slash = strrchr(source->name, '/');
    const char *file = slash ? slash + 1 : source->name;

    snprintf(s->name, sizeof s->name, "%.*s", (int)strcspn(file, "."), file);
    for (size_t i = 0; i < s->root->n_children; i++) {
        if (!read_key(s, s->root->children[i], err)) {
            return false;
        }
    }
    if (!s->base) {
        return scn_fail(s->root, err, "a study needs 'base', the scenario that is varied");
    }
    return s->n_axes || scn_fail(s->root, err, "a study needs 'over', what is varied");
}

bool
scn_study_read(struct scn_study *s, const struct scn_source *source, struct err *err)
{
    *s = (struct scn_study){ .n_runs = 1 };
    s->root = scn_tree_read(source, err);
    if (!s->root || !read_root(s, source, err)) {
        scn_study_free(s);
        return false;
    }
    return true;
}

void
scn_study_free(struct scn_study *s)
{
    for (size_t a = 0; a < s->n_axes; a++) {
        for (size_t i = 0; i < s->axes[a].n_items; i++) {
            free(s->axes[a].items[i].text);
        }
        free(s->axes[a].items);
    }
    free(s->axes);
    free(s->base);
    scn_tree_free(s->root);
    *s = (struct scn_study){ 0 };
}

/* Runs. */

char *
scn_study_value(const struct scn_study *s, uint64_t run, size_t axis)
{
    char number[24];

    for (size_t a = s->n_axes; a-- > axis + 1;) {
        run /= s->axes[a].n;
    }
    uint64_t at = run % s->axes[axis].n;
    const struct scn_study_item *item = s->axes[axis].items;
    for (; at >= item->n; item++) {
        at -= item->n;
    }
    snprintf(number, sizeof number, "%llu", (unsigned long long)(item->first + at));
    return strdup(item->text ? item->text : number);
}

char *
scn_study_set(const struct scn_study *s, uint64_t run, size_t axis)
{
    char *value = scn_study_value(s, run, axis);
    size_t n_bytes = strlen(s->axes[axis].key) + strlen(value) + 2;
    char *set = array_new(n_bytes, 1);

    snprintf(set, n_bytes, "%s=%s", s->axes[axis].key, value);
    free(value);
    return set;
}

char *
scn_study_text(const struct scn_study *s)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    fprintf(out, "over:\n");
    for (size_t a = 0; a < s->n_axes; a++) {
        fprintf(out, "  %s: ", s->axes[a].key);
        write_node(out, s->axes[a].node);
        fputc('\n', out);
    }
    fputs(s->is_only_cyclic ? "only: cyclic\n" : "", out);
    fputs(s->stops_at_deadlock ? "stop: deadlock\n" : "", out);
    fclose(out);
    return text;
}
