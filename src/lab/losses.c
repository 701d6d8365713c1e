/* Finds frames that were sent and did not arrive. */

#include "lab/losses.h"

#include "lab/timing.h"
#include "sim/live.h"
#include "topo/port-names.h"

/* The number of missing packets. If more packets arrive than were sent, other programs send packets
 * of the model's flows; this is not a loss. */
static uint64_t
missing(uint64_t n_sent, uint64_t n_come)
{
    return n_sent > n_come ? n_sent - n_come : 0;
}

static bool
is_lossless(const struct model *model, uint32_t port, uint8_t cls)
{
    const struct topo *t = model->topo;
    const struct weir_shape *from = model_shape_like(model, t->ports[port].node);
    const struct weir_shape *to = model_shape_like(model, topo_beyond(t, port));

    return weir_is_lossless(from, cls) || weir_is_lossless(to, cls);
}

/* Finds the losses of the direction of a link that begins at a port. */
static struct sim_live_loss
find_behind(const struct model *model, uint32_t port, const struct dp_crossed *crossed,
            uint64_t *n_lossless)
{
    const struct dp_amount *out = &crossed[port].out;
    const struct dp_amount *in = &crossed[model->topo->ports[port].peer].in;
    struct sim_live_loss loss = { .packet_bytes = missing(out->packet_bytes, in->packet_bytes),
                                  .n_frames = missing(out->n_controls, in->n_controls),
                                  .forged_bytes = missing(in->packet_bytes, out->packet_bytes) };

    for (uint8_t cls = 0; cls < WEIR_MAX_CLASSES; cls++) {
        uint64_t n = missing(out->n_packets[cls], in->n_packets[cls]);
        loss.n_packets += n;
        loss.n_forged += missing(in->n_packets[cls], out->n_packets[cls]);
        *n_lossless += is_lossless(model, port, cls) ? n : 0;
    }
    return loss;
}

static struct lab_loss
find_on(struct sim *sim, uint32_t link, const struct dp_crossed *crossed, uint64_t *n_lossless)
{
    const struct topo_link *l = &sim_model(sim)->topo->links[link];
    struct lab_loss both = { .link = link };

    for (int end = 0; end < 2; end++) {
        struct sim_live_loss loss = find_behind(sim_model(sim), l->port[end], crossed, n_lossless);
        sim_live_lost(sim, l->port[end], &loss);
        both.n_packets += loss.n_packets;
        both.n_controls += loss.n_frames;
        both.n_forged += loss.n_forged;
        both.was_down |= crossed[l->port[end]].n_downs > 0;
    }
    return both;
}

struct lab_losses
lab_losses_find(struct sim *sim, const struct dp_crossed *crossed)
{
    struct lab_losses all = { .first_forged = TOPO_NONE };

    for (uint32_t link = 0; link < sim_model(sim)->topo->n_links; link++) {
        struct lab_loss here = find_on(sim, link, crossed, &all.n_lossless);
        all.n_packets += here.n_packets;
        all.n_controls += here.n_controls;
        all.n_forged += here.n_forged;
        all.first_forged = here.n_forged && all.first_forged == TOPO_NONE ? link : all.first_forged;
        if (here.n_packets + here.n_controls > all.worst.n_packets + all.worst.n_controls) {
            all.worst = here;
        }
    }
    return all;
}

/* Losses in words. */

/* Adds amounts, such as "1 packet and 3 control frames were". */
static void
add_amount(struct weir_text *text, uint64_t n_packets, uint64_t n_controls)
{
    if (n_packets) {
        weir_text_add(text, "%u packet%s", n_packets, n_packets == 1 ? "" : "s");
    }
    if (n_controls) {
        weir_text_add(text, "%s%u control frame%s", n_packets ? " and " : "", n_controls,
                      n_controls == 1 ? "" : "s");
    }
}

static void
add_cause(struct weir_text *text, const struct outcome *o, const struct lab_loss *l,
          const struct dp_counts *counts)
{
    const struct model *model = sim_model(o->sim);
    uint32_t late = lab_polls_held_up(model, l->link, counts);

    if (l->was_down) {
        weir_text_add(text, ", whose link was down for a time.");
    } else if (late != SIM_NONE) {
        weir_text_add(
            text,
            ": %s did not run for %t, and frames that arrive meanwhile may find no room. If "
            "nobody stopped it, this machine is too slow; use slower links or fewer "
            "nodes.",
            model->topo->nodes[late].name, lab_rounded_ps(counts[late].polls.most_ps));
    } else {
        weir_text_add(text,
                      ": this machine is too slow for these links (%r); use slower links or fewer "
                      "nodes.",
                      model->topo->links[l->link].rate_bps);
    }
}

static void
warn_of_forged(struct outcome *o, const struct lab_losses *l)
{
    const struct topo *t = &o->s.topo;
    struct weir_text text = { 0 };

    if (l->n_forged) {
        struct topo_ends ends = topo_name_ends(t, t->links[l->first_forged].port[0]);
        weir_text_add(
            &text,
            "%u packet%s of the lab's flows arrived, first between %s and %s, but no node of the "
            "lab has sent them: another program sends them, and results count them.",
            l->n_forged, l->n_forged == 1 ? "" : "s", ends.here, ends.there);
        outcome_warn(o, text.s);
    }
}

static void
warn_of_lost(struct outcome *o, const struct lab_losses *l, const struct dp_counts *counts)
{
    const struct topo *t = &o->s.topo;
    const struct lab_loss *w = &l->worst;
    struct topo_ends ends = topo_name_ends(t, t->links[w->link].port[0]);
    uint64_t n_here = w->n_packets + w->n_controls;
    uint64_t n_elsewhere = l->n_packets + l->n_controls - n_here;
    struct weir_text text = { 0 };

    if (!n_here) {
        return;
    }
    add_amount(&text, w->n_packets, w->n_controls);
    weir_text_add(&text, " %s lost between %s and %s", n_here == 1 ? "was" : "were", ends.here,
                  ends.there);
    if (n_elsewhere) {
        weir_text_add(&text, " (and ");
        add_amount(&text, l->n_packets - w->n_packets, l->n_controls - w->n_controls);
        weir_text_add(&text, " between other nodes)");
    }
    add_cause(&text, o, w, counts);
    outcome_warn(o, text.s);
}

void
lab_losses_warn(struct outcome *o, const struct lab_losses *l, const struct dp_counts *counts)
{
    warn_of_lost(o, l, counts);
    warn_of_forged(o, l);
}

/* Warnings of packets that were dropped because the node had no free frame. */

void
lab_unheld_words(const char *node, uint64_t n, uint32_t max_held, struct weir_text *text)
{
    *text = (struct weir_text){ 0 };
    weir_text_add(text,
                  "%s had no frames left for %u packet%s, and dropped %s: it holds at most %u "
                  "packets of any length, and its buffer has room for more short packets. "
                  "With a smaller switch.buffer it pauses its peers earlier.",
                  node, n, n == 1 ? "" : "s", n == 1 ? "it" : "them", (uint64_t)max_held);
}

uint64_t
lab_unheld_at(const struct sim *sim, uint32_t node)
{
    const struct topo_node *n = &sim_model(sim)->topo->nodes[node];
    uint64_t n_dropped_memory = 0;

    for (uint32_t i = 0; i < n->n_ports; i++) {
        n_dropped_memory += sim_port_result(sim, n->first_port + i).n_dropped_memory;
    }
    return n_dropped_memory;
}

void
lab_unheld_warn(struct outcome *o, const struct dp_counts *counts)
{
    uint32_t worst = 0;
    uint64_t most = 0;
    struct weir_text text;

    for (uint32_t id = 0; id < o->s.topo.n_nodes; id++) {
        uint64_t n = lab_unheld_at(o->sim, id);
        worst = n > most ? id : worst;
        most = n > most ? n : most;
    }
    if (most) {
        lab_unheld_words(o->s.topo.nodes[worst].name, most, counts[worst].max_held, &text);
        outcome_warn(o, text.s);
    }
}
