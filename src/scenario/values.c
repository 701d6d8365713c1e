/* Writes a scenario as text: every value, with its origin. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/value-text.h"

struct walk {
    const struct scenario *s;
    void (*each)(void *arg, const struct scn_value *);
    void *arg;
};

/* A value is written to w->out and then passed to the caller as text. */
struct writer {
    FILE *out;
    char *text;
    size_t len;
};

static struct writer *
start(struct writer *w)
{
    w->text = NULL;
    w->out = open_memstream(&w->text, &w->len);
    return w;
}

static void
hand_on(const struct walk *walk, struct writer *w, struct scn_value value)
{
    fclose(w->out);
    value.text = w->text;
    walk->each(walk->arg, &value);
    free(w->text);
}

/* Origins. */

static void
write_place(const struct scenario *s, struct scn_place place, char *out, size_t out_bytes)
{
    if (place.line) {
        snprintf(out, out_bytes, "%s:%u", s->sources[place.source], place.line);
    } else {
        snprintf(out, out_bytes, "%s", s->sources[place.source]);
    }
}

enum { ORIGIN_BYTES = 200 };

/* The origin of a field or key; 'otherwise' if it was not given. */
static const char *
origin_of(const struct scenario *s, const void *of, const char *otherwise, char *out)
{
    for (size_t i = 0; i < s->n_origins; i++) {
        if (s->origins[i].of == of && !s->origins[i].role) {
            write_place(s, s->origins[i].place, out, ORIGIN_BYTES);
            return out;
        }
    }
    return otherwise;
}

/* The walk. */

static void
walk_field(const struct walk *walk, const char *section, const struct weir_field *f,
           const void *base)
{
    struct weir_text text = { 0 };
    char origin[ORIGIN_BYTES];

    weir_text_add(&text, "%F", f, weir_field_get(f, base));
    walk->each(
        walk->arg,
        &(struct scn_value){
            .section = section,
            .key = f->name,
            .text = text.s,
            .origin = origin_of(
                walk->s, f, f->fallback == WEIR_AUTO && f->derived ? "derived" : "default", origin),
            .help = f->help,
            .field = f });
}

static bool
is_said(const struct scenario *s, const struct scn_list *list, size_t item)
{
    return !list->is_said || list->is_said(s, item);
}

static void
walk_items(const struct walk *walk, const char *section, const struct scn_key *k,
           const struct scn_list *list)
{
    const char *s = (const char *)walk->s, *items;
    size_t n = *(const size_t *)(s + list->n);
    char origin[ORIGIN_BYTES];
    struct scn_value value = { .section = section, .key = k->name, .help = k->help };
    struct writer w;

    memcpy(&items, s + list->items, sizeof items);
    value.origin = origin_of(walk->s, k, "default", origin);
    for (size_t i = 0; i < n; i++) {
        value.n_items += is_said(walk->s, list, i);
    }
    if (!value.n_items) {
        fputs("[]", start(&w)->out);
        hand_on(walk, &w, value);
        return;
    }
    value.origin = origin;
    for (size_t i = 0; i < n; i++) {
        if (is_said(walk->s, list, i)) {
            const char *place = items + i * list->item_bytes + list->place;
            write_place(walk->s, *(const struct scn_place *)place, origin, sizeof origin);
            list->write(start(&w)->out, walk->s, i);
            hand_on(walk, &w, value);
            value.item++;
        }
    }
}

static void walk_engines(const struct walk *);

static void
walk_key(const struct walk *walk, const char *section, const struct scn_key *k)
{
    const struct scn_list *list = scn_list_of(k);
    char origin[ORIGIN_BYTES];
    struct writer w;

    if (k->shape == SCN_FILE ||
        (k == &scn_top_keys[TOP_INSIDE] && !scn_has_scopes(&walk->s->stack))) {
        return; /* The scenario already has the values of the file. */
    }
    if (k->shape == SCN_PARAMETERS) {
        walk_engines(walk);
        return;
    }
    if (list) {
        walk_items(walk, section, k, list);
        return;
    }
    scn_write_key(start(&w)->out, walk->s, k);
    hand_on(walk, &w,
            (struct scn_value){ .section = section,
                                .key = k->name,
                                .origin = origin_of(walk->s, k, "default", origin),
                                .help = k->help });
}

/* Walks over the fields in order, then over the keys. A field that chooses a plug-in is followed by
 * the plug-in's parameters. */
static void
walk_section(const struct walk *walk, const struct scn_table *table)
{
    const char *base = (const char *)walk->s + table->offset;
    const struct scn_choice *c;

    for (const struct weir_field *f = table->fields; f->name; f++) {
        walk_field(walk, table->name, f, base);
        c = scn_choice_of(table, f);
        const struct weir_field *own = c ? scn_choice_fields(scn_chosen(table, c, base)) : NULL;
        for (; own && own->name; own++) {
            walk_field(walk, table->name, own, base + c->params);
        }
    }
    for (c = table->choices; c && c->field; c++) {
        const struct scn_key *own = scn_choice_keys(c, scn_chosen(table, c, base));
        for (; own->name; own++) {
            walk_key(walk, table->name, own);
        }
    }
    for (const struct scn_key *k = table->keys; k->name; k++) {
        walk_key(walk, table->name, k);
    }
}

static void
walk_params(const struct walk *walk, const struct weir_engine *engine, const void *params)
{
    char section[80];

    snprintf(section, sizeof section, "engines.%s", engine->about.name);
    for (const struct weir_field *f = engine->about.params; f->name; f++) {
        walk_field(walk, section, f, params);
    }
}

static void
walk_engines(const struct walk *walk)
{
    const struct scenario *s = walk->s;

    for (uint32_t i = 0; i < s->stack.n; i++) {
        walk_params(walk, s->stack.layers[i].engine, s->stack.layers[i].params);
    }
    for (size_t i = 0; i < s->n_spares; i++) {
        if (!s->spares[i].role) {
            walk_params(walk, s->spares[i].engine, s->spares[i].params);
        }
    }
}

void
scn_each_value(const struct scenario *s, void (*each)(void *arg, const struct scn_value *),
               void *arg)
{
    const struct walk walk = { s, each, arg };
    struct scn_table section;

    walk_key(&walk, "", &scn_top_keys[TOP_NAME]);
    for (size_t i = 0; scn_section_at(i, &section); i++) {
        walk_section(&walk, &section);
    }
    for (const struct scn_key *k = &scn_top_keys[TOP_NAME + 1]; k->name; k++) {
        walk_key(&walk, "", k);
    }
}
