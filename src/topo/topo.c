/* Builds and checks networks of nodes, links and ports. */

#include "topo/topo.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

uint32_t
topo_add_node(struct topo *t, enum topo_kind kind, const char *name)
{
    struct topo_node node = { .kind = kind, .leaf = TOPO_NONE };

    snprintf(node.name, sizeof node.name, "%s", name);
    node.index = kind == TOPO_SWITCH ? t->n_switches++ : t->n_nics++;
    ARRAY_PUSH(t->nodes, t->n_nodes, t->max_nodes) = node;
    free(t->by_name);
    t->by_name = NULL;
    return (uint32_t)t->n_nodes - 1;
}

uint32_t
topo_add_link(struct topo *t, uint32_t a, uint32_t b, const struct topo_link *like)
{
    struct topo_link link = *like;

    link.node[0] = a;
    link.node[1] = b;
    t->nodes[a].n_ports++;
    t->nodes[b].n_ports++;
    ARRAY_PUSH(t->links, t->n_links, t->max_links) = link;
    return (uint32_t)t->n_links - 1;
}

void
topo_make_parallel(struct topo *t, uint32_t n)
{
    struct topo_link *links = t->links;
    size_t n_links = t->n_links;

    if (n == 1) {
        return;
    }
    t->links = NULL;
    t->n_links = t->max_links = 0;
    for (size_t i = 0; i < t->n_nodes; i++) {
        t->nodes[i].n_ports = 0;
    }
    for (size_t i = 0; i < n_links; i++) {
        for (uint32_t k = topo_joins_switches(t, &links[i]) ? n : 1; k > 0; k--) {
            topo_add_link(t, links[i].node[0], links[i].node[1], &links[i]);
        }
    }
    free(links);
}

static int
by_name(const void *a, const void *b)
{
    const struct topo_name *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->node > y->node) - (x->node < y->node);
}

void
topo_index_names(struct topo *t)
{
    free(t->by_name);
    t->by_name = array_new(t->n_nodes, sizeof *t->by_name);
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        t->by_name[i] = (struct topo_name){ t->nodes[i].name, i };
    }
    qsort(t->by_name, t->n_nodes, sizeof *t->by_name, by_name);
}

static void
number_ports(struct topo *t)
{
    uint32_t *used = array_new(t->n_nodes, sizeof *used);
    uint32_t next = 0;

    for (size_t i = 0; i < t->n_nodes; i++) {
        t->nodes[i].first_port = next;
        next += t->nodes[i].n_ports;
    }
    t->n_ports = next;
    t->ports = array_new(next, sizeof *t->ports);
    for (size_t i = 0; i < t->n_links; i++) {
        struct topo_link *l = &t->links[i];
        for (int end = 0; end < 2; end++) {
            uint32_t number = used[l->node[end]]++;
            l->port[end] = t->nodes[l->node[end]].first_port + number;
            t->ports[l->port[end]] = (struct topo_port){ .node = l->node[end],
                                                         .link = (uint32_t)i,
                                                         .number = (uint16_t)number };
        }
        t->ports[l->port[0]].peer = l->port[1];
        t->ports[l->port[1]].peer = l->port[0];
    }
    free(used);
}

/* A port is parallel if another port of its node leads to the same peer. */
static void
find_parallel(struct topo *t)
{
    uint32_t *seen = array_new(t->n_nodes, sizeof *seen); /* [node]: 1 plus a port that leads to it;
                                                           * 0: none. */

    for (uint32_t p = 0; p < t->n_ports; p++) {
        uint32_t peer = topo_beyond(t, p), before = seen[peer];
        if (before && t->ports[before - 1].node == t->ports[p].node) {
            t->ports[before - 1].is_parallel = t->ports[p].is_parallel = true;
        }
        seen[peer] = p + 1;
    }
    free(seen);
}

static uint32_t
add_leaf(struct topo *t, uint32_t node, uint32_t nic)
{
    uint32_t leaf = t->n_leaves, n = leaf;

    ARRAY_PUSH(t->leaf_nics, n, t->max_leaf_nics) = nic;
    ARRAY_PUSH(t->leaves, t->n_leaves, t->max_leaves) = node;
    return leaf;
}

static bool
check_links_of(const struct topo *t, uint32_t nic, struct err *err)
{
    const struct topo_node *n = &t->nodes[nic];

    if (!n->n_ports || n->n_ports > TOPO_MAX_NIC_PORTS) {
        return err_set(err, "host %s has %u links; a host must have 1 to %d", n->name, n->n_ports,
                       TOPO_MAX_NIC_PORTS);
    }
    for (uint32_t p = n->first_port; p < n->first_port + n->n_ports; p++) {
        const struct topo_node *peer = &t->nodes[topo_beyond(t, p)];
        if (peer->kind != TOPO_SWITCH) {
            return err_set(err, "host %s is linked to host %s; a host must be linked to a switch",
                           n->name, peer->name);
        }
    }
    return true;
}

static bool
find_leaves(struct topo *t, struct err *err)
{
    uint32_t *leaf_of = array_new(t->n_nodes, sizeof *leaf_of); /* [node]: 1 plus its leaf; 0: none
                                                                 * yet. */
    bool good = true;

    for (size_t i = 0; i < t->n_nodes && good; i++) {
        struct topo_node *nic = &t->nodes[i];
        if (nic->kind != TOPO_NIC) {
            continue;
        }
        good = check_links_of(t, (uint32_t)i, err);
        if (!good) {
            break;
        }
        uint32_t peer = topo_beyond(t, nic->first_port);
        if (nic->n_ports > 1) {
            nic->leaf = add_leaf(t, peer, (uint32_t)i);
            ARRAY_PUSH(t->multi, t->n_multi, t->max_multi) = (uint32_t)i;
            continue;
        }
        if (!leaf_of[peer]) {
            leaf_of[peer] = add_leaf(t, peer, TOPO_NONE) + 1;
        }
        nic->leaf = leaf_of[peer] - 1;
    }
    free(leaf_of);
    return good;
}

/* Sets the tiers of all nodes: a NIC is on tier 0, its switch on tier 1. */
static bool
set_tiers(struct topo *t)
{
    uint32_t *from_leaf = array_new(t->n_nodes, sizeof *from_leaf);

    topo_find_tiers(t, from_leaf);
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        bool is_nic = t->nodes[i].kind == TOPO_NIC;
        t->nodes[i].tier = is_nic ? 0 : from_leaf[i] == TOPO_NONE ? TOPO_NONE : from_leaf[i] + 1;
    }
    free(from_leaf);
    return true;
}

bool
topo_finish(struct topo *t, struct err *err)
{
    topo_index_names(t);
    number_ports(t);
    find_parallel(t);
    for (size_t i = 0; i < t->n_nodes; i++) {
        uint32_t part = t->nodes[i].part;
        t->n_parts = part + 1 > t->n_parts ? part + 1 : t->n_parts;
    }
    return find_leaves(t, err) && set_tiers(t);
}

void
topo_add_static(struct topo *t, uint32_t to, uint32_t port)
{
    struct topo_node *node = &t->nodes[to];

    assert(t->ports[port].node != to);
    if (node->kind == TOPO_NIC && t->leaf_nics[node->leaf] != to) {
        node->leaf = add_leaf(t, topo_switch_of(t, to), to);
    }
    ARRAY_PUSH(t->statics, t->n_statics, t->max_statics) = (struct topo_static){ to, port };
}

void
topo_free(struct topo *t)
{
    for (size_t i = 0; i < t->n_links; i++) {
        free(t->links[i].name);
    }
    free(t->nodes);
    free(t->links);
    free(t->ports);
    free(t->leaves);
    free(t->leaf_nics);
    free(t->by_name);
    free(t->multi);
    free(t->far);
    free(t->roots);
    free(t->statics);
    free(t->routes);
    free(t->groups);
    free(t->choices);
    *t = (struct topo){ 0 };
}

uint32_t
topo_find_node(const struct topo *t, const char *name)
{
    size_t low = 0;

    ARRAY_SEARCH(low, t->by_name ? t->n_nodes : 0, strcmp(t->by_name[middle].name, name) < 0);
    bool found = t->by_name && low < t->n_nodes && !strcmp(t->by_name[low].name, name);
    return found ? t->by_name[low].node : TOPO_NONE;
}

uint32_t
topo_port_to(const struct topo *t, uint32_t node, uint32_t next)
{
    const struct topo_node *n = &t->nodes[node];
    for (uint32_t p = n->first_port; p < n->first_port + n->n_ports; p++) {
        if (topo_beyond(t, p) == next) {
            return p;
        }
    }
    return TOPO_NONE;
}

void
topo_path_add(struct topo_path *path, uint32_t node)
{
    ARRAY_PUSH(path->nodes, path->n, path->max) = node;
}

void
topo_path_free(struct topo_path *path)
{
    free(path->nodes);
    *path = (struct topo_path){ 0 };
}
