/* Quantised congestion notification.            802.1Qau; QCN with occupancy sampling (QCN-OS)
 *
 *     sender, NIC                          switch
 *     +-----------------+    packets       +------------------+
 *     | reaction point  | ---------------> | congestion point |
 *     | of each flow    | <--------------- | of each queue    |
 *     +-----------------+   CNM: slower    +------------------+
 *
 * A switch asks a sender whose packets fill a buffer to slow down, wherever the sender is.  The
 * sender's NIC cuts the rate of that flow, and then gradually raises it.  The two halves are in
 * qcn-point.c and qcn-reaction.c.  QCN sends nothing to adjacent nodes, and packets are lost unless
 * PFC or another engine next to it prevents that. */

#include "by-port.h"
#include "engines/qcn-point.h"
#include "engines/qcn-reaction.h"

struct params {
    struct weir_point_params point;
    struct weir_reaction_params reaction;
};

struct qcn {
    struct weir_reaction reaction; /* The state at a NIC, followed by its flows. */
    struct weir_point point;       /* The state at a switch, followed by its congestion points. */
};

static const struct weir_field param_fields[] = {
    POINT_PARAMS(struct params),
    REACTION_PARAMS(struct params),
    { 0 },
};

static const struct weir_field counter_fields[] = {
    POINT_COUNTERS(struct qcn),
    REACTION_COUNTERS,
    { 0 },
};

static bool
is_nic(const struct weir_shape *shape)
{
    return shape->tier == 0 || shape->n_flows;
}

/* Hot: once per packet. */
static void
qcn_arrived(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct qcn *s = state;
    if (!is_nic(ctx->shape)) {
        weir_point_arrived(&s->point, ctx, pkt);
    }
}

static void
qcn_queued(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct qcn *s = state;
    if (!is_nic(ctx->shape)) {
        weir_point_queued(&s->point, ctx, pkt);
    }
}

static void
qcn_moved(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt, uint16_t from_port)
{
    (void)from_port;
    qcn_queued(state, ctx, pkt);
}

static void
qcn_timer(void *state, struct weir_ctx *ctx, uint32_t key)
{
    struct qcn *s = state;
    if (is_nic(ctx->shape)) {
        weir_reaction_timer(&s->reaction, ctx, key);
    } else {
        weir_point_timer(&s->point, ctx, key);
    }
}

static void
qcn_rebase(void *state, const struct weir_ctx *ctx, weir_ps by_ps)
{
    struct qcn *s = state;
    if (is_nic(ctx->shape)) {
        weir_reaction_rebase(&s->reaction, ctx, by_ps);
    } else {
        weir_point_rebase(&s->point, ctx, by_ps);
    }
}

static void
qcn_derive(const struct weir_shape *shape, void *params)
{
    struct params *p = params;

    weir_point_derive(shape, &p->point);
    weir_reaction_derive(shape, &p->reaction);
}

static bool
check_nic(const struct weir_shape *shape, const struct params *p, struct weir_needs *needs,
          struct weir_text *text)
{
    const uint32_t services = WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES | WEIR_SERVICE_FLOW_RATES;

    *needs = (struct weir_needs){ .state_bytes = weir_reaction_flows_bytes(shape),
                                  .n_timers = shape->n_flows,
                                  .max_emits = WEIR_REACTION_EMITS,
                                  .message_type = WEIR_ETHERTYPE_CNM,
                                  .services = shape->n_flows ? services : 0 };
    return weir_reaction_check(shape, &p->reaction, text);
}

static bool
qcn_check(const struct weir_shape *shape, const void *params, struct weir_needs *needs,
          struct weir_text *text)
{
    const struct params *p = params;

    *needs = (struct weir_needs){ 0 };
    if (is_nic(shape) ? !check_nic(shape, p, needs, text)
                      : !weir_point_check(shape, &p->point, needs, text)) {
        return false;
    }
    needs->state_bytes += sizeof(struct qcn);
    return true;
}

static void
qcn_init(void *state, struct weir_ctx *ctx, const void *params)
{
    struct qcn *s = state;
    const struct params *p = params;

    if (is_nic(ctx->shape)) {
        weir_reaction_init(&s->reaction, &p->reaction, sizeof *s,
                           weir_chance_at(ctx->shape, p->point.seed));
    } else {
        weir_point_init(&s->point, ctx, &p->point,
                        (uint32_t)(sizeof *s - offsetof(struct qcn, point)));
    }
}

const struct weir_engine weir_qcn = {
    .about = { .name = "qcn",
               .title = "Quantised congestion notification, with occupancy sampling",
               .source =
                   "802.1Qau-2010; Neeser and others, Occupancy Sampling for Terabit CEE Switches",
               .params = param_fields,
               .params_bytes = sizeof(struct params) },
    .limits = WEIR_LIMIT_FLOW,
    .counters = counter_fields,
    .derive = qcn_derive,
    .check = qcn_check,
    .init = qcn_init,
    .arrived = qcn_arrived,
    .queued = qcn_queued,
    .moved = qcn_moved,
    .timer = qcn_timer,
    .rebase = qcn_rebase,
    .sent = weir_reaction_sent,
    .heard = weir_reaction_heard,
};
