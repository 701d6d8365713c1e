/* Values of a scenario as text: words, lists and maps of YAML. */

#include "scenario/value-text.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "graph/trace.h"
#include "scenario/study.h"
#include "topo/port-names.h"

/* Words, lists and maps. */

void
scn_write_word(FILE *out, const char *word)
{
    bool is_plain = isalnum((unsigned char)word[0]);

    for (const char *c = word; *c; c++) {
        is_plain = is_plain && (isalnum((unsigned char)*c) || strchr("_.-", *c));
    }
    if (is_plain) {
        fputs(word, out);
        return;
    }
    fputc('"', out);
    size_t left = strlen(word);
    for (size_t len; left; word += len, left -= len) {
        uint32_t character;
        len = text_decode(word, left + 1, &character);
        if (text_is_unseen(character)) {
            fprintf(out, "\\u%04x", (unsigned)character & 0xffff);
        } else {
            fprintf(out, *word == '"' || *word == '\\' ? "\\%.*s" : "%.*s", (int)len, word);
        }
    }
    fputc('"', out);
}

/* 'before' precedes the first. */
static void
write_fields(FILE *out, const char *before, const struct weir_field *fields, const void *base)
{
    for (const struct weir_field *f = fields; f->name; f++) {
        struct weir_text text = { 0 };
        uint64_t v = weir_field_get(f, base);
        if (v != UINT64_MAX) { /* An endless or unlimited value is expressed by omission. */
            weir_text_add(&text, "%F", f, v);
            fprintf(out, "%s%s: %s", before, f->name, text.s);
            before = ", ";
        }
    }
}

static const char *
name_at(const struct topo *t, uint32_t port)
{
    return t->nodes[t->ports[port].node].name;
}

/* Writes the port of S1 towards H1 as [S1, H1]. */
static void
write_port(FILE *out, const struct topo *t, uint32_t port)
{
    char from[TOPO_PORT_BYTES], to[TOPO_PORT_BYTES];

    fprintf(out, "[%s, %s]", topo_port_text(t, port, from),
            topo_port_text(t, t->ports[port].peer, to));
}

static void
write_ports(FILE *out, const struct scenario *s)
{
    const struct scn_record *r = &s->record;

    if (!r->n_ports || r->n_ports == s->topo.n_ports) {
        fputs(r->n_ports ? "all" : "none", out);
        return;
    }
    for (size_t i = 0; i < r->n_ports; i++) {
        fputs(i ? ", " : "[", out);
        write_port(out, &s->topo, r->ports[i]);
    }
    fputc(']', out);
}

static void
write_weights(FILE *out, const struct scenario *s)
{
    for (uint64_t i = 0; i < s->wire.classes; i++) {
        fprintf(out, "%s%llu", i ? ", " : "[", (unsigned long long)s->switches.weights[i]);
    }
    fputc(']', out);
}

static void
write_failed(FILE *out, const struct topo *t)
{
    const char *before = "[";

    for (size_t i = 0; i < t->n_links; i++) {
        if (t->links[i].failed) {
            fputs(before, out);
            write_port(out, t, t->links[i].port[0]);
            before = ", ";
        }
    }
    fputs(before[0] == '[' ? "[]" : "]", out);
}

static void
write_nodes(FILE *out, const struct topo *t, enum topo_kind kind)
{
    uint32_t first = kind == TOPO_SWITCH ? 0 : t->n_switches;
    uint32_t n = kind == TOPO_SWITCH ? t->n_switches : t->n_nics;

    for (uint32_t i = 0; i < n; i++) {
        fprintf(out, "%s%s", i ? ", " : "[", t->nodes[first + i].name);
    }
    fputc(']', out);
}

static void
write_roots(FILE *out, const struct topo *t)
{
    for (size_t i = 0; i < t->n_roots; i++) {
        fprintf(out, "%s%s", i ? ", " : "[", t->nodes[t->roots[i]].name);
    }
    fputs(t->n_roots ? "]" : "[]", out);
}

static void
write_expect(FILE *out, const struct scenario *s)
{
    const char *before = "[";

    for (uint32_t i = 0; scn_expectations[i]; i++) {
        if (s->expect & 1u << i) {
            fprintf(out, "%s%s", before, scn_expectations[i]);
            before = ", ";
        }
    }
    fputs(before[0] == '[' ? "[]" : "]", out);
}

/* Whether an engine is listed under `inside`, or else under `engine`. `inside` lists engines for
 * inner links and for all links; `engine` lists all but engines for inner links only. */
static bool
is_under(const struct weir_stack *stack, uint32_t layer, bool is_inside)
{
    enum weir_scope scope = stack->layers[layer].scope;
    bool is_of_links = scn_is_of_links(stack->layers[layer].engine);

    return is_inside ? scope == WEIR_AT_INNER_PORTS || (scope == WEIR_AT_ALL_PORTS && is_of_links)
                     : scope != WEIR_AT_INNER_PORTS;
}

bool
scn_has_scopes(const struct weir_stack *stack)
{
    bool has = false;

    for (uint32_t i = 0; i < stack->n; i++) {
        has |= stack->layers[i].scope != WEIR_AT_ALL_PORTS;
    }
    return has;
}

static void
write_stack(FILE *out, const struct weir_stack *stack, bool is_inside)
{
    uint32_t n = 0, n_left;

    for (uint32_t i = 0; i < stack->n; i++) {
        n += is_under(stack, i, is_inside);
    }
    n_left = n;
    fputs(n > 1 ? "[" : "", out);
    for (uint32_t i = 0; i < stack->n; i++) {
        if (is_under(stack, i, is_inside)) {
            fprintf(out, "%s%s", stack->layers[i].engine->about.name, --n_left ? ", " : "");
        }
    }
    fputs(n > 1 ? "]" : "", out);
}

/* Items. */

static void
write_flow(FILE *out, const struct scenario *s, size_t i)
{
    const struct scn_flow *f = &s->listed[i];
    struct scn_flow said = *f;
    const struct topo *t = &s->topo;
    uint32_t at = topo_beyond(t, t->nodes[f->from].first_port + f->from_port);
    char room[SCN_NAME_BYTES], text[TOPO_PORT_BYTES];

    fprintf(out, "{name: ");
    scn_write_word(out, scn_flow_name(s, i, room));
    fprintf(out, ", from: %s, to: %s", t->nodes[f->from].name, t->nodes[f->to].name);
    for (uint32_t hop = 0; hop < f->n_path; hop++) {
        uint32_t port = t->nodes[at].first_port + f->path[hop];
        fprintf(out, "%s%s", hop ? ", " : ", via: [", topo_port_text(t, port, text));
        at = topo_beyond(t, port);
    }
    fputs(f->n_path ? "]" : "", out);
    if (f->transport == s->transport.kind) {
        said.transport = UINT64_MAX;
    }
    write_fields(out, ", ", scn_flow_table.fields, &said);
    fputc('}', out);
}

/* Writes a share as a percentage with all its decimal places. */
static void
write_share(FILE *out, uint64_t share)
{
    const uint64_t one = WL_ALL / 100;
    uint64_t rest = share % one;

    fprintf(out, rest ? "%llu." : "%llu", (unsigned long long)(share / one));
    for (; rest; rest = rest * 10 % one) {
        fprintf(out, "%llu", (unsigned long long)(rest * 10 / one));
    }
}

static void
write_points(FILE *out, const struct wl_sizes *sizes)
{
    for (size_t i = 0; i < sizes->n; i++) {
        struct weir_text bytes = { 0 };
        weir_text_add(&bytes, "%B", sizes->points[i].bytes);
        fprintf(out, "%s[%s, ", i ? ", " : "[", bytes.s);
        write_share(out, sizes->points[i].share);
        fputc(']', out);
    }
    fputc(']', out);
}

static void
write_workload(FILE *out, const struct scenario *s, size_t i)
{
    const struct scn_workload *w = &s->workloads[i];
    const struct scn_table *table = &scn_workload_table;

    fprintf(out, "{kind: %s", wl_pattern_at(w->kind)->about.name);
    if (w->sizes_name) {
        fprintf(out, ", sizes: %s", w->sizes_name);
    } else if (w->sizes.n) {
        fputs(", sizes: ", out);
        write_points(out, &w->sizes);
    }
    if (w->to != TOPO_NONE) {
        fprintf(out, ", to: %s", s->topo.nodes[w->to].name);
    }
    if (w->trace) {
        fprintf(out, ", %s: ", trace_kinds[w->trace->kind]);
        scn_write_word(out, w->trace->name);
    }
    if (w->trace && w->trace->kind == TRACE_CHAKRA && w->trace->chakra.groups) {
        fputs(", process-groups: ", out);
        scn_write_word(out, w->trace->chakra.groups);
    }
    if (w->groups.size != WEIR_AUTO) {
        write_fields(out, ", groups: {", scn_groups_table.fields, &w->groups);
        fputc('}', out);
    }
    write_fields(out, ", ", scn_choice_fields(scn_chosen(table, table->choices, w)), w->params);
    write_fields(out, ", ", table->fields + 1, w);
    fputs(", name: ", out);
    scn_write_word(out, w->name);
    for (uint32_t h = 0; h < w->n_hosts; h++) {
        fprintf(out, "%s%s", h ? ", " : ", hosts: [", s->topo.nodes[w->hosts[h]].name);
    }
    fputs(w->n_hosts ? "]}" : "}", out);
}

static void
write_times(FILE *out, const struct scenario *s, uint32_t link, bool up)
{
    const char *before = up ? ", up: [" : ", down: [";

    for (size_t i = 0; i < s->n_link_events; i++) {
        const struct topo_link_event *e = &s->link_events[i];
        if (e->link == link && e->up == up) {
            struct weir_text at = { 0 };
            weir_text_add(&at, "%T", e->at_ps);
            fprintf(out, "%s%s", before, at.s);
            before = ", ";
        }
    }
    fputs(before[2] ? "" : "]", out);
}

static void
write_slowings(FILE *out, const struct scenario *s, uint32_t link)
{
    const char *before = ", slow: [";

    for (size_t i = 0; i < s->n_slowings; i++) {
        const struct topo_slowing *slowing = &s->slowings[i];
        if (slowing->link == link) {
            struct weir_text text = { 0 };
            weir_text_add(&text, "{at: %T, rate: %R}", (weir_ps)slowing->at_ps, slowing->rate_bps);
            fprintf(out, "%s%s", before, text.s);
            before = ", ";
        }
    }
    fputs(before[2] ? "" : "]", out);
}

/* The end of a link at which it slows down. */
static uint32_t
slow_end(const struct scenario *s, uint32_t link)
{
    size_t i = 0;

    while (i < s->n_slowings && s->slowings[i].link != link) {
        i++;
    }
    return i < s->n_slowings ? s->slowings[i].end : 0;
}

static void
write_link(FILE *out, const struct scenario *s, size_t i)
{
    const struct topo *t = &s->topo;
    const struct scn_link_item item = { t->links[i], UINT64_MAX };
    uint32_t from = item.link.port[slow_end(s, (uint32_t)i)];

    fprintf(out, "{ends: ");
    if (scn_topology_of(s)->build) {
        write_port(out, t, from);
    } else {
        fprintf(out, "[%s, %s]", name_at(t, from), name_at(t, t->ports[from].peer));
    }
    if (item.link.name) {
        fputs(", name: ", out);
        scn_write_word(out, item.link.name);
    }
    write_fields(out, ", ", scn_link_table.fields, &item);
    write_times(out, s, (uint32_t)i, false);
    write_times(out, s, (uint32_t)i, true);
    write_slowings(out, s, (uint32_t)i);
    fputc('}', out);
}

static void
write_static(FILE *out, const struct scenario *s, size_t i)
{
    const struct topo *t = &s->topo;
    const struct topo_static *r = &t->statics[i];

    char own[TOPO_PORT_BYTES];
    const char *via = t->ports[r->port].is_parallel ? topo_port_text(t, r->port, own)
                                                    : name_at(t, t->ports[r->port].peer);

    fprintf(out, "{at: %s, to: %s, via: %s}", name_at(t, r->port), t->nodes[r->to].name, via);
}

static void
write_stall(FILE *out, const struct scenario *s, size_t i)
{
    fprintf(out, "{at: %s", s->topo.nodes[s->stalls[i].node].name);
    write_fields(out, ", ", scn_stall_table.fields, &s->stalls[i]);
    fputc('}', out);
}

/* Writes a published value in the unit of its quantity. */
static void
write_published(FILE *out, const struct scn_claim *c)
{
    static const struct {
        const char *unit, *format;
    } formats[] = { { "bps", "%R" }, { "bytes", "%B" }, { "ps", "%T" } };
    const char *unit = scn_claim_unit(c);
    struct weir_text value = { 0 };

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!strcmp(unit, formats[i].unit)) {
            weir_text_add(&value, formats[i].format, (uint64_t)c->published);
            fputs(value.s, out);
            return;
        }
    }
    if (!strcmp(unit, "yes")) {
        fputs(c->published > 0 ? "yes" : "no", out);
    } else {
        fprintf(out, "%.15g", c->published);
    }
}

static void
write_subject(FILE *out, const struct scenario *s, const struct scn_claim *c)
{
    char room[SCN_NAME_BYTES];

    if (c->of == SCN_GOODPUT) {
        fprintf(out, ", flow: ");
        scn_write_word(out, scn_flow_name(s, c->flow, room));
    } else if (c->of == SCN_QUEUE || c->of == SCN_PEAK || c->of == SCN_RATE) {
        fprintf(out, ", queue: ");
        write_port(out, &s->topo, c->port);
    } else if (c->group) {
        fprintf(out, ", workload: ");
        scn_write_word(out, s->workloads[c->group - 1].name);
    }
}

static void
write_claim(FILE *out, const struct scenario *s, size_t i)
{
    const struct scn_claim *c = &s->claims[i];
    struct weir_text within = { 0 };

    weir_text_add(&within, "%Q", (uint64_t)(c->within * WEIR_RATIO_1 + 0.5));
    fprintf(out, "{engine: %s, published: ", c->engine->about.name);
    write_published(out, c);
    write_subject(out, s, c);
    fprintf(out, ", source: ");
    scn_write_word(out, c->source);
    fprintf(out, ", of: %s, within: %s}", scn_claim_of(c), within.s);
}

static void
write_role(FILE *out, const struct scenario *s, size_t i)
{
    fputs(s->roles[i].text, out);
}

static void
write_speeds(FILE *out, const struct scenario *s)
{
    fputc('[', out);
    for (size_t i = 0; i < s->switches.n_speeds; i++) {
        const struct scn_speed *speed = &s->speeds[s->switches.first_speed + i];
        write_fields(out, i ? ", {" : "{", scn_speed_table.fields, speed);
        fputc('}', out);
    }
    fputc(']', out);
}

/* Lists of items. */

/* Whether a scenario must list a link: all links if the network is from names, else those that
 * differ. */
static bool
is_link_said(const struct scenario *s, size_t i)
{
    bool has_events = false;

    for (size_t e = 0; e < s->n_link_events; e++) {
        has_events |= s->link_events[e].link == i;
    }
    for (size_t e = 0; e < s->n_slowings; e++) {
        has_events |= s->slowings[e].link == i;
    }
    return !scn_topology_of(s)->build || has_events || s->links[i].differs || s->topo.links[i].name;
}

#define ITEMS(MEMBER, N, TYPE)                                                                     \
    offsetof(struct scenario, MEMBER), offsetof(struct scenario, N), sizeof(TYPE),                 \
        offsetof(TYPE, place)

static const struct scn_list lists[] = {
    { SCN_FLOWS, ITEMS(listed, n_listed_flows, struct scn_flow), write_flow, NULL },
    { SCN_WORKLOADS, ITEMS(workloads, n_workloads, struct scn_workload), write_workload, NULL },
    { SCN_STALLS, ITEMS(stalls, n_stalls, struct scn_stall), write_stall, NULL },
    { SCN_CLAIMS, ITEMS(claims, n_claims, struct scn_claim), write_claim, NULL },
    { SCN_ROLES, ITEMS(roles, n_roles, struct scn_role), write_role, NULL },
    { SCN_LINKS, ITEMS(links, topo.n_links, struct scn_link), write_link, is_link_said },
    { SCN_STATICS, offsetof(struct scenario, static_places),
      offsetof(struct scenario, topo.n_statics), sizeof(struct scn_place), 0, write_static, NULL },
};

const struct scn_list *
scn_list_of(const struct scn_key *k)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (lists[i].shape == k->shape) {
            return &lists[i];
        }
    }
    return NULL;
}

/* Keys. */

void
scn_write_key(FILE *out, const struct scenario *s, const struct scn_key *k)
{
    switch (k->shape) {
    case SCN_TEXT:
        scn_write_word(out, s->name);
        break;
    case SCN_STACK:
        write_stack(out, &s->stack, k == &scn_top_keys[TOP_INSIDE]);
        break;
    case SCN_EXPECTATIONS:
        write_expect(out, s);
        break;
    case SCN_WEIGHTS:
        write_weights(out, s);
        break;
    case SCN_SPEEDS:
        write_speeds(out, s);
        break;
    case SCN_PORTS:
        write_ports(out, s);
        break;
    case SCN_PAIRS:
        write_failed(out, &s->topo);
        break;
    case SCN_FAILURES:
        write_fields(out, "{", scn_failures_table.fields, &s->failures);
        fputc('}', out);
        break;
    case SCN_ROOTS:
        write_roots(out, &s->topo);
        break;
    case SCN_NODE_NAMES:
        write_nodes(out, &s->topo, strcmp(k->name, "hosts") ? TOPO_SWITCH : TOPO_NIC);
        break;
    default:
        break;
    }
}
