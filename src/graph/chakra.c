/* Chakra traces are opened, checked rank by rank, and loaded. */

#include "graph/chakra.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "graph/chakra-uses.h"

enum { MAX_GROUP_FILE_BYTES = 1 << 28 };

uint32_t
chakra_use_find(const struct chakra *c, const struct chakra_group *group, enum coll_op op)
{
    const struct chakra_group *found = chakra_group_find(&c->used, group);

    return found ? c->uses[found - c->used.groups].collectives[op] : GRAPH_NONE;
}

uint32_t
chakra_use_add(struct chakra *c, const struct chakra_group *group, enum coll_op op)
{
    const struct chakra_group *found = chakra_group_find(&c->used, group);
    size_t i = found ? (size_t)(found - c->used.groups) : c->n_uses;

    if (!found) {
        struct chakra_use none;
        memset(&none, 0xff, sizeof none);
        chakra_group_add(&c->used, chakra_group_copy(group));
        ARRAY_PUSH(c->uses, c->n_uses, c->max_uses) = none;
    }
    uint32_t *number = &c->uses[i].collectives[op];
    *number = *number == GRAPH_NONE ? c->n_collectives++ : *number;
    return *number;
}

static char *
file_name(const char *prefix, uint32_t rank)
{
    size_t bytes = strlen(prefix) + 16;
    char *name = array_new(bytes, 1);

    snprintf(name, bytes, "%s.%" PRIu32 ".et", prefix, rank);
    return name;
}

static bool
exists(const struct chakra *c, uint32_t rank)
{
    char *name = file_name(c->prefix, rank);
    bool is_there = c->source.exists(c->source.context, name);

    free(name);
    return is_there;
}

/* Files are numbered from 0 without a gap. */
static bool
count_ranks(struct chakra *c, struct err *err)
{
    while (c->n_ranks < COLL_MAX_MEMBERS && exists(c, c->n_ranks)) {
        c->n_ranks++;
    }
    if (!c->n_ranks) {
        return err_set(err, "there is no file %s.0.et; a Chakra trace has one file for each rank",
                       c->prefix);
    }
    if (c->n_ranks == COLL_MAX_MEMBERS) {
        return err_set(err, "%s: more than %d files; that is the maximum", c->prefix,
                       COLL_MAX_MEMBERS);
    }
    if (exists(c, c->n_ranks + 1)) {
        return err_set(err,
                       "there is a file %s.%" PRIu32 ".et, but no %s.%" PRIu32
                       ".et; ranks are numbered without a gap",
                       c->prefix, c->n_ranks + 1, c->prefix, c->n_ranks);
    }
    return true;
}

/* The line and column of a byte of a text. */
static bool
refuse_groups(const struct chakra *c, const char *text, const struct chakra_fault *fault,
              struct err *err)
{
    unsigned line = 1, column = 1;

    for (size_t i = 0; i < fault->at; i++) {
        line += text[i] == '\n';
        column = text[i] == '\n' ? 1 : column + 1;
    }
    return err_set_of_content(err, "%s:%u:%u: %s", c->source.groups, line, column, fault->text);
}

static bool
parse_groups(struct chakra *c, const struct trace_file *f, struct err *err)
{
    struct chakra_fault fault;

    if (f->size > MAX_GROUP_FILE_BYTES) {
        return err_set_of_content(err, "%s: the file has %" PRIu64 " bytes; the maximum is %d",
                                  c->source.groups, f->size, MAX_GROUP_FILE_BYTES);
    }
    char *text = array_new((size_t)f->size + 1, 1);
    bool good = trace_read(f, 0, text, (size_t)f->size) == f->size ||
                err_set(err, "cannot read %s", c->source.groups);
    if (good && !chakra_groups_of_file(&c->named, text, c->n_ranks, &fault)) {
        good = refuse_groups(c, text, &fault, err);
    }
    free(text);
    return good;
}

static bool
read_groups(struct chakra *c, struct err *err)
{
    struct trace_file f;

    if (!c->source.groups) {
        return true;
    }
    if (!c->source.open(c->source.context, c->source.groups, &f, err)) {
        return false;
    }
    bool good = parse_groups(c, &f, err);
    trace_close(&f);
    return good;
}

/* Reads all ranks, one by one; a rank may add collectives. */
static bool
for_each_rank(struct chakra *c, struct graph *one, struct chakra *adds, struct graph_balance *b,
              void (*visit)(struct graph_balance *, uint32_t rank), struct err *err)
{
    for (uint32_t rank = 0; rank < c->n_ranks; rank++) {
        if (!chakra_rank_read(c, one, rank, adds, err)) {
            return false;
        }
        if (visit) {
            visit(b, rank);
        }
        graph_free_rank(one, rank);
    }
    return true;
}

/* Compares sends with receives, and the collectives of a group's members. */
static bool
check_balance(struct chakra *c, struct graph *one, struct err *err)
{
    struct graph_balance b;

    graph_balance_init(&b, one);
    bool good = for_each_rank(c, one, NULL, &b, graph_balance_add, err);
    if (good && !graph_balance_is_even(&b)) {
        good = false;
        if (for_each_rank(c, one, NULL, &b, graph_balance_search, err)) {
            struct err plain;
            graph_balance_describe(&b, &plain);
            err_set_of_content(err, "%s.*.et: %s", c->prefix, plain.text);
        }
    }
    graph_balance_free(&b);
    return good;
}

/* The first pass finds the groups, of which the second pass needs the number. */
static bool
check_ranks(struct chakra *c, struct err *err)
{
    struct graph one;

    chakra_begin(c, &one);
    bool good = for_each_rank(c, &one, c, NULL, NULL, err);
    graph_free(&one);
    if (good) {
        chakra_begin(c, &one);
        good = check_balance(c, &one, err);
        graph_free(&one);
    }
    return good;
}

static char *
copy_text(const char *text)
{
    size_t n = strlen(text) + 1;

    return memcpy(array_new(n, 1), text, n);
}

bool
chakra_open(struct chakra *c, const struct chakra_source *source, struct err *err)
{
    *c = (struct chakra){
        .source = *source,
        .prefix = copy_text(source->prefix),
        .collectives = source->collectives ? *source->collectives : trace_collectives_default(),
        .used = { .has_ranks = true },
    };
    c->groups = source->groups ? copy_text(source->groups) : NULL;
    c->source.prefix = c->prefix;
    c->source.groups = c->groups;
    if (count_ranks(c, err) && read_groups(c, err) && check_ranks(c, err)) {
        return true;
    }
    chakra_close(c);
    return false;
}

void
chakra_close(struct chakra *c)
{
    chakra_groups_free(&c->named);
    chakra_groups_free(&c->used);
    free(c->uses);
    free(c->prefix);
    free(c->groups);
    *c = (struct chakra){ 0 };
}

static void
add_group(const struct chakra_group *from, struct graph *g)
{
    uint32_t n = (uint32_t)from->n, *all = from->ranks ? NULL : array_new(n, sizeof *all);

    for (uint32_t i = 0; all && i < n; i++) {
        all[i] = i;
    }
    graph_add_group(g, all ? all : from->ranks, n);
    free(all);
}

/* Adds collectives in the order of their numbers. */
static void
add_collectives(const struct chakra *c, struct graph *g)
{
    struct graph_collective *list = array_new(c->n_collectives, sizeof *list);

    for (size_t i = 0; i < c->n_uses; i++) {
        for (int op = 0; op < COLL_N_OPS; op++) {
            uint32_t number = c->uses[i].collectives[op];
            if (number != GRAPH_NONE) {
                list[number] = (struct graph_collective){ (uint32_t)i, c->collectives.params[op] };
            }
        }
    }
    for (uint32_t i = 0; i < c->n_collectives; i++) {
        graph_add_collective(g, list[i]);
    }
    free(list);
}

void
chakra_begin(const struct chakra *c, struct graph *g)
{
    graph_init(g, c->n_ranks);
    for (size_t i = 0; i < c->used.n; i++) {
        add_group(&c->used.groups[i], g);
    }
    add_collectives(c, g);
}

bool
chakra_load(const struct chakra *c, struct graph *g, uint32_t rank, struct err *err)
{
    return chakra_rank_read(c, g, rank, NULL, err);
}
