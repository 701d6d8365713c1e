/* Random scenarios: traffic, engines, buffers and transports on random networks. */

#include "draw-parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../chance.h"

static const uint32_t mtus_bytes[] = { 256, 1500, 1500, 4096, 9216 };
static const uint32_t gaps_bytes[] = { 0, 12, 20 };
static const weir_ps responses_ps[] = { 0, 100000, 3000000, 20000000 };

/* The duration of the run: not too many packets, and not too many windows. */

static weir_ps
draw_until(struct draw *d)
{
    uint64_t sum_bps = 0;
    weir_ps window = WEIR_PS_PER_S;

    for (size_t i = 0; i < d->topo.n_links; i++) {
        const struct topo_link *l = &d->topo.links[i];
        weir_ps least = l->delay_ps + weir_wire_ps(64, l->rate_bps);
        bool is_nic = d->topo.nodes[l->node[0]].kind == TOPO_NIC ||
                      d->topo.nodes[l->node[1]].kind == TOPO_NIC;
        sum_bps += is_nic ? l->rate_bps : 0;
        window = least < window ? least : window;
    }
    uint64_t times = d->is_trap || one_in(&d->chance, 12) ? 8 : 1,
             n_packets = times * (1000 + below(&d->chance, 5000));
    weir_ps by_packets = weir_wire_ps(n_packets * d->config.mtu_bytes, sum_bps);
    weir_ps by_windows = (weir_ps)(times * (1000 + below(&d->chance, 2000))) * window;
    return by_packets < by_windows ? by_packets : by_windows;
}

static uint32_t
nic(const struct draw *d, uint64_t index)
{
    for (uint32_t i = 0;; i++) {
        if (d->topo.nodes[i].kind == TOPO_NIC && d->topo.nodes[i].index == index) {
            return i;
        }
    }
}

static bool
moves_classes(const struct draw *d)
{
    return d->config.stack.layers[0].engine->moves_classes;
}

static void
draw_flow(struct draw *d, struct simple_net_flow *f)
{
    const struct simple_net *c = &d->config;

    f->cls =
        (uint8_t)below(&d->chance, moves_classes(d) ? 1 + one_in(&d->chance, 20) : c->n_classes);
    f->bytes = one_in(&d->chance, 2) ? MODEL_ENDLESS
                                     : 1 + below(&d->chance, one_in(&d->chance, 3) ? 2000 : 300000);
    f->rate_bps = one_in(&d->chance, 3) ? 1000000 + below(&d->chance, 50000000000) : WEIR_UNLIMITED;
    f->start_ps =
        one_in(&d->chance, 3) ? 0 : (weir_ps)below(&d->chance, (uint64_t)c->run.until_ps / 3 + 1);
}

/* Flows go from any host to any other; or half of them go to one host; or each host sends endless
 * flows to the next host but one. */
static void
draw_flows(struct draw *d)
{
    enum {
        ANYWHERE,
        TO_ONE,
        AROUND
    } pattern = d->is_trap ? AROUND : (uint32_t)below(&d->chance, AROUND + 1);
    uint64_t n = d->topo.n_nics, one = below(&d->chance, n);
    struct simple_net *c = &d->config;

    c->n_flows = pattern == AROUND ? (uint32_t)n : 1 + (uint32_t)below(&d->chance, 2 * n);
    c->n_flows = c->n_flows < DRAW_MAX_FLOWS ? c->n_flows : DRAW_MAX_FLOWS;
    c->flows = d->flows;
    for (uint32_t i = 0; i < c->n_flows; i++) {
        struct simple_net_flow *f = &d->flows[i];
        uint64_t from = below(&d->chance, n), to = (from + 1 + below(&d->chance, n - 1)) % n;
        draw_flow(d, f);
        if (pattern == AROUND) {
            from = i;
            to = (i + (n > 2 ? 2 : 1)) % n;
            f->bytes = MODEL_ENDLESS;
            f->rate_bps = WEIR_UNLIMITED;
            f->cls = 0;
        } else if (pattern == TO_ONE && from != one && one_in(&d->chance, 2)) {
            to = one;
        }
        f->from = nic(d, from);
        f->to = nic(d, to);
    }
}

/* Draws a random walk from switch to switch, until it reaches the switch of the receiver; false if
 * it does not in time. */
static bool
draw_path(struct draw *d, const struct simple_net_flow *f, uint16_t *path, uint32_t *n)
{
    const struct topo *topo = &d->topo;
    uint32_t leaf = topo->leaves[topo->nodes[f->to].leaf],
             at = topo->leaves[topo->nodes[f->from].leaf];

    for (*n = 0; at != leaf && *n + 1 < DRAW_MAX_PATH;) {
        const struct topo_node *node = &topo->nodes[at];
        uint32_t port = node->first_port + (uint32_t)below(&d->chance, node->n_ports);
        uint32_t next = topo->ports[topo->ports[port].peer].node;
        if (topo->nodes[next].kind == TOPO_SWITCH && !topo->links[topo->ports[port].link].failed) {
            path[(*n)++] = (uint16_t)topo->ports[port].number;
            at = next;
        }
    }
    path[(*n)++] = (uint16_t)topo->ports[topo_port_to(topo, leaf, f->to)].number;
    return at == leaf;
}

/* Gives flows pinned paths, which may close a cycle of waiting buffers anywhere. */
static void
draw_paths(struct draw *d)
{
    for (uint32_t i = 0; i < d->config.n_flows; i++) {
        struct simple_net_flow *f = &d->flows[i];
        uint32_t n;
        if (one_in(&d->chance, 2) && draw_path(d, f, d->paths[i], &n)) {
            f->path = d->paths[i];
            f->n_path = (uint16_t)n;
        }
    }
    d->is_loop_free = false;
}

/* Draws links that go down and come up again, after a long or a very short time. */
static void
draw_events(struct draw *d)
{
    struct simple_net *c = &d->config;

    c->link_events = d->events;
    c->n_link_events = one_in(&d->chance, d->topo.n_multi ? 2 : 5)
                           ? 2 * (1 + (uint32_t)below(&d->chance, DRAW_MAX_EVENTS / 2))
                           : 0;
    for (uint32_t i = 0; i < c->n_link_events; i += 2) {
        uint32_t link = (uint32_t)(i / 2 % d->topo.n_links);
        weir_ps down = (weir_ps)below(&d->chance, (uint64_t)c->run.until_ps) + 1;
        uint64_t longest = one_in(&d->chance, 2) ? 100000 : (uint64_t)c->run.until_ps;
        weir_ps up = down + 1 + (weir_ps)below(&d->chance, longest);
        d->events[i] = (struct topo_link_event){ link, down, false };
        d->events[i + 1] = (struct topo_link_event){ link, up, true };
    }
}

/* Draws classes for engines that move packets between classes: such scenarios are often refused if
 * they have few classes or lossy ones. */
static void
draw_classes(struct draw *d)
{
    static const char *const choices[] = { "hops", "halved", "quartered" };
    struct weir_text why = { 0 };

    d->config.n_classes =
        (uint8_t)(one_in(&d->chance, 4) ? 2 + below(&d->chance, 7) : WEIR_MAX_CLASSES);
    d->config.lossless = one_in(&d->chance, 4) ? d->config.lossless : 0xff;
    if (!strcmp(d->network, "fat-tree")) {
        weir_stack_set(&d->config.stack, 0, "classes", ONE_OF(&d->chance, choices), &why);
    }
}

/* Draws hosts that do not drain some or all classes for a while; stalls of a host may overlap. */
static void
draw_stalls(struct draw *d)
{
    struct simple_net *c = &d->config;

    c->stalls = d->stalls;
    c->n_stalls = one_in(&d->chance, 4) ? 1 + (uint32_t)below(&d->chance, DRAW_MAX_STALLS) : 0;
    for (uint32_t i = 0; i < c->n_stalls; i++) {
        struct model_stall *s = &d->stalls[i];
        s->node =
            one_in(&d->chance, 2) ? d->flows[0].to : nic(d, below(&d->chance, d->topo.n_nics));
        s->classes = (uint8_t)(one_in(&d->chance, 2) ? 0xff : below(&d->chance, 256));
        s->from_ps = (weir_ps)below(&d->chance, (uint64_t)c->run.until_ps);
        s->until_ps = s->from_ps + 1 + (weir_ps)below(&d->chance, (uint64_t)c->run.until_ps);
    }
}

/* Draws a watchdog, or none, with short times, so that storms start and end within a short run.
 * Engines that do not pause have one in less than a quarter of the runs. */
static void
draw_watchdog(struct draw *d)
{
    struct simple_net *c = &d->config;
    uint64_t longest = (uint64_t)c->run.until_ps / (one_in(&d->chance, 2) ? 10 : 200) + 1;

    if (c->stack.layers[0].engine->limits & WEIR_LIMIT_OPEN || one_in(&d->chance, 4)) {
        c->watchdog.action = (enum model_watchdog_action)below(&d->chance, MODEL_ALERT + 1);
        c->watchdog.detection_ps = 1 + (weir_ps)below(&d->chance, longest);
        c->watchdog.restoration_ps = 1 + (weir_ps)below(&d->chance, longest);
    }
}

/* Draws parameters of FAFC over PFC, with thresholds that small buffers reach. */
static void
draw_foresight(struct draw *d)
{
    struct weir_stack *stack = &d->config.stack;
    const struct weir_field *fields = weir_engine_find("fafc")->about.params;
    static const char *const choices[] = { "decide", "condition",   "memory", "quanta",
                                           "slow",   "uncongested", "frames", "predict" };

    if (strcmp(d->engine, "fafc")) {
        return;
    }
    void *params = stack->layers[1].params;
    weir_field_set(weir_field_find(fields, "th_e"), params, 2000 + below(&d->chance, 8000));
    weir_field_set(weir_field_find(fields, "th_p"), params, 10000 + below(&d->chance, 20000));
    weir_field_set(weir_field_find(fields, "period"), params, 1000000 + below(&d->chance, 4000000));
    for (size_t i = 0; i < N_OF(choices); i++) {
        weir_field_set(weir_field_find(fields, choices[i]), params, below(&d->chance, 2));
    }
}

static void
draw_engines(struct draw *d)
{
    struct weir_stack *stack = &d->config.stack;
    struct weir_text why = { 0 };
    const char *names[32];
    size_t n = weir_plugin_names(&weir_engines, names, N_OF(names));

    d->engine = one_in(&d->chance, 3) ? "pfc" : names[below(&d->chance, n)];
    if (weir_engine_find(d->engine)->needs_last_resort) {
        weir_stack_add(stack, weir_engine_find("pfc"));
    }
    weir_stack_add(stack, weir_engine_find(d->engine));
    if (weir_field_find(stack->layers[0].engine->about.params, "threshold") &&
        d->config.buffer.headroom_bytes) {
        weir_stack_set(stack, 0, "threshold", "dynamic", &why);
    }
    if (moves_classes(d)) {
        draw_classes(d);
    }
    if (weir_field_find(stack->layers[0].engine->about.params, "period") && one_in(&d->chance, 2)) {
        weir_stack_set(stack, 0, "period", "5us", &why);
    }
    if (strcmp(d->engine, "ecn") && one_in(&d->chance, 4)) {
        weir_stack_add(stack, weir_engine_find("ecn"));
    }
    draw_foresight(d);
}

/* Draws buffers: each (port, class) has a dedicated buffer, large or small, or there is a shared
 * part with headroom. */
static void
draw_buffer(struct draw *d)
{
    struct simple_net *c = &d->config;
    uint64_t bytes = 20000 << below(&d->chance, d->is_trap ? 3 : 8);

    c->buffer = (struct weir_buffer_class){ .reserve_bytes = bytes + below(&d->chance, bytes) };
    if (one_in(&d->chance, 4)) {
        c->buffer = (struct weir_buffer_class){ .headroom_bytes = bytes };
        c->buffer.reserve_bytes = below(&d->chance, 20000);
        c->buffer.alpha = 1 + below(&d->chance, 4 * WEIR_RATIO_1);
        c->shared_bytes = 100000 + below(&d->chance, 1000000);
        c->buffer.partition_bytes = one_in(&d->chance, 2) ? 0 : below(&d->chance, 200000);
    }
}

static void
draw_scheduling(struct draw *d)
{
    static const char *const schedulings[] = { "rr", "rr", "strict", "dwrr" };

    d->config.scheduling = ONE_OF(&d->chance, schedulings);
    for (int cls = 0; cls < WEIR_MAX_CLASSES; cls++) {
        d->config.weights[cls] = (uint32_t)below(&d->chance, 4);
    }
}

/* All flows have one recovery, so that either all packets that are lost on links are retransmitted,
 * or none. */
static void
draw_transport(struct draw *d)
{
    const struct transport *transport = one_in(&d->chance, 4)   ? &tp_rdma
                                        : one_in(&d->chance, 6) ? &tp_dcqcn
                                        : one_in(&d->chance, 6) ? &tp_dctcp
                                                                : &tp_raw;

    weir_fields_default(transport->about.params, d->transport_params);

    d->config.ack_every = 1 + (uint32_t)below(&d->chance, 5);
    d->config.retry_ps = 20000000 + (weir_ps)below(&d->chance, 500000000);
    for (uint32_t i = 0; i < d->config.n_flows; i++) {
        d->flows[i].transport = transport;
        d->flows[i].transport_params = d->transport_params;
    }
}

/* Uses its own random state, so that the rest of a seed's scenario does not change. */
static void
draw_recovery(struct draw *d, uint64_t seed)
{
    uint64_t chance = ~seed;
    const struct weir_field *fields = rc_selective.about.params;

    weir_fields_default(fields, d->recovery_params);
    if (weir_random(&chance) % 2) {
        weir_field_set(weir_field_find(fields, "reorder"), d->recovery_params,
                       weir_random(&chance) % 10);
        weir_field_set(weir_field_find(fields, "wait"), d->recovery_params,
                       100000 + weir_random(&chance) % 50000000);
    }
    if (weir_random(&chance) % 3 == 0) {
        weir_field_set(weir_field_find(fields, "span"), d->recovery_params,
                       2 + weir_random(&chance) % 100);
    }
    bool is_selective = weir_random(&chance) % 2;
    for (uint32_t i = 0; is_selective && i < d->config.n_flows; i++) {
        d->flows[i].recovery = &rc_selective;
        d->flows[i].recovery_params = d->recovery_params;
    }
}

/* In a third of the runs with a reliable transport, all flows use TCP, which also finds losses by
 * timeouts alone. */
static void
draw_tcp(struct draw *d, uint64_t seed)
{
    uint64_t chance = seed ^ 0x7c97c97c97c97c9;
    const struct weir_field *fields = tp_tcp.about.params;

    if (d->flows[0].transport == &tp_raw || weir_random(&chance) % 3) {
        return;
    }
    weir_fields_default(fields, d->transport_params);
    weir_field_set(weir_field_find(fields, "window"), d->transport_params,
                   1 + weir_random(&chance) % 40);
    if (weir_random(&chance) % 2) {
        weir_field_set(weir_field_find(fields, "min_rto"), d->transport_params,
                       20000000 + weir_random(&chance) % 500000000);
    }
    if (weir_random(&chance) % 3 == 0) {
        weir_field_set(weir_field_find(rc_selective.about.params, "reorder"), d->recovery_params,
                       WEIR_OFF);
    }
    for (uint32_t i = 0; i < d->config.n_flows; i++) {
        d->flows[i].transport = &tp_tcp;
    }
}

/* In a third of the remaining runs, flows use round trips or telemetry. */
static void
draw_delays(struct draw *d, uint64_t seed)
{
    uint64_t chance = seed ^ 0x5eed0fde1a75eed;
    const struct transport *transport = weir_random(&chance) % 2 ? &tp_timely : &tp_hpcc;
    const struct weir_field *fields = transport->about.params;

    if (d->flows[0].transport == &tp_raw || d->flows[0].transport == &tp_tcp ||
        weir_random(&chance) % 3) {
        return;
    }
    weir_fields_default(fields, d->transport_params);
    if (transport == &tp_timely) {
        weir_field_set(weir_field_find(fields, "window"), d->transport_params,
                       weir_random(&chance) % 2);
        weir_field_set(weir_field_find(fields, "t_low"), d->transport_params,
                       weir_random(&chance) % 50000000);
    } else {
        weir_field_set(weir_field_find(fields, "stages"), d->transport_params,
                       weir_random(&chance) % 6);
    }
    for (uint32_t i = 0; i < d->config.n_flows; i++) {
        d->flows[i].transport = transport;
    }
}

/* Draws static routes, which may be circular, and a hop limit. */
static void
draw_statics(struct draw *d)
{
    struct topo *t = &d->topo;

    d->is_astray = true;
    d->is_loop_free = false;
    d->config.hop_limit = one_in(&d->chance, 2) ? 1 + (uint32_t)below(&d->chance, 12) : 0;
    for (uint64_t n = 1 + below(&d->chance, 12); n; n--) {
        uint32_t port = (uint32_t)below(&d->chance, t->n_ports),
                 to = nic(d, below(&d->chance, t->n_nics));
        bool is_between = t->nodes[t->ports[port].node].kind == TOPO_SWITCH &&
                          t->nodes[t->ports[t->ports[port].peer].node].kind == TOPO_SWITCH;
        bool is_own = t->ports[port].node == topo_switch_of(t, to);
        if (is_between) {
            topo_add_static(t, one_in(&d->chance, 2) && !is_own ? topo_switch_of(t, to) : to, port);
        }
    }
    topo_route(t);
}

/* Draws a QCN congestion point at the inputs or outputs of a switch, with any rule of blame that
 * fits, and fast enough to act in a short run. */
static void
draw_point(struct draw *d, uint64_t *chance, uint32_t layer)
{
    static const char *const blames[] = { "arrival", "occupancy", "oldest", "two" };
    struct weir_stack *stack = &d->config.stack;
    const struct weir_field *fields = stack->layers[layer].engine->about.params;
    bool is_output = one_in(chance, 2);
    uint64_t mtu = d->config.mtu_bytes;
    struct weir_text why = { 0 };
    const struct {
        const char *name;
        uint64_t value;
    } params[] = {
        { "qeq", one_in(chance, 2) ? 1 + below(chance, 2 * mtu) : mtu + below(chance, 20000) },
        { "weight", below(chance, 17) },
        { "interval", 64 + below(chance, 10 * mtu) },
        { "jitter", 1 + below(chance, WEIR_RATIO_1 / 2) },
        { "keep_alive", one_in(chance, 3) ? 0 : 100000 + below(chance, 20000000) },
        { "timer", 1000000 + below(chance, 100000000) },
        { "bytes", 64 + below(chance, 100000) },
        { "cycles", 1 + below(chance, 8) },
        { "ai", 1000 + below(chance, 1000000000) },
        { "hai", 1000 + below(chance, 1000000000) },
        { "min_rate", 1000 + below(chance, 900000000) },
        { "extra", one_in(chance, 2) },
        { "install", one_in(chance, 2) },
    };

    weir_stack_set(stack, layer, "place", is_output ? "output" : "input", &why);
    weir_stack_set(stack, layer, "blame",
                   blames[below(chance, is_output || d->is_piped ? 3 : N_OF(blames))], &why);
    for (size_t i = 0; i < N_OF(params); i++) {
        weir_field_set(weir_field_find(fields, params[i].name), stack->layers[layer].params,
                       params[i].value);
    }
}

static void
draw_points(struct draw *d, uint64_t seed)
{
    struct weir_stack *stack = &d->config.stack;
    uint64_t chance = seed ^ 0x5a9c25a9c25a9c2;

    if (!strcmp(d->engine, "qcn")) {
        draw_point(d, &chance, 0);
    } else if (one_in(&chance, 3) && weir_stack_add(stack, weir_engine_find("qcn"))) {
        draw_point(d, &chance, stack->n - 1);
        d->has_points = true;
    }
}

/* Draws flows that stop before all their bytes are sent, and ends of links that are slower for a
 * while. */
static void
draw_hotspots(struct draw *d, uint64_t seed)
{
    struct simple_net *c = &d->config;
    uint64_t chance = seed ^ 0x510e510e510e510, until = (uint64_t)c->run.until_ps;
    bool stops = one_in(&chance, 4), slows = one_in(&chance, 4) && !c->n_link_events;

    for (uint32_t i = 0; stops && i < c->n_flows; i++) {
        weir_ps stop = d->flows[i].start_ps + 1 + (weir_ps)below(&chance, until);
        d->flows[i].stop_ps = one_in(&chance, 2) ? stop : 0;
    }
    c->slowings = d->slowings;
    c->n_slowings = slows ? DRAW_MAX_SLOWINGS : 0;
    for (uint32_t i = 0; i < c->n_slowings; i++) {
        struct topo_slowing *s = &d->slowings[i];
        s->link = (uint32_t)below(&chance, d->topo.n_links);
        s->end = (uint32_t)below(&chance, 2);
        s->at_ps =
            (weir_ps)(until / DRAW_MAX_SLOWINGS * i + below(&chance, until / DRAW_MAX_SLOWINGS));
        s->rate_bps = d->topo.links[s->link].rate_bps / (1 + below(&chance, 20));
    }
}

/* Half of the networks whose links go down find new routes. Uses its own random state. */
static void
draw_reroute(struct draw *d, uint64_t seed)
{
    uint64_t chance = seed ^ 0x2e2074e2e2074e2;
    struct simple_net *c = &d->config;

    if (c->n_link_events && one_in(&chance, 2)) {
        c->reroute_ps = 1 + (weir_ps)below(&chance, (uint64_t)c->run.until_ps / 6 + 1);
        d->is_loop_free = false;
    }
    c->dead = one_in(&chance, 3) ? (enum model_dead)below(&chance, 3) : MODEL_DEAD_FORWARD;
}

static const char *
one_of_registry(struct draw *d, const struct weir_registry *registry)
{
    uint64_t n = 0;

    while (weir_plugin_name(registry, n)) {
        n++;
    }
    return weir_plugin_name(registry, below(&d->chance, n));
}

void
draw_start(struct draw *d, uint64_t seed)
{
    *d = (struct draw){ .chance = seed };
    d->is_trap = one_in(&d->chance, 5);
    struct simple_net *c = &d->config;

    draw_network(d);
    c->topo = &d->topo;
    c->n_classes = (uint8_t)(one_in(&d->chance, 2) ? 1 : 1 + below(&d->chance, 8));
    c->lossless = (uint8_t)(one_in(&d->chance, 2) ? 0xff : 1 + below(&d->chance, 255));
    c->mtu_bytes = ONE_OF(&d->chance, mtus_bytes);
    c->gap_bytes = ONE_OF(&d->chance, gaps_bytes);
    c->response_ps = ONE_OF(&d->chance, responses_ps);
    c->response_ps = seed % 5 == 3 ? MODEL_BY_RATE : c->response_ps;
    c->arbitration = d->is_trap ? "fifo" : one_of_registry(d, &sim_arbitrations);
    draw_scheduling(d);
    c->run.seed = weir_random(&d->chance);
    c->run.n_threads = 1;
    c->run.until_ps = draw_until(d);
    draw_buffer(d);
    draw_engines(d);
    draw_flows(d);
    draw_transport(d);
    draw_recovery(d, seed);
    draw_tcp(d, seed);
    draw_delays(d, seed);
    if (one_in(&d->chance, 6)) {
        draw_paths(d);
    }
    draw_events(d);
    if (one_in(&d->chance, 4)) {
        draw_statics(d);
    }
    draw_stalls(d);
    draw_watchdog(d);
    draw_kind(d, seed);
    draw_points(d, seed);
    draw_hotspots(d, seed);
    c->paths = one_of_registry(d, &sim_path_choices);
    draw_reroute(d, seed);
}

void
draw_stop(struct draw *d)
{
    topo_free(&d->topo);
}

bool
draw_is_broken(const struct draw *d, const struct sim *sim)
{
    struct sim_totals t = sim_totals(sim);

    return !d->is_shared &&
           t.n_dropped_lossless > (d->may_overflow ? t.n_dropped_output : 0) + t.n_flushed;
}

void
draw_tell(const struct draw *d, char *text, size_t max)
{
    const struct simple_net *c = &d->config;
    snprintf(
        text, max,
        "%s%s%s%s, %s%s%s, %s, %s, %s, %s (%s), %u flows, %u classes (lossless %#x), mtu %u gap "
        "%u, "
        "response "
        "%lld ps, "
        "buffer %llu/%llu/%llu/%llu%s, %u link events, reroute %lld ps, dead %d, %zu static "
        "routes, hop limit %u, %u "
        "stalls, %u slowings, watchdog %d, until %lld ps",
        d->network, d->is_trap ? " (trap)" : "",
        d->is_piped     ? " of pipelines"
        : d->is_crossed ? " of crossbars"
                        : "",
        d->may_overflow ? " that drop"
        : d->may_stand  ? " that stop"
                        : "",
        d->engine, c->stack.n > 1u + d->has_points ? ", ecn" : "", d->has_points ? ", qcn" : "",
        c->arbitration, c->scheduling, c->paths, d->flows[0].transport->about.name,
        transport_recovery(d->flows[0].transport, d->flows[0].recovery)->about.name, c->n_flows,
        c->n_classes, c->lossless, c->mtu_bytes, c->gap_bytes, (long long)c->response_ps,
        (unsigned long long)c->buffer.reserve_bytes, (unsigned long long)c->buffer.partition_bytes,
        (unsigned long long)c->shared_bytes, (unsigned long long)c->buffer.headroom_bytes,
        d->is_lossy ? ", lossy" : "", c->n_link_events, (long long)c->reroute_ps, c->dead,
        d->topo.n_statics, c->hop_limit, c->n_stalls, c->n_slowings, c->watchdog.action,
        (long long)c->run.until_ps);
}

void
draw_print(const struct draw *d)
{
    char text[500];

    draw_tell(d, text, sizeof text);
    printf("  %s\n", text);
}

void
draw_fail(const struct draw *d, uint64_t seed, const char *what)
{
    char text[500];

    draw_tell(d, text, sizeof text);
    fail_msg("seed %llu: %s\n  %s", (unsigned long long)seed, what, text);
}

struct sim *
draw_sim(const struct draw *d, uint32_t n_threads)
{
    struct simple_net c = d->config;
    struct err err;

    c.run.n_threads = n_threads;
    c.run.why = n_threads > 1;
    return simple_net_sim_new(&c, &err);
}
