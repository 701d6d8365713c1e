/* Keys that plug-ins add to the tables: parameters next to the field that chooses one, and sections
 * under the name of each. */

#include <assert.h>
#include <string.h>

#include "scenario/resolver.h"

static const struct weir_field no_fields[] = { { 0 } };
static const struct scn_key no_keys[] = { { 0 } };
static const struct scn_choice no_choices[] = { { 0 } };

bool
scn_section_at(size_t i, struct scn_table *section)
{
    for (const struct scn_table *t = scn_sections; t->name; t++) {
        if (!t->each && !i--) {
            *section = *t;
            return true;
        }
        for (size_t p = 0; t->each && t->each->plugins[p]; p++) {
            const struct weir_plugin *plugin = t->each->plugins[p];
            assert(p < SCN_MAX_EACH && plugin->params_bytes <= t->each_bytes);
            if (scn_choice_fields(plugin)->name && !i--) {
                *section = (struct scn_table){ .name = plugin->name,
                                               .fields = plugin->params,
                                               .keys = no_keys,
                                               .offset = t->offset + p * t->each_bytes };
                return true;
            }
        }
    }
    return false;
}

static const struct scn_choice *
choices_of(const struct scn_table *table)
{
    return table->choices ? table->choices : no_choices;
}

static const struct weir_field *
field_of(const struct scn_table *table, const struct scn_choice *c)
{
    return weir_field_find(table->fields, c->field);
}

const struct weir_registry *
scn_choice_registry(const struct scn_table *table, const struct scn_choice *c)
{
    return field_of(table, c)->registry;
}

const struct weir_field *
scn_choice_fields(const struct weir_plugin *plugin)
{
    return plugin->params ? plugin->params : no_fields;
}

const struct scn_key *
scn_choice_keys(const struct scn_choice *c, const struct weir_plugin *plugin)
{
    const struct scn_key *keys = c->keys ? c->keys(plugin) : NULL;
    return keys ? keys : no_keys;
}

static const struct scn_key *
keys_in(const struct scn_table *table, const struct weir_registry *registry,
        const struct weir_plugin *plugin)
{
    for (const struct scn_choice *c = choices_of(table); c->field; c++) {
        if (scn_choice_registry(table, c) == registry) {
            return scn_choice_keys(c, plugin);
        }
    }
    return no_keys;
}

const struct scn_key *
scn_plugin_keys(const struct weir_registry *registry, const struct weir_plugin *plugin)
{
    const struct scn_key *keys = keys_in(&scn_workload_table, registry, plugin);

    for (const struct scn_table *t = scn_sections; t->name && !keys->name; t++) {
        keys = keys_in(t, registry, plugin);
    }
    return keys;
}

const struct scn_choice *
scn_choice_of(const struct scn_table *table, const struct weir_field *f)
{
    for (const struct scn_choice *c = choices_of(table); c->field; c++) {
        if (field_of(table, c) == f) {
            return c;
        }
    }
    return NULL;
}

const struct weir_plugin *
scn_chosen(const struct scn_table *table, const struct scn_choice *c, const void *base)
{
    return scn_choice_registry(table, c)->plugins[weir_field_get(field_of(table, c), base)];
}

static void
default_params(const struct scn_table *table, const struct scn_choice *c, void *base)
{
    const struct weir_plugin *plugin = scn_chosen(table, c, base);
    void *params = (char *)base + c->params;

    assert(plugin->params_bytes <= c->params_bytes);
    memset(params, 0, plugin->params_bytes);
    weir_fields_default(scn_choice_fields(plugin), params);
}

void
scn_default_map(const struct scn_table *table, void *base)
{
    weir_fields_default(table->fields, base);
    for (const struct scn_choice *c = choices_of(table); c->field; c++) {
        default_params(table, c, base);
    }
}

const char *
scn_implied(const struct scn_node *map, const struct scn_table *table)
{
    const char *const *key = table->implied_by;

    while (key && *key && !scn_child(map, *key)) {
        key++;
    }
    return key ? *key : NULL;
}

/* The plug-in that a map names, or that another key implies; null: none. */
static const char *
named_in(const struct scn_node *map, const struct scn_table *table, const struct scn_choice *c)
{
    const struct scn_node *word = scn_child(map, c->field);
    bool may_be_implied = table->implied_by && !strcmp(table->needed_field, c->field);

    return word             ? (word->kind == SCN_WORD ? word->word : NULL)
           : may_be_implied ? scn_implied(map, table)
                            : NULL;
}

void
scn_choose(const struct scn_node *map, const struct scn_table *table, void *base)
{
    for (const struct scn_choice *c = choices_of(table); c->field; c++) {
        const struct weir_field *f = field_of(table, c);
        const char *name = named_in(map, table, c);
        struct weir_text why = { 0 };
        uint64_t value;
        if (name && weir_field_parse(f, name, &value, &why)) {
            weir_field_set(f, base, value);
            default_params(table, c, base);
        }
    }
}

/* Finds a parameter of a plug-in that is not chosen, if the map may have parameters of those,
 * too. */
static const struct weir_field *
find_unused(const struct scn_table *table, const struct scn_choice *c, const void *base,
            const char *name)
{
    const struct weir_plugin *chosen = scn_chosen(table, c, base);
    const struct weir_plugin *const *p = scn_choice_registry(table, c)->plugins;
    const struct weir_field *f = NULL;

    for (; c->takes && *p && !f; p++) {
        f = c->takes(chosen, *p) ? weir_field_find(scn_choice_fields(*p), name) : NULL;
    }
    return f;
}

const struct weir_field *
scn_find_field(const struct scn_table *table, void *base, const char *name, void **at)
{
    const struct weir_field *f = weir_field_find(table->fields, name);

    *at = base;
    for (const struct scn_choice *c = choices_of(table); c->field && !f; c++) {
        f = weir_field_find(scn_choice_fields(scn_chosen(table, c, base)), name);
        *at = (char *)base + c->params;
    }
    for (const struct scn_choice *c = choices_of(table); c->field && !f; c++) {
        f = find_unused(table, c, base, name);
        *at = NULL;
    }
    return f;
}

/* A set of names: several plug-ins may have a parameter of the same name. */

struct names {
    const char **items;
    size_t n;
};

static void
add_name(struct names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++) {
        if (!strcmp(names->items[i], name)) {
            return;
        }
    }
    assert(names->n < SCN_MAX_NAMES);
    names->items[names->n++] = name;
}

static void
add_names(struct names *names, const struct weir_field *fields, const struct scn_key *keys)
{
    for (const struct weir_field *f = fields; f->name; f++) {
        add_name(names, f->name);
    }
    for (const struct scn_key *k = keys; k && k->name; k++) {
        add_name(names, k->name);
    }
}

size_t
scn_choice_names(const struct scn_table *table, const struct scn_choice *c,
                 const char *all[SCN_MAX_NAMES])
{
    const struct weir_plugin *const *p = scn_choice_registry(table, c)->plugins;
    struct names names = { .items = all };

    for (; *p; p++) {
        add_names(&names, scn_choice_fields(*p), scn_choice_keys(c, *p));
    }
    return names.n;
}

size_t
scn_list_names(const struct scn_table *table, const void *base, const char *all[SCN_MAX_NAMES])
{
    struct names names = { .items = all };

    add_names(&names, table->fields, table->keys);
    for (const struct scn_choice *c = choices_of(table); c->field; c++) {
        const struct weir_plugin *chosen = scn_chosen(table, c, base);
        const struct weir_plugin *const *p = scn_choice_registry(table, c)->plugins;
        add_names(&names, scn_choice_fields(chosen), scn_choice_keys(c, chosen));
        for (; c->takes && *p; p++) {
            if (c->takes(chosen, *p)) {
                add_names(&names, scn_choice_fields(*p), scn_choice_keys(c, *p));
            }
        }
    }
    return names.n;
}
