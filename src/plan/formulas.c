/* Computes headroom by the formulas of the standards and of SONiC, and CBFC's window. */

#include "plan/plan.h"
#include "weir/wire.h"

enum { QUANTUM_BYTES = 64, GAP_BYTES = 20, SMALL_BYTES = 64, SONIC_GRAIN = 1024, BLOCK_BYTES = 64 };

static uint64_t
response_bytes(uint64_t rate_bps)
{
    return QUANTUM_BYTES * weir_pfc_response_quanta(rate_bps);
}

/* The response time as bytes, by SONiC's buffer manager, whose quanta differ from 802.3 at these
 * rates (sonic-swss, cfgmgr/buffer_headroom_mellanox.lua). */
static uint64_t
sonic_response_bytes(uint64_t rate_bps)
{
    bool is_10_gbps = rate_bps > 1000000000 && rate_bps <= 10000000000;

    return is_10_gbps                ? 67 * QUANTUM_BYTES
           : rate_bps > 400000000000 ? 905 * QUANTUM_BYTES
                                     : response_bytes(rate_bps);
}

weir_ps
plan_slowest_response_ps(const struct plan *p, uint64_t rate_bps)
{
    return weir_wire_ps(response_bytes(rate_bps) + p->in.mac_phy_bytes, rate_bps);
}

weir_ps
plan_peer_response_ps(const struct plan *p, const struct plan_kind *k)
{
    return p->knows_response ? k->link.response_ps : plan_slowest_response_ps(p, k->link.rate_bps);
}

/* The headroom by 802.1Q: two packets and a PFC frame with preamble and gap, the cable in both
 * directions, and the response. A scenario may have longer gaps. */
uint64_t
plan_802_1q_bytes(const struct plan *p, const struct plan_kind *k)
{
    const struct weir_link *l = &k->link;
    uint64_t gap = l->gap_bytes > GAP_BYTES ? l->gap_bytes : GAP_BYTES;

    return 2 * (l->mtu_bytes + gap) + WEIR_CONTROL_BYTES + gap +
           2 * weir_wire_bytes(l->cable_ps, l->rate_bps) + response_bytes(l->rate_bps) +
           p->in.mac_phy_bytes;
}

/* The maximum ratio of a small packet's size in cells to its size in bytes. */
static uint64_t
worst_cells(uint64_t cell_bytes)
{
    return cell_bytes > 2 * SMALL_BYTES ? (cell_bytes + SMALL_BYTES - 1) / SMALL_BYTES
                                        : (2 * cell_bytes + cell_bytes) / (1 + cell_bytes);
}

/* The bytes of cells that packets take. The small packets among them, of 64 B, take more than their
 * bytes. */
static uint64_t
in_cells(const struct plan_input *in, uint64_t mtu, uint64_t bytes)
{
    uint64_t hundred_packets = SMALL_BYTES * in->small_percent + (100 - in->small_percent) * mtu;
    uint64_t more = (worst_cells(in->cell_bytes) - 1) * SMALL_BYTES * 100;

    return weir_mul_div_up(bytes, hundred_packets + more, hundred_packets);
}

uint64_t
plan_sonic_exact_bytes(const struct plan *p, const struct plan_kind *k)
{
    const struct plan_input *in = &p->in;
    const uint64_t mm_per_s = UINT64_C(198000000000); /* SONiC's speed of light in a cable. */
    uint64_t rate = k->link.rate_bps;
    uint64_t mtu = in->lossless_mtu_bytes == WEIR_AUTO ? k->link.mtu_bytes : in->lossless_mtu_bytes;
    uint64_t on_cable = weir_mul_div_up(2 * k->cable_mm, rate, 8 * mm_per_s);
    uint64_t late = k->link.mtu_bytes + on_cable +
                    2 * weir_wire_bytes((weir_ps)in->gearbox_ps, rate) + in->mac_phy_bytes +
                    sonic_response_bytes(rate);

    return mtu + in_cells(in, mtu, late);
}

uint64_t
plan_sonic_bytes(const struct plan *p, const struct plan_kind *k)
{
    return (plan_sonic_exact_bytes(p, k) + SONIC_GRAIN - 1) / SONIC_GRAIN * SONIC_GRAIN;
}

/* The xon of a port. For ports of 8 lanes it is adjusted as in sonic-swss,
 * cfgmgr/buffer_headroom_mellanox.lua. */
uint64_t
plan_sonic_xon_bytes(uint64_t pipeline_bytes, bool has_8_lanes)
{
    bool is_more = has_8_lanes && pipeline_bytes >= SONIC_GRAIN;
    return is_more ? 2 * pipeline_bytes - SONIC_GRAIN : pipeline_bytes;
}

struct plan_profile
plan_sonic_profile(const struct plan_input *in, bool has_8_lanes, uint64_t mtu)
{
    uint64_t xon = plan_sonic_xon_bytes(in->xon_bytes, has_8_lanes);
    uint64_t more = has_8_lanes ? (mtu + SONIC_GRAIN - 1) / SONIC_GRAIN * SONIC_GRAIN : 0;

    return (struct plan_profile){ .xon_bytes = xon,
                                  .xon_offset_bytes = in->xon_offset_bytes,
                                  .own_bytes = xon + more,
                                  .has_8_lanes = has_8_lanes };
}

bool
plan_shares_headroom(const struct plan *p)
{
    return p->headroom_pool.bytes || p->headroom_pool.over_subscription;
}

/* The size of the headroom pool. As in SONiC, a given size takes precedence over the ratio. */
uint64_t
plan_headroom_pool_bytes(const struct plan *p, uint64_t xoff_bytes, uint64_t n_ports)
{
    const struct plan_headroom_pool *pool = &p->headroom_pool;
    uint64_t private_bytes = n_ports * pool->private_port_bytes;
    uint64_t left = xoff_bytes > private_bytes ? xoff_bytes - private_bytes : 0;
    uint64_t ratio = pool->over_subscription;

    if (!plan_shares_headroom(p)) {
        return 0;
    }
    return private_bytes + (pool->bytes ? pool->bytes : (left + ratio - 1) / ratio);
}

weir_ps
plan_period_ps(const struct plan *p, const struct plan_kind *k)
{
    return p->in.period_ps == WEIR_AUTO ? weir_credit_period_ps(k->link.rate_bps)
                                        : (weir_ps)p->in.period_ps;
}

/* The window of CBFC. A packet takes whole blocks, and one more packet is in the buffer when the
 * credit is sent. */
uint64_t
plan_credit_window_bytes(const struct plan *p, const struct plan_kind *k)
{
    uint64_t mtu = k->link.mtu_bytes;
    weir_ps loop = weir_tau_ps(&k->link) + plan_period_ps(p, k);
    uint64_t n_packets = (weir_wire_bytes(loop, k->link.rate_bps) + mtu - 1) / mtu + 1;

    return n_packets * ((mtu + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES);
}
