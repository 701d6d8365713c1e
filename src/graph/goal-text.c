/* GOAL text; goal.h has the format. */

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "graph/goal-format.h"
#include "graph/goal-tokens.h"

/* The labels of a rank.  A slot has a task number plus 1; 0: it is empty. */
struct labels {
    uint32_t *slots;
    size_t n, max_slots; /* The maximum is a power of two. */
    char *texts;
    size_t n_texts, max_texts;
};

/* Where a task is in the text. */
struct text_task {
    uint64_t line;
    uint64_t label; /* In 'texts'; 0: it has none. */
};

struct text_rank {
    const struct goal *goal;
    struct graph *graph;
    uint32_t rank;
    struct goal_tokens tokens;
    struct labels labels;
    struct text_task *tasks;
    size_t n_tasks, max_tasks;
    struct err *err;
};

static bool refuse_at(const struct text_rank *r, const struct goal_token *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool
refuse_at(const struct text_rank *r, const struct goal_token *k, const char *format, ...)
{
    char text[768];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set_of_content(r->err, "%s:%" PRIu64 ":%u: %s", r->goal->file.name, k->line,
                              k->column, text);
}

static bool
is_word(const struct text_rank *r, const char *word)
{
    return r->tokens.token.kind == GOAL_WORD && !strcmp(r->tokens.token.text, word);
}

/* Takes a word that must be there. */
static bool
take_word(struct text_rank *r, const char *word, const char *expected)
{
    if (!is_word(r, word)) {
        return goal_expected(&r->tokens, expected, r->err);
    }
    goal_next(&r->tokens);
    return true;
}

/* A number up to a maximum. */
static bool
take_number(struct text_rank *r, const char *what, uint64_t max, uint64_t *number)
{
    const struct goal_token *k = &r->tokens.token;

    if (k->kind != GOAL_NUMBER) {
        return goal_expected(&r->tokens, what, r->err);
    }
    if (k->number > max) {
        return refuse_at(r, k, "%.40s is too large: %s is at most %" PRIu64, k->text, what, max);
    }
    *number = k->number;
    goal_next(&r->tokens);
    return true;
}

/* A statement ends with its line. */
static bool
expect_line_end(struct text_rank *r, const char *expected)
{
    enum goal_kind kind = r->tokens.token.kind;

    return kind == GOAL_LINE_END || kind == GOAL_FILE_END ||
           goal_expected(&r->tokens, expected, r->err);
}

/* Labels. */

static uint32_t *
find_label(const struct text_rank *r, const char *label)
{
    const struct labels *l = &r->labels;

    for (size_t i = (size_t)text_hash(label);; i++) {
        uint32_t *slot = &l->slots[i & (l->max_slots - 1)];
        if (!*slot || !strcmp(l->texts + r->tasks[*slot - 1].label, label)) {
            return slot;
        }
    }
}

static void
grow_labels(struct text_rank *r)
{
    struct labels *l = &r->labels;
    uint32_t *old = l->slots;
    size_t max_old = l->max_slots;

    l->max_slots = max_old ? 2 * max_old : 64;
    l->slots = array_new(l->max_slots, sizeof *l->slots);
    for (size_t i = 0; i < max_old; i++) {
        if (old[i]) {
            *find_label(r, l->texts + r->tasks[old[i] - 1].label) = old[i];
        }
    }
    free(old);
}

static uint64_t
keep_text(struct labels *l, const char *text)
{
    size_t at = l->n_texts;

    do {
        ARRAY_PUSH(l->texts, l->n_texts, l->max_texts) = *text;
    } while (*text++);
    return at;
}

/* Gives a label to the next task, which is not there yet. */
static bool
add_label(struct text_rank *r, const struct goal_token *k, uint64_t *label)
{
    struct labels *l = &r->labels;

    if (2 * l->n >= l->max_slots) {
        grow_labels(r);
    }
    uint32_t *slot = find_label(r, k->text);
    if (*slot) {
        return refuse_at(r, k, "rank %" PRIu32 " already has a label '%s', in line %" PRIu64,
                         r->rank, k->text, r->tasks[*slot - 1].line);
    }
    *slot = (uint32_t)r->n_tasks + 1;
    l->n++;
    *label = keep_text(l, k->text);
    return true;
}

static bool
check_length(struct text_rank *r, const struct goal_token *k)
{
    return k->n < GOAL_LABEL_BYTES || refuse_at(r, k, "a label has at most %d characters, not %zu",
                                                GOAL_LABEL_BYTES - 1, k->n);
}

/* The task of a label; GRAPH_NONE with an error: there is none. */
static uint32_t
task_of(struct text_rank *r, const struct goal_token *k)
{
    uint32_t *slot = r->labels.n && k->n < GOAL_LABEL_BYTES ? find_label(r, k->text) : NULL;

    if (!slot || !*slot) {
        refuse_at(r, k,
                  "rank %" PRIu32 " has no label '%.60s' before this line; define it first, as in "
                  "'%.60s: calc 100'",
                  r->rank, k->text, k->text);
        return GRAPH_NONE;
    }
    return *slot - 1;
}

/* Statements. */

static bool
take_option(struct text_rank *r, const char *word, const char *what, uint64_t max, uint64_t *number)
{
    if (!is_word(r, word)) {
        return true;
    }
    goal_next(&r->tokens);
    return take_number(r, what, max, number);
}

static bool
read_tag(struct text_rank *r, struct graph_task *t)
{
    uint64_t tag = 0;

    if (!is_word(r, "tag")) {
        return true;
    }
    goal_next(&r->tokens);
    if (t->kind == GRAPH_RECV && r->tokens.token.kind == GOAL_MINUS_ONE) {
        t->tag = GRAPH_ANY;
        goal_next(&r->tokens);
        return true;
    }
    const char *what = t->kind == GRAPH_RECV ? "a tag, or -1 for any tag," : "a tag";
    bool good = take_number(r, what, GRAPH_ANY - 1, &tag);
    t->tag = (uint32_t)tag;
    return good;
}

static bool
read_peer(struct text_rank *r, struct graph_task *t)
{
    struct goal_token k = r->tokens.token;

    if (t->kind == GRAPH_RECV && k.kind == GOAL_MINUS_ONE) {
        t->peer = GRAPH_ANY;
        goal_next(&r->tokens);
        return true;
    }
    uint64_t peer;
    if (k.kind != GOAL_NUMBER) {
        return goal_expected(
            &r->tokens, t->kind == GRAPH_RECV ? "a rank, or -1 for any rank" : "a rank", r->err);
    }
    if (k.number >= r->goal->n_ranks) {
        return refuse_at(r, &k, "rank %.40s does not exist; ranks are 0 to %" PRIu32, k.text,
                         r->goal->n_ranks - 1);
    }
    take_number(r, "a rank", r->goal->n_ranks - 1, &peer);
    t->peer = (uint32_t)peer;
    return true;
}

static bool
read_message(struct text_rank *r, struct graph_task *t)
{
    bool is_send = t->kind == GRAPH_SEND;
    uint64_t cpu = 0, nic = 0;
    bool good =
        take_number(r, "a number of bytes", GRAPH_MAX_BYTES, &t->amount) &&
        take_word(r, "b", "'b', for bytes, after the number") &&
        take_word(r, is_send ? "to" : "from", is_send ? "'to' and a rank" : "'from' and a rank") &&
        read_peer(r, t) && read_tag(r, t) && take_option(r, "cpu", "a cpu", UINT8_MAX, &cpu) &&
        take_option(r, "nic", "a nic", UINT8_MAX, &nic);

    t->cpu = (uint8_t)cpu;
    t->nic = (uint8_t)nic;
    return good && expect_line_end(r, "the end of the line, or options in the order tag, cpu, nic");
}

static bool
read_calc(struct text_rank *r, struct graph_task *t)
{
    uint64_t cpu = 0;
    bool good = take_number(r, "a number of nanoseconds", GRAPH_MAX_PS / 1000, &t->amount) &&
                take_option(r, "cpu", "a cpu", UINT8_MAX, &cpu);

    t->amount *= 1000;
    t->cpu = (uint8_t)cpu;
    return good && expect_line_end(r, "the end of the line, or 'cpu'");
}

/* The kind of task that a word names; GRAPH_N_KINDS: none. */
static enum graph_kind
kind_of(const struct goal_token *k)
{
    static const char *const names[] = {
        [GRAPH_SEND] = "send", [GRAPH_RECV] = "recv", [GRAPH_CALC] = "calc"
    };

    for (int i = 0; k->kind == GOAL_WORD && i < 3; i++) {
        if (!strcmp(k->text, names[i])) {
            return (enum graph_kind)i;
        }
    }
    return GRAPH_N_KINDS;
}

/* The current token is the kind of the task. */
static bool
read_task(struct text_rank *r, uint64_t label)
{
    struct text_task place = { r->tokens.token.line, label };
    struct graph_task t = { .kind = (uint8_t)kind_of(&r->tokens.token) };

    if (r->n_tasks == GRAPH_MAX_TASKS) {
        return refuse_at(r, &r->tokens.token, "a rank has at most %u tasks", GRAPH_MAX_TASKS);
    }
    goal_next(&r->tokens);
    if (!(t.kind == GRAPH_CALC ? read_calc(r, &t) : read_message(r, &t))) {
        return false;
    }
    ARRAY_PUSH(r->tasks, r->n_tasks, r->max_tasks) = place;
    graph_add(r->graph, r->rank, t);
    return true;
}

/* The current token is 'requires' or 'irequires'. */
static bool
read_requirement(struct text_rank *r, const struct goal_token *first)
{
    enum graph_after when = is_word(r, "requires") ? GRAPH_AFTER_END : GRAPH_AFTER_START;
    uint32_t task = task_of(r, first);

    goal_next(&r->tokens);
    if (task == GRAPH_NONE) {
        return false;
    }
    if (r->tokens.token.kind != GOAL_WORD) {
        return goal_expected(&r->tokens, "the label of a task", r->err);
    }
    uint32_t before = task_of(r, &r->tokens.token);
    goal_next(&r->tokens);
    if (before == GRAPH_NONE || !expect_line_end(r, "the end of the line")) {
        return false;
    }
    if (r->graph->ranks[r->rank].n_edges == UINT32_MAX) {
        return refuse_at(r, first, "a rank has at most %" PRIu32 " requirements", UINT32_MAX);
    }
    graph_require(r->graph, r->rank, task, before, when);
    return true;
}

/* The current token is a label: of a new task, or of one that has requirements. */
static bool
read_labelled(struct text_rank *r)
{
    struct goal_token first = r->tokens.token;
    uint64_t label = 0;

    if (is_word(r, "rank") || is_word(r, "num_ranks")) {
        return goal_expected(&r->tokens, "a statement, or '}' at the end of the rank", r->err);
    }
    goal_next(&r->tokens);
    if (is_word(r, "requires") || is_word(r, "irequires")) {
        return read_requirement(r, &first);
    }
    if (r->tokens.token.kind != GOAL_COLON) {
        return goal_expected(&r->tokens, "':', 'requires' or 'irequires' after a label", r->err);
    }
    goal_next(&r->tokens);
    if (kind_of(&r->tokens.token) == GRAPH_N_KINDS) {
        return goal_expected(&r->tokens, "'send', 'recv' or 'calc'", r->err);
    }
    return check_length(r, &first) && add_label(r, &first, &label) && read_task(r, label);
}

static bool
read_statement(struct text_rank *r)
{
    if (kind_of(&r->tokens.token) != GRAPH_N_KINDS) {
        return read_task(r, 0);
    }
    if (r->tokens.token.kind == GOAL_WORD) {
        return read_labelled(r);
    }
    return goal_expected(&r->tokens,
                         "'send', 'recv', 'calc', a label, or '}' at the end of the rank", r->err);
}

/* Ranks. */

static bool
read_head(struct text_rank *r)
{
    char expected[80];
    const struct goal_token *k = &r->tokens.token;

    goal_next_statement(&r->tokens);
    snprintf(expected, sizeof expected, "'rank %" PRIu32 " {'", r->rank);
    if (!take_word(r, "rank", expected)) {
        return false;
    }
    if (k->kind != GOAL_NUMBER || k->number != r->rank) {
        snprintf(expected, sizeof expected, "%" PRIu32 ", as ranks are in ascending order",
                 r->rank);
        return goal_expected(&r->tokens, expected, r->err);
    }
    goal_next(&r->tokens);
    return k->kind == GOAL_OPEN || goal_expected(&r->tokens, "'{'", r->err);
}

static bool
refuse_cycle(const struct text_rank *r, const struct graph_cycle *c)
{
    char list[600] = "";
    size_t n = 0;
    struct goal_token k = { .line = r->tasks[c->tasks[0]].line, .column = 1 };

    for (uint32_t i = 0; i < c->n && i < 8 && n < sizeof list; i++) {
        const struct text_task *t = &r->tasks[c->tasks[i]];
        n += (size_t)snprintf(list + n, sizeof list - n, "%s'%.40s' (line %" PRIu64 ")",
                              i ? ", " : "", r->labels.texts + t->label, t->line);
    }
    return c->n == 1 ? refuse_at(r, &k, "rank %" PRIu32 ": %s waits for itself", r->rank, list)
                     : refuse_at(r, &k,
                                 "rank %" PRIu32 ": %" PRIu32
                                 " tasks wait for each other in a cycle: %s%s",
                                 r->rank, c->n, list, c->n > 8 ? ", ..." : "");
}

static bool
read_rank(struct text_rank *r)
{
    struct graph_cycle cycle;

    if (!read_head(r)) {
        return false;
    }
    goal_next_statement(&r->tokens);
    while (r->tokens.token.kind != GOAL_CLOSE) {
        if (!read_statement(r)) {
            return false;
        }
        goal_next_statement(&r->tokens);
    }
    return graph_finish_rank(r->graph, r->rank, &cycle) || refuse_cycle(r, &cycle);
}

static void
free_rank(struct text_rank *r)
{
    free(r->labels.slots);
    free(r->labels.texts);
    free(r->tasks);
    free(r);
}

/* The place of what follows the current token. */
static struct goal_place
place_of(const struct goal_tokens *t)
{
    return (struct goal_place){ .from = t->at + t->next, .line = t->line, .column = t->column };
}

static bool
load_text(const struct goal *g, struct graph *graph, uint32_t rank, struct goal_place *next,
          struct err *err)
{
    struct text_rank *r = array_new(1, sizeof *r);

    r->goal = g;
    r->graph = graph;
    r->rank = rank;
    r->err = err;
    keep_text(&r->labels, ""); /* The label of tasks without one. */
    goal_tokens_init(&r->tokens, &g->file, g->places[rank].from);
    r->tokens.line = g->places[rank].line;
    r->tokens.column = g->places[rank].column;
    bool good = read_rank(r);
    *next = place_of(&r->tokens);
    free_rank(r);
    return good;
}

/* A rank takes at least 8 bytes: "rank 0{}". */
static bool
read_number_of_ranks(struct goal *g, struct goal_tokens *t, struct err *err)
{
    goal_next_statement(t);
    if (t->token.kind != GOAL_WORD || strcmp(t->token.text, "num_ranks")) {
        return goal_expected(t, "'num_ranks' and the number of ranks", err);
    }
    goal_next(t);
    if (t->token.kind != GOAL_NUMBER || !t->token.number) {
        return goal_expected(t, "the number of ranks, at least 1", err);
    }
    if (t->token.number > g->file.size / 8 || t->token.number >= GRAPH_ANY) {
        return err_set_of_content(
            err, "%s:%" PRIu64 ":%u: the file of %" PRIu64 " bytes is too short for %.40s ranks",
            g->file.name, t->token.line, t->token.column, g->file.size, t->token.text);
    }
    g->n_ranks = (uint32_t)t->token.number;
    g->places = array_new(g->n_ranks, sizeof *g->places);
    g->places[0] = place_of(t);
    return true;
}

static bool
open_text(struct goal *g, struct err *err)
{
    struct goal_tokens *t = array_new(1, sizeof *t);

    goal_tokens_init(t, &g->file, 0);
    bool good = read_number_of_ranks(g, t, err);
    free(t);
    return good;
}

const struct goal_format goal_text = { open_text, load_text };
