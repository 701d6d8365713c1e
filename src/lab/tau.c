/* How long it takes in a lab until a peer sends less. */

#include "lab/tau.h"

#include "sim/live.h"

#define PS_PER_US 1000000

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

static struct lab_tau
of_lateness(const struct dp_lateness *l)
{
    return (struct lab_tau){ .p50_ps = lab_lateness_at(l, 0.5),
                             .p99_ps = lab_lateness_at(l, 0.99),
                             .most_ps = l->most_ps,
                             .n = l->n };
}

/* The delay of a link without any response time, and the lateness of its ends: the frame there, the
 * packets here. */
static struct lab_tau
put_together(const struct weir_link *link, const struct dp_counts *here,
             const struct dp_counts *there)
{
    const struct weir_link bare = { .rate_bps = link->rate_bps,
                                    .cable_ps = link->cable_ps,
                                    .mtu_bytes = link->mtu_bytes };
    struct lab_tau a = of_lateness(&here->frames), b = of_lateness(&there->frames);
    weir_ps way_ps = weir_tau_ps(&bare);

    return (struct lab_tau){ .derived_ps = weir_tau_ps(link),
                             .p50_ps = way_ps + a.p50_ps + b.p50_ps,
                             .p99_ps = way_ps + a.p99_ps + b.p99_ps,
                             .most_ps = way_ps + a.most_ps + b.most_ps,
                             .n = a.n };
}

/* Which keeps less of what thresholds were derived for. */
static bool
is_later(const struct lab_tau *a, const struct lab_tau *b)
{
    return a->is_of_pauses != b->is_of_pauses
               ? a->is_of_pauses
               : a->derived_ps - a->most_ps < b->derived_ps - b->most_ps;
}

/* Tau of the port that is the latest: thresholds are derived for each, and a slow link takes
 * longer. */
struct lab_tau
lab_tau_estimated(const struct model *model, uint32_t node, const struct dp_counts *counts)
{
    const struct topo *topo = model->topo;
    const struct weir_shape *shape = model_shape_like(model, node);
    struct lab_tau latest = { .derived_ps = WEIR_NEVER };

    WEIR_EACH_PORT (shape, port) {
        struct weir_link link = weir_shape_link(shape, port);
        uint32_t peer = topo->ports[topo->nodes[node].first_port + port].peer;
        struct lab_tau t = put_together(&link, &counts[node], &counts[topo->ports[peer].node]);
        latest = is_later(&t, &latest) ? t : latest;
    }
    return latest;
}

/* Nobody knows at which port it was, so it must do for any. */
static weir_ps
shortest_derived_ps(const struct weir_shape *shape)
{
    weir_ps shortest = WEIR_NEVER;

    WEIR_EACH_PORT (shape, port) {
        struct weir_link link = weir_shape_link(shape, port);
        weir_ps derived_ps = weir_tau_ps(&link);
        shortest = derived_ps < shortest ? derived_ps : shortest;
    }
    return shortest;
}

struct lab_tau
lab_tau_measured(const struct model *model, uint32_t node, const struct dp_counts *counts)
{
    struct lab_tau tau = of_lateness(&counts[node].answers);

    tau.derived_ps = shortest_derived_ps(model_shape_like(model, node));
    tau.is_of_pauses = true;
    return tau;
}

struct lab_tau
lab_tau_of(const struct model *model, uint32_t node, const struct dp_counts *counts)
{
    return counts[node].answers.n ? lab_tau_measured(model, node, counts)
                                  : lab_tau_estimated(model, node, counts);
}

uint32_t
lab_tau_latest(const struct model *model, const struct dp_counts *counts, struct lab_tau *tau)
{
    uint32_t latest = SIM_NONE;

    for (uint32_t id = 0; id < model->topo->n_nodes; id++) {
        struct lab_tau t = lab_tau_of(model, id, counts);
        bool is_known = model->topo->nodes[id].kind == TOPO_SWITCH && t.n;
        if (is_known && (latest == SIM_NONE || is_later(&t, tau))) {
            latest = id;
            *tau = t;
        }
    }
    return latest;
}

const char *
lab_time_text(weir_ps ps, struct weir_text *room)
{
    weir_ps unit_ps = ps < WEIR_PS_PER_S ? PS_PER_US : 1000 * (weir_ps)PS_PER_US;

    *room = (struct weir_text){ 0 };
    weir_text_add(room, "%T", (ps + unit_ps / 2) / unit_ps * unit_ps);
    return room->s;
}

void
lab_tau_words(const char *node, const struct lab_tau *t, struct weir_text *text)
{
    struct weir_text p50, p99, most, derived;

    *text = (struct weir_text){ 0 };
    weir_text_add(text,
                  "at %s, %s: %s in the median, %s in 99 %%, %s at most; thresholds were "
                  "derived for %s",
                  node,
                  t->is_of_pauses
                      ? "measured from asking for a pause to the last packet that came"
                      : "estimated as the way of its link and how late frames came at both ends",
                  lab_time_text(t->p50_ps, &p50), lab_time_text(t->p99_ps, &p99),
                  lab_time_text(t->most_ps, &most), lab_time_text(t->derived_ps, &derived));
}

bool
lab_tau_is_long(const char *node, const struct lab_tau *t, struct weir_text *why)
{
    struct weir_text most, derived;

    *why = (struct weir_text){ 0 };
    if (t->most_ps <= t->derived_ps) {
        return false;
    }
    weir_text_add(why,
                  "tau at %s was up to %s, %s, and thresholds were derived for %s, so packets of "
                  "lossless classes may be dropped; a longer switch.response derives others%s.",
                  node, lab_time_text(t->most_ps, &most),
                  t->is_of_pauses ? "measured by pauses" : "estimated from how late frames were",
                  lab_time_text(t->derived_ps, &derived),
                  t->is_of_pauses ? ", unless a neighbour does not heed pauses at all" : "");
    return true;
}

void
lab_tau_tell(struct outcome *o, const struct dp_counts *counts)
{
    struct weir_text who = { 0 }, why;
    struct lab_tau t;
    uint32_t latest = lab_tau_latest(sim_model(o->sim), counts, &t);

    if (latest == SIM_NONE) {
        return;
    }
    const char *name = o->s.topo.nodes[latest].name;
    weir_text_add(&who, "%s, the latest switch", name);
    lab_tau_words(who.s, &t, &o->tau);
    if (lab_tau_is_long(name, &t, &why)) {
        outcome_warn(o, why.s);
    }
}
