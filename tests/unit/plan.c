/* Plans: the numbers in the papers, SONiC's formula, and properties of any switch. */

#include <math.h>
#include <stdlib.h>

#include "output/value.h"
#include "plan/plan.h"
#include "unit.h"

static struct plan_input
defaults(void)
{
    struct plan_input in;
    weir_fields_default(plan_fields, &in);
    return in;
}

static struct plan
plan_of(const struct plan_input *in)
{
    struct plan p;
    struct err err;
    assert_true(plan_at_rate(&p, in, in->rate_bps, &err));
    return p;
}

static const struct plan_scheme *
scheme(const char *key)
{
    const struct plan_scheme *s = plan_scheme_find(key);
    assert_non_null(s);
    return s;
}

static uint64_t
bound(const struct plan *p, const char *key)
{
    return plan_slot_need(p, scheme(key), &p->kinds[0]).bound_bytes;
}

/* The example of TTL 2.1 and 2.2: Arista's 7050QX32, and a response of 60 quanta. */
static struct plan
ttl_plan(void)
{
    struct plan_input in = defaults();
    in.rate_bps = 40 * GBPS;
    in.cable_mm = 300000;
    in.response_ps = 768000;
    in.ports = 32;
    in.classes = 8;
    return plan_of(&in);
}

static void
headroom_of_ttl(void **state)
{
    struct plan p = ttl_plan();

    (void)state;
    assert_int_equal(bound(&p, "pfc"), 21968);
    assert_int_equal(bound(&p, "ttl"), 21968);
    assert_int_equal(plan_need(&p, scheme("pfc")).bound_bytes, 32 * 8 * 21968);
    /* The paper rounds to 22 KB first, and prints 5632 KB. */
    assert_int_equal(32 * 8 * ((bound(&p, "ttl") + 500) / 1000), 5632);
    plan_free(&p);
}

static void
work_conservation_of_ttl(void **state)
{
    struct plan p = ttl_plan();

    (void)state;
    assert_int_equal(plan_need(&p, scheme("ttl")).busy_bytes, 64000 * KB);
    assert_int_equal(plan_need(&p, scheme("ttl-shared")).busy_bytes, 64000 * KB / 8);
    plan_free(&p);
}

static void
classes_of_ttl(void **state)
{
    static const struct {
        const char *key;
        uint64_t of_8, of_hops;
    } cases[] = { { "pfc", 8, 2 },
                  { "ttl", 8, 10 },
                  { "ttl-shared", 8, 10 },
                  { "ttl-halved", 4, 5 },
                  { "ttl-quartered", 2, 3 } };
    struct plan p = ttl_plan();
    struct plan_input in = defaults();

    (void)state;
    in.classes = 2;
    in.hops = 5;
    struct plan hops = plan_of(&in);
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct plan_scheme *s = scheme(cases[i].key);
        assert_int_equal(plan_scheme_classes(&p, s, &p.kinds[0]), cases[i].of_8);
        assert_int_equal(plan_scheme_classes(&hops, s, &hops.kinds[0]), cases[i].of_hops);
        assert_int_equal(plan_need(&p, s).bound_bytes, 32 * cases[i].of_8 * 21968);
    }
    plan_free(&p);
    plan_free(&hops);
}

/* The example of GFC 5.4: cables of 1 us, a response of 3 us. */
static struct plan
gfc_plan(uint64_t rate_gbps, uint64_t mtu_bytes, uint64_t period_ps)
{
    struct plan_input in = defaults();
    in.rate_bps = rate_gbps * GBPS;
    in.delay_ps = US;
    in.response_ps = 3 * US;
    in.mtu_bytes = mtu_bytes;
    in.period_ps = period_ps;
    in.ports = 1;
    in.buffer_bytes = 300 * KB + 2 * mtu_bytes;
    return plan_of(&in);
}

static void
numbers_of_gfc(void **state)
{
    static const struct {
        uint64_t gbps, tau_ns, tau_4k_ns, buffer_bytes, stages;
        /* Time-based, for packets of "4KB": the paper prints 140.8 and 191.4 KB. */
        uint64_t period_ps, least, most;
    } cases[] = {
        { 10, 7400, 11400, 18500, 16, 52400000, 140800, 140899 },
        { 40, 5600, 6600, 56000, 17, 13100000, 191400, 191499 },
        /* Here T < tau, so the room is 4 C tau, and not 271 KB. */
        { 100, 5240, 5640, 131000, 18, 5240000, 281999, 282001 },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct plan p = gfc_plan(cases[i].gbps, 1500, WEIR_AUTO);
        struct plan large = gfc_plan(cases[i].gbps, 4000, cases[i].period_ps);
        struct weir_stack stack;
        struct weir_text why = { 0 };
        assert_int_equal(weir_tau_ps(&p.kinds[0].link) / 1000, cases[i].tau_ns);
        assert_int_equal(weir_tau_ps(&large.kinds[0].link) / 1000, cases[i].tau_4k_ns);
        assert_int_equal(bound(&p, "gfc-buffer"), cases[i].buffer_bytes);
        assert_in_range(bound(&large, "gfc-time"), cases[i].least, cases[i].most);
        assert_int_equal(bound(&p, "gfc-conceptual"), 2 * cases[i].buffer_bytes);
        assert_true(plan_resolve(&p, scheme("gfc-buffer"), p.kinds, 1, &stack, &why));
        const struct weir_field *params = stack.layers[0].engine->about.params;
        const void *values = stack.layers[0].params;
        assert_int_equal(weir_field_get(weir_field_find(params, "bm"), values), 300 * KB);
        assert_int_equal(weir_field_get(weir_field_find(params, "b1"), values),
                         300 * KB - cases[i].buffer_bytes);
        assert_int_equal(weir_field_get(weir_field_find(params, "stages"), values),
                         cases[i].stages);
        plan_free(&p);
        plan_free(&large);
    }
}

/* The headroom is 2 (1500 + 20) + 84 + 2 * 7500 + 118 * 64. */
static void
headroom_of_802_1q(void **state)
{
    struct plan p = ttl_plan();

    (void)state;
    assert_int_equal(bound(&p, "pfc-802.1q"), 25676);
    p.in.mac_phy_bytes = 1000;
    assert_int_equal(bound(&p, "pfc-802.1q"), 26676);
    plan_free(&p);
}

/* SONiC's formula, in floating point as in SONiC. */
static double
sonic_xoff(const struct plan_input *in, uint64_t mbps, uint64_t quanta)
{
    double mtu = in->lossless_mtu_bytes == WEIR_AUTO ? (double)in->mtu_bytes
                                                     : (double)in->lossless_mtu_bytes;
    double cell = (double)in->cell_bytes, p = (double)in->small_percent;
    double worst = ceil(cell > 128 ? cell / 64 : 2 * cell / (1 + cell));
    double by_byte = 100 * 64 / ((p * 64 + (100 - p) * mtu) / 100);
    double occupancy = (100 - by_byte + by_byte * worst) / 100;
    double cable = 2 * (double)in->cable_mm / 1000 * (double)mbps * 1e6 / 198000000 / 8;
    double gearbox = (double)mbps * 1e6 * (double)in->gearbox_ps / 1e12 / 8;
    double late = (double)in->mtu_bytes + cable + 2 * gearbox + (double)in->mac_phy_bytes +
                  (double)quanta * 512 / 8;

    return (mtu + late * occupancy) / 1024;
}

static void
headroom_of_sonic(void **state)
{
    static const uint64_t speeds[][2] = { { 10000, 67 },   { 25000, 80 },   { 40000, 118 },
                                          { 50000, 147 },  { 100000, 394 }, { 200000, 453 },
                                          { 400000, 905 }, { 800000, 905 } };
    uint64_t random = 1;

    (void)state;
    for (unsigned i = 0; i < 2000; i++) {
        struct plan_input in = defaults();
        in.rate_bps = speeds[i % 8][0] * 1000000;
        in.cable_mm = 1000 * below(&random, 2000);
        in.mtu_bytes = 256 + below(&random, 9000);
        in.cell_bytes = 32 + below(&random, 400);
        in.small_percent = below(&random, 101);
        in.mac_phy_bytes = below(&random, 2000);
        in.gearbox_ps = 1000 * below(&random, 500);
        in.lossless_mtu_bytes = i % 2 ? WEIR_AUTO : 256 + below(&random, 4000);
        struct plan p = plan_of(&in);
        double want = sonic_xoff(&in, speeds[i % 8][0], speeds[i % 8][1]);
        uint64_t got = bound(&p, "pfc-sonic");
        /* Weir's formula also rounds up to bytes in between, so slightly above a multiple of 1024
         * it may be one unit more. */
        assert_int_equal(got % 1024, 0);
        assert_true((double)got / 1024 >= ceil(want - 1e-9));
        assert_true((double)got / 1024 <= ceil(want + 0.05));
        plan_free(&p);
    }
}

/* A realistic profile of SONiC: 40 Gb/s, 300 m, MTU 1500; all packets are small, so cells of 144 B
 * take three times the bytes.  The headroom is 1500 + 3 (1500 + 15152 + 7552), rounded up to a
 * multiple of 1024. */
static void
sonic_by_hand(void **state)
{
    struct plan p = ttl_plan();

    (void)state;
    assert_int_equal(bound(&p, "pfc-sonic"), 73 * 1024);
    plan_free(&p);
}

/* Speeds without a standard use the response of the next faster one, which is never less than that
 * of slower ones. */
static void
responses_grow_with_speed(void **state)
{
    uint64_t last = 0;

    (void)state;
    for (uint64_t gbps = 1; gbps <= 1600; gbps += 3) {
        struct plan_input in = defaults();
        in.rate_bps = gbps * GBPS;
        struct plan p = plan_of(&in);
        struct weir_text said[4];
        bool is_odd = gbps != 1 && gbps != 10 && gbps != 25 && gbps != 40 && gbps != 100 &&
                      gbps != 400 && gbps != 1600;
        assert_int_equal(plan_warnings(&p, said, 4), is_odd);
        assert_true(bound(&p, "pfc-802.1q") >= last);
        last = bound(&p, "pfc-802.1q");
        plan_free(&p);
    }
}

static void
lengths(void **state)
{
    static const struct {
        const char *text;
        uint64_t mm;
    } good[] = {
        { "5m", 5000 }, { "300 m", 300000 }, { "300m", 300000 }, { "1.5km", 1500000 },
        { "0m", 0 },    { "0.305m", 305 },   { "20cm", 200 },    { "1000km", 1000000000 }
    };
    static const char *const bad[] = { "",     "m",   "-5m",  "5",      "5 ",
                                       "5  m", "5mm", "1e3m", "1001km", "99999999999999999999m",
                                       ".5m",  "5.m5" };
    uint64_t mm;
    struct err err;

    (void)state;
    for (size_t i = 0; i < N_OF(good); i++) {
        assert_true(plan_length_parse(good[i].text, &mm, &err));
        assert_int_equal(mm, good[i].mm);
    }
    for (size_t i = 0; i < N_OF(bad); i++) {
        assert_false(plan_length_parse(bad[i], &mm, &err));
    }
    struct weir_text text = { 0 };
    value_add_length(&text, 94070);
    value_add_length(&text, 300000);
    assert_string_equal(text.s, "94.07 m300 m");
    assert_int_equal(plan_cable_ps(300000), 3 * US / 2);
    assert_int_equal(plan_cable_mm(plan_cable_ps(12345)), 12345);
}

static struct plan_port
port_like(uint64_t gbps, uint64_t metres, uint8_t lossless)
{
    return (struct plan_port){ .name = "p",
                               .rate_bps = gbps * GBPS,
                               .cable_mm = metres * 1000,
                               .cable_ps = plan_cable_ps(metres * 1000),
                               .mtu_bytes = 1500,
                               .lossless = lossless };
}

/* Equal ports form a kind; the need of the switch is the sum over its kinds. */
static void
kinds(void **state)
{
    struct plan_port ports[] = { port_like(100, 5, 0x18), port_like(400, 300, 0x18),
                                 port_like(100, 5, 0x18), port_like(100, 5, 0x08),
                                 port_like(100, 5, 0x00), port_like(100, 7, 0x18) };
    struct plan p = { .in = defaults(), .n_ports = N_OF(ports) };
    uint64_t sum = 0;
    struct err err;

    (void)state;
    p.ports = malloc(sizeof ports);
    memcpy(p.ports, ports, sizeof ports);
    assert_true(plan_finish(&p, &err));
    assert_int_equal(p.n_kinds, 4);
    assert_int_equal(p.kinds[0].n_ports, 2);
    assert_int_equal(p.kinds[2].n_classes, 1);
    for (size_t i = 0; i < p.n_kinds; i++) {
        sum +=
            p.kinds[i].n_ports * p.kinds[i].n_classes * weir_pfc_headroom_bytes(&p.kinds[i].link);
    }
    assert_int_equal(plan_need(&p, scheme("pfc")).bound_bytes, sum);
    plan_free(&p);

    struct plan none = { .in = defaults() };
    assert_false(plan_finish(&none, &err));
    assert_says(err.text, "no port has a lossless class");
}

static uint64_t
one_more(uint64_t cap, uint64_t more)
{
    return cap == PLAN_NOTHING ? cap : cap + more;
}

/* Each offered value fits, and a slightly larger one does not. */
static void
remedies_are_the_largest_that_fit(void **state)
{
    uint64_t random = 7;
    unsigned n_found = 0;

    (void)state;
    for (unsigned i = 0; i < 500; i++) {
        struct plan_input in = defaults();
        in.rate_bps = (1 + below(&random, 400)) * GBPS;
        in.cable_mm = below(&random, 2000000);
        in.mtu_bytes = 300 + below(&random, 9000);
        in.classes = 1 + below(&random, 8);
        in.ports = 1 + below(&random, 64);
        in.buffer_bytes = 100000 + below(&random, 30000000);
        struct plan p = plan_of(&in);
        const struct plan_scheme *s = &plan_schemes[below(&random, 14)];
        struct plan_caps found[PLAN_MAX_REMEDIES];
        size_t n = plan_fits(&p, s) ? 0 : plan_find_remedies(&p, s, found);
        for (size_t k = 0; k < n; k++) {
            struct plan_caps c = found[k];
            assert_true(plan_capped_bytes(&p, s, &c) <= in.buffer_bytes);
            struct plan_caps more = { one_more(c.classes, 1), c.cable_mm, c.mtu_bytes };
            if (c.mtu_bytes != PLAN_NOTHING) {
                more = (struct plan_caps){ c.classes, c.cable_mm, c.mtu_bytes + 1 };
            } else if (c.cable_mm != PLAN_NOTHING) {
                more = (struct plan_caps){ c.classes, c.cable_mm + 1, PLAN_NOTHING };
            }
            assert_true(plan_capped_bytes(&p, s, &more) > in.buffer_bytes);
            n_found++;
        }
        plan_free(&p);
    }
    assert_true(n_found > 100);
}

/* The minimum buffer of a plan fits, and a byte less does not. */
static void
fits_to_the_byte(void **state)
{
    struct plan p = ttl_plan();

    (void)state;
    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        struct plan_need need = plan_need(&p, s);
        p.in.buffer_bytes = plan_least_bytes(&need);
        assert_true(plan_fits(&p, s));
        p.in.buffer_bytes--;
        assert_false(plan_fits(&p, s));
    }
    plan_free(&p);
}

/* Derived thresholds leave the headroom of their formula free. */
static void
thresholds_leave_headroom(void **state)
{
    static const char *const keys[] = { "pfc", "pfc-802.1q", "pfc-sonic" };
    struct plan p = ttl_plan();

    (void)state;
    p.in.buffer_bytes = 32000 * KB;
    assert_int_equal(plan_room_bytes(&p), 125 * KB);
    for (size_t i = 0; i < N_OF(keys); i++) {
        struct weir_stack stack;
        struct weir_text why = { 0 };
        assert_true(plan_resolve(&p, scheme(keys[i]), p.kinds, 1, &stack, &why));
        const struct weir_field *xoff =
            weir_field_find(stack.layers[0].engine->about.params, "xoff");
        assert_int_equal(weir_field_get(xoff, stack.layers[0].params),
                         125 * KB - plan_slot_need(&p, scheme(keys[i]), p.kinds).headroom_bytes);
        assert_int_equal(why.len, 0);
    }
    struct weir_stack stack;
    struct weir_text why = { 0 };
    p.in.buffer_bytes = 10000 * KB;
    assert_false(plan_resolve(&p, scheme("pfc-sonic"), p.kinds, 1, &stack, &why));
    assert_says(why.s, "needs 77.752KB for each class of a port, but has 39.062KB");
    plan_free(&p);
}

/* Dynamic thresholds: q = 2^th (S - n q). */
static void
dynamic_thresholds(void **state)
{
    struct plan p = ttl_plan();

    (void)state;
    p.in.dynamic_th = 8; /* 8 stands for 0. */
    assert_int_equal(plan_dynamic_th(&p.in), 0);
    assert_int_equal(plan_trigger_bytes(&p, 1000 * KB, 1), 500 * KB);
    assert_int_equal(plan_trigger_bytes(&p, 1000 * KB, 9), 100 * KB);
    p.in.dynamic_th = 5; /* 5 stands for -3. */
    assert_int_equal(plan_trigger_bytes(&p, 900 * KB, 1), 100 * KB);
    p.in.dynamic_th = 11; /* 11 stands for 3. */
    assert_int_equal(plan_trigger_bytes(&p, 900 * KB, 1), 800 * KB);
    p.in.static_th_bytes = 77;
    assert_int_equal(plan_trigger_bytes(&p, 900 * KB, 1), 77);
    plan_free(&p);
}

static void
classes_of_roce(void **state)
{
    (void)state;
    assert_int_equal(plan_classes_mask(1), 0x08);
    assert_int_equal(plan_classes_mask(2), 0x18);
    assert_int_equal(plan_classes_mask(5), 0xf8);
    assert_int_equal(plan_classes_mask(6), 0xfc);
    assert_int_equal(plan_classes_mask(8), 0xff);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headroom_of_ttl),
        cmocka_unit_test(work_conservation_of_ttl),
        cmocka_unit_test(classes_of_ttl),
        cmocka_unit_test(numbers_of_gfc),
        cmocka_unit_test(headroom_of_802_1q),
        cmocka_unit_test(headroom_of_sonic),
        cmocka_unit_test(sonic_by_hand),
        cmocka_unit_test(responses_grow_with_speed),
        cmocka_unit_test(lengths),
        cmocka_unit_test(kinds),
        cmocka_unit_test(remedies_are_the_largest_that_fit),
        cmocka_unit_test(fits_to_the_byte),
        cmocka_unit_test(thresholds_leave_headroom),
        cmocka_unit_test(dynamic_thresholds),
        cmocka_unit_test(classes_of_roce),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
