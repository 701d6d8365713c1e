/* Maps knobs of HPCC's simulator that become more than one value under one key.
 *
 * Formulas are those of its third.cc and switch-mmu.cc. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scenario/hpcc-config.h"
#include "weir/units.h"

enum { KB = 1000, LARGEST_SHIFT = 3, MAX_ROLES = 256 };

static const uint64_t mib = 1024 * 1024;

static bool
is_mode(const struct scn_config *c, unsigned modes)
{
    return c->mode->bit & modes;
}

/* The bytes of a full packet with headers, by which windows of data are scaled up. */
static uint64_t
packet_bytes(const struct scn_config *c)
{
    return scn_config_number(c, "PACKET_PAYLOAD_SIZE") + c->mode->header_bytes;
}

bool
scn_take_mode(struct scn_config *c, const struct scn_knob *knob, const struct scn_node *value,
              enum scn_knob_use *use)
{
    scn_config_put(c, knob->key, value, c->mode->transport);
    *use = is_mode(c, SCN_CC_PINT) ? SCN_KNOB_NEAR : SCN_KNOB_EXACT;
    return true;
}

/* These functions take file names. */

bool
scn_take_topology(struct scn_config *c, const struct scn_knob *knob, const struct scn_node *value,
                  enum scn_knob_use *use)
{
    if (*value->word) {
        scn_config_put(c, knob->key, value, value->word);
    }
    *use = SCN_KNOB_EXACT;
    return true;
}

/* Takes the file of flows. If the user sets flows, as a list or a file, the config's flows are
 * ignored. */
bool
scn_take_flows(struct scn_config *c, const struct scn_knob *knob, const struct scn_node *value,
               enum scn_knob_use *use)
{
    *use = SCN_KNOB_EXACT;
    if (!*value->word || scn_config_is_said(c, knob->key)) {
        return true;
    }
    scn_config_put_number(c, "flows.headers", scn_config_word(c, "PACKET_PAYLOAD_SIZE", 0),
                          c->mode->header_bytes, "B");
    if (!scn_config_is_said(c, "flows.htsim")) {
        scn_config_put(c, knob->key, value, value->word);
    }
    return true;
}

bool
scn_take_payload(struct scn_config *c, const struct scn_knob *knob, const struct scn_node *value,
                 enum scn_knob_use *use)
{
    uint64_t payload;

    *use = SCN_KNOB_EXACT;
    if (!scn_word_number(value, UINT16_MAX, &payload, c->r->err)) {
        return false;
    }
    if (!payload) {
        return scn_fail(value, c->r->err, "%s is 0: packets would carry no data", knob->name);
    }
    scn_config_put_number(c, knob->key, value, packet_bytes(c), "B");
    return true;
}

bool
scn_take_acks(struct scn_config *c, const struct scn_knob *knob, const struct scn_node *value,
              enum scn_knob_use *use)
{
    uint64_t n = strtoull(value->word, NULL, 10);

    if (!n) {
        return scn_fail(value, c->r->err,
                        "%s is 0: senders of HPCC's simulator then accept no ACK, and no flow ends",
                        knob->name);
    }
    scn_config_put(c, knob->key, value, "1");
    *use = n <= scn_config_number(c, "PACKET_PAYLOAD_SIZE") ? SCN_KNOB_EXACT : SCN_KNOB_NEAR;
    return true;
}

/* These functions take settings of ECN marks. */

static bool
has_marks(const struct scn_config *c)
{
    return is_mode(c, SCN_CC_DCQCN | SCN_CC_DCTCP) && scn_config_number(c, "ENABLE_QCN");
}

bool
scn_take_marks(struct scn_config *c, const struct scn_knob *knob, const struct scn_node *value,
               enum scn_knob_use *use)
{
    struct scn_node *stack = scn_config_list(c, knob->key, value);

    scn_import_word(stack, NULL, value, "pfc");
    if (has_marks(c)) {
        scn_import_word(stack, NULL, value, "ecn");
    }
    *use = SCN_KNOB_EXACT;
    return true;
}

/* The value of a map for a rate; null with an error if the map does not have the rate. */
static const struct scn_node *
find_in_map(const struct scn_config *c, const char *knob, uint64_t rate_bps)
{
    const struct scn_node *words = scn_child(c->knobs, knob), *found = NULL;
    struct weir_text rate = { 0 };

    for (size_t i = 1; i + 1 < words->n_children; i += 2) {
        bool is_it = strtoull(words->children[i]->word, NULL, 10) == rate_bps;
        found = is_it ? words->children[i + 1] : found;
    }
    if (!found) {
        weir_text_add(&rate, "%R", rate_bps);
        scn_fail(words, c->r->err, "%s has no value for %s, which links of switches have", knob,
                 rate.s);
    }
    return found;
}

/* Whether a map has one value for all rates or, if 'is_scaled', values in proportion to the rates.
 * find_in_map() reports a missing rate. */
static bool
follows(const struct scn_config *c, const char *knob, bool is_scaled)
{
    double first = 0;

    for (size_t i = 0; i < c->net.n_rates; i++) {
        const struct scn_node *word = find_in_map(c, knob, c->net.rates[i].rate_bps);
        double rate = (double)c->net.rates[i].rate_bps / (double)c->net.rates[0].rate_bps;
        double value = word ? strtod(word->word, NULL) / (is_scaled ? rate : 1) : 0;
        double off = i ? value - first : 0;
        first = i ? first : value;
        if (off > first * 1e-6 || off < first * -1e-6) {
            return false;
        }
    }
    return true;
}

static bool
has_all_rates(const struct scn_config *c, const char *knob)
{
    bool has = true;

    for (size_t i = 0; i < c->net.n_rates && has; i++) {
        has = find_in_map(c, knob, c->net.rates[i].rate_bps);
    }
    return has;
}

/* Takes the thresholds of marking: both scale with the rate, or neither does. */
bool
scn_take_thresholds(struct scn_config *c, const struct scn_knob *knob, const struct scn_node *value,
                    enum scn_knob_use *use)
{
    if (!has_marks(c) || !c->net.n_rates) {
        return true;
    }
    if (!has_all_rates(c, knob->name)) {
        return false;
    }
    bool is_scaled = !follows(c, "KMIN_MAP", false) || !follows(c, "KMAX_MAP", false);
    uint64_t lowest_bps = c->net.rates[0].rate_bps;
    const struct scn_node *word = find_in_map(c, knob->name, lowest_bps);
    uint64_t kb;
    if (!scn_word_number(word, WEIR_MAX_BYTES / KB, &kb, c->r->err)) {
        return false;
    }
    scn_config_put_number(c, knob->key, word, KB * kb, "B");
    if (is_scaled && !strcmp(knob->name, "KMAX_MAP")) {
        scn_config_put_number(c, "engines.ecn.scale", value, lowest_bps, "bps");
    }
    *use = follows(c, knob->name, is_scaled) ? SCN_KNOB_EXACT : SCN_KNOB_NEAR;
    return true;
}

bool
scn_take_probability(struct scn_config *c, const struct scn_knob *knob,
                     const struct scn_node *value, enum scn_knob_use *use)
{
    (void)value;
    if (!has_marks(c) || !c->net.n_rates) {
        return true;
    }
    if (!has_all_rates(c, knob->name)) {
        return false;
    }
    const struct scn_node *word = find_in_map(c, knob->name, c->net.rates[0].rate_bps);
    scn_config_put(c, knob->key, word, word->word);
    *use = follows(c, knob->name, false) ? SCN_KNOB_EXACT : SCN_KNOB_NEAR;
    return true;
}

/* These functions take rates and windows. */

bool
scn_take_least(struct scn_config *c, const struct scn_knob *knob, const struct scn_node *value,
               enum scn_knob_use *use)
{
    *use = SCN_KNOB_NEAR;
    if (!is_mode(c, SCN_CC_DCTCP)) {
        char *text = scn_config_text(knob, value);
        scn_config_put(c, knob->key, value, text);
        free(text);
        *use = SCN_KNOB_EXACT;
    }
    return true;
}

static uint64_t
rate_of(const struct scn_knob *knob, const struct scn_node *word)
{
    struct weir_text why = { 0 };
    char *text = scn_config_text(knob, word);
    uint64_t rate_bps = 0;

    weir_value_parse(WEIR_RATE, text, &rate_bps, &why);
    free(text);
    return rate_bps;
}

bool
scn_take_hyper(struct scn_config *c, const struct scn_knob *knob, const struct scn_node *value,
               enum scn_knob_use *use)
{
    *use = SCN_KNOB_EXACT;
    if (is_mode(c, SCN_CC_TIMELY)) {
        uint64_t hai_bps = rate_of(knob, value);
        uint64_t ai_bps = rate_of(knob, scn_config_word(c, "RATE_AI", 0));
        uint64_t times = ai_bps ? (hai_bps + ai_bps / 2) / ai_bps : 1;
        times = times ? times : 1;
        scn_config_put_number(c, "timely.hyper", value, times, "");
        *use = times * ai_bps == hai_bps ? SCN_KNOB_EXACT : SCN_KNOB_NEAR;
    } else {
        char *text = scn_config_text(knob, value);
        scn_config_put(c, knob->key, value, text);
        free(text);
    }
    return true;
}

static bool
has_window(const struct scn_config *c)
{
    return scn_config_number(c, "HAS_WIN") && scn_config_number(c, "VAR_WIN");
}

bool
scn_take_window(struct scn_config *c, const struct scn_knob *knob, const struct scn_node *value,
                enum scn_knob_use *use)
{
    bool has = scn_config_number(c, "HAS_WIN");
    bool always = is_mode(c, SCN_CC_HPCC | SCN_CC_PINT | SCN_CC_DCTCP);
    bool may = is_mode(c, SCN_CC_DCQCN | SCN_CC_TIMELY);

    if (may) {
        scn_config_put(c, knob->key, value, has_window(c) ? "yes" : "no");
    }
    *use = may || has == always ? SCN_KNOB_EXACT : SCN_KNOB_NEAR;
    return true;
}

bool
scn_take_variable_window(struct scn_config *c, const struct scn_knob *knob,
                         const struct scn_node *value, enum scn_knob_use *use)
{
    (void)knob;
    if (scn_config_number(c, "HAS_WIN")) {
        *use = strcmp(value->word, knob->only) ? SCN_KNOB_NEAR : SCN_KNOB_EXACT;
    }
    return true;
}

/* Adds the round-trip time. HPCC also computes its load from that time, so for HPCC only the window
 * is scaled. */
static void
put_rtt(struct scn_config *c, const struct scn_knob *knob, const struct scn_node *value)
{
    uint64_t payload = scn_config_number(c, "PACKET_PAYLOAD_SIZE");
    uint64_t rtt_ns = scn_hpcc_longest_rtt_ns(&c->net, payload);
    bool by_load = is_mode(c, SCN_CC_HPCC | SCN_CC_PINT);
    uint64_t rtt_ps = 1000 * rtt_ns;

    if (rtt_ps) {
        rtt_ps = by_load ? rtt_ps : weir_mul_div(rtt_ps, packet_bytes(c), payload);
        scn_config_put_number(c, knob->key, value, rtt_ps, "ps");
    }
}

bool
scn_take_rtt(struct scn_config *c, const struct scn_knob *knob, const struct scn_node *value,
             enum scn_knob_use *use)
{
    bool by_load = is_mode(c, SCN_CC_HPCC | SCN_CC_PINT);
    char longer[32];

    if (by_load) {
        double times =
            (double)packet_bytes(c) / (double)scn_config_number(c, "PACKET_PAYLOAD_SIZE");
        snprintf(longer, sizeof longer, "%.5f", times);
        scn_config_put(c, "hpcc.window", value, longer);
    }
    if (!by_load && !is_mode(c, SCN_CC_DCTCP) && !has_window(c)) {
        return true;
    }
    if (strcmp(value->word, "0")) {
        put_rtt(c, knob, value);
    }
    *use = SCN_KNOB_EXACT;
    return true;
}

/* These functions take settings of buffers. */

/* The alpha of a port: it doubles each time that the rate doubles beyond the rate of hosts, up to
 * 1. */
static const char *
alpha_of(const struct scn_config *c, uint64_t rate_bps)
{
    static const char *const alphas[] = { "1", "0.5", "0.25", "0.125" };
    int shift = LARGEST_SHIFT;

    for (; rate_bps > c->net.nic_bps && shift > 0; rate_bps /= 2) {
        shift--;
    }
    return alphas[shift];
}

static void
put_speeds(struct scn_config *c, const struct scn_node *at)
{
    const struct scn_hpcc_rate *rates = c->net.rates;
    struct scn_node *list;

    scn_config_put(c, "switch.alpha", at, alpha_of(c, rates[0].rate_bps));
    scn_config_put_number(c, "switch.headroom", at, rates[0].headroom_bytes, "B");
    if (c->net.n_rates < 2) {
        return;
    }
    list = scn_config_list(c, "switch.speeds", at);
    for (size_t i = 1; i < c->net.n_rates; i++) {
        struct scn_node *speed = scn_tree_new(SCN_MAP, at->source, at->line, at->column);
        scn_tree_add(list, NULL, speed);
        scn_import_word(speed, "rate", at, "%llubps", (unsigned long long)rates[i].rate_bps);
        scn_import_word(speed, "alpha", at, "%s", alpha_of(c, rates[i].rate_bps));
        scn_import_word(speed, "headroom", at, "%lluB",
                        (unsigned long long)rates[i].headroom_bytes);
    }
}

/* Adds a role for the switches, from 'first' on, with equal sums of reserve and headroom. */
static void
add_role(struct scn_config *c, const struct scn_node *at, uint32_t first, uint64_t buffer_bytes)
{
    struct scn_node *roles = scn_child(c->tree, "roles");
    struct scn_node *role = scn_tree_new(SCN_MAP, at->source, at->line, at->column);
    struct scn_node *nodes = scn_tree_new(SCN_LIST, at->source, at->line, at->column);
    struct scn_node *sw = scn_tree_new(SCN_MAP, at->source, at->line, at->column);
    uint64_t own_bytes = c->net.own_bytes[first];

    roles = roles ? roles : scn_config_list(c, "roles", at);
    scn_tree_add(roles, NULL, role);
    scn_tree_add(role, "nodes", nodes);
    scn_tree_add(role, "switch", sw);
    scn_import_word(sw, "shared", at, "%lluB", (unsigned long long)(buffer_bytes - own_bytes));
    for (uint32_t node = first; node < c->net.n_nodes; node++) {
        if (c->net.is_switch[node] && c->net.own_bytes[node] == own_bytes) {
            scn_import_word(nodes, NULL, at, "S%u", node);
        }
    }
}

static bool
is_first_of_kind(const struct scn_hpcc_net *net, uint32_t node)
{
    bool is_first = net->is_switch[node];

    for (uint32_t other = 0; other < node && is_first; other++) {
        is_first = !net->is_switch[other] || net->own_bytes[other] != net->own_bytes[node];
    }
    return is_first;
}

static bool
put_shared(struct scn_config *c, const struct scn_knob *knob, const struct scn_node *value,
           uint64_t buffer_bytes)
{
    const struct scn_hpcc_net *net = &c->net;
    int n_kinds = 0;

    for (uint32_t node = 0; node < net->n_nodes; node++) {
        if (!is_first_of_kind(net, node)) {
            continue;
        }
        if (net->own_bytes[node] > buffer_bytes) {
            return scn_fail(value, c->r->err,
                            "%s: reserve and headroom of S%u alone take %llu bytes, more than %s "
                            "MiB",
                            knob->name, node, (unsigned long long)net->own_bytes[node],
                            value->word);
        }
        if (!n_kinds) {
            scn_config_put_number(c, knob->key, value, buffer_bytes - net->own_bytes[node], "B");
        } else if (!scn_config_is_said(c, knob->key)) {
            add_role(c, value, node, buffer_bytes);
        }
        if (++n_kinds > MAX_ROLES) {
            return scn_fail(value, c->r->err, "%s: switches have more than %d kinds of ports",
                            knob->name, MAX_ROLES);
        }
    }
    return true;
}

bool
scn_take_buffer(struct scn_config *c, const struct scn_knob *knob, const struct scn_node *value,
                enum scn_knob_use *use)
{
    uint64_t n_mib = strtoull(value->word, NULL, 10);

    *use = SCN_KNOB_EXACT;
    for (size_t i = 0; i < c->net.n_rates; i++) {
        *use = c->net.rates[i].has_several ? SCN_KNOB_NEAR : *use;
    }
    if (n_mib > WEIR_MAX_BYTES / mib) {
        return scn_fail(value, c->r->err, "%s: at most %llu MiB are possible", knob->name,
                        (unsigned long long)(WEIR_MAX_BYTES / mib));
    }
    if (c->net.n_rates) {
        put_speeds(c, value);
    }
    return put_shared(c, knob, value, n_mib * mib);
}

/* These functions take settings of links. */

static bool
add_end(struct scn_config *c, struct scn_node *ends, const struct scn_node *word)
{
    uint64_t node;

    if (!scn_word_number(word, c->net.n_nodes - 1, &node, c->r->err)) {
        return false;
    }
    scn_import_word(ends, NULL, word, "%c%llu", c->net.is_switch[node] ? 'S' : 'H',
                    (unsigned long long)node);
    return true;
}

bool
scn_take_link_down(struct scn_config *c, const struct scn_knob *knob, const struct scn_node *value,
                   enum scn_knob_use *use)
{
    enum { FIRST_US = 2000000 };
    uint64_t after_us;

    *use = SCN_KNOB_EXACT;
    if (!scn_word_number(value, 1000000000, &after_us, c->r->err)) {
        return false;
    }
    if (!after_us) {
        return true;
    }
    struct scn_node *list = scn_config_list(c, knob->key, value);
    struct scn_node *link = scn_tree_new(SCN_MAP, value->source, value->line, value->column);
    struct scn_node *ends = scn_tree_new(SCN_LIST, value->source, value->line, value->column);
    scn_tree_add(list, NULL, link);
    scn_tree_add(link, "ends", ends);
    scn_import_word(link, "down", value, "%lluus", (unsigned long long)(FIRST_US + after_us));
    scn_config_put(c, "routing.reroute", value, "1ns");
    scn_config_put(c, "routing.dead", value, "flush");
    return add_end(c, ends, scn_config_word(c, knob->name, 1)) &&
           add_end(c, ends, scn_config_word(c, knob->name, 2));
}
