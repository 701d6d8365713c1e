/* Reads a text as a struct transcript. */

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "transcript/transcript.h"

enum { MAX_WORDS = 64 };

struct reader {
    struct transcript *t;
    const struct weir_registry *engines;
    size_t line, n_words;
    struct transcript_word words[MAX_WORDS]; /* The words of the current line. */
    struct err *err;
};

__attribute__((format(printf, 3, 4))) static bool
fail(struct reader *r, size_t column, const char *format, ...)
{
    char text[sizeof r->err->text];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set(r->err, "%s:%zu:%zu: %s", r->t->name, r->line, column, text);
}

static bool
split(struct reader *r, const char *line)
{
    r->n_words = 0;
    for (const char *c = line; *c && *c != '#';) {
        size_t len = strcspn(c, " \t\r#"), column = (size_t)(c - line) + 1;
        if (!len) {
            c++;
            continue;
        }
        if (len >= TRANSCRIPT_WORD_BYTES) {
            return fail(r, column, "this word is too long");
        }
        if (r->n_words == MAX_WORDS) {
            return fail(r, column, "too many words");
        }
        struct transcript_word *word = &r->words[r->n_words++];
        word->column = column;
        snprintf(word->s, sizeof word->s, "%.*s", (int)len, c);
        c += len;
    }
    return true;
}

/* Lines of 'key=value', read by tables. */

static const char *const no_yes[] = { "no", "yes", 0 };

static const struct weir_field node_fields[] = {
    WEIR_FIELD(struct transcript_node, ports, "ports", WEIR_COUNT, .fallback = 2, .min = 1,
               .max = 256),
    WEIR_FIELD(struct transcript_node, classes, "classes", WEIR_COUNT, .fallback = 8, .min = 1,
               .max = WEIR_MAX_CLASSES),
    WEIR_FIELD(struct transcript_node, rate_bps, "rate", WEIR_RATE, .fallback = 100000000000,
               .min = 1000, .max = 100 * (uint64_t)WEIR_PS_PER_S),
    WEIR_FIELD(struct transcript_node, cable_ps, "cable", WEIR_TIME, .fallback = 1000000,
               .max = WEIR_PS_PER_S),
    WEIR_FIELD(struct transcript_node, response_ps, "response", WEIR_TIME, .fallback = 3000000,
               .max = WEIR_PS_PER_S),
    WEIR_FIELD(struct transcript_node, mtu_bytes, "mtu", WEIR_BYTES, .fallback = 1500, .min = 64,
               .max = 65536),
    WEIR_FIELD(struct transcript_node, gap_bytes, "gap", WEIR_BYTES, .fallback = 0, .max = 1000),
    WEIR_FIELD(struct transcript_node, lossless, "lossless", WEIR_CODE, .fallback = 0xff,
               .max = 0xff),
    WEIR_FIELD(struct transcript_node, tier, "tier", WEIR_COUNT, .fallback = 1, .max = 100),
    WEIR_FIELD(struct transcript_node, above, "above", WEIR_COUNT, .max = 256),
    WEIR_FIELD(struct transcript_node, inner, "inner", WEIR_COUNT, .max = 256),
    WEIR_FIELD(struct transcript_node, reserve_bytes, "reserve", WEIR_BYTES, .fallback = 2000000,
               .max = UINT32_MAX),
    WEIR_FIELD(struct transcript_node, partition_bytes, "partition", WEIR_BYTES, .max = UINT32_MAX),
    WEIR_FIELD(struct transcript_node, shared_bytes, "shared", WEIR_BYTES, .max = UINT32_MAX),
    WEIR_FIELD(struct transcript_node, limit_bytes, "limit", WEIR_BYTES, .max = UINT32_MAX),
    WEIR_FIELD(struct transcript_node, alpha, "alpha", WEIR_RATIO, .max = 64 * WEIR_RATIO_1),
    WEIR_FIELD(struct transcript_node, headroom_bytes, "headroom", WEIR_BYTES, .max = UINT32_MAX),
    WEIR_FIELD(struct transcript_node, flows, "flows", WEIR_COUNT, .max = 65536),
    WEIR_FIELD(struct transcript_node, stages, "stages", WEIR_CHOICE, .choices = no_yes),
    WEIR_FIELD(struct transcript_node, output_bytes, "output", WEIR_BYTES, .max = UINT32_MAX),
    WEIR_FIELD(struct transcript_node, delay_ps, "delay", WEIR_TIME, .max = WEIR_PS_PER_S),
    WEIR_FIELD(struct transcript_node, pps, "pps", WEIR_COUNT, .max = WEIR_PS_PER_S),
    { 0 },
};

static const char *const ecn_names[] = { "no", "ect", "ce", 0 };
static const struct weir_field arg_fields[] = {
    WEIR_FIELD(struct transcript_args, port, "port", WEIR_COUNT, .max = UINT16_MAX),
    WEIR_FIELD(struct transcript_args, cls, "class", WEIR_COUNT, .max = WEIR_MAX_CLASSES - 1),
    WEIR_FIELD(struct transcript_args, bytes, "bytes", WEIR_BYTES, .fallback = 1500, .min = 1,
               .max = 100000000),
    WEIR_FIELD(struct transcript_args, out, "out", WEIR_COUNT, .max = UINT16_MAX),
    WEIR_FIELD(struct transcript_args, from, "from", WEIR_COUNT, .max = UINT16_MAX),
    WEIR_FIELD(struct transcript_args, ecn, "ecn", WEIR_CHOICE, .choices = ecn_names),
    WEIR_FIELD(struct transcript_args, flow, "flow", WEIR_COUNT, .max = UINT32_MAX),
    { 0 },
};

/* Sets an error such as "unknown key 'xof'; did you mean 'xoff'?"; the names are in a table as for
 * text_offer().
 */
static bool
unknown(struct reader *r, size_t column, const char *what, const char *name,
        const char *const *first, size_t stride, size_t n_names)
{
    char offer[200];

    text_offer(name, first, stride, n_names, offer, sizeof offer);
    return fail(r, column, "unknown %s '%.80s'%s", what, name, offer);
}

static size_t
count_fields(const struct weir_field *table)
{
    size_t n = 0;
    while (table[n].name) {
        n++;
    }
    return n;
}

/* Splits "key=value" in place. */
static bool
split_pair(struct reader *r, size_t word, char **key, char **value)
{
    *key = r->words[word].s;
    *value = strchr(*key, '=');
    if (!*value || *value == *key || !(*value)[1]) {
        return fail(r, r->words[word].column, "expected key=value, found %s", *key);
    }
    *(*value)++ = '\0';
    return true;
}

static bool
read_pair(struct reader *r, size_t word, const struct weir_field *table, void *base)
{
    char *key, *text;
    struct weir_text why = { 0 };
    uint64_t value;

    if (!split_pair(r, word, &key, &text)) {
        return false;
    }
    const struct weir_field *field = weir_field_find(table, key);
    if (!field) {
        return unknown(r, r->words[word].column, "key", key, &table[0].name, sizeof table[0],
                       count_fields(table));
    }
    if (!weir_field_parse(field, text, &value, &why) || !weir_field_check(field, value, &why)) {
        return fail(r, r->words[word].column, "%s", why.s);
    }
    weir_field_set(field, base, value);
    return true;
}

static bool
read_pairs(struct reader *r, size_t first, const struct weir_field *table, void *base)
{
    for (size_t i = first; i < r->n_words; i++) {
        if (!read_pair(r, i, table, base)) {
            return false;
        }
        for (size_t j = first; j < i;
             /* The words are only keys here, because read_pair() has cut off the values. */
             j++) {
            if (!strcmp(r->words[i].s, r->words[j].s)) {
                return fail(r, r->words[i].column, "given twice: %s", r->words[i].s);
            }
        }
    }
    return true;
}

/* Lines by their first word. */

enum { MAX_ENGINES = 64 };

static bool
read_engine(struct reader *r)
{
    struct weir_stack *stack = &r->t->stack;

    if (r->n_words < 2) {
        return fail(r, r->words[0].column,
                    "expected the name of an engine; 'weir engines' lists them");
    }
    const struct weir_engine *engine =
        (const struct weir_engine *)weir_plugin_find(r->engines, r->words[1].s);
    if (!engine) {
        const char *names[MAX_ENGINES];
        size_t n = weir_plugin_names(r->engines, names, MAX_ENGINES);
        return unknown(r, r->words[1].column, "engine", r->words[1].s, names, sizeof names[0], n);
    }
    if (!weir_stack_add(stack, engine)) {
        return fail(r, r->words[0].column, "too many engines at one node");
    }
    return read_pairs(r, 2, engine->about.params, stack->layers[stack->n - 1].params);
}

static bool
read_node(struct reader *r)
{
    if (r->t->node_line) {
        return fail(r, r->words[0].column,
                    "a transcript has only one node line, and this is a second one");
    }
    r->t->node_line = r->line;
    return read_pairs(r, 1, node_fields, &r->t->node);
}

/* The unchanged rest of a line, for 'refused' and 'warned'. */
static const char *
rest_of_line(struct reader *r)
{
    const char *rest = r->t->lines[r->line - 1] + r->words[0].column - 1;
    rest += strlen(r->words[0].s);
    return rest + strspn(rest, " \t");
}

static bool
read_refused(struct reader *r)
{
    r->t->refused = rest_of_line(r);
    r->t->said_line = r->line;
    return *r->t->refused ||
           fail(r, r->words[0].column,
                "expected the words of the refusal, or a '?' that '--fill' replaces with them");
}

static bool
read_warned(struct reader *r)
{
    r->t->warned = rest_of_line(r);
    r->t->said_line = r->line;
    return true;
}

/* Events of the node. */

static bool
check_port(struct reader *r, size_t column, uint64_t port)
{
    return port < r->t->node.ports ||
           fail(r, column, "there is no port %" PRIu64 ": the node has %" PRIu64 ", counted from 0",
                port, r->t->node.ports);
}

/* Reads 'port=N' or 'flow=N', which follows the event. */
static bool
read_first(struct reader *r, struct transcript_step *step, const char *key)
{
    size_t len = strlen(key);

    if (r->n_words < 4 || strncmp(r->words[3].s, key, len) || r->words[3].s[len] != '=') {
        return fail(r, r->words[2].column, "%s: expected %s=N after it", r->words[2].s, key);
    }
    return read_pair(r, 3, arg_fields, &step->args);
}

static bool
read_port(struct reader *r, struct transcript_step *step)
{
    return read_first(r, step, "port") && check_port(r, r->words[3].column, step->args.port);
}

static bool
read_packet(struct reader *r, struct transcript_step *step)
{
    if (!read_pairs(r, 3, arg_fields, &step->args)) {
        return false;
    }
    if (step->args.cls >= r->t->node.classes) {
        return fail(r, r->words[2].column,
                    "the node has no such class; classes are counted from 0");
    }
    return check_port(r, r->words[2].column, step->args.port) &&
           check_port(r, r->words[2].column, step->args.from) &&
           check_port(r, r->words[2].column, step->args.out);
}

static bool
read_hex(struct reader *r, size_t word, struct weir_frame *f)
{
    const char *s = r->words[word].s;
    size_t len = strlen(s);

    if (len % 2 || strspn(s, "0123456789abcdefABCDEF") != len) {
        return fail(r, r->words[word].column, "expected bytes as pairs of hex digits, found %s", s);
    }
    for (size_t i = 0; i < len; i += 2) {
        char pair[3] = { s[i], s[i + 1], '\0' };
        if (f->len == WEIR_FRAME_MAX) {
            return fail(r, r->words[word].column, "a frame has at most 48 bytes here");
        }
        f->bytes[f->len++] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return true;
}

static bool
read_bytes(struct reader *r, struct transcript_step *step)
{
    for (size_t i = 4; i < r->n_words; i++) {
        if (!read_hex(r, i, &step->frame)) {
            return false;
        }
    }
    return true;
}

static bool
read_frame(struct reader *r, struct transcript_step *step)
{
    return read_port(r, step) && read_bytes(r, step);
}

static bool
read_heard(struct reader *r, struct transcript_step *step)
{
    return read_first(r, step, "flow") && read_bytes(r, step);
}

/* Reads a sent packet, whose flow must exist if the node is a NIC. */
static bool
read_sent(struct reader *r, struct transcript_step *step)
{
    return read_packet(r, step) &&
           (!r->t->node.flows || step->args.flow < r->t->node.flows ||
            fail(r, r->words[2].column, "the node has no such flow; flows are counted from 0"));
}

static bool
read_timer(struct reader *r, struct transcript_step *step)
{
    struct weir_text why = { 0 };
    if (r->n_words != 4) {
        return fail(r, r->words[2].column, "expected: timer KEY");
    }
    return weir_value_parse(WEIR_COUNT, r->words[3].s, &step->key, &why) ||
           fail(r, r->words[3].column, "%s", why.s);
}

static bool
read_link(struct reader *r, struct transcript_step *step)
{
    step->up = r->n_words == 5 && !strcmp(r->words[4].s, "up");
    if (r->n_words != 5 || (!step->up && strcmp(r->words[4].s, "down"))) {
        return fail(r, r->words[2].column, "expected: link port=N up, or link port=N down");
    }
    return read_port(r, step);
}

static bool
read_count(struct reader *r, struct transcript_step *step)
{
    const struct weir_stack *stack = &r->t->stack;

    if (r->n_words != 4) {
        return fail(r, r->words[2].column, "expected: count NAME");
    }
    for (uint32_t i = 0; i < stack->n; i++) {
        step->counter = weir_field_find(stack->layers[i].engine->counters, r->words[3].s);
        step->counter_layer = i;
        if (step->counter) {
            return true;
        }
    }
    return fail(r, r->words[3].column, "no engine of this node has a counter %s", r->words[3].s);
}

static bool
read_start(struct reader *r, struct transcript_step *step)
{
    return (r->n_words == 3 && step == r->t->steps) ||
           fail(r, r->words[2].column, "'start' takes no arguments and must be the first event");
}

static const struct {
    const char *name;
    bool (*read)(struct reader *, struct transcript_step *);
} events[] = {
    [EVENT_START] = { "start", read_start },    [EVENT_ARRIVED] = { "arrived", read_packet },
    [EVENT_QUEUED] = { "queued", read_packet }, [EVENT_DEPARTED] = { "departed", read_packet },
    [EVENT_FRAME] = { "frame", read_frame },    [EVENT_TIMER] = { "timer", read_timer },
    [EVENT_LINK] = { "link", read_link },       [EVENT_READY] = { "ready", read_packet },
    [EVENT_SENT] = { "sent", read_sent },       [EVENT_COUNT] = { "count", read_count },
    [EVENT_HEARD] = { "heard", read_heard },    [EVENT_FORWARDED] = { "forwarded", read_packet },
    [EVENT_MOVED] = { "moved", read_packet },
};

enum { N_EVENTS = sizeof events / sizeof *events };

static bool
find_event(struct reader *r, enum transcript_event *event)
{
    const char *name = r->words[2].s;
    size_t i = text_find(name, events, sizeof *events, N_EVENTS);

    *event = (enum transcript_event)i;
    if (i < N_EVENTS) {
        return true;
    }
    return unknown(r, r->words[2].column, "event", name, &events[0].name, sizeof events[0],
                   N_EVENTS);
}

#define MAX_TIME_PS (1000000 * (uint64_t)WEIR_PS_PER_S)

static bool
read_event(struct reader *r)
{
    struct transcript *t = r->t;
    struct transcript_step step = { .line = r->line, .first_answer = t->n_answers };
    struct weir_text why = { 0 };
    uint64_t at;

    if (r->n_words < 3) {
        return fail(r, r->words[0].column, "expected: at TIME EVENT ...");
    }
    if (t->refused) {
        return fail(r, r->words[0].column, "a refused stack of engines has no events");
    }
    if (!weir_value_parse(WEIR_TIME, r->words[1].s, &at, &why)) {
        return fail(r, r->words[1].column, "%s", why.s);
    }
    if (at > MAX_TIME_PS) {
        return fail(r, r->words[1].column, "a transcript must end before 1000000s");
    }
    step.at = (weir_ps)at;
    step.column = r->words[2].column;
    if (t->n_steps && step.at < t->steps[t->n_steps - 1].at) {
        return fail(r, r->words[1].column, "this event is earlier than the one before it");
    }
    if (!find_event(r, &step.event)) {
        return false;
    }
    weir_fields_default(arg_fields, &step.args);
    ARRAY_PUSH(t->steps, t->n_steps, t->max_steps) = step;
    return events[step.event].read(r, &t->steps[t->n_steps - 1]);
}

static bool
read_answer(struct reader *r)
{
    struct transcript *t = r->t;
    char canonical[512];
    size_t word;
    struct err err;

    if (!t->n_steps) {
        return fail(r, r->words[0].column, "expected engine, node or at, found %s", r->words[0].s);
    }
    if (!transcript_canonical(r->words, r->n_words, &word, canonical, sizeof canonical, &err)) {
        return fail(r, r->words[word].column, "%s", err.text);
    }
    t->steps[t->n_steps - 1].n_answers++;
    size_t n = t->n_answers;
    ARRAY_PUSH(t->answers, t->n_answers, t->max_answers) = strdup(canonical);
    ARRAY_PUSH(t->answers_written, n, t->max_answers_written) = strdup(t->lines[r->line - 1]);
    return true;
}

static const struct {
    const char *word;
    bool (*read)(struct reader *);
    bool before_steps;
} headings[] = {
    { "engine", read_engine, true }, { "node", read_node, true }, { "refused", read_refused, true },
    { "warned", read_warned, true }, { "at", read_event, false },
};

static bool
read_line(struct reader *r)
{
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
        if (strcmp(headings[i].word, r->words[0].s)) {
            continue;
        }
        if (headings[i].before_steps && r->t->n_steps) {
            return fail(r, r->words[0].column, "%s must come before the first event",
                        headings[i].word);
        }
        return headings[i].read(r);
    }
    return read_answer(r);
}

static void
keep_lines(struct transcript *t, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n");
        size_t end = len && text[len - 1] == '\r' ? len - 1 : len;
        ARRAY_PUSH(t->lines, t->n_lines, t->max_lines) = strndup(text, end);
        text += len + (text[len] == '\n');
    }
}

bool
transcript_read(struct transcript *t, const struct weir_registry *engines, const char *name,
                const char *text, size_t len, struct err *err)
{
    struct reader r = { .t = t, .engines = engines, .err = err };

    *t = (struct transcript){ .name = strdup(name) };
    weir_fields_default(node_fields, &t->node);
    keep_lines(t, text);
    r.line = t->n_lines ? t->n_lines : 1;
    bool good = strlen(text) == len || fail(&r, 1, "found a zero byte: this is not a text file");
    for (r.line = 1; good && r.line <= t->n_lines; r.line++) {
        good = split(&r, t->lines[r.line - 1]) && (!r.n_words || read_line(&r));
    }
    if (good && !t->stack.n) {
        r.line = t->n_lines ? t->n_lines : 1;
        good = fail(&r, 1, "there is no engine line: this is not a transcript");
    }
    if (!good) {
        transcript_free(t);
    }
    return good;
}

void
transcript_free(struct transcript *t)
{
    for (size_t i = 0; i < t->n_lines; i++) {
        free(t->lines[i]);
    }
    for (size_t i = 0; i < t->n_answers; i++) {
        free(t->answers[i]);
        free(t->answers_written[i]);
    }
    free(t->lines);
    free(t->answers);
    free(t->answers_written);
    free(t->steps);
    free(t->name);
    *t = (struct transcript){ 0 };
}
