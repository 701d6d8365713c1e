/* Computes the lateness of nodes, as numbers, text and counters. */

#include "lab/timing.h"

#include "sim/live.h"

#define PS_PER_US 1000000

weir_ps
lab_rounded_ps(weir_ps ps)
{
    weir_ps unit_ps = ps < WEIR_PS_PER_S ? PS_PER_US : 1000 * (weir_ps)PS_PER_US;

    return (ps + unit_ps / 2) / unit_ps * unit_ps;
}

weir_ps
lab_lateness_at(const struct dp_lateness *l, double share)
{
    double wanted = share * (double)l->n;
    uint64_t n = 0;

    for (uint32_t power = 0; power < sizeof l->n_of / sizeof *l->n_of; power++) {
        weir_ps end_ps = ((weir_ps)1 << power) * PS_PER_US;
        n += l->n_of[power];
        if (n && (double)n >= wanted) {
            return end_ps < l->most_ps ? end_ps : l->most_ps;
        }
    }
    return l->most_ps;
}

static struct lab_delays
delays_of(const struct dp_lateness *l, weir_ps derived_ps)
{
    return (struct lab_delays){ .derived_ps = derived_ps,
                                .p50_ps = lab_lateness_at(l, 0.5),
                                .p99_ps = lab_lateness_at(l, 0.99),
                                .most_ps = l->most_ps,
                                .n = l->n };
}

/* The shortest time of a kind among all links of a node. */
static weir_ps
shortest_ps(const struct model *model, uint32_t node, weir_ps (*of)(const struct weir_link *))
{
    const struct weir_shape *shape = model_shape_like(model, node);
    weir_ps shortest = WEIR_NEVER;

    WEIR_EACH_PORT (shape, port) {
        struct weir_link link = weir_shape_link(shape, port);
        weir_ps here_ps = of(&link);
        shortest = here_ps < shortest ? here_ps : shortest;
    }
    return shortest;
}

/* Tau of nodes. */

/* Adds up tau: the delay of a link without response time, the lateness of the peer for the frame,
 * and the lateness of this node for packets. */
static struct lab_delays
put_together(const struct weir_link *link, const struct dp_counts *here,
             const struct dp_counts *there)
{
    const struct weir_link bare = { .rate_bps = link->rate_bps,
                                    .cable_ps = link->cable_ps,
                                    .mtu_bytes = link->mtu_bytes };
    struct lab_delays d = delays_of(&here->frames, weir_tau_ps(link));
    struct lab_delays peer = delays_of(&there->frames, 0);
    weir_ps way_ps = weir_tau_ps(&bare);

    d.p50_ps += way_ps + peer.p50_ps;
    d.p99_ps += way_ps + peer.p99_ps;
    d.most_ps += way_ps + peer.most_ps;
    return d;
}

/* Whether the first delays have the smaller margin to their thresholds. Measured delays come before
 * estimated ones. */
static bool
is_later(const struct lab_delays *a, const struct lab_delays *b)
{
    return a->is_of_pauses != b->is_of_pauses
               ? a->is_of_pauses
               : a->derived_ps - a->most_ps < b->derived_ps - b->most_ps;
}

/* The estimated tau of the port with the smallest margin: thresholds are derived for each port, and
 * slow links take longer. */
struct lab_delays
lab_tau_estimated(const struct model *model, uint32_t node, const struct dp_counts *counts)
{
    const struct topo *topo = model->topo;
    const struct weir_shape *shape = model_shape_like(model, node);
    struct lab_delays latest = { .derived_ps = WEIR_NEVER };

    WEIR_EACH_PORT (shape, port) {
        struct weir_link link = weir_shape_link(shape, port);
        uint32_t peer = topo_beyond(topo, topo->nodes[node].first_port + port);
        struct lab_delays d = put_together(&link, &counts[node], &counts[peer]);
        latest = is_later(&d, &latest) ? d : latest;
    }
    return latest;
}

/* The measured tau. The port at which it was measured is unknown, so the bound is that of the port
 * with the shortest tau. */
struct lab_delays
lab_tau_measured(const struct model *model, uint32_t node, const struct dp_counts *own)
{
    struct lab_delays d = delays_of(&own->answers, shortest_ps(model, node, weir_tau_ps));

    d.is_of_pauses = true;
    return d;
}

/* The measured tau, if there is one, else the estimated one. */
static struct lab_delays
tau_of(const struct model *model, uint32_t node, const struct dp_counts *counts)
{
    return counts[node].answers.n ? lab_tau_measured(model, node, &counts[node])
                                  : lab_tau_estimated(model, node, counts);
}

uint32_t
lab_tau_latest(const struct model *model, const struct dp_counts *counts, struct lab_delays *tau)
{
    uint32_t latest = SIM_NONE;

    for (uint32_t id = 0; id < model->topo->n_nodes; id++) {
        struct lab_delays d = tau_of(model, id, counts);
        bool is_known = model->topo->nodes[id].kind == TOPO_SWITCH && d.n;
        if (is_known && (latest == SIM_NONE || is_later(&d, tau))) {
            latest = id;
            *tau = d;
        }
    }
    return latest;
}

void
lab_delays_words(const struct lab_delays *d, struct weir_text *text)
{
    weir_text_add(text, "%t in the median, %t in 99 %%, %t at most", lab_rounded_ps(d->p50_ps),
                  lab_rounded_ps(d->p99_ps), lab_rounded_ps(d->most_ps));
}

void
lab_tau_words(const char *node, const struct lab_delays *d, struct weir_text *text)
{
    *text = (struct weir_text){ 0 };
    weir_text_add(
        text, "at %s, %s: ", node,
        d->is_of_pauses
            ? "measured from the request for a pause to the last packet that arrived"
            : "estimated from the delay of its link and the lateness of frames at both ends");
    lab_delays_words(d, text);
    weir_text_add(text, "; thresholds were derived for %t", lab_rounded_ps(d->derived_ps));
}

bool
lab_tau_is_long(const char *node, const struct lab_delays *d, struct weir_text *why)
{
    *why = (struct weir_text){ 0 };
    if (d->most_ps <= d->derived_ps) {
        return false;
    }
    weir_text_add(
        why,
        "tau at %s was up to %T, %s, and thresholds were derived for %T, so packets of "
        "lossless classes may be dropped; set a longer switch.response to derive others%s.",
        node, lab_rounded_ps(d->most_ps),
        d->is_of_pauses ? "measured by pauses" : "estimated from how late frames were",
        lab_rounded_ps(d->derived_ps),
        d->is_of_pauses ? ", unless a neighbour ignores pauses" : "");
    return true;
}

void
lab_tau_report(struct outcome *o, const struct dp_counts *counts)
{
    struct weir_text who = { 0 }, why;
    struct lab_delays d;
    uint32_t latest = lab_tau_latest(sim_model(o->sim), counts, &d);

    if (latest == SIM_NONE) {
        return;
    }
    const char *name = o->s.topo.nodes[latest].name;
    weir_text_add(&who, "%s, the latest switch", name);
    lab_tau_words(who.s, &d, &o->tau);
    if (lab_tau_is_long(name, &d, &why)) {
        outcome_warn(o, why.s);
    }
}

/* Times between polls. */

static bool
holds_peers_back(const struct weir_stack *stack)
{
    uint32_t limits = 0;

    for (uint32_t i = 0; i < stack->n; i++) {
        limits |= stack->layers[i].engine->limits;
    }
    return limits & WEIR_LIMITS_OF_QUEUES;
}

static weir_ps
response_of_link(const struct weir_link *link)
{
    return link->response_ps;
}

/* The time between polls of a node. Its bound is the response time, by which frames may be late. */
struct lab_delays
lab_polls_of(const struct model *model, uint32_t node, const struct dp_counts *own)
{
    return delays_of(&own->polls, holds_peers_back(model_stack_at(model, node))
                                      ? shortest_ps(model, node, response_of_link)
                                      : WEIR_NEVER);
}

bool
lab_polls_are_rare(const char *node, const struct lab_delays *looks, struct weir_text *why)
{
    *why = (struct weir_text){ 0 };
    if (looks->most_ps <= looks->derived_ps) {
        return false;
    }
    weir_text_add(why,
                  "%s did not poll its ports for up to %T, but its thresholds were derived for a "
                  "response within %T, so packets of lossless classes may be dropped; on a core of "
                  "its own (doc/devices.md) it polls more often, and a longer switch.response "
                  "derives other thresholds.",
                  node, lab_rounded_ps(looks->most_ps), lab_rounded_ps(looks->derived_ps));
    return true;
}

uint32_t
lab_polls_held_up(const struct model *model, uint32_t link, const struct dp_counts *counts)
{
    const uint32_t *ends = model->topo->links[link].node;
    uint32_t later =
        counts[ends[1]].polls.most_ps > counts[ends[0]].polls.most_ps ? ends[1] : ends[0];
    weir_ps allowed_ps = shortest_ps(model, later, response_of_link);

    return counts[later].polls.most_ps > allowed_ps ? later : SIM_NONE;
}

/* The number of packets and control frames that were sent to a node and did not arrive. */
static uint64_t
lost_at(const struct outcome *o, uint32_t node)
{
    const struct topo_node *n = &o->s.topo.nodes[node];
    uint64_t n_lost = 0;

    for (uint32_t i = 0; i < n->n_ports; i++) {
        n_lost += sim_port_result(o->sim, o->s.topo.ports[n->first_port + i].peer).n_lost;
    }
    return n_lost;
}

/* Whether the lateness of a node caused losses.  Hosts drain at once and have no thresholds, so a
 * late host matters only if packets for it were lost. */
static bool
was_harmful(const struct outcome *o, uint32_t node, const struct dp_counts *own)
{
    const struct model *model = sim_model(o->sim);

    if (o->s.topo.nodes[node].kind == TOPO_SWITCH) {
        return own->polls.most_ps > lab_polls_of(model, node, own).derived_ps;
    }
    return own->polls.most_ps > shortest_ps(model, node, response_of_link) && lost_at(o, node);
}

/* The node of this kind that polled latest among those whose lateness caused losses; sets 'n' to
 * the number of these nodes. */
static uint32_t
latest_of(const struct outcome *o, enum topo_kind kind, const struct dp_counts *counts, uint32_t *n)
{
    uint32_t latest = SIM_NONE;

    *n = 0;
    for (uint32_t id = 0; id < o->s.topo.n_nodes; id++) {
        if (o->s.topo.nodes[id].kind == kind && was_harmful(o, id, &counts[id])) {
            if (!(*n)++ || counts[id].polls.most_ps > counts[latest].polls.most_ps) {
                latest = id;
            }
        }
    }
    return latest;
}

static void
warn_of(struct outcome *o, enum topo_kind kind, const struct dp_counts *counts)
{
    uint32_t n, latest = latest_of(o, kind, counts, &n);
    struct weir_text text = { 0 };

    if (!n) {
        return;
    }
    const char *name = o->s.topo.nodes[latest].name;
    struct lab_delays looks = lab_polls_of(sim_model(o->sim), latest, &counts[latest]);
    if (kind == TOPO_SWITCH) {
        lab_polls_are_rare(name, &looks, &text);
    } else {
        weir_text_add(&text,
                      "%s did not poll its ports for up to %T, and some frames that arrived "
                      "meanwhile found no room.",
                      name, lab_rounded_ps(looks.most_ps));
    }
    if (n > 1) {
        weir_text_add(&text, " The same happened at %u other node%s.", (uint64_t)n - 1,
                      n == 2 ? "" : "s");
    }
    outcome_warn(o, text.s);
}

void
lab_polls_warn(struct outcome *o, const struct dp_counts *counts)
{
    warn_of(o, TOPO_SWITCH, counts);
    warn_of(o, TOPO_NIC, counts);
}

/* Counters for results files. */

enum delay { LATE, POLLS, TAU_MEASURED, TAU_ESTIMATED };

static const struct delay_names {
    const char *p50, *p99, *most;
} names[] = {
    [LATE] = { "lab.late_p50_ps", "lab.late_p99_ps", "lab.late_max_ps" },
    [POLLS] = { "lab.polls_p50_ps", "lab.polls_p99_ps", "lab.polls_max_ps" },
    [TAU_MEASURED] = { "lab.tau_measured_p50_ps", "lab.tau_measured_p99_ps",
                       "lab.tau_measured_max_ps" },
    [TAU_ESTIMATED] = { "lab.tau_estimated_p50_ps", "lab.tau_estimated_p99_ps",
                        "lab.tau_estimated_max_ps" },
};

static void
count_delays(struct outcome *o, uint32_t node, enum delay delay, struct lab_delays d)
{
    outcome_count(o, node, names[delay].p50, (uint64_t)d.p50_ps);
    outcome_count(o, node, names[delay].p99, (uint64_t)d.p99_ps);
    outcome_count(o, node, names[delay].most, (uint64_t)d.most_ps);
}

/* Adds the measured and the estimated tau, if known, under separate names, because they cannot be
 * compared. Hosts have no thresholds. */
static void
count_taus(struct outcome *o, uint32_t node, const struct dp_counts *all)
{
    const struct model *model = sim_model(o->sim);
    struct lab_delays measured = lab_tau_measured(model, node, &all[node]);
    struct lab_delays estimated = lab_tau_estimated(model, node, all);

    if (o->s.topo.nodes[node].kind != TOPO_SWITCH) {
        return;
    }
    outcome_count(o, node, "lab.tau_derived_ps",
                  (uint64_t)(measured.n ? measured : estimated).derived_ps);
    if (measured.n) {
        count_delays(o, node, TAU_MEASURED, measured);
    }
    if (estimated.n) {
        count_delays(o, node, TAU_ESTIMATED, estimated);
    }
}

void
lab_count_node(struct outcome *o, uint32_t node, const struct dp_counts *all)
{
    const struct dp_counts *c = &all[node];

    count_taus(o, node, all);
    count_delays(o, node, LATE, delays_of(&c->frames, 0));
    count_delays(o, node, POLLS, delays_of(&c->polls, 0));
    outcome_count(o, node, "lab.n_sent", c->n_sent);
    outcome_count(o, node, "lab.n_received", c->n_received);
    outcome_count(o, node, "lab.n_refused", c->n_refused);
    outcome_count(o, node, "lab.n_without_memory", c->n_without_memory);
    outcome_count(o, node, "lab.n_missed", c->n_missed);
    for (size_t i = 0; i < DP_N_WHATS; i++) {
        outcome_count(o, node, dp_whats[i].counter, c->n_whats[i]);
    }
}
