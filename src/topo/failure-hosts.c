/* The dependencies that failures of links of hosts with several ports add to the graph. */

#include "topo/failure-deps.h"

static uint32_t
leaf_nic(const struct failure_deps *g, uint32_t part)
{
    return g->d->net.leaf_nics[g->parts[part].leaf];
}

static bool
is_sender(const struct failure_deps *g, uint32_t part, uint32_t nic)
{
    const struct depend_part *p = &g->parts[part];
    bool is = !p->n_flows && nic != leaf_nic(g, part);

    for (uint32_t i = 0; i < p->n_flows && !is; i++) {
        is = g->d->traffic.flows[p->flows[i].flow].from == nic;
    }
    return is;
}

/* Whether the host of a link, with this link down, sends to a switch that has no packets of hosts
 * in 'from_hosts'.  The last search must have been the search to the leaf of the part. */
static bool
sends_elsewhere(struct failure_deps *g, uint32_t part, uint32_t link, const bool *from_hosts)
{
    const struct topo *t = &g->d->net;
    const struct topo_node *nic = &t->nodes[g->nic_of[link]];
    bool is = false;

    if (!is_sender(g, part, g->nic_of[link])) {
        return false;
    }
    failure_deps_set_down(g, link, true);
    for (uint32_t ports = topo_search_nic_ports(&g->d->s, g->nic_of[link]); ports;
         ports &= ports - 1) {
        uint32_t port = nic->first_port + (uint32_t)__builtin_ctz(ports);
        is |= !from_hosts[t->nodes[topo_beyond(t, port)].index];
    }
    failure_deps_set_down(g, link, false);
    return is;
}

/* Whether packets to the leaf take new paths, or begin at another switch, if a link fails. */
static bool
matters(struct failure_deps *g, uint32_t part, uint32_t link, const bool *from_hosts)
{
    return g->nic_of[link] != TOPO_NONE &&
           (g->nic_of[link] == leaf_nic(g, part) || sends_elsewhere(g, part, link, from_hosts));
}

/* Repeats the search of the part, because the trial of a second link has left the results of
 * another search. */
static void
search_present(struct failure_deps *g, uint32_t part)
{
    depend_open_part(g->d, &g->parts[part]);
}

void
failure_hosts_try_after(struct failure_deps *g, uint32_t part, uint32_t first)
{
    search_present(g, part);
    for (uint32_t b = 0; b < g->n_links; b++) {
        if (b != first && matters(g, part, b, g->d->from_hosts)) {
            failure_deps_set_down(g, b, true);
            failure_deps_search_pair(g, part, first, b);
            failure_deps_set_down(g, b, false);
            search_present(g, part);
        }
    }
}

/* Fails a link of a host, and then together with it each other link that matters. */
static void
try_host_link(struct failure_deps *g, uint32_t part, uint32_t a, bool of_pairs)
{
    failure_deps_set_down(g, a, true);
    failure_deps_search_again(g, part, a, &g->alone);
    if (of_pairs) {
        failure_deps_keep_flood(g, part);
        failure_deps_try_only(g, part, a);
        failure_hosts_try_after(g, part, a);
    }
    failure_deps_set_down(g, a, false);
    failure_deps_keep_flood(g, part);
}

/* With two of its links down, a host with three or more may send to a switch to which it sends
 * with neither of them down alone. */
static void
try_both_of_host(struct failure_deps *g, uint32_t part, uint32_t a)
{
    const struct topo *t = &g->d->net;
    const struct topo_node *nic = &t->nodes[g->nic_of[a]];

    for (uint32_t p = nic->first_port; p < nic->first_port + nic->n_ports; p++) {
        uint32_t b = g->number[t->ports[p].link];
        failure_deps_set_down(g, a, true);
        bool is_new = b != TOPO_NONE && b > a && sends_elsewhere(g, part, b, g->from_hosts);
        if (is_new) {
            failure_deps_set_down(g, b, true);
            failure_deps_search_pair(g, part, a, b);
            failure_deps_set_down(g, b, false);
        }
        failure_deps_set_down(g, a, false);
        if (is_new) {
            search_present(g, part);
        }
    }
}

void
failure_hosts_find(struct failure_deps *g, uint32_t part, bool of_pairs)
{
    if (!g->n_host_links) {
        return;
    }
    search_present(g, part);
    for (uint32_t a = 0; a < g->n_links; a++) {
        if (matters(g, part, a, g->from_hosts)) {
            try_host_link(g, part, a, of_pairs);
        } else if (of_pairs && g->nic_of[a] != TOPO_NONE) {
            try_both_of_host(g, part, a);
        }
    }
}
