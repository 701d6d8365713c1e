/* Priority-based flow control.                             IEEE 802.1Q-2018, clause 36
 *
 * The receiver does this for each (port, class):
 *
 *               q >= XOFF / send PAUSE
 *        OPEN --------------------------> SHUT ---.
 *             <--------------------------       <-'  half the pause is over / send PAUSE
 *               q <= XON / send RESUME
 *
 * As sender: the gate opens when the pause that the peer requested expires. pause.h has the
 * details.
 */

#include "pause.h"

struct params {
    struct weir_pause_params pause;
};

static const struct weir_field param_fields[] = { PAUSE_PARAMS(struct params), { 0 } };

static void
pfc_derive(const struct weir_shape *shape, void *params)
{
    weir_pause_derive(shape, WEIR_PAUSE_BY_QUEUE, &((struct params *)params)->pause);
}

static bool
pfc_check(const struct weir_shape *shape, const void *params, struct weir_needs *needs,
          struct weir_text *text)
{
    return weir_pause_check(shape, WEIR_PAUSE_BY_QUEUE, &((const struct params *)params)->pause,
                            needs, text);
}

static void
pfc_init(void *state, struct weir_ctx *ctx, const void *params)
{
    weir_pause_init(state, ctx, WEIR_PAUSE_BY_QUEUE, &((const struct params *)params)->pause,
                    false);
}

const struct weir_engine weir_pfc = {
    .about = { .name = "pfc",
               .title = "Priority-based flow control",
               .source = "IEEE 802.1Q-2018, clause 36 (802.1Qbb)",
               .params = param_fields,
               .params_bytes = sizeof(struct params) },
    .limits = WEIR_LIMIT_OPEN,
    .protocol = "pfc",
    .counters = weir_pause_counters,
    .derive = pfc_derive,
    .check = pfc_check,
    .init = pfc_init,
    .arrived = weir_pause_arrived,
    .departed = weir_pause_departed,
    .forwarded = weir_pause_departed,
    .frame = weir_pause_frame,
    .timer = weir_pause_timer,
    .link = weir_pause_link,
};
