/* Laws of connections, tested on random networks: each message arrives once and as it was sent, and
 * neither threads, ranks nor windows change any result.  A connection behaves like a flow that has
 * the same packets.
 *
 *     sim-connections-laws            all of them
 *     sim-connections-laws SEED       repeats one of them, by its seed */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "draw.h"
#include "loopback.h"
#include "script.h"

/* Sanitizers cost time; the plain build tries more. */
#if defined(__SANITIZE_ADDRESS__)
enum { N_SCENARIOS = 150 };
#else
enum { N_SCENARIOS = 300 };
#endif

enum { MAX_RANKS = 4, MAX_WINDOWS = 1500, MAX_MESSAGES = 12 };

struct counts {
    unsigned n_run, n_with_ranks, n_reliable, n_controlled, n_overtaken, n_retransmitted, n_lossy,
        n_single, n_split, n_whole;
    size_t n_messages, n_arrived;
};

struct trial {
    struct draw d;
    struct script script;
    uint32_t *nodes; /* [rank]: the hosts, by number. */
    uint64_t seed;
    struct counts *counts;
};

static void
hold(const struct trial *l, bool holds, const char *what)
{
    if (!holds) {
        draw_fail(&l->d, l->seed, what);
    }
}

static int
by_ends(const void *a, const void *b)
{
    const struct simple_net_flow *x = a, *y = b;

    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    return (x->to > y->to) - (x->to < y->to);
}

/* A rank for each host; connections must be in the order of ranks. */
static void
make_ranks(struct trial *l)
{
    const struct topo *topo = &l->d.topo;
    uint32_t *rank_of = array_new(topo->n_nodes, sizeof *rank_of), n = 0;

    l->nodes = array_new(topo->n_nics, sizeof *l->nodes);
    for (uint32_t id = 0; id < topo->n_nodes; id++) {
        if (topo->nodes[id].kind == TOPO_NIC) {
            l->nodes[n] = id;
            rank_of[id] = n++;
        }
    }
    script_start(&l->script, n);
    array_sort(l->d.flows, l->d.config.n_flows, sizeof *l->d.flows, by_ends);
    for (uint32_t i = 0; i < l->d.config.n_flows; i++) {
        script_connect(&l->script, rank_of[l->d.flows[i].from], rank_of[l->d.flows[i].to], i);
    }
    free(rank_of);
}

/* Sizes at and around those that matter. */
static uint64_t
draw_bytes(struct trial *l, uint64_t *chance)
{
    uint64_t mtu = l->d.config.mtu_bytes, n = weir_random(chance) % 6;

    switch (weir_random(chance) % 6) {
    case 0:
        return 0;
    case 1:
        return 1 + weir_random(chance) % 70;
    case 2:
        return n * mtu;
    case 3:
        return n * mtu + 1;
    case 4:
        return (n + 1) * mtu - 1;
    default:
        return weir_random(chance) % (20 * mtu);
    }
}

static void
draw_messages(struct trial *l)
{
    uint64_t chance = l->seed ^ 0x6d657373616765;
    uint64_t until = (uint64_t)l->d.config.run.until_ps;

    for (uint32_t i = 0; i < l->d.config.n_flows; i++) {
        const struct model_connection *x = &l->script.links[i];
        uint64_t answers = weir_random(&chance) % 6;
        for (uint64_t n = weir_random(&chance) % MAX_MESSAGES; n; n--) {
            bool is_burst = weir_random(&chance) % 2;
            script_send(&l->script, x->rank,
                        (struct script_send){
                            .at_ps = (weir_ps)(is_burst ? 0 : weir_random(&chance) % until),
                            .link = i - (uint32_t)l->script.ranks[x->rank].first_link,
                            .bytes = draw_bytes(l, &chance),
                            .tag = weir_random(&chance) << 8 | answers });
        }
    }
}

static bool
may_connect(const struct trial *l)
{
    bool may = l->d.config.n_flows > 0;

    for (uint32_t i = 0; i < l->d.config.n_flows; i++) {
        may &= l->d.flows[i].from != l->d.flows[i].to;
    }
    return may;
}

static void
start_trial(struct trial *l, uint64_t seed, struct counts *counts)
{
    *l = (struct trial){ .seed = seed, .counts = counts };
    draw_start(&l->d, seed);
    for (uint32_t i = 0; i < l->d.config.n_flows; i++) {
        l->d.flows[i].after = 0;
        l->d.flows[i].stop_ps = 0;
        l->d.flows[i].group = 0;
    }
    make_ranks(l);
}

static void
connect_all(struct trial *l)
{
    for (uint32_t i = 0; i < l->d.config.n_flows; i++) {
        l->d.flows[i].bytes = MODEL_MESSAGES;
    }
    l->d.config.jobs = script_job(&l->script, l->nodes);
    l->d.config.n_jobs = 1;
}

static void
stop_trial(struct trial *l)
{
    script_stop(&l->script);
    free(l->nodes);
    draw_stop(&l->d);
}

static bool
is_reliable(const struct trial *l)
{
    return transport_recovery(l->d.flows[0].transport, l->d.flows[0].recovery)->is_reliable;
}

/* Whether packets of a flow keep their order. */
static bool
keeps_order(const struct trial *l)
{
    bool is_fixed = sim_path_choice_find(l->d.config.paths)->is_fixed;
    bool moves = l->d.config.n_link_events > 0;
    const struct recovery *r = transport_recovery(l->d.flows[0].transport, l->d.flows[0].recovery);

    return r->needs_order || (is_fixed && !moves && !r->is_reliable);
}

static struct sim *
run_with(struct trial *l, uint32_t n_threads, void (*run)(struct sim *))
{
    script_rewind(&l->script);
    struct sim *sim = draw_sim(&l->d, n_threads);
    if (sim) {
        run(sim);
    }
    return sim;
}

/* Results of the connections add up with the history of the script. */
static void
counts_add_up(const struct trial *l, const struct sim *sim)
{
    uint64_t n_posted = 0, n_sent = 0, n_arrived = 0;
    struct err err = { 0 };

    hold(l, sim_is_conserved(sim, &err), err.text);
    for (uint32_t i = 0; i < l->d.config.n_flows; i++) {
        struct sim_flow_result r = sim_flow_result(sim, i);
        n_posted += r.n_messages_posted;
        n_sent += r.n_messages_sent;
        n_arrived += r.n_messages_arrived;
        uint64_t first_bytes = r.sent_bytes - r.retransmitted_bytes;
        hold(l, r.n_messages_sent <= r.n_messages_posted, "more messages were sent than posted");
        hold(l, r.received_bytes <= first_bytes, "more was received than sent once");
        hold(l, first_bytes <= sim_flow_bytes(sim, i), "more was sent than there is");
        hold(l, r.retransmitted_bytes <= r.sent_bytes, "more was retransmitted than sent");
        hold(l,
             r.received_bytes < sim_flow_bytes(sim, i) ||
                 r.n_messages_arrived == r.n_messages_posted,
             "all bytes have arrived, but not all messages");
    }
    hold(l, n_posted == script_n_posted(&l->script), "messages were not posted");
    hold(l, n_sent == script_n_sent(&l->script), "messages were not reported as sent");
    hold(l, n_arrived == script_n_arrived(&l->script), "messages were not reported at arrival");
}

/* A message that was acknowledged has arrived, and one that has left is on its way or lost. */
static void
what_was_acknowledged_has_arrived(const struct trial *l)
{
    for (uint32_t i = 0; is_reliable(l) && i < l->script.n_ranks; i++) {
        for (size_t k = 0; k < l->script.ranks[i].n_posted; k++) {
            const struct script_posted *p = &l->script.ranks[i].posted[k];
            hold(l, p->sent_ps < 0 || p->n_arrived, "a message was acknowledged that is not there");
        }
    }
}

static void
count_trial(const struct trial *l, const struct sim *sim)
{
    struct sim_totals t = sim_totals(sim);
    struct counts *c = l->counts;

    c->n_run++;
    c->n_reliable += is_reliable(l);
    c->n_controlled += l->d.flows[0].transport->start != NULL;
    c->n_overtaken += t.n_out_of_order > 0;
    c->n_retransmitted += t.retransmitted_bytes > 0;
    c->n_lossy += t.n_dropped + t.n_lost > 0;
    c->n_messages += script_n_posted(&l->script);
    c->n_arrived += script_n_arrived(&l->script);
    c->n_whole += script_n_posted(&l->script) == script_n_arrived(&l->script);
}

/* No packet of a message has a negative wait, or waits without having been posted. */
static void
waits_are_times(const struct trial *l, struct sim *sim)
{
    size_t n;
    const struct sim_flow_wait *w = sim_flow_waits(sim, &n);

    for (; n--; w++) {
        hold(l, w->pause_ps >= 0 && w->credit_ps >= 0 && w->rate_ps >= 0 && w->control_ps >= 0,
             "something blocked a packet for a negative time");
        hold(l, w->queue_ps >= 0, "a wait has less than its parts");
        hold(l, w->n_packets && w->first_ps <= w->last_ps, "a packet left before it came");
    }
}

static void
threads_and_windows_do_not_matter(struct trial *l, const struct sim *alone)
{
    struct sim *threads = run_with(l, 2 + l->seed % 2, sim_run);
    hold(l, sim_totals(threads).hash == sim_totals(alone).hash, "threads changed the results");
    waits_are_times(l, threads);
    sim_free(threads);
    struct sim *plain = run_with(l, 1, sim_run_reference);
    hold(l, sim_totals(plain).hash == sim_totals(alone).hash,
         "windows and a plain event loop differ");
    sim_free(plain);
}

static void
ranks_do_not_matter(struct trial *l, const struct sim *alone)
{
    uint32_t n_ranks = (uint32_t)(2 + l->seed % (MAX_RANKS - 1));
    struct sim *sims[MAX_RANKS];

    n_ranks = n_ranks < l->d.topo.n_switches ? n_ranks : l->d.topo.n_switches;
    if (n_ranks < 2 || sim_totals(alone).n_windows > MAX_WINDOWS) {
        return;
    }
    struct loopback *x = loopback_new(n_ranks);
    script_rewind(&l->script);
    hold(l, loopback_run(x, loopback_simple_net, &l->d.config, sims), "ranks cannot be made");
    struct sim_totals a = sim_totals(alone), b = sim_totals(sims[0]);
    hold(l, !memcmp(&a, &b, sizeof a), "ranks changed the results");
    hold(l, script_check(&l->script, keeps_order(l)) == NULL, "ranks changed messages");
    counts_add_up(l, sims[0]);
    for (uint32_t i = 0; i < n_ranks; i++) {
        sim_free(sims[i]);
    }
    loopback_free(x);
    l->counts->n_with_ranks++;
}

static void
try_messages(uint64_t seed, struct counts *counts)
{
    struct trial l;

    start_trial(&l, seed, counts);
    draw_messages(&l);
    connect_all(&l);
    struct sim *alone = may_connect(&l) ? run_with(&l, 1, sim_run) : NULL;
    if (alone) {
        const char *wrong = script_check(&l.script, keeps_order(&l));
        hold(&l, !wrong, wrong);
        counts_add_up(&l, alone);
        what_was_acknowledged_has_arrived(&l);
        count_trial(&l, alone);
        threads_and_windows_do_not_matter(&l, alone);
        ranks_do_not_matter(&l, alone);
        sim_free(alone);
    }
    stop_trial(&l);
}

/* One message on each connection, or several that have the same packets, and the same as a flow. */

/* The end of a message is acknowledged at once, which is the same if every packet is. */
static bool
may_split(const struct trial *l)
{
    return !is_reliable(l) || l->d.flows[0].transport->acks_each || l->d.config.ack_every == 1;
}

static void
send_split(struct trial *l, uint32_t rank, struct script_send send, uint64_t *chance)
{
    uint64_t mtu = l->d.config.mtu_bytes;

    while (may_split(l) && send.bytes > mtu) {
        uint64_t n = 1 + weir_random(chance) % 5, left = (send.bytes - 1) / mtu;
        struct script_send part = send;
        part.bytes = (n < left ? n : left) * mtu;
        script_send(&l->script, rank, part);
        send.bytes -= part.bytes;
        l->counts->n_split++;
    }
    script_send(&l->script, rank, send);
}

static void
make_single(struct trial *l)
{
    uint64_t chance = l->seed ^ 0x73696e676c65;

    for (uint32_t i = 0; i < l->d.config.n_flows; i++) {
        const struct model_connection *x = &l->script.links[i];
        l->d.flows[i].bytes = 1 + weir_random(&chance) % (40 * l->d.config.mtu_bytes);
        send_split(l, x->rank,
                   (struct script_send){ .at_ps = l->d.flows[i].start_ps,
                                         .link = i - (uint32_t)l->script.ranks[x->rank].first_link,
                                         .bytes = l->d.flows[i].bytes },
                   &chance);
    }
}

static void
compare_flows(const struct trial *l, const struct sim *flows, const struct sim *messages)
{
    for (uint32_t i = 0; i < l->d.config.n_flows; i++) {
        struct sim_flow_result a = sim_flow_result(flows, i), b = sim_flow_result(messages, i);
        hold(l, a.started_ps == b.started_ps, "a connection starts at another time than a flow");
        hold(l, a.sent_bytes == b.sent_bytes && a.retransmitted_bytes == b.retransmitted_bytes,
             "a connection sends other bytes than a flow");
        hold(l, a.received_bytes == b.received_bytes && a.discarded_bytes == b.discarded_bytes,
             "a connection receives other bytes than a flow");
        hold(l, a.first_ps == b.first_ps && a.last_ps == b.last_ps,
             "packets of a connection arrive at other times than those of a flow");
    }
}

/* Telemetry depends on the length of a window. */
static void
try_single(uint64_t seed, struct counts *counts)
{
    struct trial l;

    start_trial(&l, seed, counts);
    make_single(&l);
    struct sim *flows = may_connect(&l) ? draw_sim(&l.d, 1) : NULL;
    connect_all(&l);
    struct sim *messages = flows ? draw_sim(&l.d, 1) : NULL;
    if (messages && sim_window_ps(flows) == sim_window_ps(messages)) {
        sim_run(flows);
        sim_run(messages);
        compare_flows(&l, flows, messages);
        counts->n_single++;
    }
    if (messages) {
        sim_free(messages);
    }
    if (flows) {
        sim_free(flows);
    }
    stop_trial(&l);
}

static void
messages_keep_the_laws(void **state)
{
    struct counts t = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= N_SCENARIOS; seed++) {
        try_messages(seed, &t);
        try_single(seed, &t);
    }
    printf("  %u scenarios: %zu messages, of which %zu arrive; in %u all; %u with "
           "acknowledgements, %u with a control, %u retransmit, in %u packets are overtaken, in %u "
           "some are lost; %u with ranks; %u are the same as flows, split %u times\n",
           t.n_run, t.n_messages, t.n_arrived, t.n_whole, t.n_reliable, t.n_controlled,
           t.n_retransmitted, t.n_overtaken, t.n_lossy, t.n_with_ranks, t.n_single, t.n_split);
    assert_true(t.n_run > N_SCENARIOS / 2 && t.n_single > N_SCENARIOS / 4);
    assert_true(t.n_split > N_SCENARIOS);
    assert_true(t.n_arrived > t.n_messages / 3 && t.n_arrived < t.n_messages);
    assert_true(t.n_reliable > N_SCENARIOS / 8 && t.n_controlled > N_SCENARIOS / 20);
    assert_true(t.n_retransmitted > N_SCENARIOS / 20 && t.n_overtaken > N_SCENARIOS / 50);
    assert_true(t.n_with_ranks > N_SCENARIOS / 8 && t.n_whole > N_SCENARIOS / 20);
}

static void
this_scenario_keeps_the_laws(void **state)
{
    uint64_t seed = strtoull(*state, NULL, 0);
    struct counts t = { 0 };

    try_messages(seed, &t);
    try_single(seed, &t);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest all[] = { cmocka_unit_test(messages_keep_the_laws) };
    const struct CMUnitTest one[] = { cmocka_unit_test_prestate(this_scenario_keeps_the_laws,
                                                                argv[1]) };

    return argc > 1 ? cmocka_run_group_tests(one, NULL, NULL)
                    : cmocka_run_group_tests(all, NULL, NULL);
}
