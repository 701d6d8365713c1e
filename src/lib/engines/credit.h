/* Credit messages: common parts of CBFC and time-based GFC.
 *
 * All counts are in blocks; a packet takes whole blocks.  The receiver keeps these values for each
 * (port, class):
 *
 *     received   blocks received since the link came up            InfiniBand's ABR
 *     held       received blocks that are still in the node
 *
 * and every period a message goes to each peer for each lossless class:
 *
 *     FCCL  = received + window - held     what the peer may have sent in all
 *     FCTBS = blocks sent to the peer      so that it can count the blocks that the wire lost
 *     free  = window - held
 *
 * Registers are 'credit_bits' wide and wrap.  Two values are compared by their difference, which is
 * correct as long as the credit is always less than half the range.
 *
 * Deviates: InfiniBand sets ABR to the received FCTBS.  In Weir a message takes effect one response
 * time after it arrived, and packets that arrived meanwhile are already counted.  So FCTBS only
 * moves 'received' forward, by at most the bytes that can have been lost.  InfiniBand also grants
 * credit up to half the range.  With FCTBS read this way, a value exactly half the range away could
 * be ahead or behind.
 *
 * The hooks need a struct weir_credit as state, and parameters that begin with a struct
 * weir_credit_params.  An engine's own state may follow, at weir_credit_end(). */

#ifndef WEIR_LIB_CREDIT_H
#define WEIR_LIB_CREDIT_H

#include "weir/engine.h"

struct weir_credit_params {
    uint64_t period_ps, block_bytes, credit_bits;
};

struct weir_credit_slot {
    uint64_t received, held;
    uint64_t window_blocks; /* The window of the slot's port. */
};

struct weir_credit {
    struct weir_credit_params p; /* If the period is WEIR_AUTO, every port has its own. */
    bool keeps_to_windows; /* Senders obey the credit, so at most one window can be lost between
                            * messages. */
    uint64_t n_sent, n_heard, lost_blocks, n_bad_frames;
    struct weir_credit_slot slots[]; /* [port][class]. */
};

/* Rows for an engine's table, whose parameters begin with a struct weir_credit_params named
 * 'credit'.  PERIOD_ENDS: true if the peer relies on the period. */
#define CREDIT_PARAMS(TYPE, PERIOD_ENDS)                                                           \
    WEIR_FIELD(TYPE, credit.period_ps, "period", WEIR_TIME, .fallback = WEIR_AUTO, .min = 1000,    \
               .max = WEIR_PS_PER_S, .derived = "the time that 65535 B take at the port",          \
               .by_port = true, .ends = (PERIOD_ENDS),                                             \
               .help = "Time between two credit messages to a peer.", .source = "GFC 5.4"),        \
        WEIR_FIELD(TYPE, credit.block_bytes, "block", WEIR_BYTES, .fallback = 64, .min = 1,        \
                   .max = 65536, .ends = WEIR_ENDS_MUST_AGREE,                                     \
                   .help = "Size of a block, a power of two, the same at both ends of a link; "    \
                           "credit is counted in blocks, and a "                                   \
                           "packet takes whole ones.",                                             \
                   .source = "InfiniBand vol. 1, 7.9.4"),                                          \
        WEIR_FIELD(TYPE, credit.credit_bits, "credit_bits", WEIR_COUNT, .fallback = 32, .min = 2,  \
                   .max = 32, .ends = WEIR_ENDS_MUST_AGREE,                                        \
                   .help = "Width of the credit registers in bits, the same at both ends of a "    \
                           "link; 12 on a real InfiniBand link.",                                  \
                   .source = "InfiniBand vol. 1, 7.9.4")

extern const struct weir_field weir_credit_counters[];

uint64_t weir_credit_blocks(const struct weir_credit_params *, uint64_t bytes);

/* The difference 'b' minus 'a', both 'credit_bits' wide; 0 if 'b' is behind 'a'. */
uint64_t weir_credit_ahead(const struct weir_credit_params *, uint64_t a, uint64_t b);

/* Derives the period of a port from the link's rate, so both ends of a link have the same
 * period. */
void weir_credit_derive(const struct weir_shape *, struct weir_credit_params *);
bool weir_credit_check(const struct weir_credit_params *, uint64_t window_blocks,
                       const char *window_name, struct weir_text *why);
struct weir_needs weir_credit_needs(const struct weir_shape *, size_t own_bytes);

static inline void *
weir_credit_end(struct weir_credit *c, const struct weir_shape *shape)
{
    return &c->slots[weir_n_slots(shape)];
}

/* Called by 'init': sets the window of a port, in each of its classes. */
void weir_credit_set_window(struct weir_credit *, const struct weir_ctx *, uint16_t port,
                            uint64_t window_bytes);

/* Reads a message and counts the bytes that were lost before it; returns false for a bad frame,
 * which is counted. */
bool weir_credit_hear(struct weir_credit *, struct weir_ctx *, uint16_t port,
                      const struct weir_frame *, struct weir_credit_frame *);

/* When a link comes up, the counts of both ends start at 0; packets in the node stay counted. */
void weir_credit_link(struct weir_credit *, struct weir_ctx *, uint16_t port, bool up,
                      uint64_t limit_bytes);

weir_ps weir_credit_period(const void *params);
void weir_credit_arrived(void *state, struct weir_ctx *, struct weir_pkt *);
void weir_credit_forwarded(void *state, struct weir_ctx *, struct weir_pkt *);
void weir_credit_departed(void *state, struct weir_ctx *, struct weir_pkt *);

/* Sends messages to the peer of 'port' now, and sets the timer for the next messages; its key is
 * the port. */
void weir_credit_timer(void *state, struct weir_ctx *, uint32_t port);

#endif
