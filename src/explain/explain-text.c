/* Writes a scenario as text: every default, and the values derived from it. */

#include <stdio.h>

#include "bind/bind.h"
#include "explain/explain.h"
#include "run/exit.h"
#include "run/listing.h"
#include "run/warnings.h"

static void
write_rooms(FILE *out, const struct weir_link *link)
{
    weir_ps period = weir_credit_period_ps(link->rate_bps);
    const struct {
        const char *what;
        uint64_t bytes;
    } rooms[] = {
        { "PFC: headroom above XOFF (Eq. 15 of TTL, and an MTU)",
          weir_pfc_headroom_bytes(link) + link->mtu_bytes },
        { "conceptual GFC: bm - b0 (Theorem 4.1)", weir_gfc_conceptual_room_bytes(link) },
        { "buffer-based GFC: bm - b1 (2 C tau)", weir_gfc_buffer_room_bytes(link) },
        { "time-based GFC: bm - b0, period of 65535 B", weir_gfc_time_room_bytes(link, period) },
    };
    struct weir_text tau = { 0 };

    weir_text_add(&tau, "%T on links of %R with a delay of %T and a response of %T",
                  weir_tau_ps(link), link->rate_bps, link->cable_ps, link->response_ps);
    fprintf(out, "#\n# tau is %s: 2 MTU/C + 2 t_w + t_r (GFC, Eq. 6)\n", tau.s);
    fprintf(out, "# Buffer space that each scheme needs there, to lose nothing:\n");
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        struct weir_text room = { 0 };
        weir_text_add(&room, "%B", rooms[i].bytes);
        fprintf(out, "#   %-12s %s\n", room.s, rooms[i].what);
    }
}

enum { MAX_LINK_KINDS = 8 };

static bool
has_link(const struct weir_link *links, size_t n, const struct weir_link *link)
{
    for (size_t i = 0; i < n; i++) {
        if (links[i].rate_bps == link->rate_bps && links[i].cable_ps == link->cable_ps &&
            links[i].response_ps == link->response_ps) {
            return true;
        }
    }
    return false;
}

/* Writes the bounds of the first kinds of links, and the number of further ports. */
static void
write_bounds(FILE *out, const struct model *model)
{
    struct weir_link seen[MAX_LINK_KINDS];
    size_t n_seen = 0, n_left_out = 0;

    for (uint32_t id = 0; id < model->topo->n_switches; id++) {
        const struct weir_shape *shape = model_shape_like(model, id);
        for (uint16_t p = 0; p < shape->n_ports; p++) {
            struct weir_link link = weir_shape_link(shape, p);
            if (has_link(seen, n_seen, &link)) {
                continue;
            }
            if (n_seen == MAX_LINK_KINDS) {
                n_left_out++;
                continue;
            }
            seen[n_seen++] = link;
            write_rooms(out, &link);
        }
    }
    if (n_left_out) {
        fprintf(out, "#\n# %zu more ports have links of other kinds.\n", n_left_out);
    }
}

enum { MAX_NAMES = 8 };

static const char *const scopes[] = { [WEIR_AT_ALL_PORTS] = "",
                                      [WEIR_AT_OUTER_PORTS] = " outside the fabric",
                                      [WEIR_AT_INNER_PORTS] = " inside the fabric" };

/* Writes parameters of an engine: all, or those that are derived or differ from their defaults. */
static void
write_params(FILE *out, const struct weir_stack *stack, uint32_t layer,
             const struct weir_shape *seen, bool all)
{
    const struct weir_engine *engine = stack->layers[layer].engine;
    const void *params = stack->layers[layer].params;
    const char *before = " ";

    for (const struct weir_field *f = engine->about.params; f && f->name; f++) {
        struct weir_text value = { 0 };
        if (all || f->fallback == WEIR_AUTO || weir_field_get(f, params) != f->fallback) {
            weir_param_text(&value, engine, seen, f, params);
            fprintf(out, "%s%s %s", before, f->name, value.s);
            before = ", ";
        }
    }
}

/* Writes nodes with equal properties, and the parameters of their engines. */
static void
write_alike(FILE *out, const struct model *model, size_t engines, bool all)
{
    const struct model_engines *e = &model->engines[engines];
    uint32_t n_nodes = 0;

    fprintf(out, "#  ");
    for (uint32_t id = 0; id < model->topo->n_nodes; id++) {
        bool is_one = model->nodes[id].engines == engines;
        if (is_one && n_nodes < MAX_NAMES) {
            fprintf(out, " %s", model->topo->nodes[id].name);
        }
        n_nodes += is_one;
    }
    if (n_nodes > MAX_NAMES) {
        fprintf(out, " and %u more", n_nodes - MAX_NAMES);
    }
    for (uint32_t i = 0; i < e->stack.n; i++) {
        const struct weir_engine *engine = e->stack.layers[i].engine;
        struct weir_shape seen = weir_layer_shape(&e->stack, i, &e->shape);
        fprintf(out, "%s %s%s", i ? ";" : ":", engine->about.name, scopes[seen.scope]);
        write_params(out, &e->stack, i, &seen, all);
    }
    fprintf(out, "\n");
    explain_write_ports(out, e);
}

/* Writes the kind of a node, with its parameters. */
static void
write_kind(FILE *out, const struct model_role *role)
{
    const struct weir_plugin *about = &role->kind->about;

    fprintf(out, "%s", about->name);
    for (const struct weir_field *f = about->params; f && f->name; f++) {
        struct weir_text value = { 0 };
        weir_text_add(&value, "%s %F", f->name, f, weir_field_get(f, role->kind_params));
        fprintf(out, "%s%s%s", f == about->params ? " (" : ", ", value.s, f[1].name ? "" : ")");
    }
}

static void
write_role(FILE *out, const struct model_role *role)
{
    struct weir_text buffer = { 0 };

    weir_text_add(&buffer, "buffer %B, shared %B, headroom %B", role->buffer.reserve_bytes,
                  role->shared_bytes, role->buffer.headroom_bytes);
    fprintf(out, "#\n# Role '%s': ", role->name);
    write_kind(out, role);
    if (role->arbitration) {
        fprintf(out, ", arbitration %s", role->arbitration->about.name);
    }
    fprintf(out, ", scheduling %s, %s\n", role->scheduling->about.name, buffer.s);
}

/* Writes the roles of nodes, and the derived values. */
static void
write_roles(FILE *out, const struct model *model, bool all)
{
    for (uint32_t role = 0; role < model->n_roles; role++) {
        bool is_shown = false;
        for (size_t k = 0; k < model->n_engines; k++) {
            if (model->nodes[model->engines[k].first_node].role != role) {
                continue;
            }
            if (!is_shown) {
                write_role(out, &model->roles[role]);
            }
            is_shown = true;
            write_alike(out, model, k, all);
        }
    }
}

/* The total rate of the outer or the inner links of a node. */
static uint64_t
carried_bps(const struct weir_shape *shape, bool is_inner)
{
    uint64_t bps = 0;

    for (uint16_t p = 0; p < shape->n_ports; p++) {
        bps += shape->ports[p].is_inner == is_inner ? shape->ports[p].rate_bps : 0;
    }
    return bps;
}

/* Warns of fabric edges that can receive more than they can forward: names the first, and the
 * number of others. */
static void
write_blocking(FILE *out, const struct model *model)
{
    const struct topo *t = model->topo;
    struct weir_text first = { 0 };
    uint64_t n_blocking = 0;

    for (uint32_t id = 0; id < t->n_switches; id++) {
        uint64_t inner = carried_bps(model_shape_like(model, id), true);
        uint64_t outer = carried_bps(model_shape_like(model, id), false);
        if (inner && inner < outer && !n_blocking++) {
            weir_text_add(&first, "%s receives up to %r, but its inner links carry only %r",
                          t->nodes[id].name, outer, inner);
        }
    }
    if (n_blocking) {
        weir_text_add(&first,
                      n_blocking > 2   ? "; %u more edges are like that"
                      : n_blocking > 1 ? "; %u more edge is like that"
                                       : "",
                      n_blocking - 1);
        fprintf(out, "#\n# This fabric blocks: %s\n", first.s);
    }
}

/* The first node that has no role of its own, so that its engines have the scenario's general
 * parameters; else the first node. */
static uint32_t
plain_node(const struct scenario *s)
{
    for (uint32_t id = 0; id < s->topo.n_nodes; id++) {
        if (!s->role_of[id]) {
            return id;
        }
    }
    return 0;
}

static void
write_knob_origin(FILE *out, const struct scenario *s, const struct scn_knob_taken *k)
{
    if (k->is_given) {
        fprintf(out, "%s:%u", s->sources[k->place.source], k->place.line);
    } else {
        fprintf(out, "default of the simulator");
    }
}

/* Writes knobs of HPCC's simulator that a run approximates or ignores, with the reason. */
static void
write_knobs(FILE *out, const struct scenario *s)
{
    const char *heading = "#\n# Knobs of the config that a run approximates or ignores:\n";

    for (size_t i = 0; i < s->n_knobs; i++) {
        const struct scn_knob_taken *k = &s->knobs[i];
        if (k->use == SCN_KNOB_NEAR || (k->use == SCN_KNOB_IGNORED && k->is_given)) {
            fprintf(out, "%s#   %s %s, ", heading, k->knob->name, k->value);
            write_knob_origin(out, s, k);
            fprintf(out, ": %s. %s\n", scn_knob_uses[k->use], k->knob->remark);
            heading = "";
        }
    }
}

static void
write_warnings(FILE *out, const struct scenario *s, const struct model *model)
{
    struct weir_text warnings[WARNINGS_CONFIG_MAX];
    size_t n = warnings_of_config(s, model, warnings);

    for (size_t i = 0; i < n; i++) {
        fprintf(out, "#\n# WARNING: %s\n", warnings[i].s);
    }
}

int
explain_write_text(FILE *out, const struct scenario *s, bool all, struct err *err)
{
    const struct topo *t = &s->topo;
    struct model model;
    bool fits = bind_model(s, &model, err);

    if (fits) {
        (all ? listing_print : listing_print_given)(out, s, &model, plain_node(s));
        fprintf(out, "\n# %u switch%s, %u host%s, %zu link%s, %zu flow%s\n", t->n_switches,
                t->n_switches == 1 ? "" : "es", t->n_nics, t->n_nics == 1 ? "" : "s", t->n_links,
                t->n_links == 1 ? "" : "s", s->n_flows, s->n_flows == 1 ? "" : "s");
        write_blocking(out, &model);
        write_roles(out, &model, all);
        write_bounds(out, &model);
        write_knobs(out, s);
        write_warnings(out, s, &model);
        fprintf(out, all ? "" : "#\n# --all shows every value, with its default and meaning.\n");
    }
    model_free(&model);
    return fits ? EXIT_GOOD : EXIT_USER;
}
