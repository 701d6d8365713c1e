/* The kinds of switches in another host: fed with the frames that a switch of the simulator has
 * received, it sends what that switch has sent, frame by frame and byte by byte. */

#include "base/array.h"
#include "engines.h"
#include "frame.h"
#include "net.h"
#include "switch.h"

struct trace { /* What crossed all ports of a network, in order. */
    struct sim_crossing *items;
    size_t n, max;
};

struct sent { /* A frame that left the second host. */
    weir_ps at_ps;
    uint32_t port;
    size_t len;
    uint8_t *bytes;
};

struct sents {
    struct sent *items;
    size_t n, max;
};

/* The simulator's side. */

static void
keep_crossings(void *arg, struct sim *sim, const struct sim_crossing *crossings, size_t n)
{
    struct trace *trace = arg;

    (void)sim;
    for (size_t i = 0; i < n; i++) {
        ARRAY_PUSH(trace->items, trace->n, trace->max) = crossings[i];
    }
}

static struct sim *
run_captured(struct net *net, struct trace *trace)
{
    bool *captured = calloc(net->topo.n_ports, sizeof *captured);
    struct err err = { 0 };

    memset(captured, true, net->topo.n_ports * sizeof *captured);
    *trace = (struct trace){ 0 };
    net->config.run.captured = captured;
    net->config.run.crossed = keep_crossings;
    net->config.run.crossed_arg = trace;
    struct sim *sim = uniform_sim_new(&net->config, &err);
    if (!sim) {
        fail_msg("%s", err.text);
    }
    sim_run(sim);
    free(captured);
    return sim;
}

/* As it stood on the wire; returns the length. */
static size_t
bytes_of(const struct net *net, const struct sim_crossing *c, uint8_t *bytes)
{
    static const uint8_t source[6] = { 0 };

    if (c->to != SIM_NONE) {
        frame_encode_message(
            &c->frame, &(struct frame_message){ net->topo.nodes[c->to].index, c->about, c->n_hops },
            bytes);
        return WEIR_ETHERNET_BYTES;
    }
    if (c->flow == SIM_NO_FLOW) {
        weir_frame_to_ethernet(&c->frame, source, bytes);
        return WEIR_ETHERNET_BYTES;
    }
    const struct plant_flow *f = &net->flows[c->flow];
    uint32_t to = c->kind == SIM_DATA ? f->to : f->from;
    return frame_encode(&(struct sim_packet){ .flow = c->flow,
                                              .sequence = c->sequence,
                                              .dst = net->topo.nodes[to].index & SIM_MAX_DST,
                                              .n_hops = c->n_hops,
                                              .bytes = c->bytes,
                                              .cls = c->cls,
                                              .ecn = c->ecn & 3u,
                                              .kind = c->kind & 63u },
                        bytes);
}

/* The second host's side. */

static void
keep_sent(void *arg, weir_ps at, uint32_t port, const uint8_t *bytes, size_t len)
{
    struct sents *sents = arg;
    struct sent *s = &ARRAY_PUSH(sents->items, sents->n, sents->max);

    *s = (struct sent){ at, port, len, malloc(len) };
    memcpy(s->bytes, bytes, len);
}

/* From a switch to each host. */
static struct host_ways *
ways_from(const struct topo *topo, uint32_t id, uint16_t *last_ports)
{
    struct host_ways *ways = calloc(topo->n_nics, sizeof *ways);

    for (uint32_t i = 0; i < topo->n_nodes; i++) {
        const struct topo_node *node = &topo->nodes[i];
        if (node->kind != TOPO_NIC) {
            continue;
        }
        uint32_t group = topo->routes[topo->nodes[id].index * topo->n_leaves + node->leaf];
        if (topo->leaves[node->leaf] == id) {
            last_ports[node->index] =
                (uint16_t)topo->ports[topo->ports[node->first_port].peer].number;
            ways[node->index] = (struct host_ways){ &last_ports[node->index], 1, SIM_NONE };
        } else if (group != TOPO_NONE) {
            ways[node->index] = (struct host_ways){ &topo->choices[topo->groups[group].first],
                                                    topo->groups[group].n, node->leaf };
        }
    }
    return ways;
}

struct copy { /* A switch of the network in the second host, and all that it is lent. */
    struct sim_thread *host;
    struct host_ways *ways;
    uint16_t *last_ports;
    uint32_t *senders;
    uint64_t arbitration_params[16], kind_params[16], path_params[16];
    struct sents sents;
};

static void
copy_start(struct copy *copy, const struct net *net, const struct sim *sim, uint32_t id)
{
    const struct uniform *c = &net->config;

    const struct sim_arbitration *a = sim_arbitration_find(c->arbitration);
    const struct sim_path_choice *p = sim_path_choice_find(c->paths);

    *copy = (struct copy){ 0 };
    if (p->about.params) {
        weir_fields_default(p->about.params, copy->path_params);
    }
    if (a->about.params) {
        weir_fields_default(a->about.params, copy->arbitration_params);
    }
    if (c->kind_params) {
        memcpy(copy->kind_params, c->kind_params, c->kind->about.params_bytes);
    } else if (c->kind->about.params) {
        weir_fields_default(c->kind->about.params, copy->kind_params);
    }
    copy->last_ports = calloc(net->topo.n_nics, sizeof *copy->last_ports);
    copy->ways = ways_from(&net->topo, id, copy->last_ports);
    copy->senders = calloc(c->n_flows, sizeof *copy->senders);
    for (uint32_t i = 0; i < c->n_flows; i++) {
        copy->senders[i] = net->topo.nodes[net->flows[i].from].index;
    }
    copy->host = host_new(&(struct host_config){ .shape = plant_shape_of(sim_plant(sim), id),
                                                 .stack = c->stack,
                                                 .kind = c->kind->about.name,
                                                 .arbitration = c->arbitration,
                                                 .path_choice = c->paths,
                                                 .scheduling = c->scheduling,
                                                 .kind_params = copy->kind_params,
                                                 .arbitration_params = copy->arbitration_params,
                                                 .path_params = copy->path_params,
                                                 .weights = c->weights,
                                                 .hop_limit = c->hop_limit,
                                                 .takes_short_cuts = id % 2,
                                                 .seed = c->run.seed,
                                                 .flow_keys = sim_flow_keys(sim),
                                                 .flow_senders = copy->senders,
                                                 .n_flow_keys = c->n_flows,
                                                 .ways = copy->ways,
                                                 .n_ways = net->topo.n_nics,
                                                 .n_leaves = net->topo.n_leaves,
                                                 .sent = keep_sent,
                                                 .sent_arg = &copy->sents });
    assert_non_null(copy->host);
}

static void
copy_stop(struct copy *copy)
{
    host_free(copy->host);
    for (size_t i = 0; i < copy->sents.n; i++) {
        free(copy->sents.items[i].bytes);
    }
    free(copy->sents.items);
    free(copy->ways);
    free(copy->senders);
    free(copy->last_ports);
}

/* Side by side. */

static int
by_time_and_port(const void *a, const void *b)
{
    const struct sent *x = a, *y = b;

    if (x->at_ps != y->at_ps) {
        return x->at_ps < y->at_ps ? -1 : 1;
    }
    return (x->port > y->port) - (x->port < y->port);
}

static void
feed(const struct net *net, const struct trace *trace, uint32_t id, struct copy *copy)
{
    uint8_t bytes[FRAME_MAX];

    for (size_t i = 0; i < trace->n; i++) {
        const struct sim_crossing *c = &trace->items[i];
        const struct topo_port *port = &net->topo.ports[c->port];
        if (port->node == id && !c->is_sent) {
            host_receive(copy->host, c->at_ps, port->number, bytes, bytes_of(net, c, bytes));
        }
    }
    host_run(copy->host, net->config.run.until_ps);
    array_sort(copy->sents.items, copy->sents.n, sizeof *copy->sents.items, by_time_and_port);
}

static void
assert_same_sent(const struct net *net, const struct trace *trace, uint32_t id,
                 const struct sents *sents)
{
    uint8_t bytes[FRAME_MAX];
    size_t n = 0;

    for (size_t i = 0; i < trace->n; i++) {
        const struct sim_crossing *c = &trace->items[i];
        const struct topo_port *port = &net->topo.ports[c->port];
        if (port->node == id && c->is_sent) {
            assert_true(n < sents->n);
            const struct sent *s = &sents->items[n++];
            assert_int_equal(s->at_ps, c->at_ps);
            assert_int_equal(s->port, port->number);
            assert_int_equal(s->len, bytes_of(net, c, bytes));
            assert_memory_equal(s->bytes, bytes, s->len);
        }
    }
    assert_int_equal(n, sents->n);
}

struct seen { /* What a comparison must have met to be worth something. */
    uint64_t n_packets, n_frames, n_messages, n_marked, n_refused, n_overflowed, n_late;
};

static void
see(struct seen *seen, const struct copy *copy)
{
    struct host_counts counts = host_counts(copy->host);
    struct sim_packet packet;

    for (size_t i = 0; i < copy->sents.n; i++) {
        const struct sent *s = &copy->sents.items[i];
        bool is_packet = frame_decode(s->bytes, s->len, &packet);
        seen->n_packets += is_packet;
        seen->n_frames += !is_packet;
        seen->n_messages += !is_packet && s->bytes[6] == 6;
        seen->n_marked += is_packet && packet.ecn == WEIR_CE;
    }
    seen->n_refused += counts.n_refused;
    seen->n_overflowed += counts.n_overflowed;
    seen->n_late += counts.n_late;
}

enum { MANY_ROUNDS = 10000 };

/* What still waits there at the end is dropped, or sent meanwhile, until nothing is held; copies go
 * some time after their packets. */
static void
assert_all_can_go(const struct net *net, struct copy *copy)
{
    struct host_counts before = host_counts(copy->host), after = before;
    struct seen at_end = { 0 }, later = { 0 };
    weir_ps now = net->config.run.until_ps;

    see(&at_end, copy);
    assert_int_equal(before.n_held, before.n_told);
    for (uint32_t i = 0; after.n_held + after.used_bytes && i < MANY_ROUNDS; i++) {
        host_discard(copy->host, now);
        now += 1000000;
        host_run(copy->host, now);
        after = host_counts(copy->host);
    }
    see(&later, copy);
    assert_int_equal(after.n_held + after.n_told + after.used_bytes, 0);
    assert_int_equal(after.n_discarded + later.n_packets - at_end.n_packets, before.n_held);
}

static void
compare_switch(const struct net *net, const struct sim *sim, const struct trace *trace, uint32_t id,
               struct seen *seen)
{
    struct copy copy;

    copy_start(&copy, net, sim, id);
    feed(net, trace, id, &copy);
    assert_same_sent(net, trace, id, &copy.sents);
    see(seen, &copy);
    assert_all_can_go(net, &copy);
    copy_stop(&copy);
}

static void
compare(struct net *net, struct seen *all)
{
    struct seen seen = { 0 };
    struct trace trace;
    struct sim *sim = run_captured(net, &trace);

    for (uint32_t id = 0; id < net->topo.n_nodes; id++) {
        if (net->topo.nodes[id].kind == TOPO_SWITCH) {
            compare_switch(net, sim, &trace, id, &seen);
        }
    }
    assert_int_equal(seen.n_refused + seen.n_overflowed, sim_totals(sim).n_dropped);
    assert_int_equal(seen.n_overflowed, sim_totals(sim).n_overflowed);
    assert_int_equal(seen.n_late, sim_totals(sim).n_expired);
    all->n_packets += seen.n_packets;
    all->n_frames += seen.n_frames;
    all->n_messages += seen.n_messages;
    all->n_marked += seen.n_marked;
    all->n_refused += seen.n_refused;
    all->n_overflowed += seen.n_overflowed;
    all->n_late += seen.n_late;
    sim_free(sim);
    free(trace.items);
}

/* Networks.  Two flows a host: one to another host, raw, and one to the first, by DCTCP, which has
 * acknowledgements and can be marked.  Of three classes the last may lose packets. */

static void
add_flows(struct net *net, uint64_t *transport_params)
{
    const struct transport *dctcp = transport_find("dctcp");
    uint32_t n = net->config.n_flows;

    weir_fields_default(dctcp->about.params, transport_params);
    net->flows = realloc(net->flows, 2 * (size_t)n * sizeof *net->flows);
    for (uint32_t i = 0; i < n; i++) {
        net->flows[i].cls = (uint8_t)(i % 3);
        net->flows[n + i] = net->flows[i];
        net->flows[n + i].to = net_nic(net, net->flows[i].from == net_nic(net, 0) ? 1 : 0);
        net->flows[n + i].cls = (uint8_t)(i / 2 % 3);
        net->flows[n + i].transport = dctcp;
        net->flows[n + i].transport_params = transport_params;
    }
    net->config.flows = net->flows;
    net->config.n_flows = 2 * n;
}

static void
start(struct net *net, topo_builder *build, const struct topo_build *b, uint64_t *transport_params)
{
    net_start(net, build, b, PLANT_ENDLESS, 1);
    add_flows(net, transport_params);
    net->config.n_classes = 3;
    net->config.lossless = 3;
    net->config.gap_bytes = 20;
    net->config.buffer.reserve_bytes = 60000;
    for (uint32_t cls = 0; cls < 3; cls++) {
        net->config.weights[cls] = cls;
    }
    net->config.run.until_ps = 300000000;
}

/* Where packets change class all begin in the first, and all classes are lossless. */
static void
use(struct net *net, const char *engine, const char *beside)
{
    net_use(net, engine);
    if (beside) {
        struct weir_stack *stack = &net->config.stack;
        assert_true(weir_stack_add(stack, weir_engine_find(beside)));
        assert_true(weir_stack_set(stack, 1, "kmin", "5KB", &(struct weir_text){ 0 }));
        assert_true(weir_stack_set(stack, 1, "kmax", "20KB", &(struct weir_text){ 0 }));
    }
    if (weir_engine_find(engine)->moves_classes) {
        for (uint32_t i = 0; i < net->config.n_flows; i++) {
            net->flows[i].cls = 0;
        }
    }
}

static const struct topo_build incast = {
    .hosts = 5, .link = { .rate_bps = 10000000000, .delay_ps = 1000000 }
};
static const struct topo_build ring = { .switches = 4,
                                        .link = { .rate_bps = 10000000000, .delay_ps = 300000 } };
static const struct topo_build fat_tree = {
    .k = 4, .link = { .rate_bps = 10000000000, .delay_ps = 1000000 }
};

static const struct {
    const char *engine, *beside;
    uint64_t reserve_bytes; /* Little, so that packets must wait. */
} stacks[] = {
    { "none", NULL, 60000 },           { "pfc", NULL, 60000 },
    { "pfc", "ecn", 60000 },           { "cbfc", NULL, 60000 },
    { "gfc-conceptual", NULL, 60000 }, { "gfc-buffer", NULL, 60000 },
    { "gfc-time", NULL, 150000 },      { "ttl", NULL, 60000 },
    { "capfc", "ecn", 60000 },
};

/* Tests. */

typedef void start_network(struct net *, uint64_t *transport_params);

static void
start_incast(struct net *net, uint64_t *transport_params)
{
    start(net, topo_build_incast, &incast, transport_params);
}

static void
start_ring(struct net *net, uint64_t *transport_params)
{
    start(net, topo_build_ring, &ring, transport_params);
}

static void
start_tree(struct net *net, uint64_t *transport_params)
{
    start(net, topo_build_fat_tree, &fat_tree, transport_params);
}

/* Whether a kind takes an arbitration, and a buffer. */
static bool
fits(const struct uniform *c)
{
    const struct sim_making making = { .arbitration = sim_arbitration_find(c->arbitration),
                                       .buffer = &c->buffer,
                                       .mtu_bytes = c->mtu_bytes };

    return !c->kind->check || c->kind->check(c->kind_params, &making, &(struct weir_text){ 0 });
}

/* Kinds as they are if nothing is said, and what can be said of them: of pipelines, then of
 * crossbars.  All but the first are slower than the wires of a switch together, or shorter than
 * what waits. */
static const struct variant {
    const char *names[6];
    uint64_t values[6];
    uint64_t shared_bytes; /* With one memory. */
} variants[] = {
    { { NULL }, { 0 }, 0 },
    { { "pps", "delay", "egress" }, { 2000000, 3000000, 9000 }, 0 },
    { { "pps", "delay", "full", "egress" }, { 5000000, 1, 1, 6000 }, 0 },
    { { "pps", "delay", "egress", "egress_of" }, { 3333333, 7000001, 12000, 1 }, 0 },
    { { "pps", "delay", "full", "egress", "egress_of" }, { 4000000, 0, 1, 12000, 1 }, 0 },
    { { "pps", "delay", "memory", "port_limit" }, { 5000000, 2000000, 1, 30000 }, 60000 },
    { { "pps", "delay", "memory", "full" }, { 10000000, 5000000, 1, 1 }, 30000 },
    { { "speedup", "egress" }, { WEIR_RATIO_1, 6000 }, 0 },
    { { "speedup", "egress", "transfer" }, { WEIR_RATIO_1 * 3 / 2, 6000, 1 }, 0 },
    { { "matching", "egress", "iterations" }, { 1, 9000, 4 }, 0 },
    { { "matching", "transfer" }, { 1, 1 }, 0 },
    { { "inner_buffer", "egress" }, { 4500, 6000 }, 0 },
    { { "inner_buffer", "egress", "order", "inner_rate", "transfer" },
      { 6000, 4500, 1, 3000000000, 1 },
      0 },
    { { "reliable", "ack", "egress" }, { 1, 5000000, 6000 }, 0 },
    { { "reliable", "ack", "inner_buffer", "order" }, { 1, 700000, 4500, 1 }, 0 },
};

enum { N_VARIANTS = sizeof variants / sizeof *variants };

static bool
stores_once(const struct variant *v)
{
    return v->shared_bytes;
}

/* Parameters of the kind; a kind that has none of these has but one variant. */
static bool
choose_variant(struct uniform *c, const struct variant *v, uint64_t *params)
{
    const struct weir_field *fields = c->kind->about.params;

    if (fields) {
        weir_fields_default(fields, params);
    }
    for (int i = 0; i < 6 && v->names[i]; i++) {
        const struct weir_field *field = fields ? weir_field_find(fields, v->names[i]) : NULL;
        if (!field) {
            return false;
        }
        weir_field_set(field, params, v->values[i]);
    }
    c->kind_params = params;
    if (stores_once(v) && !c->buffer.headroom_bytes) {
        c->buffer.limit_bytes = 20000;
        c->shared_bytes = v->shared_bytes;
    }
    return true;
}

/* Those that a kind has, into 'own'; how many. */
static uint64_t
variants_of(const struct net *net, const struct variant **own)
{
    uint64_t n = 0, params[16];

    for (uint64_t i = 0; i < N_VARIANTS; i++) {
        struct uniform config = net->config;
        if (choose_variant(&config, &variants[i], params)) {
            own[n++] = &variants[i];
        }
    }
    return n;
}

/* One variant after the other, as arbitrations and schedulings change, and each where it fits. */
static void
compare_variants(struct net *net, uint64_t turn, struct seen *seen)
{
    const struct uniform before = net->config;
    const struct variant *own[N_VARIANTS];
    uint64_t params[16], n = variants_of(net, own);
    bool is_done = false;

    for (uint64_t i = 0; i < n && !is_done; i++) {
        is_done = choose_variant(&net->config, own[(turn + i) % n], params) && fits(&net->config);
        if (is_done) {
            compare(net, seen);
        }
        net->config = before;
    }
}

static uint64_t
count_path_choices(void)
{
    uint64_t n = 0;

    while (weir_plugin_name(&sim_path_choices, n)) {
        n++;
    }
    return n;
}

/* Sanitizers cost time: with them, every other scheduling. */
#if defined(__SANITIZE_ADDRESS__)
enum { STEP = 2 };
#else
enum { STEP = 1 };
#endif

/* One stack under every kind of switch, arbitration and scheduling, and every choice of paths under
 * each of the three. */
static struct seen
compare_everywhere(struct net *net)
{
    struct seen seen = { 0 };
    uint64_t n_choices = count_path_choices(), turn = 0;

    for (uint64_t k = 0; weir_plugin_name(&sim_kinds, k); k++) {
        net->config.kind = sim_kind_find(weir_plugin_name(&sim_kinds, k));
        for (uint64_t a = 0; weir_plugin_name(&sim_arbitrations, a); a++) {
            net->config.arbitration = weir_plugin_name(&sim_arbitrations, a);
            for (uint64_t s = 0; weir_plugin_name(&sim_schedulings, s); s++) {
                if ((a + s) % STEP) {
                    continue;
                }
                net->config.scheduling = weir_plugin_name(&sim_schedulings, s);
                net->config.paths = weir_plugin_name(&sim_path_choices, (a + s) % n_choices);
                compare_variants(net, turn++, &seen);
            }
        }
    }
    return seen;
}

static void
compare_stacks(start_network *start_it)
{
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
        uint64_t transport_params[TP_PARAMS_MAX / sizeof(uint64_t)];
        struct net net;
        start_it(&net, transport_params);
        use(&net, stacks[i].engine, stacks[i].beside);
        net.config.buffer.reserve_bytes = stacks[i].reserve_bytes;
        struct seen seen = compare_everywhere(&net);
        assert_true(seen.n_packets > 10000);
        assert_int_equal(seen.n_frames > 100, strcmp(stacks[i].engine, "none") != 0);
        assert_int_equal(seen.n_marked > 100, stacks[i].beside != NULL);
        assert_true(seen.n_refused > 100 || net.config.n_classes != 3);
        assert_true(seen.n_overflowed > 100);
        net_stop(&net);
    }
}

static void
at_one_switch(void **state)
{
    (void)state;
    compare_stacks(start_incast);
}

static void
around_a_ring(void **state)
{
    (void)state;
    compare_stacks(start_ring);
}

static void
where_there_are_several_ways(void **state)
{
    (void)state;
    compare_stacks(start_tree);
}

/* Thresholds move with every packet, whoever's it is. */
static void
with_shared_memory(void **state)
{
    uint64_t transport_params[TP_PARAMS_MAX / sizeof(uint64_t)];
    struct net net;

    (void)state;
    start_tree(&net, transport_params);
    use(&net, "pfc", "ecn");
    net.config.buffer = (struct weir_buffer_class){ .reserve_bytes = 3000,
                                                    .alpha = WEIR_RATIO_1 / 2,
                                                    .headroom_bytes = 30000 };
    net.config.shared_bytes = 100000;
    struct seen seen = compare_everywhere(&net);
    assert_true(seen.n_frames > 100);
    net_stop(&net);
}

/* Whoever is blamed, by arrival or by lot, is told; and what others say is passed on. */
static void
with_messages(void **state)
{
    static const char *const blames[] = { "arrival", "packet", "byte" };
    uint64_t transport_params[TP_PARAMS_MAX / sizeof(uint64_t)];
    struct weir_text why = { 0 };

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct net net;
        start_tree(&net, transport_params);
        use(&net, "pfc", NULL);
        assert_true(weir_stack_add(&net.config.stack, &probe));
        assert_true(weir_stack_set(&net.config.stack, 1, "blame", blames[i], &why));
        assert_true(weir_stack_set(&net.config.stack, 1, "above", "3KB", &why));
        assert_true(weir_stack_set(&net.config.stack, 1, "slows", "no", &why));
        net.config.run.until_ps /= 3;
        struct seen seen = compare_everywhere(&net);
        assert_true(seen.n_messages > 10000);
        net_stop(&net);
    }
}

/* Credits count what came and was dropped, too. */
static void
with_a_hop_limit(void **state)
{
    uint64_t transport_params[TP_PARAMS_MAX / sizeof(uint64_t)];
    struct net net;

    (void)state;
    start_tree(&net, transport_params);
    use(&net, "cbfc", NULL);
    net.config.hop_limit = 4;
    struct seen seen = compare_everywhere(&net);
    assert_true(seen.n_late > 100);
    net_stop(&net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_one_switch),
        cmocka_unit_test(around_a_ring),
        cmocka_unit_test(where_there_are_several_ways),
        cmocka_unit_test(with_shared_memory),
        cmocka_unit_test(with_messages),
        cmocka_unit_test(with_a_hop_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
