/* Two nodes and a link: a host that runs engines alone, for the laws of flow control.
 *
 *       sender  ------------ packets ----------->  receiver  --- drain(t) --->
 *               <-- frames: wait, 64 B, cable, response --
 *
 * The sender always has a packet to send and obeys its gate.  The receiver holds packets in the
 * library's buffer and lets them go at a rate that the test prescribes, piece by piece: any
 * draining function.  Both run the same engines.  A frame waits for up to an MTU that is already
 * on the wire, as Eq. 6 has it; frames and packets can be lost.
 *
 * The link may go down and come up again.  Packets on their way when either end goes down are lost,
 * as are packets that come to an end that is down or are sent from one.  The ends need not learn of
 * it at the same time, but both are down before either is up again.
 *
 *     struct duet_result r = duet_run(&config);
 *     assert(r.n_dropped == 0);                                                                  */

#ifndef TESTS_DUET_H
#define TESTS_DUET_H

#include "weir/node.h"

enum { DUET_MAX_PIECES = 64, DUET_MAX_CHANGES = 40 };

enum { DUET_SENDER, DUET_RECEIVER, DUET_N_ENDS };

struct duet_piece { /* The receiver drains at this rate for this time; the last piece has no end. */
    weir_ps ps;
    uint64_t rate_bps;
};

struct duet_change { /* One end is notified that its link goes down or comes up. */
    weir_ps at;
    int end;
    bool up;
};

struct duet_config {
    struct weir_stack stack;
    struct weir_link link;
    uint64_t room_bytes;       /* The receiver's buffer. */
    uint32_t min_packet_bytes; /* Sizes are drawn between this and the MTU. */
    struct duet_piece drain[DUET_MAX_PIECES];
    uint32_t n_pieces;
    uint64_t frame_wait;              /* How much of an MTU's time a frame waits, as a ratio; */
    bool random_wait;                 /* at most, or always. */
    uint64_t frame_loss, packet_loss; /* Ratios. */
    weir_ps phase_ps; /* When the sender starts; the receiver's timers run from 0. */
    weir_ps until_ps;
    struct duet_change changes[DUET_MAX_CHANGES]; /* In order of time. */
    uint32_t n_changes;
    uint64_t seed;
};

struct duet_result {
    bool refused;
    struct weir_text said;
    uint64_t n_sent, n_delivered, n_dropped, n_lost, sent_bytes, delivered_bytes, held_bytes;
    uint64_t dropped_bytes, lost_bytes, flying_bytes; /* Sent is the sum of these five. */
    uint64_t n_frames;
    weir_ps last_delivered_ps;
};

struct duet_result duet_run(const struct duet_config *);

/* Sets a parameter of the first engine. */
void duet_set(struct duet_config *, const char *name, uint64_t value);

/* Random numbers for tests: a number in [low, high], evenly or evenly in its logarithm. */
uint64_t duet_draw(uint64_t *chance, uint64_t low, uint64_t high);
uint64_t duet_draw_log(uint64_t *chance, uint64_t low, uint64_t high);

/* A link as one might find it, and one of several kinds of draining. */
struct weir_link duet_draw_link(uint64_t *chance);
void duet_draw_drain(struct duet_config *, uint64_t *chance);

#endif
