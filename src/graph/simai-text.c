/* Reads SimAI workloads; simai.h has the format. */

#include "graph/simai-text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "graph/trace-stream.h"

enum { WORD_BYTES = 128, END = -1, MIN_FORWARD_BYTES = 4096, MAX_LAYERS = 1 << 26 };

/* The keys of the first line that have one number. */
enum header_key { TP, EP, PP, ALL_GPUS, N_KEYS };

static const char *const keys[] = {
    [TP] = "model_parallel_NPU_group:", [EP] = "ep:", [PP] = "pp:", [ALL_GPUS] = "all_gpus:"
};

static const char *const policies[] = { "HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_TRANSFORMER",
                                        "HYBRID_CUSTOMIZED" };

enum { CUSTOMIZED = 2, N_POLICIES = sizeof policies / sizeof *policies };

/* Layers that the first line names. */
struct layer_list {
    uint32_t *layers;
    size_t n, max;
    unsigned line, column;
};

struct reader {
    struct simai *simai;
    struct trace_stream *stream;
    struct err *err;
    int next; /* The next byte; END: there is none. */
    unsigned line, column;
    char word[WORD_BYTES]; /* The current one; empty: the end of the line. */
    size_t n;              /* Its length, which is cut if it does not fit. */
    unsigned word_line, word_column;
    size_t policy;
    uint64_t numbers[N_KEYS]; /* 0: absent. */
    unsigned columns[N_KEYS];
    struct layer_list checkpoints, initiates;
};

/* Words. */

static void
take(struct reader *r)
{
    if (r->next == END) {
        return;
    }
    r->column = r->next == '\n' ? 1 : r->column + 1;
    r->line += r->next == '\n';
    r->next = trace_stream_byte(r->stream);
}

static bool
is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Reads the next word of the line; none: its end, which is not taken. */
static void
next_word(struct reader *r)
{
    while (is_blank(r->next)) {
        take(r);
    }
    r->n = 0;
    r->word_line = r->line;
    r->word_column = r->column;
    while (r->next != END && r->next != '\n' && !is_blank(r->next)) {
        if (r->n + 1 < sizeof r->word) {
            r->word[r->n] = r->next < ' ' || r->next > '~' ? '?' : (char)r->next;
        }
        r->n++;
        take(r);
    }
    r->word[r->n < sizeof r->word ? r->n : sizeof r->word - 1] = '\0';
}

/* Moves to the first word of the next line that has one. */
static void
next_line(struct reader *r)
{
    do {
        take(r);
        next_word(r);
    } while (!r->n && r->next == '\n');
}

static bool refuse_at(struct reader *, unsigned line, unsigned column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool
refuse_at(struct reader *r, unsigned line, unsigned column, const char *format, ...)
{
    char text[640];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set_of_content(r->err, "%s:%u:%u: %s", r->simai->file.name, line, column, text);
}

static bool
expected(struct reader *r, const char *what)
{
    if (r->stream->damage) {
        return refuse_at(r, r->line, r->column, "the gzip data is damaged: %s", r->stream->damage);
    }
    if (r->n) {
        return refuse_at(r, r->word_line, r->word_column, "expected %s, found '%.60s%s'", what,
                         r->word, r->n > 60 ? "..." : "");
    }
    return refuse_at(r, r->word_line, r->word_column, "expected %s, found the end of the %s", what,
                     r->next == END ? "file" : "line");
}

/* Takes a number; the current word becomes the next one. */
static bool
take_number(struct reader *r, const char *what, uint64_t max, uint64_t *number)
{
    bool is_number = r->n && r->n < sizeof r->word && strspn(r->word, "0123456789") == r->n;

    if (!is_number) {
        return expected(r, what);
    }
    if (!text_number(r->word, number) || *number > max) {
        return refuse_at(r, r->word_line, r->word_column,
                         "%.40s is too large: %s is at most %" PRIu64, r->word, what, max);
    }
    next_word(r);
    return true;
}

/* The first line. */

static bool
read_policy(struct reader *r)
{
    char list[200] = "";

    r->policy = text_find(r->word, policies, sizeof *policies, N_POLICIES);
    if (r->n && r->policy < N_POLICIES) {
        next_word(r);
        return true;
    }
    text_offer(r->word, policies, sizeof *policies, N_POLICIES, list, sizeof list);
    return refuse_at(r, r->word_line, r->word_column,
                     "the first word of a SimAI workload is its kind of parallelism%s, not '%.60s'",
                     list, r->word);
}

/* "checkpoints: 2 5 17" */
static bool
read_list(struct reader *r, struct layer_list *list)
{
    uint64_t n, layer;

    if (!take_number(r, "a number of layers", MAX_LAYERS, &n)) {
        return false;
    }
    list->line = r->word_line;
    list->column = r->word_column;
    for (uint64_t i = 0; i < n; i++) {
        if (!take_number(r, "a layer, from 0", MAX_LAYERS, &layer)) {
            return false;
        }
        ARRAY_PUSH(list->layers, list->n, list->max) = (uint32_t)layer;
    }
    return true;
}

static bool
read_key(struct reader *r)
{
    size_t key = text_find(r->word, keys, sizeof *keys, N_KEYS);
    struct layer_list *list = !strcmp(r->word, "checkpoints:")            ? &r->checkpoints
                              : !strcmp(r->word, "checkpoint_initiates:") ? &r->initiates
                                                                          : NULL;

    next_word(r);
    if (list) {
        return list->column
                   ? refuse_at(r, r->word_line, r->word_column, "the line lists these layers twice")
                   : read_list(r, list);
    }
    if (key == N_KEYS) {
        return true;
    }
    r->columns[key] = r->word_column;
    if (!take_number(r, "a number of ranks", COLL_MAX_MEMBERS, &r->numbers[key])) {
        return false;
    }
    return r->numbers[key] ||
           refuse_at(r, r->word_line, r->columns[key], "'%s' is 0; give at least 1", keys[key]);
}

/* Sizes and strides of the groups. */
static bool
settle_groups(struct reader *r)
{
    uint64_t n = r->numbers[ALL_GPUS], tp = r->numbers[TP];
    uint64_t ep = r->numbers[EP] ? r->numbers[EP] : 1, pp = r->numbers[PP] ? r->numbers[PP] : 1;
    struct simai_groups *groups = r->simai->groups;

    if (!n || !tp) {
        return refuse_at(r, r->word_line, r->word_column,
                         "the first line has no '%s'; write it with a number of ranks",
                         n ? keys[TP] : keys[ALL_GPUS]);
    }
    if (n % (tp * pp)) {
        return refuse_at(r, r->word_line, r->columns[ALL_GPUS],
                         "%" PRIu64 " ranks are no multiple of tensor parallel times pipeline "
                         "parallel, %" PRIu64 " * %" PRIu64,
                         n, tp, pp);
    }
    uint64_t dp = n / (tp * pp), stride = n / dp;
    if (dp % ep) {
        return refuse_at(r, r->word_line, r->columns[EP],
                         "a data group of %" PRIu64 " ranks (%" PRIu64 " / %" PRIu64 " / %" PRIu64
                         ") does not divide into expert groups of %" PRIu64,
                         dp, n, tp, pp, ep);
    }
    r->simai->n_ranks = (uint32_t)n;
    groups[SIMAI_TP].size = (uint32_t)tp;
    groups[SIMAI_TP].stride = 1;
    groups[SIMAI_DP].size = (uint32_t)dp;
    groups[SIMAI_DP].stride = groups[SIMAI_EP].stride = (uint32_t)stride;
    groups[SIMAI_EP].size = (uint32_t)ep;
    groups[SIMAI_DP_EP].size = (uint32_t)(dp / ep);
    groups[SIMAI_DP_EP].stride = (uint32_t)(stride * ep);
    return true;
}

static bool
read_header(struct reader *r)
{
    next_word(r);
    if (!r->n && r->next == '\n') {
        next_line(r);
    }
    if (!read_policy(r)) {
        return false;
    }
    while (r->n) {
        if (!read_key(r)) {
            return false;
        }
    }
    return settle_groups(r);
}

/* Layers. */

static const struct {
    const char *name;
    enum coll_op op;
} ops[] = {
    { "NONE", COLL_N_OPS },           { "ALLREDUCE", COLL_ALL_REDUCE },
    { "ALLGATHER", COLL_ALL_GATHER }, { "REDUCESCATTER", COLL_REDUCE_SCATTER },
    { "ALLTOALL", COLL_ALL_TO_ALL },
};

/* The suffixes; the first is that of no suffix, whose group depends on the phase. */
static const struct {
    const char *name;
    enum simai_group group;
} suffixes[] = { { "", SIMAI_TP }, { "_EP", SIMAI_EP }, { "_DP_EP", SIMAI_DP_EP } };

static bool
find_op(const char *word, enum simai_phase phase, struct simai_part *part)
{
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        size_t n = strlen(ops[i].name);
        for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes; k++) {
            if (!strncmp(word, ops[i].name, n) && !strcmp(word + n, suffixes[k].name)) {
                part->op = (uint8_t)ops[i].op;
                part->group = (uint8_t)(k || phase != SIMAI_WG ? suffixes[k].group : SIMAI_DP);
                return true;
            }
        }
    }
    return false;
}

/* A collective, and its bytes. */
static bool
read_collective(struct reader *r, enum simai_phase phase, struct simai_part *part)
{
    unsigned column = r->word_column;
    struct err why;

    if (!r->n || !find_op(r->word, phase, part)) {
        return expected(r, "NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL, which may end "
                           "with _EP or _DP_EP");
    }
    next_word(r);
    if (!take_number(r, "a number of bytes", GRAPH_MAX_BYTES, &part->bytes)) {
        return false;
    }
    if (phase == SIMAI_FWD && part->bytes && part->bytes < MIN_FORWARD_BYTES) {
        part->bytes = MIN_FORWARD_BYTES;
    }
    struct simai_groups *g = &r->simai->groups[part->group];
    if (part->op == COLL_N_OPS || g->size == 1) {
        part->op = COLL_N_OPS;
        return true;
    }
    g->is_used = true;
    g->collectives[part->op] = 0;
    return trace_collective_check(&r->simai->collectives, (enum coll_op)part->op, g->size,
                                  part->bytes, &why) ||
           refuse_at(r, r->word_line, column, "%s", why.text);
}

static bool
take_time(struct reader *r, uint64_t *ps)
{
    uint64_t ns;

    if (!take_number(r, "a number of nanoseconds", GRAPH_MAX_PS / 1000, &ns)) {
        return false;
    }
    *ps = ns * 1000;
    return true;
}

/* The dependency may be negative. */
static bool
skip_dependency(struct reader *r)
{
    size_t sign = r->word[0] == '-';

    if (!r->n || strspn(r->word + sign, "0123456789") + sign != r->n || r->n == sign) {
        return expected(r, "the dependency of a layer, such as -1");
    }
    next_word(r);
    return true;
}

static bool
read_layer(struct reader *r, struct simai_layer *layer)
{
    next_word(r); /* Its name was the current word. */
    if (!skip_dependency(r)) {
        return false;
    }
    for (int phase = 0; phase < SIMAI_N_PHASES; phase++) {
        struct simai_part *part = &layer->parts[phase];
        if (!take_time(r, &part->ps) || !read_collective(r, (enum simai_phase)phase, part)) {
            return false;
        }
    }
    if (!take_time(r, &layer->update_ps)) {
        return false;
    }
    if (r->policy == CUSTOMIZED) {
        if (!r->n) {
            return expected(r, "the policy of the layer, its 13th word");
        }
        next_word(r);
    }
    return !r->n || expected(r, r->policy == CUSTOMIZED ? "the end of the line after 13 words"
                                                        : "the end of the line after 12 words");
}

static bool
read_layers(struct reader *r)
{
    struct simai *s = r->simai;
    uint64_t n;

    next_line(r);
    if (!take_number(r, "the number of layers", MAX_LAYERS, &n)) {
        return false;
    }
    if (r->n) {
        return expected(r, "the end of the line after the number of layers");
    }
    while (s->n_layers < n) {
        struct simai_layer layer = { 0 };
        next_line(r);
        if (!r->n) {
            return refuse_at(r, r->word_line, r->word_column,
                             "the file ends after %zu of %" PRIu64 " layers", s->n_layers, n);
        }
        if (!read_layer(r, &layer)) {
            return false;
        }
        ARRAY_PUSH(s->layers, s->n_layers, s->max_layers) = layer;
    }
    next_line(r);
    return !r->n ||
           refuse_at(r, r->word_line, r->word_column,
                     "expected the end of the file after %" PRIu64 " layers, found '%.60s'", n,
                     r->word);
}

/* Checkpoints. */

static bool
check_list(struct reader *r, const struct layer_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        if (list->layers[i] >= r->simai->n_layers) {
            return refuse_at(r, list->line, list->column,
                             "layer %" PRIu32 " does not exist; there are %zu, counted from 0",
                             list->layers[i], r->simai->n_layers);
        }
    }
    return true;
}

/* Each layer that initiates runs from a checkpoint, with no other such layer between. */
static bool
find_checkpoints(struct reader *r)
{
    uint32_t from = GRAPH_NONE;

    for (size_t i = 0; i < r->simai->n_layers; i++) {
        struct simai_layer *layer = &r->simai->layers[i];
        from = layer->is_checkpoint ? (uint32_t)i : from;
        layer->from = from;
        if (!layer->initiates) {
            continue;
        }
        if (from == GRAPH_NONE) {
            return refuse_at(r, r->initiates.line, r->initiates.column,
                             "layer %zu of checkpoint_initiates has no checkpoint of its own at or "
                             "before it; add one to checkpoints",
                             i);
        }
        from = layer->is_checkpoint ? from : GRAPH_NONE;
    }
    return true;
}

static bool
settle_checkpoints(struct reader *r)
{
    if (!check_list(r, &r->checkpoints) || !check_list(r, &r->initiates)) {
        return false;
    }
    for (size_t i = 0; i < r->checkpoints.n; i++) {
        r->simai->layers[r->checkpoints.layers[i]].is_checkpoint = true;
    }
    for (size_t i = 0; i < r->initiates.n; i++) {
        r->simai->layers[r->initiates.layers[i]].initiates = true;
    }
    return find_checkpoints(r);
}

bool
simai_read(struct simai *s, struct err *err)
{
    struct reader r = {
        .simai = s, .stream = trace_stream_new(&s->file), .err = err, .line = 1, .column = 1
    };

    r.next = trace_stream_byte(r.stream);
    bool good = read_header(&r) && read_layers(&r) && settle_checkpoints(&r);
    trace_stream_free(r.stream);
    free(r.checkpoints.layers);
    free(r.initiates.layers);
    return good;
}
