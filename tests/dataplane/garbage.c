/* A node on real ports survives any input: packets of flows, control frames of all engines,
 * messages and foreign frames.  These frames are valid, have bits flipped, are cut off, or are
 * random bytes.  Nodes are switches and a NIC, under each engine.
 *
 * usage: dataplane-garbage [frames each] */

#include "alone.h"

static unsigned n_frames = 3000;

struct drawn {
    uint8_t bytes[MAX_LEN];
    uint32_t len;
};

static uint32_t
draw(uint64_t *seed, uint32_t n)
{
    return (uint32_t)(weir_random(seed) % n);
}

static void
draw_packet(struct alone *a, uint64_t *seed, struct drawn *d)
{
    static const uint16_t sizes[] = { 64, 65, 74, 90, 1500 };
    struct dp_network network = nodes_network(&a->nodes);
    struct sim_packet packet = {
        .flow = draw(seed, a->net.config.n_flows),
        .sequence = draw(seed, 2) ? draw(seed, 20) : (uint32_t)weir_random(seed),
        .n_hops = draw(seed, 256) & 0xff,
        .bytes = sizes[draw(seed, 5)],
        .cls = (uint8_t)draw(seed, a->net.config.n_classes),
        .ecn = draw(seed, 3) & 3,
        .kind = draw(seed, SIM_PROBE) & 63,
    };

    dp_frame_write(&network, &packet, (weir_ps)(weir_random(seed) >> 1), d->bytes);
    d->len = (uint32_t)dp_frame_len(&packet);
}

/* A random number, which is often at an edge of its range. */
static uint32_t
draw_number(uint64_t *seed)
{
    static const uint32_t edges[] = { 0, 1, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff };

    return draw(seed, 2) ? edges[draw(seed, 6)] : (uint32_t)weir_random(seed);
}

static void
draw_class_frame(uint64_t *seed, struct weir_frame *frame)
{
    struct weir_class_frame f = { .opcode = draw(seed, 2) ? WEIR_OPCODE_PFC : WEIR_OPCODE_GFC,
                                  .enable = (uint8_t)weir_random(seed) };

    for (int i = 0; i < 8; i++) {
        f.values[i] = (uint16_t)draw(seed, draw(seed, 2) ? 30 : 65536);
    }
    weir_class_frame_encode(&f, frame);
}

static void
draw_fafc(uint64_t *seed, struct weir_frame *frame)
{
    struct weir_fafc_pause f = { .opcode = WEIR_OPCODE_FAFC, .enable = (uint8_t)weir_random(seed) };

    for (int i = 0; i < 8; i++) {
        f.pause_ns[i] = draw_number(seed);
    }
    weir_fafc_pause_encode(&f, frame);
}

static void
draw_credit(uint64_t *seed, struct weir_frame *frame)
{
    weir_credit_frame_encode(&(struct weir_credit_frame){ .cls = (uint8_t)draw(seed, 9),
                                                          .fctbs = draw_number(seed),
                                                          .fccl = draw_number(seed),
                                                          .free_blocks = draw_number(seed) },
                             frame);
}

static void
draw_queue(uint64_t *seed, struct weir_frame *frame)
{
    weir_queue_frame_encode(&(struct weir_queue_frame){ .cls = (uint8_t)draw(seed, 9),
                                                        .queue_bytes = draw_number(seed),
                                                        .b0_bytes = draw_number(seed),
                                                        .bm_bytes = draw_number(seed) },
                            frame);
}

static void
draw_cnm(uint64_t *seed, struct weir_frame *frame)
{
    weir_cnm_encode(&(struct weir_cnm){ .quantised_fb = draw(seed, 64) & 63,
                                        .priority = draw(seed, 8) & 7,
                                        .cpid = weir_random(seed),
                                        .q_offset = (int16_t)weir_random(seed),
                                        .q_delta = (int16_t)weir_random(seed) },
                    frame);
}

static void
draw_control(struct alone *a, uint64_t *seed, struct drawn *d)
{
    static void (*const draws[])(uint64_t *, struct weir_frame *) = { draw_class_frame, draw_fafc,
                                                                      draw_credit, draw_queue,
                                                                      draw_cnm };
    struct dp_network network = nodes_network(&a->nodes);
    struct sim_frame c = { .to = SIM_NONE, .flow = draw(seed, a->net.config.n_flows) };
    uint32_t which = draw(seed, 5);

    draws[which](seed, &c.frame);
    if (draws[which] == draw_cnm) {
        c.to = draw(seed, 3) ? a->net.flows[c.flow].from : draw(seed, a->nodes.n);
        c.n_hops = (uint8_t)draw(seed, 5);
    }
    dp_frame_write_control(&network, a->first_port, &c, d->bytes);
    d->len = WEIR_ETHERNET_BYTES;
}

static void
draw_foreign(struct alone *a, uint64_t *seed, struct drawn *d)
{
    (void)a;
    make_foreign(d->bytes, draw(seed, 4) ? (uint8_t)draw(seed, 9) : 0xff, (uint8_t)draw(seed, 9));
    d->len = 60 + draw(seed, 1436);
    if (draw(seed, 2)) {
        memcpy(&d->bytes[12], (const uint8_t[]){ 0x81, 0, (uint8_t)weir_random(seed), 1, 8, 0 }, 6);
    }
}

static void
draw_nothing(struct alone *a, uint64_t *seed, struct drawn *d)
{
    (void)a;
    d->len = draw(seed, 300);
    for (uint32_t i = 0; i < d->len; i++) {
        d->bytes[i] = (uint8_t)weir_random(seed);
    }
}

/* Makes a random frame: some are valid, some have a few bits flipped, and some are cut off. */
static void
draw_frame(struct alone *a, uint64_t *seed, struct drawn *d)
{
    static void (*const draws[])(struct alone *, uint64_t *,
                                 struct drawn *) = { draw_packet, draw_packet, draw_control,
                                                     draw_foreign, draw_nothing };

    draws[draw(seed, 5)](a, seed, d);
    uint32_t n_flips = draw(seed, 2) ? draw(seed, 4) : 0;
    for (uint32_t i = 0; d->len && i < n_flips; i++) {
        d->bytes[draw(seed, d->len < 80 ? d->len : 80)] ^= (uint8_t)(1u << draw(seed, 8));
    }
    d->len = draw(seed, 8) ? d->len : draw(seed, d->len + 1);
}

/* Every received frame was counted as some kind. */
static void
assert_all_counted(const struct alone *a)
{
    struct dp_counts counts = dp_node_counts(a->node);
    uint64_t n = 0;

    for (int i = 0; i < DP_N_WHATS; i++) {
        assert_true(counts.n_whats[i] > 0);
        n += counts.n_whats[i];
    }
    assert_int_equal(n, n_frames);
    assert_int_equal(counts.n_received, n_frames);
}

static void
litter(struct alone *a, uint64_t seed)
{
    const uint8_t link_local[60] = { 1, 0x80, 0xc2, 0, 0, 0x0e }, too_long[1600] = { 2 };
    uint32_t n_ports = a->net.topo.nodes[a->id].n_ports;
    struct drawn d;

    alone_put(a, 0, link_local, sizeof link_local);
    alone_put(a, 0, too_long, sizeof too_long);
    for (unsigned i = 2; i < n_frames; i++) {
        draw_frame(a, &seed, &d);
        alone_put(a, draw(&seed, n_ports), d.bytes, d.len);
        alone_poll(a, draw(&seed, 4) * US);
        alone_left(a, draw(&seed, n_ports), NULL, 0);
    }
    alone_poll(a, MS);
    assert_all_counted(a);
}

/* Varieties of nodes: flows that start late, watchdogs that drop, all reports, and a limit on hops,
 * which drops packets that have crossed many switches. */
enum variety { LATE = 1, WATCHED = 2, TOLD = 4, LIMITED = 8, N_VARIETIES = 16 };

static void
vary(struct simple_net *u, struct simple_net_flow *flows, uint32_t variety)
{
    if (variety & LATE) {
        flows[1].start_ps = 2 * MS;
        flows[4].start_ps = 3 * MS;
    }
    if (variety & WATCHED) {
        u->watchdog = (struct model_watchdog){ MODEL_DROP, 100 * US, 200 * US };
    }
    if (variety & TOLD) {
        u->run.why = true;
        u->run.notes = UINT32_MAX;
    }
    if (variety & LIMITED) {
        u->hop_limit = 4;
        u->shared_bytes = 20000;
    }
}

static void
add_flows(struct net *net)
{
    static uint64_t dcqcn[MODEL_MAX_PARAMS];

    net_add_flow(net, 0, 2, MODEL_ENDLESS);
    net_add_flow(net, 0, 2, 150000);
    net_add_flow(net, 1, 0, MODEL_ENDLESS);
    net_add_flow(net, 3, 0, 15000);
    net_add_flow(net, 0, 3, MODEL_ENDLESS);
    net->flows[1].transport = net->flows[2].transport = &tp_rdma;
    net->flows[1].recovery = &rc_selective;
    weir_fields_default(tp_dcqcn.about.params, dcqcn);
    net->flows[4].transport = &tp_dcqcn;
    net->flows[4].transport_params = dcqcn;
}

static const struct stack {
    const char *engine, *kinds[2]; /* The two kinds of switches that the engine is tried in. */
} stacks[] = {
    { "none", { "oq", "cioq" } },
    { "pfc", { "oq", "cioq" } },
    { "cbfc", { "oq", "cioq" } },
    { "gfc-conceptual", { "oq", "cioq" } },
    { "gfc-buffer", { "oq", "cioq" } },
    { "gfc-time", { "oq", "cioq" } },
    { "ttl", { "oq", "cioq" } },
    { "ecn", { "oq", "cioq" } },
    { "qcn", { "oq", "cioq" } },
    { "fafc", { "oq", "cioq" } },
    { "capfc", { "pipeline", "pipeline" } },
};

enum { N_STACKS = sizeof stacks / sizeof *stacks };

/* Starts a switch with each engine in the kinds of switches that it runs in; arbitrations and
 * varieties take turns. */
static void
start_under(struct alone *a, uint32_t i)
{
    static const char *const arbitrations[] = { "fifo", "flow", "rr", "wfq" };

    net_start_star(&a->net, 6, 1000000000, US);
    add_flows(&a->net);
    net_use(&a->net, stacks[i / 2].engine);
    a->net.config.kind = sim_kind_find(stacks[i / 2].kinds[i % 2]);
    a->net.config.arbitration = arbitrations[(i + i / 4) % 4];
    a->net.config.run.until_ps = 1000 * MS;
    vary(&a->net.config, a->net.flows, i * 7 % N_VARIETIES);
}

static void
switches_go_on(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * N_STACKS; i++) {
        struct alone a;
        start_under(&a, i);
        alone_start_as(&a, the_switch(&a.net));
        litter(&a, i + 1);
        alone_stop(&a);
    }
}

static void
nics_go_on(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * N_STACKS; i++) {
        struct alone a;
        start_under(&a, i);
        alone_start_as(&a, net_nic(&a.net, 0));
        litter(&a, 100 + i);
        alone_stop(&a);
    }
}

/* Packets may claim any position on their path, at its first switch and at its second, which has
 * more ports. */
static void
switches_with_paths_go_on(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        uint16_t path[3];
        struct alone a;
        alone_start_pinned(&a, path);
        net_use(&a.net, "pfc");
        const struct topo *topo = &a.net.topo;
        uint32_t first = topo_switch_of(topo, a.net.flows[0].from);
        uint32_t port = topo->nodes[first].first_port + path[0];
        alone_start_as(&a, i ? topo->ports[topo->ports[port].peer].node : first);
        litter(&a, 200 + i);
        alone_stop(&a);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_go_on),
        cmocka_unit_test(nics_go_on),
        cmocka_unit_test(switches_with_paths_go_on),
    };

    n_frames = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : n_frames;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
