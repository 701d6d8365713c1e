/* All shortest paths.  A search from each leaf gives every switch its distance; the ports that come
 * nearer by one are its choices.  Equal sets of choices at one switch are one group. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "topo/topo.h"

struct search {
    uint32_t *distance; /* [node]. */
    uint32_t *queue;
};

static void
search_from(const struct topo *t, uint32_t leaf, struct search *s)
{
    size_t head = 0, n = 0;

    memset(s->distance, 0xff, t->n_nodes * sizeof *s->distance);
    s->distance[leaf] = 0;
    s->queue[n++] = leaf;
    while (head < n) {
        uint32_t at = s->queue[head++];
        const struct topo_node *node = &t->nodes[at];
        for (uint32_t p = node->first_port; p < node->first_port + node->n_ports; p++) {
            uint32_t next = t->ports[t->ports[p].peer].node;
            bool usable = !t->links[t->ports[p].link].failed && t->nodes[next].kind == TOPO_SWITCH;
            if (usable && s->distance[next] == TOPO_NONE) {
                s->distance[next] = s->distance[at] + 1;
                s->queue[n++] = next;
            }
        }
    }
}

static uint32_t
list_choices(const struct topo *t, uint32_t at, const struct search *s, uint16_t *choices)
{
    const struct topo_node *node = &t->nodes[at];
    uint32_t n = 0;

    for (uint32_t p = node->first_port; p < node->first_port + node->n_ports; p++) {
        uint32_t next = t->ports[t->ports[p].peer].node;
        if (!t->links[t->ports[p].link].failed && s->distance[next] != TOPO_NONE &&
            s->distance[next] + 1 == s->distance[at]) {
            choices[n++] = (uint16_t)t->ports[p].number;
        }
    }
    return n;
}

/* The group with these choices, among those that the switch has from 'first' on; made if new. */
static uint32_t
find_group(struct topo *t, size_t first, const uint16_t *choices, uint32_t n)
{
    for (size_t g = first; g < t->n_groups; g++) {
        if (t->groups[g].n == n &&
            !memcmp(&t->choices[t->groups[g].first], choices, n * sizeof *choices)) {
            return (uint32_t)g;
        }
    }
    ARRAY_PUSH(t->groups, t->n_groups, t->max_groups) =
        (struct topo_group){ (uint32_t)t->n_choices, n };
    for (uint32_t i = 0; i < n; i++) {
        ARRAY_PUSH(t->choices, t->n_choices, t->max_choices) = choices[i];
    }
    return (uint32_t)t->n_groups - 1;
}

/* Groups of one switch must stand together to be found, so distances of all leaves come first. */
void
topo_route(struct topo *t)
{
    size_t n_cells = (size_t)t->n_switches * t->n_leaves;
    struct search s = { malloc((t->n_nodes + 1) * sizeof(uint32_t)),
                        malloc((t->n_nodes + 1) * sizeof(uint32_t)) };
    uint16_t *choices = malloc((t->n_ports + 1) * sizeof *choices);
    uint32_t *distances = malloc((t->n_nodes * (size_t)t->n_leaves + 1) * sizeof *distances);

    free(t->routes);
    t->routes = malloc((n_cells + 1) * sizeof *t->routes);
    t->n_groups = t->n_choices = 0;
    for (uint32_t leaf = 0; leaf < t->n_leaves; leaf++) {
        search_from(t, t->leaves[leaf], &s);
        memcpy(distances + leaf * t->n_nodes, s.distance, t->n_nodes * sizeof *distances);
    }
    for (uint32_t at = 0; at < t->n_nodes; at++) {
        size_t first = t->n_groups;
        for (uint32_t leaf = 0; t->nodes[at].kind == TOPO_SWITCH && leaf < t->n_leaves; leaf++) {
            struct search to_leaf = { .distance = distances + leaf * t->n_nodes };
            uint32_t n = list_choices(t, at, &to_leaf, choices);
            t->routes[(size_t)t->nodes[at].index * t->n_leaves + leaf] =
                n ? find_group(t, first, choices, n) : TOPO_NONE;
        }
    }
    free(s.distance);
    free(s.queue);
    free(choices);
    free(distances);
}

bool
topo_is_connected(const struct topo *t, uint32_t from, uint32_t to)
{
    const struct topo_node *a = &t->nodes[from], *b = &t->nodes[to];
    size_t row = t->nodes[t->leaves[a->leaf]].index;

    if (t->links[t->ports[a->first_port].link].failed ||
        t->links[t->ports[b->first_port].link].failed) {
        return false;
    }
    return a->leaf == b->leaf || t->routes[row * t->n_leaves + b->leaf] != TOPO_NONE;
}
