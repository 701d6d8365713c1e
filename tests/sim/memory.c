/* Memory of flows while they send: for every transport over every recovery, a flow takes at most a
 * constant and a number of bytes for each of its packets.  A long flow takes memory only for the
 * packets that may be in flight, a waiting flow only for its gate, and an ended flow takes none. */

#include "hand.h"

#define G 1000000000ull

enum { MTU = 64, N_FLOWS = 24, SWITCH = 0, SENDER, RECEIVER };

/* Memory that a flow may take: a constant, and bytes per packet.  A track has a telemetry record of
 * one switch and a probe for each packet, and selective has 14 bytes; both are rounded up to a
 * power of two. */
enum { CONSTANT_BYTES = 640, PACKET_BYTES = 2 * 88 };

/* On a long path, 16,000 packets are a round trip, so a flow with fewer packets is limited by its
 * own number. */
static const weir_ps far_ps = 20000000, near_ps = 10000;

/* The maximum number of packets in flight for a flow of any length: 4 round trips, and at least the
 * number that tcp may keep. */
enum { NEAR_PKTS = 1024 };

struct trial {
    const struct transport *transport;
    const struct recovery *recovery;
    weir_ps delay_ps, until_ps;
    uint64_t n_packets;
    uint64_t transport_params[TP_PARAMS_MAX / 8], recovery_params[RC_PARAMS_MAX / 8];
};

struct counts {
    uint32_t n_pairs, n_runs, n_at_work, n_ended, n_waiting;
};

/* Half of the flows start late.  A link is down for a moment, so in some runs flows lose packets.
 */
static struct sim *
run_pair(struct net *net, struct trial *trial, const struct topo_link_event events[2])
{
    hand_start(net);
    hand_switch(net);
    hand_nic(net);
    hand_nic(net);
    hand_link(net, SENDER, SWITCH, 100 * G, trial->delay_ps);
    hand_link(net, RECEIVER, SWITCH, 100 * G, trial->delay_ps);
    hand_finish(net, N_FLOWS);
    weir_fields_default(trial->transport->about.params, trial->transport_params);
    weir_fields_default(trial->recovery->about.params, trial->recovery_params);
    for (uint32_t i = 0; i < N_FLOWS; i++) {
        net->flows[i].from = SENDER;
        net->flows[i].to = RECEIVER;
        net->flows[i].bytes = trial->n_packets * MTU;
        net->flows[i].start_ps = i % 2 ? 2 * far_ps : 0;
        net->flows[i].transport = trial->transport;
        net->flows[i].transport_params = trial->transport_params;
        net->flows[i].recovery = trial->recovery;
        net->flows[i].recovery_params = trial->recovery_params;
    }
    net->config.mtu_bytes = MTU;
    net->config.retry_ps = 50 * far_ps;
    net->config.ack_every = 1;
    net->config.link_events = events;
    net->config.n_link_events = 2;
    net->config.run.until_ps = trial->until_ps;
    net_use(net, "pfc");
    return hand_run(net);
}

static uint64_t
bound_of(const struct trial *trial)
{
    bool is_long = trial->delay_ps == near_ps && trial->n_packets > NEAR_PKTS;

    return CONSTANT_BYTES + PACKET_BYTES * (is_long ? NEAR_PKTS : trial->n_packets);
}

static void
check_flow(const struct sim *sim, uint32_t flow, const struct trial *trial, struct counts *counts)
{
    struct sim_flow_result r = sim_flow_result(sim, flow);
    bool is_received = r.n_received == trial->n_packets;
    size_t bytes = sim_flow_work_bytes(sim, flow);

    if (bytes > bound_of(trial)) {
        fail_msg("%s over %s: a flow of %llu packets takes %zu bytes; at most %llu are right",
                 trial->transport->about.name, trial->recovery->about.name,
                 (unsigned long long)trial->n_packets, bytes, (unsigned long long)bound_of(trial));
    }
    if (!r.sent_bytes) { /* The flow has a gate if it has started and its control may limit it. */
        assert_true(bytes <= (r.started_ps < 0 ? 0 : sizeof(struct weir_gate)));
        counts->n_waiting++;
    } else if (is_received && trial->until_ps > 50 * far_ps) { /* The last ACK has arrived. */
        assert_int_equal(bytes, 0);
        counts->n_ended++;
    } else {
        counts->n_at_work += bytes > 0;
    }
}

static void
try_pair(struct trial trial, struct counts *counts)
{
    static const uint64_t sizes[] = { 1, 2, 3, 8, 65, 1000, 100000 };
    static const weir_ps untils[] = { 1, 3, 5, 100 }; /* Multiples of a delay. */

    counts->n_pairs++;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t k = 0; k < 4; k++) {
            struct net net;
            trial.n_packets = sizes[i];
            trial.delay_ps = trial.n_packets > NEAR_PKTS ? near_ps : far_ps;
            trial.until_ps = untils[k] * (trial.n_packets > NEAR_PKTS ? 200 * near_ps : far_ps);
            weir_ps cut = trial.delay_ps + 2000;
            const struct topo_link_event events[] = { { 1, cut, false }, { 1, cut + 100, true } };
            struct sim *sim = run_pair(&net, &trial, events);
            for (uint32_t flow = 0; flow < N_FLOWS; flow++) {
                check_flow(sim, flow, &trial, counts);
            }
            counts->n_runs++;
            sim_free(sim);
            net_stop(&net);
        }
    }
}

static void
a_flow_takes_what_its_packets_need(void **state)
{
    struct counts counts = { 0 };

    (void)state;
    for (uint64_t i = 0; transport_at(i); i++) {
        for (uint64_t k = 0; recovery_at(k); k++) {
            const struct transport *t = transport_at(i);
            const struct recovery *r = recovery_at(k);
            if (r->is_reliable == t->recovery->is_reliable) {
                try_pair((struct trial){ .transport = t, .recovery = r }, &counts);
            }
        }
    }
    print_message("%u pairs of transport and recovery, %u runs: %u flows at work, %u that have "
                  "ended, %u that wait\n",
                  counts.n_pairs, counts.n_runs, counts.n_at_work, counts.n_ended,
                  counts.n_waiting);
    assert_true(counts.n_pairs >= 13);
    assert_true(counts.n_at_work > 1000 && counts.n_ended > 1000 && counts.n_waiting > 1000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flow_takes_what_its_packets_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
