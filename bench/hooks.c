/* What a call costs: each hook of each engine, what stacking adds, and what hosts call in line.
 *
 *     bench-hooks               every case, timed: ns a call, best and median of the rounds
 *     bench-hooks NUMBER N      one case, N times, untimed: for counting instructions
 *     bench-hooks --list        the cases, numbered from 0
 *
 * Packets go round a switch of 32 ports and 8 classes, so that tables do not sit in registers.  A
 * 'quiet' hook sees a queue far from its thresholds; a 'busy' one crosses a threshold every time,
 * and so makes a frame. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "weir/node.h"

enum {
    N_PORTS = 32,
    N_CLASSES = 8,
    N_SLOTS = N_PORTS * N_CLASSES,
    N_ROUNDS = 15,
    N_CALLS = 200000
};
enum { ROOM = 400000, QUIET = 50000, BUSY = 399999 };

struct host {
    struct weir_port ports[N_PORTS];
    struct weir_shape shape;
    struct weir_buffer buffer;
    struct weir_buffer_slot slots[N_SLOTS];
    struct weir_outbox out;
    struct weir_node node;
    struct weir_frame frames[2]; /* Heard in turn. */
    weir_ps now;
};

static void
set_queues(struct host *h, uint64_t bytes)
{
    for (uint32_t i = 0; i < N_SLOTS; i++) {
        h->slots[i].in_bytes = h->slots[i].out_bytes = bytes;
    }
}

/* Stacks are written as the names of engines with a plus between. */
static void
set_up(struct host *h, const char *engines)
{
    struct weir_stack stack = { 0 };
    struct weir_needs needs;
    struct weir_text said = { 0 };
    char names[80];

    snprintf(names, sizeof names, "%s", engines);
    for (char *name = strtok(names, "+"); name; name = strtok(NULL, "+")) {
        weir_stack_add(&stack, weir_engine_find(name));
    }
    for (int i = 0; i < N_PORTS; i++) {
        h->ports[i] = (struct weir_port){ 100000000000, 1000000 };
    }
    h->shape = (struct weir_shape){ .ports = h->ports,
                                    .n_ports = N_PORTS,
                                    .n_classes = N_CLASSES,
                                    .lossless = 0xff,
                                    .mtu_bytes = 1500,
                                    .response_ps = 3000000 };
    for (int c = 0; c < N_CLASSES; c++) {
        h->shape.buffer.classes[c].reserve_bytes = ROOM;
    }
    h->shape.buffer.size_bytes = (uint64_t)N_SLOTS * ROOM;
    if (!weir_stack_resolve(&stack, &h->shape, &needs, &said)) {
        fprintf(stderr, "bench: %s\n", said.s);
        exit(1);
    }
    weir_buffer_init(&h->buffer, &h->shape.buffer, N_PORTS, N_CLASSES, h->slots);
    h->out = (struct weir_outbox){ malloc(needs.max_emits * sizeof(struct weir_emit)), 0,
                                   needs.max_emits };
    weir_node_init(&h->node, &stack, &h->shape, &h->buffer, &h->out,
                   aligned_alloc(WEIR_MEMORY_ALIGN, needs.state_bytes), 0);
    set_queues(h, QUIET);
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

/* Cases: 'n' calls each. */

static void
pass_quiet(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        struct weir_pkt pkt = packet(i);
        weir_node_arrived(&h->node, h->now, &pkt);
        weir_node_departed(&h->node, h->now, &pkt);
    }
}

/* Credit counts are the engine's own; these two keep them in step. */
static void
pass_busy(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        struct weir_pkt pkt = packet(i);
        uint64_t *queue = &h->slots[weir_slot(&h->node.ctx, pkt.in_port, pkt.cls)].in_bytes;
        *queue = BUSY;
        weir_node_arrived(&h->node, h->now, &pkt);
        *queue = QUIET;
        weir_node_departed(&h->node, h->now, &pkt);
    }
}

static void
hear(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        weir_node_frame(&h->node, h->now, (uint16_t)(i % N_PORTS), &h->frames[i & 1]);
    }
}

static void
tick(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        weir_node_timer(&h->node, h->now, (uint32_t)(i % N_PORTS));
    }
}

static void
admit(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint32_t in = (uint32_t)(i % N_SLOTS), out = (uint32_t)((i + 7) % N_SLOTS);
        weir_buffer_admit(&h->buffer, in, out, 1500);
        weir_buffer_release(&h->buffer, in, out, 1500);
    }
}

static void
gate(struct host *h, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        struct weir_gate *g = &h->node.ctx.gates[i % N_SLOTS];
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
    for (uint32_t i = 0; i < N_SLOTS; i++) {
        weir_gate_set_rate(&h->node.ctx.gates[i], 50000000000);
    }
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
    { "cbfc       timer, 8 classes", "cbfc", NULL, tick },
    { "gfc-concep arrived + departed", "gfc-conceptual", NULL, pass_quiet },
    { "gfc-concep frame", "gfc-conceptual", hear_queues, hear },
    { "gfc-buffer arrived + departed", "gfc-buffer", NULL, pass_quiet },
    { "gfc-buffer the same, a frame each", "gfc-buffer", NULL, pass_busy },
    { "gfc-buffer frame", "gfc-buffer", hear_stages, hear },
    { "gfc-time   arrived + departed", "gfc-time", NULL, pass_quiet },
    { "gfc-time   frame", "gfc-time", hear_credits, hear },
    { "gfc-time   timer, 8 classes", "gfc-time", NULL, tick },
    { "ecn        arrived + departed", "ecn", NULL, pass_quiet },
    { "pfc+ecn    arrived + departed", "pfc+ecn", NULL, pass_quiet },
    { "gfc+ecn    arrived + departed", "gfc-buffer+ecn", NULL, pass_quiet },
    { "gfc+pfc+ecn arrived + departed", "gfc-buffer+pfc+ecn", NULL, pass_quiet },
    { "buffer     admit + release", "none", NULL, admit },
    { "gate       ready + sent, line rate", "none", NULL, gate },
    { "gate       ready + sent, half rate", "none", limit_rates, gate },
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
measure(const struct bench *b)
{
    struct host *h = calloc(1, sizeof *h);
    double ns[N_ROUNDS];

    set_up(h, b->engines);
    if (b->prepare) {
        b->prepare(h);
    }
    b->run(h, N_CALLS);
    for (int i = 0; i < N_ROUNDS; i++) {
        double start = seconds();
        b->run(h, N_CALLS);
        ns[i] = (seconds() - start) * 1e9 / N_CALLS;
    }
    qsort(ns, N_ROUNDS, sizeof *ns, by_value);
    printf("%-36s %7.1f %7.1f\n", b->name, ns[0], ns[N_ROUNDS / 2]);
    fflush(stdout);
}

static int
run_one(const char *number, const char *calls)
{
    struct host *h = calloc(1, sizeof *h);
    size_t i = strtoul(number, NULL, 10);

    if (i >= N_BENCHES) {
        fprintf(stderr, "bench: no case %s\n", number);
        return 2;
    }
    set_up(h, benches[i].engines);
    if (benches[i].prepare) {
        benches[i].prepare(h);
    }
    benches[i].run(h, strtoull(calls, NULL, 10));
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
