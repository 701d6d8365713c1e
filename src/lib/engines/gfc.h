/* Common parts of the three forms of Gentle Flow Control.  Qian et al., SIGCOMM 2019 */

#ifndef WEIR_LIB_GFC_H
#define WEIR_LIB_GFC_H

#include "weir/engine.h"

/* The theorems assume a fluid, but packets are whole.  By default Bm is this many MTUs below the
 * room; doc/theory.md has the measurement. */
enum { GFC_SLACK_MTU = 2 };

#define GFC_BM(TYPE)                                                                               \
    WEIR_FIELD(                                                                                    \
        TYPE, bm_bytes, "bm", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 64, .max = WEIR_MAX_BYTES, \
        .derived = "the buffer of a class at a port, less 2 MTU", .by_port = true,                 \
        .help =                                                                                    \
            "Queue length at which the rate would be 0; the buffer that the scheme plans with.",   \
        .source = "GFC 4.1, 5.4")

#define GFC_MIN_RATE(TYPE)                                                                         \
    WEIR_FIELD(TYPE, min_bps, "min_rate", WEIR_RATE, .fallback = 8000, .min = 0,                   \
               .max = (uint64_t)WEIR_PS_PER_S,                                                     \
               .help = "Lowest rate that a peer is held to. 0: no lower bound, as in the paper, "  \
                       "where a rate of 0 is final.",                                              \
               .source = "GFC 7")

/* The rate of a port whose peer has 'left' of 'span' bytes free, but at least 'min_bps'. */
uint64_t weir_gfc_rate_bps(uint64_t line_bps, uint64_t left_bytes, uint64_t span_bytes,
                           uint64_t min_bps);

/* Derives Bm of a port, and then the threshold 'room_bytes' below it, as the theorem requires.
 * Leaves them WEIR_AUTO if they do not fit. */
void weir_gfc_derive(const struct weir_shape *, uint64_t *bm_bytes, uint64_t *threshold_bytes,
                     uint64_t room_bytes);

/* Refuses a threshold that is not below Bm.  Warns if it is less than 'room_bytes' below Bm, or if
 * there is too little room above Bm. */
bool weir_gfc_check(const struct weir_shape *, uint64_t bm_bytes, const char *threshold_name,
                    uint64_t threshold_bytes, uint64_t room_bytes, const char *theorem,
                    struct weir_text *);

/* Spaces the messages of a port that report changes.  If a queue changes sooner than messages can
 * follow each other, its latest value waits, so that no message waits behind outdated messages:
 *
 *               a class changes / send it
 *        FREE ----------------------------> PACED ---.
 *             <----------------------------       <--'  its time has come / send what waits
 *               its time has come, none waits           a class changes / it waits
 *
 */
struct weir_gfc_pace {
    weir_ps free_ps;    /* When the next message may leave; a time in the past allows a burst. */
    weir_ps spacing_ps; /* The mean time from one message to the next. */
    uint8_t waiting;    /* Bit c: class c has changed since its last message. */
};

/* The shortest spacing of a port: the time of two frames, so that messages hardly wait for each
 * other. */
weir_ps weir_gfc_spacing_ps(const struct weir_shape *, uint16_t port);

/* Starts or restarts a port, whose timer is 'key', as if no message had been sent yet. */
void weir_gfc_pace_start(struct weir_gfc_pace *, weir_ps spacing_ps);
void weir_gfc_pace_restart(struct weir_gfc_pace *, struct weir_ctx *, uint32_t key);

/* Whether a change of a class can be sent now; if not, the change waits, and the timer 'key' is
 * set. */
static inline bool
weir_gfc_may_send(struct weir_gfc_pace *pace, struct weir_ctx *ctx, uint32_t key, uint8_t cls)
{
    if (!pace->waiting && ctx->now >= pace->free_ps) {
        return true;
    }
    if (!pace->waiting) {
        weir_set_timer(ctx, key, pace->free_ps);
    }
    pace->waiting |= (uint8_t)(1u << cls);
    return false;
}

/* Records that a message leaves now. */
static inline void
weir_gfc_sent(struct weir_gfc_pace *pace, weir_ps now)
{
    weir_ps earliest = now - (WEIR_GFC_BURST - 1) * pace->spacing_ps;
    pace->free_ps =
        weir_after(pace->free_ps > earliest ? pace->free_ps : earliest, pace->spacing_ps);
}

static inline void
weir_gfc_pace_rebase(struct weir_gfc_pace *pace, weir_ps by_ps)
{
    pace->free_ps = weir_rebased(pace->free_ps, by_ps);
}

/* Holds the rates of a port whose link comes up.  The peer may have a long queue which it has not
 * reported yet, so no packet is sent before the report.  If the peer reports nothing for the
 * longest pause of PFC, its queue is assumed to be empty. */
void weir_gfc_link(struct weir_ctx *, uint16_t port, bool up);

#endif
