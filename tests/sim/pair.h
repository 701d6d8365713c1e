/* A sender and a receiver at one switch, where a packet is lost at a known time: for tests of
 * recoveries.
 *
 * In all comments, w is the transmission time of a packet, and f that of an acknowledgement (64 B).
 * A packet is lost by cutting the last link for a nanosecond while that packet is on the link. The
 * last link has no delay, so no other packet is on it. */

#ifndef TESTS_SIM_PAIR_H
#define TESTS_SIM_PAIR_H

#include "hand.h"

enum { MTU = 1500 };
#define G 1000000000ull

static const weir_ps wire = MTU * 800, ack = 64 * 800, delay = 1000000;
static const weir_ps retry = 1000000000;

/* The first link has the delay 'delay', the last link has none; both have 10 Gb/s.  A null recovery
 * means the default recovery of the transport, rdma. */
enum { SWITCH, SENDER, RECEIVER };

static inline void
pair_start(struct net *net, uint32_t n_flows, const struct recovery *recovery)
{
    hand_start(net);
    hand_switch(net);
    hand_nic(net);
    hand_nic(net);
    hand_link(net, SENDER, SWITCH, 10 * G, delay);
    hand_link(net, RECEIVER, SWITCH, 10 * G, 0);
    hand_finish(net, n_flows);
    for (uint32_t i = 0; i < n_flows; i++) {
        net->flows[i].from = SENDER;
        net->flows[i].to = RECEIVER;
        net->flows[i].transport = &tp_rdma;
        net->flows[i].recovery = recovery;
    }
    net->config.retry_ps = retry;
    net->config.run.notes = 1 << SIM_NOTE_AGAIN;
    net_use(net, "none");
}

static inline void
pair_stop(struct net *net, struct sim *sim)
{
    sim_free(sim);
    net_stop(net);
}

/* Checks that there was one retransmission; returns its note, with the time and the first packet.
 */
static inline struct sim_note
only_note(struct sim *sim)
{
    size_t n;
    const struct sim_note *notes = sim_take_notes(sim, &n);

    assert_int_equal(n, 1);
    assert_int_equal(notes[0].kind, SIM_NOTE_AGAIN);
    return notes[0];
}

/* Sends n packets, the first one at 0; the packet that is on the last link at 'cut' is lost. */
static inline struct sim *
pair_run_with_cut(struct net *net, const struct recovery *recovery, uint32_t n, uint32_t ack_every,
                  weir_ps cut)
{
    const struct topo_link_event events[] = { { 1, cut, false }, { 1, cut + 1000, true } };

    pair_start(net, 1, recovery);
    net->flows[0].bytes = (uint64_t)n * MTU;
    net->config.link_events = events;
    net->config.n_link_events = 2;
    net->config.ack_every = ack_every;
    struct sim *sim = hand_run(net);
    assert_int_equal(sim_totals(sim).n_lost, 1);
    assert_int_equal(sim_flow_result(sim, 0).n_received, n);
    assert_int_equal(sim_flow_result(sim, 0).received_bytes, (uint64_t)n * MTU);
    return sim;
}

/* Packet k of n is lost.  Packet i starts at i w, is forwarded at (i + 1) w + d, and arrives at (i
 * + 2) w + d. */
static inline struct sim *
pair_run_with_loss(struct net *net, const struct recovery *recovery, uint32_t n, uint32_t k,
                   uint32_t ack_every)
{
    return pair_run_with_cut(net, recovery, n, ack_every, (k + 1) * wire + delay + wire / 2);
}

#endif
