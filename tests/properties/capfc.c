/* CaPFC, compared with a plain model of the paper on random packets: C, E and D are equal after
 * each event, and there is exactly one frame for each D that changed.  Events are so far apart that
 * no frame has to wait for the minimum distance between frames (which
 * tests/transcripts/capfc/least-pause.txt tests). */

#include <stdlib.h>

#include "capfc-model.h"
#include "law.h"

/* Compiles the engine into this test under another name, so that the test can read its counters and
 * bits. */
#define weir_capfc capfc_seen
#include "../../src/lib/engines/capfc.c"

enum { N_SLOTS = N_PORTS * N_CLASSES, MAX_HELD = 400, N_STEPS = 1500, LOSSLESS = 3 };
enum { OUTPUT_BYTES = 16000, MTU = 1500, MAX_EMITS = 2 * N_SLOTS + 1 + 2 * N_PORTS };
enum { APART_PS = 10000000 }; /* Events are so far apart that no resume has to wait. */
enum stage { AT_INPUT, ON_ITS_WAY, AT_OUTPUT };

struct held {
    struct weir_pkt pkt;
    enum stage stage;
};

struct site {
    struct model model;
    struct weir_port ports[N_PORTS];
    struct weir_shape shape;
    struct weir_stack stack;
    struct weir_buffer buffer;
    struct weir_buffer_slot slots[N_SLOTS];
    struct weir_outbox out;
    struct weir_emit emits[2 * MAX_EMITS]; /* Outputs of up to two calls. */
    struct weir_node node;
    struct held held[MAX_HELD];
    uint32_t n_held;
    bool has_stages;
    uint64_t chance, n_rises, n_refused;
    weir_ps now;
    void *memory;
};

static void
set(struct site *s, const char *name, uint64_t value)
{
    const struct weir_field *f = weir_field_find(param_fields, name);
    weir_field_set(f, s->stack.layers[0].params, value);
}

static void
draw_params(struct site *s)
{
    struct model *m = &s->model;

    m->xoff = duet_draw(&s->chance, 3 * MTU, OUTPUT_BYTES);
    m->xon = duet_draw(&s->chance, 0, m->xoff - 1);
    m->warn = duet_draw(&s->chance, 0, 4) ? duet_draw(&s->chance, m->xon, m->xoff) : m->xoff;
    m->in_xoff = duet_draw(&s->chance, 2 * MTU, 12 * MTU);
    m->in_xon = duet_draw(&s->chance, 0, m->in_xoff - 1);
    m->stop = (enum model_stop)duet_draw(&s->chance, MODEL_MAX, MODEL_CALIBRATE);
    m->cut_percent = duet_draw(&s->chance, 0, 3) ? duet_draw(&s->chance, 1, 100) : 100;
    m->on_drop = duet_draw(&s->chance, 0, 1);
    set(s, "xoff", m->in_xoff);
    set(s, "xon", m->in_xon);
    set(s, "egress_xoff", m->xoff);
    set(s, "egress_xon", m->xon);
    set(s, "egress_warn", m->warn);
    set(s, "stop", m->stop == MODEL_CALIBRATE);
    set(s, "again", m->stop == MODEL_AGAIN);
    set(s, "cut", (m->cut_percent * 2 * WEIR_RATIO_1 / 100 + 1) / 2);
    set(s, "on_drop", m->on_drop);
}

static struct weir_shape
draw_shape(struct site *s)
{
    struct weir_shape shape = { .ports = s->ports,
                                .n_ports = N_PORTS,
                                .n_classes = N_CLASSES,
                                .lossless = LOSSLESS,
                                .mtu_bytes = MTU,
                                .services = s->has_stages ? WEIR_SERVICE_STAGES : 0,
                                .buffer = { .size_bytes = N_SLOTS * 1000000 } };

    for (int p = 0; p < N_CLASSES; p++) {
        shape.buffer.classes[p].reserve_bytes = 1000000;
        shape.buffer.output_bytes[p] = OUTPUT_BYTES;
        s->model.is_lossless[p] = LOSSLESS >> p & 1;
    }
    for (int i = 0; i < N_PORTS; i++) {
        s->ports[i] = (struct weir_port){ .rate_bps = 1000000000 };
    }
    return shape;
}

static void
start(struct site *s, uint64_t seed)
{
    struct weir_needs needs;
    struct weir_text said = { 0 };

    *s = (struct site){ .chance = seed, .has_stages = seed % 3 };
    s->shape = draw_shape(s);
    weir_stack_add(&s->stack, &capfc_seen);
    draw_params(s);
    assert_true(weir_stack_resolve(&s->stack, &s->shape, &needs, &said));
    assert_int_equal(needs.max_emits, MAX_EMITS);
    s->out = (struct weir_outbox){ .emits = s->emits, .max = 2 * MAX_EMITS };
    s->memory = aligned_alloc(WEIR_MEMORY_ALIGN, needs.state_bytes);
    weir_buffer_init(&s->buffer, &s->shape.buffer, N_PORTS, N_CLASSES, s->slots);
    weir_node_init(&s->node, &s->stack, &s->shape, &s->buffer, &s->out, s->memory, 0);
}

/* Events. Each one updates the buffer as a host does, calls the engine, and calls the model. */

static uint32_t
in_slot(const struct weir_pkt *pkt)
{
    return (uint32_t)pkt->in_port * N_CLASSES + pkt->cls;
}

static uint32_t
out_slot(const struct weir_pkt *pkt)
{
    return (uint32_t)pkt->out_port * N_CLASSES + pkt->cls;
}

/* Most packets go to one output, so that its queue becomes long, and most come from few inputs. */
static struct weir_pkt
draw_packet(struct site *s)
{
    uint64_t far = duet_draw(&s->chance, 0, N_PORTS - 1), few = duet_draw(&s->chance, 0, far);

    return (struct weir_pkt){ .bytes = (uint32_t)duet_draw(&s->chance, 64, MTU),
                              .in_port = (uint16_t)few,
                              .out_port = (uint16_t)(duet_draw(&s->chance, 0, 2) ? 4 : far),
                              .cls = (uint8_t)duet_draw(&s->chance, 0, N_CLASSES - 1) };
}

static void
arrive(struct site *s)
{
    struct model *m = &s->model;
    struct weir_pkt pkt = draw_packet(s);
    uint32_t in = in_slot(&pkt), out = out_slot(&pkt);

    assert_int_equal(s->has_stages ? weir_buffer_admit_input(&s->buffer, in, pkt.bytes)
                                   : weir_buffer_admit(&s->buffer, in, out, pkt.bytes),
                     WEIR_ADMITTED);
    s->held[s->n_held++] = (struct held){ pkt, s->has_stages ? AT_INPUT : AT_OUTPUT };
    weir_node_arrived(&s->node, s->now, &pkt);
    m->in[pkt.in_port][pkt.cls] += pkt.bytes;
    model_look_at_input(m, pkt.in_port, pkt.cls);
    if (!s->has_stages) {
        weir_node_queued(&s->node, s->now, &pkt);
        model_enqueue(m, pkt.out_port, pkt.cls, pkt.in_port, pkt.bytes, true);
    }
}

static void
leave_input(struct site *s, const struct weir_pkt *pkt)
{
    s->model.in[pkt->in_port][pkt->cls] -= pkt->bytes;
    model_look_at_input(&s->model, pkt->in_port, pkt->cls);
}

static void
forward(struct site *s, struct held *h)
{
    weir_buffer_forward(&s->buffer, in_slot(&h->pkt), h->pkt.bytes);
    h->stage = ON_ITS_WAY;
    weir_node_forwarded(&s->node, s->now, &h->pkt);
    leave_input(s, &h->pkt);
}

static void
queue(struct site *s, struct held *h)
{
    struct weir_pkt pkt = h->pkt;
    bool fits = weir_buffer_admit_output(&s->buffer, out_slot(&pkt), pkt.bytes);

    if (fits) {
        h->stage = AT_OUTPUT;
        weir_node_queued(&s->node, s->now, &pkt);
    } else {
        weir_buffer_discard(&s->buffer, pkt.bytes);
        *h = s->held[--s->n_held];
        s->n_refused++;
        weir_node_refused(&s->node, s->now, &pkt);
    }
    model_enqueue(&s->model, pkt.out_port, pkt.cls, pkt.in_port, pkt.bytes, fits);
}

static void
depart(struct site *s, struct held *h)
{
    struct weir_pkt pkt = h->pkt;

    if (s->has_stages) {
        weir_buffer_release_output(&s->buffer, out_slot(&pkt), pkt.bytes);
    } else {
        weir_buffer_release(&s->buffer, in_slot(&pkt), out_slot(&pkt), pkt.bytes);
        leave_input(s, &pkt);
    }
    *h = s->held[--s->n_held];
    weir_node_departed(&s->node, s->now, &pkt);
    model_dequeue(&s->model, pkt.out_port, pkt.cls, pkt.bytes);
}

/* Comparison of the engine with the model. */

static void
assert_same_state(struct site *s)
{
    const struct model *m = &s->model;
    void *state = s->node.layers[0].state;
    struct capfc *seen = outputs_of(state);

    for (int o = 0; o < N_PORTS; o++) {
        for (int p = 0; p < N_CLASSES; p++) {
            uint32_t out = (uint32_t)(o * N_CLASSES + p);
            assert_int_equal(s->slots[out].out_bytes, m->out[o][p]);
            for (uint32_t i = 0; i < N_PORTS; i++) {
                assert_int_equal(counters_of(seen, out)[i], m->C[o][p][i]);
                assert_int_equal(is_stopped(seen, out, i), m->E[o][p][i]);
            }
        }
    }
}

/* Checks that the outbox has a frame and a timer for each slot whose D has changed, and nothing
 * else. */
static void
assert_same_answers(struct site *s, const bool before[N_PORTS][N_CLASSES])
{
    const struct model *m = &s->model;
    uint32_t n = 0;

    for (int i = 0; i < N_PORTS; i++) {
        for (int p = 0; p < N_CLASSES; p++) {
            bool d = model_d(m, i, p);
            uint32_t n_written = 0;
            for (uint32_t k = 0; d != before[i][p] && k < s->out.n; k++) {
                const struct weir_emit *e = &s->out.emits[k];
                struct weir_class_frame f;
                bool is_timer = e->kind == WEIR_TIMER && e->key == (uint32_t)(i * N_CLASSES + p);
                n_written += is_timer && (e->at == WEIR_NEVER) == !d;
                n_written += e->kind == WEIR_FRAME && e->key == (uint32_t)i &&
                             weir_class_frame_decode(&e->frame, &f) && f.enable == 1u << p &&
                             f.values[p] == (d ? 0xffff : 0);
            }
            assert_int_equal(n_written, d != before[i][p] ? 2 : 0);
            n += n_written;
            s->n_rises += d && !before[i][p];
        }
    }
    assert_int_equal(s->out.n, n);
    s->out.n = 0;
}

static void
remember(const struct model *m, bool d[N_PORTS][N_CLASSES])
{
    for (int i = 0; i < N_PORTS; i++) {
        for (int p = 0; p < N_CLASSES; p++) {
            d[i][p] = model_d(m, i, p);
        }
    }
}

static uint32_t
count_timers(const struct site *s, uint32_t slot)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < s->out.n; k++) {
        n += s->out.emits[k].kind == WEIR_TIMER && s->out.emits[k].key == slot;
    }
    return n;
}

/* A link goes down and comes up: outputs remember the inputs that they have paused, and the peer
 * receives the state of each class. */
static void
flap(struct site *s)
{
    uint16_t port = (uint16_t)duet_draw(&s->chance, 0, N_PORTS - 1);
    struct weir_class_frame f;

    weir_node_link(&s->node, s->now, port, false);
    s->out.n = 0;
    weir_node_link(&s->node, s->now, port, true);
    assert_true(weir_class_frame_decode(&s->out.emits[s->out.n - 1].frame, &f));
    for (int p = 0; p < N_CLASSES; p++) {
        s->model.I[port][p] = s->model.is_lossless[p] && s->model.in[port][p] >= s->model.in_xoff;
        bool d = model_d(&s->model, port, p);
        assert_int_equal(f.values[p], d ? 0xffff : 0);
        assert_int_equal(count_timers(s, (uint32_t)port * N_CLASSES + (uint32_t)p), d);
    }
    s->out.n = 0;
}

/* Moves a random packet one stage on. While queues fill, outputs hardly send. */
static void
move_one(struct site *s, bool is_filling)
{
    static void (*const moves[])(struct site *, struct held *) = {
        [AT_INPUT] = forward, [ON_ITS_WAY] = queue, [AT_OUTPUT] = depart
    };
    struct held *h = &s->held[duet_draw(&s->chance, 0, s->n_held - 1)];

    if (!is_filling || h->stage != AT_OUTPUT || !duet_draw(&s->chance, 0, 9)) {
        moves[h->stage](s, h);
    }
}

static void
step(struct site *s, bool is_filling)
{
    bool before[N_PORTS][N_CLASSES];

    if (!duet_draw(&s->chance, 0, 99)) {
        flap(s);
        s->now += APART_PS;
    }
    remember(&s->model, before);
    if (!s->n_held ||
        (s->n_held < MAX_HELD && duet_draw(&s->chance, 0, 99) < (is_filling ? 45 : 15))) {
        arrive(s);
    } else {
        move_one(s, is_filling);
    }
    assert_same_answers(s, (const bool(*)[N_CLASSES])before);
    assert_same_state(s);
    s->now += APART_PS;
}

static void
the_engine_is_the_paper(void **state)
{
    static struct site s;
    uint64_t n_rises = 0, n_refused = 0;

    (void)state;
    for (unsigned seed = 1; seed <= N_RUNS / 10; seed++) {
        start(&s, seed);
        for (int i = 0; i < N_STEPS; i++) {
            step(&s, i / 300 % 2 == 0);
        }
        n_rises += s.n_rises;
        n_refused += s.n_refused;
        free(s.memory);
    }
    printf("  %u pauses, %u packets refused\n", (unsigned)n_rises, (unsigned)n_refused);
    assert_true(n_rises > 5 * N_RUNS / 10 && n_refused > 5 * N_RUNS / 10);
}

/* One input has sent nearly all packets, so that its share is 1 after any rounding. */
static void
with_a_cut_of_1_no_input_is_too_small(void **state)
{
    static struct site s;
    struct weir_pkt pkt = { .bytes = MTU, .in_port = 1, .out_port = 4 };

    (void)state;
    start(&s, 3); /* Seed 3 is a node without stages. */
    struct capfc *seen = outputs_of(s.node.layers[0].state);
    seen->p.stop = CALIBRATE;
    seen->p.cut = WEIR_RATIO_1;
    seen->egress[out_slot(&pkt)].warn_bytes = 0;
    seen->egress[out_slot(&pkt)].xoff_bytes = WEIR_MAX_BYTES;
    s.node.ctx.trips[out_slot(&pkt)].over_bytes = 0; /* The trip wire that these thresholds need. */
    weir_buffer_admit(&s.buffer, in_slot(&pkt), out_slot(&pkt), pkt.bytes);
    for (int i = 0; i < 300000; i++) {
        weir_node_queued(&s.node, 0, &pkt);
    }
    pkt.in_port = 2;
    weir_node_queued(&s.node, 0, &pkt);
    assert_false(is_stopped(seen, out_slot(&pkt), 1));
    seen->egress[out_slot(&pkt)].xoff_bytes = 0;
    pkt.in_port = 1;
    weir_node_queued(&s.node, 0, &pkt);
    assert_true(is_stopped(seen, out_slot(&pkt), 1) && is_stopped(seen, out_slot(&pkt), 2));
    free(s.memory);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_engine_is_the_paper),
        cmocka_unit_test(with_a_cut_of_1_no_input_is_too_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
