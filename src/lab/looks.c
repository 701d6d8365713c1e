/* How long nodes did not look at their ports. */

#include "lab/looks.h"

#include "lab/tau.h"

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
response_ps(const struct model *model, uint32_t node)
{
    const struct weir_shape *shape = model_shape_like(model, node);
    weir_ps least = WEIR_NEVER;

    WEIR_EACH_PORT (shape, port) {
        weir_ps here_ps = weir_shape_link(shape, port).response_ps;
        least = here_ps < least ? here_ps : least;
    }
    return least;
}

weir_ps
lab_looks_allowed_ps(const struct model *model, uint32_t node)
{
    return holds_peers_back(model_stack_at(model, node)) ? response_ps(model, node) : WEIR_NEVER;
}

bool
lab_looks_are_seldom(const char *node, weir_ps most_ps, weir_ps allowed_ps, struct weir_text *why)
{
    struct weir_text most, allowed;

    *why = (struct weir_text){ 0 };
    if (most_ps <= allowed_ps) {
        return false;
    }
    weir_text_add(why,
                  "%s did not look at its ports for up to %s, and its thresholds were derived for "
                  "a response within %s, so packets of lossless classes may be dropped; a core of "
                  "its own (doc/devices.md) lets it look more often, and a longer switch.response "
                  "derives other thresholds.",
                  node, lab_time_text(most_ps, &most), lab_time_text(allowed_ps, &allowed));
    return true;
}

uint32_t
lab_looks_held_up(const struct model *model, uint32_t link, const struct dp_counts *counts)
{
    const uint32_t *ends = model->topo->links[link].node;
    uint32_t later =
        counts[ends[1]].polls.most_ps > counts[ends[0]].polls.most_ps ? ends[1] : ends[0];

    return counts[later].polls.most_ps > response_ps(model, later) ? later : SIM_NONE;
}

/* Looks of a lab. */

/* The packets and control frames that were sent to a node and did not come. */
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

/* Hosts drain at once, and have no thresholds to reach: one that is late causes losses where
 * packets found no room. */
static bool
was_harmful(const struct outcome *o, uint32_t node, const struct dp_counts *counts)
{
    const struct model *model = sim_model(o->sim);
    bool is_switch = o->s.topo.nodes[node].kind == TOPO_SWITCH;
    weir_ps allowed_ps = is_switch ? lab_looks_allowed_ps(model, node) : response_ps(model, node);

    return counts[node].polls.most_ps > allowed_ps && (is_switch || lost_at(o, node));
}

/* The latest that caused losses; 'n' is how many did. */
static uint32_t
latest_of(const struct outcome *o, enum topo_kind kind, const struct dp_counts *counts, uint32_t *n)
{
    uint32_t latest = SIM_NONE;

    *n = 0;
    for (uint32_t id = 0; id < o->s.topo.n_nodes; id++) {
        if (o->s.topo.nodes[id].kind == kind && was_harmful(o, id, counts)) {
            bool is_later =
                latest == SIM_NONE || counts[id].polls.most_ps > counts[latest].polls.most_ps;
            latest = is_later ? id : latest;
            ++*n;
        }
    }
    return latest;
}

static void
warn(struct outcome *o, struct weir_text *text, uint32_t n)
{
    if (n > 1) {
        weir_text_add(text, " So it was at %u other node%s.", (uint64_t)n - 1, n == 2 ? "" : "s");
    }
    outcome_warn(o, text->s);
}

static void
warn_of_switches(struct outcome *o, const struct dp_counts *counts)
{
    uint32_t n, latest = latest_of(o, TOPO_SWITCH, counts, &n);
    struct weir_text text;

    if (n && lab_looks_are_seldom(o->s.topo.nodes[latest].name, counts[latest].polls.most_ps,
                                  lab_looks_allowed_ps(sim_model(o->sim), latest), &text)) {
        warn(o, &text, n);
    }
}

static void
warn_of_hosts(struct outcome *o, const struct dp_counts *counts)
{
    uint32_t n, latest = latest_of(o, TOPO_NIC, counts, &n);
    struct weir_text text = { 0 }, most;

    if (n) {
        weir_text_add(&text,
                      "%s did not look at its ports for up to %s, and not all that was sent to it "
                      "found room meanwhile.",
                      o->s.topo.nodes[latest].name,
                      lab_time_text(counts[latest].polls.most_ps, &most));
        warn(o, &text, n);
    }
}

void
lab_looks_warn(struct outcome *o, const struct dp_counts *counts)
{
    warn_of_switches(o, counts);
    warn_of_hosts(o, counts);
}
