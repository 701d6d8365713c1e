/* QCN's congestion point: which flows it sends messages to, how often, and with what feedback. The
 * probabilities are those of Eq. 2 to 5 of QCN-OS: a flow's share of arrivals or of queued bytes.
 * If two flows are sampled, the less congested one is blamed with the square of its share. */

#include <stdlib.h>
#include <string.h>

#include "../chance.h"
#include "chi.h"
#include "law.h"

enum { N_FLOWS = 5, N_OUTPUTS = 3, MAX_HELD = 600, WARM_UP = 500, N_SAMPLES = 2000 };
enum { QEQ = 1000, BUFFER = 10000000 };

/* A switch with one input, several outputs, and copies: a packet may stay counted at its input long
 * after later packets have left. */

struct site {
    struct weir_port ports[N_OUTPUTS];
    struct weir_shape shape;
    struct weir_stack stack;
    struct weir_needs needs;
    struct weir_buffer buffer;
    struct weir_buffer_slot slots[N_OUTPUTS];
    struct weir_index index;
    struct weir_index_slot index_slots[N_OUTPUTS];
    struct weir_index_unit units[MAX_HELD];
    uint32_t order[MAX_HELD];
    struct weir_outbox out;
    struct weir_emit emits[4];
    struct weir_node node;
    void *memory;
    struct weir_pkt held[MAX_HELD]; /* The oldest packet first. */
    uint32_t n_held;
    uint64_t chance;
};

static const uint32_t services = WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES | WEIR_SERVICE_UNITS |
                                 WEIR_SERVICE_OUTPUT_UNITS | WEIR_SERVICE_STAGES;

static struct weir_shape
shape_for(struct site *s, uint64_t buffer_bytes, uint32_t node_id)
{
    for (int i = 0; i < N_OUTPUTS; i++) {
        s->ports[i] = (struct weir_port){ .rate_bps = 10000000000, .cable_ps = 1000000 };
    }
    return (struct weir_shape){
        .ports = s->ports,
        .n_ports = N_OUTPUTS,
        .n_classes = 1,
        .lossless = 1,
        .mtu_bytes = 1522,
        .node_id = node_id,
        .tier = 1,
        .services = services,
        .buffer = { .size_bytes = N_OUTPUTS * buffer_bytes,
                    .classes = { { .reserve_bytes = buffer_bytes } } },
    };
}

static void
resolve(struct site *s, const char *const (*settings)[2])
{
    struct weir_text text = { 0 };

    weir_stack_add(&s->stack, weir_engine_find("qcn"));
    for (; (*settings)[0]; settings++) {
        if (!weir_stack_set(&s->stack, 0, (*settings)[0], (*settings)[1], &text)) {
            fail_msg("%s", text.s);
        }
    }
    if (!weir_stack_resolve(&s->stack, &s->shape, &s->needs, &text)) {
        fail_msg("%s", text.s);
    }
}

static void
start(struct site *s, const char *const (*settings)[2], uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->chance = seed;
    s->shape = shape_for(s, BUFFER, (uint32_t)seed);
    resolve(s, settings);
    s->out = (struct weir_outbox){ .emits = s->emits, .max = 4 };
    s->memory = aligned_alloc(WEIR_MEMORY_ALIGN, s->needs.state_bytes);
    weir_buffer_init(&s->buffer, &s->shape.buffer, N_OUTPUTS, 1, s->slots);
    weir_index_init(&s->index, N_OUTPUTS, s->index_slots);
    weir_index_lend_units(&s->index, s->units, MAX_HELD);
    weir_index_lend_order(&s->index, 0, s->order, MAX_HELD);
    s->buffer.index = s->buffer.output_index = &s->index;
    weir_node_init(&s->node, &s->stack, &s->shape, &s->buffer, &s->out, s->memory, 0);
}

static void
stop(struct site *s)
{
    free(s->memory);
}

/* Each flow has its own packet size, from the smallest to the largest of Ethernet, and goes to one
 * of three outputs. */
static const uint32_t sizes[N_FLOWS] = { 64, 256, 594, 1000, 1522 };

static void
arrive(struct site *s, uint32_t flow, weir_ps now)
{
    struct weir_pkt pkt = { .flow = flow,
                            .bytes = sizes[flow],
                            .out_port = (uint16_t)(flow % N_OUTPUTS) };

    assert_int_equal(weir_buffer_admit_input(&s->buffer, 0, pkt.bytes), WEIR_ADMITTED);
    pkt.unit = weir_index_add(&s->index, 0, pkt.out_port, pkt.bytes, pkt.flow);
    s->held[s->n_held++] = pkt;
    weir_node_arrived(&s->node, now, &pkt);
}

static void
take(struct site *s, uint32_t i)
{
    struct weir_pkt pkt = s->held[i];

    s->n_held--;
    memmove(&s->held[i], &s->held[i + 1], (s->n_held - i) * sizeof *s->held);
    weir_index_remove(&s->index, pkt.unit);
    weir_buffer_forward(&s->buffer, 0, pkt.bytes);
    weir_buffer_discard(&s->buffer, pkt.bytes);
    weir_node_forwarded(&s->node, 0, &pkt);
}

/* Packets of a flow with a higher number stay longer, so shares of arrivals, of packets and of
 * bytes all differ. */
static void
leave(struct site *s)
{
    uint32_t i = (uint32_t)duet_draw(&s->chance, 0, s->n_held - 1);

    if (duet_draw(&s->chance, 0, s->held[i].flow + 1) == 0) {
        take(s, i);
    }
}

/* The flow to which the engine sent a message; N_FLOWS if it sent none. */
static uint32_t
blamed(struct site *s)
{
    uint32_t flow = N_FLOWS;

    for (uint32_t i = 0; i < s->out.n; i++) {
        flow = s->emits[i].kind == WEIR_MESSAGE ? s->emits[i].key : flow;
    }
    s->out.n = 0;
    return flow;
}

/* The share of each flow in the bytes that are queued at the input. */
static void
shares_of_bytes(const struct site *s, double *share)
{
    memset(share, 0, N_FLOWS * sizeof *share);
    for (uint32_t i = 0; i < s->n_held; i++) {
        share[s->held[i].flow] += s->held[i].bytes / (double)s->slots[0].in_bytes;
    }
}

enum blame { ARRIVAL, OCCUPANCY, TWO, OLDEST };
static const char *const blame_names[] = { "arrival", "occupancy", "two", "oldest" };

/* With blame: two, flows of output 2 are the most congested, then flows of output 0, then flows of
 * output 1.  A flow is blamed in two cases: it is sampled first, and the second is not more
 * congested; or it is sampled second, and the first is less congested. */
static void
expect_two(const double *share, double *expected)
{
    static const int rank[N_OUTPUTS] = { 1, 0, 2 };

    for (uint32_t f = 0; f < N_FLOWS; f++) {
        double less = 0, alike = 0;
        for (uint32_t g = 0; g < N_FLOWS; g++) {
            int by = rank[f % N_OUTPUTS] - rank[g % N_OUTPUTS];
            less += by > 0 ? share[g] : 0;
            alike += by == 0 ? share[g] : 0;
        }
        expected[f] += share[f] * (2 * less + alike);
    }
}

static void
expect(const struct site *s, enum blame blame, double *expected)
{
    double share[N_FLOWS];

    shares_of_bytes(s, share);
    if (blame == TWO) {
        expect_two(share, expected);
        return;
    }
    for (uint32_t f = 0; f < N_FLOWS; f++) {
        expected[f] += blame == ARRIVAL ? 1.0 / N_FLOWS : share[f];
    }
}

/* The engine samples every arrival, and sends a message for every sample with more than 1 KB. */
static void
start_talkative(struct site *s, enum blame blame, uint64_t seed)
{
    const char *const settings[][2] = { { "blame", blame_names[blame] },
                                        { "qeq", "1KB" },
                                        { "weight", "0" },
                                        { "interval", "64B" },
                                        { "jitter", "0" },
                                        { "keep_alive", "0" },
                                        { 0 } };
    start(s, settings, seed);
}

static void
count_blamed(struct chi *chi, enum blame blame, uint64_t seed)
{
    static struct site s;
    double expected[N_FLOWS] = { 0 };
    uint32_t counted[N_FLOWS] = { 0 };

    start_talkative(&s, blame, seed);
    s.slots[0].out_bytes = 2000;
    s.slots[1].out_bytes = 1000;
    s.slots[2].out_bytes = 3000;
    for (int i = 0; i < WARM_UP + N_SAMPLES; i++) {
        arrive(&s, (uint32_t)duet_draw(&s.chance, 0, N_FLOWS - 1), 0);
        uint32_t flow = blamed(&s);
        if (i >= WARM_UP) {
            assert_true(flow < N_FLOWS);
            counted[flow]++;
            expect(&s, blame, expected);
        }
        while (s.n_held > 60) {
            leave(&s);
        }
    }
    chi_add(chi, expected, counted, N_FLOWS);
    stop(&s);
}

static void
blame_is_shared_as_it_should_be(void **state)
{
    (void)state;
    for (int blame = ARRIVAL; blame <= TWO; blame++) {
        struct chi chi = { 0 };
        for (uint64_t seed = 0; seed < CHI_SEEDS; seed++) {
            count_blamed(&chi, (enum blame)blame, seed);
        }
        printf("  blame by %s: %u of %u seeds past the 95 %% quantile\n", blame_names[blame],
               chi.n_far, chi.n_runs);
        assert_true(chi_is_good(&chi));
    }
}

/* Bytes in the outputs of TO_EMPTY and TO_FULL, and the limits of outputs; 0 if there are no
 * limits. */
struct fill {
    uint64_t bytes[2], limits[N_OUTPUTS];
};

/* Two flows, one of them to a fuller output: the other flow is blamed with the square of its share.
 */
enum { TO_EMPTY = 3, TO_FULL = 4 };

static void
count_spared(struct chi *chi, const struct fill *fill, uint64_t seed)
{
    enum { N_DRAWS = 500 };
    static struct site s;
    double share[N_FLOWS];
    uint32_t counted[2] = { 0 };

    start_talkative(&s, TWO, seed);
    s.shape.buffer.outputs = fill->limits[0] ? fill->limits : NULL;
    s.slots[TO_EMPTY % N_OUTPUTS].out_bytes = fill->bytes[0];
    s.slots[TO_FULL % N_OUTPUTS].out_bytes = fill->bytes[1];
    for (uint32_t i = 0; i < 100; i++) {
        arrive(&s, i % 4 ? TO_FULL : TO_EMPTY, 0);
        blamed(&s);
    }
    for (int i = 0; i < N_DRAWS; i++) {
        arrive(&s, TO_EMPTY, 0);
        counted[blamed(&s) == TO_FULL]++;
        shares_of_bytes(&s, share);
        take(&s, s.n_held - 1);
    }
    double spared = N_DRAWS * share[TO_EMPTY] * share[TO_EMPTY];
    chi_add(chi, (double[]){ spared, N_DRAWS - spared }, counted, 2);
    stop(&s);
}

/* Outputs are compared by bytes if all have the same limit. Otherwise they are compared by the
 * share of their limit that they hold, even if the fuller output has fewer bytes. */
static void
of_two_draws_the_worse_is_blamed(void **state)
{
    static const struct fill fills[] = {
        { .bytes = { 0, 1000 } },
        { .bytes = { 5000, 1000 }, .limits = { 100000, 1000, 1000 } },
        { .bytes = { 3999999998, 3999999999 }, .limits = { 4000000000, 4000000000, 1 } },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(fills); i++) {
        struct chi chi = { 0 };
        for (uint64_t seed = 0; seed < CHI_SEEDS; seed++) {
            count_spared(&chi, &fills[i], seed);
        }
        printf("  the worse of two: %u of %u seeds past the 95 %% quantile\n", chi.n_far,
               chi.n_runs);
        assert_true(chi_is_good(&chi));
    }
}

static void
the_oldest_is_blamed(void **state)
{
    static struct site s;

    (void)state;
    start_talkative(&s, OLDEST, 7);
    for (int i = 0; i < 20 * N_SAMPLES; i++) {
        arrive(&s, (uint32_t)duet_draw(&s.chance, 0, N_FLOWS - 1), 0);
        uint32_t flow = blamed(&s);
        assert_true(flow == N_FLOWS ? s.slots[0].in_bytes <= QEQ + QEQ / 63 + 1
                                    : flow == s.held[0].flow);
        while (s.n_held > 60) {
            leave(&s);
        }
    }
    stop(&s);
}

/* Samples. */

static uint64_t
counter(const struct site *s, const char *name)
{
    return weir_field_get(weir_field_find(weir_engine_find("qcn")->counters, name),
                          s->node.layers[0].state);
}

/* The sample of 802.1Qau; Fb has the sign of congestion. */
static uint64_t
quantised(uint64_t queue, uint64_t old, uint64_t qeq, uint64_t weight)
{
    double fb = (double)queue - (double)qeq + (double)weight * ((double)queue - (double)old);
    double q = fb * 63 / ((double)qeq * (double)(2 * weight + 1));
    return q < 0 ? 0 : q > 63 ? 63 : (uint64_t)q;
}

static const double kb_of[] = { 150, 75, 50, 37.5, 30, 25, 21.5, 18.5 };

/* The queue grows and shrinks at random. Each sample is reported as in the standard, and none with
 * an Fb of 0 or below. The next sample is taken on time, within the jitter. */
static void
samples_are_as_in_the_standard(void **state)
{
    const char *const settings[][2] = {
        { "blame", "arrival" }, { "qeq", "30KB" }, { "keep_alive", "0" }, { 0 }
    };
    static struct site s;
    uint64_t old = 0, since = 0, n_samples = 0, seen[8] = { 0 };
    double due = 150000, least = 1, most = 1;

    (void)state;
    start(&s, settings, 3);
    for (uint32_t i = 0; i < 2000000; i++) {
        static const uint32_t levels[] = { 550, 60, 550,
                                           20 }; /* The second sample is above Qeq, too. */
        arrive(&s, (uint32_t)duet_draw(&s.chance, 0, N_FLOWS - 1), 0);
        since += s.held[s.n_held - 1].bytes;
        uint32_t flow = blamed(&s);
        if (counter(&s, "samples") == n_samples) {
            assert_int_equal(flow, N_FLOWS);
            assert_true((double)since <= due * 1.1501);
        } else {
            uint64_t fb = quantised(s.slots[0].in_bytes, old, 30000, 2);
            assert_int_equal(fb > 0, flow < N_FLOWS);
            assert_true(!fb || (s.emits[0].frame.bytes[3] & 63) == fb);
            assert_true((double)since >= due * 0.8499 && (double)since < due * 1.1501 + 1522);
            least = fmin(least, (double)since / due);
            most = fmax(most, ((double)since - 1522) / due);
            old = s.slots[0].in_bytes;
            since = 0;
            due = 1000 * kb_of[fb / 8];
            seen[fb / 8]++;
            n_samples++;
        }
        while (s.n_held > levels[i / 3000 % 4]) {
            take(&s, (uint32_t)duet_draw(&s.chance, 0, s.n_held - 1));
        }
    }
    assert_true(least < 0.86 && most > 1.12); /* The whole range of the jitter occurs. */
    for (int i = 0; i < 8; i++) {
        assert_true(seen[i] > 0); /* All entries of the table occur, too. */
    }
    stop(&s);
}

/* The engine stores nothing per flow: its state has the same size for any buffer and any setting of
 * 'blame'. */
static void
state_does_not_grow_with_flows(void **state)
{
    size_t first = 0;

    (void)state;
    for (int blame = ARRIVAL; blame <= OLDEST; blame++) {
        for (uint64_t buffer = 100000; buffer <= 100000000; buffer *= 10) {
            const char *const settings[][2] = { { "blame", blame_names[blame] }, { 0 } };
            struct site s = { 0 };
            s.shape = shape_for(&s, buffer, 1);
            resolve(&s, settings);
            first = first ? first : s.needs.state_bytes;
            assert_int_equal(s.needs.state_bytes, first);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blame_is_shared_as_it_should_be),
        cmocka_unit_test(of_two_draws_the_worse_is_blamed),
        cmocka_unit_test(the_oldest_is_blamed),
        cmocka_unit_test(samples_are_as_in_the_standard),
        cmocka_unit_test(state_does_not_grow_with_flows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
