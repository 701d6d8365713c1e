/* Computes the quantities that HPCC's simulator takes from its network before a run: rates and
 * headroom of ports, and the longest round trip.  It reads the tree of a topology file before the
 * network is built; only building the network checks the file. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scenario/hpcc-config.h"
#include "weir/units.h"

extern const struct scn_format scn_hpcc;

enum { PS_PER_NS = 1000, HEADROOM_DELAYS = 3 };

/* The number of a node in the file, which follows the letter of its name. */
static uint32_t
number_of(const struct scn_node *name)
{
    return (uint32_t)strtoul(name->word + 1, NULL, 10);
}

static bool
read_link(struct resolver *r, struct scn_hpcc_net *net, const struct scn_node *n)
{
    const struct weir_field *fields = scn_link_table.fields;
    const struct scn_node *ends = scn_child(n, "ends");
    struct scn_hpcc_link *link = &ARRAY_PUSH(net->links, net->n_links, net->max_links);
    uint64_t delay_ps;

    for (size_t i = 0; i < 2; i++) {
        link->node[i] = number_of(ends->children[i]);
    }
    if (!scn_read_value(r, scn_child(n, "rate"), weir_field_find(fields, "rate"),
                        &link->rate_bps) ||
        !scn_read_value(r, scn_child(n, "delay"), weir_field_find(fields, "delay"), &delay_ps)) {
        return false;
    }
    link->delay_ns = delay_ps / PS_PER_NS;
    return true;
}

static struct scn_hpcc_rate *
rate_of(struct scn_hpcc_net *net, const struct scn_hpcc_link *link, uint64_t headroom_bytes)
{
    size_t at = 0;

    while (at < net->n_rates && net->rates[at].rate_bps < link->rate_bps) {
        at++;
    }
    if (at == net->n_rates || net->rates[at].rate_bps != link->rate_bps) {
        ARRAY_ROOM(net->rates, net->n_rates, net->max_rates);
        memmove(&net->rates[at + 1], &net->rates[at], (net->n_rates - at) * sizeof *net->rates);
        net->rates[at] = (struct scn_hpcc_rate){ link->rate_bps, headroom_bytes, false };
        net->n_rates++;
    }
    return &net->rates[at];
}

/* Counts a port of a switch.  Bytes are rounded before they are multiplied, as in HPCC's
 * simulator. */
static void
count_port(struct scn_hpcc_net *net, const struct scn_hpcc_link *link, uint32_t node)
{
    uint64_t flying = weir_mul_div(link->rate_bps, link->delay_ns, 8 * (uint64_t)1000000000);
    uint64_t headroom = HEADROOM_DELAYS * flying;
    struct scn_hpcc_rate *rate = rate_of(net, link, headroom);

    rate->has_several |= rate->headroom_bytes != headroom;
    rate->headroom_bytes = rate->headroom_bytes > headroom ? rate->headroom_bytes : headroom;
    net->own_bytes[node] += SCN_HPCC_RESERVE_BYTES + headroom;
}

static void
count_ports(struct scn_hpcc_net *net)
{
    uint32_t first_host = UINT32_MAX;

    for (size_t i = 0; i < net->n_links; i++) {
        const struct scn_hpcc_link *link = &net->links[i];
        for (size_t end = 0; end < 2; end++) {
            uint32_t node = link->node[end];
            if (net->is_switch[node]) {
                count_port(net, link, node);
            } else if (node < first_host) {
                first_host = node;
                net->nic_bps = link->rate_bps;
            }
        }
    }
}

static bool
read_tree(struct resolver *r, struct scn_hpcc_net *net, const struct scn_node *tree)
{
    const struct scn_node *switches = scn_child(tree, "switches");
    const struct scn_node *links = scn_child(tree, "links");

    net->n_nodes = (uint32_t)(switches->n_children + scn_child(tree, "hosts")->n_children);
    net->is_switch = array_new(net->n_nodes, sizeof *net->is_switch);
    net->own_bytes = array_new(net->n_nodes, sizeof *net->own_bytes);
    for (size_t i = 0; i < switches->n_children; i++) {
        net->is_switch[number_of(switches->children[i])] = true;
    }
    for (size_t i = 0; i < links->n_children; i++) {
        if (!read_link(r, net, links->children[i])) {
            return false;
        }
    }
    count_ports(net);
    return true;
}

bool
scn_hpcc_measure(struct resolver *r, const struct scn_source *source, struct scn_hpcc_net *net)
{
    struct scn_reading reading = { .source = source, .net = scn_import_new(source), .err = r->err };
    bool good = scn_hpcc.read(&reading) && read_tree(r, net, reading.net);

    scn_tree_free(reading.net);
    return good;
}

void
scn_hpcc_net_free(struct scn_hpcc_net *net)
{
    free(net->is_switch);
    free(net->own_bytes);
    free(net->links);
    free(net->rates);
}

/* Computes round-trip times from hosts to all others. */

struct trips {
    const struct scn_hpcc_net *net;
    uint64_t payload_bytes;
    uint32_t *first, *links; /* first[node] is the index of the node's first link in 'links'. */
    uint32_t *queue;
    uint64_t *trip_ns; /* [node]; UINT64_MAX: not reached yet. */
};

static uint64_t
link_ns(const struct trips *t, const struct scn_hpcc_link *link)
{
    return 2 * link->delay_ns +
           weir_mul_div(t->payload_bytes, 8 * (uint64_t)1000000000, link->rate_bps);
}

static void
list_links(struct trips *t)
{
    const struct scn_hpcc_net *net = t->net;

    for (size_t i = 0; i < 2 * net->n_links; i++) {
        t->first[net->links[i / 2].node[i % 2] + 1]++;
    }
    for (uint32_t node = 0; node < net->n_nodes; node++) {
        t->first[node + 1] += t->first[node];
    }
    uint32_t *next = array_new(net->n_nodes, sizeof *next);
    for (size_t i = 0; i < 2 * net->n_links; i++) {
        uint32_t node = net->links[i / 2].node[i % 2];
        t->links[t->first[node] + next[node]++] = (uint32_t)(i / 2);
    }
    free(next);
}

static uint32_t
other_end(const struct scn_hpcc_link *link, uint32_t node)
{
    return link->node[link->node[0] == node];
}

/* Whether two hosts have equal links to the same switches, in the same order.  Then the round trips
 * from both are equal. */
static bool
is_twin(const struct trips *t, uint32_t a, uint32_t b)
{
    uint32_t n = t->first[a + 1] - t->first[a];

    if (t->net->is_switch[b] || t->first[b + 1] - t->first[b] != n) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct scn_hpcc_link *x = &t->net->links[t->links[t->first[a] + i]];
        const struct scn_hpcc_link *y = &t->net->links[t->links[t->first[b] + i]];
        if (other_end(x, a) != other_end(y, b) || link_ns(t, x) != link_ns(t, y)) {
            return false;
        }
    }
    return true;
}

/* Breadth-first search: takes the first path found with the fewest links.  Hosts forward
 * nothing. */
static void
walk_from(struct trips *t, uint32_t host)
{
    uint32_t n = 0;

    memset(t->trip_ns, 0xff, t->net->n_nodes * sizeof *t->trip_ns);
    t->trip_ns[host] = 0;
    t->queue[n++] = host;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t now = t->queue[i];
        for (uint32_t k = t->first[now]; k < t->first[now + 1]; k++) {
            const struct scn_hpcc_link *link = &t->net->links[t->links[k]];
            uint32_t next = other_end(link, now);
            if (t->trip_ns[next] == UINT64_MAX) {
                t->trip_ns[next] = t->trip_ns[now] + link_ns(t, link);
                t->queue[n] = next;
                n += t->net->is_switch[next];
            }
        }
    }
}

static uint64_t
longest_from(struct trips *t, uint32_t host)
{
    uint64_t longest = 0;

    walk_from(t, host);
    for (uint32_t node = 0; node < t->net->n_nodes; node++) {
        uint64_t trip = t->trip_ns[node];
        if (!t->net->is_switch[node] && trip != UINT64_MAX && trip > longest) {
            longest = trip;
        }
    }
    return longest;
}

uint64_t
scn_hpcc_longest_rtt_ns(const struct scn_hpcc_net *net, uint64_t payload_bytes)
{
    struct trips t = { .net = net,
                       .payload_bytes = payload_bytes,
                       .first = array_new(net->n_nodes + 1, sizeof *t.first),
                       .links = array_new(2 * net->n_links, sizeof *t.links),
                       .queue = array_new(net->n_nodes, sizeof *t.queue),
                       .trip_ns = array_new(net->n_nodes, sizeof *t.trip_ns) };
    uint64_t longest = 0;

    list_links(&t);
    for (uint32_t node = 0; node < net->n_nodes; node++) {
        bool is_new = !net->is_switch[node] && !(node && is_twin(&t, node, node - 1));
        uint64_t here = is_new ? longest_from(&t, node) : 0;
        longest = here > longest ? here : longest;
    }
    free(t.first);
    free(t.links);
    free(t.queue);
    free(t.trip_ns);
    return longest;
}
