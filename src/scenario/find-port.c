/* Nodes and ports by the names that a scenario writes. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "scenario/resolver.h"
#include "topo/port-names.h"

/* Nodes whose names differ only in their number, such as L1 to L4. */
struct name_range {
    const char *first, *last;
};

enum { MAX_NAME_RANGES = 8 };

static bool
is_in_range(const struct name_range *range, const char *name)
{
    size_t n = strcspn(name, "0123456789");

    return n == strcspn(range->first, "0123456789") && !strncmp(range->first, name, n);
}

static size_t
find_ranges(const struct topo *t, struct name_range ranges[MAX_NAME_RANGES])
{
    size_t n = 0, at;

    for (size_t i = 0; i < t->n_nodes; i++) {
        const char *name = t->nodes[i].name;
        for (at = 0; at < n && !is_in_range(&ranges[at], name); at++) {
        }
        if (at < n) {
            ranges[at].last = name;
        } else if (n < MAX_NAME_RANGES) {
            ranges[n++] = (struct name_range){ name, name };
        }
    }
    return n;
}

/* "L1 to L4, S1 and H1 to H32" */
static void
add_ranges(struct weir_text *text, const struct topo *t)
{
    struct name_range ranges[MAX_NAME_RANGES];
    size_t n = find_ranges(t, ranges);

    for (size_t i = 0; i < n; i++) {
        bool is_one = ranges[i].first == ranges[i].last;
        weir_text_add(text, "%s%s%s%s",
                      i == 0      ? ""
                      : i + 1 < n ? ", "
                                  : " and ",
                      ranges[i].first, is_one ? "" : " to ", is_one ? "" : ranges[i].last);
    }
}

static bool
no_such_node(struct resolver *r, const struct scn_node *n)
{
    const struct topo *t = &r->s->topo;
    const char **names = array_new(t->n_nodes, sizeof *names);
    struct weir_text ranges = { 0 };
    char offer[200];

    for (size_t i = 0; i < t->n_nodes; i++) {
        names[i] = t->nodes[i].name;
    }
    text_offer(n->word, names, sizeof *names, t->n_nodes, offer, sizeof offer);
    free(names);
    if (!scn_topology_of(r->s)->build) {
        return scn_fail(n, r->err, "there is no node '%s'%s", n->word, offer);
    }
    add_ranges(&ranges, t);
    return scn_fail(n, r->err, "there is no node '%s'; there are %s", n->word, ranges.s);
}

static bool
unknown_node(struct resolver *r, const struct scn_node *n)
{
    const struct topo *t = &r->s->topo;
    uint32_t n_nics = topo_n_nics_of(t, n->word), link = topo_find_link(t, n->word);

    if (link != TOPO_NONE) {
        const struct topo_port *p = &t->ports[t->links[link].port[0]];
        return scn_fail(n, r->err, "'%s' is a link; expected a node, or its port %s:%s", n->word,
                        t->nodes[p->node].name, n->word);
    }
    if (n_nics) {
        return scn_fail(n, r->err, "%s has %u NICs; name one of them, %s:0 to %s:%u", n->word,
                        n_nics, n->word, n->word, n_nics - 1);
    }
    return no_such_node(r, n);
}

bool
scn_find_node(struct resolver *r, const struct scn_node *n, uint32_t *node)
{
    if (!scn_expect_kind(r, n, SCN_WORD, "expected the name of a node")) {
        return false;
    }
    *node = topo_find_node(&r->s->topo, n->word);
    return *node != TOPO_NONE || unknown_node(r, n);
}

static bool
add_nic(struct resolver *r, const struct scn_node *word, uint32_t nic, struct scn_nics *nics)
{
    if (r->s->topo.nodes[nic].kind != TOPO_NIC) {
        return scn_fail(word, r->err, "this is a switch; expected a host");
    }
    ARRAY_PUSH(nics->items, nics->n, nics->max) = nic;
    return true;
}

static bool
add_matching(struct resolver *r, const struct scn_node *pattern, struct scn_nics *nics)
{
    const struct topo *t = &r->s->topo;
    size_t n_before = nics->n;

    for (uint32_t i = 0; i < t->n_nodes; i++) {
        if (t->nodes[i].kind == TOPO_NIC && topo_is_like(t, i, pattern->word)) {
            ARRAY_PUSH(nics->items, nics->n, nics->max) = i;
        }
    }
    return nics->n > n_before ||
           scn_fail(pattern, r->err, "no host has a name like '%s'", pattern->word);
}

bool
scn_add_nics(struct resolver *r, const struct scn_node *word, struct scn_nics *nics)
{
    const struct topo *t = &r->s->topo;
    uint32_t node, n_nics = word->kind == SCN_WORD ? topo_n_nics_of(t, word->word) : 0;

    if (word->kind == SCN_WORD && strpbrk(word->word, "*?")) {
        return add_matching(r, word, nics);
    }
    for (uint32_t i = 0; i < n_nics; i++) {
        add_nic(r, word, topo_nic_of(t, word->word, i), nics);
    }
    return n_nics || (scn_find_node(r, word, &node) && add_nic(r, word, node, nics));
}

/* Ports. */

bool
scn_find_end(struct resolver *r, const struct scn_node *n, struct topo_end *end)
{
    return scn_expect_kind(r, n, SCN_WORD, "expected the name of a node") &&
           (topo_read_end(&r->s->topo, n->word, end) || unknown_node(r, n));
}

/* "[S1:2, S2:0] or [S1:3, S2:1]" */
static void
list_ports(struct weir_text *text, const struct topo *t, const uint32_t *ports, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct topo_port *p = &t->ports[ports[i]];
        weir_text_add(text, "%s[%s:%u, %s:%u]",
                      !i          ? ""
                      : i + 1 < n ? ", "
                                  : " or ",
                      t->nodes[p->node].name, p->number, t->nodes[t->ports[p->peer].node].name,
                      t->ports[p->peer].number);
    }
}

enum { MAX_LISTED = 4 };

static bool
several_ports(struct resolver *r, const struct scn_node *n, const uint32_t *ports, uint32_t n_ports)
{
    const struct topo *t = &r->s->topo;
    const struct topo_port *p = &t->ports[ports[0]];
    struct weir_text choices = { 0 };

    list_ports(&choices, t, ports, n_ports < MAX_LISTED ? n_ports : MAX_LISTED);
    return scn_fail(n, r->err, "%s has %u links to %s; choose one by its ports: %s%s",
                    t->nodes[p->node].name, n_ports, t->nodes[t->ports[p->peer].node].name,
                    choices.s, n_ports > MAX_LISTED ? ", and so on" : "");
}

static bool
no_port(struct resolver *r, const struct scn_node *n, const struct topo_end *from)
{
    const struct topo_node *node = &r->s->topo.nodes[from->node];

    if (node->n_ports == 1) {
        return scn_fail(n, r->err, "%s has no port '%s'; its only port is %s:0", node->name,
                        from->port, node->name);
    }
    return scn_fail(n, r->err, "%s has no port '%s'; its ports are %s:0 to %s:%u", node->name,
                    from->port, node->name, node->name, node->n_ports - 1);
}

/* No link joins two ends, as one has no such port, or as there is none between their nodes. */
static bool
no_link(struct resolver *r, const struct scn_node *n, const struct topo_end *from,
        const struct topo_end *to)
{
    const struct topo *t = &r->s->topo;
    const struct topo_end nodes[2] = { { from->node, NULL }, { to->node, NULL } };
    struct weir_text choices = { 0 };
    uint32_t ports[MAX_LISTED];
    uint32_t n_ports = topo_match_ports(t, &nodes[0], &nodes[1], ports, MAX_LISTED);

    if (!n_ports) {
        return scn_fail(n, r->err, "there is no link from %s to %s", t->nodes[from->node].name,
                        t->nodes[to->node].name);
    }
    list_ports(&choices, t, ports, n_ports < MAX_LISTED ? n_ports : MAX_LISTED);
    return scn_fail(n, r->err, "there is no link from %s%s%s to %s%s%s; write %s%s",
                    t->nodes[from->node].name, from->port ? ":" : "", from->port ? from->port : "",
                    t->nodes[to->node].name, to->port ? ":" : "", to->port ? to->port : "",
                    choices.s, n_ports > MAX_LISTED ? ", and so on" : "");
}

bool
scn_join_ends(struct resolver *r, const struct scn_node *n, const struct topo_end *from,
              const struct topo_end *to, uint32_t *port)
{
    uint32_t ports[MAX_LISTED];
    uint32_t n_ports = topo_match_ports(&r->s->topo, from, to, ports, MAX_LISTED);

    *port = n_ports ? ports[0] : TOPO_NONE;
    if (n_ports > 1) {
        return several_ports(r, n, ports, n_ports);
    }
    return n_ports || (to ? no_link(r, n, from, to) : no_port(r, n, from));
}

static bool
no_such_link(struct resolver *r, const struct scn_node *n, const char *what)
{
    const struct topo *t = &r->s->topo;
    const char **names = array_new(t->n_links, sizeof *names);
    char offer[200];

    for (size_t i = 0; i < t->n_links; i++) {
        names[i] = t->links[i].name ? t->links[i].name : "";
    }
    text_offer_near(n->word, names, sizeof *names, t->n_links, offer, sizeof offer);
    free(names);
    if (*offer) {
        return scn_fail(n, r->err, "there is no link '%s'%s", n->word, offer);
    }
    return scn_fail(n, r->err,
                    "there is no link '%s'; expected %s, or a port such as S1:2, or the name of a "
                    "link",
                    n->word, what);
}

/* "S1:2"; or "trunk-1", the first end of that link. */
static bool
find_port_by_word(struct resolver *r, const struct scn_node *n, const char *what, uint32_t *port)
{
    uint32_t link = topo_find_link(&r->s->topo, n->word);
    struct topo_end end;

    if (link != TOPO_NONE) {
        *port = r->s->topo.links[link].port[0];
        return true;
    }
    if (!topo_read_end(&r->s->topo, n->word, &end) && strchr(n->word, ':')) {
        return unknown_node(r, n);
    }
    if (!end.port) {
        return no_such_link(r, n, what);
    }
    return scn_join_ends(r, n, &end, NULL, port);
}

bool
scn_find_port(struct resolver *r, const struct scn_node *n, const char *what, uint32_t *port)
{
    struct topo_end from, to;

    if (n->kind == SCN_WORD) {
        return find_port_by_word(r, n, what, port);
    }
    if (n->kind != SCN_LIST || n->n_children != 2) {
        return scn_fail(n, r->err, "expected %s", what);
    }
    return scn_find_end(r, n->children[0], &from) && scn_find_end(r, n->children[1], &to) &&
           scn_join_ends(r, n, &from, &to, port);
}
