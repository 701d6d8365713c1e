/* Parameters of FAFC: their table, derived values, errors and warnings. */

#include "engines/fafc-params.h"

#include "by-port.h"
#include "engines/fafc-queues.h"

enum { MAX_PERIOD_MS = 10, FEW_QUANTA = 8 };

static const char *const decide_names[] = { "period", "dequeue", 0 };
static const char *const condition_names[] = { "rate", "backlog", 0 };
static const char *const calm_names[] = { "pair", "output", 0 };
static const char *const frames_names[] = { "fafc", "pfc", 0 };
static const char *const allocation_names[] = { "best", "uniform", "reversed", 0 };

const struct weir_field weir_fafc_fields[] = {
    WEIR_FIELD(struct fafc_params, pause_bytes, "th_p", WEIR_BYTES, .fallback = WEIR_AUTO,
               .min = 64, .max = WEIR_MAX_BYTES,
               .derived = "350KB up to 25Gbps, at faster ports in proportion to the rate, but no "
                          "more than half of what a queue can hold there; not below th_e",
               .by_port = true,
               .help = "Predicted queue of an output above which it pauses inputs.",
               .source = "FAFC IV.A"),
    WEIR_FIELD(struct fafc_params, ecn_bytes, "th_e", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 0,
               .max = WEIR_MAX_BYTES,
               .derived = "4/7 of the derived th_p: 200KB up to 25Gbps; not above th_p",
               .by_port = true,
               .help = "Predicted queue of an output above which packets that leave it are marked; "
                       "not above th_p.",
               .source = "FAFC IV.A"),
    WEIR_FIELD(struct fafc_params, calm_bytes, "th_c", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 0,
               .max = WEIR_MAX_BYTES, .derived = "th_e", .by_port = true,
               .help = "Queue up to which an output counts as uncongested: the cost of pausing an "
                       "input is the rate that it sends there.",
               .source = "FAFC Algorithm 2, which gives no value"),
    WEIR_FIELD(struct fafc_params, calm_by, "uncongested", WEIR_CHOICE, .choices = calm_names,
               .help = "Queue that is compared with th_c: packets of the one input at the output, "
                       "or of all inputs there.",
               .source = "FAFC Algorithm 2: pair; II.D speaks of the output"),
    WEIR_FIELD(struct fafc_params, period_ps, "period", WEIR_TIME, .fallback = WEIR_AUTO, .min = 0,
               .max = MAX_PERIOD_MS * (uint64_t)WEIR_PS_PER_S / 1000,
               .derived = "the cable delay of each link", .by_port = true,
               .ends = WEIR_ENDS_SHOULD_AGREE,
               .help = "T of a link: the longest pause of one decision, and half of the time "
                       "by which queues are predicted. A node updates rates once in its "
                       "shortest T.",
               .source = "FAFC III.A"),
    WEIR_FIELD(struct fafc_params, alpha, "alpha", WEIR_RATIO,
               .fallback = (WEIR_RATIO_1 * 8 + 5) / 10, .min = 1, .max = WEIR_RATIO_1,
               .help = "Weight of the newest queue length in the smoothed one.",
               .source = "FAFC III.A"),
    WEIR_FIELD(struct fafc_params, beta, "beta", WEIR_RATIO,
               .fallback = (WEIR_RATIO_1 * 8 + 5) / 10, .min = 1, .max = WEIR_RATIO_1,
               .help = "Weight of the newest rates in the smoothed ones.", .source = "FAFC III.A"),
    WEIR_FIELD(struct fafc_params, decrease, "f_dec", WEIR_RATIO, .fallback = WEIR_RATIO_1 / 2,
               .min = 1, .max = WEIR_RATIO_1,
               .help = "Factor for the rates of inputs in a decision, if the output paused inputs "
                       "within the last four periods.",
               .source = "FAFC III.D, which gives no value"),
    WEIR_FIELD(
        struct fafc_params, predicts, "predict", WEIR_CHOICE, .choices = weir_no_yes, .fallback = 1,
        .help = "Whether thresholds are compared with the queue that is predicted for a round "
                "trip from now, or with the smoothed queue.",
        .source = "FAFC II.B: yes"),
    WEIR_FIELD(struct fafc_params, decide, "decide", WEIR_CHOICE, .choices = decide_names,
               .help = "Time at which an output decides on pauses: once a period, or with each "
                       "packet that leaves it.",
               .source = "FAFC Algorithm 1: dequeue, with which pauses accumulate"),
    WEIR_FIELD(
        struct fafc_params, condition, "condition", WEIR_CHOICE, .choices = condition_names,
        .help =
            "The value that must be above 0 for a decision: the rate at which the queue grows, or "
            "its growth in a period, including the bytes that pauses have deferred.",
        .source = "FAFC Algorithm 2: rate"),
    WEIR_FIELD(struct fafc_params, allocate, "allocate", WEIR_CHOICE, .choices = allocation_names,
               .help = "Sharing of pause times: at the least cost to uncongested outputs; the same "
                       "for all inputs; or the most costly inputs first, to compare.",
               .source = "FAFC Eq. 9 to 11: best"),
    WEIR_FIELD(struct fafc_params, memory, "memory", WEIR_CHOICE, .choices = weir_no_yes,
               .help = "Whether the rate of an input is kept while it is paused, so that "
                       "pauses last while its peer has packets; at most two periods ahead.",
               .source = "not in FAFC"),
    WEIR_FIELD(struct fafc_params, quanta, "quanta", WEIR_CHOICE, .choices = weir_no_yes,
               .help = "Whether pause times are rounded to quanta of 512 bit times, as a switch "
                       "would that sends PFC's frames.",
               .source = "FAFC III.B"),
    WEIR_FIELD(struct fafc_params, frames, "frames", WEIR_CHOICE, .choices = frames_names,
               .help = "Frames that pause peers: FAFC's own, which add up; or PFC's, which "
                       "count in quanta, include the rest of earlier pauses, and slow no "
                       "flows down.",
               .source = "FAFC III.B: both"),
    WEIR_FIELD(struct fafc_params, slow, "slow", WEIR_CHOICE, .choices = weir_no_yes, .fallback = 1,
               .help = "Whether a NIC that is paused also slows its flows down, by the part of the "
                       "period for which it is paused.",
               .source = "FAFC Algorithm 3: yes"),
    WEIR_FIELD(struct fafc_params, least, "floor", WEIR_RATIO, .fallback = (WEIR_RATIO_1 + 5) / 10,
               .min = 1, .max = WEIR_RATIO_1,
               .help = "Minimum share of the rates of a NIC's flows that is left after one pause.",
               .source = "not in FAFC, where a pause of a whole period ends a flow"),
    WEIR_FIELD(struct fafc_params, offset, "offset", WEIR_CHOICE, .choices = weir_no_yes,
               .fallback = 1,
               .help = "Whether th_e is raised by the bytes that join the queue of an output while "
                       "the output is paused.",
               .source = "FAFC Algorithm 4: yes"),
    WEIR_FIELD(struct fafc_params, opcode, "opcode", WEIR_CODE, .fallback = WEIR_OPCODE_FAFC,
               .min = 1, .max = 0xffff, .ends = WEIR_ENDS_MUST_AGREE,
               .help = "MAC control opcode of the frames, the same at both ends of a link.",
               .source = "FAFC gives none"),
    { 0 },
};

enum { USUAL_PAUSE_BYTES = 350000 };
#define USUAL_BPS 25000000000ull /* The link rate of the paper's runs (section IV). */

void
weir_fafc_derive(const struct weir_shape *shape, void *params)
{
    struct fafc_params *p = params;
    uint64_t pause = weir_shape_scaled_bytes(shape, USUAL_PAUSE_BYTES, USUAL_BPS);
    uint64_t ecn = weir_mul_div(pause, 4, 7);

    weir_fill_in(&p->ecn_bytes, ecn < p->pause_bytes ? ecn : p->pause_bytes);
    weir_fill_in(&p->pause_bytes, pause > p->ecn_bytes ? pause : p->ecn_bytes);
    weir_fill_in(&p->calm_bytes, p->ecn_bytes);
    weir_fill_in(&p->period_ps, (uint64_t)weir_first_port(shape)->cable_ps);
}

/* A pause lasts at most one period, and a pause of less than half a quantum is dropped. */
static bool
params_fit(const struct weir_shape *shape, const struct fafc_params *p, struct weir_text *text)
{
    uint64_t rate = weir_first_port(shape)->rate_bps;
    weir_ps period_ps = (weir_ps)p->period_ps, most_ps = weir_wire_ps(FAFC_MOST_BYTES, rate);
    weir_ps quantum_ps = weir_wire_ps(FAFC_QUANTUM_BYTES, rate);

    if (p->ecn_bytes > p->pause_bytes) {
        return weir_refuse(text, "%P is %B; it must not be above th_p, which is %B", "th_e",
                           p->ecn_bytes, p->pause_bytes);
    }
    if (period_ps < FAFC_PS_PER_NS) {
        return weir_refuse(text,
                           "%P is %T, and pauses are counted in nanoseconds: set it to the delay "
                           "of a link, say 1us",
                           "period", period_ps);
    }
    if (period_ps > most_ps) {
        return weir_refuse(text,
                           "%P is %T, and in that time a link of %R carries more than %B, the "
                           "maximum that can be counted: set it to %T or less",
                           "period", period_ps, rate, (uint64_t)FAFC_MOST_BYTES, most_ps);
    }
    if (fafc_counts_quanta(p) && period_ps < quantum_ps / 2) {
        return weir_refuse(text,
                           "%P is %s, and a quantum is %T at %R: every pause, at most a period of "
                           "%T, would be rounded to 0: set it to %s, or a longer period",
                           p->frames ? "frames" : "quanta", p->frames ? "pfc" : "yes", quantum_ps,
                           rate, period_ps, p->frames ? "fafc" : "no");
    }
    return true;
}

/* The maximum number of bytes that an output can hold. */
static uint64_t
longest_output(const struct weir_shape *shape)
{
    const struct weir_buffer_plan *plan = &shape->buffer;
    uint64_t most = 0;

    for (uint32_t slot = 0; slot < weir_n_slots(shape); slot++) {
        uint64_t limit =
            plan->outputs ? plan->outputs[slot] : plan->output_bytes[slot % shape->n_classes];
        limit = limit && limit < plan->size_bytes ? limit : plan->size_bytes;
        most = limit > most ? limit : most;
    }
    return most;
}

static void
warn_of_params(const struct weir_shape *shape, const struct fafc_params *p, struct weir_text *text)
{
    uint64_t rate = weir_first_port(shape)->rate_bps, most = longest_output(shape);
    weir_ps period_ps = (weir_ps)p->period_ps, cable_ps = weir_first_port(shape)->cable_ps;
    weir_ps packet_ps = weir_wire_ps((uint64_t)shape->mtu_bytes + shape->gap_bytes, rate);
    weir_ps quantum_ps = weir_wire_ps(FAFC_QUANTUM_BYTES, rate);

    if (period_ps > 2 * cable_ps) {
        weir_warn(text,
                  "%P is %T, but the delay of the link is %T: queues are predicted and pauses sent "
                  "later than necessary, by the difference; auto is the delay of the link",
                  "period", period_ps, cable_ps);
    }
    if (period_ps < packet_ps) {
        weir_warn(
            text,
            "%P is %T, and at %R a full packet takes %T: a pause may end before the packet that is "
            "being sent has left, and frames are so frequent that PFC frames wait for them",
            "period", period_ps, rate, packet_ps);
    }
    if (fafc_counts_quanta(p) && period_ps < FEW_QUANTA * quantum_ps) {
        weir_warn(
            text,
            "%P is %s, and a period of %T has less than %u quanta of %T at %R: pauses of less than "
            "half a quantum are not sent, and others are wrong by up to half a quantum",
            p->quanta ? "quanta" : "frames", p->quanta ? "yes" : "pfc", period_ps,
            (uint64_t)FEW_QUANTA, quantum_ps, rate);
    }
    if (p->pause_bytes > most) {
        weir_warn(text,
                  "%P is %B, but an output holds at most %B: queues are hardly ever predicted to "
                  "be longer, so no input is paused",
                  "th_p", p->pause_bytes, most);
    }
}

bool
weir_fafc_fits(const struct weir_shape *shape, const struct fafc_params *p, struct weir_text *text)
{
    bool fit = params_fit(shape, p, text);

    if (fit && !fafc_is_nic(shape)) {
        warn_of_params(shape, p, text);
    }
    return fit;
}
