/* FAFC, compared with a twin in floating point on random packets.
 *
 *     marks, pauses      equal, unless rounding decides on which side of a threshold a number is
 *     times of pauses    within 0.1 % of T
 *     queues and rates   within a quarter of a byte
 *     sums               equal to the sums of their parts
 *     bounds             an output that decides pauses an input for at most T, once per T; with a
 *                        demand memory no pause reaches further ahead than 2 T (T of the input)
 *     the end            after all packets have left, pauses, slots and the clock end */

#include <stdlib.h>

#include "fafc-twin.h"
#include "law.h"

/* Compiles the engine into this test under another name, so that the test can read its state. */
#define weir_fafc fafc_seen
#include "../../src/lib/engines/fafc.c"

enum { N_CLASSES = 2, COUNTED = 1, N_SLOTS = N_PORTS * N_CLASSES, CLOCK = N_SLOTS };
enum { MAX_HELD = 3000, MAX_EMITS = 64, N_STEPS = 6000, N_TRIALS = N_RUNS / 10 };

struct site {
    struct twin twin;
    struct weir_port ports[N_PORTS];
    struct weir_shape shape;
    struct weir_stack stack;
    struct weir_outbox out;
    struct weir_emit emits[MAX_EMITS];
    struct weir_node node;
    struct weir_pkt held[MAX_HELD];
    uint32_t n_held;
    weir_ps now, timers[CLOCK + 1];
    double asked[N_PORTS]; /* Pauses that the engine requested in the last call, in picoseconds. */
    uint64_t chance;
    /* The engine does not read this buffer: it uses the packets that it receives. */
    struct weir_buffer buffer;
    struct weir_buffer_slot slots[N_PORTS * N_CLASSES];
    void *memory;
};

static struct {
    uint64_t n_marks, n_pauses, n_edges, n_asked_twice, n_pending, n_offset;
} seen;

static struct fafc *
engine_of(struct site *s)
{
    return s->node.layers[0].state;
}

static struct fafc_queues *
queues(struct site *s)
{
    return queues_of(engine_of(s));
}

static uint32_t
slot_of(int port)
{
    return (uint32_t)port * N_CLASSES + COUNTED;
}

/* Setup. */

static void
set(struct site *s, const char *name, uint64_t value)
{
    weir_field_set(weir_field_find(weir_fafc_fields, name), s->stack.layers[0].params, value);
}

static double
ratio(uint64_t value)
{
    return (double)value / WEIR_RATIO_1;
}

/* Draws one T for all inputs, or a T for the link of each input. */
static void
draw_periods(struct site *s, uint64_t shortest)
{
    bool is_one = duet_draw(&s->chance, 0, 1);

    s->twin.clock = (double)shortest;
    for (int i = 0; i < N_PORTS; i++) {
        uint64_t here = is_one || !i ? shortest : duet_draw(&s->chance, shortest, 5 * shortest);
        s->ports[i].cable_ps = (weir_ps)here;
        s->twin.period[i] = (double)here;
    }
    set(s, "period", is_one ? shortest : WEIR_AUTO);
}

static void
draw_params(struct site *s)
{
    struct twin *t = &s->twin;
    uint64_t alpha = duet_draw(&s->chance, WEIR_RATIO_1 / 4, WEIR_RATIO_1);
    uint64_t beta = duet_draw(&s->chance, WEIR_RATIO_1 / 4, WEIR_RATIO_1);
    uint64_t f_dec = duet_draw(&s->chance, WEIR_RATIO_1 / 4, WEIR_RATIO_1);
    uint64_t th_p = duet_draw_log(&s->chance, 20000, 300000);
    uint64_t th_e = duet_draw(&s->chance, 0, th_p), th_c = duet_draw(&s->chance, 0, th_p);
    uint64_t ps = duet_draw_log(&s->chance, 500000, 5000000);

    *t = (struct twin){ .alpha = ratio(alpha),
                        .beta = ratio(beta),
                        .f_dec = ratio(f_dec),
                        .th_p = (double)th_p,
                        .th_e = (double)th_e,
                        .th_c = (double)th_c };
    draw_periods(s, ps);
    t->by_backlog = duet_draw(&s->chance, 0, 2) == 0;
    t->blind = duet_draw(&s->chance, 0, 3) == 0;
    t->by_output = duet_draw(&s->chance, 0, 1);
    t->memory = duet_draw(&s->chance, 0, 2) == 0;
    t->allocate = duet_draw(&s->chance, 0, 2) ? 0 : (int)duet_draw(&s->chance, 0, 2);
    set(s, "alpha", alpha);
    set(s, "beta", beta);
    set(s, "f_dec", f_dec);
    set(s, "th_p", th_p);
    set(s, "th_e", th_e);
    set(s, "th_c", th_c);
    set(s, "condition", t->by_backlog);
    set(s, "predict", !t->blind);
    set(s, "uncongested", t->by_output);
    set(s, "memory", t->memory);
    set(s, "allocate", (uint64_t)t->allocate);
    set(s, "decide", duet_draw(&s->chance, 0, 1));
}

static void
start(struct site *s, uint64_t seed)
{
    struct weir_needs needs;
    struct weir_text said = { 0 };

    *s = (struct site){ .chance = seed };
    for (int i = 0; i < N_PORTS; i++) {
        s->ports[i] = (struct weir_port){ .rate_bps = 100000000000, .cable_ps = 1000000 };
    }
    s->shape = (struct weir_shape){ .ports = s->ports,
                                    .n_ports = N_PORTS,
                                    .n_classes = N_CLASSES,
                                    .lossless = 1 << COUNTED,
                                    .mtu_bytes = 1500,
                                    .tier = 1,
                                    .buffer = { .size_bytes = 100000000 } };
    weir_stack_add(&s->stack, &fafc_seen);
    draw_params(s);
    assert_true(weir_stack_resolve(&s->stack, &s->shape, &needs, &said));
    assert_int_equal(needs.n_timers, CLOCK + 1);
    assert_true(needs.max_emits <= MAX_EMITS);
    s->out = (struct weir_outbox){ .emits = s->emits, .max = MAX_EMITS };
    s->memory = aligned_alloc(WEIR_MEMORY_ALIGN, needs.state_bytes);
    for (int key = 0; key <= CLOCK; key++) {
        s->timers[key] = WEIR_NEVER;
    }
    for (int i = 0; i < N_PORTS; i++) {
        s->twin.slot_end[i] = INFINITY;
        s->twin.until[i] = s->twin.paused[i] = (double)WEIR_LONG_AGO;
    }
    weir_buffer_init(&s->buffer, &s->shape.buffer, N_PORTS, N_CLASSES, s->slots);
    weir_node_init(&s->node, &s->stack, &s->shape, &s->buffer, &s->out, s->memory, 0);
}

/* Outputs of the engine. */

static void
obey(struct site *s)
{
    struct weir_fafc_pause pause;

    memset(s->asked, 0, sizeof s->asked);
    for (uint32_t k = 0; k < s->out.n; k++) {
        const struct weir_emit *e = &s->out.emits[k];
        if (e->kind == WEIR_TIMER) {
            s->timers[e->key] = e->at;
        } else if (e->kind == WEIR_FRAME) {
            assert_true(weir_fafc_pause_decode(&e->frame, &pause));
            assert_int_equal(pause.enable, 1 << COUNTED);
            assert_true(!s->asked[e->key] && pause.pause_ns[COUNTED]);
            s->asked[e->key] = pause.pause_ns[COUNTED] * 1000.0;
        }
    }
    s->out.n = 0;
}

/* Comparisons. */

static void
assert_near(double of_engine, double of_twin, double most)
{
    if (fabs(of_engine - of_twin) > most) {
        fail_msg("%f is not within %f of %f", of_engine, most, of_twin);
    }
}

static double
bytes_of(int64_t with_places)
{
    return (double)with_places / (1 << FAFC_RATE_PLACES);
}

static uint32_t
place_of(const struct fafc_queues *q, int e, int i)
{
    return fafc_places(q, (uint32_t)e, COUNTED)[i];
}

/* A pair that is not active has index 0, whose entry is always empty. */
static const struct fafc_pair *
pair_of(const struct fafc_queues *q, int e, int i)
{
    return &fafc_pairs(q)[place_of(q, e, i)];
}

static void
assert_sums_hold(struct site *s)
{
    const struct fafc_queues *q = queues(s);
    struct fafc_output outputs[N_PORTS] = { 0 };
    struct fafc_input inputs[N_PORTS] = { 0 };
    uint32_t n_active = 0;

    for (int e = 0; e < N_PORTS; e++) {
        for (int i = 0; i < N_PORTS; i++) {
            const struct fafc_pair *p = pair_of(q, e, i);
            bool is_active = place_of(q, e, i) > 0;
            outputs[e].queue += p->queue;
            outputs[e].growth += fafc_in_period(fafc_input(q, slot_of(i)), p->growth);
            outputs[e].off += p->off;
            inputs[i].queue += p->queue;
            inputs[i].in_rate += p->in_rate;
            n_active += is_active;
            assert_int_equal(fafc_inputs_of(q, slot_of(e))[0] >> i & 1, is_active);
            assert_int_equal(fafc_outputs_of(q, slot_of(i))[0] >> e & 1, is_active);
            assert_int_equal(p->in_slot, is_active ? slot_of(i) : 0);
            assert_int_equal(p->out_slot, is_active ? slot_of(e) : 0);
        }
        assert_int_equal(fafc_busy(q, COUNTED)[0] >> e & 1, fafc_inputs_of(q, slot_of(e))[0] > 0);
    }
    assert_int_equal(q->n_active, n_active);
    for (int i = 0; i < N_PORTS; i++) {
        assert_int_equal(fafc_output(q, slot_of(i))->queue, outputs[i].queue);
        assert_int_equal(fafc_output(q, slot_of(i))->growth, outputs[i].growth);
        assert_int_equal(fafc_output(q, slot_of(i))->off, outputs[i].off);
        assert_int_equal(fafc_input(q, slot_of(i))->queue, inputs[i].queue);
        assert_int_equal(fafc_input(q, slot_of(i))->in_rate, inputs[i].in_rate);
    }
}

/* A pair that the engine no longer keeps had only negligible values. */
static void
assert_forgotten(struct twin_pair *p)
{
    assert_true(!p->bytes && fabs(p->q) < 64.3 && fabs(p->r) < 64.3 && p->r_in < 64.3 &&
                p->r_out < 64.3);
    *p = (struct twin_pair){ 0 };
}

static void
assert_same_queues(struct site *s)
{
    for (int e = 0; e < N_PORTS; e++) {
        for (int i = 0; i < N_PORTS; i++) {
            const struct fafc_pair *p = pair_of(queues(s), e, i);
            struct twin_pair *of_twin = &s->twin.p[i][e];
            if (!place_of(queues(s), e, i)) {
                assert_forgotten(of_twin);
            }
            assert_near((double)p->bytes, of_twin->bytes, 0);
            assert_near(bytes_of(p->queue), of_twin->q, 0.25);
            assert_near(bytes_of(p->growth), of_twin->r, 0.25);
            assert_near(bytes_of(p->in_rate), of_twin->r_in, 0.25);
            assert_near(bytes_of(p->out_rate), of_twin->r_out, 0.25);
        }
    }
}

/* Compares the counters of slots, within 4 B and 0.2 % of what the input receives in a T. Then the
 * twin continues with the values of the engine. */
static void
assert_same_slots(struct site *s)
{
    struct twin *t = &s->twin;

    for (int i = 0; i < N_PORTS; i++) {
        const struct fafc_input *in = fafc_input(queues(s), slot_of(i));
        double most = t->is_edge ? INFINITY : 4 + 0.002 * twin_rate_of_input(t, i);
        assert_near(bytes_of(in->next), t->next[i], most);
        assert_near(bytes_of(in->old), t->old[i], most);
        assert_near(bytes_of(in->pending), t->pending[i], most);
        seen.n_pending += in->pending > 0;
        t->next[i] = bytes_of(in->next);
        t->old[i] = bytes_of(in->old);
        t->pending[i] = bytes_of(in->pending);
        t->slot_end[i] = in->slot_end_ps == WEIR_NEVER ? INFINITY : (double)in->slot_end_ps;
        t->until[i] = (double)in->until_ps;
        for (int e = 0; e < N_PORTS; e++) {
            const struct fafc_pair *p = pair_of(queues(s), e, i);
            assert_near(bytes_of(p->off), t->p[i][e].off, 2 * most);
            t->p[i][e].off = bytes_of(p->off);
        }
    }
    for (int e = 0; e < N_PORTS; e++) {
        double paused = (double)fafc_output(queues(s), slot_of(e))->paused_ps;
        assert_true(t->is_edge || paused == t->paused[e]);
        t->paused[e] = paused;
        t->longest[e] = (double)fafc_output(queues(s), slot_of(e))->longest_ps;
    }
}

/* Compares the pauses that the engine and the twin requested for 'n' outputs. */
static void
assert_same_pauses(struct site *s, const double asked[N_PORTS], int n)
{
    struct twin *t = &s->twin;

    seen.n_edges += t->is_edge;
    for (int i = 0; i < N_PORTS; i++) {
        seen.n_pauses += s->asked[i] > 0;
        seen.n_asked_twice += s->asked[i] > t->period[i];
        if (!t->is_edge) {
            assert_near(s->asked[i], asked[i], 0.001 * n * t->period[i]);
        }
        if (t->memory) {
            weir_ps until_ps = fafc_input(queues(s), slot_of(i))->until_ps;
            assert_true(until_ps - s->now <= 2 * (weir_ps)t->period[i] + 1000);
        }
    }
}

/* Events. Each one calls the engine as a host does, and the twin. */

static void
end_period_of(struct site *s)
{
    double asked[N_PORTS] = { 0 };
    int n = 0;

    s->twin.is_edge = false;
    weir_node_timer(&s->node, s->now, CLOCK);
    obey(s);
    twin_update(&s->twin, (double)s->now);
    assert_same_queues(s);
    for (int e = 0; e < N_PORTS && engine_of(s)->p.decide == FAFC_AT_PERIOD; e++) {
        bool is_due = s->twin.paused[e] + s->twin.longest[e] <= (double)s->now;
        n += is_due && twin_decide(&s->twin, e, (double)s->now, asked);
    }
    assert_same_pauses(s, asked, n);
    for (int i = 0; i < N_PORTS; i++) {
        assert_true(s->twin.is_edge || s->asked[i] <= 1.001 * n * s->twin.period[i]);
    }
    assert_same_slots(s);
}

static void
end_slot_of(struct site *s, int i)
{
    s->twin.is_edge = false;
    weir_node_timer(&s->node, s->now, slot_of(i));
    obey(s);
    twin_end_slot(&s->twin, i, (double)s->now);
    assert_same_slots(s);
}

static void
fire_timers(struct site *s, weir_ps until)
{
    for (;;) {
        int next = 0;
        for (int key = 0; key <= CLOCK; key++) {
            next = s->timers[key] < s->timers[next] ? key : next;
        }
        if (s->timers[next] > until) {
            s->now = until;
            return;
        }
        s->now = s->timers[next];
        s->timers[next] = WEIR_NEVER;
        if (next == CLOCK) {
            end_period_of(s);
        } else {
            end_slot_of(s, next / N_CLASSES);
        }
        assert_sums_hold(s);
    }
}

static bool
is_held(const struct site *s, uint16_t port)
{
    const struct weir_gate *g = &s->node.ctx.gates[slot_of(port)];
    return weir_gate_ready(g, s->now, 1500) > s->now;
}

static void
arrive(struct site *s, uint16_t hot)
{
    bool is_hot = duet_draw(&s->chance, 0, 9) < 7;
    struct weir_pkt pkt = { .bytes = (uint32_t)duet_draw(&s->chance, 64, 9000),
                            .in_port = (uint16_t)duet_draw(&s->chance, 0, N_PORTS - 1),
                            .out_port = (uint16_t)duet_draw(&s->chance, 0, N_PORTS - 1),
                            .cls = duet_draw(&s->chance, 0, 19) ? COUNTED : 0,
                            .ecn = duet_draw(&s->chance, 0, 3) ? WEIR_ECT : WEIR_NOT_ECT };

    pkt.out_port = is_hot ? hot : pkt.out_port;
    s->held[s->n_held++] = pkt;
    weir_node_arrived(&s->node, s->now, &pkt);
    obey(s);
    if (pkt.cls == COUNTED) {
        struct twin_pair *p = &s->twin.p[pkt.in_port][pkt.out_port];
        p->bytes += pkt.bytes;
        p->came += pkt.bytes;
        s->twin.ecn[pkt.out_port] += is_held(s, pkt.out_port) ? pkt.bytes : 0;
    }
}

static void
assert_same_mark(struct site *s, const struct weir_pkt *pkt, bool could_be)
{
    struct twin *t = &s->twin;
    double pred = twin_predicted(t, pkt->out_port), limit = t->th_e + t->ecn[pkt->out_port];

    if (pkt->cls != COUNTED || !could_be) {
        assert_true(pkt->ecn != WEIR_CE);
    } else if (fabs(pred - limit) > TWIN_NEAR) {
        assert_int_equal(pkt->ecn == WEIR_CE, pred > limit);
    }
    seen.n_marks += pkt->ecn == WEIR_CE;
    seen.n_offset += t->ecn[pkt->out_port] > 0 && pred > t->th_e && pred < limit;
}

static void
depart(struct site *s, uint32_t held)
{
    struct twin *t = &s->twin;
    struct weir_pkt pkt = s->held[held];
    double asked[N_PORTS] = { 0 };
    bool could_be = pkt.ecn == WEIR_ECT;
    int n = 0;

    t->is_edge = false;
    s->held[held] = s->held[--s->n_held];
    weir_node_departed(&s->node, s->now, &pkt);
    obey(s);
    assert_same_mark(s, &pkt, could_be);
    if (pkt.cls != COUNTED) {
        return;
    }
    t->p[pkt.in_port][pkt.out_port].bytes -= pkt.bytes;
    t->p[pkt.in_port][pkt.out_port].left += pkt.bytes;
    if (engine_of(s)->p.decide == FAFC_AT_DEQUEUE) {
        n = twin_decide(t, pkt.out_port, (double)s->now, asked);
    }
    assert_same_pauses(s, asked, n);
    assert_same_slots(s);
    t->ecn[pkt.out_port] =
        fmax(0, fmin(t->ecn[pkt.out_port], floor(twin_output(t, pkt.out_port).q)));
    assert_near((double)fafc_output(queues(s), slot_of(pkt.out_port))->ecn_bytes,
                t->ecn[pkt.out_port], 2);
    t->ecn[pkt.out_port] = (double)fafc_output(queues(s), slot_of(pkt.out_port))->ecn_bytes;
}

/* The peer of an output requests a pause. */
static void
hear(struct site *s)
{
    struct weir_fafc_pause pause = { .opcode = WEIR_OPCODE_FAFC, .enable = 1 << COUNTED };
    struct weir_frame f;

    pause.pause_ns[COUNTED] = (uint32_t)duet_draw(&s->chance, 0, 3000);
    weir_fafc_pause_encode(&pause, &f);
    weir_node_frame(&s->node, s->now, (uint16_t)duet_draw(&s->chance, 0, N_PORTS - 1), &f);
    obey(s);
}

static void
step(struct site *s, uint64_t filling_percent, uint16_t hot)
{
    uint64_t draw = duet_draw(&s->chance, 0, 99);

    fire_timers(s, s->now + (weir_ps)duet_draw(&s->chance, 0, (uint64_t)s->twin.clock / 16));
    if (duet_draw(&s->chance, 0, 199) == 0) {
        hear(s);
    } else if (draw < filling_percent && s->n_held < MAX_HELD) {
        arrive(s, hot);
    } else if (s->n_held) {
        uint32_t held = (uint32_t)duet_draw(&s->chance, 0, s->n_held - 1);
        if (s->held[held].cls != COUNTED || !is_held(s, s->held[held].out_port)) {
            depart(s, held);
        }
    }
    assert_sums_hold(s);
}

/* No more packets arrive: all packets leave, and no timer remains. */
static void
run_out(struct site *s)
{
    while (s->n_held) {
        depart(s, s->n_held - 1);
    }
    fire_timers(s, s->now + 2000 * (weir_ps)s->twin.clock);
    assert_int_equal(queues(s)->n_active, 0);
    for (int key = 0; key <= CLOCK; key++) {
        assert_true(s->timers[key] == WEIR_NEVER);
    }
}

static void
the_twin_decides_the_same(void **state)
{
    static struct site s;

    (void)state;
    for (uint64_t seed = 1; seed <= N_TRIALS; seed++) {
        start(&s, seed);
        for (int phase = 0; phase < 6; phase++) {
            uint64_t filling = duet_draw(&s.chance, 20, 90);
            uint16_t hot = (uint16_t)duet_draw(&s.chance, 0, N_PORTS - 1);
            for (int i = 0; i < N_STEPS / 6; i++) {
                step(&s, filling, hot);
            }
        }
        run_out(&s);
        free(s.memory);
    }
    print_message("%llu marks, %llu pauses, %llu calls at an edge\n",
                  (unsigned long long)seen.n_marks, (unsigned long long)seen.n_pauses,
                  (unsigned long long)seen.n_edges);
    assert_true(seen.n_marks && seen.n_pauses && seen.n_asked_twice && seen.n_pending &&
                seen.n_offset);
    assert_true(seen.n_edges < seen.n_pauses / 10);
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_twin_decides_the_same) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
