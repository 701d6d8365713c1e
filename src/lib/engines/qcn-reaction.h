/* QCN's reaction point: the part of a NIC that limits a flow which a congestion point has blamed.
 *
 * A congestion notification message (CNM, wire.h) cuts the flow's rate by at most half.  After
 * that, the rate rises each time that a number of bytes was sent or a time has passed.  At the line
 * rate the limit is removed. qcn-reaction.c begins with a drawing of the states, after 802.1Qau
 * clause 32.
 *
 * An engine's state at a NIC must begin with a struct weir_reaction.  The state of flows, of size
 * weir_reaction_flows_bytes(), follows 'flows_at' bytes after its start; the engine chooses
 * 'flows_at'.  The keys of timers are flow numbers.  Each hook adds at most WEIR_REACTION_EMITS
 * answers to the outbox. */

#ifndef WEIR_LIB_QCN_REACTION_H
#define WEIR_LIB_QCN_REACTION_H

#include "weir/engine.h"

enum weir_reaction_install { WEIR_REACTION_AT_LINE, WEIR_REACTION_AT_OWN };
extern const char *const weir_reaction_install_names[];

struct weir_reaction_params {
    uint64_t timer_ps, bytes, jitter, cycles, ai_bps, hai_bps, min_bps, extra, install;
};

struct weir_reaction {
    struct weir_reaction_params p;
    uint64_t chance, n_heard, n_bad, n_installed, n_removed;
    uint32_t flows_at;
};

enum { WEIR_REACTION_EMITS = 2 };

/* The end of help texts for values that scale with the link rate of a NIC; if it has several links,
 * the slowest counts. */
#define REACTION_GROWS ", on faster lines in proportion to the rate"

/* Rows for an engine's tables; its parameters must have a struct weir_reaction_params named
 * 'reaction'. */
#define REACTION_PARAMS(TYPE)                                                                      \
    WEIR_FIELD(TYPE, reaction.timer_ps, "timer", WEIR_TIME, .fallback = 5000000000,                \
               .min = 1000000, .max = WEIR_PS_PER_S,                                               \
               .help = "Time after which a limited flow is allowed a higher rate; half of it "     \
                       "after the first cycles.",                                                  \
               .source = "802.1Qau rpgTimeReset, 15 ms there"),                                    \
        WEIR_FIELD(TYPE, reaction.bytes, "bytes", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 64,    \
                   .max = WEIR_MAX_BYTES, .derived = "150KB up to 10Gbps" REACTION_GROWS,          \
                   .help = "Bytes sent after which a limited flow is allowed a higher rate; half " \
                           "of it after the first cycles.",                                        \
                   .source = "802.1Qau rpgByteReset"),                                             \
        WEIR_FIELD(TYPE, reaction.jitter, "reaction_jitter", WEIR_RATIO,                           \
                   .fallback = (WEIR_RATIO_1 * 15 + 50) / 100, .min = 0, .max = WEIR_RATIO_1 / 2,  \
                   .help = "Share by which timer and byte counter vary at random, up and down, "   \
                           "each time that they start.",                                           \
                   .source = "802.1Qau clause 32"),                                                \
        WEIR_FIELD(                                                                                \
            TYPE, reaction.cycles, "cycles", WEIR_COUNT, .fallback = 5, .min = 1, .max = 1000,     \
            .help = "Number of first cycles of the timer and the byte counter, in which the rate " \
                    "returns towards the target rate; later cycles also raise the target rate.",   \
            .source = "802.1Qau rpgThreshold"),                                                    \
        WEIR_FIELD(TYPE, reaction.ai_bps, "ai", WEIR_RATE, .fallback = WEIR_AUTO, .min = 1000,     \
                   .max = 100 * (uint64_t)WEIR_PS_PER_S,                                           \
                   .derived = "5Mbps up to 10Gbps" REACTION_GROWS,                                 \
                   .help = "Increase of the target rate by each later cycle of the timer or the "  \
                           "byte counter.",                                                        \
                   .source = "802.1Qau rpgAiRate"),                                                \
        WEIR_FIELD(                                                                                \
            TYPE, reaction.hai_bps, "hai", WEIR_RATE, .fallback = WEIR_AUTO, .min = 1000,          \
            .max = 100 * (uint64_t)WEIR_PS_PER_S, .derived = "50Mbps up to 10Gbps" REACTION_GROWS, \
            .help = "Increase of the target rate by a cycle after the first cycles of timer and "  \
                    "byte counter, times the number of later cycles of the one that has fewer.",   \
            .source = "802.1Qau rpgHaiRate"),                                                      \
        WEIR_FIELD(TYPE, reaction.min_bps, "min_rate", WEIR_RATE, .fallback = WEIR_AUTO,           \
                   .min = 1000, .max = 100 * (uint64_t)WEIR_PS_PER_S,                              \
                   .derived = "5Mbps up to 10Gbps" REACTION_GROWS                                  \
                              "; half the rate of a line that is slower than 10Mbps",              \
                   .help = "Lowest rate that a flow can be limited to.",                           \
                   .source = "802.1Qau rpgMinRate"),                                               \
        WEIR_FIELD(TYPE, reaction.extra, "extra", WEIR_CHOICE, .choices = weir_no_yes,             \
                   .fallback = 1,                                                                  \
                   .help = "Whether a flow that gets another message in its first cycle still "    \
                           "returns to the rate that it had before (extra fast recovery).",        \
                   .source = "802.1Qau clause 32"),                                                \
        WEIR_FIELD(TYPE, reaction.install, "install", WEIR_CHOICE,                                 \
                   .choices = weir_reaction_install_names,                                         \
                   .help = "Rate from which a flow without a limit is cut: the line rate, or its " \
                           "own recent rate.",                                                     \
                   .source = "802.1Qau: line")

/* Rows for the engine's counters; its state must begin with a struct weir_reaction. */
#define REACTION_COUNTERS                                                                          \
    WEIR_FIELD(struct weir_reaction, n_heard, "heard", WEIR_COUNT,                                 \
               .help = "Congestion notification messages that were obeyed."),                      \
        WEIR_FIELD(struct weir_reaction, n_bad, "bad_messages", WEIR_COUNT,                        \
                   .help = "Invalid messages that were ignored."),                                 \
        WEIR_FIELD(struct weir_reaction, n_installed, "limited", WEIR_COUNT,                       \
                   .help = "Times that a flow without a limit was given one."),                    \
        WEIR_FIELD(struct weir_reaction, n_removed, "freed", WEIR_COUNT,                           \
                   .help = "Times that a flow was back at the rate of its line, without a limit.")

/* Derives rates and bytes that are not set, for links of any rate. */
void weir_reaction_derive(const struct weir_shape *, struct weir_reaction_params *);

/* Whether the parameters fit a NIC; if not, 'text' has the reason. */
bool weir_reaction_check(const struct weir_shape *, const struct weir_reaction_params *,
                         struct weir_text *);
size_t weir_reaction_flows_bytes(const struct weir_shape *);

/* Initialises the state, which is all zero bytes before; any seed is valid. */
void weir_reaction_init(struct weir_reaction *, const struct weir_reaction_params *,
                        uint32_t flows_at, uint64_t seed);
void weir_reaction_heard(void *state, struct weir_ctx *, uint32_t flow, const struct weir_frame *);
void weir_reaction_sent(void *state, struct weir_ctx *, struct weir_pkt *);
void weir_reaction_timer(struct weir_reaction *, struct weir_ctx *, uint32_t flow);
void weir_reaction_rebase(struct weir_reaction *, const struct weir_ctx *, weir_ps by_ps);

#endif
