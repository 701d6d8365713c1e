/* Congestion aware PFC.                    Avci, Li, Liu: Congestion Aware PFC (IFIP, 2016), II.C-E
 *
 * PFC looks at inputs.  If a pipeline empties inputs whether the outputs have room or not, packets
 * pile up at an output, and PFC does not see them.  CaPFC also watches outputs, and pauses the
 * inputs that fill them.  The rules for each (output o, class), where B is the number of bytes that
 * wait there:
 *
 *     B > WARN     each packet that joins adds 1 to the counter C of the input on which it arrived
 *     B >= XOFF    each packet that joins stops inputs: Stop-Max stops the input with the largest
 *                  C, Stop-Calibrate the inputs with the largest C that together exceed CUT.
 *                  To stop input i is to set the bit E[i][o]
 *     B <= WARN    all C of the output are 0
 *     B <= XON     all E of the output are 0
 *
 * and for each (input i, class), I being PFC's state of that queue:
 *
 *                      D rises / send PAUSE
 *               OPEN -----------------------> SHUT        D = I, or any E[i][o], o != i
 *                    <-----------------------
 *                      D falls / send RESUME
 *
 * pause.h implements I, frames, timers, and the whole sender: an output that stops an input asks
 * pause.h to shut that slot.  Deviates: a RESUME waits until the PAUSE has lasted for a minimum
 * time.
 *
 * Only thresholds of inputs can be dynamic; thresholds of outputs are fixed (II.F). */

#include <string.h>

#include "by-port.h"
#include "engines/bits.h"
#include "pause.h"
#include "weir/all-engines.h"

enum stop { MAX, CALIBRATE };
static const char *const stop_names[] = { "max", "calibrate", 0 };

struct params {
    struct weir_pause_params pause;
    uint64_t xoff_bytes, xon_bytes, warn_bytes; /* Thresholds of outputs. */
    uint64_t stop, again, cut, on_drop;
};

struct egress { /* The state of an (output, class). */
    uint64_t xoff_bytes, xon_bytes, warn_bytes;
    uint64_t n_pkts;  /* The sum of all C of the output. */
    uint32_t n_loose; /* Inputs with C above 0 that are not stopped. */
    uint32_t n_stopped;
};

/* The part of the state after struct weir_pause. */
struct capfc {
    struct params p;
    uint32_t n_ports, n_slots, n_words;
    struct egress egress[];
};
/* The struct is followed, for each (output, class), by E, one bit for each input, and C[input], a
 * uint32_t. */

enum { MAX_COUNT = 1 << 30 }; /* Counters stop here, so that sums fit into 64 bits. */

static const struct weir_field param_fields[] = {
    PAUSE_PARAMS(struct params),
    WEIR_FIELD(struct params, xoff_bytes, "egress_xoff", WEIR_BYTES, .fallback = WEIR_AUTO,
               .min = 64, .max = WEIR_MAX_BYTES,
               .derived = "room at the output less the bytes that can still arrive; 5/12 of the "
                          "room if nothing bounds these; xoff if outputs have no limit",
               .by_port = true,
               .help = "Bytes of a class at an output at which it begins to pause inputs.",
               .source = "CaPFC II.D; 5/12: Table II"),
    WEIR_FIELD(struct params, xon_bytes, "egress_xon", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 0,
               .max = WEIR_MAX_BYTES,
               .derived = "4/5 of egress_xoff, but at least 3 MTU below it if outputs are limited",
               .by_port = true,
               .help = "Bytes of a class at an output at which it resumes all inputs.",
               .source = "CaPFC II.D, Table II"),
    WEIR_FIELD(struct params, warn_bytes, "egress_warn", WEIR_BYTES, .fallback = WEIR_AUTO,
               .min = 0, .max = WEIR_MAX_BYTES, .derived = "egress_xon", .by_port = true,
               .help = "Bytes of a class at an output above which it counts the packets of each "
                       "input; at or below, all counters are 0.",
               .source = "CaPFC II.D, III"),
    WEIR_FIELD(struct params, stop, "stop", WEIR_CHOICE, .choices = stop_names,
               .help = "Inputs that an output pauses: the one with the most packets, or the "
                       "largest ones that together exceed cut.",
               .source = "CaPFC Algorithms 1 and 2"),
    WEIR_FIELD(struct params, again, "again", WEIR_CHOICE, .choices = weir_no_yes,
               .help =
                   "With stop: max, whether only unpaused inputs are compared. no: all inputs are "
                   "compared, and another is paused only when it has sent more than those paused.",
               .source = "CaPFC Algorithm 1, step 11 (as printed: no)"),
    WEIR_FIELD(struct params, cut, "cut", WEIR_RATIO, .fallback = (WEIR_RATIO_1 * 8 + 5) / 10,
               .min = 1, .max = WEIR_RATIO_1,
               .help =
                   "With stop: calibrate, the share of the counted packets that the paused inputs "
                   "together exceed; 1 pauses every input that has sent any.",
               .source = "CaPFC Algorithm 2, Table II"),
    WEIR_FIELD(struct params, on_drop, "on_drop", WEIR_CHOICE, .choices = weir_no_yes,
               .help = "Whether a packet that finds no room at its output is counted, and can "
                       "pause inputs, like a packet that joins the queue.",
               .source = "CaPFC Algorithm 1, steps 2 and 3 (as printed: no)"),
    { 0 },
};

static const struct weir_field counter_fields[] = {
    PAUSE_COUNTERS,
    WEIR_FIELD(struct weir_pause, n_asked, "stops", WEIR_COUNT,
               .help = "Times that an output paused an input."),
    { 0 },
};

/* These functions access the state. */

static size_t
capfc_bytes(const struct weir_shape *shape)
{
    size_t n_slots = weir_n_slots(shape), n_words = weir_words_for(shape->n_ports);
    size_t counters = (n_slots * shape->n_ports * sizeof(uint32_t) + 7) / 8 * 8;

    return sizeof(struct capfc) + n_slots * sizeof(struct egress) + counters +
           n_slots * n_words * sizeof(uint64_t);
}

/* Hot. */
static struct capfc *
outputs_of(void *state)
{
    return (struct capfc *)(void *)((uint8_t *)state + ((struct weir_pause *)state)->n_bytes);
}

static uint64_t *
stopped_of(struct capfc *s, uint32_t out)
{
    return (uint64_t *)(void *)&s->egress[s->n_slots] + (size_t)out * s->n_words;
}

static uint32_t *
counters_of(struct capfc *s, uint32_t out)
{
    uint32_t *first = (uint32_t *)(void *)stopped_of(s, s->n_slots);
    return first + (size_t)out * s->n_ports;
}

static bool
is_stopped(struct capfc *s, uint32_t out, uint32_t input)
{
    return weir_has_bit(stopped_of(s, out), input);
}

/* These functions stop inputs. */

static void
stop_input(void *state, struct weir_ctx *ctx, uint32_t out, uint32_t input)
{
    struct capfc *s = outputs_of(state);

    if (is_stopped(s, out, input)) {
        return;
    }
    weir_set_bit(stopped_of(s, out), input);
    s->egress[out].n_stopped++;
    s->egress[out].n_loose--;
    if (input != weir_slot_port(ctx, out)) {
        weir_pause_ask(state, ctx, weir_slot(ctx, (uint16_t)input, weir_slot_class(ctx, out)));
    }
}

static void
let_all_go_on(void *state, struct weir_ctx *ctx, uint32_t out)
{
    struct capfc *s = outputs_of(state);
    uint64_t *stopped = stopped_of(s, out);

    WEIR_EACH_BIT(stopped, s->n_words, input)
    {
        if (input != weir_slot_port(ctx, out)) {
            weir_pause_release(state, ctx,
                               weir_slot(ctx, (uint16_t)input, weir_slot_class(ctx, out)));
        }
    }
    memset(stopped, 0, s->n_words * sizeof *stopped);
    s->egress[out].n_stopped = 0;
}

/* The input after 'last' in decreasing order of C; among equal inputs, the lower port number comes
 * first.  Returns the first input if 'last' is n_ports, and n_ports if no other input has sent a
 * packet. */
static uint32_t
next_largest(struct capfc *s, uint32_t out, uint32_t last)
{
    const uint32_t *c = counters_of(s, out);
    uint32_t best = s->n_ports, most = 0;

    for (uint32_t i = 0; i < s->n_ports; i++) {
        bool is_next = last == s->n_ports || c[i] < c[last] || (c[i] == c[last] && i > last);
        if (is_next && c[i] > most) {
            best = i;
            most = c[i];
        }
    }
    return best;
}

/* Stop-Max, steps 10 to 13 of Algorithm 1. */
static void
stop_max(void *state, struct weir_ctx *ctx, uint32_t out)
{
    struct capfc *s = outputs_of(state);
    uint32_t input = next_largest(s, out, s->n_ports);

    while (s->p.again && is_stopped(s, out, input)) {
        input = next_largest(s, out, input);
    }
    stop_input(state, ctx, out, input);
}

/* Whether the set exceeds CUT (II.G).  The share is rounded as CUT was when it was read, so that
 * four of five equal 0.8.  The set of all packets always exceeds CUT. */
static bool
exceeds_cut(const struct capfc *s, uint64_t sum, uint64_t all)
{
    return sum == all || (2 * WEIR_RATIO_1 * sum + all) / (2 * all) > s->p.cut;
}

/* Stop-Calibrate, Algorithm 2. */
static void
stop_calibrate(void *state, struct weir_ctx *ctx, uint32_t out)
{
    struct capfc *s = outputs_of(state);
    uint64_t sum = 0;

    for (uint32_t last = s->n_ports; !exceeds_cut(s, sum, s->egress[out].n_pkts);) {
        last = next_largest(s, out, last);
        sum += counters_of(s, out)[last];
        stop_input(state, ctx, out, last);
    }
}

static void (*const stop_by[])(void *state, struct weir_ctx *, uint32_t out) = {
    [MAX] = stop_max,
    [CALIBRATE] = stop_calibrate,
};

/* These functions handle packets. */

static void
add_packet(struct capfc *s, uint32_t out, uint16_t input)
{
    uint32_t *c = &counters_of(s, out)[input];

    if (*c < MAX_COUNT) {
        s->egress[out].n_loose += !*c && !is_stopped(s, out, input);
        s->egress[out].n_pkts++;
        ++*c;
    }
}

/* Out of line, like calm(), because most queues are short.  If all inputs that have sent are
 * stopped, no search is needed. */
static __attribute__((noinline)) void
count(void *state, struct weir_ctx *ctx, const struct weir_pkt *pkt)
{
    struct capfc *s = outputs_of(state);
    uint32_t out = weir_slot(ctx, pkt->out_port, pkt->cls);

    if (!weir_is_lossless(ctx->shape, pkt->cls)) {
        return;
    }
    add_packet(s, out, pkt->in_port);
    if (ctx->buffer->slots[out].out_bytes >= s->egress[out].xoff_bytes && s->egress[out].n_loose) {
        stop_by[s->p.stop](state, ctx, out);
    }
}

/* Hot: once per packet. */
static void
capfc_queued(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    uint32_t out = weir_slot(ctx, pkt->out_port, pkt->cls);

    if (ctx->buffer->slots[out].out_bytes > outputs_of(state)->egress[out].warn_bytes) {
        count(state, ctx, pkt);
    }
}

/* With 'on_drop', a refused packet counts like a packet that joins the current queue. The length of
 * the queue still decides, because an empty queue would stop an input for ever. */
static void
capfc_refused(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    if (outputs_of(state)->p.on_drop) {
        capfc_queued(state, ctx, pkt);
    }
}

static __attribute__((noinline)) void
calm(void *state, struct weir_ctx *ctx, uint32_t out)
{
    struct capfc *s = outputs_of(state);
    uint64_t bytes = ctx->buffer->slots[out].out_bytes;

    if (bytes <= s->egress[out].warn_bytes) {
        memset(counters_of(s, out), 0, s->n_ports * sizeof(uint32_t));
        s->egress[out].n_pkts = s->egress[out].n_loose = 0;
    }
    if (bytes <= s->egress[out].xon_bytes) {
        let_all_go_on(state, ctx, out);
    }
}

/* Hot: once per packet.  Without stages the packet leaves its input here as well. */
static void
capfc_departed(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    uint32_t out = weir_slot(ctx, pkt->out_port, pkt->cls);
    const struct egress *e = &outputs_of(state)->egress[out];

    weir_pause_departed(state, ctx, pkt);
    if (e->n_pkts || e->n_stopped) {
        calm(state, ctx, out);
    }
}

static void
capfc_moved(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt, uint16_t from_port)
{
    uint32_t from = weir_slot(ctx, from_port, pkt->cls);
    const struct egress *e = &outputs_of(state)->egress[from];

    if (e->n_pkts || e->n_stopped) {
        calm(state, ctx, from);
    }
    capfc_queued(state, ctx, pkt);
}

static bool
capfc_holds_for(const void *state, const struct weir_ctx *ctx, uint32_t in_slot, uint16_t out_port)
{
    const struct weir_pause *pause = state;
    uint16_t in_port = weir_slot_port(ctx, in_slot);

    return out_port == in_port
               ? weir_has_bit(pause->full, in_slot)
               : is_stopped(outputs_of((void *)state),
                            weir_slot(ctx, out_port, weir_slot_class(ctx, in_slot)), in_port);
}

/* These functions derive and check parameters. */

/* The bytes that the limit of a whole port leaves to each lossless class if all other classes are
 * as long as they may be.  Classes that are not lossless may hold up to their own limits. */
static uint64_t
share_of_port(const struct weir_shape *shape, uint16_t port, uint8_t cls)
{
    const struct weir_buffer_plan *b = &shape->buffer;
    const struct weir_buffer_class *c = weir_shape_class(shape, port, cls);
    uint64_t n_lossy = shape->n_classes - weir_n_lossless(shape), lossy = n_lossy * c->limit_bytes;

    if (b->output_port_bytes) {
        return n_lossy ? 0 : b->output_port_bytes / weir_n_lossless(shape);
    }
    if (b->outputs_limit_bytes) { /* Other ports may have used the whole limit. */
        return c->reserve_bytes;
    }
    if (b->port_limit_bytes) {
        uint64_t left = b->port_limit_bytes > lossy ? b->port_limit_bytes - lossy : 0;
        return c->reserve_bytes + left / weir_n_lossless(shape);
    }
    return UINT64_MAX;
}

/* The bytes that the limit of a whole port leaves to a class if all other classes are empty. */
static uint64_t
all_of_port(const struct weir_shape *shape, uint16_t port, uint8_t cls)
{
    const struct weir_buffer_plan *b = &shape->buffer;
    uint64_t reserve = weir_shape_class(shape, port, cls)->reserve_bytes;

    return b->output_port_bytes     ? b->output_port_bytes
           : b->outputs_limit_bytes ? reserve + b->outputs_limit_bytes
           : b->port_limit_bytes    ? reserve + b->port_limit_bytes
                                    : UINT64_MAX;
}

static bool
has_room_limit(const struct weir_shape *shape)
{
    bool has = shape->buffer.output_port_bytes || shape->buffer.port_limit_bytes ||
               shape->buffer.outputs_limit_bytes;

    WEIR_EACH_LOSSLESS(shape, cls)
    {
        has |= shape->buffer.output_bytes[cls] > 0;
    }
    return has && weir_n_lossless(shape) && shape->services & WEIR_SERVICE_STAGES;
}

/* The minimum over lossless classes of the bytes that the output of a port can hold, given the
 * share that the limit of the port leaves to a class. */
static uint64_t
least_output(const struct weir_shape *shape,
             uint64_t (*of_port)(const struct weir_shape *, uint16_t port, uint8_t cls))
{
    const struct weir_buffer_plan *b = &shape->buffer;
    uint16_t port = weir_port_from(shape, 0);
    uint64_t least = UINT64_MAX;

    WEIR_EACH_LOSSLESS(shape, cls)
    {
        uint32_t slot = (uint32_t)port * shape->n_classes + cls;
        uint64_t most = b->outputs ? b->outputs[slot] : b->output_bytes[cls];
        uint64_t share = of_port(shape, port, cls);
        least = most && most < least ? most : least;
        least = share < least ? share : least;
    }
    return least;
}

/* The minimum that an output can hold of a class, if other classes fill their share of the port. */
static uint64_t
output_room(const struct weir_shape *shape)
{
    return least_output(shape, share_of_port);
}

/* Whether every input is stopped at the latest with its first packets above XOFF.  If not, an input
 * may continue until it has sent more than an input that was stopped before; that time is
 * unknown. */
static bool
is_bounded(const struct weir_shape *shape, const struct params *p)
{
    return shape->n_ports <= 2 || (p->stop == MAX ? p->again : p->cut == WEIR_RATIO_1);
}

static struct weir_capfc_output
output_of(const struct weir_shape *shape, uint64_t xoff_bytes)
{
    return (struct weir_capfc_output){ .n_inputs = shape->n_ports - 1u,
                                       .n_before = shape->n_ports - 1u,
                                       .pipeline_ps = shape->pipeline_ps,
                                       .pipeline_pps = shape->pipeline_pps,
                                       .xoff_bytes = xoff_bytes,
                                       .mixes_lengths = true };
}

/* Whether XOFF is the derived value of the port.  If so, each input has its own XOFF and fills its
 * room. */
static bool
is_xoff_derived(const struct weir_shape *shape, const struct weir_pause_params *p)
{
    struct weir_pause_params own = *p;

    own.xoff_bytes = WEIR_AUTO;
    weir_pause_derive(shape, WEIR_PAUSE_BY_OTHERS_TOO, &own);
    return own.xoff_bytes == p->xoff_bytes;
}

/* The maximum number of bytes at an input: its room, or the bytes that PFC admits if that is
 * less. */
static uint64_t
most_waiting(const struct weir_shape *shape, uint64_t xoff_bytes, uint16_t port)
{
    struct weir_link link = weir_shape_link(shape, port);
    uint64_t room = weir_shape_room_at(shape, port), mtu = shape->mtu_bytes;
    uint64_t above = mtu + weir_capfc_headroom_bytes(&link);

    return room > above && xoff_bytes < room - above ? xoff_bytes + above : room;
}

/* The peak queue at the output of the port, if there is a bound.  With Stop-Max each packet stops
 * one input, so one more packet per input may arrive before the last input is stopped.  If WARN
 * equals XOFF, a packet that reaches XOFF is not counted, and the next packet is the first that
 * stops an input. */
static uint64_t
longest_queue(const struct weir_shape *shape, const struct params *p, uint64_t xoff_bytes)
{
    struct weir_capfc_output o = output_of(shape, xoff_bytes);
    bool is_fixed = p->pause.threshold == WEIR_PAUSE_STATIC && !is_xoff_derived(shape, &p->pause);
    uint64_t in_xoff_bytes = is_fixed ? p->pause.xoff_bytes : UINT64_MAX;
    uint64_t sum = 0, mtu = shape->mtu_bytes;
    uint64_t late = p->stop == MAX ? o.n_inputs : 0;
    uint64_t uncounted = p->warn_bytes != WEIR_AUTO && p->warn_bytes >= xoff_bytes;

    for (uint16_t port = 0; port < shape->n_ports; port++) {
        struct weir_link link = weir_shape_link(shape, port);
        o.waiting_bytes = most_waiting(shape, in_xoff_bytes, port);
        sum += port == weir_port_from(shape, 0) ? 0 : weir_capfc_input_bytes(&link, &o);
    }
    return weir_capfc_crossing_bytes(shape->mtu_bytes, &o) + sum - mtu + (late + uncounted) * mtu;
}

/* The minimum number of MTU-sized packets between XOFF and XON, so that an output does not pause
 * and resume an input with each packet.  A smaller distance costs more frames but no packets,
 * because pause.h keeps frames apart. */
enum { HYSTERESIS_PACKETS = 3 };

static uint64_t
least_hysteresis(const struct weir_shape *shape)
{
    return HYSTERESIS_PACKETS * (uint64_t)shape->mtu_bytes;
}

static uint64_t
derived_xoff(const struct weir_shape *shape, const struct params *p)
{
    if (!has_room_limit(shape)) {
        return p->pause.xoff_bytes;
    }
    uint64_t room = output_room(shape), to_come = longest_queue(shape, p, 0);
    uint64_t most = is_bounded(shape, p) && room >= to_come + least_hysteresis(shape)
                        ? room - to_come
                        : weir_mul_div(room, 5, 12);
    return most > 64 ? most : 64;
}

/* 4/5 of XOFF as in Table II, or less if that is too close to XOFF. */
static uint64_t
derived_xon(const struct weir_shape *shape, uint64_t xoff_bytes)
{
    uint64_t share = xoff_bytes * 4 / 5, least = least_hysteresis(shape);
    uint64_t below = xoff_bytes > least ? xoff_bytes - least : 0;

    return has_room_limit(shape) && below < share ? below : share;
}

static void
capfc_derive(const struct weir_shape *shape, void *params)
{
    struct params *p = params;

    weir_pause_derive(shape, WEIR_PAUSE_BY_OTHERS_TOO, &p->pause);
    if (p->xoff_bytes == WEIR_AUTO) {
        p->xoff_bytes = derived_xoff(shape, p);
    }
    if (p->xoff_bytes != WEIR_AUTO) {
        weir_fill_in(&p->xon_bytes, derived_xon(shape, p->xoff_bytes));
    }
    weir_fill_in(&p->warn_bytes, p->xon_bytes);
}

/* III: if counters were kept while the queue is below XON, they would count packets of long ago. */
static bool
thresholds_fit(const struct params *p, struct weir_text *text)
{
    if (p->xon_bytes >= p->xoff_bytes) {
        return weir_refuse(text, "%P is %B; it must be below egress_xoff, which is %B",
                           "egress_xon", p->xon_bytes, p->xoff_bytes);
    }
    if (p->warn_bytes < p->xon_bytes || p->warn_bytes > p->xoff_bytes) {
        return weir_refuse(text,
                           "%P is %B; it must lie between egress_xon, which is %B, and "
                           "egress_xoff, which is %B",
                           "egress_warn", p->warn_bytes, p->xon_bytes, p->xoff_bytes);
    }
    return true;
}

/* A reason why the peak of an output has no bound in bytes, and how to fix it. */
struct no_bound {
    const char *why, *remedy; /* Null: the peak has a bound. */
};

static struct no_bound
why_no_bound(const struct weir_shape *shape, const struct params *p)
{
    if (!is_bounded(shape, p) && p->stop == MAX) {
        return (struct no_bound){ "stop: max with again: no leaves inputs unpaused while they have "
                                  "sent less than one that is paused already",
                                  "again: yes has a bound" };
    }
    if (!is_bounded(shape, p)) {
        return (struct no_bound){ "a cut below 1 leaves inputs unpaused while their share of the "
                                  "counted packets is small",
                                  "cut: 1 has a bound" };
    }
    return (struct no_bound){ output_room(shape) ? NULL
                                                 : "classes that are not lossless may fill an "
                                                   "output port whose limit all classes share",
                              "a limit of each class has a bound" };
}

static void
warn_of_output(const struct weir_shape *shape, const struct params *p, struct weir_text *text)
{
    if (!has_room_limit(shape) || shape->pipeline_stops) {
        return;
    }
    uint64_t room = output_room(shape), queue = longest_queue(shape, p, p->xoff_bytes);
    uint64_t reached = least_output(shape, all_of_port); /* The bytes that a single queue of the
                                                          * port can hold. */
    struct no_bound no_bound = why_no_bound(shape, p);
    if (p->xoff_bytes > reached) {
        weir_warn(text,
                  "egress_xoff is %B, but an output has room for %B: no queue gets that long, so "
                  "no input is paused, and packets may be lost at an output",
                  p->xoff_bytes, reached);
    } else if (no_bound.why) {
        weir_warn(text,
                  "%s, so no egress_xoff is low enough in every case: packets may be lost at "
                  "an output; %s",
                  no_bound.why, no_bound.remedy);
    } else if (queue > room) {
        weir_warn(text,
                  "in the worst case %B wait at an output (egress_xoff, and the bytes that arrive "
                  "until all inputs have paused), but it has room for %B of a class%s: packets "
                  "may be lost at an output",
                  queue, room, room < reached ? " if others fill their part of the port" : "");
    }
}

static bool
capfc_check(const struct weir_shape *shape, const void *params, struct weir_needs *needs,
            struct weir_text *text)
{
    const struct params *p = params;

    if (!thresholds_fit(p, text) ||
        !weir_pause_check(shape, WEIR_PAUSE_BY_OTHERS_TOO, &p->pause, needs, text)) {
        return false;
    }
    warn_of_output(shape, p, text);
    needs->state_bytes += capfc_bytes(shape);
    needs->max_emits += 2u * shape->n_ports; /* capfc_moved() may change the inputs of two outputs
                                              * in one call. */
    return true;
}

static void
set_output(struct capfc *s, struct weir_ctx *ctx, uint16_t port)
{
    struct params p;

    weir_port_params(&weir_capfc, ctx->shape, port, &s->p, &p);
    for (uint8_t cls = 0; cls < ctx->shape->n_classes; cls++) {
        uint32_t slot = weir_slot(ctx, port, cls);
        s->egress[slot] = (struct egress){ .xoff_bytes = p.xoff_bytes,
                                           .xon_bytes = p.xon_bytes,
                                           .warn_bytes = p.warn_bytes };
        weir_set_output_trip(ctx, slot, p.warn_bytes);
    }
}

static void
capfc_init(void *state, struct weir_ctx *ctx, const void *params)
{
    weir_pause_init(state, ctx, WEIR_PAUSE_BY_OTHERS_TOO, &((const struct params *)params)->pause,
                    !weir_has_stages(ctx->shape));
    struct capfc *s = outputs_of(state);
    s->p = *(const struct params *)params;
    s->n_ports = ctx->shape->n_ports;
    s->n_slots = weir_n_slots(ctx->shape);
    s->n_words = weir_words_for(s->n_ports);
    WEIR_EACH_PORT (ctx->shape, port) {
        set_output(s, ctx, port);
    }
}

const struct weir_engine weir_capfc = {
    .about = { .name = "capfc",
               .title = "PFC that also pauses the inputs which fill an output",
               .source = "Avci, Li, Liu: Congestion Aware Priority Flow Control in Data Center "
                         "Networks (IFIP, 2016)",
               .params = param_fields,
               .params_bytes = sizeof(struct params) },
    .limits = WEIR_LIMIT_OPEN,
    .protocol = "pfc",
    .counters = counter_fields,
    .holds_for = capfc_holds_for,
    .derive = capfc_derive,
    .check = capfc_check,
    .init = capfc_init,
    .arrived = weir_pause_arrived,
    .queued = capfc_queued,
    .departed = capfc_departed,
    .moved = capfc_moved,
    .frame = weir_pause_frame,
    .timer = weir_pause_timer,
    .link = weir_pause_link,
    .rebase = weir_pause_rebase,
    .forwarded = weir_pause_departed,
    .refused = capfc_refused,
};
