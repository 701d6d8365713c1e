/* Stations by Ethernet address: a table of learned stations, and a spanning tree for broadcast. */

#include "dataplane/stations.h"

#include <stdlib.h>

#include "base/array.h"
#include "packet/layout.h"
#include "topo/topo.h"

/* The table has few entries. A full bucket forgets the station that was silent for longest; frames
 * to it are then flooded, not lost. */
enum { N_BUCKETS = 1024, BUCKET = 4 };

/* The age at which stations are forgotten, as 802.1Q recommends (8.8.3). */
#define MAX_AGE_PS (300 * WEIR_PS_PER_S)

struct station {
    uint64_t address; /* 0: the entry is free. */
    weir_ps heard_ps;
    uint32_t port;
};

struct dp_stations {
    const struct topo *topo;
    uint32_t n_tree_ports;
    uint16_t *tree_ports;
    bool *is_learned_from; /* [port]: foreign stations are learned from its frames. */
    struct station heard[N_BUCKETS][BUCKET];
};

/* The spanning tree. */

/* Grows a tree by breadth-first search from a switch, over links that have not failed, in their
 * order. A host with several ports does not forward, so it is a leaf of the tree. up[node] is the
 * port towards the root; TOPO_NONE at the root. */
static void
grow_tree(const struct topo *t, uint32_t root, uint32_t *up, bool *is_in)
{
    uint32_t *queue = array_new(t->n_nodes, sizeof *queue), n = 0;

    is_in[root] = true;
    up[root] = TOPO_NONE;
    queue[n++] = root;
    for (uint32_t i = 0; i < n; i++) {
        const struct topo_node *from = &t->nodes[queue[i]];
        for (uint32_t port = from->first_port; port < from->first_port + from->n_ports; port++) {
            uint32_t peer = t->ports[port].peer, node = t->ports[peer].node;
            if (!t->links[t->ports[port].link].failed && !is_in[node]) {
                is_in[node] = true;
                up[node] = peer;
                queue[n] = node;
                n += t->nodes[node].kind == TOPO_SWITCH;
            }
        }
    }
    free(queue);
}

/* Removes hosts from the current tree, because a host with ports at switches that are not joined is
 * in the tree of each. */
static void
leave_hosts(const struct topo *t, bool *is_in)
{
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        is_in[i] &= t->nodes[i].kind == TOPO_SWITCH;
    }
}

/* Grows trees, one after another, until one has the node. */
static void
grow_trees(const struct topo *t, uint32_t node, uint32_t *up, bool *is_in)
{
    for (uint32_t i = 0; i < t->n_nodes && !is_in[node]; i++) {
        if (t->nodes[i].kind == TOPO_SWITCH && !is_in[i]) {
            leave_hosts(t, is_in);
            grow_tree(t, i, up, is_in);
        }
    }
}

static void
find_tree_ports(struct dp_stations *s, uint32_t node)
{
    const struct topo *t = s->topo;
    const struct topo_node *self = &t->nodes[node];
    uint32_t *up = array_new(t->n_nodes, sizeof *up);
    bool *is_in = array_new(t->n_nodes, sizeof *is_in);

    grow_trees(t, node, up, is_in);
    for (uint32_t i = 0; is_in[node] && i < self->n_ports; i++) {
        uint32_t port = self->first_port + i, peer = t->ports[port].peer;
        uint32_t other = t->ports[peer].node;
        bool is_in_tree = up[node] == port || (is_in[other] && up[other] == peer);
        if (is_in_tree) {
            s->tree_ports[s->n_tree_ports++] = (uint16_t)i;
        }
        s->is_learned_from[i] = is_in_tree || t->nodes[other].kind == TOPO_NIC;
    }
    free(is_in);
    free(up);
}

struct dp_stations *
dp_stations_new(const struct topo *topo, uint32_t node)
{
    struct dp_stations *s = array_new(1, sizeof *s);

    s->topo = topo;
    s->tree_ports = array_new(topo->nodes[node].n_ports, sizeof *s->tree_ports);
    s->is_learned_from = array_new(topo->nodes[node].n_ports, sizeof *s->is_learned_from);
    find_tree_ports(s, node);
    return s;
}

void
dp_stations_free(struct dp_stations *s)
{
    if (s) {
        free(s->tree_ports);
        free(s->is_learned_from);
        free(s);
    }
}

uint32_t
dp_stations_flood(const struct dp_stations *s, uint32_t in_port, uint16_t *ports)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->n_tree_ports; i++) {
        if (s->tree_ports[i] != in_port) {
            ports[n++] = s->tree_ports[i];
        }
    }
    return n;
}

/* The table of learned stations. */

static inline bool
is_group(uint64_t address)
{
    return address >> 40 & 1;
}

/* The index of the NIC of the model with an address; TOPO_NONE: no NIC has it. */
static inline uint32_t
nic_of(const struct topo *t, uint64_t address)
{
    uint32_t node = (uint32_t)(address >> 16) & 0xffffff;
    bool is_nic =
        node < t->n_nodes && address == nic_address(node) && t->nodes[node].kind == TOPO_NIC;

    return is_nic ? t->nodes[node].index : TOPO_NONE;
}

static inline struct station *
bucket_of(struct dp_stations *s, uint64_t address)
{
    return s->heard[address * UINT64_C(0x9e3779b97f4a7c15) >> 54];
}

_Static_assert(N_BUCKETS == 1 << (64 - 54), "upper bits");

/* The entry for a station: its own, or that of the station that was silent for longest. */
static struct station *
place_for(struct station *bucket, uint64_t address)
{
    struct station *oldest = bucket;

    for (int i = 0; i < BUCKET; i++) {
        if (bucket[i].address == address) {
            return &bucket[i];
        }
        oldest = bucket[i].heard_ps < oldest->heard_ps ? &bucket[i] : oldest;
    }
    return oldest;
}

/* Learns a station. Group addresses are never sources, and the ports of the model's hosts are
 * known. A frame to a host of the model may take links outside the tree, so its input port does not
 * lead back. */
void
dp_stations_learn(struct dp_stations *s, uint64_t address, uint32_t port, weir_ps now)
{
    if (s->is_learned_from[port] && !is_group(address) && nic_of(s->topo, address) == TOPO_NONE) {
        *place_for(bucket_of(s, address), address) = (struct station){ address, now, port };
    }
}

void
dp_stations_forget(struct dp_stations *s, uint32_t port)
{
    for (int i = 0; i < N_BUCKETS; i++) {
        for (int k = 0; k < BUCKET; k++) {
            if (s->heard[i][k].port == port) {
                s->heard[i][k] = (struct station){ 0 };
            }
        }
    }
}

void
dp_stations_rebase(struct dp_stations *s, weir_ps by_ps)
{
    for (int i = 0; i < N_BUCKETS * BUCKET; i++) {
        struct station *station = &s->heard[i / BUCKET][i % BUCKET];
        station->heard_ps = weir_rebased(station->heard_ps, by_ps);
    }
}

uint32_t
dp_stations_find(struct dp_stations *s, uint64_t address, weir_ps now)
{
    uint32_t nic = nic_of(s->topo, address);
    struct station *bucket = bucket_of(s, address);

    if (nic != TOPO_NONE) {
        return nic;
    }
    for (int i = 0; address && i < BUCKET; i++) {
        if (bucket[i].address == address && now - bucket[i].heard_ps < MAX_AGE_PS) {
            return s->topo->n_nics + bucket[i].port;
        }
    }
    return DP_EVERYBODY;
}
