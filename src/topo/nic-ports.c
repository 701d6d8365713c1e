/* NICs with several ports: finds the ports on which packets reach them, and the ports through which
 * they send to a leaf. */

#include "topo/search.h"

/* The distance of a path along static routes, which is greater than that of any other path. */
enum { BY_STATIC_ROUTES = 254 };

uint32_t
topo_nearest_ports(const struct topo *t, uint32_t nic, topo_far *far, const void *arg)
{
    const struct topo_node *n = &t->nodes[nic];
    uint32_t ports = 0, least = TOPO_NONE;

    for (uint32_t i = 0; i < n->n_ports; i++) {
        uint32_t port = n->first_port + i;
        uint32_t away = topo_is_live(t, port) ? far(arg, topo_beyond(t, port)) : TOPO_NONE;
        if (away < least) {
            least = away;
            ports = 0;
        }
        ports |= away == least && away != TOPO_NONE ? 1u << i : 0;
    }
    return ports;
}

static uint32_t
far_by_search(const void *search, uint32_t node)
{
    const struct topo_search *s = search;
    uint32_t at = s->topo->nodes[node].index;

    return s->distance[at] != TOPO_NONE            ? topo_search_hops(s, at)
           : s->fixed && s->fixed[at] != TOPO_NONE ? BY_STATIC_ROUTES
                                                   : TOPO_NONE;
}

uint32_t
topo_search_nic_ports(const struct topo_search *s, uint32_t nic)
{
    return topo_nearest_ports(s->topo, nic, far_by_search, s);
}

uint8_t
topo_search_far(const struct topo_search *s, uint32_t at)
{
    uint32_t away = far_by_search(s, s->node[at]);

    return away == TOPO_NONE ? TOPO_NO_WAY
                             : (uint8_t)(away < BY_STATIC_ROUTES ? away : BY_STATIC_ROUTES);
}

struct far_to {
    const struct topo *t;
    uint32_t leaf;
};

static uint32_t
far_by_table(const void *arg, uint32_t node)
{
    const struct far_to *to = arg;
    const struct topo *t = to->t;
    uint8_t away = t->far[(size_t)t->nodes[node].index * t->n_leaves + to->leaf];

    return away == TOPO_NO_WAY ? TOPO_NONE : away;
}

uint32_t
topo_nic_ports(const struct topo *t, uint32_t nic, uint32_t leaf)
{
    const struct far_to to = { t, leaf };

    return t->nodes[nic].n_ports == 1 ? 1 : topo_nearest_ports(t, nic, far_by_table, &to);
}

bool
topo_nic_is_at(const struct topo *t, uint32_t nic, uint32_t node)
{
    const struct topo_node *n = &t->nodes[nic];

    for (uint32_t p = n->first_port; p < n->first_port + n->n_ports; p++) {
        if (topo_beyond(t, p) == node) {
            return true;
        }
    }
    return false;
}

bool
topo_nic_is_live(const struct topo *t, uint32_t nic)
{
    const struct topo_node *n = &t->nodes[nic];
    bool is = false;

    for (uint32_t p = n->first_port; p < n->first_port + n->n_ports; p++) {
        is |= topo_is_live(t, p);
    }
    return is;
}

bool
topo_nics_meet(const struct topo *t, uint32_t nic, uint32_t other)
{
    const struct topo_node *n = &t->nodes[nic];
    bool is = false;

    for (uint32_t p = n->first_port; p < n->first_port + n->n_ports; p++) {
        is |= topo_nic_is_at(t, other, topo_beyond(t, p));
    }
    return is;
}
