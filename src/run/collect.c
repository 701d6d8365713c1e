/* Takes the facts of a run from the simulator and the outcome. */

#include "run/collect.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "run/intervals.h"
#include "run/job-facts.h"
#include "run/signals.h"
#include "run/starvation.h"
#include "topo/port-names.h"

/* The number of flows of each kind, and their rates. */

struct flow_counts {
    uint64_t n_connections;
    uint64_t n_started, n_finite, n_warm_up, n_endless, n_stopped, n_not_started;
    uint64_t received_bytes, received_bps;
    uint64_t min_bps, mean_bps;          /* The rates of flows that started after the warm-up. */
    uint64_t late_min_bps, late_max_bps; /* Endless flows' rates in the second half. */
};

static void
lower(uint64_t *least, uint64_t value)
{
    *least = value < *least ? value : *least;
}

static void
raise(uint64_t *most, uint64_t value)
{
    *most = *most == COLUMN_NO_COUNT || value > *most ? value : *most;
}

/* Whether the flow completion times include this flow. */
static bool
is_counted(const struct outcome *o, uint32_t flow)
{
    return model_is_finite(scn_flow_at(&o->s, flow).bytes) && !sim_flow_is_stopped(o->sim, flow) &&
           outcome_flow_is_measured(o, flow);
}

static void
count_flow(struct flow_counts *n, const struct outcome *o, uint32_t i)
{
    struct sim_flow_result r = sim_flow_result(o->sim, i);
    bool is_endless = scn_flow_at(&o->s, i).bytes == MODEL_ENDLESS;
    bool is_measured = outcome_flow_is_measured(o, i);

    n->received_bytes += r.received_bytes;
    if (scn_flow_at(&o->s, i).bytes == MODEL_MESSAGES) {
        n->n_connections++;
        return;
    }
    n->n_finite += is_counted(o, i);
    if (r.started_ps < 0) {
        n->n_not_started++;
    } else if (!is_measured) {
        n->n_warm_up++;
    } else if (sim_flow_is_stopped(o->sim, i)) {
        n->n_stopped++;
    } else {
        n->n_endless += is_endless;
    }
    if (is_endless && r.started_ps >= 0 && !sim_flow_is_stopped(o->sim, i)) {
        uint64_t bps = sim_flow_late_bps(o->sim, i);
        lower(&n->late_min_bps, bps);
        raise(&n->late_max_bps, bps);
    }
}

static struct flow_counts
count_flows(const struct outcome *o)
{
    struct flow_counts n = { .min_bps = COLUMN_NO_COUNT,
                             .late_min_bps = COLUMN_NO_COUNT,
                             .late_max_bps = COLUMN_NO_COUNT };
    uint64_t sum_bps = 0, until_ps = (uint64_t)sim_now(o->sim);

    for (uint32_t i = 0; i < o->s.n_flows; i++) {
        count_flow(&n, o, i);
        if (outcome_flow_is_measured(o, i)) {
            uint64_t bps = outcome_flow_bps(o, i);
            n.n_started++;
            lower(&n.min_bps, bps);
            sum_bps += bps;
        }
    }
    n.mean_bps = n.n_started ? sum_bps / n.n_started : COLUMN_NO_COUNT;
    n.received_bps = until_ps
                         ? weir_mul_div(n.received_bytes, 8 * (uint64_t)WEIR_PS_PER_S, until_ps)
                         : COLUMN_NO_COUNT;
    return n;
}

/* Flow completion times. */

static struct completion_flow
completion_of_flow(const struct outcome *o, uint32_t flow, const struct sim_flow_result *r)
{
    const struct scn_flow f = scn_flow_at(&o->s, flow);
    bool has_ended = r->received_bytes == f.bytes;
    weir_ps end_ps = has_ended ? r->last_ps : sim_now(o->sim);

    return (struct completion_flow){ .id = flow,
                                     .bytes = f.bytes,
                                     .workload = f.group & INT32_MAX,
                                     .has_ended = has_ended,
                                     .taken_ps = end_ps - r->started_ps,
                                     .ideal_ps = sim_flow_ideal_ps(o->sim, flow) };
}

static void
collect_flows(struct outcome *o)
{
    for (uint32_t i = 0; i < o->s.n_flows; i++) {
        struct sim_flow_result r = sim_flow_result(o->sim, i);
        const struct scn_flow flow = scn_flow_at(&o->s, i);
        if (model_is_finite(flow.bytes)) {
            bool has_ended = r.started_ps >= 0 && r.received_bytes == flow.bytes;
            completion_add_end(&o->flows, flow.group, has_ended ? r.last_ps : -1);
        }
        if (is_counted(o, i)) {
            struct completion_flow f = completion_of_flow(o, i, &r);
            completion_add(&o->flows, &f,
                           (struct completion_sent){ r.sent_bytes, r.retransmitted_bytes });
        }
    }
}

static void
collect_workloads(struct collected *c, const struct outcome *o)
{
    c->n_workloads = 1 + o->s.n_workloads;
    for (uint32_t w = 0; w < c->n_workloads; w++) {
        completion_of(&o->flows, w, &c->workloads[w]);
        snprintf(c->names[w], sizeof c->names[w], "%s",
                 w ? o->s.workloads[w - 1].name : SCN_ALL_WORKLOADS);
    }
}

/* Queues and pauses.
 *
 * The peak input queue and the peak output queue are two facts: a packet in a switch with shared
 * memory counts in both at once.  A link is one direction of a cable in one class.  A link's paused
 * time is the time for which its peer paused it.  A pause in force at the end counts until the
 * end. */

struct pressure {
    uint64_t peak_input_bytes, peak_output_bytes;
    weir_ps paused_ps, most_paused_ps;
    uint64_t most_paused_class;
    uint32_t most_paused_port;
    char most_paused_link[COLUMN_NAME_BYTES];
};

static void
add_paused(struct pressure *p, const struct sim *sim, uint32_t port, uint8_t cls)
{
    weir_ps paused_ps = sim_gate_state(sim, port, cls, sim_now(sim)).paused_ps;

    p->paused_ps += paused_ps;
    if (paused_ps > p->most_paused_ps) {
        p->most_paused_ps = paused_ps;
        p->most_paused_port = port;
        p->most_paused_class = cls;
    }
}

static void
name_link(struct pressure *p, const struct topo *t)
{
    struct topo_ends ends = topo_name_ends(t, p->most_paused_port);
    struct weir_text link = { 0 };

    weir_text_add(&link, "%s to %s", ends.here, ends.there);
    text_cut(p->most_paused_link, sizeof p->most_paused_link, link.s);
}

static struct pressure
find_pressure(const struct outcome *o)
{
    const struct topo *t = &o->s.topo;
    bool can_pause = peers_can_pause(sim_model(o->sim));
    weir_ps none_ps = can_pause ? 0 : -1;
    struct pressure p = { .peak_input_bytes = COLUMN_NO_COUNT,
                          .peak_output_bytes = COLUMN_NO_COUNT,
                          .paused_ps = none_ps,
                          .most_paused_ps = none_ps,
                          .most_paused_class = COLUMN_NO_COUNT };

    for (uint32_t port = 0; port < t->n_ports; port++) {
        for (uint8_t cls = 0; cls < o->s.wire.classes; cls++) {
            raise(&p.peak_input_bytes, sim_queue_peak_bytes(o->sim, port, cls));
            raise(&p.peak_output_bytes, sim_output_peak_bytes(o->sim, port, cls));
            if (can_pause) {
                add_paused(&p, o->sim, port, cls);
            }
        }
    }
    if (p.most_paused_ps > 0) {
        name_link(&p, t);
    }
    return p;
}

static bool
has_less_margin(weir_ps derived_ps, weir_ps tau_ps, weir_ps of_ps, weir_ps so_far_ps)
{
    return so_far_ps < 0 || derived_ps - tau_ps < of_ps - so_far_ps;
}

struct collect_tau
collect_tau(const struct outcome *o)
{
    struct collect_tau none = { -1, -1, -1 }, measured = none, estimated = none;
    weir_ps derived_ps = -1;

    for (size_t i = 0; i < o->n_counted;
         i++) { /* The derived tau of a node precedes its measured and estimated tau. */
        const char *name = o->counted[i].name;
        weir_ps ps = (weir_ps)o->counted[i].value;
        if (!strcmp(name, "lab.tau_derived_ps")) {
            derived_ps = ps;
        } else if (!strcmp(name, "lab.tau_measured_max_ps") &&
                   has_less_margin(derived_ps, ps, measured.derived_ps, measured.measured_ps)) {
            measured = (struct collect_tau){ derived_ps, ps, -1 };
        } else if (!strcmp(name, "lab.tau_estimated_max_ps") &&
                   has_less_margin(derived_ps, ps, estimated.derived_ps, estimated.estimated_ps)) {
            estimated = (struct collect_tau){ derived_ps, -1, ps };
        }
    }
    measured.estimated_ps = estimated.estimated_ps;
    return measured.measured_ps > 0 ? measured : estimated.estimated_ps > 0 ? estimated : none;
}

/* All facts of a run. */

/* Finds the rate of all ports' control frames, in bits per second.  'of_bps' is the capacity of all
 * links that have not failed. */
static uint64_t
find_feedback(const struct outcome *o, uint64_t *of_bps)
{
    const struct topo *t = &o->s.topo;
    uint64_t n_frames = 0, frame_bytes = WEIR_CONTROL_BYTES + o->s.wire.gap_bytes;

    *of_bps = 0;
    for (uint32_t port = 0; port < t->n_ports; port++) {
        const struct topo_link *link = &t->links[t->ports[port].link];
        n_frames += sim_port_result(o->sim, port).n_frames_sent;
        *of_bps += link->failed ? 0 : link->rate_bps;
    }
    return sim_now(o->sim) ? weir_mul_div(8 * n_frames * frame_bytes, (uint64_t)WEIR_PS_PER_S,
                                          (uint64_t)sim_now(o->sim))
                           : 0;
}

/* The sources from which run-facts.def computes its values, in addition to the outcome 'o', its
 * totals 't' and its deadlock 'd'. */
struct sources {
    struct flow_counts flows;
    const struct workload_facts *fct;  /* All measured flows. */
    struct completion_spread slowdown; /* The slowdown of the measured flows that finished. */
    struct signal_counts signals;
    struct pressure pressure;
    bool has_messages; /* Some engine sends messages. */
    uint64_t feedback_bps;
    double feedback_share;
    struct interval_facts hosts;
    struct job_counts jobs;
    struct collect_tau tau;
    weir_ps silent_since_ps;
};

#define SET_COUNT(TO, VALUE) TO = VALUE
#define SET_BYTES(TO, VALUE) TO = VALUE
#define SET_RATE(TO, VALUE)  TO = VALUE
#define SET_YES(TO, VALUE)   TO = VALUE
#define SET_HASH(TO, VALUE)  TO = VALUE
#define SET_TIME(TO, VALUE)  TO = VALUE
#define SET_RATIO(TO, VALUE) TO = VALUE
#define SET_NAME(TO, VALUE)  memcpy(TO, VALUE, sizeof TO)

static void
fill(struct run_facts *f, const struct outcome *o, const struct sources *c)
{
    const struct sim_totals *t = &o->totals;
    const struct sim_deadlock *d = &o->deadlock;

#define FACT(KIND, NAME, OVER, CLAIM, HEAD, VALUE, ...) SET_##KIND(f->NAME, VALUE);
#include "answer/run-facts.def"
#undef FACT
}

void
collect_nothing(struct collected *c)
{
    *c = (struct collected){ .n_workloads = 0 };
    facts_clear(&c->facts);
}

void
collect(struct outcome *o, const struct intervals *intervals)
{
    struct collected *c = array_new(1, sizeof *c);
    const struct sim_silence *silence = &o->silence;
    uint64_t of_bps, feedback_bps = find_feedback(o, &of_bps);
    struct sources s = { .flows = count_flows(o),
                         .fct = &c->workloads[0],
                         .signals = signals_of(o),
                         .pressure = find_pressure(o),
                         .has_messages = model_sends_messages(sim_model(o->sim)),
                         .feedback_bps = feedback_bps,
                         .feedback_share = of_bps ? (double)feedback_bps / (double)of_bps : -1,
                         .hosts = intervals_facts(intervals),
                         .tau = collect_tau(o),
                         .jobs = job_facts_count(o),
                         .silent_since_ps =
                             silence->n_hosts
                                 ? starvation_first_of(silence->hosts, silence->n_hosts, WEIR_NEVER)
                                 : -1 };

    collect_flows(o);
    job_facts_collect(o);
    collect_nothing(c);
    collect_workloads(c, o);
    completion_of_ended(&o->flows, &s.slowdown);
    fill(&c->facts, o, &s);
    o->collected = c;
}

void
collect_fct(struct collected_fct *c, const struct outcome *o, const uint64_t *edges, size_t n_edges)
{
    const char *workloads[SCN_MAX_WORKLOADS];

    for (uint32_t w = 0; w < o->s.n_workloads; w++) {
        workloads[w] = o->s.workloads[w].name;
    }
    completion_table_fill(&c->table, &o->flows, workloads, o->s.n_workloads, edges, n_edges);
    for (size_t i = 0; i < c->table.n_worst; i++) {
        c->table.worst[i].name = scn_flow_name(&o->s, c->table.worst[i].flow, c->names[i]);
    }
}
