/* Warnings after a run: results that were probably not intended, and remedies. */

#include "run/warnings.h"

#include <stdio.h>
#include <string.h>

/* Whether a flow slows down after a loss, and its recovery takes packets for lost after as little
 * reordering as on a single path. */
static bool
mistakes_order(const struct model_flow *f, const struct recovery *r)
{
    const struct weir_field *reorder = weir_field_find(r->about.params, "reorder");
    uint64_t most = f->terms->transport ? f->terms->transport->wishes.reorder : 0;
    uint64_t chosen = reorder && f->terms->recovery_params
                          ? weir_field_get(reorder, f->terms->recovery_params)
                          : WEIR_AUTO;

    return reorder && most && (chosen == WEIR_AUTO || chosen <= most);
}

/* Warns if packets may arrive out of order at a flow that requires order. Packets of a flow with a
 * path of its own, or with only one possible path, stay in order. */
static void
warn_of_order(const struct outcome *o, struct weir_text *text)
{
    const struct model *p = sim_model(o->sim);
    uint32_t ports[SIM_MAX_PATH];

    for (uint32_t i = 0; i < p->n_flows; i++) {
        const struct recovery *r =
            transport_recovery(p->flows[i].terms->transport, p->flows[i].terms->recovery);
        bool mistakes = mistakes_order(&p->flows[i], r);
        if ((r->needs_order || mistakes) && !sim_flow_path(o->sim, i, ports)) {
            weir_text_add(text,
                          "packets of a flow take several paths, and %s treats packets that "
                          "arrive out of order as lost. Use %s, or routing: {paths: hash}.",
                          mistakes ? p->flows[i].terms->transport->about.name : r->about.name,
                          mistakes ? "selective: {reorder: off}"
                                   : "transport: {recovery: selective}");
            return;
        }
    }
}

/* The number of measured flows that have not ended; if 'is_raw', only those without
 * retransmission. */
static uint64_t
count_unfinished(const struct outcome *o, bool is_raw)
{
    const struct model *p = sim_model(o->sim);
    uint64_t n = 0;

    for (uint32_t i = 0; i < p->n_flows; i++) {
        const struct recovery *r =
            transport_recovery(p->flows[i].terms->transport, p->flows[i].terms->recovery);
        n += outcome_flow_is_measured(o, i) && model_is_finite(p->flows[i].bytes) &&
             sim_flow_result(o->sim, i).received_bytes != p->flows[i].bytes &&
             !(is_raw && r->is_reliable);
    }
    return n;
}

/* Warns of unfinished flows. It suggests a longer run-out, except in a deadlock or after lost
 * packets, where that does not help. */
static void
warn_of_unfinished(const struct outcome *o, struct weir_text *text)
{
    uint64_t n = o->s.run.run_out_ps && !o->is_stopped ? count_unfinished(o, false) : 0;

    if (!n) {
        return;
    }
    weir_text_add(text,
                  "%u flow%s had not ended when the run-out was over, so the longest completion "
                  "times are not known. ",
                  n, n == 1 ? "" : "s");
    if (o->deadlock.stands) {
        weir_text_add(text, "The network is in a deadlock.");
    } else if (outcome_loses_packets(&o->totals) && count_unfinished(o, true)) {
        weir_text_add(text, "Packets were lost that raw senders do not retransmit. Use another "
                            "transport.");
    } else {
        weir_text_add(text, "Use a longer run.run_out.");
    }
}

static void
warn_of_routes(const struct outcome *o, struct weir_text *text)
{
    uint64_t n_astray = 0;

    for (uint32_t i = 0; i < o->s.n_flows; i++) {
        n_astray += outcome_flow_is_astray(o, i);
    }
    if (n_astray) {
        weir_text_add(text,
                      "%u flow%s never arrive%s: the routes lead round in a loop, or cross more "
                      "switches than the hop limit",
                      n_astray, n_astray == 1 ? "" : "s", n_astray == 1 ? "s" : "");
    }
}

/* Finds a transport that ignores transport.timeout, if a flow uses one. */
static const struct transport *
sets_own_timeout(const struct outcome *o)
{
    const struct transport *t = NULL;

    for (size_t i = 0; i < o->s.n_flows && (!t || !t->timeout); i++) {
        t = transport_at(scn_flow_at(&o->s, i).transport);
    }
    return t && t->timeout ? t : NULL;
}

static void
warn_of_again(const struct outcome *o, struct weir_text *text)
{
    const struct sim_totals *t = &o->totals;

    if (!t->retransmitted_bytes || outcome_loses_packets(t)) {
        return;
    }
    weir_text_add(text, "%b of %b were retransmitted, although no packet was lost: ",
                  t->retransmitted_bytes, t->sent_bytes);
    const struct transport *own = sets_own_timeout(o);
    if (t->n_timeouts && own) {
        weir_text_add(text, "ACKs arrived after the senders' timeouts. Use a longer %s.%s.",
                      own->about.name, own->timeout);
    } else if (t->n_timeouts) {
        weir_text_add(text, "ACKs arrived after transport.timeout, %T. Use a longer timeout.",
                      (weir_ps)o->s.transport.timeout_ps);
    } else {
        weir_text_add(text, "packets of a flow overtook each other.");
    }
}

size_t
warnings_list(const struct outcome *o, struct weir_text warnings[WARNINGS_MAX])
{
    static void (*const warn[])(const struct outcome *, struct weir_text *) = {
        warn_of_order, warn_of_routes, warn_of_again, warn_of_unfinished, short_workloads_warn,
    };
    const size_t n_warn = sizeof warn / sizeof *warn;
    size_t n = warnings_of_config(&o->s, sim_model(o->sim), warnings);

    _Static_assert(sizeof warn / sizeof *warn + OUTCOME_MAX_WARNED <=
                       WARNINGS_MAX - WARNINGS_CONFIG_MAX,
                   "room");
    for (size_t i = 0; i < n_warn; i++) {
        warnings[n] = (struct weir_text){ 0 };
        warn[i](o, &warnings[n]);
        n += warnings[n].len > 0;
    }
    for (size_t i = 0; i < o->n_warned; i++) {
        warnings[n++] = o->warned[i];
    }
    return n;
}
