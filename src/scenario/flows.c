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

    return topo_is_connected(t, f->from, f->to) ||
           scn_fail(n, r->err,
                    t->n_roots > 1 ? "there is no path from %s to %s that goes up and then down; "
                                     "a single root reaches every connected host"
                                   : "there is no path from %s to %s: the network is not connected",
                    t->nodes[f->from].name, t->nodes[f->to].name);
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

/* Which NIC a flow of hosts with several takes, if it names none: drawn by the seed and its place
 * in the list, and the same at both ends. */
static bool
read_nic(struct resolver *r, const struct scn_node *flow, uint64_t *number)
{
    const struct weir_field nic = { "nic", WEIR_COUNT, .max = UINT16_MAX };
    const struct scn_node *n = scn_child(flow, "nic");
    uint64_t state = r->s->run.seed + r->s->n_flows;

    *number = weir_random(&state) >> 32;
    return !n || scn_read_value(r, n, &nic, number);
}

static bool
find_nic(struct resolver *r, const struct scn_node *flow, const char *key, uint64_t number,
         uint32_t *node)
{
    const struct scn_node *word = scn_child(flow, key), *nic = scn_child(flow, "nic");
    uint32_t n_nics = word->kind == SCN_WORD ? topo_n_nics_of(&r->s->topo, word->word) : 0;

    if (!n_nics) {
        return scn_find_host(r, word, node);
    }
    if (nic && number >= n_nics) {
        return scn_fail(nic, r->err, "%s has %u NICs, numbered from 0", word->word, n_nics);
    }
    *node = topo_nic_of(&r->s->topo, word->word, (uint32_t)(number % n_nics));
    return true;
}

static bool
find_ends(struct resolver *r, const struct scn_node *n, struct scn_flow *f)
{
    uint64_t number;

    return read_nic(r, n, &number) && find_nic(r, n, "from", number, &f->from) &&
           find_nic(r, n, "to", number, &f->to);
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
