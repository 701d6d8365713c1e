/* Latencies, headroom and safe thresholds that the theory requires, as functions of a link.
 *
 * Section and equation numbers are those of the papers: GFC is Qian et al., SIGCOMM 2019, TTL the
 * work on TTL-based buffer management whose Eq. 15 adds up PFC's headroom.  All of these are fluid
 * results: a real queue moves by whole packets, and doc/theory.md has the size of the difference.
 *
 * The papers count neither the gap between packets nor the frames themselves, which is right where
 * both are short.  Where they are long compared with a packet, the bounds count the whole loop and
 * the room that it needs. */

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
    weir_ps response_ps; /* From the last bit of a frame to its effect. */
    uint32_t mtu_bytes;
    uint32_t gap_bytes; /* Preamble and gap of each packet and frame. */
    uint32_t n_classes; /* Priorities with flow control, each with frames of its own; 0: one. */
};

/* The maximum number of rate stages of `gfc-buffer`. */
#define WEIR_MAX_STAGES 32

/* GFC sends a rate message when its rate changes.  A port sends at most one message in the time of
 * 'n' frames, after a few at once.  So they hardly wait for each other and leave half of the wire
 * to packets. */
#define WEIR_GFC_SPACING 2
#define WEIR_GFC_BURST   4

/* GFC Eq. 6: the longest time from asking for a rate to seeing it, 2 MTU/C + 2 t_w + t_r. */
weir_ps weir_tau_ps(const struct weir_link *);

/* TTL Eq. 15: the bytes that arrive after the receiver asks for a PAUSE, 2 (MTU + 64 B + C t_w) + C
 * t_r; more if gaps are longer than the frame that it counts twice. */
uint64_t weir_pfc_headroom_bytes(const struct weir_link *);

/* The maximum that can arrive, without Eq. 15's second frame: two packets and a frame, each with
 * its gap, the cable in both directions and the response.  With a gap of 20 B it is the worst case
 * of 802.1Q. */
uint64_t weir_pfc_loop_bytes(const struct weir_link *);

/* The same as Eq. 15 for CaPFC, under which frames can follow each other more closely: two of each
 * class leave before another packet does, the one that counts being the last. */
uint64_t weir_capfc_headroom_bytes(const struct weir_link *);

/* The minimum time for which CaPFC pauses a class: the time that these frames take. */
weir_ps weir_capfc_least_pause_ps(const struct weir_link *);

/* The longest time that a sender may take to obey a pause, in quanta of 512 bit times and in
 * picoseconds: IEEE 802.3, 31B.3.7.  A rate without a row there takes the quanta of the next faster
 * row; a rate above 400 Gb/s takes the time of 400 Gb/s (doc/decisions/0084). */
uint64_t weir_pfc_response_quanta(uint64_t rate_bps);
weir_ps weir_pfc_response_ps(uint64_t rate_bps);

/* The time of 'n' quanta; a PFC frame can ask for a pause of up to WEIR_MAX_QUANTA. */
weir_ps weir_pfc_pause_ps(uint64_t rate_bps, uint64_t quanta);
#define WEIR_MAX_QUANTA 0xffff

/* CaPFC: the peak at an output of a switch with a pipeline.  Each input is asked to pause at the
 * latest when its first packet above XOFF is there.  All inputs have the same properties. */
struct weir_capfc_output {
    uint64_t n_inputs;   /* Inputs that may send to the output. */
    uint64_t n_before;   /* Inputs that the pipeline may take a packet of before that of one. */
    weir_ps pipeline_ps; /* Through it. */
    uint64_t pipeline_pps;
    uint64_t waiting_bytes; /* The maximum that an input holds, where packets can come quicker than
                             * the pipeline takes them; the bounds see whether they can. */
    uint64_t xoff_bytes;    /* XOFF of the output. */
    bool drains;            /* It sends all the time; else it may be paused itself. */
    bool is_quiet;      /* No packets go back to the inputs' peers, for which XOFF would wait. */
    bool mixes_lengths; /* Packets may have any length; else all are as long as the MTU. */
};

/* Whether packets can queue at an input of that link, behind others of their own: if one that has
 * just come may have to wait until the next one is there.  The same holds for the shortest packets,
 * 64 B, if lengths are mixed: long ones then wait behind short ones. */
bool weir_capfc_waits(const struct weir_link *, const struct weir_capfc_output *);

/* The maximum number of bytes that one input brings there, from the packet on at which it is asked
 * to pause.  It is floor((delay + (n - 1)/pps + w + t_64 + 2 t_w + t_r + tau)/tau) + 1 packets, tau
 * being the time of one.  With packets of mixed lengths, it is the bytes that fit into this time.
 * Where packets wait at the input, they come instead of those of (n - 1)/pps. */
uint64_t weir_capfc_input_bytes(const struct weir_link *, const struct weir_capfc_output *);

/* The queue after the first packet that reaches XOFF. */
uint64_t weir_capfc_crossing_bytes(uint32_t mtu_bytes, const struct weir_capfc_output *);

/* The peak queue: all inputs together, but for the packet that reached XOFF, which is counted
 * already; less what leaves in the meantime if the output drains. */
uint64_t weir_capfc_egress_bytes(const struct weir_link *, const struct weir_capfc_output *);

/* How long a sender waits for the first message of a peer whose link has come up again: the longest
 * pause of PFC, and the time that the message takes. */
weir_ps weir_first_word_ps(const struct weir_link *);

/* The room above its threshold that keeps GFC from losing packets and from stopping. */
uint64_t weir_gfc_conceptual_room_bytes(const struct weir_link *); /* Bm - B0, Theorem 4.1 */
uint64_t weir_gfc_buffer_room_bytes(const struct weir_link *);     /* Bm - B1, Eq. 5 */
uint64_t weir_gfc_time_room_bytes(const struct weir_link *, weir_ps period); /* Bm - B0 */

/* Theorem 5.1 as printed, (sqrt(tau/T) + 1)^2 C T.  Its proof needs T >= tau; for a shorter period
 * it asks for too little, and weir_gfc_time_room_bytes() takes 4 C tau instead (doc/theory.md). */
uint64_t weir_gfc_theorem_5_1_bytes(const struct weir_link *, weir_ps period);

/* The feedback period that InfiniBand recommends: the time of 65535 bytes. */
weir_ps weir_credit_period_ps(uint64_t rate_bps);

/* GFC's stages: where stage k >= 1 begins, Bm - (Bm - B1)/2^(k-1) rounded up, and how many there
 * are: up to the first that is no longer than a byte. */
uint64_t weir_gfc_stage_bytes(uint64_t bm_bytes, uint64_t b1_bytes, uint32_t k);
uint32_t weir_gfc_stages(uint64_t bm_bytes, uint64_t b1_bytes);

#ifdef __cplusplus
}
#endif

#endif
