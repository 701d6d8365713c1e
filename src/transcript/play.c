/* The smallest host there is: one node, one clock, and a list of what the node answers. */

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "transcript/transcript.h"

struct player {
    const struct transcript *t;
    enum transcript_mode mode;
    FILE *file;
    struct pcapng *capture;
    uint32_t first_interface;

    struct weir_port ports[256];
    struct weir_shape shape;
    struct weir_buffer buffer;
    void *buffer_memory, *memory;
    struct weir_outbox out;
    struct weir_node node;
    struct weir_gate *gates_before;
    weir_ps *timers; /* [key]: when it is due, or WEIR_NEVER. */
    uint32_t n_timers;

    struct weir_text *answers; /* To the step being played. */
    size_t n_answers, max_answers;
    struct transcript_result result;
};

static struct weir_text *
new_answer(struct player *p)
{
    ARRAY_PUSH(p->answers, p->n_answers, p->max_answers) = (struct weir_text){ 0 };
    return &p->answers[p->n_answers - 1];
}

/* Answers of the node. */

static void
answer_frame(struct player *p, const struct weir_emit *e)
{
    struct weir_text *text = new_answer(p);

    weir_text_add(text, "frame port=%u", (uint64_t)e->key);
    for (uint8_t i = 0; i < e->frame.len; i++) {
        static const char digits[] = "0123456789abcdef";
        char byte[3] = { digits[e->frame.bytes[i] >> 4], digits[e->frame.bytes[i] & 15], '\0' };
        weir_text_add(text, "%s%s", i % 2 ? "" : " ", byte);
    }
}

static void
answer_timer(struct player *p, const struct weir_emit *e)
{
    p->timers[e->key] = e->at;
    if (e->at == WEIR_NEVER) {
        weir_text_add(new_answer(p), "timer %u off", (uint64_t)e->key);
    } else {
        weir_text_add(new_answer(p), "timer %u at %T", (uint64_t)e->key, e->at);
    }
}

/* Writes the limits that the engine has changed. */
static void
answer_gate(struct player *p, const struct weir_emit *e)
{
    const struct weir_gate *g = &p->node.ctx.gates[e->key];
    struct weir_gate *before = &p->gates_before[e->key];
    struct weir_text *text = new_answer(p);

    weir_text_add(text, "gate port=%u class=%u", (uint64_t)weir_slot_port(&p->node.ctx, e->key),
                  (uint64_t)weir_slot_class(&p->node.ctx, e->key));
    if (g->open_ps != before->open_ps) {
        weir_text_add(text, " open=%T", g->open_ps);
    }
    if (g->rate_bps == WEIR_UNLIMITED && before->rate_bps != WEIR_UNLIMITED) {
        weir_text_add(text, " rate=line");
    } else if (g->rate_bps != before->rate_bps) {
        weir_text_add(text, " rate=%R", g->rate_bps);
    }
    if (g->limit_bytes == WEIR_UNLIMITED && before->limit_bytes != WEIR_UNLIMITED) {
        weir_text_add(text, " limit=none");
    } else if (g->limit_bytes != before->limit_bytes) {
        weir_text_add(text, " limit=%B", g->limit_bytes);
    }
    *before = *g;
}

static void
capture_frame(struct player *p, weir_ps at, uint32_t port, const struct weir_frame *f,
              const char *comment)
{
    uint8_t source[6] = { 0x02, 0, 0, 0, (uint8_t)(port >> 8), (uint8_t)port };
    uint8_t bytes[WEIR_ETHERNET_BYTES];

    if (p->capture) {
        struct pcapng_packet packet = { .interface = p->first_interface + port,
                                        .time_ps = at,
                                        .bytes = bytes,
                                        .captured_bytes = sizeof bytes,
                                        .length_bytes = sizeof bytes,
                                        .comment = comment };
        struct err err; /* The close says it again. */
        weir_frame_to_ethernet(f, source, bytes);
        pcapng_add_packet(p->capture, &packet, &err);
    }
}

static void
add_interfaces(struct player *p)
{
    p->first_interface = p->capture->n_interfaces;
    for (uint16_t port = 0; port < p->shape.n_ports; port++) {
        char name[200];
        struct err err;
        snprintf(name, sizeof name, "%.100s:%u", p->t->name, port);
        pcapng_add_interface(p->capture, name, p->ports[port].rate_bps, &err);
    }
}

static void
obey(struct player *p, weir_ps now)
{
    for (uint32_t i = 0; i < p->out.n; i++) {
        const struct weir_emit *e = &p->out.emits[i];
        switch (e->kind) {
        case WEIR_FRAME:
            answer_frame(p, e);
            capture_frame(p, now, e->key, &e->frame, NULL);
            break;
        case WEIR_TIMER:
            answer_timer(p, e);
            break;
        case WEIR_GATE:
            answer_gate(p, e);
            break;
        }
    }
    p->out.n = 0;
}

/* Steps. */

/* The class of a packet that was sent in another; false if it has none. */
static bool
find_class(struct player *p, struct weir_pkt *pkt)
{
    uint8_t cls = weir_class_here(&p->node.ctx, pkt->in_port, pkt->cls);

    if (cls == WEIR_NO_CLASS) {
        weir_text_add(new_answer(p), "dropped expired");
    } else if (cls != pkt->cls) {
        weir_text_add(new_answer(p), "class %u", (uint64_t)cls);
    }
    pkt->cls = cls;
    return cls != WEIR_NO_CLASS;
}

static void
play_packet(struct player *p, const struct transcript_step *s)
{
    struct weir_pkt pkt = { .bytes = (uint32_t)s->args.bytes,
                            .in_port = (uint16_t)s->args.port,
                            .out_port = (uint16_t)s->args.out,
                            .cls = (uint8_t)s->args.cls,
                            .ecn = (uint8_t)s->args.ecn };
    if (s->event == EVENT_ARRIVED && !find_class(p, &pkt)) {
        return;
    }
    uint32_t in = weir_slot(&p->node.ctx, pkt.in_port, pkt.cls);
    uint32_t out = weir_slot(&p->node.ctx, pkt.out_port, pkt.cls);
    if (s->event == EVENT_ARRIVED) {
        enum weir_admission how = weir_buffer_admit(&p->buffer, in, out, pkt.bytes);
        if (how != WEIR_ADMITTED) {
            weir_text_add(new_answer(p), "dropped %s", weir_admission_names[how]);
            return;
        }
        weir_node_arrived(&p->node, s->at, &pkt);
    } else if (s->event == EVENT_QUEUED) {
        weir_node_queued(&p->node, s->at, &pkt);
    } else if (p->buffer.slots[in].in_bytes < pkt.bytes ||
               p->buffer.slots[out].out_bytes < pkt.bytes) {
        weir_text_add(new_answer(p), "impossible: the node does not hold that much");
        return;
    } else {
        weir_buffer_release(&p->buffer, in, out, pkt.bytes);
        weir_node_departed(&p->node, s->at, &pkt);
    }
    obey(p, s->at);
    if (pkt.ecn != s->args.ecn) {
        weir_text_add(new_answer(p), "marked");
    }
}

static void
play_timer(struct player *p, const struct transcript_step *s)
{
    if (s->key >= p->n_timers || p->timers[s->key] != s->at) {
        weir_text_add(new_answer(p), "impossible: timer %u is due %T", s->key,
                      s->key < p->n_timers ? p->timers[s->key] : WEIR_NEVER);
        return;
    }
    p->timers[s->key] = WEIR_NEVER;
    weir_node_timer(&p->node, s->at, (uint32_t)s->key);
    obey(p, s->at);
}

static void
play_gate(struct player *p, const struct transcript_step *s)
{
    uint32_t slot = weir_slot(&p->node.ctx, (uint16_t)s->args.port, (uint8_t)s->args.cls);
    struct weir_gate *gate = &p->node.ctx.gates[slot];

    if (s->event == EVENT_SENT) {
        weir_gate_sent(gate, s->at, (uint32_t)s->args.bytes);
        return;
    }
    weir_ps ready = weir_gate_ready(gate, s->at, (uint32_t)s->args.bytes);
    if (ready == WEIR_NEVER) {
        weir_text_add(new_answer(p), "ready never");
    } else {
        weir_text_add(new_answer(p), "ready at %T", ready);
    }
}

static void
play_count(struct player *p, const struct transcript_step *s)
{
    weir_text_add(new_answer(p), "count %s=%u", s->counter->name,
                  weir_field_get(s->counter, p->node.layers[s->counter_layer].state));
}

static void
play_frame(struct player *p, const struct transcript_step *s)
{
    capture_frame(p, s->at, (uint32_t)s->args.port, &s->frame, "heard");
    weir_node_frame(&p->node, s->at, (uint16_t)s->args.port, &s->frame);
    obey(p, s->at);
}

static void
play_link(struct player *p, const struct transcript_step *s)
{
    weir_node_link(&p->node, s->at, (uint16_t)s->args.port, s->up);
    obey(p, s->at);
}

static void
play_start(struct player *p, const struct transcript_step *s)
{
    (void)p, (void)s; /* The node has started, and its answers wait. */
}

static void (*const plays[])(struct player *, const struct transcript_step *) = {
    [EVENT_START] = play_start,     [EVENT_ARRIVED] = play_packet, [EVENT_QUEUED] = play_packet,
    [EVENT_DEPARTED] = play_packet, [EVENT_FRAME] = play_frame,    [EVENT_TIMER] = play_timer,
    [EVENT_LINK] = play_link,       [EVENT_READY] = play_gate,     [EVENT_SENT] = play_gate,
    [EVENT_COUNT] = play_count,
};

/* A timer that the transcript has passed over makes it no transcript of this engine. */
static void
answer_missed_timers(struct player *p, weir_ps now)
{
    for (uint32_t key = 0; key < p->n_timers; key++) {
        if (p->timers[key] < now) {
            weir_text_add(new_answer(p), "impossible: timer %u was due at %T", (uint64_t)key,
                          p->timers[key]);
            p->timers[key] = WEIR_NEVER;
        }
    }
}

/* Writing. */

static void
write_lines(struct player *p, size_t first, size_t end)
{
    for (size_t line = first; line < end && line <= p->t->n_lines; line++) {
        fprintf(p->file, "%s\n", p->t->lines[line - 1]);
    }
}

/* The i-th answer that the transcript expects, or null.  To say nothing is to expect nothing. */
static const char *
wanted_answer(const struct player *p, const struct transcript_step *s, size_t i)
{
    if (s->n_answers) {
        return i < s->n_answers ? p->t->answers[s->first_answer + i] : NULL;
    }
    return i ? NULL : "nothing";
}

static bool
same_answer(const struct player *p, const struct transcript_step *s, size_t i)
{
    const char *wanted = wanted_answer(p, s, i);
    const char *given = i < p->n_answers ? p->answers[i].s : NULL;

    if (!wanted || !given) {
        return wanted == given;
    }
    const char *written = s->n_answers ? p->t->answers_written[s->first_answer + i] : wanted;
    return transcript_same(wanted, written, given);
}

static bool
as_wanted(const struct player *p, const struct transcript_step *s)
{
    size_t n = s->n_answers > p->n_answers ? s->n_answers : p->n_answers;
    for (size_t i = 0; i < n; i++) {
        if (!same_answer(p, s, i)) {
            return false;
        }
    }
    return true;
}

static void
write_difference(struct player *p, const struct transcript_step *s)
{
    if (p->mode == TRANSCRIPT_CHECK) {
        fprintf(p->file, "%s:%zu: %s\n", p->t->name, s->line, p->t->lines[s->line - 1]);
    }
    for (size_t i = 0;; i++) {
        const char *wanted = wanted_answer(p, s, i);
        const char *given = i < p->n_answers ? p->answers[i].s : NULL;
        if (!wanted && !given) {
            break;
        }
        if (same_answer(p, s, i)) {
            fprintf(p->file, "           %s\n", given);
            continue;
        }
        if (wanted) {
            fprintf(p->file, "  expected %s\n", wanted);
        }
        if (given) {
            fprintf(p->file, "  answered %s\n", given);
        }
    }
}

/* An answer as a new transcript has it: under the event, in columns. */
static void
write_answer(struct player *p, const struct transcript_step *s, const char *answer)
{
    const char *rest = strchr(answer, ' ');
    int indent = (int)s->column - 1;

    if (rest) {
        fprintf(p->file, "%*s%-8.*s%s\n", indent, "", (int)(rest - answer), answer, rest);
    } else {
        fprintf(p->file, "%*s%s\n", indent, "", answer);
    }
}

/* Puts the answers that were given in the place of those that stood there; remarks stay. */
static void
write_filled(struct player *p, const struct transcript_step *s, size_t next_line)
{
    write_lines(p, s->line, s->line + 1);
    for (size_t i = 0; i < p->n_answers; i++) {
        write_answer(p, s, p->answers[i].s);
    }
    for (size_t line = s->line + 1; line < next_line; line++) {
        const char *text = p->t->lines[line - 1];
        text += strspn(text, " \t\r");
        if (!*text || *text == '#') {
            write_lines(p, line, line + 1);
        }
    }
}

static void
write_step(struct player *p, const struct transcript_step *s, bool good)
{
    bool is_last = s + 1 == p->t->steps + p->t->n_steps;
    size_t next_line = is_last ? p->t->n_lines + 1 : s[1].line;

    if (p->mode == TRANSCRIPT_FILL) {
        write_filled(p, s, next_line);
    } else if (p->mode == TRANSCRIPT_SHOW) {
        write_lines(p, s->line, good ? next_line : s->line + 1);
    }
    if (p->mode != TRANSCRIPT_FILL && !good) {
        write_difference(p, s);
    }
}

/* The node. */

static uint8_t
peer_tier(const struct transcript_node *n, uint64_t port)
{
    bool is_above = port + n->above >= n->ports;
    return (uint8_t)(is_above || !n->tier ? n->tier + 1 : n->tier - 1);
}

static struct weir_shape
shape_of(const struct transcript_node *n, struct weir_port *ports)
{
    struct weir_shape shape = { .ports = ports,
                                .n_ports = (uint16_t)n->ports,
                                .n_classes = (uint8_t)n->classes,
                                .lossless = (uint8_t)n->lossless,
                                .mtu_bytes = (uint32_t)n->mtu_bytes,
                                .gap_bytes = (uint32_t)n->gap_bytes,
                                .response_ps = (weir_ps)n->response_ps,
                                .tier = (uint8_t)n->tier };
    struct weir_buffer_class c = { .reserve_bytes = n->reserve_bytes,
                                   .limit_bytes = n->limit_bytes,
                                   .alpha = n->alpha,
                                   .headroom_bytes = n->headroom_bytes,
                                   .partition_bytes = n->partition_bytes };

    for (uint64_t i = 0; i < n->ports; i++) {
        ports[i] = (struct weir_port){ .rate_bps = n->rate_bps,
                                       .cable_ps = (weir_ps)n->cable_ps,
                                       .peer_tier = peer_tier(n, i) };
    }
    for (uint64_t cls = 0; cls < n->classes; cls++) {
        shape.buffer.classes[cls] = c;
    }
    shape.buffer.size_bytes =
        n->shared_bytes +
        n->classes * (n->partition_bytes + n->ports * (n->reserve_bytes + n->headroom_bytes));
    return shape;
}

static void
start(struct player *p, const struct weir_stack *stack, const struct weir_needs *needs, weir_ps now)
{
    const struct weir_shape *shape = &p->shape;
    size_t gates_bytes = weir_n_slots(shape) * sizeof(struct weir_gate);

    p->buffer_memory = array_new(1, weir_buffer_memory(shape->n_ports, shape->n_classes));
    p->memory = array_new_aligned(WEIR_MEMORY_ALIGN, needs->state_bytes);
    p->gates_before = array_new(1, gates_bytes);
    p->timers = array_new(needs->n_timers, sizeof *p->timers);
    p->out.emits = array_new(needs->max_emits, sizeof *p->out.emits);
    p->out.max = needs->max_emits;
    p->n_timers = needs->n_timers;
    for (uint32_t i = 0; i < p->n_timers; i++) {
        p->timers[i] = WEIR_NEVER;
    }
    weir_buffer_init(&p->buffer, &shape->buffer, shape->n_ports, shape->n_classes,
                     p->buffer_memory);
    for (uint32_t slot = 0; slot < weir_n_slots(shape); slot++) {
        weir_gate_init(&p->gates_before[slot], shape->gap_bytes);
    }
    weir_node_init(&p->node, stack, shape, &p->buffer, &p->out, p->memory, now);
    obey(p, now);
}

/* The lines before the first event; a new transcript also learns what was said of them.  Steps that
 * can not be played are kept as they are. */
static void
write_heading(struct player *p, bool fits, const char *said)
{
    size_t end = p->t->n_steps && fits ? p->t->steps[0].line : p->t->n_lines + 1;

    for (size_t line = 1; line < end; line++) {
        if (p->mode == TRANSCRIPT_FILL && line == p->t->said_line) {
            fprintf(p->file, *said ? "%-7s %s\n" : "%s%s\n", fits ? "warned" : "refused", said);
        } else {
            write_lines(p, line, line + 1);
        }
    }
}

static void
check_said(struct player *p, const char *what, const char *wanted, const char *said)
{
    p->result.n_steps++;
    if (!strcmp(wanted ? wanted : "", said) || (p->mode == TRANSCRIPT_FILL && wanted)) {
        return;
    }
    p->result.n_differing++;
    if (p->mode != TRANSCRIPT_FILL) {
        fprintf(p->file, "%s:%zu: what is said before the start\n", p->t->name,
                p->t->said_line ? p->t->said_line : 1);
        fprintf(p->file, wanted && *wanted ? "  expected %s %s\n" : "  expected nothing\n", what,
                wanted);
        fprintf(p->file, *said ? "  answered %s %s\n" : "  answered nothing\n", what, said);
    }
}

static void
play_steps(struct player *p)
{
    const struct transcript *t = p->t;

    for (size_t i = 0; i < t->n_steps; i++) {
        const struct transcript_step *s = &t->steps[i];
        if (s->event != EVENT_START) {
            p->n_answers = 0; /* Without a 'start' nobody asks what was answered to it. */
        }
        answer_missed_timers(p, s->at);
        plays[s->event](p, s);
        if (!p->n_answers) {
            weir_text_add(new_answer(p), "nothing");
        }
        bool good = as_wanted(p, s);
        p->result.n_steps++;
        p->result.n_differing += !good;
        write_step(p, s, good);
    }
}

struct transcript_result
transcript_play(const struct transcript *t, enum transcript_mode mode, FILE *file,
                struct pcapng *capture)
{
    struct player *p = array_new(1, sizeof *p);
    struct weir_stack stack = t->stack;
    struct weir_needs needs;
    struct weir_text said = { 0 };

    *p = (struct player){ .t = t, .mode = mode, .file = file, .capture = capture };
    p->shape = shape_of(&t->node, p->ports);
    bool fits = weir_stack_resolve(&stack, &p->shape, &needs, &said);
    for (char *c = said.s; (c = strchr(c, '\n'));) {
        *c = ';'; /* A line of a transcript is one line. */
    }
    if (mode != TRANSCRIPT_CHECK) {
        write_heading(p, fits, said.s);
    }
    if (!fits || t->refused) {
        check_said(p, "refused", t->refused, fits ? "" : said.s);
    } else if (t->warned) {
        check_said(p, "warned", t->warned, said.s);
    }
    if (fits && capture) {
        add_interfaces(p);
    }
    if (fits) {
        start(p, &stack, &needs, t->n_steps ? t->steps[0].at : 0);
        play_steps(p);
    }
    struct transcript_result result = p->result;
    result.refused = !fits;
    result.said = said;
    free(p->buffer_memory);
    free(p->memory);
    free(p->gates_before);
    free(p->timers);
    free(p->out.emits);
    free(p->answers);
    free(p);
    return result;
}
