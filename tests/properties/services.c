/* Services of a host, tested with the probe of tests/engines: which flow a switch blames, and how a
 * NIC obeys the engine. */

#include <stdlib.h>
#include <string.h>

#include "chi.h"
#include "engines.h"
#include "law.h"

enum { N_FLOWS = 5, MTU = 1500, PER_SLOT = 400 };
enum { WARM_UP = 300, N_SAMPLES = 3000 };

/* A switch with one busy input. */

struct site {
    struct weir_port port;
    struct weir_shape shape;
    struct weir_stack stack;
    struct weir_buffer buffer;
    struct weir_buffer_slot slot;
    struct weir_index index;
    struct weir_outbox out;
    struct weir_emit emits[4];
    struct weir_node node;
    struct weir_index_slot index_slot;
    struct weir_index_unit units[PER_SLOT];
    uint32_t order[PER_SLOT];
    void *memory;
    struct weir_pkt held[PER_SLOT];
    uint32_t n_held;
    uint64_t chance;
};

static void
start(struct site *s, uint32_t services, uint32_t n_flows, const char *blame, uint64_t seed)
{
    struct weir_needs needs;
    struct weir_text text = { 0 };

    *s = (struct site){ .chance = seed };
    s->port = (struct weir_port){ .rate_bps = 10000000000, .cable_ps = 1000000 };
    s->shape = (struct weir_shape){ .ports = &s->port,
                                    .n_ports = 1,
                                    .n_classes = 1,
                                    .lossless = 1,
                                    .mtu_bytes = MTU,
                                    .node_id = (uint32_t)seed,
                                    .services = services,
                                    .n_flows = n_flows,
                                    .buffer = { .size_bytes = 1000000,
                                                .classes = { { .reserve_bytes = 1000000 } } } };
    weir_stack_add(&s->stack, &probe);
    assert_true(weir_stack_set(&s->stack, 0, "above", "1B", &text));
    assert_true(weir_stack_set(&s->stack, 0, "blame", blame, &text));
    assert_true(weir_stack_resolve(&s->stack, &s->shape, &needs, &text));
    s->out = (struct weir_outbox){ .emits = s->emits, .max = 4 };
    s->memory = aligned_alloc(WEIR_MEMORY_ALIGN, needs.state_bytes);
    weir_buffer_init(&s->buffer, &s->shape.buffer, 1, 1, &s->slot);
    weir_index_init(&s->index, 1, &s->index_slot);
    weir_index_lend_units(&s->index, s->units, PER_SLOT);
    weir_index_lend_order(&s->index, 0, s->order, PER_SLOT);
    s->buffer.index = &s->index;
    weir_node_init(&s->node, &s->stack, &s->shape, &s->buffer, &s->out, s->memory, 0);
}

static void
stop(struct site *s)
{
    free(s->memory);
}

/* All flows send equally often. Packets of a flow with a higher number are larger and stay longer,
 * so shares of arrivals, of packets and of bytes all differ. */
static uint32_t
bytes_of(uint32_t flow)
{
    return 300 * (flow + 1);
}

static void
arrive(struct site *s)
{
    struct weir_pkt pkt = { .flow = (uint32_t)duet_draw(&s->chance, 0, N_FLOWS - 1) };

    pkt.bytes = bytes_of(pkt.flow);
    assert_int_equal(weir_buffer_admit(&s->buffer, 0, 0, pkt.bytes), WEIR_ADMITTED);
    pkt.unit = weir_index_add(&s->index, 0, 0, pkt.bytes, pkt.flow);
    s->held[s->n_held++] = pkt;
    weir_node_arrived(&s->node, 0, &pkt);
}

static void
depart(struct site *s)
{
    uint32_t i = (uint32_t)duet_draw(&s->chance, 0, s->n_held - 1);
    struct weir_pkt pkt = s->held[i];

    if (duet_draw(&s->chance, 0, pkt.flow + 1)) {
        return; /* The packet stays for now. */
    }
    s->held[i] = s->held[--s->n_held];
    weir_index_remove(&s->index, pkt.unit);
    weir_buffer_release(&s->buffer, 0, 0, pkt.bytes);
    weir_node_departed(&s->node, 0, &pkt);
}

enum blame { BY_ARRIVAL, BY_PACKET, BY_BYTE };
static const char *const blame_names[] = { "arrival", "packet", "byte" };

/* Adds the probability that each flow is blamed for the last arrival. */
static void
expect(const struct site *s, enum blame blame, double *expected)
{
    const double all[] = { N_FLOWS, s->n_held, (double)s->slot.in_bytes };

    for (uint32_t f = 0; blame == BY_ARRIVAL && f < N_FLOWS; f++) {
        expected[f] += 1 / all[blame];
    }
    for (uint32_t i = 0; blame != BY_ARRIVAL && i < s->n_held; i++) {
        expected[s->held[i].flow] += (blame == BY_PACKET ? 1 : s->held[i].bytes) / all[blame];
    }
}

static void
count_blamed(struct chi *chi, enum blame blame, uint64_t seed)
{
    static struct site s;
    double expected[N_FLOWS] = { 0 };
    uint32_t blamed[N_FLOWS] = { 0 };

    start(&s, WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES | WEIR_SERVICE_UNITS, 0,
          blame_names[blame], seed);
    for (int i = 0; i < WARM_UP + N_SAMPLES; i++) {
        arrive(&s);
        assert_int_equal(s.out.n, 1);
        assert_int_equal(s.out.emits[0].kind, WEIR_MESSAGE);
        if (i >= WARM_UP) {
            blamed[s.out.emits[0].key]++;
            expect(&s, blame, expected);
        }
        s.out.n = 0;
        while (s.n_held > PER_SLOT / 10) {
            depart(&s);
        }
    }
    chi_add(chi, expected, blamed, N_FLOWS);
    stop(&s);
}

/* By Eq. 2 to 5 of QCN-OS, a flow is blamed with its share of arrivals, of queued packets or of
 * queued bytes. */
static void
blame_is_shared_as_it_should_be(void **state)
{
    (void)state;
    for (int blame = BY_ARRIVAL; blame <= BY_BYTE; blame++) {
        struct chi chi = { 0 };
        for (uint64_t seed = 0; seed < CHI_SEEDS; seed++) {
            count_blamed(&chi, (enum blame)blame, seed);
        }
        printf("  blame by %s: %u of %u seeds past the 95 %% quantile\n", blame_names[blame],
               chi.n_far, chi.n_runs);
        assert_true(chi_is_good(&chi));
    }
}

/* A switch with a pipeline blames the flow of each packet for which the output has no room. */
static void
what_has_no_room_is_blamed(void **state)
{
    const uint32_t services =
        WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES | WEIR_SERVICE_UNITS | WEIR_SERVICE_STAGES;
    static struct site s;
    uint64_t n_refused = 0;

    (void)state;
    start(&s, services, 0, "arrival", 1);
    for (uint32_t i = 0; i < N_SAMPLES; i++) {
        struct weir_pkt pkt = { .flow = (uint32_t)duet_draw(&s.chance, 0, N_FLOWS - 1) };
        bool fits = duet_draw(&s.chance, 0, 1);
        pkt.bytes = bytes_of(pkt.flow);
        assert_int_equal(weir_buffer_admit_input(&s.buffer, 0, pkt.bytes), WEIR_ADMITTED);
        weir_buffer_forward(&s.buffer, 0, pkt.bytes);
        weir_node_forwarded(&s.node, 0, &pkt);
        s.out.n = 0;
        weir_buffer_discard(&s.buffer, pkt.bytes);
        if (!fits) {
            weir_node_refused(&s.node, 0, &pkt);
            assert_int_equal(s.out.emits[0].kind, WEIR_MESSAGE);
            assert_int_equal(s.out.emits[0].key, pkt.flow);
            n_refused++;
        }
        assert_int_equal(s.out.n, !fits);
        s.out.n = 0;
    }
    assert_in_range(n_refused, N_SAMPLES / 3, 2 * N_SAMPLES / 3);
    stop(&s);
}

/* A NIC. The host of the engine gives each flow a gate, at the lower of two rates. */

struct flow {
    struct weir_gate gate;
    uint64_t engine_bps, control_bps;
    /* Since the start: bytes that the lower rate allowed, and bytes that were sent. */
    uint64_t allowed_bytes, sent_bytes;
};

static uint64_t
lower(const struct flow *f)
{
    return f->engine_bps < f->control_bps ? f->engine_bps : f->control_bps;
}

static void
obey(struct site *s, struct flow *flows, weir_ps *timers)
{
    for (uint32_t i = 0; i < s->out.n; i++) {
        const struct weir_emit *e = &s->out.emits[i];
        if (e->kind == WEIR_TIMER) {
            timers[e->key] = e->at;
        } else {
            assert_int_equal(e->kind, WEIR_FLOW_RATE);
            flows[e->key].engine_bps = e->rate_bps;
            weir_gate_set_rate(&flows[e->key].gate, lower(&flows[e->key]));
        }
    }
    s->out.n = 0;
}

static void
send_what_may_go(struct site *s, struct flow *flows, weir_ps *timers, weir_ps now)
{
    for (uint32_t f = 0; f < N_FLOWS; f++) {
        if (weir_gate_ready(&flows[f].gate, now, MTU) <= now) {
            weir_gate_sent(&flows[f].gate, now, MTU);
            flows[f].sent_bytes += MTU;
            weir_node_sent(&s->node, now, &(struct weir_pkt){ .bytes = MTU, .flow = f });
            obey(s, flows, timers);
        }
    }
}

static void
notify_engines(struct site *s, struct flow *flows, weir_ps *timers, weir_ps now)
{
    const struct weir_frame message = { .len = 3, .bytes = { 0x88, 0xb6, 0 } };
    uint32_t f = (uint32_t)duet_draw(&s->chance, 0, N_FLOWS - 1);

    for (uint32_t key = 0; key < N_FLOWS; key++) {
        if (timers[key] <= now) {
            timers[key] = WEIR_NEVER;
            weir_node_timer(&s->node, now, key);
            obey(s, flows, timers);
        }
    }
    if (duet_draw(&s->chance, 0, 499) == 0) {
        weir_node_heard(&s->node, now, f, &message);
        obey(s, flows, timers);
    }
    if (duet_draw(&s->chance, 0, 499) == 0) {
        flows[f].control_bps = duet_draw(&s->chance, 1, 10) * 1000000000;
        weir_gate_set_rate(&flows[f].gate, lower(&flows[f]));
    }
}

/* Each flow sends exactly what the lower of the two rates allows, and at most one packet more after
 * a change of rate. */
static void
the_lower_of_two_rates_holds(void **state)
{
    const uint32_t services = WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES |
                              WEIR_SERVICE_FLOW_RATES | WEIR_SERVICE_SLOWING;
    const weir_ps step = 50000; /* 62.5 B at 10 Gb/s. */

    (void)state;
    for (unsigned seed = 0; seed < 20; seed++) {
        static struct site s;
        struct flow flows[N_FLOWS];
        weir_ps timers[N_FLOWS];
        start(&s, services, N_FLOWS, "arrival", seed);
        for (uint32_t f = 0; f < N_FLOWS; f++) {
            timers[f] = WEIR_NEVER;
            flows[f] = (struct flow){ .engine_bps = WEIR_UNLIMITED, .control_bps = 10000000000 };
            weir_gate_init(&flows[f].gate, 0);
            weir_gate_set_rate(&flows[f].gate, lower(&flows[f]));
        }
        for (weir_ps now = 0; now < 10000 * step; now += step) {
            notify_engines(&s, flows, timers, now);
            send_what_may_go(&s, flows, timers, now);
            for (uint32_t f = 0; f < N_FLOWS; f++) {
                flows[f].allowed_bytes += weir_wire_bytes(step, lower(&flows[f]));
                assert_true(flows[f].sent_bytes <= flows[f].allowed_bytes + 2 * MTU);
            }
        }
        for (uint32_t f = 0; f < N_FLOWS; f++) {
            assert_true(flows[f].sent_bytes * 10 >= flows[f].allowed_bytes * 9);
        }
        stop(&s);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blame_is_shared_as_it_should_be),
        cmocka_unit_test(what_has_no_room_is_blamed),
        cmocka_unit_test(the_lower_of_two_rates_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
