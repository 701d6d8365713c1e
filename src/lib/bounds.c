/* The room that each scheme needs to lose nothing, worked out in whole numbers. */

#include "weir/bounds.h"

#include <assert.h>

#include "weir/wire.h"

weir_ps
weir_tau_ps(const struct weir_link *l)
{
    return weir_wire_ps(2 * (uint64_t)l->mtu_bytes, l->rate_bps) + 2 * l->cable_ps + l->response_ps;
}

uint64_t
weir_pfc_headroom_bytes(const struct weir_link *l)
{
    uint64_t one_way =
        l->mtu_bytes + WEIR_CONTROL_BYTES + weir_wire_bytes(l->cable_ps, l->rate_bps);
    return 2 * one_way + weir_wire_bytes(l->response_ps, l->rate_bps);
}

weir_ps
weir_pfc_response_ps(uint64_t rate_bps)
{
    return weir_wire_ps(60 * 512 / 8, rate_bps);
}

weir_ps
weir_pfc_pause_ps(uint64_t rate_bps, uint64_t quanta)
{
    assert(quanta <= WEIR_MAX_QUANTA);
    return (weir_ps)quanta * weir_wire_ps(512 / 8, rate_bps);
}

uint64_t
weir_gfc_conceptual_room_bytes(const struct weir_link *l)
{
    return weir_wire_bytes(4 * weir_tau_ps(l), l->rate_bps);
}

uint64_t
weir_gfc_buffer_room_bytes(const struct weir_link *l)
{
    return weir_wire_bytes(2 * weir_tau_ps(l), l->rate_bps);
}

uint64_t
weir_gfc_time_room_bytes(const struct weir_link *l, weir_ps period)
{
    return period < weir_tau_ps(l) ? weir_gfc_conceptual_room_bytes(l)
                                   : weir_gfc_theorem_5_1_bytes(l, period);
}

uint64_t
weir_gfc_theorem_5_1_bytes(const struct weir_link *l, weir_ps period)
{
    /* (sqrt(tau/T) + 1)^2 T is tau + T + 2 sqrt(tau T). */
    weir_ps tau = weir_tau_ps(l);
    weir_ps mean = (weir_ps)weir_geometric_mean_up((uint64_t)tau, (uint64_t)period);
    return weir_wire_bytes(tau + period + 2 * mean, l->rate_bps);
}

weir_ps
weir_credit_period_ps(uint64_t rate_bps)
{
    return weir_wire_ps(65535, rate_bps);
}

uint64_t
weir_gfc_stage_bytes(uint64_t bm_bytes, uint64_t b1_bytes, uint32_t k)
{
    assert(k >= 1 && b1_bytes < bm_bytes);
    return k > 63 ? bm_bytes : bm_bytes - ((bm_bytes - b1_bytes) >> (k - 1));
}

uint32_t
weir_gfc_stages(uint64_t bm_bytes, uint64_t b1_bytes)
{
    uint32_t k = 2;
    while ((bm_bytes - b1_bytes) > (uint64_t)1 << (k - 1)) { /* B_k - B_(k-1) > 1. */
        k++;
    }
    return k < WEIR_MAX_STAGES ? k : WEIR_MAX_STAGES;
}
