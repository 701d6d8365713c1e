/* A world: one node, and a host that makes random calls to it with reproducible random numbers.
 *
 *     struct world *w = new_world("pfc", NULL, NULL, AT_SWITCH, seed);
 *     run(w, N_STEPS);       packets, frames, messages, timers, links; outputs are in w->journal
 *     end_world(w);
 *
 * The node is a switch, or a NIC that sends flows for engines that receive messages.
 *
 * With 'rebases' set its clock is set back now and then, and nothing else should change: the
 * journal has all times as on a clock that started at 0 and was never set back. */

#ifndef TESTS_WORLD_H
#define TESTS_WORLD_H

#include <stdlib.h>

#include "base/array.h"
#include "unit.h"
#include "weir/node.h"

enum role { AT_SWITCH, AT_NIC, N_ROLES };

/* Engines with unusual parameters. */
static const struct {
    const char *engine, *name, *value;
} variants[] = {
    { "pfc", "threshold", "dynamic" }, { "gfc-buffer", "refresh", "3us" },
    { "gfc-time", "left", "sender" },  { "gfc-time", "min_rate", "0" },
    { "ecn", "at", "queued" },         { "cbfc", "period", "2us" },
    { "ttl", "threshold", "dynamic" }, { "capfc", "egress_xoff", "200KB" },
    { "qcn", "place", "output" },      { "qcn", "blame", "two" },
    { "fafc", "decide", "dequeue" },   { "fafc", "memory", "yes" },
};

/* Lower thresholds for engines whose defaults suit larger switches. */
static const struct {
    const char *engine, *name, *value;
} suited[] = {
    { "fafc", "th_e", "5KB" },
    { "fafc", "th_p", "10KB" },
};

enum { N_PORTS = 3, N_CLASSES = 2, N_SLOTS = N_PORTS * N_CLASSES };
enum { MAX_TIMERS = 64, MAX_WAITING = 2000, LOSSLESS = 1, N_STEPS = 12000, REBASE_ONE_IN = 40 };
enum { N_FLOWS = 3, MAX_GENERATORS = 16 };

static const struct weir_port ports[N_PORTS] = {
    { .rate_bps = 10 * GBPS, .cable_ps = US / 10 },
    { .rate_bps = 10 * GBPS, .cable_ps = US / 5 },
    { .rate_bps = 25 * GBPS, .cable_ps = US / 10 },
};

/* Class 0 may lose packets; class 1 has parts of all three kinds, small enough to be filled. */
static const struct weir_shape shape = {
    .ports = ports,
    .n_ports = N_PORTS,
    .n_classes = N_CLASSES,
    .lossless = 1 << LOSSLESS,
    .mtu_bytes = 1500,
    .gap_bytes = 20,
    .response_ps = US / 10,
    .node_id = 9,
    .tier = 1,
    .services = WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES | WEIR_SERVICE_UNITS |
                WEIR_SERVICE_OUTPUT_UNITS,
    .buffer = { .size_bytes = 3 * 240 * KB + 24 * KB,
                .classes = { { .reserve_bytes = 10 * KB },
                             { .reserve_bytes = 220 * KB,
                               .alpha = WEIR_RATIO_1 / 8,
                               .headroom_bytes = 10 * KB } } },
};

struct journal { /* All outputs of the node. */
    struct weir_emit *emits;
    size_t n, max;
};

struct units { /* A packet index with all its memory. */
    struct weir_index index;
    struct weir_index_slot slots[N_SLOTS];
    uint32_t orders[N_SLOTS][MAX_WAITING];
    struct weir_index_unit units[MAX_WAITING];
};

/* A node and its host.  An assignment moves all of it except for the node's memory. */
struct world {
    struct weir_shape shape;
    struct weir_stack stack;
    struct weir_needs needs;
    struct weir_node node;
    struct weir_buffer buffer;
    struct weir_buffer_slot slots[N_SLOTS];
    struct units inputs, outputs;
    struct weir_outbox out;
    void *memory;
    weir_ps now, timers[MAX_TIMERS];
    struct weir_pkt waiting[MAX_WAITING];
    uint32_t n_waiting;
    /* The node's last frame: received again, it is a frame of the engine's own kind. */
    struct weir_frame said;
    uint64_t random;                  /* For events, their ports and their packets. */
    uint64_t streams[MAX_GENERATORS]; /* A random stream for each generator. */
    const struct generator *extra;    /* One more generator than all engines have, or null. */
    uint64_t extra_stream;
    bool hears_all;   /* The engine receives every packet, not only those that it requests. */
    bool rebases;     /* The clock is set back at random times. */
    uint64_t moments; /* Random numbers for these times. */
    /* The time by which the clock is behind one that started at 0 and was never set back. */
    weir_ps behind_ps;
    struct journal journal;
};

/* The host of the node. */

static inline void
obey(struct world *w)
{
    for (uint32_t i = 0; i < w->out.n; i++) {
        struct weir_emit *e = &w->out.emits[i];
        struct weir_emit *kept = &ARRAY_PUSH(w->journal.emits, w->journal.n, w->journal.max);
        *kept = *e;
        if (e->kind == WEIR_TIMER && e->at != WEIR_NEVER) {
            kept->at += w->behind_ps;
        }
        if (e->kind == WEIR_FRAME) {
            w->said = e->frame;
        }
        if (e->kind == WEIR_TIMER) {
            assert_true(e->key < w->needs.n_timers && e->at >= w->now);
            w->timers[e->key] = e->at;
        }
    }
    w->out.n = 0;
}

static inline void
fire_timers(struct world *w, weir_ps until)
{
    for (;;) {
        uint32_t next = 0;
        for (uint32_t key = 0; key < w->needs.n_timers; key++) {
            next = w->timers[key] < w->timers[next] ? key : next;
        }
        if (!w->needs.n_timers || w->timers[next] > until) {
            w->now = until;
            return;
        }
        w->now = w->timers[next];
        w->timers[next] = WEIR_NEVER;
        weir_node_timer(&w->node, w->now, next);
        obey(w);
    }
}

/* The class in which a packet arrives.  If the engine moves packets between classes, packets that
 * arrive in the lossless class were sent in the other one. */
static inline uint8_t
class_of(const struct world *w, const struct weir_pkt *pkt)
{
    bool moves = w->stack.layers[0].engine->moves_classes;
    return weir_class_here(&w->node.ctx, pkt->in_port, (uint8_t)(moves ? !pkt->cls : pkt->cls));
}

static inline void
cut_wires(struct world *w)
{
    for (uint32_t slot = 0; w->hears_all && slot < N_SLOTS; slot++) {
        w->node.ctx.trips[slot] = (struct weir_trip){ .under_bytes = UINT64_MAX };
    }
}

static inline void
arrive(struct world *w)
{
    struct weir_pkt pkt = { .bytes = (uint32_t)(64 + below(&w->random, 1437)),
                            .in_port = (uint16_t)below(&w->random, N_PORTS),
                            .out_port = (uint16_t)below(&w->random, N_PORTS),
                            .cls = (uint8_t)(below(&w->random, 5) ? LOSSLESS : 0),
                            .ecn = (uint8_t)below(&w->random, 2),
                            .flow = (uint32_t)below(&w->random, N_FLOWS) };
    pkt.cls = class_of(w, &pkt);
    if (pkt.cls == WEIR_NO_CLASS) {
        return;
    }
    uint32_t in = weir_slot(&w->node.ctx, pkt.in_port, pkt.cls);
    uint32_t out = weir_slot(&w->node.ctx, pkt.out_port, pkt.cls);

    if (w->n_waiting == MAX_WAITING ||
        weir_buffer_admit(&w->buffer, in, out, pkt.bytes) != WEIR_ADMITTED) {
        return;
    }
    pkt.unit = weir_index_add(&w->inputs.index, in, out, pkt.bytes, pkt.flow);
    cut_wires(w);
    weir_node_arrived(&w->node, w->now, &pkt);
    obey(w);
    pkt.output_unit = weir_index_add(&w->outputs.index, out, out, pkt.bytes, pkt.flow);
    cut_wires(w);
    weir_node_queued(&w->node, w->now, &pkt);
    obey(w);
    w->waiting[w->n_waiting++] = pkt;
}

static inline void
depart(struct world *w)
{
    if (!w->n_waiting) {
        return;
    }
    uint32_t i = (uint32_t)below(&w->random, w->n_waiting);
    struct weir_pkt pkt = w->waiting[i];
    uint32_t out = weir_slot(&w->node.ctx, pkt.out_port, pkt.cls);
    struct weir_gate *gate = &w->node.ctx.gates[out];
    if (weir_gate_ready(gate, w->now, pkt.bytes) > w->now) {
        return;
    }
    w->waiting[i] = w->waiting[--w->n_waiting];
    weir_gate_sent(gate, w->now, pkt.bytes);
    weir_index_remove(&w->inputs.index, pkt.unit);
    weir_index_remove(&w->outputs.index, pkt.output_unit);
    weir_buffer_release(&w->buffer, weir_slot(&w->node.ctx, pkt.in_port, pkt.cls), out, pkt.bytes);
    cut_wires(w);
    weir_node_departed(&w->node, w->now, &pkt);
    obey(w);
}

/* Frames that are meaningful to some engine: each kind has a generator with its own random stream
 * (generators[]). */

static inline void
class_frame(uint16_t opcode, uint64_t most, uint64_t *random, struct weir_frame *f)
{
    struct weir_class_frame c = { .opcode = opcode, .enable = (uint8_t)weir_random(random) };

    for (int i = 0; i < 8; i++) {
        c.values[i] = (uint16_t)below(random, most);
    }
    weir_class_frame_encode(&c, f);
}

static inline void
pfc_frame(const struct world *w, uint16_t port, uint64_t *random, struct weir_frame *f)
{
    (void)w, (void)port;
    class_frame(WEIR_OPCODE_PFC, 500, random, f);
}

static inline void
gfc_frame(const struct world *w, uint16_t port, uint64_t *random, struct weir_frame *f)
{
    (void)w, (void)port;
    class_frame(WEIR_OPCODE_GFC, 5, random, f);
}

static inline void
credit_frame(const struct world *w, uint16_t port, uint64_t *random, struct weir_frame *f)
{
    uint64_t sent = w->node.ctx.gates[weir_slot(&w->node.ctx, port, LOSSLESS)].sent_bytes / 64;
    struct weir_credit_frame c = { .cls = LOSSLESS,
                                   .fctbs = (uint32_t)below(random, 4096),
                                   .fccl = (uint32_t)((sent + below(random, 4096)) & 0xfff),
                                   .free_blocks = (uint32_t)below(random, 4096) };
    weir_credit_frame_encode(&c, f);
}

static inline void
queue_frame(const struct world *w, uint16_t port, uint64_t *random, struct weir_frame *f)
{
    struct weir_queue_frame q = { .cls = LOSSLESS,
                                  .queue_bytes = (uint32_t)below(random, 250000),
                                  .b0_bytes = 100000,
                                  .bm_bytes = 200000 };
    (void)w, (void)port;
    weir_queue_frame_encode(&q, f);
}

/* The node's own last frame, once it has sent one. */
static inline void
own_frame(const struct world *w, uint16_t port, uint64_t *random, struct weir_frame *f)
{
    (void)port, (void)random;
    *f = w->said;
}

static const struct generator {
    const char *name;
    void (*make)(const struct world *, uint16_t port, uint64_t *random, struct weir_frame *);
} generators[] = {
    { "pfc", pfc_frame },     { "gfc", gfc_frame }, { "credit", credit_frame },
    { "queue", queue_frame }, { "own", own_frame },
};

enum { N_GENERATORS = sizeof generators / sizeof *generators, HEARD_ONE_IN = 4 };

_Static_assert((int)N_GENERATORS <= (int)MAX_GENERATORS, "streams");

/* Damages one in twenty frames: one byte and the length are random. */
static inline void
damage_some(uint64_t *random, struct weir_frame *f)
{
    if (below(random, 20) == 0) {
        f->bytes[below(random, f->len)] = (uint8_t)weir_random(random);
        f->len = (uint8_t)below(random, WEIR_FRAME_MAX + 1);
    }
}

static inline void
hear_from(struct world *w, const struct generator *g, uint64_t *random)
{
    uint16_t port = (uint16_t)below(random, N_PORTS);
    struct weir_frame f = { 0 };

    g->make(w, port, random, &f);
    if (f.len) {
        damage_some(random, &f);
        weir_node_frame(&w->node, w->now, port, &f);
        obey(w);
    }
}

/* Frames arrive.  Each generator uses its own stream: an additional generator does not change the
 * others. */
static inline void
hear(struct world *w)
{
    for (size_t i = 0; i < N_GENERATORS; i++) {
        if (!below(&w->streams[i], HEARD_ONE_IN)) {
            hear_from(w, &generators[i], &w->streams[i]);
        }
    }
    if (w->extra && !below(&w->extra_stream, HEARD_ONE_IN)) {
        hear_from(w, w->extra, &w->extra_stream);
    }
}

/* Events at a NIC. */

static inline void
send(struct world *w)
{
    struct weir_pkt pkt = { .bytes = (uint32_t)(64 + below(&w->random, 1437)),
                            .flow = (uint32_t)below(&w->random, N_FLOWS),
                            .cls = LOSSLESS };
    weir_node_sent(&w->node, w->now, &pkt);
    obey(w);
}

static inline void
hear_message(struct world *w)
{
    struct weir_cnm m = { .quantised_fb = (uint8_t)below(&w->random, 4) };
    struct weir_frame f;

    weir_cnm_encode(&m, &f);
    damage_some(&w->random, &f);
    weir_node_heard(&w->node, w->now, (uint32_t)below(&w->random, N_FLOWS), &f);
    obey(w);
}

static inline void
flap(struct world *w)
{
    uint16_t port = (uint16_t)below(&w->random, N_PORTS);
    weir_node_link(&w->node, w->now, port, below(&w->random, 4) > 0);
    obey(w);
}

/* Sets the clock back: by all of its time, or by a random part, which may be short. */
static inline void
rebase(struct world *w)
{
    weir_ps by =
        below(&w->moments, 3) ? (weir_ps)(weir_random(&w->moments) >> 1) % (w->now + 1) : w->now;

    w->now -= by;
    w->behind_ps += by;
    weir_node_rebase(&w->node, by);
    for (uint32_t key = 0; key < w->needs.n_timers; key++) {
        w->timers[key] = weir_rebased(w->timers[key], by);
    }
}

static inline void
step_switch(struct world *w, bool is_filling)
{
    uint64_t draw = below(&w->random, 1000), filling = is_filling ? 600 : 100;

    if (draw < filling) {
        arrive(w);
    } else if (draw < 850) {
        depart(w);
    } else if (draw < 995) {
        hear(w);
    } else {
        flap(w);
    }
}

static inline void
hear_pause(struct world *w)
{
    struct weir_fafc_pause pause = { .opcode = WEIR_OPCODE_FAFC, .enable = 1 << LOSSLESS };
    struct weir_frame f;

    pause.pause_ns[LOSSLESS] = (uint32_t)below(&w->random, 200);
    weir_fafc_pause_encode(&pause, &f);
    damage_some(&w->random, &f);
    weir_node_frame(&w->node, w->now, (uint16_t)below(&w->random, N_PORTS), &f);
    obey(w);
}

/* For the first steps, frames or messages slow flows down; then flows have enough time to
 * recover. */
static inline void
step_nic(struct world *w, bool is_blaming)
{
    if (is_blaming && below(&w->random, 10) == 0) {
        (w->stack.layers[0].engine->heard ? hear_message : hear_pause)(w);
    } else {
        send(w);
    }
}

/* Runs the world.  The buffer first tends to fill, then to empty, so that every threshold is
 * crossed in both directions.  In some phases events come faster than frames can follow each
 * other. */
static inline void
run(struct world *w, uint32_t n_steps)
{
    for (uint32_t i = 0; i < n_steps; i++) {
        if (w->rebases && !below(&w->moments, REBASE_ONE_IN)) {
            rebase(w);
        }
        weir_ps at =
            weir_after(w->now, (weir_ps)below(&w->random, i / 1024 % 2 ? 2 * US : US / 500));
        /* At the end of time the clock stops. */
        fire_timers(w, at < WEIR_NEVER ? at : WEIR_NEVER - 1);
        if (w->shape.n_flows) {
            step_nic(w, i < n_steps / 100);
        } else {
            step_switch(w, i < n_steps / 2);
        }
    }
}

/* Worlds that are made and copied. */

static inline void
lend_units(struct units *u)
{
    weir_index_lend_units(&u->index, u->units, MAX_WAITING);
    for (uint32_t slot = 0; slot < N_SLOTS; slot++) {
        weir_index_lend_order(&u->index, slot, u->orders[slot], MAX_WAITING);
    }
}

/* The pointers of a copied world must lead to its own memory. */
static inline void
own_units(struct units *u)
{
    u->index.slots = u->slots;
    u->index.units = u->units;
    for (uint32_t slot = 0; slot < N_SLOTS; slot++) {
        u->slots[slot].order = u->orders[slot];
    }
}

static inline void
own_buffer(struct world *w)
{
    w->buffer.slots = w->slots;
    w->buffer.index = &w->inputs.index;
    w->buffer.output_index = &w->outputs.index;
    own_units(&w->inputs);
    own_units(&w->outputs);
}

static inline void
lend_memory(struct world *w)
{
    w->out.max = w->needs.max_emits;
    w->out.emits = calloc(w->out.max + 1, sizeof *w->out.emits);
    w->memory = aligned_alloc(WEIR_MEMORY_ALIGN, w->needs.state_bytes);
    w->journal = (struct journal){ 0 };
}

static inline void
start_node(struct world *w)
{
    weir_node_init(&w->node, &w->stack, &w->shape, &w->buffer, &w->out, w->memory, w->now);
}

static inline void
start_buffer(struct world *w)
{
    weir_buffer_init(&w->buffer, &shape.buffer, N_PORTS, N_CLASSES, w->slots);
    weir_index_init(&w->inputs.index, N_SLOTS, w->inputs.slots);
    weir_index_init(&w->outputs.index, N_SLOTS, w->outputs.slots);
    lend_units(&w->inputs);
    lend_units(&w->outputs);
    own_buffer(w);
}

static inline struct weir_shape
shape_of(enum role role)
{
    struct weir_shape it = shape;

    if (role == AT_NIC) {
        it.tier = 0;
        it.n_flows = N_FLOWS;
        it.services = WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES | WEIR_SERVICE_FLOW_RATES |
                      WEIR_SERVICE_SLOWING;
    }
    return it;
}

static inline void
suit(struct weir_stack *stack)
{
    struct weir_text said = { 0 };

    for (size_t i = 0; i < sizeof suited / sizeof *suited; i++) {
        if (stack->layers[0].engine == weir_engine_find(suited[i].engine)) {
            assert_true(weir_stack_set(stack, 0, suited[i].name, suited[i].value, &said));
        }
    }
}

/* One word in an FNV-1a hash. */
static inline uint64_t
hash_word(uint64_t hash, const char *word)
{
    for (; word && *word; word++) {
        hash = (hash ^ (uint8_t)*word) * 0x100000001b3;
    }
    return (hash ^ 0xff) * 0x100000001b3;
}

/* Random streams follow from the names of the engine and its parameter, and from the seed.  Other
 * items in the lists of engines, variants and generators do not matter. */
static inline void
start_streams(struct world *w, const struct weir_engine *engine, const char *name,
              const char *value, uint64_t seed)
{
    uint64_t all = hash_word(hash_word(hash_word(seed, engine->about.name), name), value);

    w->random = all;
    for (size_t i = 0; i < N_GENERATORS; i++) {
        w->streams[i] = hash_word(all, generators[i].name);
    }
}

/* A world with one engine, with one parameter set or none, on a clock that starts at any time. */
static inline struct world *
new_world_at(const struct weir_engine *engine, const char *name, const char *value, enum role role,
             uint64_t seed, weir_ps start_ps)
{
    struct world *w = calloc(1, sizeof *w);
    struct weir_text said = { 0 };

    w->shape = shape_of(role);
    start_streams(w, engine, name, value, seed);
    w->now = start_ps;
    w->behind_ps = -start_ps;
    weir_stack_add(&w->stack, engine);
    suit(&w->stack);
    if ((name && !weir_stack_set(&w->stack, 0, name, value, &said)) ||
        !weir_stack_resolve(&w->stack, &w->shape, &w->needs, &said)) {
        fail_msg("%s", said.s);
    }
    assert_true(w->needs.n_timers <= MAX_TIMERS);
    for (int key = 0; key < MAX_TIMERS; key++) {
        w->timers[key] = WEIR_NEVER;
    }
    start_buffer(w);
    lend_memory(w);
    start_node(w);
    obey(w);
    return w;
}

static inline struct world *
new_world(const char *engine, const char *name, const char *value, enum role role, uint64_t seed)
{
    return new_world_at(weir_engine_find(engine), name, value, role, seed, 0);
}

/* Number of roles to test.  An engine that needs no service at a NIC behaves there as at a
 * switch. */
static inline unsigned
n_roles(const struct weir_engine *engine)
{
    struct weir_shape nic = shape_of(AT_NIC);
    struct weir_stack stack = { 0 };
    struct weir_needs needs = { 0 };
    struct weir_text said = { 0 };

    weir_stack_add(&stack, engine);
    return weir_stack_resolve(&stack, &nic, &needs, &said) && needs.services ? N_ROLES : 1;
}

/* A world whose node is at another address and has the same bytes. */
static inline struct world *
copy_world(const struct world *from)
{
    struct world *w = malloc(sizeof *w);

    *w = *from;
    own_buffer(w);
    lend_memory(w);
    start_node(w);
    w->out.n = 0; /* Outputs of the start are dropped, because the copy does not start there. */
    memcpy(w->memory, from->memory, w->needs.state_bytes);
    return w;
}

/* Gives the node the bytes that it had when the copy was made. */
static inline void
put_back(struct world *w, const struct world *copy)
{
    struct world mine = *w;

    *w = *copy;
    w->node = mine.node;
    w->node.ctx.now = copy->now;
    w->out = mine.out;
    own_buffer(w);
    w->memory = mine.memory;
    w->journal = (struct journal){ 0 };
    memcpy(w->memory, copy->memory, w->needs.state_bytes);
    free(mine.journal.emits);
}

static inline void
end_world(struct world *w)
{
    free(w->journal.emits);
    free(w->out.emits);
    free(w->memory);
    free(w);
}

static inline bool
same_emit(const struct weir_emit *a, const struct weir_emit *b)
{
    if (a->kind != b->kind || a->key != b->key) {
        return false;
    }
    switch (a->kind) {
    case WEIR_FRAME:
    case WEIR_MESSAGE:
        return memcmp(&a->frame, &b->frame, sizeof a->frame) == 0;
    case WEIR_TIMER:
        return a->at == b->at;
    case WEIR_FLOW_RATE:
        return a->rate_bps == b->rate_bps;
    default:
        return true;
    }
}

#endif
