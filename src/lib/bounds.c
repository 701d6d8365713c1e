/* The buffer that each scheme needs to lose nothing, computed in whole numbers. */

#include "weir/bounds.h"

#include <assert.h>

#include "weir/wire.h"

/* e, rounded up: this number times C tau keeps a queue under Bm if every change is reported
 * (doc/theory.md); Theorem 4.1 has 4. */
enum { E_MILLIONTHS = 2718282 };

weir_ps
weir_tau_ps(const struct weir_link *l)
{
    return weir_wire_ps(2 * (uint64_t)l->mtu_bytes, l->rate_bps) + 2 * l->cable_ps + l->response_ps;
}

/* The maximum part of 'wire' bytes, which include gaps, that arrives in packets: the part if all
 * packets have the maximum length. */
static uint64_t
in_packets(const struct weir_link *l, uint64_t wire)
{
    uint64_t mtu = l->mtu_bytes;
    return l->gap_bytes ? weir_mul_div_up(wire, mtu, mtu + l->gap_bytes) : wire;
}

/* The length of the whole control loop in bytes of the wire, if the last of 'n_frames' frames
 * counts.  This frame waits for a packet that has started and for the frames before it.  When it
 * takes effect, another packet has started. */
static uint64_t
loop_bytes(const struct weir_link *l, uint64_t n_frames)
{
    return 2 * ((uint64_t)l->mtu_bytes + l->gap_bytes) +
           n_frames * (WEIR_CONTROL_BYTES + l->gap_bytes) +
           weir_wire_bytes(2 * l->cable_ps + l->response_ps, l->rate_bps);
}

static uint64_t
n_classes(const struct weir_link *l)
{
    return l->n_classes ? l->n_classes : 1;
}

/* The room of the paper, or the room for the whole control loop less one packet, whichever is more.
 * That packet is one of the two for which Bm leaves room; the other is needed because packets are
 * whole. */
static uint64_t
room_of_both(const struct weir_link *l, uint64_t papers, uint64_t loops)
{
    uint64_t lacking = loops > l->mtu_bytes ? loops - l->mtu_bytes : 0;
    return papers > lacking ? papers : lacking;
}

/* The result of Eq. 15, or the whole loop if that is more. */
static uint64_t
headroom_bytes(const struct weir_link *l, uint64_t n_frames)
{
    uint64_t one_way =
        l->mtu_bytes + WEIR_CONTROL_BYTES + weir_wire_bytes(l->cable_ps, l->rate_bps);
    uint64_t eq_15 = 2 * one_way + weir_wire_bytes(l->response_ps, l->rate_bps);
    uint64_t loop = in_packets(l, loop_bytes(l, n_frames));
    return eq_15 > loop ? eq_15 : loop;
}

uint64_t
weir_pfc_headroom_bytes(const struct weir_link *l)
{
    return headroom_bytes(l, 1);
}

uint64_t
weir_pfc_loop_bytes(const struct weir_link *l)
{
    return loop_bytes(l, 1);
}

/* The maximum number of frames in front of a packet: a resume and a pause for each class. */
static uint64_t
n_capfc_frames(const struct weir_link *l)
{
    return 2 * n_classes(l);
}

uint64_t
weir_capfc_headroom_bytes(const struct weir_link *l)
{
    return headroom_bytes(l, n_capfc_frames(l));
}

weir_ps
weir_capfc_least_pause_ps(const struct weir_link *l)
{
    weir_ps frame = weir_wire_ps(WEIR_CONTROL_BYTES + l->gap_bytes, l->rate_bps);
    return (weir_ps)n_capfc_frames(l) * frame;
}

/* The longest response to a pause at each link rate: IEEE 802.3, 31B.3.7. */
static const struct {
    uint64_t mbps, quanta;
} pause_delays[] = {
    { 100, 1 },     { 1000, 2 },     { 10000, 60 },   { 25000, 80 },   { 40000, 118 },
    { 50000, 147 }, { 100000, 394 }, { 200000, 453 }, { 400000, 905 },
};

uint64_t
weir_pfc_response_quanta(uint64_t rate_bps)
{
    const size_t n = sizeof pause_delays / sizeof *pause_delays;
    uint64_t fastest = pause_delays[n - 1].mbps * 1000000;

    for (size_t i = 0; i < n; i++) {
        if (rate_bps <= pause_delays[i].mbps * 1000000) {
            return pause_delays[i].quanta;
        }
    }
    return weir_mul_div_up(pause_delays[n - 1].quanta, rate_bps, fastest);
}

weir_ps
weir_pfc_response_ps(uint64_t rate_bps)
{
    return weir_wire_ps(weir_pfc_response_quanta(rate_bps) * 512 / 8, rate_bps);
}

weir_ps
weir_pfc_pause_ps(uint64_t rate_bps, uint64_t quanta)
{
    assert(quanta <= WEIR_MAX_QUANTA);
    return (weir_ps)quanta * weir_wire_ps(512 / 8, rate_bps);
}

/* The time in which the pipeline accepts a number of packets. */
static weir_ps
turns_ps(const struct weir_capfc_output *o, uint64_t n_packets)
{
    uint64_t one = o->pipeline_pps ? weir_mul_div_up(1, WEIR_PS_PER_S, o->pipeline_pps) : 0;
    return (weir_ps)(n_packets * one);
}

bool
weir_capfc_waits(const struct weir_link *l, const struct weir_capfc_output *o)
{
    uint64_t shortest = o->mixes_lengths ? WEIR_CONTROL_BYTES : l->mtu_bytes;
    return turns_ps(o, o->n_before + 1) > weir_wire_ps(shortest + l->gap_bytes, l->rate_bps);
}

/* The time from the packet that reaches XOFF until the last packet that was sent before the pause
 * has reached the output.  The frame waits for a packet that has started, and for up to two frames
 * of every class.  When it takes effect, another packet has started. */
static weir_ps
capfc_loop_ps(const struct weir_link *l, const struct weir_capfc_output *o)
{
    weir_ps tau = weir_wire_ps((uint64_t)l->mtu_bytes + l->gap_bytes, l->rate_bps);
    weir_ps frame = weir_wire_ps(WEIR_CONTROL_BYTES + l->gap_bytes, l->rate_bps);
    weir_ps wait = o->is_quiet ? 0 : tau + (weir_ps)(n_capfc_frames(l) - 1) * frame;
    weir_ps turns = o->waiting_bytes && weir_capfc_waits(l, o) ? 0 : turns_ps(o, o->n_before);

    return o->pipeline_ps + turns + wait + frame + 2 * l->cable_ps + l->response_ps + tau;
}

uint64_t
weir_capfc_input_bytes(const struct weir_link *l, const struct weir_capfc_output *o)
{
    uint64_t tau = (uint64_t)weir_wire_ps((uint64_t)l->mtu_bytes + l->gap_bytes, l->rate_bps);
    uint64_t loop = (uint64_t)capfc_loop_ps(l, o);
    uint64_t waiting = weir_capfc_waits(l, o) ? o->waiting_bytes : 0;

    return waiting + (o->mixes_lengths ? weir_mul_div_up(loop, l->mtu_bytes, tau) + l->mtu_bytes
                                       : (loop / tau + 1) * l->mtu_bytes);
}

uint64_t
weir_capfc_crossing_bytes(uint32_t mtu_bytes, const struct weir_capfc_output *o)
{
    uint64_t upwards = o->xoff_bytes + mtu_bytes - 1;
    return o->mixes_lengths ? upwards : upwards / mtu_bytes * mtu_bytes;
}

uint64_t
weir_capfc_egress_bytes(const struct weir_link *l, const struct weir_capfc_output *o)
{
    assert(o->n_inputs);
    uint64_t brought = (o->n_inputs - o->drains) * weir_capfc_input_bytes(l, o);
    return weir_capfc_crossing_bytes(l->mtu_bytes, o) + (brought ? brought - l->mtu_bytes : 0);
}

weir_ps
weir_first_word_ps(const struct weir_link *l)
{
    return weir_pfc_pause_ps(l->rate_bps, WEIR_MAX_QUANTA) + weir_tau_ps(l);
}

/* A message may wait for the messages of a burst, and for a message of every class. */
uint64_t
weir_gfc_conceptual_room_bytes(const struct weir_link *l)
{
    uint64_t theorem_4_1 = weir_wire_bytes(4 * weir_tau_ps(l), l->rate_bps);
    uint64_t n_frames = WEIR_GFC_BURST + WEIR_GFC_SPACING * n_classes(l);
    return room_of_both(
        l, theorem_4_1,
        weir_mul_div_up(in_packets(l, loop_bytes(l, n_frames)), E_MILLIONTHS, 1000000));
}

/* One message has the stages of all waiting classes. */
uint64_t
weir_gfc_buffer_room_bytes(const struct weir_link *l)
{
    uint64_t eq_5 = weir_wire_bytes(2 * weir_tau_ps(l), l->rate_bps);
    uint64_t n_frames = WEIR_GFC_BURST + WEIR_GFC_SPACING;
    return room_of_both(l, eq_5, 2 * in_packets(l, loop_bytes(l, n_frames)));
}

/* The term (sqrt(tau/T) + 1)^2 T equals tau + T + 2 sqrt(tau T), in any unit. */
static uint64_t
theorem_5_1(uint64_t tau, uint64_t period)
{
    return tau + period + 2 * weir_geometric_mean_up(tau, period);
}

/* In every period the frames of all classes are sent together. */
uint64_t
weir_gfc_time_room_bytes(const struct weir_link *l, weir_ps period)
{
    uint64_t loop = loop_bytes(l, n_classes(l)), between = weir_wire_bytes(period, l->rate_bps);
    uint64_t papers = period < weir_tau_ps(l) ? weir_wire_bytes(4 * weir_tau_ps(l), l->rate_bps)
                                              : weir_gfc_theorem_5_1_bytes(l, period);
    return room_of_both(l, papers,
                        in_packets(l, between < loop ? 4 * loop : theorem_5_1(loop, between)));
}

uint64_t
weir_gfc_theorem_5_1_bytes(const struct weir_link *l, weir_ps period)
{
    uint64_t tau = (uint64_t)weir_tau_ps(l);
    return weir_wire_bytes((weir_ps)theorem_5_1(tau, (uint64_t)period), l->rate_bps);
}

weir_ps
weir_credit_period_ps(uint64_t rate_bps)
{
    return weir_wire_ps(65535, rate_bps);
}

uint64_t
weir_gfc_stage_bytes(uint64_t bm_bytes, uint64_t b1_bytes, uint32_t k)
{
    assert(k >= 1 && b1_bytes < bm_bytes);
    return k > 63 ? bm_bytes : bm_bytes - ((bm_bytes - b1_bytes) >> (k - 1));
}

uint32_t
weir_gfc_stages(uint64_t bm_bytes, uint64_t b1_bytes)
{
    uint32_t k = 2;
    while ((bm_bytes - b1_bytes) > (uint64_t)1 << (k - 1)) { /* B_k - B_(k-1) > 1. */
        k++;
    }
    return k < WEIR_MAX_STAGES ? k : WEIR_MAX_STAGES;
}
