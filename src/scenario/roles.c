/* Roles: nodes that differ from the others, by name or by tier.
 *
 *     roles:
 *       - {nodes: "C*", switch: {buffer: 4MB}, engine: gfc-buffer}
 *       - {tier: 0, engine: none}
 *
 * A role starts from the scenario's settings for all nodes, and changes some of them.  If several
 * roles match a node, the last one applies. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scenario/resolver.h"
#include "topo/port-names.h"

static bool
read_pattern(struct resolver *r, const struct scn_node *n)
{
    struct scn_role *role = &r->s->roles[r->role - 1];

    if (!scn_expect_kind(r, n, SCN_WORD,
                         "expected the name of a node, or a pattern as in \"C*\"")) {
        return false;
    }
    ARRAY_PUSH(role->patterns, role->n_patterns, role->max_patterns) = strdup(n->word);
    return true;
}

/* The restoration time follows from the detection time, unless the scenario sets it. */
static void
forget_derived_restoration(struct resolver *r, struct scn_switch *s)
{
    const struct weir_field *f =
        weir_field_find(scn_section_fields("switch"), "watchdog_restoration");

    if (!scn_find_origin(r->s, f, 0)) {
        s->restoration_ps = WEIR_AUTO;
    }
}

static bool
read_switch(struct resolver *r, const struct scn_node *item, struct scn_role *role)
{
    const struct scn_table *table = scn_section_find("switch");
    const struct scn_node *map = scn_child(item, "switch");

    if (!map) {
        return true;
    }
    if (!scn_expect_kind(r, map, SCN_MAP, "expected keys, as in {buffer: 2MB}")) {
        return false;
    }
    forget_derived_restoration(r, &role->switches);
    if (!scn_read_map(r, map, table, &role->switches) ||
        !scn_read_weights(r, map, &role->switches) || !scn_read_speeds(r, map, &role->switches)) {
        return false;
    }
    scn_note_origins(r, map, table, &role->switches);
    scn_derive_restoration(&role->switches);
    return true;
}

/* Writes a tree as YAML that can be read again. */
static void
write_tree(FILE *out, const struct scn_node *n)
{
    if (n->kind == SCN_WORD) {
        scn_write_word(out, n->word);
        return;
    }
    fputc(n->kind == SCN_MAP ? '{' : '[', out);
    for (size_t i = 0; i < n->n_children; i++) {
        fputs(i ? ", " : "", out);
        if (n->kind == SCN_MAP) {
            scn_write_word(out, n->children[i]->key);
            fputs(": ", out);
        }
        write_tree(out, n->children[i]);
    }
    fputc(n->kind == SCN_MAP ? '}' : ']', out);
}

static char *
text_of(const struct scn_node *n)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    write_tree(out, n);
    fclose(out);
    return text;
}

/* Checks that no two roles have the same name, since results distinguish roles by their names. */
static bool
is_unnamed_yet(struct resolver *r, const struct scn_node *item, const struct scn_role *role)
{
    for (const struct scn_role *other = r->s->roles; other < role; other++) {
        if (!strcmp(other->name, role->name)) {
            return scn_fail(item, r->err, "two roles are called '%s': give one another 'name'",
                            role->name);
        }
    }
    return true;
}

static bool
name_role(struct resolver *r, const struct scn_node *item, struct scn_role *role)
{
    const struct scn_node *name = scn_child(item, "name");

    if (name) {
        return scn_read_text(r, name, "a name", role->name, sizeof role->name);
    }
    if (role->n_patterns) {
        snprintf(role->name, sizeof role->name, "%s", role->patterns[0]);
    } else {
        snprintf(role->name, sizeof role->name, "tier %llu", (unsigned long long)role->tier);
    }
    return true;
}

static bool
matches(const struct scenario *s, const struct scn_role *role, uint32_t node)
{
    bool by_name = !role->n_patterns;

    for (size_t i = 0; i < role->n_patterns && !by_name; i++) {
        by_name = topo_is_like(&s->topo, node, role->patterns[i]);
    }
    return by_name && (role->tier == SCN_ANY_TIER || role->tier == s->topo.nodes[node].tier);
}

/* Assigns a role to the nodes that it matches.  A role without nodes is an error. */
static bool
assign(struct resolver *r, const struct scn_node *item, const struct scn_role *role)
{
    struct scenario *s = r->s;
    uint32_t n_nodes = 0;

    for (uint32_t id = 0; id < s->topo.n_nodes; id++) {
        if (matches(s, role, id)) {
            s->role_of[id] = r->role;
            n_nodes++;
        }
    }
    return n_nodes || scn_fail(item, r->err, "no node has this role: none has such a name or tier");
}

static bool
read_role(struct resolver *r, const struct scn_node *item)
{
    struct scenario *s = r->s;

    if (!scn_expect_kind(r, item, SCN_MAP, "expected a role, as in {nodes: \"C*\", engine: pfc}")) {
        return false;
    }
    struct scn_role *role = &ARRAY_PUSH(s->roles, s->n_roles, s->max_roles);
    *role = (struct scn_role){ .switches = s->switches, .place = scn_place_of(r, item) };
    r->role = (uint32_t)s->n_roles;
    scn_default_map(&scn_role_table, role);
    if (!scn_read_map(r, item, &scn_role_table, role) ||
        !scn_read_words(r, item, "nodes", read_pattern)) {
        return false;
    }
    if (!role->n_patterns && role->tier == SCN_ANY_TIER) {
        return scn_fail(item, r->err, "a role needs 'nodes' or 'tier', to say which nodes have it");
    }
    scn_note_origins(r, item, &scn_role_table, role);
    role->text = text_of(item);
    return name_role(r, item, role) && is_unnamed_yet(r, item, role) &&
           read_switch(r, item, role) && scn_read_stack(r, item, &role->stack) &&
           assign(r, item, role);
}

bool
scn_read_roles(struct resolver *r)
{
    struct scenario *s = r->s;

    s->role_of = array_new(s->topo.n_nodes, sizeof *s->role_of);
    bool good = scn_read_items(r, r->root, "roles", read_role);
    r->role = 0;
    return good;
}

const struct scn_switch *
scn_switch_at(const struct scenario *s, uint32_t node)
{
    return s->role_of[node] ? &s->roles[s->role_of[node] - 1].switches : &s->switches;
}

static uint64_t
said_or(uint64_t said, uint64_t otherwise)
{
    return said == WEIR_AUTO ? otherwise : said;
}

struct scn_speed
scn_speed_filled(const struct scn_switch *sw, const struct scn_speed *speed)
{
    return (struct scn_speed){ speed->rate_bps, said_or(speed->buffer_bytes, sw->buffer_bytes),
                               said_or(speed->limit_bytes, sw->limit_bytes),
                               said_or(speed->alpha, sw->alpha),
                               said_or(speed->headroom_bytes, sw->headroom_bytes) };
}

struct scn_speed
scn_speed_at(const struct scenario *s, uint32_t node, uint64_t rate_bps)
{
    const struct scn_switch *sw = scn_switch_at(s, node);
    struct scn_speed here = { rate_bps, WEIR_AUTO, WEIR_AUTO, WEIR_AUTO, WEIR_AUTO };

    for (size_t i = 0; i < sw->n_speeds; i++) {
        const struct scn_speed *speed = &s->speeds[sw->first_speed + i];
        here = speed->rate_bps <= rate_bps ? *speed : here;
    }
    return scn_speed_filled(sw, &here);
}
