/* The network: built from numbers or from names, its links changed, failed, and taken down and up.
 */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "scenario/import.h"
#include "topo/port-names.h"

static struct topo_link
every_link(const struct scn_topology *t)
{
    return (struct topo_link){ .rate_bps = t->rate_bps,
                               .delay_ps = (weir_ps)t->delay_ps,
                               .loss = t->loss };
}

/* Links that go down and up, alternately, beginning with down. */

static size_t
count_times(const struct scn_node *n)
{
    return !n ? 0 : n->kind == SCN_LIST ? n->n_children : 1;
}

static bool
read_event(struct resolver *r, const struct scn_node *times, size_t i, bool up, uint32_t link)
{
    const struct weir_field at = { up ? "up" : "down", WEIR_TIME, .max = 1000 * WEIR_PS_PER_S };
    const struct scn_node *n = times->kind == SCN_LIST ? times->children[i] : times;
    struct scenario *s = r->s;
    bool is_first = !up && !i;
    uint64_t at_ps;

    if (!scn_read_value(r, n, &at, &at_ps)) {
        return false;
    }
    if (!is_first && (weir_ps)at_ps <= s->link_events[s->n_link_events - 1].at_ps) {
        return scn_fail(n, r->err,
                        up ? "the link comes up before it goes down"
                           : "the link goes down again before it has come up");
    }
    ARRAY_PUSH(s->link_events, s->n_link_events, s->max_link_events) =
        (struct topo_link_event){ link, (weir_ps)at_ps, up };
    return true;
}

static bool
read_events(struct resolver *r, const struct scn_node *n, uint32_t link)
{
    const struct scn_node *down = scn_child(n, "down"), *up = scn_child(n, "up");
    size_t n_down = count_times(down), n_up = count_times(up);

    if (n_up > n_down) {
        return scn_fail(up, r->err, "the link comes up more often than it goes down");
    }
    if (n_down > n_up + 1) {
        return scn_fail(down, r->err, "the link goes down again, but does not come up in between");
    }
    for (size_t i = 0; i < n_down; i++) {
        if (!read_event(r, down, i, false, link) ||
            (i < n_up && !read_event(r, up, i, true, link))) {
            return false;
        }
    }
    return true;
}

/* Checks that both ends of an inner link are switches. */
static bool
check_inner(struct resolver *r, const struct scn_node *n, const struct topo_link *link)
{
    const struct scn_node *inner = scn_child(n, "inner");

    for (int end = 0; inner && link->is_inner && end < 2; end++) {
        const struct topo_node *node = &r->s->topo.nodes[link->node[end]];
        if (node->kind != TOPO_SWITCH) {
            return scn_fail(inner, r->err,
                            "a link inside a fabric joins two switches, and %s is a host",
                            node->name);
        }
    }
    return true;
}

/* Links that become slower and recover their rate, which is that of their first end. */

static bool
read_slowing(struct resolver *r, const struct scn_node *n, struct topo_slowing slowing)
{
    struct scenario *s = r->s;
    const struct topo_slowing *last = s->n_slowings ? &s->slowings[s->n_slowings - 1] : NULL;
    uint64_t most_bps = slowing.rate_bps;

    if (!scn_expect_kind(r, n, SCN_MAP,
                         "expected a change of rate, as in {at: 1ms, rate: 2Gbps}") ||
        !scn_read_map(r, n, &scn_slowing_table, &slowing)) {
        return false;
    }
    if (slowing.rate_bps > most_bps) {
        struct weir_text most = { 0 };
        weir_text_add(&most, "%R", most_bps);
        return scn_fail(scn_child(n, "rate"), r->err,
                        "the link cannot be faster than at the start of the run, %s", most.s);
    }
    if (last && last->link == slowing.link && slowing.at_ps <= last->at_ps) {
        return scn_fail(scn_child_or_map(n, "at"), r->err,
                        "changes of rate must be listed in ascending order of their times");
    }
    ARRAY_PUSH(s->slowings, s->n_slowings, s->max_slowings) = slowing;
    return true;
}

static bool
read_slowings(struct resolver *r, const struct scn_node *n, uint32_t link, uint32_t end)
{
    const struct scn_node *list = scn_child(n, "slow");

    if (!list) {
        return true;
    }
    if (!scn_expect_kind(r, list, SCN_LIST, "expected a list, as in [{at: 1ms, rate: 2Gbps}]")) {
        return false;
    }
    if (scn_child(n, "down")) {
        return scn_fail(list, r->err, "a link that goes down cannot change its rate as well");
    }
    for (size_t i = 0; i < list->n_children; i++) {
        const struct topo_slowing slowing = { .rate_bps = r->s->topo.links[link].rate_bps,
                                              .link = link,
                                              .end = end };
        if (!read_slowing(r, list->children[i], slowing)) {
            return false;
        }
    }
    return true;
}

static const char in_file[] = "only its file can list further links between two nodes";

/* Changes a link of a network that has been built. */

static bool
change_link(struct resolver *r, const struct scn_node *n)
{
    struct scn_link_item changed = { .count = 1 };
    uint32_t port;

    if (!scn_expect_kind(r, n, SCN_MAP, "expected a link, as in {ends: [S1, S2], rate: 40Gbps}") ||
        !scn_read_map(r, n, &scn_link_table, &changed) ||
        !scn_expect_kind(r, scn_child(n, "ends"), SCN_LIST, "expected two nodes, as in [S1, S2]") ||
        !scn_find_port(r, scn_child(n, "ends"), "two nodes, as in [S1, S2]", &port)) {
        return false;
    }
    if (scn_child(n, "count")) {
        return scn_fail_key(scn_child(n, "count"), r->err, "this link is there already; %s",
                            scn_topology_of(r->s)->build
                                ? "topology.parallel sets the number of links between two switches"
                                : in_file);
    }
    uint32_t link = r->s->topo.ports[port].link;
    if (r->is_changed[link]) {
        return scn_fail(n, r->err, "this link is listed twice");
    }
    r->is_changed[link] = true;
    r->s->links[link].place = scn_place_of(r, n);
    for (const struct weir_field *f = scn_link_table.fields; f->name; f++) {
        struct topo_link *built = &r->s->topo.links[link];
        if (scn_child(n, f->name)) {
            r->s->links[link].differs |= weir_field_get(f, built) != weir_field_get(f, &changed);
            weir_field_set(f, built, weir_field_get(f, &changed));
        }
    }
    return scn_name_links(r, n, link, 1) && check_inner(r, n, &r->s->topo.links[link]) &&
           read_events(r, n, link) &&
           read_slowings(r, n, link, r->s->topo.links[link].port[0] == port ? 0 : 1);
}

static bool
change_links(struct resolver *r, const struct scn_node *topology)
{
    r->is_changed = array_new(r->s->topo.n_links, sizeof *r->is_changed);
    bool good = scn_read_items(r, topology, "links", change_link);
    free(r->is_changed);
    return scn_check_link_names(r) && good;
}

static bool
fail_link(struct resolver *r, const struct scn_node *pair)
{
    struct topo *t = &r->s->topo;
    uint32_t port;

    if (!scn_find_port(r, pair, "a link, as in [A1, C2]", &port)) {
        return false;
    }
    t->links[t->ports[port].link].failed = true;
    return true;
}

/* A network from names. */

static bool
is_plain_name(const char *name)
{
    bool is = isalnum((unsigned char)name[0]);

    for (const char *c = name; *c; c++) {
        is = is && (isalnum((unsigned char)*c) || strchr("_.-", *c));
    }
    return is;
}

bool
scn_read_name(struct resolver *r, const struct scn_node *n, const char *what,
              char name[TOPO_NAME_BYTES])
{
    return scn_read_text(r, n, what, name, TOPO_NAME_BYTES) &&
           (is_plain_name(name) ||
            scn_fail(n, r->err, "a name may have only letters, digits, '_', '.' and '-'"));
}

/* A NIC of a host that has several: H1:0, H1:1 and so on, in order. */
static bool
read_nic_name(struct resolver *r, const struct scn_node *n, char name[TOPO_NAME_BYTES])
{
    char *colon = n->kind == SCN_WORD ? strrchr(n->word, ':') : NULL;
    uint64_t number;

    if (!colon || !text_number(colon + 1, &number)) {
        return scn_read_name(r, n, "the name of a node", name);
    }
    if (!scn_read_text(r, n, "the name of a NIC", name, TOPO_NAME_BYTES)) {
        return false;
    }
    *strrchr(name, ':') = '\0';
    if (!is_plain_name(name)) {
        return scn_fail(n, r->err, "a NIC is named by its host and its number, as in H1:0");
    }
    snprintf(name, TOPO_NAME_BYTES, "%s", n->word);
    return true;
}

static bool
add_nodes(struct resolver *r, const struct scn_node *net, const char *key, enum topo_kind kind)
{
    const struct scn_node *names = scn_child(net, key);
    char name[TOPO_NAME_BYTES];

    if (!names || names->kind != SCN_LIST || !names->n_children) {
        return scn_fail(scn_child_or_map(net, key), r->err,
                        "the network needs %s: list their names, as in [%s]", key,
                        kind == TOPO_SWITCH ? "S1, S2" : "H1, H2");
    }
    for (size_t i = 0; i < names->n_children; i++) {
        const struct scn_node *n = names->children[i];
        if (!(kind == TOPO_NIC ? read_nic_name(r, n, name)
                               : scn_read_name(r, n, "the name of a node", name))) {
            return false;
        }
        uint32_t node = topo_add_node(&r->s->topo, kind, name);
        r->s->topo.nodes[node].part =
            node; /* The part of a host is set later, to that of its switch. */
    }
    return true;
}

/* The NICs of a host are numbered from 0, and nothing else has the name of the host. */
static bool
check_nics(struct resolver *r, const struct scn_node *hosts)
{
    const struct topo *t = &r->s->topo;

    for (size_t i = 0; i < hosts->n_children; i++) {
        const struct scn_node *n = hosts->children[i];
        const char *colon = strrchr(n->word, ':');
        char host[TOPO_NAME_BYTES];
        if (!colon) {
            continue;
        }
        snprintf(host, sizeof host, "%.*s", (int)(colon - n->word), n->word);
        if (topo_find_node(t, host) != TOPO_NONE) {
            return scn_fail(n, r->err, "%s is a node itself, so %s would be a port of it", host,
                            n->word);
        }
        if (strtoul(colon + 1, NULL, 10) >= topo_n_nics_of(t, host)) {
            return scn_fail(n, r->err, "the NICs of %s are numbered from 0, and %s:%u is missing",
                            host, host, topo_n_nics_of(t, host));
        }
    }
    return true;
}

static bool
check_twins(struct resolver *r, const struct scn_node *names, uint32_t first)
{
    for (size_t i = 0; i < names->n_children; i++) {
        const struct scn_node *n = names->children[i];
        if (topo_find_node(&r->s->topo, n->word) != first + i) {
            return scn_fail(n, r->err, "'%s' is listed twice", n->word);
        }
    }
    return true;
}

/* Ports are numbered in the order of the links, so no end of a new link names one. */
static bool
find_ends(struct resolver *r, const struct scn_node *pair, uint32_t ends[2])
{
    if (pair->kind != SCN_LIST || pair->n_children != 2) {
        return scn_fail(pair, r->err, "expected two nodes, as in [S1, H1]");
    }
    return scn_find_node(r, pair->children[0], &ends[0]) &&
           scn_find_node(r, pair->children[1], &ends[1]);
}

static bool
check_end(struct resolver *r, const struct scn_node *n, uint32_t node, uint32_t other)
{
    const struct topo *t = &r->s->topo;
    const struct topo_node *end = &t->nodes[node];

    if (node == other) {
        return scn_fail(n, r->err, "a link cannot go from %s to itself", end->name);
    }
    if (end->kind == TOPO_NIC && t->nodes[other].kind == TOPO_NIC) {
        return scn_fail(n, r->err, "these are two hosts; a host must be linked to a switch");
    }
    if (end->kind == TOPO_NIC && end->n_ports == TOPO_MAX_NIC_PORTS) {
        return scn_fail(n, r->err, "host %s already has %d links, the maximum of a host", end->name,
                        TOPO_MAX_NIC_PORTS);
    }
    return end->n_ports < UINT16_MAX ||
           scn_fail(n, r->err, "%s already has %u links, the maximum of a switch", end->name,
                    end->n_ports);
}

static bool
add_one_link(struct resolver *r, const struct scn_node *n, const uint32_t ends[2],
             const struct topo_link *link)
{
    ARRAY_PUSH(r->s->links, r->s->n_links, r->s->max_links) =
        (struct scn_link){ .place = scn_place_of(r, n) };
    uint32_t added = topo_add_link(&r->s->topo, ends[0], ends[1], link);

    return check_inner(r, n, &r->s->topo.links[added]) && read_events(r, n, added) &&
           read_slowings(r, n, added, 0);
}

static bool
add_link(struct resolver *r, const struct scn_node *n)
{
    struct topo *t = &r->s->topo;
    struct scn_link_item item = { every_link(&r->s->topology), 1 };
    uint32_t ends[2], first = (uint32_t)t->n_links;

    if (!scn_expect_kind(r, n, SCN_MAP, "expected a link, as in {ends: [S1, H1]}") ||
        !scn_read_map(r, n, &scn_link_table, &item) || !find_ends(r, scn_child(n, "ends"), ends)) {
        return false;
    }
    const struct scn_node *pair = scn_child(n, "ends");
    for (uint64_t i = 0; i < item.count; i++) {
        if (!check_end(r, pair->children[0], ends[0], ends[1]) ||
            !check_end(r, pair->children[1], ends[1], ends[0]) ||
            !add_one_link(r, n, ends, &item.link)) {
            return false;
        }
    }
    for (int i = 0; i < 2; i++) {
        if (t->nodes[ends[i]].kind == TOPO_NIC) {
            t->nodes[ends[i]].part = t->nodes[ends[1 - i]].part;
        }
    }
    return scn_name_links(r, n, first, (uint32_t)item.count);
}

static bool
check_linked(struct resolver *r, const struct scn_node *names, uint32_t first)
{
    for (size_t i = 0; i < names->n_children; i++) {
        if (!r->s->topo.nodes[first + i].n_ports) {
            return scn_fail(names->children[i], r->err, "%s has no link", names->children[i]->word);
        }
    }
    return true;
}

/* Adds the nodes and links.  Switches are added first, as other code requires. */
static bool
add_network(struct resolver *r, const struct scn_node *net)
{
    struct topo *t = &r->s->topo;
    const struct scn_node *switches = scn_child(net, "switches"), *hosts = scn_child(net, "hosts");

    if (!add_nodes(r, net, "switches", TOPO_SWITCH) || !add_nodes(r, net, "hosts", TOPO_NIC)) {
        return false;
    }
    topo_index_names(t);
    if (!check_twins(r, switches, 0) || !check_twins(r, hosts, t->n_switches) ||
        !check_nics(r, hosts) || !scn_read_items(r, net, "links", add_link) ||
        !check_linked(r, switches, 0) || !check_linked(r, hosts, t->n_switches)) {
        return false;
    }
    return topo_finish(t, r->err) && scn_check_link_names(r);
}

/* Reads the network from another file, of any format; it becomes a topology of kind `names`. The
 * scenario's keys for links then change its links. */
static bool
add_other_network(struct resolver *r, const struct scn_node *topology, const struct scn_node *file,
                  const struct scn_format *format)
{
    static const char *const names[] = { "switches", "hosts" };
    const struct scn_source *source;

    for (int i = 0; i < 2 && !format->sorts_by_patterns; i++) {
        const struct scn_node *both = scn_child(topology, names[i]);
        if (both) {
            return scn_fail_key(both, r->err, "%s are already listed in the file '%s'", names[i],
                                file->kind == SCN_WORD ? file->word : "");
        }
    }
    if (!(source = scn_load_other(r, file))) {
        return false;
    }
    struct scn_reading reading = { .source = source,
                                   .topology = topology,
                                   .params = r->s->topology.params,
                                   .net = scn_import_new(source),
                                   .err = r->err };
    bool good = format->read(&reading);
    scn_note_tail(r, source, reading.tail);
    if (!format->may_be_inline) {
        r->s->imported = (struct scn_imported){ format->topology.about.name, reading.n_left_out,
                                                reading.n_split };
    }
    scn_become_names(&r->s->topology);
    good =
        good && scn_read_map(r, reading.net, &scn_net_table, NULL) && add_network(r, reading.net);
    if (good) {
        scn_note_origins(r, reading.net, &scn_sections[0], &r->s->topology);
    }
    scn_tree_free(reading.net);
    return good && change_links(r, topology);
}

static bool
build_from_names(struct resolver *r, const struct scn_node *topology)
{
    const struct scn_format *format = (const struct scn_format *)scn_topology_of(r->s);
    const struct scn_node *file = scn_child(topology, "file");

    if (r->s->topology.parallel > 1) {
        return scn_fail_key(scn_child_or_map(topology, "parallel"), r->err,
                            "this network lists its links: %s",
                            file ? in_file
                                 : "write count at those that are parallel, as in {ends: [S1, S2], "
                                   "count: 2}");
    }
    if (!file && !format->may_be_inline) {
        return scn_fail(topology, r->err, "this kind of topology needs a file: add file: NAME%s",
                        format->knobs ? " or config: NAME" : "");
    }
    return file ? add_other_network(r, topology, file, format) : add_network(r, topology);
}

/* The error is at the wrong parameter, if the scenario sets it. */
static bool
check_numbers(struct resolver *r, const struct scn_node *topology, const void *params)
{
    const struct topology *kind = scn_topology_of(r->s);
    const char *at = NULL;
    struct err err;

    return !kind->check || kind->check(params, &at, &err) ||
           scn_fail(scn_child_or_map(topology, at), r->err, "%s", err.text);
}

/* The parameters begin with the properties of every link. */
static bool
build_from_numbers(struct resolver *r, const struct scn_node *topology)
{
    struct topo_link link = every_link(&r->s->topology);

    memcpy(r->s->topology.params, &link, sizeof link);
    if (!check_numbers(r, topology, r->s->topology.params)) {
        return false;
    }
    scn_topology_of(r->s)->build(&r->s->topo, r->s->topology.params);
    topo_make_parallel(&r->s->topo, (uint32_t)r->s->topology.parallel);
    r->s->links = array_new(r->s->topo.n_links, sizeof *r->s->links);
    return topo_finish(&r->s->topo, r->err) && change_links(r, topology);
}

/* Random failures. */

static bool
fail_by_chance(struct resolver *r, const struct scn_node *topology)
{
    const struct scn_node *n = scn_child(topology, "failures");
    struct scn_failures *f = &r->s->failures;

    weir_fields_default(scn_failures_table.fields, f);
    if (!n) {
        return true;
    }
    if (!scn_expect_kind(r, n, SCN_MAP,
                         "expected random failures, as in {probability: 0.05, seed: 3}") ||
        !scn_read_map(r, n, &scn_failures_table, f)) {
        return false;
    }
    topo_fail_randomly(&r->s->topo, f->probability, f->seed, (enum topo_links)f->of);
    return true;
}

bool
scn_build_network(struct resolver *r)
{
    const struct scn_node *topology = scn_child(r->root, "topology");

    if (!topology) {
        return scn_fail_in(r->main, 1, 1, r->err,
                           "the scenario has no topology: add one, as in topology: {kind: ring}");
    }
    bool good = scn_topology_of(r->s)->build ? build_from_numbers(r, topology)
                                             : build_from_names(r, topology);
    return good && scn_read_items(r, topology, "failed", fail_link) &&
           fail_by_chance(r, topology) && scn_route(r);
}
