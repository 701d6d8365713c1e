/* Reads htsim's topology files, which describe Clos networks of two or three tiers by a few
 * numbers.
 *
 *     Nodes 1024                  hosts
 *     Tiers 3
 *     Podsize 64                  hosts in a pod
 *     Tier 0                      the next lines are about the switches of this tier
 *     Downlink_speed_Gbps 100
 *     Downlink_Latency_ns 1000
 *     Radix_Down 8
 *     Radix_Up 8
 *     Bundle 1                    parallel links, which become one link with the sum of their rates
 *
 * Hosts are named H0.. by their numbers in connection matrices; switches are L1.., S1.. and C1.. .
 * Queue sizes and oversubscription are ignored: buffers are set in the scenario, and
 * oversubscription follows from the radixes. */

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "scenario/import.h"

enum { MAX_TIERS = 3, MAX_NODES = 100000, MAX_LINKS = 1000000 };

struct tier {
    uint64_t gbps, latency_ns, radix_down, radix_up, bundle, switch_ns;
};

struct htsim {
    struct scn_lines l;
    uint64_t nodes, tiers, podsize, ignored;
    struct tier tier[MAX_TIERS];
    struct tier *now; /* The tier that is being read; null: the header is being read. */
    struct scn_node *net;
    struct err *err;
};

#define OF_TIER(MEMBER) true, offsetof(struct tier, MEMBER)
#define OF_ALL(MEMBER)  false, offsetof(struct htsim, MEMBER)

static const struct key {
    const char *name;
    bool is_of_tier;
    size_t offset;
    uint64_t max;
} keys[] = {
    { "nodes", OF_ALL(nodes), MAX_NODES },
    { "tiers", OF_ALL(tiers), MAX_TIERS },
    { "podsize", OF_ALL(podsize), MAX_NODES },
    { "downlink_speed_gbps", OF_TIER(gbps), 100000 },
    { "downlink_latency_ns", OF_TIER(latency_ns), 100000000 },
    { "switch_latency_ns", OF_TIER(switch_ns), 100000000 },
    { "radix_down", OF_TIER(radix_down), 10000 },
    { "radix_up", OF_TIER(radix_up), 10000 },
    { "bundle", OF_TIER(bundle), 1000 },
    { "queue_up", OF_ALL(ignored), UINT32_MAX },
    { "queue_down", OF_ALL(ignored), UINT32_MAX },
    { "oversubscribed", OF_ALL(ignored), UINT32_MAX },
};

static bool
read_tier(struct htsim *h)
{
    uint64_t tier;

    if (!scn_next_number(&h->l, "expected the number of the tier", MAX_TIERS - 1, &tier, h->err)) {
        return false;
    }
    h->now = &h->tier[tier];
    return scn_end_line(&h->l, h->err);
}

static bool
read_value(struct htsim *h, const struct scn_node *name)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct key *k = &keys[i];
        if (strcasecmp(k->name, name->word)) {
            continue;
        }
        if (k->is_of_tier && !h->now) {
            return scn_fail(name, h->err, "%s must come after a line with its tier", name->word);
        }
        char *base = k->is_of_tier ? (char *)h->now : (char *)h;
        uint64_t value;
        if (!scn_next_number(&h->l, "expected a number", k->max, &value, h->err)) {
            return false;
        }
        memcpy(base + k->offset, &value, sizeof value);
        return scn_end_line(&h->l, h->err);
    }
    return scn_fail(name, h->err, "unknown key '%s'", name->word);
}

static bool
read_lines(struct htsim *h)
{
    bool good = true;

    while (good && scn_next_line(&h->l)) {
        const struct scn_node *name = scn_next_word(&h->l);
        good = strcasecmp(name->word, "tier") ? read_value(h, name) : read_tier(h);
    }
    return good;
}

/* Refuses values that contradict each other. The error names the first line of the file. */
static bool
refuse(const struct htsim *h, const char *why)
{
    return scn_fail_in(h->l.source, 1, 1, h->err, "%s", why);
}

static bool
check_tiers(struct htsim *h)
{
    for (uint64_t i = 0; i < h->tiers; i++) {
        struct tier *t = &h->tier[i];
        t->bundle = t->bundle ? t->bundle : 1;
        if (!t->gbps || !t->latency_ns || !t->radix_down || (i + 1 < h->tiers && !t->radix_up)) {
            return refuse(h, "each tier needs Downlink_speed_Gbps, Downlink_Latency_ns, Radix_Down "
                             "and, except at the top, Radix_Up");
        }
        if (t->switch_ns) {
            return refuse(h, "switches have no latency in Weir: add Switch_Latency_ns to the "
                             "latency of the links, and set it to 0");
        }
        if ((i && h->tier[i - 1].radix_up % t->bundle) || t->radix_down % t->bundle) {
            return refuse(h, "Bundle must divide the radix at both of its ends");
        }
    }
    return true;
}

/* The number of switches in each tier of a pod, and of links up from each switch. */
struct shape {
    uint64_t pods, leaves, spines, group, cores;
};

static bool
find_shape(const struct htsim *h, struct shape *s)
{
    const struct tier *t = h->tier;
    bool has_cores = h->tiers == 3;
    uint64_t podsize = has_cores ? h->podsize : h->nodes;

    if (!podsize || h->nodes % podsize || podsize % t[0].radix_down) {
        return refuse(h,
                      "Nodes must be a multiple of Podsize, and Podsize a multiple of Radix_Down "
                      "of tier 0");
    }
    s->pods = h->nodes / podsize;
    s->leaves = podsize / t[0].radix_down;
    s->spines = t[0].radix_up / t[1].bundle;
    s->group = has_cores ? t[1].radix_up / t[2].bundle : 0;
    s->cores = s->spines * s->group;
    if (t[1].radix_down / t[1].bundle != s->leaves) {
        return refuse(h, "Radix_Down of tier 1 divided by its bundle must be the leaves per pod");
    }
    if (s->pods * s->spines * (s->leaves + s->group) > MAX_LINKS) {
        return refuse(h, "there are more than a million links between switches");
    }
    return !has_cores || t[2].radix_down / t[2].bundle == s->pods ||
           refuse(h, "Radix_Down of tier 2 divided by its bundle must be the number of pods");
}

static void
add_names(struct htsim *h, const char *key, char letter, uint64_t first, uint64_t n)
{
    const struct scn_node here = { .source = h->l.source, .line = 1, .column = 1 };

    for (uint64_t i = 0; i < n; i++) {
        scn_import_word(scn_import_list(h->net, key), NULL, &here, "%c%llu", letter,
                        (unsigned long long)(first + i));
    }
}

struct end {
    char letter;
    uint64_t number;
};

static void
add_link(struct htsim *h, const struct tier *t, struct end a, struct end b)
{
    const struct scn_node here = { .source = h->l.source, .line = 1, .column = 1 };
    struct scn_node *link = scn_import_link(h->net, &here);

    scn_import_word(link->children[0], NULL, &here, "%c%llu", a.letter,
                    (unsigned long long)a.number);
    scn_import_word(link->children[0], NULL, &here, "%c%llu", b.letter,
                    (unsigned long long)b.number);
    scn_import_word(link, "rate", &here, "%lluGbps", (unsigned long long)(t->gbps * t->bundle));
    scn_import_word(link, "delay", &here, "%lluns", (unsigned long long)t->latency_ns);
}

static void
build(struct htsim *h, const struct shape *s)
{
    uint64_t n_leaves = s->pods * s->leaves, n_spines = s->pods * s->spines;

    add_names(h, "switches", 'L', 1, n_leaves);
    add_names(h, "switches", 'S', 1, n_spines);
    add_names(h, "switches", 'C', 1, s->cores);
    add_names(h, "hosts", 'H', 0, h->nodes);
    for (uint64_t i = 0; i < h->nodes; i++) {
        add_link(h, &h->tier[0], (struct end){ 'H', i },
                 (struct end){ 'L', i / h->tier[0].radix_down + 1 });
    }
    for (uint64_t i = 0; i < n_leaves * s->spines; i++) {
        uint64_t leaf = i / s->spines, spine = leaf / s->leaves * s->spines + i % s->spines;
        add_link(h, &h->tier[1], (struct end){ 'L', leaf + 1 }, (struct end){ 'S', spine + 1 });
    }
    for (uint64_t i = 0; i < n_spines * s->group; i++) {
        uint64_t spine = i / s->group, core = spine % s->spines * s->group + i % s->group;
        add_link(h, &h->tier[2], (struct end){ 'S', spine + 1 }, (struct end){ 'C', core + 1 });
    }
}

static bool
read_all(struct htsim *h)
{
    struct shape s = { 0 };

    if (!scn_check_text(h->l.source, false, h->err) || !read_lines(h)) {
        return false;
    }
    if (h->tiers < 2 || !h->nodes) {
        return refuse(h, "expected Nodes, Tiers (2 or 3) and Podsize");
    }
    if (!check_tiers(h) || !find_shape(h, &s)) {
        return false;
    }
    build(h, &s);
    return true;
}

static bool
read_network(struct scn_reading *reading)
{
    struct htsim h = { .l = { .source = reading->source },
                       .net = reading->net,
                       .err = reading->err };
    bool good = read_all(&h);

    scn_lines_close(&h.l);
    return good;
}

const struct scn_format scn_htsim = {
    .topology.about = { .name = "htsim",
                        .title = "A Clos network in a .topo file of htsim: hosts H0.., switches "
                                 "L1.., S1.., C1..",
                        .source = "htsim, *.topo" },
    .read = read_network,
};
