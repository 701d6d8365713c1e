/* Connections by hand: closed forms on a star, whose turn it is, losses, the end of a run, and what
 * is refused. */

#include "net.h"
#include "script.h"
#include "sim/live.h"

#define US   ((weir_ps)1000000)
#define GBPS ((uint64_t)1000000000)

enum { MTU = 1500, GAP = 24, N_HOSTS = 5 };

/* At 100 Gb/s a byte takes 80 ps. */
enum { BYTE_PS = 80 };

struct star {
    struct net net;
    struct script script;
    uint32_t nodes[N_HOSTS];
};

static void
start(struct star *s)
{
    net_start_star(&s->net, N_HOSTS, 100 * GBPS, US);
    s->net.config.gap_bytes = GAP;
    s->net.config.run.until_ps = 100000 * US;
    s->net.config.run.measured.until_ps = US;
    script_start(&s->script, N_HOSTS);
    for (uint32_t i = 0; i < N_HOSTS; i++) {
        s->nodes[i] = net_nic(&s->net, i);
    }
    net_use(&s->net, "pfc");
}

static void
stop(struct star *s)
{
    script_stop(&s->script);
    net_stop(&s->net);
}

static struct simple_net_flow *
connect(struct star *s, uint32_t from, uint32_t to)
{
    script_connect(&s->script, from, to, s->net.config.n_flows);
    net_add_flow(&s->net, from, to, MODEL_MESSAGES);
    return &s->net.flows[s->net.config.n_flows - 1];
}

static struct simple_net_flow *
connect_by(struct star *s, const struct transport *transport, const struct recovery *recovery)
{
    struct simple_net_flow *f = connect(s, 0, 1);

    f->transport = transport;
    f->recovery = recovery;
    return f;
}

static void
send_at(struct star *s, uint32_t rank, uint32_t link, weir_ps at, uint64_t bytes)
{
    script_send(&s->script, rank,
                (struct script_send){ .at_ps = at, .link = link, .bytes = bytes });
}

static void
send_part(struct script *s, uint32_t rank, uint32_t link, uint64_t bytes)
{
    script_send(s, rank, (struct script_send){ .link = link, .bytes = bytes });
}

static struct sim *
make(struct star *s)
{
    struct err err;

    s->net.config.jobs = script_job(&s->script, s->nodes);
    s->net.config.n_jobs = 1;
    s->net.config.mtu_bytes = MTU;
    struct sim *sim = simple_net_sim_new(&s->net.config, &err);
    if (!sim) {
        fail_msg("%s", err.text);
    }
    return sim;
}

static struct sim *
run_star(struct star *s)
{
    struct sim *sim = make(s);

    sim_run(sim);
    return net_conserved(sim);
}

static weir_ps
arrival(const struct star *s, uint32_t rank, size_t i)
{
    assert_true(i < s->script.ranks[rank].n_seen);
    return s->script.ranks[rank].seen[i].at_ps;
}

static const struct script_posted *
posted(const struct star *s, uint32_t rank, size_t i)
{
    assert_true(i < s->script.ranks[rank].n_posted);
    return &s->script.ranks[rank].posted[i];
}

/* The time of a message on the wire. */
static weir_ps
wire_ps(uint64_t bytes)
{
    return (weir_ps)(bytes + GAP * ((bytes + MTU - 1) / MTU)) * BYTE_PS;
}

/* D(m) = L d + W(m) + (L - 1) w(min(m, MTU)), over the two links of a star. */
static weir_ps
alone_ps(uint64_t bytes)
{
    return 2 * US + wire_ps(bytes) + wire_ps(bytes < MTU ? bytes : MTU);
}

static void
a_message_takes_its_time(void **state)
{
    static const uint64_t sizes[] = { 1, 64, 1499, 1500, 1501, 3000, 100000, 1000000 };

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct star s;
        start(&s);
        connect(&s, 0, 1);
        send_at(&s, 0, 0, 3 * US, sizes[i]);
        struct sim *sim = run_star(&s);
        assert_int_equal(arrival(&s, 1, 0), 3 * US + alone_ps(sizes[i]));
        assert_int_equal(posted(&s, 0, 0)->sent_ps, 3 * US + wire_ps(sizes[i]));
        assert_int_equal(sim_flow_result(sim, 0).n_messages_arrived, 1);
        sim_free(sim);
        stop(&s);
    }
}

/* It is one packet of the smallest size. */
static void
a_message_may_be_empty(void **state)
{
    struct star s;

    (void)state;
    start(&s);
    connect(&s, 0, 1);
    send_at(&s, 0, 0, 0, 0);
    struct sim *sim = run_star(&s);
    assert_int_equal(arrival(&s, 1, 0), alone_ps(64));
    assert_int_equal(s.script.ranks[1].seen[0].message.bytes, 0);
    assert_int_equal(sim_flow_result(sim, 0).received_bytes, 64);
    sim_free(sim);
    stop(&s);
}

/* Messages leave one after the other, without a gap in time, each beginning with a new packet. */
static void
messages_follow_each_other(void **state)
{
    static const uint64_t sizes[] = { 4000, 1, 0, 1500, 2999 };
    weir_ps left = 0;
    struct star s;

    (void)state;
    start(&s);
    connect(&s, 0, 1);
    for (size_t i = 0; i < 5; i++) {
        send_at(&s, 0, 0, 0, sizes[i]);
    }
    struct sim *sim = run_star(&s);
    for (size_t i = 0; i < 5; i++) {
        left += wire_ps(sizes[i] ? sizes[i] : 64);
        assert_int_equal(posted(&s, 0, i)->sent_ps, left);
        assert_int_equal(s.script.ranks[1].seen[i].message.label, i);
    }
    assert_int_equal(sim_flow_result(sim, 0).n_received, 3 + 1 + 1 + 1 + 2);
    sim_free(sim);
    stop(&s);
}

/* Two connections send packet by packet, whatever the sizes of their messages.  The first one has
 * sent a packet when the other one enters, and is then served before it. */
static void
connections_take_turns(void **state)
{
    struct star s;

    (void)state;
    start(&s);
    connect(&s, 0, 1);
    connect(&s, 0, 2);
    send_at(&s, 0, 0, 0, 100 * MTU);
    for (uint32_t i = 0; i < 10; i++) {
        send_at(&s, 0, 1, 0, 2 * MTU);
    }
    struct sim *sim = run_star(&s);
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(s.script.ranks[0].posted[1 + i].sent_ps, (4 * i + 5) * wire_ps(MTU));
    }
    assert_int_equal(posted(&s, 0, 0)->sent_ps, 120 * wire_ps(MTU));
    sim_free(sim);
    stop(&s);
}

/* A pair of ranks may have several connections, of which the channel chooses one. */
static void
channels_are_connections(void **state)
{
    struct star s;

    (void)state;
    start(&s);
    connect(&s, 0, 1);
    connect(&s, 0, 1);
    send_at(&s, 0, 0, 0, 10 * MTU);
    send_at(&s, 0, 1, 0, MTU);
    struct sim *sim = run_star(&s);
    assert_int_equal(sim_flow_result(sim, 0).received_bytes, 10 * MTU);
    assert_int_equal(sim_flow_result(sim, 1).received_bytes, MTU);
    assert_int_equal(posted(&s, 0, 1)->sent_ps, 3 * wire_ps(MTU));
    sim_free(sim);
    stop(&s);
}

/* With acknowledgements, a message is sent when the ACK of its last packet is there. ACKs are due
 * every 100 packets, but the last packet of a message is answered at once. */
static void
an_acknowledged_message_is_sent(void **state)
{
    static const struct recovery *const tried[] = { &rc_go_back_n, &rc_selective };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct star s;
        start(&s);
        s.net.config.ack_every = 100;
        connect_by(&s, &tp_rdma, tried[i]);
        send_at(&s, 0, 0, 0, 3000);
        send_at(&s, 0, 0, 0, 100);
        send_at(&s, 0, 0, 500 * US, 4000);
        struct sim *sim = run_star(&s);
        weir_ps ack_ps = 2 * US + 2 * wire_ps(WEIR_CONTROL_BYTES);
        weir_ps second = 2 * US + wire_ps(3000) + wire_ps(MTU) + wire_ps(100);
        assert_int_equal(posted(&s, 0, 0)->sent_ps, alone_ps(3000) + ack_ps);
        assert_int_equal(posted(&s, 0, 1)->sent_ps, second + ack_ps);
        assert_int_equal(posted(&s, 0, 2)->sent_ps, 500 * US + alone_ps(4000) + ack_ps);
        assert_int_equal(sim_totals(sim).retransmitted_bytes, 0);
        sim_free(sim);
        stop(&s);
    }
}

/* Every message arrives once over a link that loses packets, and its sender knows it. */
static void
lost_packets_of_messages_come_again(void **state)
{
    static const struct {
        const struct transport *transport;
        const struct recovery *recovery;
    } ways[] = { { &tp_rdma, &rc_go_back_n },   { &tp_rdma, &rc_selective },
                 { &tp_dcqcn, &rc_go_back_n },  { &tp_dcqcn, &rc_selective },
                 { &tp_dctcp, &rc_selective },  { &tp_tcp, NULL },
                 { &tp_timely, &rc_go_back_n }, { &tp_hpcc, &rc_selective } };

    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        uint64_t chance = i + 1;
        uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)];
        struct star s;
        start(&s);
        s.net.config.retry_ps = 100 * US;
        s.net.config.run.until_ps = 10 * WEIR_PS_PER_S;
        s.net.topo.links[0].loss = WEIR_RATIO_1 / 20;
        s.net.topo.links[1].loss = WEIR_RATIO_1 / 20;
        struct simple_net_flow *f = connect_by(&s, ways[i].transport, ways[i].recovery);
        weir_fields_default(f->transport->about.params, params);
        f->transport_params = params;
        for (uint32_t k = 0; k < 200; k++) {
            send_at(&s, 0, 0, (weir_ps)(weir_random(&chance) % 4) * 50 * US,
                    weir_random(&chance) % 9000);
        }
        struct sim *sim = run_star(&s);
        assert_null(script_check(&s.script, ways[i].recovery == &rc_go_back_n));
        assert_int_equal(script_n_sent(&s.script), 200);
        assert_int_equal(script_n_arrived(&s.script), 200);
        assert_true(sim_totals(sim).n_lost > 0 && sim_totals(sim).retransmitted_bytes > 0);
        assert_true(sim_now(sim) < s.net.config.run.until_ps);
        sim_free(sim);
        stop(&s);
    }
}

/* Without acknowledgements, it has left, but never arrives; later ones do. */
static void
a_message_without_a_packet_never_arrives(void **state)
{
    struct star s;

    (void)state;
    start(&s);
    s.net.topo.links[0].loss = WEIR_RATIO_1 / 20;
    connect(&s, 0, 1);
    for (uint32_t k = 0; k < 100; k++) {
        send_at(&s, 0, 0, 0, 5 * MTU);
    }
    s.net.config.run.until_ps = 1000 * US;
    struct sim *sim = run_star(&s);
    size_t n = script_n_arrived(&s.script);
    assert_int_equal(script_n_sent(&s.script), 100);
    assert_true(n > 40 && n < 95 && sim_totals(sim).n_lost);
    assert_true(s.script.ranks[1].seen[n - 1].message.label > 90);
    assert_null(script_check(&s.script, true));
    sim_free(sim);
    stop(&s);
}

/* After a wait the next packets keep their distance, as those of a flow that has just started. */
static void
a_rate_counts_no_idle_time(void **state)
{
    struct star s;

    (void)state;
    start(&s);
    connect(&s, 0, 1)->rate_bps = 10 * GBPS;
    send_at(&s, 0, 0, 0, 2 * MTU);
    send_at(&s, 0, 0, 100 * US, 3 * MTU);
    struct sim *sim = run_star(&s);
    weir_ps apart_ps = 10 * wire_ps(MTU);
    assert_int_equal(posted(&s, 0, 0)->sent_ps, apart_ps + wire_ps(MTU));
    assert_int_equal(posted(&s, 0, 1)->sent_ps, 100 * US + 2 * apart_ps + wire_ps(MTU));
    sim_free(sim);
    stop(&s);
}

/* A window counts the bytes of short packets, not full packets.  All 100 fit into the first window,
 * so no packet waits for an ACK.  The window grows with the ACKs as long as it is half full. */
static void
windows_count_bytes(void **state)
{
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)], window = 10 * MTU, flying = 10000;
    struct star s;

    (void)state;
    start(&s);
    weir_fields_default(tp_tcp.about.params, params);
    weir_field_set(weir_field_find(tp_tcp.about.params, "window"), params, 10);
    connect_by(&s, &tp_tcp, NULL)->transport_params = params;
    for (uint32_t i = 0; i < 100; i++) {
        send_at(&s, 0, 0, 0, 100);
    }
    struct sim *sim = run_star(&s);
    for (; flying; flying -= 100) {
        window += 2 * flying >= window ? 100 : 0;
    }
    assert_int_equal(arrival(&s, 1, 99), 2 * US + 101 * wire_ps(100));
    assert_int_equal(sim_flow_window_bytes(sim, 0), window);
    sim_free(sim);
    stop(&s);
}

/* Connections whose packets are those of flows. */

enum { N_FLOWS = 120, N_PARTS = 7 };

/* Flows of several packets each. */
struct alike {
    struct net net;
    struct simple_net_flow flows[N_FLOWS];
    uint32_t nodes[N_FLOWS];
    struct script script;
};

static void
add_alike(struct alike *a, uint32_t from, uint32_t to, const struct simple_net_flow *like)
{
    uint32_t flow = a->net.config.n_flows++;

    a->flows[flow] = *like;
    a->flows[flow].from = a->nodes[from];
    a->flows[flow].to = a->nodes[to];
    a->flows[flow].bytes = (3 * N_PARTS + 1) * MTU - 1;
    script_connect(&a->script, from, to, flow);
    uint32_t link = flow - (uint32_t)a->script.ranks[from].first_link;
    for (uint32_t i = 0; i < N_PARTS; i++) {
        send_part(&a->script, from, link, i + 1 < N_PARTS ? 3 * MTU : 4 * MTU - 1);
    }
}

static void
start_alike(struct alike *a)
{
    a->net.config.flows = a->flows;
    a->net.config.n_flows = 0;
    a->net.config.mtu_bytes = MTU;
    a->net.config.run.until_ps = 2000 * US;
    net_use(&a->net, "pfc");
    script_start(&a->script, a->net.topo.n_nics);
    for (uint32_t i = 0; i < a->net.topo.n_nics; i++) {
        a->nodes[i] = net_nic(&a->net, i);
    }
}

static struct sim *
run_alike(struct alike *a, uint32_t n_threads, void (*run)(struct sim *))
{
    struct err err;

    script_rewind(&a->script);
    a->net.config.run.n_threads = n_threads;
    struct sim *sim = simple_net_sim_new(&a->net.config, &err);
    if (!sim) {
        fail_msg("%s", err.text);
    }
    run(sim);
    return net_conserved(sim);
}

static void
assert_alike(struct alike *a)
{
    struct sim *flows = run_alike(a, 1, sim_run);

    for (uint32_t i = 0; i < a->net.config.n_flows; i++) {
        a->flows[i].bytes = MODEL_MESSAGES;
    }
    a->net.config.jobs = script_job(&a->script, a->nodes);
    a->net.config.n_jobs = 1;
    struct sim *messages = run_alike(a, 1, sim_run);
    for (uint32_t i = 0; i < a->net.config.n_flows; i++) {
        struct sim_flow_result x = sim_flow_result(flows, i), y = sim_flow_result(messages, i);
        assert_true(x.first_ps == y.first_ps && x.last_ps == y.last_ps);
        assert_true(x.sent_bytes == y.sent_bytes && x.received_bytes == y.received_bytes);
        assert_true(x.retransmitted_bytes == y.retransmitted_bytes);
        assert_int_equal(y.n_messages_arrived, N_PARTS);
    }
    uint64_t hash = sim_totals(messages).hash;
    sim_free(flows);
    sim_free(messages);
    struct sim *threads = run_alike(a, 2, sim_run);
    assert_true(sim_totals(threads).hash == hash);
    sim_free(threads);
    struct sim *plain = run_alike(a, 1, sim_run_reference);
    assert_true(sim_totals(plain).hash == hash);
    sim_free(plain);
    script_stop(&a->script);
    net_stop(&a->net);
}

/* A ring of so many connections with gates has a tree. */
static void
many_connections_of_a_host_are_like_flows(void **state)
{
    const struct simple_net_flow slow = { .rate_bps = 2 * GBPS };
    struct alike a = { 0 };

    (void)state;
    net_start_star(&a.net, N_HOSTS, 100 * GBPS, US);
    start_alike(&a);
    for (uint32_t i = 0; i < N_FLOWS; i++) {
        add_alike(&a, 0, 1 + i / 30, &slow);
    }
    assert_alike(&a);
}

/* While one of its two links is down, a host sends by the other one. */
static void
connections_change_ports_like_flows(void **state)
{
    const struct recovery *const tried[] = { &rc_go_back_n, &rc_selective };
    struct topo_build b = { .pods = 2,
                            .hosts = 4,
                            .rails = 1,
                            .planes = 2,
                            .spines = 2,
                            .link = { .rate_bps = 10 * GBPS, .delay_ps = US } };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct simple_net_flow like = { .rate_bps = WEIR_UNLIMITED,
                                              .transport = &tp_rdma,
                                              .recovery = tried[i] };
        struct alike a = { 0 };
        net_start(&a.net, topo_build_dual_tor, &b, MODEL_ENDLESS, 1);
        start_alike(&a);
        a.net.config.retry_ps = 100 * US;
        a.net.config.reroute_ps = 20 * US;
        for (uint32_t from = 0; from < 8; from++) {
            add_alike(&a, from, (from + 3) % 8 < from ? (from + 3) % 8 : (from + 1) % 8, &like);
        }
        uint32_t port = a.net.topo.nodes[a.nodes[0]].first_port;
        struct topo_link_event events[] = {
            { .link = a.net.topo.ports[port].link, .at_ps = 10 * US, .up = false },
            { .link = a.net.topo.ports[port].link, .at_ps = 90 * US, .up = true },
            { .link = a.net.topo.ports[port + 1].link, .at_ps = 150 * US, .up = false },
        };
        a.net.config.link_events = events;
        a.net.config.n_link_events = 3;
        assert_alike(&a);
    }
}

/* Ends of runs. */

/* A message that has arrived is answered in the same instant, by a rank that waited for it. */
static void
answers_go_back_and_forth(void **state)
{
    struct star s;

    (void)state;
    start(&s);
    connect(&s, 0, 1);
    connect(&s, 1, 0);
    script_send(&s.script, 0, (struct script_send){ .bytes = MTU, .tag = 9 });
    struct sim *sim = run_star(&s);
    weir_ps at = alone_ps(MTU);
    assert_int_equal(s.script.ranks[0].n_seen, 5);
    assert_int_equal(s.script.ranks[1].n_seen, 5);
    for (uint32_t i = 0; i < 4; i++) {
        const struct script_posted *p = posted(&s, (i + 1) % 2, (i + 1) / 2);
        uint64_t bytes = p->bytes;
        assert_int_equal(p->at_ps, at);
        at += alone_ps(bytes ? bytes : 64);
    }
    assert_in_range(sim_now(sim), at, at + 100 * US);
    sim_free(sim);
    stop(&s);
}

static void
a_run_ends_with_its_jobs(void **state)
{
    struct star s;

    (void)state;
    start(&s);
    connect(&s, 0, 1);
    send_at(&s, 0, 0, 700 * US, 1000000);
    struct sim *sim = run_star(&s);
    weir_ps last = arrival(&s, 1, 0);
    assert_in_range(sim_now(sim), last, last + sim_watch_ps(sim) + sim_window_ps(sim));
    assert_int_equal(sim_rank_report(sim, 0, 0).n_sent, 1);
    assert_int_equal(sim_rank_report(sim, 0, 1).n_arrived, 1);
    assert_string_equal(sim_rank_report(sim, 0, 1).waits_for, "rank 1 has heard 1 messages");
    sim_free(sim);
    stop(&s);
}

/* Ranks that are done do not wait for what nobody needs. */
static bool
is_always_done(const void *state)
{
    (void)state;
    return true;
}

static void
a_run_does_not_wait_for_ranks_that_are_done(void **state)
{
    struct star s;

    (void)state;
    start(&s);
    connect(&s, 0, 1);
    send_at(&s, 0, 0, 50000 * US, 1000);
    script_job(&s.script, s.nodes);
    struct program brief = script_program;
    brief.is_done = is_always_done;
    struct model_job job = s.script.job;
    job.program = &brief;
    s.net.config.jobs = &job;
    s.net.config.n_jobs = 1;
    struct err err;
    struct sim *sim = simple_net_sim_new(&s.net.config, &err);
    assert_non_null(sim);
    sim_run(sim);
    assert_true(sim_now(sim) < 100 * US);
    sim_free(sim);
    stop(&s);
}

/* The message is never sent, and the report of its rank says why. */
static void
a_missing_connection_is_reported(void **state)
{
    struct model_connection none = { .rank = 0, .peer = 2, .flow = 0 };
    struct star s;

    (void)state;
    start(&s);
    connect(&s, 0, 1);
    s.net.flows[0].to = s.nodes[2];
    send_at(&s, 0, 0, 0, 1000);
    script_job(&s.script, s.nodes);
    struct model_job job = s.script.job;
    job.connections = &none;
    s.net.config.jobs = &job;
    s.net.config.n_jobs = 1;
    struct err err;
    struct sim *sim = simple_net_sim_new(&s.net.config, &err);
    assert_non_null(sim);
    sim_run(sim);
    assert_string_equal(sim_rank_report(sim, 0, 0).waits_for, "rank 0 has no connection to rank 1");
    assert_int_equal(script_n_sent(&s.script), 0);
    sim_free(sim);
    stop(&s);
}

/* Refused models. */

static void
assert_refused(struct star *s, const char *why)
{
    struct err err = { 0 };

    struct sim *sim = simple_net_sim_new(&s->net.config, &err);
    assert_null(sim);
    if (!strstr(err.text, why)) {
        fail_msg("'%s' does not say '%s'", err.text, why);
    }
    stop(s);
}

static void
impossible_connections_are_refused(void **state)
{
    struct star s;

    (void)state;
    start(&s);
    connect(&s, 0, 1)->stop_ps = US;
    s.net.config.jobs = script_job(&s.script, s.nodes);
    s.net.config.n_jobs = 1;
    assert_refused(&s, "flow 0 is a connection: it cannot stop");

    start(&s);
    connect(&s, 0, 1);
    assert_refused(&s, "flow 0 is a connection of no job");

    start(&s);
    connect(&s, 0, 1);
    s.net.config.jobs = script_job(&s.script, s.nodes);
    s.net.config.n_jobs = 1;
    s.nodes[3] = s.nodes[4];
    assert_refused(&s, "has two ranks");

    start(&s);
    connect(&s, 0, 1)->bytes = 1000;
    s.net.config.jobs = script_job(&s.script, s.nodes);
    s.net.config.n_jobs = 1;
    assert_refused(&s, "flow 0 cannot be the connection from rank 0 to rank 1");

    start(&s);
    connect(&s, 0, 2);
    connect(&s, 0, 1);
    s.net.config.jobs = script_job(&s.script, s.nodes);
    s.net.config.n_jobs = 1;
    assert_refused(&s, "connection 1 is not in order");
}

/* Real frames carry no notices. */
static void
jobs_on_real_frames_are_refused(void **state)
{
    struct err err = { 0 };
    struct model model;
    struct star s;

    (void)state;
    start(&s);
    connect(&s, 0, 1);
    s.net.config.jobs = script_job(&s.script, s.nodes);
    s.net.config.n_jobs = 1;
    assert_true(simple_net_model(&s.net.config, &model, &err));
    assert_false(sim_live_can_run(&model, &err));
    assert_non_null(strstr(err.text, "jobs cannot be run on real frames"));
    model_free(&model);
    stop(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_takes_its_time),
        cmocka_unit_test(a_message_may_be_empty),
        cmocka_unit_test(messages_follow_each_other),
        cmocka_unit_test(connections_take_turns),
        cmocka_unit_test(channels_are_connections),
        cmocka_unit_test(an_acknowledged_message_is_sent),
        cmocka_unit_test(lost_packets_of_messages_come_again),
        cmocka_unit_test(a_message_without_a_packet_never_arrives),
        cmocka_unit_test(a_rate_counts_no_idle_time),
        cmocka_unit_test(windows_count_bytes),
        cmocka_unit_test(many_connections_of_a_host_are_like_flows),
        cmocka_unit_test(connections_change_ports_like_flows),
        cmocka_unit_test(answers_go_back_and_forth),
        cmocka_unit_test(a_run_ends_with_its_jobs),
        cmocka_unit_test(a_run_does_not_wait_for_ranks_that_are_done),
        cmocka_unit_test(a_missing_connection_is_reported),
        cmocka_unit_test(impossible_connections_are_refused),
        cmocka_unit_test(jobs_on_real_frames_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
