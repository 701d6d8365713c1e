/* Credit messages: common parts of CBFC and time-based GFC.
 *
 * All counts are in blocks; a packet takes whole blocks.  As receiver, for each (port, class):
 *
 *     received   blocks received since the link came up            InfiniBand's ABR
 *     held       blocks of them that are still here
 *
 * and every period a message goes to each peer for each lossless class:
 *
 *     FCCL  = received + window - held     what the peer may have sent in all
 *     FCTBS = what we have sent to it      so that it can count what the wire has lost
 *     free  = window - held
 *
 * Registers are 'bits' wide and wrap.  Two values are compared by their difference, which is right
 * as long as less than half the range is ever promised.
 *
 * Deviates: InfiniBand sets ABR to the FCTBS it hears.  Here a message acts one response time after
 * it came, and packets that came meanwhile are already counted; so FCTBS only moves 'received'
 * forward, and by no more than can have been lost.  And InfiniBand promises up to half the range;
 * with FCTBS read this way, a value exactly half the range away could be ahead or behind. */

#ifndef WEIR_LIB_CREDIT_H
#define WEIR_LIB_CREDIT_H

#include "weir/engine.h"

struct weir_credit {
    uint64_t block_bytes, bits;
    uint64_t period_ps;    /* WEIR_AUTO: every port has its own. */
    bool keeps_to_windows; /* Senders do, so no more than a window can be lost between messages. */
    uint64_t n_sent, n_heard, lost_blocks, n_bad_frames;
};

struct weir_credit_slot {
    uint64_t received, held;
    uint64_t window_blocks; /* The window of its port. */
};

/* For an engine's tables; its parameters have period_ps, block_bytes and credit_bits, its state has
 * a struct weir_credit named 'credit'.  PERIOD_ENDS: whether the peer counts on the period. */
#define CREDIT_PARAMS(TYPE, PERIOD_ENDS)                                                           \
    WEIR_FIELD(TYPE, period_ps, "period", WEIR_TIME, .fallback = WEIR_AUTO, .min = 1000,           \
               .max = WEIR_PS_PER_S, .derived = "the time that 65535 B take at the port",          \
               .by_port = true, .ends = (PERIOD_ENDS),                                             \
               .help = "Time between two credit messages to a peer.", .source = "GFC 5.4"),        \
        WEIR_FIELD(TYPE, block_bytes, "block", WEIR_BYTES, .fallback = 64, .min = 1, .max = 65536, \
                   .ends = WEIR_ENDS_MUST_AGREE,                                                   \
                   .help = "Size of a block, a power of two, the same at both ends of a link; "    \
                           "credit is counted in blocks, and a "                                   \
                           "packet takes whole ones.",                                             \
                   .source = "InfiniBand vol. 1, 7.9.4"),                                          \
        WEIR_FIELD(TYPE, credit_bits, "credit_bits", WEIR_COUNT, .fallback = 32, .min = 2,         \
                   .max = 32, .ends = WEIR_ENDS_MUST_AGREE,                                        \
                   .help = "Width of the credit registers in bits, the same at both ends of a "    \
                           "link; 12 on a real InfiniBand link.",                                  \
                   .source = "InfiniBand vol. 1, 7.9.4")

#define CREDIT_COUNTERS(TYPE)                                                                      \
    WEIR_FIELD(TYPE, credit.n_sent, "sent", WEIR_COUNT, .help = "Messages sent to peers."),        \
        WEIR_FIELD(TYPE, credit.n_heard, "heard", WEIR_COUNT,                                      \
                   .help = "Messages of peers that were obeyed."),                                 \
        WEIR_FIELD(TYPE, credit.lost_blocks, "lost_blocks", WEIR_COUNT,                            \
                   .help = "Blocks that peers sent and that never arrived."),                      \
        WEIR_FIELD(TYPE, credit.n_bad_frames, "bad_frames", WEIR_COUNT,                            \
                   .help = "Invalid frames that were ignored.")

uint64_t weir_credit_blocks(const struct weir_credit *, uint64_t bytes);

/* 'b' less 'a', both 'bits' wide; 0 if 'b' is behind 'a'. */
uint64_t weir_credit_ahead(const struct weir_credit *, uint64_t a, uint64_t b);

/* Fills in the period of a port. */
void weir_credit_derive_period(const struct weir_shape *, uint64_t *period_ps);

/* At a port; both ends of a link have it from the link's rate, unless it was set. */
weir_ps weir_credit_period_at(uint64_t period_ps, const struct weir_shape *, uint16_t port);
bool weir_credit_check(const struct weir_credit *, uint64_t window_blocks, const char *window_name,
                       struct weir_text *why);
struct weir_needs weir_credit_needs(const struct weir_shape *, size_t state_bytes);

/* For 'init': the window of a port, in each of its classes. */
void weir_credit_set_window(struct weir_credit_slot *slots, const struct weir_ctx *, uint16_t port,
                            uint64_t window_blocks);

/* A copy that the node has made takes room, but none that the peer has spent credit on. */
void weir_credit_arrived(const struct weir_credit *, struct weir_credit_slot *, uint32_t bytes,
                         bool is_copy);
void weir_credit_departed(const struct weir_credit *, struct weir_credit_slot *, uint32_t bytes);

/* Messages to the peer of 'port' now, and the timer for the next; its key is the port. */
void weir_credit_promise(struct weir_credit *, const struct weir_credit_slot *slots,
                         struct weir_ctx *, uint16_t port);

/* Reads a message and counts what was lost before it; false: a bad frame, and counted as such. */
bool weir_credit_hear(struct weir_credit *, struct weir_credit_slot *slots, struct weir_ctx *,
                      uint16_t port, const struct weir_frame *, struct weir_credit_frame *);

/* Counts on both sides of a link start at 0 when it comes up; held packets stay held. */
void weir_credit_link(struct weir_credit *, struct weir_credit_slot *slots, struct weir_ctx *,
                      uint16_t port, bool up, uint64_t limit_bytes);

#endif
