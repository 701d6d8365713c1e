/* Writes ports, roots and reasons of waits as text. */

#include "report/flow-waits.h"

void
rep_add_port(struct weir_text *t, const struct rep_names *n, uint32_t port, uint32_t cls)
{
    char name[REP_PORT_BYTES], peer[REP_PORT_BYTES];

    weir_text_add(t, "%s to %s", rep_port_name(&n->ports, port, name),
                  rep_peer_name(&n->ports, port, peer));
    if (n->n_classes > 1) {
        weir_text_add(t, " in class %u", (uint64_t)cls);
    }
}

void
rep_add_root(struct weir_text *t, const struct rep_names *n, const struct why_root *r)
{
    weir_text_add(t, "%s", r->end == WHY_CYCLE ? "the cycle " : "");
    for (uint32_t i = 0; i < r->n_ports; i++) {
        weir_text_add(t, "%s", i ? ", " : "");
        rep_add_port(t, n, r->ports[i], r->cls);
    }
}

void
rep_add_reason(struct weir_text *t, const struct rep_names *n, const struct rep_flow_waits *s,
               const struct rep_blocked_flow *f)
{
    const struct rep_reason *r = &f->reason;

    if (r->port == REC_NO_ID) {
        return;
    }
    weir_text_add(t, "%s at ", rep_waits[r->what].words);
    rep_add_port(t, n, r->port, r->cls);
    if (r->root != WHY_NONE) {
        weir_text_add(t, ", because of ");
        rep_add_root(t, n, &s->why->roots[r->root]);
    }
}
