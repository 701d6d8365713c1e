/* The second host: a switch is made, takes frames, and does what is due in order: by time, then by
 * event, as enum sim_event has them, then by port and key. */

#include <string.h>

#include "base/array.h"
#include "frame.h"
#include "inner.h"
#include "sim/nodes/handles.h"

/* What is due next. */

static bool
comes_before(const struct sim_mail *a, const struct sim_mail *b)
{
    if (a->at != b->at) {
        return a->at < b->at;
    }
    if (a->event != b->event) {
        return a->event < b->event;
    }
    return a->port != b->port ? a->port < b->port : a->key < b->key;
}

static int
in_order(const void *a, const void *b)
{
    const struct host_event *x = a, *y = b;

    return comes_before(&y->mail, &x->mail) - comes_before(&x->mail, &y->mail);
}

static void
prefer(struct host_event *best, const struct sim_mail *m, struct host_frame *frame)
{
    if (comes_before(m, &best->mail)) {
        *best = (struct host_event){ *m, frame };
    }
}

static struct host_event
find_next(const struct sim_thread *t)
{
    struct host_event best = { .mail = { .at = WEIR_NEVER } };

    if (t->i_received < t->n_received) {
        best = t->received[t->i_received];
    }
    for (size_t i = 0; i < t->n_own; i++) {
        prefer(&best, &t->own[i], NULL);
    }
    prefer(&best, &(struct sim_mail){ .at = t->node.alarm_ps, .event = SIM_ALARM }, NULL);
    for (uint32_t key = 0; key < t->n_timers; key++) {
        prefer(&best, &(struct sim_mail){ .at = t->timers[key], .event = SIM_TIMER, .key = key },
               NULL);
    }
    for (uint32_t i = 0; i < t->node.n_ports; i++) {
        prefer(&best,
               &(struct sim_mail){
                   .at = t->node.ports[i].wake_ps, .event = SIM_TX, .port = (uint16_t)i },
               NULL);
    }
    return best;
}

/* What is done when it is due. */

static void
take_packet(struct sim_thread *t, const struct host_event *e)
{
    struct sim_node *n = &t->node;
    struct sim_mail here = e->mail;

    t->i_received++;
    n->arriving = e->frame;
    here.packet.cls = weir_class_here(&n->weir.ctx, e->mail.port, e->mail.packet.cls);
    if (here.packet.cls == WEIR_NO_CLASS) {
        t->kind->arrive_unclassed(t, n, &e->mail);
    } else {
        t->kind->arrive(t, n, &here);
    }
    free(n->arriving); /* If the kind has not taken a place for it. */
    n->arriving = NULL;
}

static void
take_control(struct sim_thread *t, const struct host_event *e)
{
    struct weir_frame frame;

    t->i_received++;
    if (weir_frame_from_ethernet(e->frame->bytes, e->frame->len, &frame)) {
        weir_node_frame(&t->node.weir, e->mail.at, e->mail.port, &frame);
        sim_node_obey(t, &t->node, e->mail.at);
    }
    free(e->frame);
}

static void
pass_message(struct sim_thread *t, const struct host_event *e)
{
    struct host_control c = { .is_message = true };

    t->i_received++;
    frame_decode_message(e->frame->bytes, e->frame->len, &c.frame, &c.message);
    free(e->frame);
    if (c.message.n_hops >= t->node.hop_limit) {
        t->counts.n_messages_dropped++;
        return;
    }
    c.message.n_hops++;
    uint32_t port = host_pass_message(t, &c);
    if (port != SIM_NONE) {
        host_kick(t, port, e->mail.at);
    }
}

static void
fire_timer(struct sim_thread *t, const struct sim_mail *m)
{
    t->timers[m->key] = WEIR_NEVER;
    weir_node_timer(&t->node.weir, m->at, m->key);
    sim_node_obey(t, &t->node, m->at);
}

static void
ring_alarm(struct sim_thread *t, weir_ps now)
{
    t->node.alarm_ps = WEIR_NEVER;
    t->kind->alarm(t, &t->node, now);
}

static void
run_own(struct sim_thread *t, const struct sim_mail *m)
{
    size_t i = 0;

    while (comes_before(&t->own[i], m) || comes_before(m, &t->own[i])) {
        i++;
    }
    t->own[i] = t->own[--t->n_own];
    t->kind->event(t, &t->node, m);
}

void
host_run(struct sim_thread *t, weir_ps until)
{
    array_sort(t->received + t->i_received, t->n_received - t->i_received, sizeof *t->received,
               in_order);
    for (struct host_event e = find_next(t); e.mail.at <= until && e.mail.at != WEIR_NEVER;
         e = find_next(t)) {
        if (e.mail.event == SIM_PACKET) {
            take_packet(t, &e);
        } else if (e.mail.event == SIM_FRAME) {
            take_control(t, &e);
        } else if (e.mail.event == SIM_MESSAGE) {
            pass_message(t, &e);
        } else if (e.mail.event == SIM_TIMER) {
            fire_timer(t, &e.mail);
        } else if (e.mail.event == SIM_ALARM) {
            ring_alarm(t, e.mail.at);
        } else if (e.mail.event == SIM_TX) {
            host_wake(t, e.mail.port, e.mail.at);
        } else {
            run_own(t, &e.mail);
        }
    }
}

/* The receiver adds its response time to a control frame. */
void
host_receive(struct sim_thread *t, weir_ps at, uint32_t port, const uint8_t *bytes, size_t len)
{
    struct sim_mail m = { .at = at, .port = (uint16_t)port, .event = SIM_PACKET };
    struct weir_frame control;
    struct frame_message message;

    bool is_packet = frame_decode(bytes, len, &m.packet);
    bool is_message = !is_packet && frame_decode_message(bytes, len, &control, &message);
    if (is_packet ? m.packet.cls >= t->node.n_classes
                  : !weir_frame_from_ethernet(bytes, len, &control)) {
        t->counts.n_strange++;
        return;
    }
    if (!is_packet) {
        m = (struct sim_mail){ .at = weir_after(at, is_message ? 0 : t->node.shape.response_ps),
                               .port = (uint16_t)port,
                               .event = is_message ? SIM_MESSAGE : SIM_FRAME };
    }
    struct host_frame *frame = array_new(1, sizeof *frame + len);
    frame->len = (uint32_t)len;
    memcpy(frame->bytes, bytes, len);
    ARRAY_PUSH(t->received, t->n_received, t->max_received) = (struct host_event){ m, frame };
}

/* Making one. */

static void
set_parts(struct sim_thread *t)
{
    const struct host_config *c = &t->config;
    struct sim_node *n = &t->node;

    t->kind = sim_kind_find(c->kind);
    t->path_choice = sim_path_choice_find(c->path_choice);
    n->scheduling = sim_scheduling_find(c->scheduling);
    n->path_params = c->path_params;
    n->arbitration = sim_arbitration_find(c->arbitration);
    n->queues = array_new(1, n->arbitration->bytes(n->n_ports, n->n_classes));
    n->arbitration->init(n, c->arbitration_params);
    if (n->scheduling->bytes) {
        n->schedule = array_new(1, n->scheduling->bytes(weir_n_slots(&n->shape)));
        n->scheduling->init(n, NULL, c->weights);
    }
    if (t->kind->init) {
        t->kind->init(t, n, c->kind_params);
    }
}

/* Twice as many places for packets, all free; the first of those that are new. */
uint32_t
host_grow_pool(struct sim_node *n)
{
    uint32_t max = n->max_pool ? 2 * n->max_pool : 64;
    struct sim_held *pool = array_new_aligned(_Alignof(struct sim_held), max * sizeof *pool);
    struct host_frame **frames = array_new(max, sizeof *frames);

    if (n->max_pool) {
        memcpy(pool, n->pool, n->max_pool * sizeof *pool);
        memcpy(frames, n->frames, n->max_pool * sizeof *frames);
    }
    free(n->pool);
    free(n->frames);
    n->pool = pool;
    n->frames = frames;
    n->max_pool = max;
    return n->n_pool++;
}

static bool
start_engines(struct sim_thread *t)
{
    struct sim_node *n = &t->node;
    struct weir_stack stack = t->config.stack;
    struct weir_needs needs;
    struct weir_text said = { 0 };

    if (!weir_stack_resolve(&stack, &n->shape, &needs, &said)) {
        return false;
    }
    t->memory = array_new_aligned(WEIR_MEMORY_ALIGN, needs.state_bytes);
    t->outbox.max = needs.max_emits;
    t->outbox.emits = array_new(needs.max_emits, sizeof *t->outbox.emits);
    t->n_timers = needs.n_timers;
    t->timers = array_new(needs.n_timers, sizeof *t->timers);
    for (uint32_t key = 0; key < t->n_timers; key++) {
        t->timers[key] = WEIR_NEVER;
    }
    units_start(n, needs.services);
    weir_node_init(&n->weir, &stack, &n->shape, &n->buffer, &t->outbox, t->memory, 0);
    for (uint32_t i = 0; i < stack.n; i++) {
        n->tells_queued |= stack.layers[i].engine->queued != NULL;
    }
    n->tells_queued |= n->buffer.output_index != NULL;
    n->is_bare = t->config.takes_short_cuts && n->arbitration->is_fifo && !n->units;
    return true;
}

struct sim_thread *
host_new(const struct host_config *config)
{
    const struct weir_shape *shape = &config->shape;
    if (weir_has_inner_port(shape)) {
        return NULL;
    }
    struct sim_thread *t = array_new(1, sizeof *t);
    struct sim_node *n = &t->node;

    assert(shape->n_ports <= 64); /* Those to be kicked are bits of a number. */
    t->config = *config;
    n->shape = *shape;
    n->n_ports = shape->n_ports;
    n->n_classes = shape->n_classes;
    n->alarm_ps = WEIR_NEVER;
    n->hop_limit = config->hop_limit ? (uint8_t)config->hop_limit : SIM_MAX_HOPS;
    n->drops_late = config->hop_limit > 0;
    n->salt = sim_salt(shape->node_id);
    n->flow_keys = config->flow_keys;
    n->n_flow_keys = config->n_flow_keys;
    n->chance = sim_node_seed(config->seed, shape->node_id);
    n->peaks = array_new(weir_n_slots(shape), sizeof *n->peaks);
    n->out_peaks = array_new(weir_n_slots(shape), sizeof *n->out_peaks);
    n->ports = array_new(n->n_ports, sizeof *n->ports);
    for (uint32_t i = 0; i < n->n_ports; i++) {
        n->ports[i].wake_ps = WEIR_NEVER;
    }
    t->buffer_memory = array_new(1, weir_buffer_memory(shape->n_ports, shape->n_classes));
    weir_buffer_init(&n->buffer, &n->shape.buffer, shape->n_ports, shape->n_classes,
                     t->buffer_memory);
    n->pool_free = SIM_NONE;
    set_parts(t);
    if (!start_engines(t)) {
        host_free(t);
        return NULL;
    }
    sim_node_obey(t, n, 0);
    return t;
}

void
host_free(struct sim_thread *t)
{
    struct sim_node *n = &t->node;

    for (; t->i_received < t->n_received; t->i_received++) {
        free(t->received[t->i_received].frame);
    }
    for (uint32_t held = 0; held < n->n_pool; held++) {
        free(n->frames[held]);
    }
    for (uint32_t i = 0; i < n->n_ports; i++) {
        free(n->ports[i].control);
    }
    if (t->kind->release) {
        t->kind->release(n);
    }
    units_stop(n);
    void *all[] = { n->frames,       n->pool,   n->peaks,    n->out_peaks,
                    n->ports,        n->queues, n->schedule, t->own,
                    t->received,     t->timers, t->memory,   t->buffer_memory,
                    t->outbox.emits, t };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

/* What is held. */

void
host_discard(struct sim_thread *t, weir_ps now)
{
    struct sim_node *n = &t->node;

    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        while (n->ports[slot / n->n_classes].active >> slot % n->n_classes & 1) {
            t->kind->discard(t, n, slot, now);
        }
    }
}

static bool
count_held(void *arg, const struct sim_waiting *w)
{
    uint64_t *n_told = arg;

    *n_told += w->packet->bytes > 0;
    return true;
}

struct host_counts
host_counts(const struct sim_thread *t)
{
    struct host_counts counts = t->counts;

    for (uint32_t held = 0; held < t->node.n_pool; held++) {
        counts.n_held += t->node.frames[held] != NULL;
    }
    t->kind->each_held(&t->node, count_held, &counts.n_told);
    counts.n_strange += t->node.weir.n_strange_frames;
    counts.used_bytes = t->node.buffer.used_bytes;
    return counts;
}
