/* ECN marking by queue length.                    RFC 3168; RED as DCQCN uses it (SIGCOMM 2015)
 *
 * The only state is the random number generator.  Each packet that can be marked is marked with a
 * probability that rises with the queue in which it waits or which it has just left.
 *
 *      p  |            ,------ 1
 *         |            |
 *    pmax |          ,-'          kmin = kmax: a plain threshold, as DCTCP uses it
 *         |       ,-'
 *       0 '------'-----+------
 *              kmin   kmax    queue
 */

#include "by-port.h"
#include "weir/all-engines.h"

enum moment { AT_DEPARTED, AT_QUEUED };
static const char *const moment_names[] = { "departed", "queued", 0 };

struct params {
    uint64_t kmin_bytes, kmax_bytes, pmax, moment, scale_bps, seed;
};

struct levels { /* The thresholds of a port. */
    uint64_t kmin_bytes, kmax_bytes;
};

struct ecn {
    struct params p;
    uint64_t chance, n_marked;
    struct levels ports[];
};

enum { USUAL_KMAX_BYTES = 400000, KMAX_OF_KMIN = 4 };
#define USUAL_BPS 25000000000ull /* The link rate of HPCC's simulator. */

static const struct weir_field param_fields[] = {
    WEIR_FIELD(struct params, kmin_bytes, "kmin", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 0,
               .max = WEIR_MAX_BYTES,
               .derived = "a quarter of the derived kmax: 100KB up to 25Gbps; not above "
                          "kmax",
               .by_port = true, .help = "Queue length up to which no packet is marked.",
               .source = "DCQCN as HPCC's simulator sets it"),
    WEIR_FIELD(struct params, kmax_bytes, "kmax", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 0,
               .max = WEIR_MAX_BYTES,
               .derived = "400KB up to 25Gbps, at faster ports in proportion to the rate, but no "
                          "more than half of what a queue can hold there; not below kmin",
               .by_port = true, .help = "Queue length above which every packet is marked.",
               .source = "DCQCN as HPCC's simulator sets it"),
    WEIR_FIELD(struct params, pmax, "pmax", WEIR_RATIO, .fallback = WEIR_RATIO_1 / 5, .min = 0,
               .max = WEIR_RATIO_1,
               .help = "Probability of a mark when the queue is as long as kmax.",
               .source = "DCQCN as HPCC's simulator sets it"),
    WEIR_FIELD(
        struct params, moment, "at", WEIR_CHOICE, .choices = moment_names,
        .help =
            "Time at which the queue is measured: as a packet leaves it, or as a packet joins it.",
        .source = "switches do either"),
    WEIR_FIELD(struct params, scale_bps, "scale", WEIR_RATE, .fallback = 0, .min = 0,
               .max = 100 * (uint64_t)WEIR_PS_PER_S,
               .help = "Rate of a port for which kmin and kmax hold, if they are set; they scale "
                       "with port speed. 0: they hold at every rate.",
               .source = "HPCC's simulator scales them by rate/25 Gb/s"),
    WEIR_FIELD(
        struct params, seed, "seed", WEIR_COUNT, .fallback = WEIR_AUTO, .max = UINT32_MAX,
        .derived = "that of the run",
        .help = "Seed for the random choice of packets to mark; every node draws its own numbers.",
        .source = "-"),
    { 0 },
};

static const struct weir_field counter_fields[] = {
    WEIR_FIELD(struct ecn, n_marked, "marked", WEIR_COUNT, .help = "Packets that were marked."),
    { 0 },
};

static bool
is_drawn(struct ecn *s, uint64_t above_bytes, uint64_t span_bytes)
{
    uint64_t share = weir_mul_div(above_bytes, WEIR_RATIO_1, span_bytes); /* 0 .. WEIR_RATIO_1 */
    return weir_random(&s->chance) >> 32 < share * s->p.pmax;             /* of 2^32 */
}

/* Hot: once per packet of a long queue. */
static void
mark(struct ecn *s, const struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    uint64_t queue = ctx->buffer->slots[weir_slot(ctx, pkt->out_port, pkt->cls)].out_bytes;
    uint64_t kmin = s->ports[pkt->out_port].kmin_bytes;

    if (pkt->ecn != WEIR_ECT || queue <= kmin) {
        return;
    }
    uint64_t kmax = s->ports[pkt->out_port].kmax_bytes;
    if (queue > kmax || is_drawn(s, queue - kmin, kmax - kmin)) {
        pkt->ecn = WEIR_CE;
        s->n_marked++;
    }
}

static void
ecn_departed(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct ecn *s = state;
    if (s->p.moment == AT_DEPARTED) {
        mark(s, ctx, pkt);
    }
}

static void
ecn_queued(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct ecn *s = state;
    if (s->p.moment == AT_QUEUED) {
        mark(s, ctx, pkt);
    }
}

static void
ecn_moved(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt, uint16_t from_port)
{
    (void)from_port;
    ecn_queued(state, ctx, pkt);
}

/* Derives the thresholds. With 'scale', the defaults are for the rate that it gives, like values
 * that are set. */
static void
ecn_derive(const struct weir_shape *shape, void *params)
{
    struct params *p = params;
    uint64_t kmax = p->scale_bps ? USUAL_KMAX_BYTES
                                 : weir_shape_scaled_bytes(shape, USUAL_KMAX_BYTES, USUAL_BPS);
    uint64_t kmin = kmax / KMAX_OF_KMIN;

    weir_fill_in(&p->kmin_bytes, kmin < p->kmax_bytes ? kmin : p->kmax_bytes);
    weir_fill_in(&p->kmax_bytes, kmax > p->kmin_bytes ? kmax : p->kmin_bytes);
    weir_derive_seed(shape, &p->seed);
}

static bool
ecn_check(const struct weir_shape *shape, const void *params, struct weir_needs *needs,
          struct weir_text *text)
{
    const struct params *p = params;

    if (p->kmin_bytes > p->kmax_bytes) {
        return weir_refuse(text, "%P is %B; it must not be above kmax, which is %B", "kmin",
                           p->kmin_bytes, p->kmax_bytes);
    }
    *needs = (struct weir_needs){ .state_bytes =
                                      sizeof(struct ecn) + shape->n_ports * sizeof(struct levels) };
    return true;
}

static struct levels
levels_at(const struct params *node, const struct weir_shape *shape, uint16_t port)
{
    uint64_t rate = shape->ports[port].rate_bps;
    struct params p;

    weir_port_params(&weir_ecn, shape, port, node, &p);
    if (p.scale_bps) {
        p.kmin_bytes = weir_mul_div(p.kmin_bytes, rate, p.scale_bps);
        p.kmax_bytes = weir_mul_div(p.kmax_bytes, rate, p.scale_bps);
    }
    return (struct levels){ p.kmin_bytes, p.kmax_bytes };
}

static void
ecn_init(void *state, struct weir_ctx *ctx, const void *params)
{
    struct ecn *s = state;
    s->p = *(const struct params *)params;
    s->chance = weir_chance_at(ctx->shape, s->p.seed);
    WEIR_EACH_PORT (ctx->shape, port) {
        s->ports[port] = levels_at(&s->p, ctx->shape, port);
        for (uint8_t cls = 0; cls < ctx->shape->n_classes; cls++) {
            uint32_t slot = weir_slot(ctx, port, cls);
            weir_set_trip(ctx, slot, UINT64_MAX, 0);
            weir_set_output_trip(ctx, slot, s->ports[port].kmin_bytes);
        }
    }
}

const struct weir_engine weir_ecn = {
    .about = { .name = "ecn",
               .title = "ECN marking by threshold or RED",
               .source = "RFC 3168; DCQCN, SIGCOMM 2015, section 3",
               .params = param_fields,
               .params_bytes = sizeof(struct params) },
    .marks = true,
    .counters = counter_fields,
    .derive = ecn_derive,
    .check = ecn_check,
    .init = ecn_init,
    .queued = ecn_queued,
    .departed = ecn_departed,
    .moved = ecn_moved,
};
