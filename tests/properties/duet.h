/* Two nodes and a link: a host that runs only engines, for the laws of flow control.
 *
 *       sender  ------------ packets ----------->  receiver  --- drain(t) --->
 *               <-- frames: wait, 64 B, cable, response --
 *
 * The sender always has a packet to send and obeys its gate.  The receiver holds packets in the
 * library's buffer and drains them at a rate that the test prescribes for each interval, so
 * any draining function is possible.  Both run the same engines.  A frame waits for up to an MTU
 * that is already being sent, as in Eq. 6; frames and packets can be lost.
 *
 * The link may go down and come up again.  Packets on their way when either end goes down are lost,
 * as are packets that come to an end that is down or are sent from one.  The two ends may notice it
 * at different times, but both are down before either is up again.
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

struct duet_change { /* At this time, one end is notified that its link goes down or comes up. */
    weir_ps at;
    int end;
    bool up;
};

struct duet_config {
    struct weir_stack stack;
    struct weir_link link;
    uint64_t room_bytes;       /* The receiver's buffer. */
    uint32_t min_packet_bytes; /* The size of a packet is random, from this to the MTU. */
    struct duet_piece drain[DUET_MAX_PIECES];
    uint32_t n_pieces;
    uint64_t frame_wait; /* How long a frame waits, as a ratio to the time of an MTU. */
    bool random_wait;    /* Frames of the receiver wait for a random time, up to 'frame_wait'. */
    uint64_t frame_loss, packet_loss; /* Ratios. */
    weir_ps phase_ps; /* The sender starts at this time; the receiver's timers run from 0. */
    weir_ps until_ps;
    struct duet_change changes[DUET_MAX_CHANGES]; /* In order of time. */
    uint32_t n_changes;
    uint64_t seed;
};

struct duet_result {
    bool refused;
    struct weir_text said;
    uint64_t n_sent, n_delivered, n_dropped, n_lost, sent_bytes, delivered_bytes, held_bytes;
    uint64_t dropped_bytes, lost_bytes, flying_bytes; /* sent_bytes is the sum of these five. */
    uint64_t n_frames;
    weir_ps last_delivered_ps;
};

struct duet_result duet_run(const struct duet_config *);

/* Sets a parameter of the first engine. */
void duet_set(struct duet_config *, const char *name, uint64_t value);

/* Random numbers for tests: a number in [low, high], with a uniform or a log-uniform distribution.
 */
uint64_t duet_draw(uint64_t *chance, uint64_t low, uint64_t high);
uint64_t duet_draw_log(uint64_t *chance, uint64_t low, uint64_t high);

/* Draws a realistic link. */
struct weir_link duet_draw_link(uint64_t *chance);
/* Draws one of several draining functions. */
void duet_draw_drain(struct duet_config *, uint64_t *chance);

#endif
