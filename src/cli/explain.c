/* `weir explain`: a scenario with every default, and what follows from it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "bind/bind.h"
#include "cli/cli.h"
#include "cli/explain-ports.h"
#include "cli/schema.h"
#include "cli/show-cut.h"
#include "run/listing.h"
#include "run/outcome.h"
#include "run/warnings.h"
#include "workload/pattern.h"

/* What follows from it. */

static void
show_rooms(const struct weir_link *link)
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
    printf("#\n# tau is %s: 2 MTU/C + 2 t_w + t_r (GFC, Eq. 6)\n", tau.s);
    printf("# Buffer space that each scheme needs there, to lose nothing:\n");
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        struct weir_text room = { 0 };
        weir_text_add(&room, "%B", rooms[i].bytes);
        printf("#   %-12s %s\n", room.s, rooms[i].what);
    }
}

enum { MAX_LINK_KINDS = 8 };

/* Once for each kind of link, if there are not very many. */
static void
show_bounds(const struct model *model)
{
    struct weir_link seen[MAX_LINK_KINDS];
    size_t n_seen = 0;

    for (uint32_t id = 0; id < model->topo->n_switches && n_seen < MAX_LINK_KINDS; id++) {
        const struct weir_shape *shape = model_shape_like(model, id);
        for (uint16_t p = 0; p < shape->n_ports && n_seen < MAX_LINK_KINDS; p++) {
            struct weir_link link = weir_shape_link(shape, p);
            size_t i = 0;
            while (i < n_seen &&
                   (seen[i].rate_bps != link.rate_bps || seen[i].cable_ps != link.cable_ps ||
                    seen[i].response_ps != link.response_ps)) {
                i++;
            }
            if (i == n_seen) {
                seen[n_seen++] = link;
                show_rooms(&link);
            }
        }
    }
}

enum { MAX_NAMES = 8 };

static const char *const scopes[] = { [WEIR_AT_ALL_PORTS] = "",
                                      [WEIR_AT_OUTER_PORTS] = " outside the fabric",
                                      [WEIR_AT_INNER_PORTS] = " inside the fabric" };

/* The nodes that are built alike, and what their engines have made of their parameters. */
static void
show_alike(const struct model *model, size_t engines)
{
    const struct model_engines *e = &model->engines[engines];
    uint32_t n_nodes = 0;

    printf("#  ");
    for (uint32_t id = 0; id < model->topo->n_nodes; id++) {
        bool is_one = model->nodes[id].engines == engines;
        if (is_one && n_nodes < MAX_NAMES) {
            printf(" %s", model->topo->nodes[id].name);
        }
        n_nodes += is_one;
    }
    if (n_nodes > MAX_NAMES) {
        printf(" and %u more", n_nodes - MAX_NAMES);
    }
    for (uint32_t i = 0; i < e->stack.n; i++) {
        const struct weir_engine *engine = e->stack.layers[i].engine;
        struct weir_shape seen = weir_layer_shape(&e->stack, i, &e->shape);
        printf("%s %s%s", i ? ";" : ":", engine->about.name, scopes[seen.scope]);
        for (const struct weir_field *f = engine->about.params; f && f->name; f++) {
            struct weir_text value = { 0 };
            weir_param_text(&value, engine, &seen, f, e->stack.layers[i].params);
            printf(" %s %s%s", f->name, value.s, f[1].name ? "," : "");
        }
    }
    printf("\n");
    explain_ports(e);
}

/* The kind of a node, with what was chosen for it. */
static void
show_kind(const struct model_role *role)
{
    const struct weir_plugin *about = &role->kind->about;

    printf("%s", about->name);
    for (const struct weir_field *f = about->params; f && f->name; f++) {
        struct weir_text value = { 0 };
        weir_text_add(&value, "%s %F", f->name, f, weir_field_get(f, role->kind_params));
        printf("%s%s%s", f == about->params ? " (" : ", ", value.s, f[1].name ? "" : ")");
    }
}

static void
show_role(const struct model_role *role)
{
    struct weir_text buffer = { 0 };

    weir_text_add(&buffer, "buffer %B, shared %B, headroom %B", role->buffer.reserve_bytes,
                  role->shared_bytes, role->buffer.headroom_bytes);
    printf("#\n# Role '%s': ", role->name);
    show_kind(role);
    if (role->arbitration) {
        printf(", arbitration %s", role->arbitration->about.name);
    }
    printf(", scheduling %s, %s\n", role->scheduling->about.name, buffer.s);
}

/* Which node has which role, and what follows for it. */
static void
show_roles(const struct model *model)
{
    for (uint32_t role = 0; role < model->n_roles; role++) {
        bool is_shown = false;
        for (size_t k = 0; k < model->n_engines; k++) {
            if (model->nodes[model->engines[k].first_node].role != role) {
                continue;
            }
            if (!is_shown) {
                show_role(&model->roles[role]);
            }
            is_shown = true;
            show_alike(model, k);
        }
    }
}

/* What the outer or the inner links of a node carry together. */
static uint64_t
carried_bps(const struct weir_shape *shape, bool is_inner)
{
    uint64_t bps = 0;

    for (uint16_t p = 0; p < shape->n_ports; p++) {
        bps += shape->ports[p].is_inner == is_inner ? shape->ports[p].rate_bps : 0;
    }
    return bps;
}

/* Edges of fabrics that can take in more than they can pass on: the first, and how many more. */
static void
show_blocking(const struct model *model)
{
    const struct topo *t = model->topo;
    struct weir_text first = { 0 };
    uint64_t n_blocking = 0;

    for (uint32_t id = 0; id < t->n_switches; id++) {
        uint64_t inner = carried_bps(model_shape_like(model, id), true);
        uint64_t outer = carried_bps(model_shape_like(model, id), false);
        if (inner && inner < outer && !n_blocking++) {
            weir_text_add(&first, "%s takes in up to %R, and its inner links carry %R",
                          t->nodes[id].name, outer, inner);
        }
    }
    if (n_blocking) {
        weir_text_add(&first,
                      n_blocking > 2   ? "; %u more edges are like that"
                      : n_blocking > 1 ? "; %u more edge is like that"
                                       : "",
                      n_blocking - 1);
        printf("#\n# This fabric blocks: %s\n", first.s);
    }
}

/* The first node without a role of its own, whose engines have what the scenario says of all; else
 * the first. */
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
show_warnings(const struct scenario *s, const struct model *model)
{
    struct weir_text warnings[WARNINGS_CONFIG_MAX];
    size_t n = warnings_of_config(s, model, warnings);

    for (size_t i = 0; i < n; i++) {
        printf("#\n# WARNING: %s\n", warnings[i].s);
    }
}

/* For programs: what can be set, as a form would ask for it. */

static void
json_field(struct json *j, const struct weir_field *f)
{
    struct weir_text min = { 0 }, max = { 0 };

    json_text(j, "kind", weir_kind_name(f->kind));
    json_bool(j, "may_be_auto", f->derived);
    json_bool(j, "may_be_off", f->may_be_off);
    if (f->kind != WEIR_CHOICE) {
        weir_text_add(&min, "%F", f, f->min);
        weir_text_add(&max, "%F", f, f->max);
        json_text(j, "min", min.s);
        json_text(j, "max", max.s);
        return;
    }
    cli_json_choices(j, "choices", f);
}

static void
json_engine_names(struct json *j)
{
    const struct weir_field engine = { .kind = WEIR_CHOICE, .registry = &weir_engines };

    json_text(j, "kind", "engine");
    json_bool(j, "may_be_auto", false);
    json_bool(j, "may_be_off", false);
    cli_json_choices(j, "choices", &engine);
}

static void
json_value(void *arg, const struct scn_value *v)
{
    struct json *j = arg;
    bool is_engine = !*v->section && !strcmp(v->key, "engine");
    char key[100];

    if (!v->field && !is_engine) {
        return;
    }
    snprintf(key, sizeof key, "%s%s%s", v->section, *v->section ? "." : "", v->key);
    json_open(j, NULL, '{');
    json_text(j, "key", key);
    json_text(j, "value", v->text);
    json_text(j, "origin", v->origin);
    json_text(j, "help", v->help ? v->help : "");
    if (is_engine) {
        json_engine_names(j);
    } else {
        json_field(j, v->field);
    }
    json_close(j, '}');
}

/* The patterns that the scenario has, and how many flows it lists; and what else could be chosen.
 */

static void
json_workload(void *arg, const struct scn_value *v)
{
    if (!*v->section && !strcmp(v->key, "workload") && v->n_items) {
        json_text(arg, NULL, v->text);
    }
}

static void
count_flows(void *arg, const struct scn_value *v)
{
    uint64_t *n = arg;

    *n += !*v->section && !strcmp(v->key, "flows") && v->n_items;
}

static void
json_traffic(struct json *j, const struct scenario *s)
{
    uint64_t n_flows = 0;

    scn_each_value(s, count_flows, &n_flows);
    json_number(j, "flows", n_flows);
    json_open(j, "workload", '[');
    scn_each_value(s, json_workload, j);
    json_close(j, ']');
    cli_json_plugins(j, "patterns", &wl_patterns);
    cli_json_plugins(j, "engines", &weir_engines);
}

static int
explain_json(const struct scenario *s)
{
    struct json j = { .out = stdout, .lines = 2 };

    json_open(&j, NULL, '{');
    json_text(&j, "name", s->name);
    json_open(&j, "values", '[');
    scn_each_value(s, json_value, &j);
    json_close(&j, ']');
    json_traffic(&j, s);
    json_close(&j, '}');
    return EXIT_GOOD;
}

static int
explain(const struct scenario *s)
{
    struct model model;
    struct err err;
    int code = EXIT_GOOD;

    if (bind_model(s, &model, &err)) {
        listing_print(stdout, s, &model, plain_node(s));
        printf("\n# %u switch%s, %u host%s, %zu link%s, %zu flow%s\n", s->topo.n_switches,
               s->topo.n_switches == 1 ? "" : "es", s->topo.n_nics, s->topo.n_nics == 1 ? "" : "s",
               s->topo.n_links, s->topo.n_links == 1 ? "" : "s", s->n_flows,
               s->n_flows == 1 ? "" : "s");
        show_blocking(&model);
        show_roles(&model);
        show_bounds(&model);
        show_warnings(s, &model);
    } else {
        code = cli_tell(EXIT_USER, &err);
    }
    model_free(&model);
    return code;
}

static int
explain_cut(const struct scenario *s, uint32_t n_parts, bool json)
{
    struct model model;
    struct err err;
    int code = bind_model(s, &model, &err) ? cut_show(stdout, &model, n_parts, json)
                                           : cli_tell(EXIT_USER, &err);

    model_free(&model);
    return code;
}

struct options {
    struct verb_operands file;
    struct verb_words sets;
    uint64_t n_parts;
    bool json, schema, is_confined;
};

#define AT(MEMBER) .offset = offsetof(struct options, MEMBER)

static const struct verb_option options[] = {
    { "--set", "KEY=VALUE", CLI_SET_HELP, VERB_WORDS, AT(sets) },
    { "--json", NULL,
      "Shows every value that --set can change as JSON, with its kind, range and meaning; how "
      "many flows the scenario lists, its workload, and the traffic patterns and engines that "
      "there are.",
      VERB_FLAG, AT(json) },
    { "--cut", "N",
      "Shows how a run with N ranks or threads is cut into parts instead: what each part has to "
      "do, which links cross the cut, and how often the parts must meet.",
      VERB_NUMBER, AT(n_parts), .min = 1, .max = 65536 },
    { "--confined", NULL, CLI_CONFINED_HELP, VERB_FLAG, AT(is_confined) },
    { "--schema", NULL,
      "Shows a JSON schema of scenario files, with which editors complete and check them. Takes "
      "no FILE.",
      VERB_FLAG, AT(schema) },
    { 0 },
};

static int
read_scenario(const struct options *o, struct scenario *s)
{
    struct err err;
    int code = (o->is_confined ? outcome_read_confined
                               : outcome_read)(s, o->file.items[0], o->sets.items, o->sets.n, &err);

    return code == EXIT_GOOD ? code : cli_tell(code, &err);
}

static int
run(int argc, char **argv)
{
    struct options o = { 0 };
    struct scenario s;
    int code;

    if (!options_read(&cli_explain, argc, argv, &o, &code)) {
        return code;
    }
    if (o.schema) {
        schema_show();
        return EXIT_GOOD;
    }
    if (!o.file.n) {
        return cli_fail(EXIT_USER, "explain: no scenario given");
    }
    code = read_scenario(&o, &s);
    if (code == EXIT_GOOD) {
        code = o.n_parts ? explain_cut(&s, (uint32_t)o.n_parts, o.json)
               : o.json  ? explain_json(&s)
                         : explain(&s);
        scn_free(&s);
    }
    return code;
}

const struct verb cli_explain = {
    .name = "explain",
    .run = run,
    .brief = "show a scenario with every default, and what follows from it",
    .operands = "FILE",
    .about =
        "Shows a scenario with all of its values, defaults included, and where each value came "
        "from. The output is a scenario itself, and can be run. Below it stands what follows: "
        "tau, the buffer space that each scheme needs, which node has which role, and warnings "
        "about buffers that are too small.",
    .options = options,
    .operands_at = offsetof(struct options, file),
    .max_operands = 1,
};
