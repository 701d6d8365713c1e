/* Pausing peers: common parts of PFC, TTL and CaPFC.
 *
 * As receiver, for each (port, class), where q is the number of bytes that arrived there and are
 * still in the node: when q reaches XOFF, the engine asks the peer to pause, and repeats this
 * before the pause expires.  When q has fallen to XON, it asks the peer to resume.
 *
 *               q >= XOFF / send PAUSE
 *        OPEN --------------------------> SHUT ---.
 *             <--------------------------       <-'  half the pause is over / send PAUSE
 *               q <= XON / send RESUME
 *
 * As sender: the gate opens when the pause requested by the peer expires; RESUME is a pause of time
 * 0.
 *
 * When a link comes up again, the queue at its end may still be long.  So each end sends the state
 * of all its classes at once, and as sender waits for the state of its peer.  This wait is a pause
 * of the maximum time, which expires if the peer sends nothing (doc/decisions/0022).
 *
 * An engine may have other reasons to keep a peer paused.  It calls weir_pause_ask() once for each
 * reason, and weir_pause_release() when the reason ends.  A class is shut while its queue is full,
 * from XOFF down to XON, or while there is another reason.  Only changes are sent to the peer.
 * Many reasons may change faster than the wire carries frames, and a pause that waits behind other
 * frames is late.  So a peer that may be paused for other reasons stays paused for at least the
 * time of two frames of each class, and an earlier resume waits (doc/decisions/0077).
 *
 * The engine pauses the class in which the peer sends packets that arrive here in the full class.
 * Both classes are equal, unless an engine of the node changes the class of packets
 * (ctx->arrives_as).
 *
 * Thresholds are fixed numbers, or depend on the free buffer.  A dynamic XOFF is the current limit
 * of a class (reserve plus alpha times the free bytes), so each packet in the node changes every
 * threshold.  A class is shut only when a packet arrives for it, because it needs no pause before.
 * It is reopened as soon as the threshold has risen above its queue, for any reason, and its
 * headroom is empty.
 *
 * The hooks need a struct weir_pause as state; an engine's own state may follow it. */

#ifndef WEIR_LIB_PAUSE_H
#define WEIR_LIB_PAUSE_H

#include "weir/engine.h"

enum weir_pause_threshold { WEIR_PAUSE_STATIC, WEIR_PAUSE_DYNAMIC };
extern const char *const weir_pause_threshold_names[];

enum weir_pause_restart { WEIR_PAUSE_SAFE, WEIR_PAUSE_OPEN };
extern const char *const weir_pause_restart_names[];

/* The cause of pauses. */
enum weir_pause_cause { WEIR_PAUSE_BY_QUEUE, WEIR_PAUSE_BY_OTHERS_TOO };

struct weir_pause_params {
    uint64_t threshold, xoff_bytes, xon_bytes, xon_offset_bytes, quanta, restart;
};

struct weir_pause {
    struct weir_pause_params p;
    uint64_t n_pauses, n_refreshes, n_resumes, n_heard, n_bad_frames, n_asked;
    uint32_t n_words, n_bytes; /* The number of words of 'full', and the size of the whole state. */
    uint16_t n_ports;
    bool hears_departed; /* The engine's 'departed' is called for every packet. */
    enum weir_pause_cause cause;
    uint64_t full[]; /* Bit [port][class]: the queue has reached XOFF, and has not fallen to XON
                      * since. */
};
/* 'full' is followed by the thresholds of each port.  Next is a uint16_t [port][class], the number
 * of reasons to shut it.  With WEIR_PAUSE_BY_OTHERS_TOO, the last part is a weir_ps [port][class],
 * the earliest time at which the peer may be resumed. */

struct weir_pause_levels { /* The thresholds of a port; a dynamic XOFF depends on the buffer. */
    uint64_t xoff_bytes, xon_bytes;
};

/* Rows for an engine's tables; its parameters must have a struct weir_pause_params named
 * 'pause'. */
#define PAUSE_PARAMS(TYPE)                                                                         \
    WEIR_FIELD(                                                                                    \
        TYPE, pause.threshold, "threshold", WEIR_CHOICE, .choices = weir_pause_threshold_names,    \
        .help = "Whether thresholds are fixed or follow the free part of the shared buffer.",      \
        .source = "802.1Q leaves it open; dynamic as in shared-memory switches"),                  \
        WEIR_FIELD(TYPE, pause.xoff_bytes, "xoff", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 64,   \
                   .max = WEIR_MAX_BYTES,                                                          \
                   .derived = "the buffer of a class at a port, less Eq. 15 of TTL and an MTU",    \
                   .by_port = true,                                                                \
                   .help = "Bytes of a class at a port at which its peer is asked to pause; for "  \
                           "static thresholds only.",                                              \
                   .source = "802.1Q-2018 36.1"),                                                  \
        WEIR_FIELD(TYPE, pause.xon_bytes, "xon", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 0,      \
                   .max = WEIR_MAX_BYTES,                                                          \
                   .derived = "xoff less 2 MTU; 0 if thresholds are dynamic", .by_port = true,     \
                   .help = "Bytes of a class at a port at which its peer is asked to resume.",     \
                   .source = "802.1Q-2018 36.1; 2 MTU: DCQCN (SIGCOMM 2015)"),                     \
        WEIR_FIELD(TYPE, pause.xon_offset_bytes, "xon_offset", WEIR_BYTES, .fallback = WEIR_AUTO,  \
                   .min = 0, .max = WEIR_MAX_BYTES, .derived = "2 MTU",                            \
                   .help = "Bytes below the threshold at which a peer is asked to resume, unless " \
                           "xon is more; for dynamic thresholds only.",                            \
                   .source = "SONiC BUFFER_PROFILE"),                                              \
        WEIR_FIELD(                                                                                \
            TYPE, pause.quanta, "quanta", WEIR_COUNT, .fallback = 0xffff, .min = 2, .max = 0xffff, \
            .help = "Length of the pause that a frame asks for, in units of 512 bit times.",       \
            .source = "802.1Q-2018 36.2"),                                                         \
        WEIR_FIELD(                                                                                \
            TYPE, pause.restart, "restart", WEIR_CHOICE, .choices = weir_pause_restart_names,      \
            .help =                                                                                \
                "Sender whose link comes up again: safe waits until the peer reports its queues, " \
                "at most for the longest pause; open sends at once, so packets may be lost.",      \
            .source = "802.1Q leaves it open")

/* Rows for the engine's counters; its state must begin with a struct weir_pause. */
#define PAUSE_COUNTERS                                                                             \
    WEIR_FIELD(struct weir_pause, n_pauses, "pauses", WEIR_COUNT, .help = "Pauses sent."),         \
        WEIR_FIELD(struct weir_pause, n_refreshes, "refreshes", WEIR_COUNT,                        \
                   .help = "Pauses refreshed before they expired."),                               \
        WEIR_FIELD(struct weir_pause, n_resumes, "resumes", WEIR_COUNT,                            \
                   .help = "Pauses that were ended by a resume."),                                 \
        WEIR_FIELD(struct weir_pause, n_heard, "heard", WEIR_COUNT,                                \
                   .help = "Frames of peers that were obeyed."),                                   \
        WEIR_FIELD(struct weir_pause, n_bad_frames, "bad_frames", WEIR_COUNT,                      \
                   .help = "Invalid frames that were ignored.")

extern const struct weir_field weir_pause_counters[];

void weir_pause_derive(const struct weir_shape *, enum weir_pause_cause,
                       struct weir_pause_params *);
bool weir_pause_check(const struct weir_shape *, enum weir_pause_cause,
                      const struct weir_pause_params *, struct weir_needs *, struct weir_text *);

/* 'hears_departed': the engine needs every departure for its own purposes. */
void weir_pause_init(void *state, struct weir_ctx *, enum weir_pause_cause,
                     const struct weir_pause_params *, bool hears_departed);

/* These functions are for engines with WEIR_PAUSE_BY_OTHERS_TOO. */
void weir_pause_rebase(void *state, const struct weir_ctx *, weir_ps by_ps);

/* Add a reason to keep the peer of a slot paused, and remove a reason. */
void weir_pause_ask(struct weir_pause *, struct weir_ctx *, uint32_t slot);
void weir_pause_release(struct weir_pause *, struct weir_ctx *, uint32_t slot);

void weir_pause_arrived(void *state, struct weir_ctx *, struct weir_pkt *);
void weir_pause_departed(void *state, struct weir_ctx *, struct weir_pkt *);
void weir_pause_frame(void *state, struct weir_ctx *, uint16_t port, const struct weir_frame *);
void weir_pause_timer(void *state, struct weir_ctx *, uint32_t slot);
void weir_pause_link(void *state, struct weir_ctx *, uint16_t port, bool up);

#endif
