#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "scenario/scenario.h"

/* The tables. */

enum { RING, INCAST, DUMBBELL, FAT_TREE };

static const char *const topology_kinds[] = { "ring", "incast", "dumbbell", "fat-tree", 0 };
static void (*const builders[])(struct topo *, const struct topo_build *) = {
    [RING] = topo_build_ring,
    [INCAST] = topo_build_incast,
    [DUMBBELL] = topo_build_dumbbell,
    [FAT_TREE] = topo_build_fat_tree,
};
static const char *const switch_kinds[] = { "oq", 0 };
enum { IN_TURN, STRICT };

static const char *const schedulings[] = { [IN_TURN] = "rr", [STRICT] = "strict", 0 };
static const char *const arbitrations[] = { "fifo", "rr", "random", "wfq", 0 };

#define MAX_RATE (100 * (uint64_t)WEIR_PS_PER_S)

static const struct weir_field topology_fields[] = {
    WEIR_FIELD(struct scn_topology, kind, "kind", WEIR_CHOICE, .choices = topology_kinds,
               .help = "How the network is built."),
    WEIR_FIELD(struct scn_topology, switches, "switches", WEIR_COUNT, .fallback = 3, .min = 2,
               .max = 1000, .help = "Of a ring; a host stands at each."),
    WEIR_FIELD(struct scn_topology, hosts, "hosts", WEIR_COUNT, .fallback = 2, .min = 1,
               .max = 10000, .help = "Senders of an incast, or hosts at each side of a dumbbell."),
    WEIR_FIELD(struct scn_topology, k, "k", WEIR_COUNT, .fallback = 4, .min = 2, .max = 64,
               .help = "Ports a switch of a fat tree, even; it has k^3/4 hosts."),
    WEIR_FIELD(struct scn_topology, rate_bps, "rate", WEIR_RATE, .fallback = 100000000000,
               .min = 1000, .max = MAX_RATE, .help = "Of every link."),
    WEIR_FIELD(struct scn_topology, delay_ps, "delay", WEIR_TIME, .fallback = 1000000, .min = 0,
               .max = WEIR_PS_PER_S / 10, .help = "Of every link, one way."),
    WEIR_FIELD(struct scn_topology, loss, "loss", WEIR_RATIO, .max = WEIR_RATIO_1 - 1,
               .help = "Share of packets and frames that a link loses."),
    { 0 },
};

static const struct weir_field switch_fields[] = {
    WEIR_FIELD(struct scn_switch, kind, "kind", WEIR_CHOICE, .choices = switch_kinds,
               .help = "oq: shared memory, output queues."),
    WEIR_FIELD(struct scn_switch, arbitration, "arbitration", WEIR_CHOICE, .choices = arbitrations,
               .help = "Which input an output serves next."),
    WEIR_FIELD(struct scn_switch, scheduling, "scheduling", WEIR_CHOICE, .choices = schedulings,
               .help = "Which class an output serves next, also at NICs: in turn, or the highest."),
    WEIR_FIELD(struct scn_switch, buffer_bytes, "buffer", WEIR_BYTES, .fallback = 1000000,
               .max = WEIR_MAX_BYTES, .help = "What each class of each port has for itself."),
    WEIR_FIELD(struct scn_switch, shared_bytes, "shared", WEIR_BYTES, .max = WEIR_MAX_BYTES,
               .help = "What all share besides."),
    WEIR_FIELD(struct scn_switch, limit_bytes, "limit", WEIR_BYTES, .max = WEIR_MAX_BYTES,
               .help = "What one class of one port may take of that."),
    WEIR_FIELD(struct scn_switch, alpha, "alpha", WEIR_RATIO, .max = 128 * WEIR_RATIO_1,
               .help = "Instead of a limit: this times what is free of it."),
    WEIR_FIELD(struct scn_switch, headroom_bytes, "headroom", WEIR_BYTES, .max = WEIR_MAX_BYTES,
               .help = "Of each class of each port, past that."),
    WEIR_FIELD(struct scn_switch, response_ps, "response", WEIR_TIME, .fallback = 3000000,
               .max = WEIR_PS_PER_S / 10,
               .help = "From the last bit of a control frame to its effect, also at NICs."),
    { 0 },
};

static const struct weir_field wire_fields[] = {
    WEIR_FIELD(struct scn_wire, mtu_bytes, "mtu", WEIR_BYTES, .fallback = 1500, .min = 64,
               .max = 65535, .help = "The largest packet."),
    WEIR_FIELD(struct scn_wire, gap_bytes, "gap", WEIR_BYTES, .fallback = 20, .max = 1000,
               .help = "Preamble and gap of each frame."),
    WEIR_FIELD(struct scn_wire, classes, "classes", WEIR_COUNT, .fallback = 1, .min = 1,
               .max = WEIR_MAX_CLASSES, .help = "Classes of traffic."),
    WEIR_FIELD(struct scn_wire, lossless, "lossless", WEIR_CODE, .fallback = 0xff, .max = 0xff,
               .help = "Bit c: class c is under flow control."),
    { 0 },
};

static const struct weir_field run_fields[] = {
    WEIR_FIELD(struct scn_run, time_ps, "time", WEIR_TIME, .fallback = 10000000000, .min = 1000000,
               .max = 1000 * WEIR_PS_PER_S, .help = "How long the network runs."),
    WEIR_FIELD(struct scn_run, seed, "seed", WEIR_COUNT, .fallback = 1, .max = UINT32_MAX,
               .help = "Of all chance."),
    { 0 },
};

const struct scn_section scn_sections[] = {
    { "topology", topology_fields, offsetof(struct scenario, topology) },
    { "switch", switch_fields, offsetof(struct scenario, switches) },
    { "wire", wire_fields, offsetof(struct scenario, wire) },
    { "run", run_fields, offsetof(struct scenario, run) },
    { 0 },
};

static const struct weir_field flow_fields[] = {
    WEIR_FIELD(struct scn_flow, bytes, "bytes", WEIR_BYTES, .fallback = UINT64_MAX, .min = 1,
               .max = UINT64_MAX, .help = "How much it sends; left out: without end."),
    WEIR_FIELD(struct scn_flow, rate_bps, "rate", WEIR_RATE, .fallback = WEIR_UNLIMITED,
               .min = 1000, .max = UINT64_MAX, .help = "Left out: as fast as it may."),
    WEIR_FIELD(struct scn_flow, start_ps, "start", WEIR_TIME, .max = 1000 * WEIR_PS_PER_S,
               .help = "When it starts."),
    WEIR_FIELD(struct scn_flow, cls, "class", WEIR_COUNT, .max = WEIR_MAX_CLASSES - 1,
               .help = "Its class."),
    { 0 },
};

/* Words that are not in a table. */
static const char *const top_keys[] = { "name",   "topology", "switch", "wire",   "run",
                                        "engine", "engines",  "flows",  "expect", "claims" };
static const char *const flow_keys[] = { "from",  "to",   "via",   "name",
                                         "bytes", "rate", "start", "class" };

struct resolver {
    struct scenario *s;
    const struct scn_source *source;
    struct scn_node *root;
    struct err *err;
};

static bool
fail_at(struct resolver *r, const struct scn_node *n, const char *text)
{
    return scn_fail(r->source, n->line, n->column, r->err, "%s", text);
}

static bool
expect_kind(struct resolver *r, const struct scn_node *n, enum scn_kind kind, const char *what)
{
    return n->kind == kind || fail_at(r, n, what);
}

/* Refuses a key that nobody has read, and offers the nearest. */
static bool
refuse_unused(struct resolver *r, const struct scn_node *map, const char *const *names,
              size_t stride, size_t n_names)
{
    for (size_t i = 0; i < map->n_children; i++) {
        const struct scn_node *child = map->children[i];
        if (!child->used) {
            char offer[200];
            text_offer(child->key, names, stride, n_names, offer, sizeof offer);
            return scn_fail(r->source, child->key_line, child->key_column, r->err,
                            "unknown key '%s'%s", child->key, offer);
        }
    }
    return true;
}

static size_t
count_fields(const struct weir_field *fields)
{
    size_t n = 0;
    while (fields[n].name) {
        n++;
    }
    return n;
}

static bool
read_fields(struct resolver *r, struct scn_node *map, const struct weir_field *fields, void *base)
{
    for (const struct weir_field *f = fields; f->name; f++) {
        struct scn_node *n = scn_child(map, f->name);
        struct weir_text why = { 0 };
        uint64_t value;
        if (!n) {
            continue;
        }
        if (!expect_kind(r, n, SCN_WORD, "expected a value")) {
            return false;
        }
        if (!weir_field_parse(f, n->word, &value, &why) || !weir_field_check(f, value, &why)) {
            return fail_at(r, n, why.s);
        }
        weir_field_set(f, base, value);
    }
    return true;
}

static bool
read_section(struct resolver *r, const struct scn_section *section)
{
    struct scn_node *n = scn_child(r->root, section->name);
    void *base = (char *)r->s + section->offset;

    weir_fields_default(section->fields, base);
    if (!n) {
        return true;
    }
    if (!expect_kind(r, n, SCN_MAP, "expected keys, as in {kind: ring}")) {
        return false;
    }
    scn_child(n, "failed"); /* Of the topology; read when the network is there. */
    return read_fields(r, n, section->fields, base) &&
           refuse_unused(r, n, &section->fields[0].name, sizeof section->fields[0],
                         count_fields(section->fields));
}

/* Engines. */

static bool
unknown_engine(struct resolver *r, size_t line, size_t column, const char *name)
{
    const char *names[64];
    char offer[200];
    size_t n = weir_engine_names(names, sizeof names / sizeof *names);

    text_offer(name, names, sizeof names[0], n, offer, sizeof offer);
    return scn_fail(r->source, line, column, r->err, "unknown engine '%s'%s", name, offer);
}

static bool
add_engine(struct resolver *r, const struct scn_node *n)
{
    if (!expect_kind(r, n, SCN_WORD, "expected the name of an engine")) {
        return false;
    }
    const struct weir_engine *engine = weir_engine_find(n->word);
    if (!engine) {
        return unknown_engine(r, n->line, n->column, n->word);
    }
    return weir_stack_add(&r->s->stack, engine) || fail_at(r, n, "too many engines at one node");
}

/* Parameters of engines that are not used are checked all the same. */
static bool
read_engine_params(struct resolver *r, struct scn_node *n)
{
    const struct weir_engine *engine = weir_engine_find(n->key);
    uint64_t ignored[WEIR_PARAMS_MAX / sizeof(uint64_t)];
    void *params = ignored;

    n->used = true;
    if (!engine) {
        return unknown_engine(r, n->key_line, n->key_column, n->key);
    }
    for (uint32_t i = 0; i < r->s->stack.n; i++) {
        params = r->s->stack.layers[i].engine == engine ? r->s->stack.layers[i].params : params;
    }
    return expect_kind(r, n, SCN_MAP, "expected parameters, as in {xoff: 800KB}") &&
           read_fields(r, n, engine->params, params) &&
           refuse_unused(r, n, &engine->params[0].name, sizeof engine->params[0],
                         count_fields(engine->params));
}

static bool
read_engines(struct resolver *r)
{
    struct scn_node *engine = scn_child(r->root, "engine"), *all = scn_child(r->root, "engines");

    if (!engine) {
        weir_stack_add(&r->s->stack, weir_engine_find("pfc"));
    } else if (engine->kind != SCN_LIST) {
        if (!add_engine(r, engine)) {
            return false;
        }
    } else {
        for (size_t i = 0; i < engine->n_children; i++) {
            if (!add_engine(r, engine->children[i])) {
                return false;
            }
        }
    }
    if (all && !expect_kind(r, all, SCN_MAP, "expected engines, as in {pfc: {xoff: 800KB}}")) {
        return false;
    }
    for (size_t i = 0; all && i < all->n_children; i++) {
        if (!read_engine_params(r, all->children[i])) {
            return false;
        }
    }
    return true;
}

/* The network. */

static bool find_node(struct resolver *, const struct scn_node *, uint32_t *node);

/* A link is written [A1, C2]. */
static bool
fail_link(struct resolver *r, const struct scn_node *pair)
{
    struct topo *t = &r->s->topo;
    uint32_t ends[2];

    if (pair->kind != SCN_LIST || pair->n_children != 2) {
        return fail_at(r, pair, "expected a link, as in [A1, C2]");
    }
    for (int i = 0; i < 2; i++) {
        if (!find_node(r, pair->children[i], &ends[i])) {
            return false;
        }
    }
    uint32_t port = topo_port_to(t, ends[0], ends[1]);
    if (port == TOPO_NONE) {
        return scn_fail(r->source, pair->line, pair->column, r->err, "no link from %s to %s",
                        t->nodes[ends[0]].name, t->nodes[ends[1]].name);
    }
    t->links[t->ports[port].link].failed = true;
    return true;
}

static bool
fail_links(struct resolver *r, struct scn_node *topology)
{
    struct scn_node *failed = scn_child(topology, "failed");

    if (failed && !expect_kind(r, failed, SCN_LIST, "expected links, as in [[A1, C2], [A5, C1]]")) {
        return false;
    }
    for (size_t i = 0; failed && i < failed->n_children; i++) {
        if (!fail_link(r, failed->children[i])) {
            return false;
        }
    }
    return true;
}

static bool
build_network(struct resolver *r)
{
    const struct scn_topology *t = &r->s->topology;
    struct scn_node *n = scn_child(r->root, "topology");
    struct topo_build build = {
        .switches = t->switches,
        .hosts = t->hosts,
        .k = t->k,
        .link = { .rate_bps = t->rate_bps, .delay_ps = (weir_ps)t->delay_ps, .loss = t->loss }
    };

    if (!n) {
        return scn_fail(r->source, 1, 1, r->err, "no topology: write topology: {kind: ring}");
    }
    if (t->kind == FAT_TREE && t->k % 2) {
        return fail_at(r, n, "k of a fat tree must be even");
    }
    builders[t->kind](&r->s->topo, &build);
    struct err why;
    if (!topo_finish(&r->s->topo, &why)) {
        return fail_at(r, n, why.text);
    }
    if (!fail_links(r, n)) {
        return false;
    }
    topo_route(&r->s->topo);
    return true;
}

/* Flows. */

/* Any node by its name. */
static bool
find_node(struct resolver *r, const struct scn_node *n, uint32_t *node)
{
    const struct topo *t = &r->s->topo;

    if (!expect_kind(r, n, SCN_WORD, "expected the name of a node")) {
        return false;
    }
    *node = topo_find_node(t, n->word);
    if (*node != TOPO_NONE) {
        return true;
    }
    return scn_fail(r->source, n->line, n->column, r->err,
                    "no node '%s'; there are %s to %s and %s to %s", n->word, t->nodes[0].name,
                    t->nodes[t->n_switches - 1].name, t->nodes[t->n_switches].name,
                    t->nodes[t->n_nodes - 1].name);
}

static bool
find_kind(struct resolver *r, const struct scn_node *n, enum topo_kind kind, uint32_t *node)
{
    if (!find_node(r, n, node)) {
        return false;
    }
    return r->s->topo.nodes[*node].kind == kind ||
           fail_at(r, n,
                   kind == TOPO_NIC ? "this is a switch; a flow runs between hosts"
                                    : "this is a host; a path goes by switches");
}

static bool
read_end(struct resolver *r, struct scn_node *flow, const char *key, uint32_t *node)
{
    struct scn_node *n = scn_child(flow, key);
    if (!n) {
        return scn_fail(r->source, flow->line, flow->column, r->err, "a flow needs '%s'", key);
    }
    return find_kind(r, n, TOPO_NIC, node);
}

/* The switches on the way become the ports to leave them by. */
static bool
read_path(struct resolver *r, struct scn_node *via, struct scn_flow *f)
{
    const struct topo *t = &r->s->topo;
    uint32_t at = f->from;

    if (!expect_kind(r, via, SCN_LIST, "expected switches, as in [S1, S2]")) {
        return false;
    }
    f->path = array_new(via->n_children, sizeof *f->path);
    for (size_t i = 0; i <= via->n_children; i++) {
        const struct scn_node *n = i < via->n_children ? via->children[i] : via;
        uint32_t next = f->to;
        if (i < via->n_children && !find_kind(r, n, TOPO_SWITCH, &next)) {
            return false;
        }
        uint32_t port = topo_port_to(t, at, next);
        if (port == TOPO_NONE) {
            return scn_fail(r->source, n->line, n->column, r->err, "no link from %s to %s",
                            t->nodes[at].name, t->nodes[next].name);
        }
        if (t->links[t->ports[port].link].failed) {
            return scn_fail(r->source, n->line, n->column, r->err,
                            "the link from %s to %s has failed", t->nodes[at].name,
                            t->nodes[next].name);
        }
        if (i) {
            f->path[f->n_path++] = (uint16_t)t->ports[port].number;
        }
        at = next;
    }
    return true;
}

static bool
read_flow(struct resolver *r, struct scn_node *n)
{
    ARRAY_PUSH(r->s->flows, r->s->n_flows, r->s->max_flows) = (struct scn_flow){ 0 };
    struct scn_flow *f = &r->s->flows[r->s->n_flows - 1];

    weir_fields_default(flow_fields, f);
    if (!expect_kind(r, n, SCN_MAP, "expected a flow, as in {from: H1, to: H2}") ||
        !read_end(r, n, "from", &f->from) || !read_end(r, n, "to", &f->to) ||
        !read_fields(r, n, flow_fields, f)) {
        return false;
    }
    if (f->from == f->to) {
        return fail_at(r, n, "a flow from a host to itself");
    }
    if (f->cls >= r->s->wire.classes) {
        return fail_at(r, n, "no such class: wire.classes says how many there are");
    }
    struct scn_node *via = scn_child(n, "via"), *name = scn_child(n, "name");
    snprintf(f->name, sizeof f->name, "%s-%s", r->s->topo.nodes[f->from].name,
             r->s->topo.nodes[f->to].name);
    if (name && name->kind == SCN_WORD) {
        snprintf(f->name, sizeof f->name, "%.60s", name->word);
    }
    return (!via || read_path(r, via, f)) && refuse_unused(r, n, flow_keys, sizeof flow_keys[0],
                                                           sizeof flow_keys / sizeof *flow_keys);
}

/* Every item of the list at a top key, if it is there. */
static bool
read_list(struct resolver *r, const char *key,
          bool (*read_item)(struct resolver *, struct scn_node *))
{
    struct scn_node *list = scn_child(r->root, key);

    if (list && !expect_kind(r, list, SCN_LIST, "expected a list")) {
        return false;
    }
    for (size_t i = 0; list && i < list->n_children; i++) {
        if (!read_item(r, list->children[i])) {
            return false;
        }
    }
    return true;
}

/* Claims. */

static const char *const claim_kinds[] = { "deadlock", "goodput", "queue", "peak", 0 };
static const struct weir_field claim_fields[] = {
    WEIR_FIELD(struct scn_claim, of, "of", WEIR_CHOICE, .choices = claim_kinds),
    WEIR_FIELD(struct scn_claim, within, "within", WEIR_RATIO, .fallback = WEIR_RATIO_1 / 20,
               .max = WEIR_RATIO_1),
    { 0 },
};
static const char *const claim_keys[] = { "of",    "within",    "engine", "flow",
                                          "queue", "published", "source" };

static bool
need(struct resolver *r, struct scn_node *map, const char *key, struct scn_node **child)
{
    *child = scn_child(map, key);
    return *child || scn_fail(r->source, map->line, map->column, r->err, "a claim needs '%s'", key);
}

static bool
read_claim_flow(struct resolver *r, struct scn_node *n, struct scn_claim *c)
{
    for (size_t i = 0; n->kind == SCN_WORD && i < r->s->n_flows; i++) {
        if (!strcmp(r->s->flows[i].name, n->word)) {
            c->flow = (uint32_t)i;
            return true;
        }
    }
    return fail_at(r, n, "no such flow");
}

/* A queue is written [S1, H1]: at S1, of what comes from H1. */
static bool
read_claim_queue(struct resolver *r, struct scn_node *n, struct scn_claim *c)
{
    uint32_t at, from;

    if (n->kind != SCN_LIST || n->n_children != 2) {
        return fail_at(r, n, "expected a queue, as in [S1, H1]: at S1, from H1");
    }
    if (!find_node(r, n->children[0], &at) || !find_node(r, n->children[1], &from)) {
        return false;
    }
    c->port = topo_port_to(&r->s->topo, at, from);
    return c->port != TOPO_NONE || fail_at(r, n, "no link between these");
}

static bool
read_published(struct resolver *r, struct scn_node *n, struct scn_claim *c)
{
    static const enum weir_kind kinds[] = {
        [SCN_GOODPUT] = WEIR_RATE, [SCN_QUEUE] = WEIR_BYTES, [SCN_PEAK] = WEIR_BYTES
    };
    struct weir_text why = { 0 };

    if (!expect_kind(r, n, SCN_WORD, "expected a value")) {
        return false;
    }
    if (c->of == SCN_DEADLOCK) {
        c->published = !strcmp(n->word, "yes");
        return c->published || !strcmp(n->word, "no") || fail_at(r, n, "a deadlock: yes, or no");
    }
    return weir_value_parse(kinds[c->of], n->word, &c->published, &why) || fail_at(r, n, why.s);
}

static bool
read_claim(struct resolver *r, struct scn_node *n)
{
    ARRAY_PUSH(r->s->claims, r->s->n_claims, r->s->max_claims) = (struct scn_claim){ 0 };
    struct scn_claim *c = &r->s->claims[r->s->n_claims - 1];
    struct scn_node *of, *engine, *published, *source, *what = NULL;

    weir_fields_default(claim_fields, c);
    if (!expect_kind(r, n, SCN_MAP, "expected a claim, as in {of: deadlock, engine: pfc, ...}") ||
        !need(r, n, "of", &of) || !need(r, n, "engine", &engine) ||
        !need(r, n, "published", &published) || !need(r, n, "source", &source) ||
        !read_fields(r, n, claim_fields, c) || !read_published(r, published, c)) {
        return false;
    }
    c->engine = engine->kind == SCN_WORD ? weir_engine_find(engine->word) : NULL;
    if (!c->engine) {
        return unknown_engine(r, engine->line, engine->column,
                              engine->kind == SCN_WORD ? engine->word : "");
    }
    snprintf(c->source, sizeof c->source, "%.60s", source->kind == SCN_WORD ? source->word : "");
    if (c->of == SCN_GOODPUT && (!need(r, n, "flow", &what) || !read_claim_flow(r, what, c))) {
        return false;
    }
    if ((c->of == SCN_QUEUE || c->of == SCN_PEAK) &&
        (!need(r, n, "queue", &what) || !read_claim_queue(r, what, c))) {
        return false;
    }
    return refuse_unused(r, n, claim_keys, sizeof claim_keys[0],
                         sizeof claim_keys / sizeof *claim_keys);
}

static bool
read_expectation(struct resolver *r, const struct scn_node *n)
{
    if (n->kind == SCN_WORD && !strcmp(n->word, "deadlock")) {
        r->s->expect |= SCN_EXPECT_DEADLOCK;
    } else if (n->kind == SCN_WORD && !strcmp(n->word, "drops")) {
        r->s->expect |= SCN_EXPECT_DROPS;
    } else if (n->kind == SCN_WORD && !strcmp(n->word, "collapse")) {
        r->s->expect |= SCN_EXPECT_COLLAPSE;
    } else {
        return fail_at(r, n, "one can expect deadlock, collapse or drops");
    }
    return true;
}

static bool
read_rest(struct resolver *r)
{
    struct scn_node *name = scn_child(r->root, "name"), *expect = scn_child(r->root, "expect");

    snprintf(r->s->name, sizeof r->s->name, "%.60s",
             name && name->kind == SCN_WORD ? name->word : r->source->name);
    if (expect && expect->kind != SCN_LIST) {
        return read_expectation(r, expect);
    }
    for (size_t i = 0; expect && i < expect->n_children; i++) {
        if (!read_expectation(r, expect->children[i])) {
            return false;
        }
    }
    return true;
}

/* Before all else, so that a misspelt key is named as such and not as missing. */
static bool
check_top_keys(struct resolver *r)
{
    size_t n_keys = sizeof top_keys / sizeof *top_keys;

    for (size_t i = 0; i < n_keys; i++) {
        scn_child(r->root, top_keys[i]);
    }
    return refuse_unused(r, r->root, top_keys, sizeof top_keys[0], n_keys);
}

static bool
resolve(struct resolver *r)
{
    if (!check_top_keys(r)) {
        return false;
    }
    for (const struct scn_section *s = scn_sections; s->name; s++) {
        if (!read_section(r, s)) {
            return false;
        }
    }
    return read_engines(r) && build_network(r) && read_list(r, "flows", read_flow) &&
           read_list(r, "claims", read_claim) && read_rest(r);
}

static bool
apply_sets(struct scn_node *root, const char *const *sets, size_t n_sets, struct err *err)
{
    for (size_t i = 0; i < n_sets; i++) {
        const char *equals = strchr(sets[i], '=');
        if (!equals) {
            return err_set(err, "--set %s: write a.b=value", sets[i]);
        }
        char *path = strndup(sets[i], (size_t)(equals - sets[i]));
        bool good = scn_tree_set(root, path, equals + 1, err);
        free(path);
        if (!good) {
            return false;
        }
    }
    return true;
}

bool
scn_read(struct scenario *s, const struct scn_source *source, const char *const *sets,
         size_t n_sets, struct err *err)
{
    struct resolver r = { .s = s, .source = source, .err = err };

    *s = (struct scenario){ 0 };
    r.root = scn_tree_read(source, err);
    bool good = r.root && apply_sets(r.root, sets, n_sets, err) && resolve(&r);
    scn_tree_free(r.root);
    if (!good) {
        scn_free(s);
    }
    return good;
}

void
scn_free(struct scenario *s)
{
    for (size_t i = 0; i < s->n_flows; i++) {
        free(s->flows[i].path);
    }
    free(s->flows);
    free(s->claims);
    topo_free(&s->topo);
    *s = (struct scenario){ 0 };
}

const char *
scn_arbitration(const struct scenario *s)
{
    return arbitrations[s->switches.arbitration];
}

bool
scn_is_strict(const struct scenario *s)
{
    return s->switches.scheduling == STRICT;
}
