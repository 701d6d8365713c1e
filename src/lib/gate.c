/* Transmit gates, which decide when the next packet of a queue may start. */

#include "weir/gate.h"

void
weir_gate_init(struct weir_gate *g, uint32_t gap_bytes)
{
    *g = (struct weir_gate){ .rate_bps = WEIR_UNLIMITED,
                             .limit_bytes = WEIR_UNLIMITED,
                             .grain_bytes = 1,
                             .gap_bytes = gap_bytes };
}

void
weir_gate_set_rate(struct weir_gate *g, uint64_t rate_bps)
{
    bool is_first = g->last_bytes == 0 && rate_bps > 0;

    g->rate_bps = rate_bps;
    g->next_ps = rate_bps == WEIR_UNLIMITED || is_first ? g->last_ps : weir_gate_spaced(g);
}

void
weir_gate_hold(struct weir_gate *g, weir_ps until_ps)
{
    g->rate_bps = WEIR_UNLIMITED;
    g->next_ps = until_ps;
}

void
weir_gate_rebase(struct weir_gate *g, weir_ps by_ps)
{
    g->open_ps = weir_rebased(g->open_ps, by_ps);
    g->last_ps = weir_rebased(g->last_ps, by_ps);
    g->next_ps = weir_rebased(g->next_ps, by_ps);
}
