/* Checks that the engines at both ends of a link understand each other.
 *
 * A link has two directions.  In each, the receiver blocks or throttles the sender by frames, and
 * the sender must obey them.  The facts of engines (weir/engine.h) decide, never their names:
 *
 *     refused   the sender waits for a frame of the peer, and no engine there sends one
 *     warning   the sender obeys no frame by which the receiver prevents losses
 *     warning   the sender obeys those, but not the frames of another engine that pauses it
 *
 * A host that never stalls drains its input at once, so nothing is lost there.  If no engine at
 * either end prevents losses, a link is not lossless, and nothing is checked. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/model.h"
#include "topo/port-names.h"

/* The engines that equal nodes share, with the frames that they send and obey. */
struct speaker {
    struct {
        const struct weir_engine *engine;
        enum weir_scope scope;
        uint32_t frame_id, sent_id; /* The frame that it obeys, and the frame that it sends. */
        const char *sent_protocol;
    } layers[WEIR_MAX_ENGINES];
    uint32_t n;
    bool is_nic; /* The nodes are NICs, which pause their peers only by PFC and similar engines. */
};

/* One end of a link: the engines of a speaker that serve it. */
struct end {
    const struct speaker *of;
    const struct weir_port *port;
};

enum verdict { FITS, WAITS_FOR_EVER, IS_NOT_OBEYED, NEVER_STOPS, NEVER_ASKS, IS_NOT_HEARD };

struct misfit {
    enum verdict verdict;
    uint32_t from_role, to_role;
    uint32_t port; /* The sender's port of the first link. */
    uint64_t n_links;
};

struct misfits {
    struct misfit *items;
    size_t n, max;
};

bool
model_same_protocol(const struct weir_engine *a, const struct weir_engine *b)
{
    return a == b || (a->protocol && b->protocol && !strcmp(a->protocol, b->protocol));
}

/* These functions decide about one engine of an end. */

static const struct weir_engine *
engine_at(const struct end *e, uint32_t layer)
{
    return e->of->layers[layer].engine;
}

static bool
serves(const struct end *e, uint32_t layer)
{
    return weir_scope_has(e->of->layers[layer].scope, e->port);
}

/* Whether an engine slows peers down by frames, and obeys those of its peers. */
static bool
controls(const struct end *e, uint32_t layer)
{
    return serves(e, layer) && e->of->layers[layer].frame_id &&
           engine_at(e, layer)->limits & WEIR_LIMITS_OF_QUEUES;
}

static bool
prevents_losses(const struct end *e, uint32_t layer)
{
    return controls(e, layer) && !engine_at(e, layer)->needs_last_resort;
}

/* Whether a sender interprets the frames of a receiver as the receiver means them. */
static bool
speaks_for(const struct end *from, uint32_t i, const struct end *to, uint32_t k)
{
    const char *protocol = to->of->layers[k].sent_protocol;
    const char *obeyed = engine_at(from, i)->protocol;

    return protocol ? obeyed && !strcmp(protocol, obeyed)
                    : model_same_protocol(engine_at(from, i), engine_at(to, k));
}

static bool
understands(const struct end *from, uint32_t i, const struct end *to, uint32_t k)
{
    return controls(from, i) && controls(to, k) &&
           from->of->layers[i].frame_id == to->of->layers[k].sent_id && speaks_for(from, i, to, k);
}

/* These functions decide about all engines of an end. */

static bool
any_prevents_losses(const struct end *e)
{
    bool any = false;

    for (uint32_t i = 0; i < e->of->n; i++) {
        any |= prevents_losses(e, i);
    }
    return any;
}

static bool
understands_any(const struct end *from, uint32_t i, const struct end *to)
{
    bool any = false;

    for (uint32_t k = 0; k < to->of->n; k++) {
        any |= understands(from, i, to, k);
    }
    return any;
}

/* Whether the receiver has an engine that pauses peers without preventing losses, which the sender
 * does not understand. */
static bool
is_not_heard(const struct end *from, const struct end *to)
{
    bool is_deaf = false;

    for (uint32_t k = 0; k < to->of->n && !to->of->is_nic; k++) {
        bool is_heard = !controls(to, k) || !engine_at(to, k)->needs_last_resort;
        for (uint32_t i = 0; i < from->of->n; i++) {
            is_heard |= understands(from, i, to, k);
        }
        is_deaf |= !is_heard;
    }
    return is_deaf;
}

static bool
waits_for_ever(const struct end *from, const struct end *to)
{
    bool waits = false;

    for (uint32_t i = 0; i < from->of->n; i++) {
        waits |=
            serves(from, i) && engine_at(from, i)->waits_for_peer && !understands_any(from, i, to);
    }
    return waits;
}

/* The verdict on a sender that understands the engine of a receiver: whether it obeys it fully. */
static enum verdict
obeyed_by(const struct weir_engine *from, const struct weir_engine *to)
{
    return from->never_stops && !to->never_stops ? NEVER_STOPS : FITS;
}

/* The verdict on the pair of engines that prevents losses best. */
static enum verdict
judge_losses(const struct end *from, const struct end *to)
{
    enum verdict best = any_prevents_losses(to) ? IS_NOT_OBEYED : NEVER_ASKS;

    for (uint32_t i = 0; i < from->of->n; i++) {
        for (uint32_t k = 0; k < to->of->n; k++) {
            if (best != FITS && prevents_losses(to, k) && understands(from, i, to, k)) {
                best = obeyed_by(engine_at(from, i), engine_at(to, k));
            }
        }
    }
    return best;
}

static enum verdict
judge(const struct end *from, const struct end *to, bool drains)
{
    if (waits_for_ever(from, to)) {
        return WAITS_FOR_EVER;
    }
    bool promises = any_prevents_losses(from) || any_prevents_losses(to);
    enum verdict verdict = drains || !promises ? FITS : judge_losses(from, to);
    return verdict == FITS && !drains && is_not_heard(from, to) ? IS_NOT_HEARD : verdict;
}

/* These functions judge all links. */

static struct speaker
speaker_of(const struct model_engines *e)
{
    struct speaker s = { .n = e->stack.n, .is_nic = !e->shape.tier };

    for (uint32_t i = 0; i < s.n; i++) {
        s.layers[i].engine = e->stack.layers[i].engine;
        s.layers[i].scope = e->stack.layers[i].scope;
        struct weir_needs needs = weir_layer_needs(&e->stack, i, &e->shape);
        s.layers[i].frame_id = needs.frame_id;
        s.layers[i].sent_id = needs.sent_id ? needs.sent_id : needs.frame_id;
        s.layers[i].sent_protocol = needs.sent_protocol;
    }
    return s;
}

/* Finds, for each node, whether it drains all packets from its input at once. */
static bool *
find_draining(const struct model *p)
{
    bool *drains = array_new(p->topo->n_nodes, sizeof *drains);

    for (uint32_t id = 0; id < p->topo->n_nodes; id++) {
        drains[id] = p->topo->nodes[id].kind == TOPO_NIC;
    }
    for (uint32_t i = 0; i < p->n_stalls; i++) {
        drains[p->stalls[i].node] = false;
    }
    return drains;
}

static void
note(const struct model *p, enum verdict verdict, uint32_t port, struct misfits *all)
{
    const struct topo_port *here = &p->topo->ports[port];
    uint32_t from = p->role_of[here->node], to = p->role_of[p->topo->ports[here->peer].node];
    size_t i = 0;

    while (i < all->n && (all->items[i].verdict != verdict || all->items[i].from_role != from ||
                          all->items[i].to_role != to)) {
        i++;
    }
    if (i == all->n) {
        ARRAY_PUSH(all->items, all->n, all->max) = (struct misfit){ verdict, from, to, port, 0 };
    }
    all->items[i].n_links++;
}

/* Judges all links.  Most links have the same properties as the previous one, and so the same
 * verdict. */
static void
judge_links(const struct model *p, const struct speaker *speakers, const bool *drains,
            struct misfits *all)
{
    struct {
        uint32_t from, to;
        bool is_inner, drains;
        enum verdict verdict;
    } last = { .from = UINT32_MAX };

    for (uint32_t port = 0; port < p->topo->n_ports; port++) {
        uint32_t here = p->topo->ports[port].node;
        uint32_t there = p->topo->ports[p->topo->ports[port].peer].node;
        uint32_t from = p->nodes[here].engines, to = p->nodes[there].engines;
        const struct weir_port *at = model_port_at(p, port);
        if (last.from != from || last.to != to || last.is_inner != at->is_inner ||
            last.drains != drains[there]) {
            last.from = from, last.to = to;
            last.is_inner = at->is_inner, last.drains = drains[there];
            last.verdict = judge(&(struct end){ &speakers[from], at },
                                 &(struct end){ &speakers[to], at }, drains[there]);
        }
        if (last.verdict != FITS) {
            note(p, last.verdict, port, all);
        }
    }
}

/* These functions write messages. */

/* The engines of an end, as "pfc + ecn". */
static struct weir_text
engines_at(const struct model *p, uint32_t port)
{
    const struct weir_stack *stack = model_stack_at(p, p->topo->ports[port].node);
    struct weir_text text = { 0 };

    for (uint32_t i = 0; i < stack->n; i++) {
        if (weir_scope_has(stack->layers[i].scope, model_port_at(p, port))) {
            weir_text_add(&text, text.len ? " + %s" : "%s", stack->layers[i].engine->about.name);
        }
    }
    weir_text_add(&text, text.len ? "" : "no engine");
    return text;
}

static uint8_t
lossless_of(const struct model *p)
{
    return (uint8_t)(p->lossless & ((1u << p->n_classes) - 1));
}

/* Adds classes: "class 3", "classes 0 to 7", "classes 0, 3". */
static void
add_classes(const struct model *p, struct weir_text *said)
{
    uint8_t lossless = lossless_of(p);
    uint8_t first = (uint8_t)__builtin_ctz(lossless), n = (uint8_t)__builtin_popcount(lossless);
    bool is_range = n > 2 && lossless == (uint8_t)(((1u << n) - 1) << first);

    weir_text_add(said, n > 1 ? "classes %u" : "class %u", (uint64_t)first);
    if (is_range) {
        weir_text_add(said, " to %u", first + n - UINT64_C(1));
    }
    for (uint8_t cls = first + 1; cls < p->n_classes && !is_range; cls++) {
        if (lossless >> cls & 1) {
            weir_text_add(said, ", %u", (uint64_t)cls);
        }
    }
}

/* A sentence with the names of the sender, its engines, the receiver, its engines; and the effect
 * on the sender or the receiver. */
static const struct reason {
    const char *sentence, *effect;
    bool is_of_sender;
} reasons[] = {
    [WAITS_FOR_EVER] = { "%s (%s) sends nothing before the first frame of its peer, but %s (%s) "
                         "sends no frame that it understands",
                         "%s would never send a packet there", true },
    [IS_NOT_OBEYED] = { "%s (%s) ignores the frames of %s (%s)",
                        "%s may lose packets under congestion", false },
    [NEVER_STOPS] = { "%s (%s) slows down but never stops, and %s (%s) keeps no buffer for that",
                      "%s may lose packets under congestion", false },
    [NEVER_ASKS] = { "%s (%s) has flow control, but %s (%s) has none that prevents losses",
                     "%s may lose packets under congestion", false },
    [IS_NOT_HEARD] = { "%s (%s) ignores frames of %s (%s) that pause it",
                       "an engine of %s has no effect there", false },
};

static void
describe(const struct model *p, const struct misfit *m, struct weir_text *said)
{
    uint32_t peer = p->topo->ports[m->port].peer;
    const char *from = p->topo->nodes[p->topo->ports[m->port].node].name;
    const char *to = p->topo->nodes[p->topo->ports[peer].node].name;
    struct topo_ends ends = topo_name_ends(p->topo, m->port);
    struct weir_text ours = engines_at(p, m->port), theirs = engines_at(p, peer);
    const struct reason *reason = &reasons[m->verdict];

    *said = (struct weir_text){ 0 };
    weir_text_add(said, "link from %s to %s, ", ends.here, ends.there);
    add_classes(p, said);
    weir_text_add(said, ": ");
    weir_text_add(said, reason->sentence, from, ours.s, to, theirs.s);
    weir_text_add(said, ", so ");
    weir_text_add(said, reason->effect, reason->is_of_sender ? from : to);
    if (m->n_links > 1) {
        weir_text_add(
            said, m->n_links > 2 ? "; %u more links are affected" : "; %u more link is affected",
            m->n_links - 1);
    }
    weir_text_add(said, ". Use the same flow control at both ends");
}

/* The node that a message names: the end with the later role, whose engines the scenario sets
 * separately, so that the user can change them there. */
static uint32_t
node_to_change(const struct model *p, const struct misfit *m)
{
    const struct topo_port *here = &p->topo->ports[m->port];

    return m->from_role > m->to_role ? here->node : p->topo->ports[here->peer].node;
}

/* Whether all roles have the same stack.  Engines of one stack understand each other, so most
 * networks need no further check. */
static bool
roles_are_alike(const struct model *p)
{
    bool alike = true;

    for (uint32_t r = 1; r < p->n_roles && alike; r++) {
        const struct weir_stack *a = &p->roles[0].stack, *b = &p->roles[r].stack;
        alike = a->n == b->n;
        for (uint32_t i = 0; i < a->n && alike; i++) {
            alike = a->layers[i].engine == b->layers[i].engine &&
                    a->layers[i].scope == b->layers[i].scope;
        }
    }
    return alike;
}

static struct misfits
find_misfits(const struct model *p)
{
    struct misfits all = { 0 };

    if (roles_are_alike(p) || !lossless_of(p)) {
        return all;
    }
    struct speaker *speakers = array_new(p->n_engines, sizeof *speakers);
    bool *drains = find_draining(p);
    for (size_t i = 0; i < p->n_engines; i++) {
        speakers[i] = speaker_of(&p->engines[i]);
    }
    judge_links(p, speakers, drains, &all);
    free(drains);
    free(speakers);
    return all;
}

bool
model_peers_fit(struct model *p, uint32_t *node, struct weir_text *said)
{
    struct misfits all = find_misfits(p);
    bool good = true;

    for (size_t i = 0; i < all.n && good; i++) {
        *node = node_to_change(p, &all.items[i]);
        describe(p, &all.items[i], said);
        good = all.items[i].verdict != WAITS_FOR_EVER;
        if (good) {
            model_warn_of_link(p, *node, said);
        }
    }
    free(all.items);
    return good;
}
