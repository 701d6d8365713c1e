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
    g->rate_bps = rate_bps;
    if (rate_bps == WEIR_UNLIMITED || (rate_bps > 0 && g->last_bytes == 0)) {
        g->next_ps = g->last_ps;
    } else if (rate_bps == 0) {
        g->next_ps = WEIR_NEVER;
    } else {
        g->next_ps = g->last_ps + weir_wire_ps((uint64_t)g->last_bytes + g->gap_bytes, rate_bps);
    }
}
