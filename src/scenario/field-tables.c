/* Writes fields and keys of a map of a scenario as text, Markdown and JSON. */

#include "scenario/field-tables.h"

#include <string.h>

/* Values other than numbers: their type, an example, and the table of their keys. */
static const struct shape {
    const char *type, *example, *table;
} shapes[] = {
    [SCN_TEXT] = { "text", NULL, NULL },
    [SCN_FILE] = { "file", NULL, NULL },
    [SCN_NODE_NAME] = { "node", NULL, NULL },
    [SCN_NODE_NAMES] = { "list of nodes", "[H1, H2]", NULL },
    [SCN_PAIR] = { "two nodes", "[S1, H1]", NULL },
    [SCN_PORT] = { "port", "[S1, H1] or S1:2", NULL },
    [SCN_PAIRS] = { "list of links", "[[S1, H1], S1:2]", NULL },
    [SCN_PORTS] = { "all, none or list of ports", "[[S1, H1], S1:2]", NULL },
    [SCN_FAILURES] = { "map", "{probability: 0.05, seed: 3}", "topology.failures" },
    [SCN_ROOTS] = { "node or list of nodes", "[C1, C2]", NULL },
    [SCN_COUNT] = { "count", "3", NULL },
    [SCN_TIMES] = { "time or list of times", "[1ms, 3ms]", NULL },
    [SCN_WEIGHTS] = { "list of counts", "[4, 1, 0]", NULL },
    [SCN_QUANTITY] = { "quantity", "deadlock", NULL },
    [SCN_PUBLISHED] = { "any value", "840KB", NULL },
    [SCN_TOLERANCE] = { "ratio", "5%", NULL },
    [SCN_ENGINE_NAME] = { "engine", "pfc", NULL },
    [SCN_STACK] = { "engine or list of engines", "[gfc-buffer, ecn]", NULL },
    [SCN_PARAMETERS] = { "map", "{pfc: {xoff: 800KB}}", NULL },
    [SCN_EXPECTATIONS] = { "failure or list of failures", "[deadlock, drops]", NULL },
    [SCN_GROUPS] = { "map", "{size: 8, stride: 1}", "workload.groups" },
    [SCN_SIZES] = { "name, file or list", "[[10KB, 50], [1MB, 100]]", NULL },
    [SCN_WORKLOADS] = { "map or list of maps", "{kind: incast}", "workload" },
    [SCN_FLOWS] = { "list of maps, or map", "[{from: H1, to: H2}]", "flows" },
    [SCN_LINKS] = { "list of maps", "[{ends: [S1, S2], rate: 40Gbps}]", "topology.links" },
    [SCN_STATICS] = { "list of maps", "[{at: S1, to: H3, via: S2}]", "routing.static" },
    [SCN_STALLS] = { "list of maps", "[{at: H3, from: 1ms}]", "stalls" },
    [SCN_ROLES] = { "list of maps", "[{tier: 0, engine: none}]", "roles" },
    [SCN_SPEEDS] = { "list of maps", "[{rate: 400Gbps, alpha: 0.25}]", "switch.speeds" },
    [SCN_SLOWINGS] = { "list of maps", "[{at: 1ms, rate: 2Gbps}]", "topology.links.slow" },
    [SCN_SECTION] = { "map", "{arbitration: rr}", "switch" },
    [SCN_CLAIMS] = { "list of maps", "[{of: deadlock, published: yes}]", "claims" },
};

/* The marks around a word of a scenario, in text and in Markdown. */
struct marks {
    const char *begin, *end, *between;
    bool has_links;
};

static const struct marks plain = { "", "", " or ", false };
static const struct marks markdown = { "`", "`", ", ", true };

enum { MAX_LISTED = 10 };

/* A field or key as text for a table. */
struct row {
    const char *name, *type, *help, *source;
    bool is_needed;
    struct weir_text fallback, values; /* Empty: none. */
};

static void
add_registry(struct weir_text *text, const struct weir_registry *r, const struct marks *m)
{
    weir_text_add(text, m->has_links ? "%s[%s](%s.md)" : "%s'weir %s'",
                  text->len ? "; see " : "see ", r->many, r->many);
}

static void
add_choices(struct weir_text *text, const struct weir_field *f, const struct marks *m)
{
    bool is_long = weir_field_choice(f, MAX_LISTED);
    const char *name;

    for (uint32_t i = 0; !is_long && (name = weir_field_choice(f, i)); i++) {
        weir_text_add(text, "%s%s%s%s", i ? m->between : "", m->begin, name, m->end);
    }
    if (f->registry) {
        add_registry(text, f->registry, m);
    }
}

static void
add_range(struct weir_text *text, const struct weir_field *f)
{
    if (f->max == UINT64_MAX) {
        weir_text_add(text, "at least %F", f, f->min);
    } else {
        weir_text_add(text, "%F to %F", f, f->min, f, f->max);
    }
    weir_text_add(text, "%s", f->may_be_off ? ", or off" : "");
}

/* Adds the default of a field; an endless or unlimited value has none, as it is left out in
 * scenarios. */
static void
add_default(struct weir_text *text, const struct weir_field *f, bool is_needed)
{
    if (is_needed) {
        weir_text_add(text, "required");
    } else if (f->fallback == WEIR_AUTO) {
        weir_text_add(text, f->derived ? "auto: %s" : "", f->derived);
    } else {
        weir_text_add(text, "%F", f, f->fallback);
    }
}

static void
row_of_field(struct row *row, const struct weir_field *f, bool is_needed, const struct marks *m)
{
    *row = (struct row){ f->name, weir_kind_name(f->kind), f->help, f->source, is_needed, { 0 },
                         { 0 } };
    add_default(&row->fallback, f, is_needed);
    if (f->kind == WEIR_CHOICE) {
        add_choices(&row->values, f, m);
    } else {
        add_range(&row->values, f);
    }
}

/* Adds a reference to the table of a map's keys. Links to headings of a page have no dots. */
static void
add_table(struct weir_text *text, const char *table, const struct marks *m)
{
    weir_text_add(text, "%s", text->len ? "; " : "");
    if (!m->has_links) {
        weir_text_add(text, "see 'weir keys %s'", table);
        return;
    }
    weir_text_add(text, "[its keys](scenarios.md#section-");
    for (const char *c = table; *c; c++) {
        weir_text_add(text, "%s", *c == '.' ? "" : (char[]){ *c, 0 });
    }
    weir_text_add(text, ")");
}

static void
row_of_key(struct row *row, const struct scn_key *k, const struct marks *m)
{
    const struct shape *s = &shapes[k->shape];

    *row = (struct row){ k->name, s->type, k->help, NULL, k->is_needed, { 0 }, { 0 } };
    weir_text_add(&row->fallback, k->is_needed ? "required" : "");
    if (s->example) {
        weir_text_add(&row->values, "such as %s%s%s", m->begin, s->example, m->end);
    }
    if (s->table) {
        add_table(&row->values, s->table, m);
    }
}

/* The output for rows of fields and keys. */
struct rows {
    FILE *out;
    const struct marks *marks;
    void (*write)(FILE *, const struct row *);
};

static void
each_key(const struct rows *rows, const struct scn_key *keys, bool are_needed)
{
    struct row row;

    for (const struct scn_key *k = keys; k->name; k++) {
        if (k->is_needed == are_needed) {
            row_of_key(&row, k, rows->marks);
            rows->write(rows->out, &row);
        }
    }
}

/* Keys that are required come first. */
static void
each_row(const struct rows *rows, const struct scn_fields *t)
{
    struct row row;

    each_key(rows, t->keys, true);
    for (const struct weir_field *f = t->fields; f->name; f++) {
        row_of_field(&row, f, t->needed && !strcmp(t->needed, f->name), rows->marks);
        rows->write(rows->out, &row);
    }
    each_key(rows, t->keys, false);
}

static bool
is_sourced(const char *source)
{
    return source && source[0] != '-';
}

static void
write_text(FILE *out, const struct row *r)
{
    fprintf(out, "  %-12s %s", r->name, r->type);
    fprintf(out, "%s%s", r->values.len ? ", " : "", r->values.s);
    if (r->fallback.len) {
        fprintf(out, r->is_needed ? ", %s" : ", default %s", r->fallback.s);
    }
    fprintf(out, "\n");
    fprintf(out, "%15s%s\n", "", r->help);
    if (is_sourced(r->source)) {
        fprintf(out, "%15ssource: %s\n", "", r->source);
    }
}

void
scn_fields_text(FILE *out, const struct scn_fields *t)
{
    each_row(&(struct rows){ out, &plain, write_text }, t);
}

static void
write_cells(FILE *out, const struct row *r)
{
    fprintf(out, "| `%s` | %s | %s | %s | %s |", r->name, r->type,
            r->fallback.len ? r->fallback.s : "-", r->values.len ? r->values.s : "-", r->help);
}

static void
write_row(FILE *out, const struct row *r)
{
    write_cells(out, r);
    fprintf(out, "\n");
}

static void
write_row_with_source(FILE *out, const struct row *r)
{
    write_cells(out, r);
    fprintf(out, " %s |\n", r->source ? r->source : "-");
}

static bool
has_source(const struct scn_fields *t)
{
    const struct weir_field *f = t->fields;

    while (f->name && !is_sourced(f->source)) {
        f++;
    }
    return f->name;
}

void
scn_fields_markdown(FILE *out, const struct scn_fields *t)
{
    bool sourced = has_source(t);

    fprintf(out,
            "| %s | type | default | values | meaning |%s\n| --- | --- | --- | --- | --- |%s\n",
            t->head, sourced ? " source |" : "", sourced ? " --- |" : "");
    each_row(&(struct rows){ out, &markdown, sourced ? write_row_with_source : write_row }, t);
}

void
scn_json_choices(struct json *j, const char *key, const struct weir_field *f)
{
    const char *name;

    json_open(j, key, '[');
    for (uint32_t i = 0; (name = weir_field_choice(f, i)); i++) {
        json_text(j, NULL, name);
    }
    json_close(j, ']');
}

static void
json_value(struct json *j, const char *key, const struct weir_field *f, uint64_t value)
{
    struct weir_text text = { 0 };
    char key_of_text[40];

    snprintf(key_of_text, sizeof key_of_text, "%s_text", key);
    if (value == WEIR_AUTO) { /* The value is derived or missing. */
        json_null(j, key);
    } else {
        json_number(j, key, value);
    }
    if (value != WEIR_AUTO || f->derived) {
        weir_text_add(&text, "%F", f, value);
    }
    json_text(j, key_of_text, text.len ? text.s : NULL);
}

static void
json_range(struct json *j, const struct weir_field *f)
{
    if (f->kind != WEIR_CHOICE) {
        json_value(j, "min", f, f->min);
        json_value(j, "max", f, f->max);
        return;
    }
    scn_json_choices(j, "choices", f);
}

static void
json_field(struct json *j, const struct weir_field *f)
{
    json_open(j, NULL, '{');
    json_text(j, "name", f->name);
    json_text(j, "kind", weir_kind_name(f->kind));
    json_value(j, "default", f, f->fallback);
    json_range(j, f);
    json_text(j, "auto", f->derived);
    json_bool(j, "may_be_off", f->may_be_off);
    json_text(j, "help", f->help);
    json_text(j, "source", f->source);
    json_close(j, '}');
}

void
scn_json_fields(struct json *j, const char *key, const struct weir_field *fields)
{
    json_open(j, key, '[');
    for (const struct weir_field *f = fields; f->name; f++) {
        json_field(j, f);
    }
    json_close(j, ']');
}

void
scn_json_named(struct json *j, const char *name, const char *help)
{
    json_open(j, NULL, '{');
    json_text(j, "name", name);
    json_text(j, "help", help);
    json_close(j, '}');
}

void
scn_json_keys(struct json *j, const char *key, const struct scn_key *keys)
{
    json_open(j, key, '[');
    for (const struct scn_key *k = keys; k->name; k++) {
        scn_json_named(j, k->name, k->help);
    }
    json_close(j, ']');
}
