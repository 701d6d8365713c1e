/* Latencies, headroom and safe thresholds that the theory requires, as functions of a link.
 *
 * Section and equation numbers are those of the papers: GFC is Qian et al., SIGCOMM 2019.  TTL is
 * the work on TTL-based buffer management; its Eq. 15 adds up PFC's headroom.  All formulas of the
 * papers assume that data flows like a fluid.  A real queue moves by whole packets; doc/theory.md
 * gives the size of the difference.
 *
 * The papers count neither the gap between packets nor the frames themselves, which is accurate if
 * both are short.  If gaps and frames are long compared with a packet, the bounds of this file
 * count the whole control loop and the buffer that it needs. */

#ifndef WEIR_BOUNDS_H
#define WEIR_BOUNDS_H

#include <stdbool.h>

#include "units.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A link in both directions, as the bounds count it. */
struct weir_link {
    uint64_t rate_bps;
    weir_ps cable_ps;    /* One way. */
    weir_ps response_ps; /* From the last bit of a frame until it takes effect. */
    uint32_t mtu_bytes;
    uint32_t gap_bytes; /* Preamble and gap of each packet and frame. */
    uint32_t n_classes; /* Priorities with flow control, each with its own frames; 0 counts as 1. */
};

/* The maximum number of rate stages of `gfc-buffer`. */
#define WEIR_MAX_STAGES 32

/* GFC sends a rate message when its rate changes.  After a burst of WEIR_GFC_BURST messages, a port
 * sends at most one message in the time of WEIR_GFC_SPACING frames.  So messages hardly wait for
 * each other and leave half of the wire to packets. */
#define WEIR_GFC_SPACING 2
#define WEIR_GFC_BURST   4

/* GFC Eq. 6: the longest time from the request for a rate until the rate takes effect here, 2 MTU/C
 * + 2 t_w + t_r. */
weir_ps weir_tau_ps(const struct weir_link *);

/* TTL Eq. 15: the bytes that arrive after the receiver asks for a PAUSE, 2 (MTU + 64 B + C t_w) + C
 * t_r; or more, if gaps are longer than the frame that the equation counts twice. */
uint64_t weir_pfc_headroom_bytes(const struct weir_link *);

/* The maximum number of bytes that can arrive after the receiver asks for a PAUSE: two packets and
 * one frame with their gaps, the cable in both directions and the response time.  With a gap of 20
 * B the result is the worst case of 802.1Q. */
uint64_t weir_pfc_loop_bytes(const struct weir_link *);

/* The headroom of CaPFC, computed like Eq. 15.  Frames of CaPFC can follow each other more closely:
 * two frames of each class may leave before the next packet, and the last of them may be the
 * XOFF. */
uint64_t weir_capfc_headroom_bytes(const struct weir_link *);

/* The minimum time for which CaPFC pauses a class: the time of two frames of each class. */
weir_ps weir_capfc_least_pause_ps(const struct weir_link *);

/* The longest time that a sender may take to obey a pause (IEEE 802.3, 31B.3.7), in quanta of 512
 * bit times and in picoseconds.  A rate that the standard does not list has the quanta of the next
 * faster rate.  A rate above 400 Gb/s has the time of 400 Gb/s (doc/decisions/0084). */
uint64_t weir_pfc_response_quanta(uint64_t rate_bps);
weir_ps weir_pfc_response_ps(uint64_t rate_bps);

/* The time of 'n' quanta; a PFC frame can ask for a pause of up to WEIR_MAX_QUANTA. */
weir_ps weir_pfc_pause_ps(uint64_t rate_bps, uint64_t quanta);
#define WEIR_MAX_QUANTA 0xffff

/* An output of a switch with a pipeline that runs CaPFC, for the bounds of its peak queue.  The
 * switch pauses the peer of an input at the latest when the first packet of that input above XOFF
 * reaches the output.  All inputs have the same properties. */
struct weir_capfc_output {
    uint64_t n_inputs;   /* The number of inputs that may send to the output. */
    uint64_t n_before;   /* The number of inputs that the pipeline may serve before a given
                          * input. */
    weir_ps pipeline_ps; /* The time of a packet in the pipeline. */
    uint64_t pipeline_pps;
    uint64_t waiting_bytes; /* The maximum that an input holds.  The bounds use it only if packets
                             * can arrive faster than the pipeline takes them. */
    uint64_t xoff_bytes;    /* XOFF of the output. */
    bool drains;            /* The output always sends; if false, it may be paused itself. */
    bool is_quiet;      /* The switch sends no packets to the inputs' peers, so XOFF frames never
                         * wait for packets. */
    bool mixes_lengths; /* Packets may have any length; if false, all have the length of the MTU. */
};

/* Whether packets can queue at an input of that link: a packet may still wait for the pipeline when
 * the next packet of the same input arrives.  If lengths are mixed, the function assumes the
 * shortest packets, 64 B, because long packets then wait behind short packets. */
bool weir_capfc_waits(const struct weir_link *, const struct weir_capfc_output *);

/* The maximum number of bytes that one input sends to the output, counted from the packet that
 * makes the switch pause the input's peer.  It is floor((delay + (n - 1)/pps + w + t_64 + 2 t_w +
 * t_r + tau)/tau) + 1 packets, tau being the time of one packet.  With packets of mixed lengths,
 * the result is the bytes that fit into this time.  If packets can wait at the input,
 * 'waiting_bytes' replace the packets of (n - 1)/pps. */
uint64_t weir_capfc_input_bytes(const struct weir_link *, const struct weir_capfc_output *);

/* The length of the output queue with the first packet that takes it to XOFF. */
uint64_t weir_capfc_crossing_bytes(uint32_t mtu_bytes, const struct weir_capfc_output *);

/* The peak queue: the queue at XOFF and the bytes of all inputs after that.  If the output drains,
 * the bytes that leave in the meantime are subtracted. */
uint64_t weir_capfc_egress_bytes(const struct weir_link *, const struct weir_capfc_output *);

/* How long a sender waits for the first message of its peer after a link has come up again.  This
 * is the longest pause of PFC plus the time of the message there and back. */
weir_ps weir_first_word_ps(const struct weir_link *);

/* The room above its threshold that GFC needs so that no packet is lost and no sender stops. */
uint64_t weir_gfc_conceptual_room_bytes(const struct weir_link *); /* Bm - B0, Theorem 4.1 */
uint64_t weir_gfc_buffer_room_bytes(const struct weir_link *);     /* Bm - B1, Eq. 5 */
uint64_t weir_gfc_time_room_bytes(const struct weir_link *, weir_ps period); /* Bm - B0 */

/* Theorem 5.1 as printed, (sqrt(tau/T) + 1)^2 C T.  The proof of the theorem needs T >= tau.  For a
 * shorter period the theorem requires too little buffer, so weir_gfc_time_room_bytes() uses 4 C tau
 * instead (doc/theory.md). */
uint64_t weir_gfc_theorem_5_1_bytes(const struct weir_link *, weir_ps period);

/* The feedback period that InfiniBand recommends: the time of 65535 bytes. */
weir_ps weir_credit_period_ps(uint64_t rate_bps);

/* The stages of GFC: the queue at which stage k >= 1 begins, Bm - (Bm - B1)/2^(k-1) rounded up, and
 * the number of stages.  The last stage is the first that is at most one byte long. */
uint64_t weir_gfc_stage_bytes(uint64_t bm_bytes, uint64_t b1_bytes, uint32_t k);
uint32_t weir_gfc_stages(uint64_t bm_bytes, uint64_t b1_bytes);

#ifdef __cplusplus
}
#endif

#endif
