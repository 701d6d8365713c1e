#include "draw.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../chance.h"
#include "base/array.h"
#include "scenario/scenario.h"
#include "sim/nodes/kind.h"

struct draw {
    uint64_t chance;
    FILE *out;
    char network[2000]; /* Keys of the topology; if they list links, the links come last. */
    struct topo topo;
    struct scenario of_network; /* The scenario from which the network was read. */
    bool *has_failed;           /* [link]. */
    struct weir_link link;      /* The default link. */
    /* The run time, in which a link sends the same number of packets at any rate. */
    unsigned run_ns;
    uint32_t n_classes;
    const char *engine;
    bool is_changing; /* Many links go down or come up, and all flows follow the routes. */
    bool is_shared;   /* Queues share the memory of the switch. */
    bool moves_classes;
    const char *kind; /* The kind of the switches. */
    enum fabric { NO_FABRIC, SOME_INNER_LINKS, ALL_INNER_LINKS } fabric;
};

static const char *
one_of_registry(struct draw *d, const struct weir_registry *registry)
{
    const char *names[32];
    size_t n = weir_plugin_names(registry, names, N_OF(names));

    return names[below(&d->chance, n)];
}

/* Networks. */

static const unsigned rates_gbps[] = { 100, 200, 400, 400 };
static const unsigned delays_ns[] = { 10, 50, 100, 300 };
static const unsigned mtus_bytes[] = { 256, 256, 1000, 1500 };

static void
name_ring(struct draw *d, char *text, size_t max)
{
    snprintf(text, max, "kind: ring, switches: %u", 3 + (unsigned)below(&d->chance, 5));
}

static void
name_torus(struct draw *d, char *text, size_t max)
{
    unsigned x = 3 + (unsigned)below(&d->chance, 2), y = 3 + (unsigned)below(&d->chance, 2);
    snprintf(text, max, "kind: torus, x: %u, y: %u", x, y);
}

static void
name_fat_tree(struct draw *d, char *text, size_t max)
{
    (void)d;
    snprintf(text, max, "kind: fat-tree, k: 4");
}

static void
name_leaf_spine(struct draw *d, char *text, size_t max)
{
    unsigned leaves = 2 + (unsigned)below(&d->chance, 3),
             spines = 2 + (unsigned)below(&d->chance, 2);
    snprintf(text, max, "kind: leaf-spine, leaves: %u, spines: %u, hosts: 2", leaves, spines);
}

/* Writes a tree of switches with some more links, and one or two hosts at each switch. */
static void
name_graph(struct draw *d, char *text, size_t max)
{
    uint32_t n = 4 + (uint32_t)below(&d->chance, 5), n_hosts = n + (uint32_t)below(&d->chance, n);
    FILE *out = fmemopen(text, max, "w");

    fputs("kind: file, switches: [", out);
    for (uint32_t i = 0; i < n; i++) {
        fprintf(out, "%sS%u", i ? ", " : "", i + 1);
    }
    fputs("], hosts: [", out);
    for (uint32_t i = 0; i < n_hosts; i++) {
        fprintf(out, "%sH%u", i ? ", " : "", i + 1);
    }
    fputs("], links: [", out);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (j + 1 == i || one_in(&d->chance, 4)) {
                fprintf(out, "{ends: [S%u, S%u]}, ", i + 1, j + 1);
            }
        }
    }
    for (uint32_t i = 0; i < n_hosts; i++) {
        fprintf(out, "{ends: [H%u, S%u]}%s", i + 1, i % n + 1, i + 1 < n_hosts ? ", " : "]");
    }
    fclose(out);
}

/* Networks to choose from. The first N_RINGS are skipped if routes change, because a ring has only
 * one path once a link is down. */
static void (*const networks[])(struct draw *, char *text, size_t max) = {
    name_ring,  name_ring,  name_ring,     name_ring,       name_torus,
    name_graph, name_graph, name_fat_tree, name_leaf_spine,
};
enum { N_RINGS = 4 };

/* Draws a network and reads it as a scenario of its own, so that links, paths and routes can be
 * named. */
static void
draw_network(struct draw *d)
{
    char *text = malloc(sizeof d->network + 20);
    struct err err;

    size_t skipped = d->is_changing ? N_RINGS : 0;
    networks[skipped + below(&d->chance, N_OF(networks) - skipped)](d, d->network,
                                                                    sizeof d->network);
    snprintf(text, sizeof d->network + 20, "topology: {%s}\n", d->network);
    if (!scn_read(&d->of_network, &(struct scn_source){ .name = "network", .text = text },
                  &(struct scn_files){ 0 }, NULL, 0, &err)) {
        fprintf(stderr, "%s\n%s", err.text, text);
        abort();
    }
    d->topo = d->of_network.topo;
    d->has_failed = array_new(d->topo.n_links, sizeof *d->has_failed);
    free(text);
}

static void
draw_link(struct draw *d)
{
    d->link.rate_bps = UINT64_C(1000000000) * ONE_OF(&d->chance, rates_gbps);
    d->link.cable_ps = 1000 * (weir_ps)ONE_OF(&d->chance, delays_ns);
    d->link.response_ps = 1000 * (weir_ps)below(&d->chance, 300);
    d->link.mtu_bytes = ONE_OF(&d->chance, mtus_bytes);
    d->run_ns = (unsigned)(UINT64_C(9000000000000000) / d->link.rate_bps);
}

static const char *
name_of(const struct draw *d, uint32_t node)
{
    return d->topo.nodes[node].name;
}

static bool
is_between_switches(const struct draw *d, size_t link)
{
    const uint32_t *ends = d->topo.links[link].node;
    return d->topo.nodes[ends[0]].kind == TOPO_SWITCH && d->topo.nodes[ends[1]].kind == TOPO_SWITCH;
}

/* Writes when a link goes down: for a while, for good, or twice. Links of hosts rarely do. */
static void
write_times(struct draw *d, size_t link, uint64_t in_one)
{
    if (!one_in(&d->chance, is_between_switches(d, link) ? in_one : 10 * in_one)) {
        return;
    }
    unsigned down = (unsigned)below(&d->chance, d->run_ns / 2);
    unsigned up = down + 1 + (unsigned)below(&d->chance, d->run_ns / 3);
    if (one_in(&d->chance, 3)) {
        fprintf(d->out, ", down: %uns", down);
    } else if (one_in(&d->chance, 2)) {
        fprintf(d->out, ", down: %uns, up: %uns", down, up);
    } else {
        fprintf(d->out, ", down: [%uns, %uns], up: [%uns, %uns]", down, up + 2000, up, up + 9000);
    }
}

/* Writes that a link is inside the fabric; only links between switches can be. */
static void
write_inner(struct draw *d, size_t link)
{
    if (is_between_switches(d, link) &&
        (d->fabric == ALL_INNER_LINKS || (d->fabric && one_in(&d->chance, 2)))) {
        fputs(", inner: yes", d->out);
    }
}

static void
write_links(struct draw *d)
{
    uint64_t in_one = d->is_changing ? 3 : one_in(&d->chance, 3) ? 8 : 1000;

    fputs("  links: [\n", d->out);
    for (size_t i = 0; i < d->topo.n_links; i++) {
        const uint32_t *ends = d->topo.links[i].node;
        fprintf(d->out, "    {ends: [%s, %s]", name_of(d, ends[0]), name_of(d, ends[1]));
        write_inner(d, i);
        write_times(d, i, in_one);
        fputs(i + 1 < d->topo.n_links ? "},\n" : "}]", d->out);
    }
}

static void
write_failed(struct draw *d)
{
    uint64_t in_one = strstr(d->network, "fat-tree") || one_in(&d->chance, 6) ? 8 : 10000;
    bool is_first = true;

    fputs("  failed: [", d->out);
    for (size_t i = 0; i < d->topo.n_links; i++) {
        const uint32_t *ends = d->topo.links[i].node;
        if (is_between_switches(d, i) && one_in(&d->chance, in_one)) {
            d->has_failed[i] = true;
            fprintf(d->out, "%s[%s, %s]", is_first ? "" : ", ", name_of(d, ends[0]),
                    name_of(d, ends[1]));
            is_first = false;
        }
    }
    fputs("],\n", d->out);
}

static void
write_topology(struct draw *d)
{
    const char *links = strstr(d->network, ", links: ");
    int n = links ? (int)(links - d->network) : (int)strlen(d->network);

    fprintf(d->out, "topology: {%.*s,\n", n, d->network);
    fprintf(d->out, "  rate: %lluGbps,", (unsigned long long)d->link.rate_bps / 1000000000);
    fprintf(d->out, " delay: %lluns,\n", (unsigned long long)d->link.cable_ps / 1000);
    write_failed(d);
    write_links(d);
    fputs("}\n", d->out);
}

static uint32_t
nic(struct draw *d)
{
    for (;;) {
        uint32_t node = (uint32_t)below(&d->chance, d->topo.n_nodes);
        if (d->topo.nodes[node].kind == TOPO_NIC) {
            return node;
        }
    }
}

static uint32_t
neighbour(struct draw *d, uint32_t node)
{
    const struct topo_node *n = &d->topo.nodes[node];

    for (uint32_t tries = 0; tries < 40; tries++) {
        const struct topo_port *p = &d->topo.ports[n->first_port + below(&d->chance, n->n_ports)];
        if (is_between_switches(d, p->link) && !d->has_failed[p->link]) {
            return d->topo.ports[p->peer].node;
        }
    }
    return TOPO_NONE;
}

/* Routes. */

static void
write_statics(struct draw *d)
{
    uint32_t said[2] = { TOPO_NONE, TOPO_NONE };

    fputs("  static:\n", d->out);
    for (uint64_t n = 1 + below(&d->chance, 2), i = 0; i < n; i++) {
        uint32_t to = nic(d), at = (uint32_t)below(&d->chance, d->topo.n_nodes);
        uint32_t via = d->topo.nodes[at].kind == TOPO_SWITCH ? neighbour(d, at) : TOPO_NONE;
        if (via != TOPO_NONE && at != said[0]) {
            said[i] = at;
            fprintf(d->out, "    - {at: %s, to: %s, via: %s}\n", name_of(d, at), name_of(d, to),
                    name_of(d, via));
        }
    }
    if (said[0] == TOPO_NONE && said[1] == TOPO_NONE) {
        fputs("    []\n", d->out);
    }
}

static void
write_routing(struct draw *d)
{
    static const char *const reroutes[] = { "0ps", "100ns", "2us", "10us" };

    fprintf(d->out, "routing:\n  kind: %s\n",
            one_in(&d->chance, d->is_changing ? 2 : 6) ? "up-down" : "shortest");
    fprintf(d->out, "  paths: %s\n", one_of_registry(d, &sim_path_choices));
    fprintf(d->out, "  reroute: %s\n",
            reroutes[d->is_changing ? 1 + below(&d->chance, 3) : below(&d->chance, 4)]);
    if (one_in(&d->chance, 10)) {
        fprintf(d->out, "  hop_limit: %u\n", 6 + (unsigned)below(&d->chance, 250));
    }
    if (one_in(&d->chance, 10)) {
        write_statics(d);
    }
}

/* Switches and engines. */

/* Arbitrations in which an input offers one packet at a time fit no pipeline and no crossbar: these
 * get FIFO. */
static const char *
arbitration(struct draw *d)
{
    const char *name = one_of_registry(d, &sim_arbitrations);
    return strcmp(d->kind, "oq") && sim_arbitration_find(name)->free_input ? "fifo" : name;
}

/* Writes a pipeline that is as fast as a few links or slower, with small buffers at its outputs. */
static void
write_pipeline(struct draw *d, const char *before)
{
    uint64_t pps = d->link.rate_bps / 8 / d->link.mtu_bytes;
    const char *full = one_in(&d->chance, 3) ? "drop" : "stop";

    fprintf(d->out, "%spps: %llu", before,
            (unsigned long long)(pps / 2 + below(&d->chance, 4 * pps)));
    fprintf(d->out, "%sdelay: %uns", before, (unsigned)below(&d->chance, 1500));
    fprintf(d->out, "%sfull: %s", before, full);
    fprintf(d->out, "%segress: %uB", before,
            (1 + (unsigned)below(&d->chance, 6)) * d->link.mtu_bytes);
    fprintf(d->out, "%segress_of: %s", before, one_in(&d->chance, 3) ? "port" : "class");
}

/* Writes the stage before a crossbar. In a fabric its buffers are as large as those of inputs,
 * because inner ports use them; elsewhere they are small. */
static void
write_inner_stage(struct draw *d, const char *before, unsigned room)
{
    uint64_t mbps = d->link.rate_bps / 1000000;
    unsigned little = (1 + (unsigned)below(&d->chance, 6)) * d->link.mtu_bytes;

    fprintf(d->out, "%sinner_buffer: %uB", before, d->fabric ? room : little);
    fprintf(d->out, "%sorder: %s", before, one_in(&d->chance, 2) ? "rr" : "arrival");
    if (one_in(&d->chance, 2)) {
        fprintf(d->out, "%sinner_rate: %lluMbps", before,
                (unsigned long long)(mbps / 20 + below(&d->chance, 2 * mbps)));
    }
}

/* Writes a crossbar with small buffers at its outputs, and at the inner ports of a fabric. */
static void
write_crossbar(struct draw *d, const char *before, unsigned room)
{
    uint64_t mtu = d->link.mtu_bytes;

    fprintf(d->out, "%segress: %lluB", before,
            (unsigned long long)(one_in(&d->chance, 8) ? 0 : mtu * (1 + below(&d->chance, 6))));
    fprintf(d->out, "%sinner_egress: %lluB", before,
            (unsigned long long)(one_in(&d->chance, 8) ? 0 : mtu * (1 + below(&d->chance, 6))));
    fprintf(d->out, "%sspeedup: %u", before, 1 + (unsigned)below(&d->chance, 3));
    fprintf(d->out, "%smatching: %s", before, one_in(&d->chance, 4) ? "longest" : "islip");
    fprintf(d->out, "%siterations: %u", before, 1 + (unsigned)below(&d->chance, 3));
    fprintf(d->out, "%stransfer: %s", before, one_in(&d->chance, 2) ? "held" : "slots");
    if (one_in(&d->chance, 2)) {
        write_inner_stage(d, before, room);
    }
    if (d->fabric != SOME_INNER_LINKS && one_in(&d->chance, 3)) {
        fprintf(d->out, "%sreliable: yes%sack: %uns", before, before,
                (unsigned)below(&d->chance, d->run_ns / 4));
    }
}

static void
write_switch(struct draw *d)
{
    static const char *const watchdogs[] = { "drop", "forward", "alert" };
    unsigned packets = (strstr(d->engine, "gfc") ? 50 : 4) +
                       (unsigned)below(&d->chance, one_in(&d->chance, 3) ? 30 : 5);
    unsigned room = (unsigned)weir_pfc_headroom_bytes(&d->link) + packets * d->link.mtu_bytes;

    fprintf(d->out, "switch:\n  kind: %s", d->kind);
    if (!strcmp(d->kind, "pipeline")) {
        write_pipeline(d, "\n  ");
    } else if (!strcmp(d->kind, "cioq")) {
        write_crossbar(d, "\n  ", room);
    }
    fprintf(d->out, "\n  arbitration: %s\n", arbitration(d));
    fprintf(d->out, "  scheduling: %s\n", one_of_registry(d, &sim_schedulings));
    fprintf(d->out, "  response: %lluns\n", (unsigned long long)d->link.response_ps / 1000);
    if (d->is_shared) {
        fprintf(d->out, "  buffer: %uB\n  headroom: %uB\n", (unsigned)below(&d->chance, 3000),
                room);
        fprintf(d->out, "  shared: %uKB\n", 10 + (unsigned)below(&d->chance, 60));
        fprintf(d->out, "  alpha: %u\n", 1 + (unsigned)below(&d->chance, 3));
    } else {
        fprintf(d->out, "  buffer: %uB\n", room);
    }
    if (one_in(&d->chance, 8)) {
        fprintf(d->out, "  watchdog: %s\n", ONE_OF(&d->chance, watchdogs));
        fprintf(d->out, "  watchdog_detection: %uns\n",
                1000 + (unsigned)below(&d->chance, d->run_ns / 2));
    }
}

static void
write_wire(struct draw *d)
{
    bool is_one = d->is_changing || one_in(&d->chance, 2);

    d->n_classes = d->moves_classes ? 8 : is_one ? 1 : 1 + (uint32_t)below(&d->chance, 3);
    fprintf(d->out, "wire:\n  mtu: %uB\n  classes: %u\n", d->link.mtu_bytes, d->n_classes);
    if (one_in(&d->chance, 12)) {
        fprintf(d->out, "  lossless: %u\n", 1 + (unsigned)below(&d->chance, 7));
    }
}

/* Chooses the engine, mostly one that can deadlock, and the kind of the switches. */
static void
draw_engine(struct draw *d)
{
    static const char *const engines[] = { "pfc",  "pfc", "pfc",   "pfc",
                                           "cbfc", "ttl", "capfc", "capfc" };
    static const char *const kinds[] = { "oq", "pipeline", "cioq" };

    d->engine =
        one_in(&d->chance, 20) ? one_of_registry(d, &weir_engines) : ONE_OF(&d->chance, engines);
    d->kind = ONE_OF(&d->chance, kinds);
    d->fabric = strcmp(d->kind, "cioq") ? NO_FABRIC : (enum fabric)below(&d->chance, 3);
    d->is_shared = one_in(&d->chance, 5) && strcmp(d->engine, "cbfc");
}

static void
write_engines(struct draw *d)
{
    static const char *const inside[] = { "cbfc", "pfc", "gfc-buffer", "none" };
    unsigned kmin = 1000 + (unsigned)below(&d->chance, 10000);
    bool is_marked = strcmp(d->engine, "ecn") && one_in(&d->chance, 4);

    d->moves_classes = !strcmp(d->engine, "ttl");
    fprintf(d->out, is_marked ? "engine: [%s, ecn]\n" : "engine: %s\n", d->engine);
    if (d->fabric && one_in(&d->chance, 3)) {
        fprintf(d->out, "inside: %s\n", ONE_OF(&d->chance, inside));
    }
    fprintf(d->out, "engines:\n  cbfc: {period: %uns}\n", 100 + (unsigned)below(&d->chance, 900));
    fprintf(d->out, "  ecn: {kmin: %uB, kmax: %uB, pmax: 1}\n", kmin, 2 * kmin);
    if (d->is_shared) {
        fputs("  pfc: {threshold: dynamic}\n  ttl: {threshold: dynamic}\n", d->out);
    }
}

/* Gives one switch another engine, and another kind or arbitration. */
static void
write_roles(struct draw *d)
{
    uint32_t node = (uint32_t)below(&d->chance, d->topo.n_nodes);
    const char *engine = one_in(&d->chance, 3) ? "none" : "pfc";

    if (d->topo.nodes[node].kind != TOPO_SWITCH) {
        return;
    }
    fprintf(d->out, "roles:\n  - nodes: [%s]\n", name_of(d, node));
    if (one_in(&d->chance, 2)) {
        fprintf(d->out, "    engine: %s\n", engine);
    }
    if (one_in(&d->chance, 2)) {
        fputs("    switch: {kind: pipeline", d->out);
        write_pipeline(d, ", ");
        fputs("}\n", d->out);
    } else {
        fprintf(d->out, "    switch: {arbitration: %s}\n", arbitration(d));
    }
}

/* Senders. */

static const char *const transport_names[] = { "raw",   "rdma",  "rdma", "rdma",
                                               "dcqcn", "dctcp", "tcp" };

static void
write_transport(struct draw *d)
{
    static const char *const chosen[] = { "auto", "auto", "go-back-n", "selective" };

    fprintf(d->out, "transport:\n  kind: %s\n", ONE_OF(&d->chance, transport_names));
    fprintf(d->out, "  recovery: %s\n",
            one_in(&d->chance, 40) ? "none" : ONE_OF(&d->chance, chosen));
    fprintf(d->out, "  ack: %u\n", one_in(&d->chance, 3) ? 1 + (unsigned)below(&d->chance, 4) : 1);
    fprintf(d->out, "  timeout: %uns\n", 5000 + (unsigned)below(&d->chance, d->run_ns));
}

static uint32_t
host_at(struct draw *d, uint32_t node, uint32_t but)
{
    const struct topo_node *n = &d->topo.nodes[node];
    uint32_t found = TOPO_NONE;

    for (uint32_t p = n->first_port; p < n->first_port + n->n_ports; p++) {
        uint32_t peer = d->topo.ports[d->topo.ports[p].peer].node;
        bool is_one = d->topo.nodes[peer].kind == TOPO_NIC && peer != but;
        found = is_one && (found == TOPO_NONE || one_in(&d->chance, 2)) ? peer : found;
    }
    return found;
}

enum { MAX_WALK = 8 };

/* Walks at random from the switch of a host and seldom straight back, until the walk is long enough
 * and at a switch with a host. Returns the host where it ends, or TOPO_NONE. */
static uint32_t
walk(struct draw *d, uint32_t from, uint32_t walked[MAX_WALK], uint32_t *n)
{
    uint32_t at = topo_switch_of(&d->topo, from), far = 2 + (uint32_t)below(&d->chance, 4),
             to = TOPO_NONE;

    for (*n = 0; *n < MAX_WALK && to == TOPO_NONE; (*n)++) {
        uint32_t next = *n ? neighbour(d, at) : at;
        if (next == TOPO_NONE) {
            return TOPO_NONE;
        }
        if (*n > 1 && next == walked[*n - 2] && !one_in(&d->chance, 20)) {
            next = neighbour(d, at);
        }
        walked[*n] = at = next;
        to = *n >= far ? host_at(d, at, from) : TOPO_NONE;
    }
    return to;
}

/* Walks around a ring of switches, always in the same direction. Returns a host where the walk
 * ends. */
static uint32_t
go_round(struct draw *d, uint32_t from, uint32_t walked[MAX_WALK], uint32_t *n)
{
    uint32_t n_switches = d->topo.n_switches, at = d->topo.nodes[from].index;
    uint32_t far = 2 + (uint32_t)below(&d->chance, n_switches > 4 ? 3 : n_switches - 2);

    for (*n = 0; *n <= far; (*n)++) {
        walked[*n] = topo_find_node(&d->topo, name_of(d, (at + *n) % n_switches));
    }
    return host_at(d, walked[far], TOPO_NONE);
}

static void
write_path(struct draw *d, const uint32_t *walked, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        fprintf(d->out, "%s%s", i ? ", " : ", via: [", name_of(d, walked[i]));
    }
    fputs("]", d->out);
}

static void
write_flow(struct draw *d, bool is_round, bool is_routed, uint32_t from)
{
    uint32_t walked[MAX_WALK], n = 0,
                               to = is_routed  ? nic(d)
                                    : is_round ? go_round(d, from, walked, &n)
                                               : walk(d, from, walked, &n);

    if (to == TOPO_NONE || to == from) {
        return;
    }
    fprintf(d->out, "  - {from: %s, to: %s", name_of(d, from), name_of(d, to));
    if (!is_routed) {
        write_path(d, walked, n);
    }
    fprintf(d->out, ", class: %u",
            (unsigned)below(&d->chance, d->moves_classes ? 1 : d->n_classes));
    if (one_in(&d->chance, 8)) {
        fprintf(d->out, ", bytes: %uB", 1 + (unsigned)below(&d->chance, 50000));
    }
    if (one_in(&d->chance, 2)) {
        fprintf(d->out, ", start: %uns", (unsigned)below(&d->chance, d->run_ns / 3));
    }
    if (one_in(&d->chance, 5)) {
        fprintf(d->out, ", transport: %s", ONE_OF(&d->chance, transport_names));
    }
    fputs("}\n", d->out);
}

static void
write_flows(struct draw *d)
{
    bool is_ring = strstr(d->network, "kind: ring"), has_failed = false;
    uint32_t routed = d->is_changing || one_in(&d->chance, 8)
                          ? 8
                          : (uint32_t)below(&d->chance, one_in(&d->chance, 2) ? 8 : 2);
    uint32_t n =
        2 * d->topo.n_nics + (uint32_t)below(&d->chance, (routed == 8 ? 6 : 3) * d->topo.n_nics);

    for (size_t i = 0; i < d->topo.n_links; i++) {
        has_failed |= d->has_failed[i];
    }
    fputs("flows:\n", d->out);
    for (uint32_t i = 0; i < n; i++) {
        bool is_routed = below(&d->chance, 8) < routed,
             is_round = is_ring && !has_failed && !one_in(&d->chance, 8);
        write_flow(d, is_round, is_routed, nic(d));
    }
}

static void
write_stalls(struct draw *d)
{
    unsigned from = (unsigned)below(&d->chance, d->run_ns / 3);

    fprintf(d->out, "stalls:\n  - {at: %s, from: %uns", name_of(d, nic(d)), from);
    fprintf(d->out, one_in(&d->chance, 2) ? ", until: %uns}\n" : "}\n",
            from + 1000 + (unsigned)below(&d->chance, d->run_ns / 3));
}

char *
draw_scenario(uint64_t seed)
{
    struct draw d = { .chance = seed };
    char *text;
    size_t len;

    d.out = open_memstream(&text, &len);
    d.is_changing = one_in(&d.chance, 3);
    draw_network(&d);
    draw_link(&d);
    draw_engine(&d);
    write_topology(&d);
    write_routing(&d);
    write_engines(&d);
    write_wire(&d);
    write_switch(&d);
    if (one_in(&d.chance, 6)) {
        write_roles(&d);
    }
    write_transport(&d);
    write_flows(&d);
    if (one_in(&d.chance, 6)) {
        write_stalls(&d);
    }
    fprintf(d.out, "run: {time: %uns, seed: %u}\n", d.run_ns, (unsigned)below(&d.chance, 1000));
    fclose(d.out);
    free(d.has_failed);
    scn_free(&d.of_network);
    return text;
}
