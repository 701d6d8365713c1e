/* Counts flows that get too little, and finds hosts, flows and queues that are silent. */

#include "run/starvation.h"

#include <stdlib.h>

#include "base/array.h"

/* A queue, host or flow is silent if it sends nothing in the last 1/QUIET_PART of the run. */
enum { QUIET_PART = 10 };

static bool
is_finished(const struct outcome *o, uint32_t flow, const struct sim_flow_result *r)
{
    return r->received_bytes == scn_flow_at(&o->s, flow).bytes;
}

/* Finds the flows that shared links in the second half of the run. */
static bool *
find_late(const struct outcome *o)
{
    bool *is_late = array_new(o->s.n_flows, sizeof *is_late);

    for (uint32_t i = 0; i < o->s.n_flows; i++) {
        struct sim_flow_result r = sim_flow_result(o->sim, i);
        is_late[i] =
            r.started_ps >= 0 && !(is_finished(o, i, &r) && r.last_ps < sim_middle_ps(o->sim));
    }
    return is_late;
}

static weir_ps
late_ps(const struct outcome *o)
{
    return sim_now(o->sim) - sim_middle_ps(o->sim);
}

/* Whether the flow had enough time to reach its share. Rates are measured in the second half of the
 * run. The flow started early enough for its packets to arrive by then, and a tenth of its share is
 * at least one packet. */
static bool
has_had_time(const struct outcome *o, uint32_t flow, uint64_t share_bps)
{
    weir_ps now = sim_now(o->sim), started_ps = sim_flow_result(o->sim, flow).started_ps;
    weir_ps time_ps = (weir_ps)o->s.run.time_ps, half_ps = (now < time_ps ? now : time_ps) / 2;

    return started_ps >= 0 && started_ps + sim_flow_path_ps(o->sim, flow) < half_ps &&
           weir_wire_bytes(late_ps(o), share_bps) / 10 >= o->s.wire.mtu_bytes;
}

/* The goodput of all flows together in the second half of the run. */
static uint64_t
sum_all(const struct outcome *o)
{
    uint64_t bps = 0;

    for (uint32_t i = 0; i < o->s.n_flows; i++) {
        bps += sim_flow_late_bps(o->sim, i);
    }
    return bps;
}

/* The rate by which a flow is judged. Finite flows are judged by their common rate, because one may
 * be served before or after others: they have collapsed if the whole network has. */
static uint64_t
judged_bps(const struct outcome *o, uint32_t flow, uint64_t of_all_bps)
{
    return scn_flow_at(&o->s, flow).bytes == MODEL_ENDLESS ? sim_flow_late_bps(o->sim, flow)
                                                           : of_all_bps;
}

/* A finite flow whose packets have stopped arriving, but which is not silent, waits for its
 * sender's timeout. */
static bool
waits_for_timeout(const struct outcome *o, uint32_t flow)
{
    const struct model_flow *f = &sim_model(o->sim)->flows[flow];
    weir_ps now = sim_now(o->sim), last_ps = sim_flow_result(o->sim, flow).last_ps;

    return f->bytes != MODEL_ENDLESS &&
           transport_recovery(f->terms->transport, f->terms->recovery)->is_reliable &&
           last_ps < now - now / QUIET_PART;
}

/* Whether a flow gets too little. Flows in routing loops do not count, because they are reported
 * separately. Connections have no rate of their own, so they do not count either. */
static bool
has_too_little(const struct outcome *o, uint32_t flow, uint64_t share_bps, uint64_t bps)
{
    return scn_flow_at(&o->s, flow).bytes != MODEL_MESSAGES && bps < share_bps / 10 &&
           !sim_flow_is_stopped(o->sim, flow) &&
           sim_flow_has_more(o->sim, flow, outcome_loses_packets(&o->totals)) &&
           has_had_time(o, flow, share_bps) && !waits_for_timeout(o, flow) &&
           !outcome_flow_is_astray(o, flow);
}

static bool *
mark_silent(const struct outcome *o)
{
    bool *is_silent = array_new(o->s.n_flows, sizeof *is_silent);

    for (size_t i = 0; i < o->silence.n_flows; i++) {
        is_silent[o->silence.flows[i].number] = true;
    }
    return is_silent;
}

void
starvation_judge(struct outcome *o)
{
    weir_ps now = sim_now(o->sim);
    bool *is_late = find_late(o);
    uint64_t *fair = array_new(o->s.n_flows, sizeof *fair), of_all_bps = sum_all(o);

    sim_find_silence(o->sim, now / QUIET_PART, outcome_loses_packets(&o->totals), &o->silence);
    bool *is_silent = mark_silent(o);
    sim_fair_shares(o->sim, is_late, fair);
    for (uint32_t i = 0; i < o->s.n_flows; i++) {
        bool is_slow = has_too_little(o, i, fair[i], judged_bps(o, i, of_all_bps));
        bool is_deadlocked = o->deadlock.stands && (is_silent[i] || !sim_flow_late_bps(o->sim, i));
        bool counts = is_slow || is_silent[i];
        o->n_collapsed += counts && !is_deadlocked;
        o->n_deadlocked += counts && is_deadlocked;
        o->n_silent += counts && !is_slow && !is_deadlocked;
    }
    free(is_silent);
    free(is_late);
    free(fair);
}

weir_ps
starvation_first_of(const struct sim_silent *items, size_t n, weir_ps first_ps)
{
    for (size_t i = 0; i < n; i++) {
        first_ps = items[i].since_ps < first_ps ? items[i].since_ps : first_ps;
    }
    return first_ps;
}

weir_ps
starvation_first_ps(const struct sim_silence *s)
{
    weir_ps first_ps = starvation_first_of(s->queues, s->n_queues, WEIR_NEVER);

    first_ps = starvation_first_of(s->hosts, s->n_hosts, first_ps);
    return starvation_first_of(s->flows, s->n_flows, first_ps);
}
