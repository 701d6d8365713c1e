/* Writes the outputs of the node ("answers") as lines of text, and its frames to the capture. */

#include <string.h>

#include "base/array.h"
#include "transcript/player.h"

/* Frames in a capture. */

void
player_capture_interfaces(struct player *p)
{
    p->first_interface = p->capture->n_interfaces;
    for (uint16_t port = 0; port < p->shape.n_ports; port++) {
        char name[200];
        struct err err;
        snprintf(name, sizeof name, "%.100s:%u", p->t->name, port);
        pcapng_add_interface(p->capture, name, p->ports[port].rate_bps, &err);
    }
}

void
player_capture_frame(struct player *p, uint32_t port, const struct weir_frame *f,
                     const char *comment)
{
    uint8_t source[6] = { 0x02, 0, 0, 0, (uint8_t)(port >> 8), (uint8_t)port };
    uint8_t bytes[WEIR_ETHERNET_BYTES];

    if (p->capture) {
        struct pcapng_packet packet = { .interface = p->first_interface + port,
                                        .time_ns = p->node.ctx.now / 1000,
                                        .bytes = bytes,
                                        .captured_bytes = sizeof bytes,
                                        .length_bytes = sizeof bytes,
                                        .comment = comment };
        struct err err; /* Unused, because closing the capture reports the error again. */
        weir_frame_to_ethernet(f, source, bytes);
        pcapng_add_packet(p->capture, &packet, &err);
    }
}

/* Answers: the outputs of the node. */

struct weir_text *
player_answer(struct player *p)
{
    ARRAY_PUSH(p->answers, p->n_answers, p->max_answers) = (struct weir_text){ 0 };
    return &p->answers[p->n_answers - 1];
}

static void
add_bytes(struct weir_text *text, const struct weir_frame *f)
{
    static const char digits[] = "0123456789abcdef";

    for (uint8_t i = 0; i < f->len; i++) {
        char byte[3] = { digits[f->bytes[i] >> 4], digits[f->bytes[i] & 15], '\0' };
        weir_text_add(text, "%s%s", i % 2 ? "" : " ", byte);
    }
}

static void
answer_frame(struct player *p, const struct weir_emit *e)
{
    struct weir_text *text = player_answer(p);

    weir_text_add(text, "frame port=%u", (uint64_t)e->key);
    add_bytes(text, &e->frame);
    player_capture_frame(p, e->key, &e->frame, NULL);
}

static void
answer_timer(struct player *p, const struct weir_emit *e)
{
    p->timers[e->key] = e->at;
    weir_text_add(player_answer(p), e->at == WEIR_NEVER ? "timer %u off" : "timer %u at %T",
                  (uint64_t)e->key, e->at);
}

/* Writes the limits of a gate that the engine has changed. */
static void
answer_gate(struct player *p, const struct weir_emit *e)
{
    const struct weir_gate *g = &p->node.ctx.gates[e->key];
    struct weir_gate *before = &p->gates_before[e->key];
    struct weir_text *text = player_answer(p);

    weir_text_add(text, "gate port=%u class=%u", (uint64_t)weir_slot_port(&p->node.ctx, e->key),
                  (uint64_t)weir_slot_class(&p->node.ctx, e->key));
    if (g->open_ps != before->open_ps) {
        weir_text_add(text, " open=%T", g->open_ps);
    }
    if (g->rate_bps != before->rate_bps) {
        weir_text_add(text, g->rate_bps == WEIR_UNLIMITED ? " rate=line" : " rate=%R", g->rate_bps);
    }
    if (weir_gate_is_held(g, p->node.ctx.now)) {
        weir_text_add(text, " held=%T", g->next_ps);
    }
    if (g->limit_bytes != before->limit_bytes) {
        weir_text_add(text, g->limit_bytes == WEIR_UNLIMITED ? " limit=none" : " limit=%B",
                      g->limit_bytes);
    }
    *before = *g;
}

static void
answer_message(struct player *p, const struct weir_emit *e)
{
    struct weir_text *text = player_answer(p);

    weir_text_add(text, "message flow=%u port=%u class=%u", (uint64_t)e->key, (uint64_t)e->port,
                  (uint64_t)e->cls);
    add_bytes(text, &e->frame);
}

static void
answer_flow_rate(struct player *p, const struct weir_emit *e)
{
    weir_text_add(player_answer(p),
                  e->rate_bps == WEIR_UNLIMITED ? "limit flow=%u rate=line"
                                                : "limit flow=%u rate=%R",
                  (uint64_t)e->key, e->rate_bps);
}

static void
answer_slow(struct player *p, const struct weir_emit *e)
{
    weir_text_add(player_answer(p), "slow port=%u class=%u factor=%Q",
                  (uint64_t)weir_slot_port(&p->node.ctx, e->key),
                  (uint64_t)weir_slot_class(&p->node.ctx, e->key), e->factor);
}

static void (*const answers[])(struct player *, const struct weir_emit *) = {
    [WEIR_FRAME] = answer_frame,     [WEIR_TIMER] = answer_timer,         [WEIR_GATE] = answer_gate,
    [WEIR_MESSAGE] = answer_message, [WEIR_FLOW_RATE] = answer_flow_rate, [WEIR_SLOW] = answer_slow,
};

void
player_obey(struct player *p)
{
    for (uint32_t i = 0; i < p->out.n; i++) {
        answers[p->out.emits[i].kind](p, &p->out.emits[i]);
    }
    p->out.n = 0;
}
