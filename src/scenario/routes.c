/* Reads routing: roots, and static routes. */

#include "base/array.h"
#include "scenario/resolver.h"
#include "sim/nodes/kind.h"
#include "topo/port-names.h"

static bool
find_switch(struct resolver *r, const struct scn_node *n, const char *what, uint32_t *node)
{
    return scn_find_node(r, n, node) && (r->s->topo.nodes[*node].kind == TOPO_SWITCH ||
                                         scn_fail(n, r->err, "this is a host; %s", what));
}

static bool
add_root(struct resolver *r, const struct scn_node *n)
{
    uint32_t node;

    if (!find_switch(r, n, "a root must be a switch", &node)) {
        return false;
    }
    if (r->s->routing.kind == SCN_UP_DOWN) {
        topo_add_root(&r->s->topo, node);
    }
    return true;
}

/* Static routes. */

/* The number of links from a switch to hosts; 'with_one' counts only hosts that have no other. */
static uint32_t
count_hosts(const struct topo *t, uint32_t node, bool with_one)
{
    const struct topo_node *s = &t->nodes[node];
    uint32_t n = 0;

    for (uint32_t p = s->first_port; p < s->first_port + s->n_ports; p++) {
        uint32_t peer = topo_beyond(t, p);
        n += t->nodes[peer].kind == TOPO_NIC && !(with_one && topo_is_multi(t, peer));
    }
    return n;
}

static bool
refuse_switch(struct resolver *r, const struct scn_node *n, uint32_t node)
{
    const char *name = r->s->topo.nodes[node].name;

    return count_hosts(&r->s->topo, node, false)
               ? scn_fail(n, r->err,
                          "all hosts of %s have several ports, and a route to a switch is for its "
                          "hosts with one; name the host",
                          name)
               : scn_fail(n, r->err, "%s has no hosts; name a host, or a switch that has hosts",
                          name);
}

/* The target of a route: a host, or all hosts of another switch that have one port. */
static bool
find_target(struct resolver *r, const struct scn_node *n, uint32_t at, uint32_t *to)
{
    const struct topo *t = &r->s->topo;

    if (!scn_find_node(r, n, to)) {
        return false;
    }
    if (t->nodes[*to].kind == TOPO_SWITCH && !count_hosts(t, *to, true)) {
        return refuse_switch(r, n, *to);
    }
    return *to != at || scn_fail(n, r->err,
                                 "the hosts of %s are at its own ports; name one of them, as in "
                                 "to: H1, to send its packets elsewhere",
                                 t->nodes[*to].name);
}

static bool
find_next(struct resolver *r, const struct scn_node *n, uint32_t at, uint32_t *port)
{
    const struct topo *t = &r->s->topo;
    struct topo_end via, from = { at, NULL };

    if (!scn_find_end(r, n, &via)) {
        return false;
    }
    bool is_own = via.node == at && via.port;
    if (!is_own && t->nodes[via.node].kind == TOPO_SWITCH &&
        topo_port_to(t, at, via.node) == TOPO_NONE) {
        return scn_fail(n, r->err,
                        "there is no link from %s to %s; a static route must lead to a neighbour",
                        t->nodes[at].name, t->nodes[via.node].name);
    }
    if (!scn_join_ends(r, n, is_own ? &via : &from, is_own ? NULL : &via, port)) {
        return false;
    }
    return t->nodes[topo_beyond(t, *port)].kind == TOPO_SWITCH ||
           scn_fail(n, r->err, "this is a host; a host does not forward packets");
}

static bool
check_first(struct resolver *r, const struct scn_node *n, uint32_t at, uint32_t to)
{
    const struct topo *t = &r->s->topo;

    for (size_t i = 0; i < t->n_statics; i++) {
        if (t->statics[i].to == to && t->ports[t->statics[i].port].node == at) {
            return scn_fail(n, r->err, "%s already has a static route to %s", t->nodes[at].name,
                            t->nodes[to].name);
        }
    }
    return true;
}

static bool
add_static(struct resolver *r, const struct scn_node *n)
{
    struct scenario *s = r->s;
    uint32_t at, to, port;

    if (!scn_expect_kind(r, n, SCN_MAP, "expected a route, as in {at: S1, to: H3, via: S2}") ||
        !scn_read_map(r, n, &scn_static_table, NULL) ||
        !find_switch(r, scn_child(n, "at"), "a static route must be at a switch", &at) ||
        !find_target(r, scn_child(n, "to"), at, &to) ||
        !find_next(r, scn_child(n, "via"), at, &port) || !check_first(r, n, at, to)) {
        return false;
    }
    topo_add_static(&s->topo, to, port);
    ARRAY_PUSH(s->static_places, s->n_static_places, s->max_static_places) = scn_place_of(r, n);
    return true;
}

/* The error is at the wrong parameter, if the scenario sets it. */
static bool
check_choice(struct resolver *r, const struct scn_node *routing)
{
    const struct sim_path_choice *choice = sim_path_choice_at(r->s->routing.paths);
    const char *at = NULL;
    struct err err;

    return !choice->check || choice->check(r->s->routing.path_params, &at, &err) ||
           scn_fail(scn_child_or_map(routing, at), r->err, "%s", err.text);
}

bool
scn_route(struct resolver *r)
{
    const struct scn_node *routing = scn_child(r->root, "routing");

    if (!check_choice(r, routing) || !scn_read_words(r, routing, "roots", add_root) ||
        !scn_read_items(r, routing, "static", add_static)) {
        return false;
    }
    if (r->s->routing.kind == SCN_UP_DOWN && !r->s->topo.n_roots) {
        topo_add_top_roots(&r->s->topo);
    }
    topo_route(&r->s->topo);
    return true;
}
