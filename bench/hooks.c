/* Measures the cost per call: each hook of each engine, the overhead of stacking, and inline calls
 * of hosts.
 *
 *     bench-hooks               every case, timed: ns a call, best and median of the rounds
 *     bench-hooks NUMBER N      runs one case N times without timing, to count instructions
 *     bench-hooks --list        the cases, numbered from 0
 *
 * Packets use the 32 ports and 8 classes of a switch one after another, so that tables do not stay
 * in registers.  A 'quiet' hook sees a queue far from its thresholds; a 'busy' one crosses a
 * threshold every time, and so makes a frame.  The hooks of FAFC have a switch of 64 ports, whose
 * inputs all send to one output. */

#include <time.h>

#include "../tests/rig.h"
#include "engines/fafc-pauses.h"

enum {
    N_PORTS = 32,
    N_CLASSES = 7,
    N_SLOTS = N_PORTS * RIG_CLASSES,
    N_ROUNDS = 15,
    N_CALLS = 200000
};
enum { ROOM = 400000, QUIET = 50000, BUSY = 399999 };
enum { N_INPUTS = 64, HOT_OUTPUT = N_INPUTS - 1, PERIOD_PS = 1000000, N_DRAWS = 512 };

struct host {
    struct rig rig;
    struct weir_frame frames[2]; /* Frames that are received alternately. */
    struct weir_index index;
    struct draw *draws; /* For the pause times of FAFC. */
    uint64_t chance;
    weir_ps now;
};

struct draw {
    uint64_t need;
    struct fafc_bid bids[N_INPUTS];
};

static struct host
set_up(const char *engines, uint16_t n_ports)
{
    struct host h = { .rig = rig_start(engines, n_ports, 100000000000, ROOM) };
    for (uint32_t i = 0; i < h.rig.n_slots; i++) {
        h.rig.buffer->slots[i].in_bytes = h.rig.buffer->slots[i].out_bytes = QUIET;
    }
    h.rig.out->n = 0;
    return h;
}

/* Drops all outputs. */
static void
empty(struct host *h)
{
    h->rig.out->n = 0;
}

static struct weir_pkt
packet(uint64_t i)
{
    return (struct weir_pkt){ .bytes = 1500,
                              .in_port = (uint16_t)(i % N_PORTS),
                              .out_port = (uint16_t)((i + 7) % N_PORTS),
                              .cls = (uint8_t)(i / N_PORTS % N_CLASSES),
                              .ecn = WEIR_ECT };
}

/* Cases. Each makes 'n' calls. */

static void
pass_quiet(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        struct weir_pkt pkt = packet(i);
        weir_node_arrived(&h->rig.node, h->now, &pkt);
        empty(h);
        weir_node_departed(&h->rig.node, h->now, &pkt);
        empty(h);
    }
}

static void
pass_output(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        struct weir_pkt pkt = packet(i);
        weir_node_arrived(&h->rig.node, h->now, &pkt);
        weir_node_queued(&h->rig.node, h->now, &pkt);
        empty(h);
        weir_node_departed(&h->rig.node, h->now, &pkt);
        empty(h);
    }
}

/* Each packet joins a queue above its set point.  One packet in some dozens is sampled, and its
 * flow is slowed down. */
static void
pass_congested(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        struct weir_pkt pkt = packet(i);
        weir_node_arrived(&h->rig.node, h->now, &pkt);
        empty(h);
    }
}

/* An engine that counts credits itself; these two functions keep its counts consistent. */
static void
pass_busy(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        struct weir_pkt pkt = packet(i);
        uint64_t *queue =
            &h->rig.buffer->slots[weir_slot(&h->rig.node.ctx, pkt.in_port, pkt.cls)].in_bytes;
        *queue = BUSY;
        weir_node_arrived(&h->rig.node, h->now, &pkt);
        empty(h);
        *queue = QUIET;
        weir_node_departed(&h->rig.node, h->now, &pkt);
        empty(h);
    }
}

static void
hear(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        weir_node_frame(&h->rig.node, h->now, (uint16_t)(i % N_PORTS), &h->frames[i & 1]);
        empty(h);
    }
}

static void
tick(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        weir_node_timer(&h->rig.node, h->now, (uint32_t)(i % N_PORTS));
        empty(h);
    }
}

static void
admit(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint32_t in = (uint32_t)(i % N_SLOTS), out = (uint32_t)((i + 7) % N_SLOTS);
        weir_buffer_admit(h->rig.buffer, in, out, 1500);
        weir_buffer_release(h->rig.buffer, in, out, 1500);
    }
}

/* The cost of services that engines use. */

static void
pass_stages(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint32_t in = (uint32_t)(i % N_SLOTS), out = (uint32_t)((i + 7) % N_SLOTS);
        weir_buffer_admit_input(h->rig.buffer, in, 1500);
        weir_buffer_forward(h->rig.buffer, in, 1500);
        weir_buffer_admit_output(h->rig.buffer, out, 1500);
        weir_buffer_release_output(h->rig.buffer, out, 1500);
    }
}

static void
index_packets(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint32_t in = (uint32_t)(i % N_SLOTS);
        weir_index_remove(&h->index, weir_index_draw(&h->index, in, &h->chance));
        weir_index_add(&h->index, in, in, 1500, (uint32_t)i);
    }
}

static void
draw_packets(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        weir_index_draw(&h->index, (uint32_t)(i % N_SLOTS), &h->chance);
    }
}

static void
draw_of_one(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        weir_index_draw(&h->index, 0, &h->chance);
    }
}

static void
draw_by_bytes(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        weir_index_draw_by_bytes(&h->index, 0, &h->chance);
    }
}

/* The cost per period of FAFC. */

/* The bids differ each time, because a processor would predict the branches of equal ones. */
static void
time_pauses(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        struct draw draw = h->draws[i % N_DRAWS];
        weir_fafc_allocate(draw.bids, N_INPUTS, draw.need, FAFC_BEST);
    }
}

static void
end_period(struct host *h)
{
    weir_node_timer(&h->rig.node, h->now, h->rig.n_slots);
    empty(h);
}

static void
end_periods(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        h->now += PERIOD_PS;
        end_period(h);
    }
}

/* A period of an incast: every input sends to the hot output, where a quarter of the bytes stays,
 * and half of the inputs also send to another output.  Then the time slot of each input ends. */
static void
pass_period(struct host *h, uint64_t i)
{
    h->now += PERIOD_PS;
    for (uint16_t port = 0; port < N_INPUTS; port++) {
        struct weir_pkt hot = { .bytes = 4000 + (uint32_t)(i * 37 + port * 101) % 1500,
                                .in_port = port,
                                .out_port = HOT_OUTPUT };
        struct weir_pkt cool = { .bytes = hot.bytes / 3, .in_port = port, .out_port = port / 2 };
        weir_node_arrived(&h->rig.node, h->now, &hot);
        if (port % 4) {
            weir_node_departed(&h->rig.node, h->now, &hot);
        }
        if (port % 2) {
            weir_node_arrived(&h->rig.node, h->now, &cool);
            weir_node_departed(&h->rig.node, h->now, &cool);
        }
        weir_node_timer(&h->rig.node, h->now, port * RIG_CLASSES);
        empty(h);
    }
}

static void
pass_periods(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        pass_period(h, i);
    }
}

static void
pass_and_end_periods(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        pass_period(h, i);
        end_period(h);
    }
}

static void
gate(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        struct weir_gate *g = &h->rig.node.ctx.gates[i % N_SLOTS];
        h->now = weir_gate_ready(g, h->now, 1500);
        weir_gate_sent(g, h->now, 1500);
    }
}

static void
hear_pauses(struct host *h)
{
    struct weir_class_frame f = { .opcode = WEIR_OPCODE_PFC, .enable = 8, .values = { [3] = 100 } };
    weir_class_frame_encode(&f, &h->frames[0]);
    f.values[3] = 0;
    weir_class_frame_encode(&f, &h->frames[1]);
}

static void
hear_stages(struct host *h)
{
    struct weir_class_frame f = { .opcode = WEIR_OPCODE_GFC, .enable = 8, .values = { [3] = 2 } };
    weir_class_frame_encode(&f, &h->frames[0]);
    f.values[3] = 1;
    weir_class_frame_encode(&f, &h->frames[1]);
}

static void
hear_credits(struct host *h)
{
    struct weir_credit_frame f = { .cls = 3, .fccl = 4000, .free_blocks = 100 };
    weir_credit_frame_encode(&f, &h->frames[0]);
    f.free_blocks = 3000;
    weir_credit_frame_encode(&f, &h->frames[1]);
}

static void
hear_queues(struct host *h)
{
    struct weir_queue_frame f = { .cls = 3, .queue_bytes = 390000 };
    weir_queue_frame_encode(&f, &h->frames[0]);
    f.queue_bytes = 380000;
    weir_queue_frame_encode(&f, &h->frames[1]);
}

static void
limit_rates(struct host *h)
{
    for (uint32_t i = 0; i < h->rig.n_slots; i++) {
        weir_gate_set_rate(&h->rig.node.ctx.gates[i], 50000000000);
    }
}

/* Makes an index with 'per_slot' packets at each slot.  One in 'large_of' packets is large; the
 * others are small. */
static void
hold_packets(struct host *h, uint32_t n_slots, uint32_t per_slot, uint32_t large_of)
{
    weir_index_init(&h->index, n_slots, malloc(weir_index_memory(n_slots)));
    weir_index_lend_units(&h->index, calloc(n_slots, (per_slot + 1) * sizeof *h->index.units),
                          n_slots * (per_slot + 1));
    for (uint32_t slot = 0; slot < n_slots; slot++) {
        weir_index_lend_order(&h->index, slot, calloc(per_slot + 1, sizeof(uint32_t)),
                              per_slot + 1);
    }
    for (uint32_t i = 0; i < n_slots * per_slot; i++) {
        bool is_large = i / n_slots % large_of == 0;
        weir_index_add(&h->index, i % n_slots, 0, is_large ? 1522 : 64, i);
    }
}

static void
keep_index(struct host *h)
{
    hold_packets(h, N_SLOTS, 128, 1);
}

/* One slot with as many packets as the peak queue of a switch. */
static void
keep_long_queue(struct host *h)
{
    hold_packets(h, 1, 10000, 1);
}

static void
keep_mixed_queue(struct host *h)
{
    hold_packets(h, 1, 10000, 2);
}

/* The hardest mix: nearly all packets are small, and most bytes are in large ones. */
static void
keep_skewed_queue(struct host *h)
{
    hold_packets(h, 1, 10000, 20);
}

/* Random rates and costs for a switch at 100 Gb/s; half of the inputs send only to this output. */
static void
draw_bids(struct host *h)
{
    h->draws = calloc(N_DRAWS, sizeof *h->draws);
    for (uint32_t i = 0; i < N_DRAWS * N_INPUTS; i++) {
        struct draw *d = &h->draws[i / N_INPUTS];
        uint64_t rate = 1 + weir_random(&h->chance) % (12500 << 8);
        uint64_t cost = i % 2 ? weir_random(&h->chance) % (12500 << 8) : 0;
        d->bids[i % N_INPUTS] = (struct fafc_bid){ .rate = rate,
                                                   .cost = cost,
                                                   .queue = weir_random(&h->chance) % 300000,
                                                   .port = i % N_INPUTS };
        d->need += weir_random(&h->chance) % rate;
    }
}

/* Makes the switch one of 64 ports instead of 32. */
static void
widen(struct host *h)
{
    rig_stop(&h->rig);
    *h = set_up("fafc", N_INPUTS);
}

/* Queues a packet of each input, which stays, for the hot output or for separate outputs. */
static void
queue_packets(struct host *h, bool is_spread)
{
    widen(h);
    for (uint16_t port = 0; port < N_INPUTS; port++) {
        struct weir_pkt pkt = { .bytes = 1500,
                                .in_port = port,
                                .out_port = is_spread ? port : HOT_OUTPUT };
        weir_node_arrived(&h->rig.node, h->now, &pkt);
        empty(h);
    }
}

static void
queue_for_one(struct host *h)
{
    queue_packets(h, false);
}

static void
queue_for_all(struct host *h)
{
    queue_packets(h, true);
}

static void
fill_outputs(struct host *h, uint64_t bytes)
{
    for (uint32_t i = 0; i < h->rig.n_slots; i++) {
        h->rig.buffer->slots[i].out_bytes = bytes;
    }
}

/* Adds packets for the 50 KB that every slot reports. */
static void
fill_inputs(struct host *h)
{
    struct weir_pkt pkt = { .bytes = 1500 };

    for (uint32_t i = 0; i < 33 * h->rig.n_slots; i++) {
        rig_add_unit(h->rig.buffer->index, i % h->rig.n_slots, 0, &pkt);
    }
}

/* The derived XOFF is 333 KB, and WARN is 4/5 of it. */
static void
fill_to_warn(struct host *h)
{
    fill_outputs(h, 300000);
}

static void
fill_to_xoff(struct host *h)
{
    fill_outputs(h, 340000);
}

static const struct bench {
    const char *name, *engines;
    void (*prepare)(struct host *);
    void (*run)(struct host *, uint64_t n);
} benches[] = {
    { "none       arrived + departed", "none", NULL, pass_quiet },
    { "pfc        arrived + departed", "pfc", NULL, pass_quiet },
    { "pfc        the same, a frame each", "pfc", NULL, pass_busy },
    { "pfc        frame", "pfc", hear_pauses, hear },
    { "pfc        timer", "pfc", NULL, tick },
    { "cbfc       arrived + departed", "cbfc", NULL, pass_quiet },
    { "cbfc       frame", "cbfc", hear_credits, hear },
    { "cbfc       timer, 7 classes", "cbfc", NULL, tick },
    { "gfc-concep arrived + departed", "gfc-conceptual", NULL, pass_quiet },
    { "gfc-concep frame", "gfc-conceptual", hear_queues, hear },
    { "gfc-buffer arrived + departed", "gfc-buffer", NULL, pass_quiet },
    { "gfc-buffer the same, a frame each", "gfc-buffer", NULL, pass_busy },
    { "gfc-buffer frame", "gfc-buffer", hear_stages, hear },
    { "gfc-time   arrived + departed", "gfc-time", NULL, pass_quiet },
    { "gfc-time   frame", "gfc-time", hear_credits, hear },
    { "gfc-time   timer, 7 classes", "gfc-time", NULL, tick },
    { "pfc        arrived + queued + departed", "pfc", NULL, pass_output },
    { "capfc      arrived + queued + departed", "capfc", NULL, pass_output },
    { "capfc      the same, counted", "capfc", fill_to_warn, pass_output },
    { "capfc      the same, above XOFF", "capfc", fill_to_xoff, pass_output },
    { "ecn        arrived + departed", "ecn", NULL, pass_quiet },
    { "qcn        arrived", "qcn", fill_inputs, pass_congested },
    { "fafc       arrived + departed", "fafc", NULL, pass_quiet },
    { "fafc       pause times, 64 inputs", "none", draw_bids, time_pauses },
    { "fafc       update, 64 inputs to one", "fafc", queue_for_one, end_periods },
    { "fafc       update, 64 to 64 outputs", "fafc", queue_for_all, end_periods },
    { "fafc       a period, no update", "fafc", widen, pass_periods },
    { "fafc       the same, with a decision", "fafc", widen, pass_and_end_periods },
    { "pfc+ecn    arrived + departed", "pfc+ecn", NULL, pass_quiet },
    { "gfc+ecn    arrived + departed", "gfc-buffer+ecn", NULL, pass_quiet },
    { "gfc+pfc+ecn arrived + departed", "gfc-buffer+pfc+ecn", NULL, pass_quiet },
    { "buffer     admit + release", "none", NULL, admit },
    { "gate       ready + sent, line rate", "none", NULL, gate },
    { "gate       ready + sent, half rate", "none", limit_rates, gate },
    { "buffer     in, on, out by stages", "none", NULL, pass_stages },
    { "index      draw + remove + add", "none", keep_index, index_packets },
    { "index      draw", "none", keep_index, draw_packets },
    { "index      draw, 10000 held", "none", keep_long_queue, draw_of_one },
    { "index      the same, by bytes", "none", keep_long_queue, draw_by_bytes },
    { "index      the same, half are 64 B", "none", keep_mixed_queue, draw_by_bytes },
    { "index      the same, 95 % are 64 B", "none", keep_skewed_queue, draw_by_bytes },
};

enum { N_BENCHES = sizeof benches / sizeof *benches };

static double
seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void
stop(struct host *h)
{
    for (uint32_t slot = 0; slot < h->index.n_slots; slot++) {
        free(h->index.slots[slot].order);
    }
    free(h->index.slots);
    free(h->index.units);
    free(h->draws);
    rig_stop(&h->rig);
}

static struct host
started(const struct bench *b)
{
    struct host h = set_up(b->engines, N_PORTS);

    if (b->prepare) {
        b->prepare(&h);
    }
    return h;
}

static void
measure(const struct bench *b)
{
    struct host host = started(b), *h = &host;
    double ns[N_ROUNDS];

    b->run(h, N_CALLS);
    for (int i = 0; i < N_ROUNDS; i++) {
        double start = seconds();
        b->run(h, N_CALLS);
        ns[i] = (seconds() - start) * 1e9 / N_CALLS;
    }
    qsort(ns, N_ROUNDS, sizeof *ns, by_value);
    printf("%-36s %7.1f %7.1f\n", b->name, ns[0], ns[N_ROUNDS / 2]);
    fflush(stdout);
    stop(h);
}

static int
run_one(const char *number, const char *calls)
{
    size_t i = strtoul(number, NULL, 10);

    if (i >= N_BENCHES) {
        fprintf(stderr, "bench: no case %s\n", number);
        return 2;
    }
    struct host host = started(&benches[i]), *h = &host;
    benches[i].run(h, strtoull(calls, NULL, 10));
    stop(h);
    return 0;
}

int
main(int argc, char **argv)
{
    if (argc == 3) {
        return run_one(argv[1], argv[2]);
    }
    for (size_t i = 0; i < N_BENCHES; i++) {
        if (argc == 1) {
            measure(&benches[i]);
        } else {
            printf("%s\n", benches[i].name);
        }
    }
    return 0;
}
