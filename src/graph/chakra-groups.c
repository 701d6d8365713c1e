/* Reads the groups of Chakra traces from JSON. */

#include "graph/chakra-groups.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "graph/chakra-node.h"

enum { MAX_DEPTH = 64 };

static char *
copy_text(const char *text)
{
    size_t n = strlen(text) + 1;

    return memcpy(array_new(n, 1), text, n);
}

static bool
has_same(const struct chakra_group *a, const struct chakra_group *b)
{
    return a->n == b->n && !a->ranks == !b->ranks &&
           (!a->ranks || !memcmp(a->ranks, b->ranks, a->n * sizeof *a->ranks));
}

struct scan {
    const char *text, *at;
    uint32_t n_ranks;
    struct chakra_groups *to;
    struct chakra_fault *fault;
};

static bool refuse(struct scan *, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool
refuse(struct scan *s, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(s->fault->text, sizeof s->fault->text, format, args);
    va_end(args);
    s->fault->at = (size_t)(s->at - s->text);
    return false;
}

/* The next character that is no blank, which is not taken. */
static char
peek(struct scan *s)
{
    s->at += strspn(s->at, " \t\r\n");
    return *s->at;
}

static bool
take(struct scan *s, char c)
{
    bool is_there = peek(s) == c;

    s->at += is_there;
    return is_there;
}

static bool
expect(struct scan *s, char c, const char *what)
{
    return take(s, c) || refuse(s, "expected '%c' %s", c, what);
}

/* Reads a string; 'text' may be null.  Escaped characters stay as they are written. */
static bool
read_string(struct scan *s, char text[CHAKRA_NAME_BYTES])
{
    size_t n = 0;

    if (!expect(s, '"', "at the beginning of a text")) {
        return false;
    }
    for (; *s->at && *s->at != '"'; s->at++) {
        bool is_escaped = *s->at == '\\' && s->at[1];
        for (int i = 0; i <= is_escaped; i++) {
            s->at += i;
            if (text && n + 1 < CHAKRA_NAME_BYTES) {
                text[n++] = *s->at;
            }
        }
    }
    if (text) {
        text[n] = '\0';
    }
    return *s->at ? (s->at++, true) : refuse(s, "a text without '\"' at its end");
}

static bool skip_value(struct scan *s, int depth);

/* The members of an object or items of a list. */
static bool
skip_items(struct scan *s, char close, int depth)
{
    if (take(s, close)) {
        return true;
    }
    do {
        if (close == '}' && !(read_string(s, NULL) && expect(s, ':', "after a key"))) {
            return false;
        }
        if (!skip_value(s, depth + 1)) {
            return false;
        }
    } while (take(s, ','));
    return expect(s, close, "or ','");
}

static bool
skip_value(struct scan *s, int depth)
{
    char c = peek(s);

    if (depth > MAX_DEPTH) {
        return refuse(s, "more than %d levels of lists and objects", MAX_DEPTH);
    }
    if (c == '{' || c == '[') {
        s->at++;
        return skip_items(s, c == '{' ? '}' : ']', depth);
    }
    if (c == '"') {
        return read_string(s, NULL);
    }
    size_t n = strcspn(s->at, ",]} \t\r\n");
    s->at += n;
    return n || refuse(s, "expected a value");
}

static bool
read_rank(struct scan *s, struct chakra_group *g)
{
    char *end = NULL;
    char c = peek(s);
    unsigned long long rank = c >= '0' && c <= '9' ? strtoull(s->at, &end, 10) : 0;

    if (!end || strchr(".eE", *end ? *end : ',')) {
        return refuse(s, "expected the number of a rank");
    }
    if (rank >= s->n_ranks) {
        return refuse(s, "rank %llu does not exist; ranks are 0 to %" PRIu32, rank, s->n_ranks - 1);
    }
    s->at = end;
    ARRAY_PUSH(g->ranks, g->n, g->max) = (uint32_t)rank;
    return true;
}

/* A list of ranks; an empty one stands for all. */
static bool
read_ranks(struct scan *s, struct chakra_group *g)
{
    if (!expect(s, '[', "and the ranks of a group")) {
        return false;
    }
    if (take(s, ']')) {
        g->n = s->n_ranks;
        return true;
    }
    do {
        if (!read_rank(s, g)) {
            return false;
        }
    } while (take(s, ','));
    return expect(s, ']', "or ',' after a rank");
}

/* The first rank that a group has twice, or n_ranks. */
static uint32_t
find_twin(const struct chakra_group *g, uint32_t n_ranks)
{
    if (!g->ranks) {
        return n_ranks;
    }
    uint32_t twin = n_ranks, *sorted = array_new(g->n, sizeof *sorted);
    memcpy(sorted, g->ranks, g->n * sizeof *sorted);
    array_sort_u32(sorted, g->n);
    for (size_t i = 1; i < g->n && twin == n_ranks; i++) {
        twin = sorted[i] == sorted[i - 1] ? sorted[i] : twin;
    }
    free(sorted);
    return twin;
}

/* Adds a group, which the list takes. */
static bool
add_group(struct scan *s, struct chakra_group *g)
{
    uint32_t twin = find_twin(g, s->n_ranks);
    bool is_new = !chakra_group_find(s->to, g);

    if (twin == s->n_ranks && is_new) {
        chakra_group_add(s->to, *g);
        return true;
    }
    bool good = is_new ? refuse(s, "group '%.60s' has rank %" PRIu32 " twice", g->name, twin)
                       : refuse(s, "there are two groups '%.60s'", g->name);
    chakra_group_free(g);
    return good;
}

/* "1": [0, 1, 2, 3] */
static bool
read_member(struct scan *s)
{
    char name[CHAKRA_NAME_BYTES];
    struct chakra_group g = { 0 };

    if (!read_string(s, name) || !expect(s, ':', "after the name of a group")) {
        return false;
    }
    g.name = copy_text(name);
    if (!read_ranks(s, &g)) {
        chakra_group_free(&g);
        return false;
    }
    return add_group(s, &g);
}

bool
chakra_groups_of_file(struct chakra_groups *to, const char *text, uint32_t n_ranks,
                      struct chakra_fault *fault)
{
    struct scan s = { .text = text, .at = text, .n_ranks = n_ranks, .to = to, .fault = fault };

    if (!expect(&s, '{', "and groups, as in {\"1\": [0, 1]}")) {
        return false;
    }
    if (!take(&s, '}')) {
        do {
            if (!read_member(&s)) {
                return false;
            }
        } while (take(&s, ','));
        if (!expect(&s, '}', "or ',' after a group")) {
            return false;
        }
    }
    return !peek(&s) || refuse(&s, "expected the end of the file");
}

/* One member of an object; of a group it has the name or the ranks. */
static bool
read_part(struct scan *s, struct chakra_group *g, bool *has_ranks)
{
    char key[CHAKRA_NAME_BYTES], name[CHAKRA_NAME_BYTES];

    if (!read_string(s, key) || !expect(s, ':', "after a key")) {
        return false;
    }
    if (!strcmp(key, "pg_name") && !g->name) {
        bool good = peek(s) == '"' && read_string(s, name);
        g->name = good ? copy_text(name) : NULL;
        return good || refuse(s, "expected the name of a group, in quotes");
    }
    if (!strcmp(key, "ranks") && !*has_ranks) {
        *has_ranks = true;
        return read_ranks(s, g);
    }
    return skip_value(s, 1);
}

/* {"pg_name": "1", "ranks": [0, 1, 2, 3], ...} */
static bool
read_object(struct scan *s)
{
    struct chakra_group g = { 0 };
    bool has_ranks = false, good = expect(s, '{', "and a group");

    while (good && (good = read_part(s, &g, &has_ranks)) && take(s, ',')) {
    }
    good = good && expect(s, '}', "or ',' in a group");
    if (good && (!g.name || !has_ranks)) {
        good = refuse(s, "a group without '%s'", g.name ? "ranks" : "pg_name");
    }
    if (!good) {
        chakra_group_free(&g);
        return false;
    }
    return add_group(s, &g);
}

bool
chakra_groups_are_in(const char *text)
{
    return strstr(text, "\"pg_name\"");
}

bool
chakra_groups_of_node(struct chakra_groups *to, const char *text, uint32_t n_ranks,
                      struct chakra_fault *fault)
{
    struct scan s = { .text = text, .at = text, .n_ranks = n_ranks, .to = to, .fault = fault };

    for (s.at = strchr(text, '['); s.at && s.at[1 + strspn(s.at + 1, " ")] != '{';) {
        s.at = strchr(s.at + 1, '['); /* PyTorch writes ['[{ ... }]']. */
    }
    if (!s.at) {
        s.at = text;
        return refuse(&s, "expected a list of groups, as in [{\"pg_name\": \"1\", \"ranks\": []}]");
    }
    s.at++;
    do {
        if (!read_object(&s)) {
            return false;
        }
    } while (take(&s, ','));
    return expect(&s, ']', "or ',' after a group");
}

/* The place of a group in the hash table, or an empty place. */
static uint32_t *
find_slot(const struct chakra_groups *list, const struct chakra_group *g)
{
    uint64_t hash = text_hash(g->name);

    for (size_t i = 0; list->has_ranks && g->ranks && i < g->n; i++) {
        hash = (hash ^ g->ranks[i]) * 0x100000001b3;
    }
    for (size_t i = (size_t)(hash ^ hash >> 32);; i++) {
        uint32_t *slot = &list->slots[i & (list->n_slots - 1)];
        const struct chakra_group *is = &list->groups[*slot ? *slot - 1 : 0];
        if (!*slot || (!strcmp(is->name, g->name) && (!list->has_ranks || has_same(is, g)))) {
            return slot;
        }
    }
}

static void
grow_slots(struct chakra_groups *list)
{
    free(list->slots);
    list->n_slots = list->n_slots ? 2 * list->n_slots : 16;
    list->slots = array_new(list->n_slots, sizeof *list->slots);
    for (size_t i = 0; i < list->n; i++) {
        *find_slot(list, &list->groups[i]) = (uint32_t)i + 1;
    }
}

uint32_t
chakra_group_add(struct chakra_groups *list, struct chakra_group g)
{
    if (2 * list->n >= list->n_slots) {
        grow_slots(list);
    }
    ARRAY_PUSH(list->groups, list->n, list->max) = g;
    *find_slot(list, &g) = (uint32_t)list->n;
    return (uint32_t)list->n - 1;
}

const struct chakra_group *
chakra_group_find(const struct chakra_groups *list, const struct chakra_group *g)
{
    uint32_t *slot = list->n ? find_slot(list, g) : NULL;

    return slot && *slot ? &list->groups[*slot - 1] : NULL;
}

struct chakra_group
chakra_group_copy(const struct chakra_group *g)
{
    struct chakra_group copy = { .name = copy_text(g->name), .n = g->n, .max = g->n };

    if (g->ranks) {
        copy.ranks = array_new(g->n, sizeof *copy.ranks);
        memcpy(copy.ranks, g->ranks, g->n * sizeof *copy.ranks);
    }
    return copy;
}

void
chakra_group_free(struct chakra_group *g)
{
    free(g->name);
    free(g->ranks);
    *g = (struct chakra_group){ 0 };
}

void
chakra_groups_free(struct chakra_groups *list)
{
    for (size_t i = 0; i < list->n; i++) {
        chakra_group_free(&list->groups[i]);
    }
    free(list->groups);
    free(list->slots);
    *list = (struct chakra_groups){ 0 };
}
