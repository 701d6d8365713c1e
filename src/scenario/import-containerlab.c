/* containerlab's topologies, for their graph:
 *
 *     topology:
 *       nodes: {leaf1: {kind: srl}, h1: {kind: linux}}
 *       links: [{endpoints: ["leaf1:e1-1", "h1:eth1"]}]
 *
 * A node of kind linux with one link is a host; one without a link, a tool beside the lab, is left
 * out; all others are switches.  Names and links keep their places. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scenario/import.h"

struct lab {
    const struct scn_node *nodes, *links;
    const struct scn_node *default_kind; /* Or null. */
    struct node_use {
        const char *name;
        uint32_t node; /* Of nodes. */
        uint32_t n_links;
    } * uses; /* By name. */
    size_t n_uses;
    struct scn_node *net;
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
        lab->uses[i] = (struct node_use){ lab->nodes->children[i]->key, i, 0 };
    }
    qsort(lab->uses, lab->n_uses, sizeof *lab->uses, by_name);
}

/* "leaf1:e1-1", or {node: leaf1, interface: e1-1}: where the name begins, and how long it is. */
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

static bool
add_end(struct lab *lab, struct scn_node *link, const struct scn_node *end)
{
    size_t len;
    const char *full = end_name(end, &len);
    char *name = strndup(full, len);
    struct node_use wanted = { .name = name };
    struct node_use *use =
        lab->n_uses ? bsearch(&wanted, lab->uses, lab->n_uses, sizeof wanted, by_name) : NULL;
    if (use) {
        use->n_links++;
        scn_import_word(link->children[0], NULL, end, "%s", name);
    } else {
        scn_fail(end, lab->err, "there is no node '%s': expected an endpoint, as in \"leaf1:eth1\"",
                 name);
    }
    free(name);
    return use;
}

static bool
read_links(struct lab *lab)
{
    for (size_t i = 0; i < lab->links->n_children; i++) {
        const struct scn_node *item = lab->links->children[i];
        const struct scn_node *ends = scn_child(item, "endpoints");
        if (!ends || ends->kind != SCN_LIST || ends->n_children != 2) {
            return scn_fail(ends ? ends : item, lab->err,
                            "expected two endpoints, as in endpoints: [\"a:eth1\", \"b:eth1\"]");
        }
        struct scn_node *link = scn_import_link(lab->net, item);
        if (!add_end(lab, link, ends->children[0]) || !add_end(lab, link, ends->children[1])) {
            return false;
        }
    }
    return true;
}

static bool
is_linux(const struct lab *lab, const struct scn_node *node)
{
    const struct scn_node *kind = scn_child(node, "kind");

    kind = kind ? kind : lab->default_kind;
    return kind && kind->kind == SCN_WORD && !strcmp(kind->word, "linux");
}

/* In the order of the file. */
static void
sort_nodes(struct lab *lab)
{
    uint32_t *n_links = array_new(lab->n_uses, sizeof *n_links);

    for (size_t i = 0; i < lab->n_uses; i++) {
        n_links[lab->uses[i].node] = lab->uses[i].n_links;
    }
    for (uint32_t i = 0; i < lab->n_uses; i++) {
        const struct scn_node *node = lab->nodes->children[i];
        const struct scn_node at = { .source = node->source,
                                     .line = node->key_line,
                                     .column = node->key_column };
        bool linux_node = is_linux(lab, node), is_tool = linux_node && !n_links[i];
        const char *list = linux_node && n_links[i] == 1 ? "hosts" : "switches";
        if (!is_tool) {
            scn_import_word(scn_import_list(lab->net, list), NULL, &at, "%s", node->key);
        }
    }
    free(n_links);
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
    if (!read_links(lab)) {
        return false;
    }
    sort_nodes(lab);
    return true;
}

static struct scn_node *
read_network(const struct scn_source *source, struct scn_tail *tail, struct err *err)
{
    struct scn_node *root = scn_tree_read(source, err);
    struct lab lab = { .err = err };

    (void)tail;
    if (!root) {
        return NULL;
    }
    lab.net = scn_import_new(source);
    bool good = read_lab(&lab, root);
    free(lab.uses);
    scn_tree_free(root);
    if (!good) {
        scn_tree_free(lab.net);
    }
    return good ? lab.net : NULL;
}

const struct scn_format scn_containerlab = {
    .topology.about = { .name = "containerlab",
                        .title = "The nodes and links of a lab of containerlab, with the names "
                                 "that they have there",
                        .source = "containerlab, *.clab.yml" },
    .read = read_network,
};
