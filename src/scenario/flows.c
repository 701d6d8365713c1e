/* Reads flows, with their ends, paths, sizes and rates, and hosts that stall. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scenario/resolver.h"
#include "topo/port-names.h"

bool
scn_find_host(struct resolver *r, const struct scn_node *word, uint32_t *node)
{
    return scn_find_node(r, word, node) &&
           (r->s->topo.nodes[*node].kind == TOPO_NIC ||
            scn_fail(word, r->err, "this is a switch; a flow must run from host to host"));
}

/* Reads a switch of a pinned path; S1:2 also names the port by which the path continues. */
static bool
find_switch(struct resolver *r, const struct scn_node *n, struct topo_end *end)
{
    return scn_find_end(r, n, end) && (r->s->topo.nodes[end->node].kind == TOPO_SWITCH ||
                                       scn_fail(n, r->err, "this is a host; 'via' lists switches"));
}

/* Finds the port of one hop of a pinned path. */
static bool
find_hop(struct resolver *r, const struct scn_node *n, const struct topo_end *at, uint32_t next,
         uint32_t *port)
{
    const struct topo *t = &r->s->topo;
    const struct topo_end end = { next, NULL };
    struct topo_ends ends;

    if (t->nodes[at->node].kind == TOPO_NIC && topo_port_to(t, at->node, next) != TOPO_NONE) {
        *port = topo_port_to(t, at->node, next); /* Any link of a host to the first switch. */
        return true;
    }
    if (!scn_join_ends(r, n, at, &end, port)) {
        return false;
    }
    ends = topo_name_ends(t, *port);
    return topo_is_live(t, *port) ||
           scn_fail(n, r->err, "the link from %s to %s has failed", ends.here, ends.there);
}

enum { MAX_PATH = 255 }; /* Hops fit a byte. */

/* Converts the switches of a path to their output ports. */
static bool
read_path(struct resolver *r, const struct scn_node *via, struct scn_flow *f)
{
    struct topo_end at = { f->from, NULL };

    if (!scn_expect_kind(r, via, SCN_LIST, "expected switches, as in [S1, S2]")) {
        return false;
    }
    if (via->n_children > MAX_PATH) {
        return scn_fail(via, r->err, "the path has %zu switches; at most %d are allowed",
                        via->n_children, MAX_PATH);
    }
    f->path = array_new(via->n_children, sizeof *f->path);
    for (size_t i = 0; i <= via->n_children; i++) {
        const struct scn_node *n = i < via->n_children ? via->children[i] : via;
        struct topo_end next = { f->to, NULL };
        uint32_t port;
        if (i < via->n_children && !find_switch(r, n, &next)) {
            return false;
        }
        if (!find_hop(r, n, &at, next.node, &port)) {
            return false;
        }
        uint16_t number = r->s->topo.ports[port].number;
        if (i) {
            f->path[f->n_path++] = number;
        } else {
            f->from_port = (uint8_t)number;
        }
        at = next;
    }
    return true;
}

static bool
check_routed(struct resolver *r, const struct scn_node *n, const struct scn_flow *f)
{
    const struct topo *t = &r->s->topo;
    const char *from = t->nodes[f->from].name, *to = t->nodes[f->to].name;

    if (topo_is_connected(t, f->from, f->to)) {
        return true;
    }
    if (t->n_roots > 1) {
        return scn_fail(n, r->err,
                        "there is no path from %s to %s that goes up and then down; a single root "
                        "reaches every connected host",
                        from, to);
    }
    uint32_t nic = topo_joined_sibling(t, f->from, f->to);
    return nic == TOPO_NONE
               ? scn_fail(n, r->err, "there is no path from %s to %s: the network is not connected",
                          from, to)
               : scn_fail(n, r->err,
                          "there is no path from %s to %s: their rails or planes are separate; "
                          "%s has a path to %s",
                          from, to, t->nodes[nic].name, to);
}

static bool
read_flow_name(struct resolver *r, const struct scn_node *name, struct scn_flow *f)
{
    char text[SCN_NAME_BYTES];

    snprintf(text, sizeof text, "%s-%s", r->s->topo.nodes[f->from].name,
             r->s->topo.nodes[f->to].name);
    if (name && !scn_read_text(r, name, "a flow's name", text, sizeof text)) {
        return false;
    }
    f->name = strdup(text);
    return true;
}

const char *
scn_flow_name(const struct scenario *s, size_t flow, char room[SCN_NAME_BYTES])
{
    const struct scn_flow found = scn_flow_at(s, flow), *f = &found;

    if (f->name) {
        return f->name;
    }
    snprintf(room, SCN_NAME_BYTES, "%s-%s#%zu", s->topo.nodes[f->from].name,
             s->topo.nodes[f->to].name, flow);
    return room;
}

bool
scn_check_class(struct resolver *r, const struct scn_node *map, const char *key, uint64_t cls)
{
    return cls < r->s->wire.classes ||
           scn_fail(scn_child_or_map(map, key), r->err,
                    "there is no class %llu: wire.classes is %llu, and classes count from 0",
                    (unsigned long long)cls, (unsigned long long)r->s->wire.classes);
}

/* An end of a flow: a host, or a server with several NICs, of which the flow uses one. */
struct flow_end {
    const struct scn_node *word;
    uint32_t n_nics; /* 0: a host. */
};

static struct flow_end
end_of(const struct resolver *r, const struct scn_node *flow, const char *key)
{
    const struct scn_node *word = scn_child(flow, key);

    return (struct flow_end){ word, word->kind == SCN_WORD ? topo_n_nics_of(&r->s->topo, word->word)
                                                           : 0 };
}

/* The number of NICs that the servers have, or the smaller of two numbers; 0: both ends are hosts.
 */
static uint32_t
fewest_nics(const struct flow_end ends[2])
{
    uint32_t a = ends[0].n_nics, b = ends[1].n_nics;

    return a && (!b || a < b) ? a : b;
}

/* A NIC that the seed and the place of the flow in the list choose.  The seed is mixed first, as
 * the draws of neighbouring seeds would otherwise be the same, one place apart. */
static uint32_t
draw_nic(const struct resolver *r, uint32_t n_nics)
{
    uint64_t state = r->s->run.seed;

    state = weir_random(&state) + r->s->n_flows;
    return (uint32_t)((weir_random(&state) >> 32) % n_nics);
}

static bool
read_nic(struct resolver *r, const struct scn_node *nic, const struct flow_end ends[2],
         uint64_t *number)
{
    const struct weir_field field = { "nic", WEIR_COUNT, .max = UINT16_MAX };

    if (!scn_read_value(r, nic, &field, number)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (ends[i].n_nics && *number >= ends[i].n_nics) {
            return scn_fail(nic, r->err, "%s has no NIC %llu; it has %u, numbered from 0",
                            ends[i].word->word, (unsigned long long)*number, ends[i].n_nics);
        }
    }
    return fewest_nics(ends) ||
           scn_fail(nic, r->err,
                    "nic chooses among the NICs of a server, and 'from' and 'to' are single "
                    "hosts here");
}

/* The number of the NIC at one end if only the other end is a server, or TOPO_NONE. */
static uint32_t
nic_of_peer(const struct resolver *r, const struct flow_end ends[2], const uint32_t nodes[2])
{
    for (int i = 0; i < 2; i++) {
        if (!ends[i].n_nics) {
            return topo_nic_number(&r->s->topo, nodes[i]);
        }
    }
    return TOPO_NONE;
}

/* Without 'nic', a server uses the rail of the NIC at the other end. */
static bool
choose_nic(struct resolver *r, const struct scn_node *flow, const struct flow_end ends[2],
           const uint32_t nodes[2], uint64_t *number)
{
    const struct scn_node *nic = scn_child(flow, "nic");
    uint32_t n_nics = fewest_nics(ends);

    if (nic) {
        return read_nic(r, nic, ends, number);
    }
    *number = nic_of_peer(r, ends, nodes);
    if (n_nics && *number >= n_nics) {
        *number = draw_nic(r, n_nics);
    }
    return true;
}

static bool
find_ends(struct resolver *r, const struct scn_node *n, struct scn_flow *f)
{
    const struct flow_end ends[2] = { end_of(r, n, "from"), end_of(r, n, "to") };
    uint32_t nodes[2];
    uint64_t number;

    for (int i = 0; i < 2; i++) {
        if (!ends[i].n_nics && !scn_find_host(r, ends[i].word, &nodes[i])) {
            return false;
        }
    }
    if (!choose_nic(r, n, ends, nodes, &number)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (ends[i].n_nics) {
            nodes[i] = topo_nic_of(&r->s->topo, ends[i].word->word, (uint32_t)number);
        }
    }
    f->from = nodes[0];
    f->to = nodes[1];
    return true;
}

bool
scn_read_flow(struct resolver *r, const struct scn_node *n)
{
    ARRAY_PUSH(r->s->listed, r->s->n_listed_flows, r->s->max_listed) = (struct scn_flow){ 0 };
    struct scn_flow *f = &r->s->listed[r->s->n_flows++];

    weir_fields_default(scn_flow_table.fields, f);
    f->transport = r->s->transport.kind;
    f->after = UINT32_MAX;
    f->place = scn_place_of(r, n);
    if (!scn_expect_kind(r, n, SCN_MAP, "expected a flow, as in {from: H1, to: H2}") ||
        !scn_read_map(r, n, &scn_flow_table, f) || !find_ends(r, n, f) ||
        !read_flow_name(r, scn_child(n, "name"), f)) {
        return false;
    }
    if (f->from == f->to) {
        return scn_fail(n, r->err, "a flow cannot go from a host to itself");
    }
    if (!scn_check_class(r, n, "class", f->cls)) {
        return false;
    }
    if (f->stop_ps <= f->start_ps) {
        return scn_fail(scn_child(n, "stop"), r->err,
                        "the flow stops before it starts: 'stop' must be later than 'start'");
    }
    const struct scn_node *via = scn_child(n, "via");
    return via ? read_path(r, via, f) : check_routed(r, n, f);
}

static bool
check_stall(struct resolver *r, const struct scn_node *n, const struct scn_stall *stall)
{
    if (stall->until_ps <= stall->from_ps) {
        return scn_fail(scn_child(n, "until"), r->err, "the stall ends before it begins");
    }
    return stall->cls == UINT64_MAX || scn_check_class(r, n, "class", stall->cls);
}

bool
scn_read_stall(struct resolver *r, const struct scn_node *n)
{
    struct scn_stall stall = { .place = scn_place_of(r, n) };
    struct scn_nics nics = { 0 };

    weir_fields_default(scn_stall_table.fields, &stall);
    bool good =
        scn_expect_kind(r, n, SCN_MAP, "expected a stall, as in {at: H1, from: 1ms, until: 2ms}") &&
        scn_read_map(r, n, &scn_stall_table, &stall) &&
        scn_add_nics(r, scn_child(n, "at"), &nics) && check_stall(r, n, &stall);
    for (size_t i = 0; i < nics.n && good; i++) {
        stall.node = nics.items[i];
        ARRAY_PUSH(r->s->stalls, r->s->n_stalls, r->s->max_stalls) = stall;
    }
    free(nics.items);
    return good;
}
