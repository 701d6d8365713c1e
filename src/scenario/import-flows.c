/* Reads flows from files of other simulators.
 *
 *     flows: {hpcc: flow.txt, skip: 2s}          count; then src dst priority dport bytes start_s
 *     flows: {hpcc: flow.txt, headers: 48B}      each packet has headers that bytes do not count
 *     flows: {htsim: perm.cm}                    src->dst id 1 start 0 size 2000000
 *
 * Hosts are given by the numbers of topo/numbers.h, which `weir export --flow-file` writes, too. In
 * a network of HPCC's simulator 5 is H5; where names have no numbers, it is the sixth host. Each
 * line becomes a flow in the form of a scenario. */

#include <string.h>

#include "scenario/import.h"
#include "topo/numbers.h"

enum { MAX_FLOWS = 4000000 };

struct flow_file {
    struct resolver *r;
    struct scn_lines l;
    struct scn_flow_files options;
    struct topo_hosts hosts;
    uint64_t n_flows, n_read;
};

/* Adds headers to a flow's bytes, because Weir counts all bytes on the wire. */
static void
add_headers(const struct flow_file *f, struct scn_flow *flow)
{
    uint64_t data_bytes = f->r->s->wire.mtu_bytes - f->options.header_bytes;
    uint64_t n_packets = flow->bytes / data_bytes + (flow->bytes % data_bytes > 0);

    flow->header_bytes = n_packets * f->options.header_bytes;
    flow->bytes += flow->header_bytes;
}

/* Reads the flow of a line, whose keys 'fill' adds. */
static bool
read_flow(struct flow_file *f, bool (*fill)(struct flow_file *, struct scn_node *flow))
{
    struct scn_node *flow = scn_tree_new(SCN_MAP, f->l.source, f->l.line, f->l.column);
    bool good = fill(f, flow) && scn_read_flow(f->r, flow);

    if (good && f->options.header_bytes) {
        add_headers(f, &f->r->s->listed[f->r->s->n_flows - 1]);
    }
    f->n_read++;
    scn_tree_free(flow);
    return good;
}

static bool
fail_host(struct flow_file *f, const struct scn_node *word, uint64_t number)
{
    if (f->hosts.are_in_names) {
        return scn_fail(word, f->r->err, "the network has no host %llu (H%llu)",
                        (unsigned long long)number, (unsigned long long)number);
    }
    return scn_fail(
        word, f->r->err,
        "the network has no host %llu: its %u hosts are numbered from 0, in their order",
        (unsigned long long)number, f->hosts.topo->n_nics);
}

/* Adds a host by its name, given its number. */
static bool
add_host(struct flow_file *f, struct scn_node *flow, const char *key, const struct scn_node *word)
{
    uint64_t number;

    if (!scn_word_number(word, UINT64_MAX, &number, f->r->err)) {
        return false;
    }
    uint32_t host = topo_host_of_number(&f->hosts, number);
    if (host == TOPO_NONE) {
        return fail_host(f, word, number);
    }
    scn_import_word(flow, key, word, "%s", f->hosts.topo->nodes[host].name);
    return true;
}

static const struct weir_field start_field = { "start", WEIR_TIME, .max = 1000 * WEIR_PS_PER_S };

/* Adds the start time of a flow, from a number in this unit. */
static bool
add_start(struct flow_file *f, struct scn_node *flow, const struct scn_node *word, const char *unit)
{
    const struct scn_node *with_unit =
        scn_import_word(f->l.words, NULL, word, "%s%s", word->word, unit);
    uint64_t start_ps;

    if (!scn_read_value(f->r, with_unit, &start_field, &start_ps)) {
        return false;
    }
    if (start_ps < f->options.skip_ps) {
        return scn_fail(word, f->r->err, "the flow starts before the time that is skipped");
    }
    return scn_import_word(flow, "start", word, "%llups",
                           (unsigned long long)(start_ps - f->options.skip_ps));
}

/* These functions read HPCC's files.  The first line has the number of flows; the reader ignores
 * lines after these flows. */

static bool
fill_hpcc(struct flow_file *f, struct scn_node *flow)
{
    static const char what[] = "expected source, destination, priority, port, bytes and start, as "
                               "in '0 5 3 100 1000000 2.0'";
    const struct scn_node *words[6];

    for (size_t i = 0; i < 6; i++) {
        if (!(words[i] = scn_next_word(&f->l))) {
            return scn_fail_line(&f->l, f->r->err, what);
        }
    }
    if (!scn_end_line(&f->l, f->r->err) || !add_host(f, flow, "from", words[0]) ||
        !add_host(f, flow, "to", words[1])) {
        return false;
    }
    scn_import_word(flow, "class", words[2], "%s", words[2]->word);
    scn_import_word(flow, "dport", words[3], "%s", words[3]->word);
    scn_import_word(flow, "bytes", words[4], "%sB", words[4]->word);
    return add_start(f, flow, words[5], "s");
}

static bool
read_hpcc(struct flow_file *f)
{
    static const char what[] = "expected the number of flows";
    struct err *err = f->r->err;

    if (!scn_next_line(&f->l)) {
        return scn_fail_in(f->l.source, 1, 1, err, "%s", what);
    }
    if (!scn_next_number(&f->l, what, MAX_FLOWS, &f->n_flows, err) || !scn_end_line(&f->l, err)) {
        return false;
    }
    while (f->n_read < f->n_flows) {
        if (!scn_next_line(&f->l)) {
            return scn_fail_line(&f->l, err, "there are fewer flows than the first line says");
        }
        if (!read_flow(f, fill_hpcc)) {
            return false;
        }
    }
    scn_note_tail(f->r, f->l.source, scn_pass_lines(&f->l));
    return true;
}

/* These functions read htsim's files. */

static bool
add_ends(struct flow_file *f, struct scn_node *flow, const struct scn_node *ends)
{
    const char *arrow = strstr(ends->word, "->");

    if (!arrow) {
        return scn_fail(ends, f->r->err,
                        "expected a connection, as in '0->5 id 1 start 0 size 2000000'");
    }
    const struct scn_node *from =
        scn_import_word(f->l.words, NULL, ends, "%.*s", (int)(arrow - ends->word), ends->word);
    const struct scn_node *to = scn_import_word(f->l.words, NULL, ends, "%s", arrow + 2);
    return add_host(f, flow, "from", from) && add_host(f, flow, "to", to);
}

static bool
add_property(struct flow_file *f, struct scn_node *flow, const struct scn_node *name,
             const struct scn_node *value)
{
    if (!strcmp(name->word, "start") && !scn_child(flow, "start")) {
        return add_start(f, flow, value, "ps");
    }
    if (!strcmp(name->word, "size")) {
        return scn_import_word(flow, "bytes", value, "%sB", value->word);
    }
    return !strcmp(name->word, "id") || !strcmp(name->word, "prio") ||
           scn_fail(name, f->r->err,
                    "unknown word '%s': a connection may have id, start, size and prio; triggers "
                    "are not supported",
                    name->word);
}

static bool
fill_htsim(struct flow_file *f, struct scn_node *flow)
{
    const struct scn_node *ends = f->l.words->children[0];
    bool good = add_ends(f, flow, ends);

    for (const struct scn_node *name; good && (name = scn_next_word(&f->l));) {
        const struct scn_node *value = scn_next_word(&f->l);
        good = value ? add_property(f, flow, name, value)
                     : scn_fail(name, f->r->err, "'%s' has no value", name->word);
    }
    return good &&
           (scn_child(flow, "start") || scn_fail(ends, f->r->err, "the connection has no start"));
}

static bool
read_htsim_line(struct flow_file *f, const struct scn_node *first, uint64_t *n_nodes)
{
    struct err *err = f->r->err;

    if (!strcmp(first->word, "Nodes")) {
        return scn_next_number(&f->l, "expected the number of nodes", MAX_FLOWS, n_nodes, err) &&
               scn_end_line(&f->l, err);
    }
    if (!strcmp(first->word, "Connections")) {
        return scn_next_number(&f->l, "expected the number of connections", MAX_FLOWS, &f->n_flows,
                               err) &&
               scn_end_line(&f->l, err);
    }
    return read_flow(f, fill_htsim);
}

static bool
read_htsim(struct flow_file *f)
{
    uint64_t n_nodes = UINT64_MAX;
    bool good = true;

    f->n_flows = UINT64_MAX;
    while (good && scn_next_line(&f->l)) {
        good = read_htsim_line(f, scn_next_word(&f->l), &n_nodes);
    }
    if (!good) {
        return false;
    }
    if (f->n_flows != UINT64_MAX && f->n_flows != f->n_read) {
        return scn_fail_in(f->l.source, 1, 1, f->r->err,
                           "Connections is %llu, but the file has %llu",
                           (unsigned long long)f->n_flows, (unsigned long long)f->n_read);
    }
    return n_nodes == UINT64_MAX || n_nodes <= f->r->s->topo.n_nics ||
           scn_fail_in(f->l.source, 1, 1, f->r->err,
                       "the file is for %llu hosts, but the network has %u",
                       (unsigned long long)n_nodes, f->r->s->topo.n_nics);
}

static bool
import_flows(struct resolver *r, const struct scn_node *map)
{
    const struct scn_node *hpcc = scn_child(map, "hpcc"), *htsim = scn_child(map, "htsim");
    struct flow_file f = { .r = r };

    weir_fields_default(scn_flow_files_table.fields, &f.options);
    if (!scn_read_map(r, map, &scn_flow_files_table, &f.options)) {
        return false;
    }
    if (hpcc && htsim) {
        return scn_fail(map, r->err, "flows can come from one file only: either hpcc or htsim");
    }
    if (f.options.header_bytes >= r->s->wire.mtu_bytes) {
        return scn_fail(scn_child(map, "headers"), r->err,
                        "a packet of the largest size has %llu bytes ('wire.mtu'), and would carry "
                        "no data",
                        (unsigned long long)r->s->wire.mtu_bytes);
    }
    f.l.source = scn_load_other(r, hpcc ? hpcc : htsim);
    f.hosts = topo_hosts_of(&r->s->topo);
    bool good = f.l.source && scn_check_text(f.l.source, false, r->err) &&
                (hpcc ? read_hpcc(&f) : read_htsim(&f));
    topo_hosts_free(&f.hosts);
    scn_lines_close(&f.l);
    return good;
}

bool
scn_read_flows(struct resolver *r)
{
    const struct scn_node *flows = scn_child(r->root, "flows");
    bool is_file = scn_child(flows, "hpcc") || scn_child(flows, "htsim");

    return is_file ? import_flows(r, flows) : scn_read_items(r, r->root, "flows", scn_read_flow);
}
