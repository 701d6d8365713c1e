/* Reads containerlab's topology files, as far as they describe the graph of a network:
 *
 *     topology:
 *       nodes: {leaf1: {kind: srl}, h1: {kind: linux}}
 *       links: [{endpoints: ["leaf1:e1-1", "h1:eth1"]}]
 *
 * A node of kind linux with one link is a host.  A node without a link, such as a tool next to the
 * lab, is left out.  Nodes of other kinds are switches.  A node of kind linux with several links
 * may be a host at two switches or a router: the scenario must decide this by patterns in `hosts`
 * and `switches`.  A host with several links forwards nothing between them, so each is a host of
 * its own: h1.1, h1.2.  With `split: no`, h1 is one host with several ports.  Names and links keep
 * their locations in the file. */

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scenario/import.h"

struct params {
    uint64_t splits;
};

static const char *const no_or_yes[] = { "no", "yes", 0 };

static const struct weir_field params[] = {
    WEIR_FIELD(struct params, splits, "split", WEIR_CHOICE, .fallback = 1, .choices = no_or_yes,
               .source = "-",
               .help = "Whether each link of a host becomes a host of its own, as in server1.1 and "
                       "server1.2, or the host has several ports."),
    { 0 },
};

enum part { IN_DOUBT, TOOL, HOST, SWITCH };

struct lab {
    const struct scn_node *nodes, *links;
    const struct scn_node *default_kind; /* The default kind of nodes; or null. */
    struct node_use {
        const char *name;
        uint32_t node; /* Its index in 'nodes'. */
        uint32_t n_links, n_added;
        enum part part;
    } * uses; /* The nodes and their uses, sorted by name. */
    size_t n_uses;
    bool splits;
    struct scn_reading *reading;
    struct err *err;
};

static int
by_name(const void *a, const void *b)
{
    return strcmp(((const struct node_use *)a)->name, ((const struct node_use *)b)->name);
}

static void
list_nodes(struct lab *lab)
{
    lab->n_uses = lab->nodes->n_children;
    lab->uses = array_new(lab->n_uses, sizeof *lab->uses);
    for (uint32_t i = 0; i < lab->n_uses; i++) {
        lab->uses[i] = (struct node_use){ .name = lab->nodes->children[i]->key, .node = i };
    }
    qsort(lab->uses, lab->n_uses, sizeof *lab->uses, by_name);
}

/* These functions read links. */

/* Finds the node's name and its length in "leaf1:e1-1" or {node: leaf1, interface: e1-1}. */
static const char *
end_name(const struct scn_node *end, size_t *len)
{
    const struct scn_node *node = scn_child(end, "node");
    const char *name = end->kind == SCN_WORD            ? end->word
                       : node && node->kind == SCN_WORD ? node->word
                                                        : "";

    *len = end->kind == SCN_WORD ? strcspn(name, ":") : strlen(name);
    return name;
}

/* The node that an end names; null with an error if there is no such node. */
static struct node_use *
find_end(struct lab *lab, const struct scn_node *end)
{
    size_t len;
    const char *full = end_name(end, &len);
    char *name = strndup(full, len);
    struct node_use wanted = { .name = name };
    struct node_use *use =
        lab->n_uses ? bsearch(&wanted, lab->uses, lab->n_uses, sizeof wanted, by_name) : NULL;
    if (!use) {
        scn_fail(end, lab->err, "there is no node '%s': expected an endpoint, as in \"leaf1:eth1\"",
                 name);
    }
    free(name);
    return use;
}

static bool
count_links(struct lab *lab)
{
    for (size_t i = 0; i < lab->links->n_children; i++) {
        const struct scn_node *item = lab->links->children[i];
        const struct scn_node *ends = scn_child(item, "endpoints");
        if (!ends || ends->kind != SCN_LIST || ends->n_children != 2) {
            return scn_fail(ends ? ends : item, lab->err,
                            "expected two endpoints, as in endpoints: [\"a:eth1\", \"b:eth1\"]");
        }
        for (int end = 0; end < 2; end++) {
            struct node_use *use = find_end(lab, ends->children[end]);
            if (!use) {
                return false;
            }
            use->n_links++;
        }
    }
    return true;
}

static bool
is_split(const struct lab *lab, const struct node_use *use)
{
    return lab->splits && use->part == HOST && use->n_links > 1;
}

static void
add_links(struct lab *lab)
{
    for (size_t i = 0; i < lab->links->n_children; i++) {
        const struct scn_node *item = lab->links->children[i], *ends = scn_child(item, "endpoints");
        struct scn_node *link = scn_import_link(lab->reading->net, item);
        for (int end = 0; end < 2; end++) {
            struct node_use *use = find_end(lab, ends->children[end]);
            char nth[16] = "";
            if (is_split(lab, use)) {
                snprintf(nth, sizeof nth, ".%u", ++use->n_added);
            }
            scn_import_word(link->children[0], NULL, ends->children[end], "%s%s", use->name, nth);
        }
    }
}

/* These functions decide which nodes are hosts. */

static bool
is_linux(const struct lab *lab, const struct scn_node *node)
{
    const struct scn_node *kind = scn_child(node, "kind");

    kind = kind ? kind : lab->default_kind;
    return kind && kind->kind == SCN_WORD && !strcmp(kind->word, "linux");
}

/* Makes the nodes that match a pattern hosts or switches, depending on 'part'. */
static bool
take_pattern(struct lab *lab, const struct scn_node *pattern, enum part part)
{
    size_t n_taken = 0;

    if (pattern->kind != SCN_WORD) {
        return scn_fail(pattern, lab->err,
                        "expected the name of a node, or a pattern, as in leaf*");
    }
    for (size_t i = 0; i < lab->n_uses; i++) {
        struct node_use *use = &lab->uses[i];
        if (fnmatch(pattern->word, use->name, 0)) {
            continue;
        }
        if (use->part == (part == HOST ? SWITCH : HOST)) {
            return scn_fail(pattern, lab->err, "%s is named both as a host and as a switch",
                            use->name);
        }
        use->part = part;
        n_taken++;
    }
    return n_taken ||
           scn_fail(pattern, lab->err, "no node of the lab is named '%s'", pattern->word);
}

static bool
take_patterns(struct lab *lab, const char *key, enum part part)
{
    const struct scn_node *given = scn_child(lab->reading->topology, key);

    if (given && given->kind == SCN_WORD) {
        return take_pattern(lab, given, part);
    }
    if (given && given->kind != SCN_LIST) {
        return scn_fail(given, lab->err, "expected names of nodes, or patterns, as in [leaf*]");
    }
    for (size_t i = 0; given && i < given->n_children; i++) {
        if (!take_pattern(lab, given->children[i], part)) {
            return false;
        }
    }
    return true;
}

static enum part
guess(const struct lab *lab, const struct node_use *use)
{
    if (!is_linux(lab, lab->nodes->children[use->node])) {
        return SWITCH;
    }
    return use->n_links == 0 ? TOOL : use->n_links == 1 ? HOST : IN_DOUBT;
}

/* Refuses nodes that may be hosts or routers.  The error names the first of them in the file, and
 * their number. */
static bool
check_doubt(struct lab *lab)
{
    const struct node_use *first = NULL;
    uint32_t n = 0;

    for (size_t i = 0; i < lab->n_uses; i++) {
        const struct node_use *use = &lab->uses[i];
        n += use->part == IN_DOUBT;
        first = use->part == IN_DOUBT && (!first || use->node < first->node) ? use : first;
    }
    if (!first) {
        return true;
    }
    const struct scn_node *node = lab->nodes->children[first->node];
    return scn_fail_key(node, lab->err,
                        "%s is of kind linux and has %u links%s: a host at several switches, or a "
                        "router? Name hosts and switches next to the file, as in hosts: [%s] or "
                        "switches: [%s]",
                        first->name, first->n_links, n > 1 ? ", and others like it" : "",
                        first->name, first->name);
}

static bool
find_parts(struct lab *lab)
{
    if (!take_patterns(lab, "hosts", HOST) || !take_patterns(lab, "switches", SWITCH)) {
        return false;
    }
    for (size_t i = 0; i < lab->n_uses; i++) {
        struct node_use *use = &lab->uses[i];
        use->part = use->part == IN_DOUBT ? guess(lab, use) : use->part;
        lab->reading->n_left_out += use->part == TOOL;
        lab->reading->n_split += is_split(lab, use);
    }
    return check_doubt(lab);
}

static void
add_node(struct lab *lab, const struct node_use *use)
{
    const struct scn_node *node = lab->nodes->children[use->node];
    const struct scn_node at = { .source = node->source,
                                 .line = node->key_line,
                                 .column = node->key_column };
    struct scn_node *list =
        scn_import_list(lab->reading->net, use->part == HOST ? "hosts" : "switches");

    for (uint32_t nth = 1; is_split(lab, use) && nth <= use->n_links; nth++) {
        scn_import_word(list, NULL, &at, "%s.%u", use->name, nth);
    }
    if (!is_split(lab, use) && use->part != TOOL) {
        scn_import_word(list, NULL, &at, "%s", use->name);
    }
}

/* Adds the nodes in the order of the file. */
static void
add_nodes(struct lab *lab)
{
    const struct node_use **in_order = array_new(lab->n_uses, sizeof *in_order);

    for (size_t i = 0; i < lab->n_uses; i++) {
        in_order[lab->uses[i].node] = &lab->uses[i];
    }
    for (size_t i = 0; i < lab->n_uses; i++) {
        add_node(lab, in_order[i]);
    }
    free(in_order);
}

static bool
read_lab(struct lab *lab, const struct scn_node *root)
{
    const struct scn_node *topology = scn_child(root, "topology");

    lab->nodes = scn_child(topology, "nodes");
    lab->links = scn_child(topology, "links");
    lab->default_kind = scn_child(scn_child(topology, "defaults"), "kind");
    if (!lab->nodes || lab->nodes->kind != SCN_MAP) {
        return scn_fail(lab->nodes ? lab->nodes : root, lab->err,
                        "expected a lab of containerlab, with its nodes in topology.nodes");
    }
    if (!lab->links || lab->links->kind != SCN_LIST) {
        return scn_fail(lab->links ? lab->links : root, lab->err,
                        "expected a lab of containerlab, with its links in topology.links");
    }
    list_nodes(lab);
    if (!count_links(lab) || !find_parts(lab)) {
        return false;
    }
    add_nodes(lab);
    add_links(lab);
    return true;
}

static bool
read_network(struct scn_reading *reading)
{
    struct scn_node *root = scn_tree_read(reading->source, reading->err);
    struct lab lab = { .splits = ((const struct params *)reading->params)->splits,
                       .reading = reading,
                       .err = reading->err };
    bool good = root && read_lab(&lab, root);

    free(lab.uses);
    scn_tree_free(root);
    return good;
}

const struct scn_format scn_containerlab = {
    .topology.about = { .name = "containerlab",
                        .title = "The nodes and links of a lab of containerlab, with the names "
                                 "that they have there",
                        .source = "containerlab, *.clab.yml",
                        .params = params,
                        .params_bytes = sizeof(struct params) },
    .sorts_by_patterns = true,
    .read = read_network,
};
