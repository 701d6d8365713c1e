/* Finds keys of a scenario by their path, as --set writes it. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "scenario/key-tables.h"

/* Paths of --set have numbers of items, which tables have not: topology.links.0.rate. */
static void
leave_out_items(char to[SCN_MAX_KEY_PATH], const char *path)
{
    size_t len = 0;

    for (const char *part = path; *part && len < SCN_MAX_KEY_PATH;) {
        size_t n = strcspn(part, ".");
        if (!n || strspn(part, "0123456789") != n) {
            len += (size_t)snprintf(to + len, SCN_MAX_KEY_PATH - len, "%s%.*s", len ? "." : "",
                                    (int)n, part);
        }
        part += n + (part[n] == '.');
    }
}

static void
join(char path[SCN_MAX_KEY_PATH], const struct scn_key_table *t, const char *key)
{
    snprintf(path, SCN_MAX_KEY_PATH, "%s%s%s", t->name, *t->name ? "." : "", key);
}

static bool
is_wanted(const struct scn_key_search *s, const struct scn_key_table *t, const char *key)
{
    char path[SCN_MAX_KEY_PATH];

    join(path, t, key);
    return s->takes_parts ? !strncmp(path, s->path, strlen(s->path)) || !strcmp(key, s->path)
                          : !strcmp(path, s->path);
}

/* The wanted ones of some fields or keys: items of 'bytes' that begin with their name, and end with
 * a null name. */
static void *
take_wanted(const struct scn_key_search *s, const struct scn_key_table *t, const void *items,
            size_t bytes, size_t *n_taken)
{
    const char *item = items, *name;
    size_t n = 0;

    for (; memcpy(&name, item, sizeof name), name; item += bytes) {
        n++;
    }
    char *taken = array_new(n + 1, bytes);
    for (item = items; n--; item += bytes) {
        memcpy(&name, item, sizeof name);
        if (is_wanted(s, t, name)) {
            memcpy(taken + (*n_taken)++ * bytes, item, bytes);
        }
    }
    return taken;
}

static void
search_table(void *search, const struct scn_key_table *t)
{
    struct scn_key_search *s = search;
    struct scn_key_table part = *t;
    size_t n = 0;

    part.is_part = true;
    part.fields.fields = take_wanted(s, t, t->fields.fields, sizeof *t->fields.fields, &n);
    part.fields.keys = take_wanted(s, t, t->fields.keys, sizeof *t->fields.keys, &n);
    ARRAY_PUSH(s->tables, s->n, s->max) = part;
    if (!n) {
        s->n--;
        free((void *)part.fields.fields);
        free((void *)part.fields.keys);
    }
}

static void
search_section(void *search, const struct scn_key_table *t)
{
    struct scn_key_search *s = search;

    if (t->is_section && !strcmp(t->name, s->path)) {
        ARRAY_PUSH(s->tables, s->n, s->max) = *t;
    }
}

bool
scn_key_search(struct scn_key_search *s, const char *path)
{
    *s = (struct scn_key_search){ 0 };
    leave_out_items(s->path, path);
    scn_key_tables_each(search_section, s);
    for (int i = 0; i < 2 && !s->n && *s->path; i++) {
        s->takes_parts = i;
        scn_key_tables_each(search_table, s);
    }
    return s->n;
}

void
scn_key_search_free(struct scn_key_search *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->tables[i].is_part) {
            free((void *)s->tables[i].fields.fields);
            free((void *)s->tables[i].fields.keys);
        }
    }
    free(s->tables);
}

/* Near misses. */

struct names {
    char **items;
    size_t n, max;
    bool are_paths; /* Else names of sections, and of keys alone. */
};

static void
add_name(struct names *names, const struct scn_key_table *t, const char *key)
{
    char path[SCN_MAX_KEY_PATH];

    join(path, t, key);
    key = names->are_paths ? path : key;
    if (text_find(key, names->items, sizeof *names->items, names->n) == names->n) {
        ARRAY_PUSH(names->items, names->n, names->max) = strdup(key);
    }
}

static void
add_names(void *names, const struct scn_key_table *t)
{
    if (t->is_section) {
        add_name(names, &(struct scn_key_table){ 0 }, t->name);
    }
    for (const struct weir_field *f = t->fields.fields; f->name; f++) {
        add_name(names, t, f->name);
    }
    for (const struct scn_key *k = t->fields.keys; k->name; k++) {
        add_name(names, t, k->name);
    }
}

void
scn_key_offer(const char *path, char *out, size_t out_bytes)
{
    struct names names = { .are_paths = strchr(path, '.') };

    scn_key_tables_each(add_names, &names);
    text_offer_near(path, (const char *const *)names.items, sizeof *names.items, names.n, out,
                    out_bytes);
    for (size_t i = 0; i < names.n; i++) {
        free(names.items[i]);
    }
    free(names.items);
}

/* The same name elsewhere. */

enum { MAX_ELSEWHERE = 4 };

struct elsewhere {
    const char *key;
    struct weir_text text;
    size_t n;
};

static void
add_place(struct elsewhere *e, const struct scn_key_table *t, const char *path)
{
    if (e->n++ < MAX_ELSEWHERE) {
        weir_text_add(&e->text, "%s%s", e->text.len ? ", " : "; keys of this name: ", path);
        weir_text_add(&e->text, t->plugin ? " (%s)" : "", t->plugin);
    }
}

static bool
has_key(const struct scn_key_table *t, const char *key)
{
    const struct scn_key *k = t->fields.keys;

    while (k->name && strcmp(k->name, key)) {
        k++;
    }
    return k->name || weir_field_find(t->fields.fields, key);
}

static void
search_elsewhere(void *elsewhere, const struct scn_key_table *t)
{
    struct elsewhere *e = elsewhere;
    const char *last = strrchr(t->name, '.');
    char path[SCN_MAX_KEY_PATH];

    join(path, t, e->key);
    if (has_key(t, e->key)) {
        add_place(e, t, path);
    } else if (last && !strcmp(last + 1, e->key)) {
        add_place(e, t, t->name);
    }
}

void
scn_key_elsewhere(const char *key, char *out, size_t out_bytes)
{
    struct elsewhere e = { .key = key };

    scn_key_tables_each(search_elsewhere, &e);
    weir_text_add(&e.text, e.n > MAX_ELSEWHERE ? ", ..." : "");
    snprintf(out, out_bytes, "%s", e.text.s);
}

struct first {
    const char *key;
    char *path;
    bool is_found;
};

static void
search_first(void *first, const struct scn_key_table *t)
{
    struct first *f = first;

    if (!f->is_found && (t->is_single || !*t->name) && has_key(t, f->key)) {
        join(f->path, t, f->key);
        f->is_found = true;
    }
}

bool
scn_key_path(const char *key, char path[SCN_MAX_KEY_PATH])
{
    struct first f = { key, path, false };

    scn_key_tables_each(search_first, &f);
    return f.is_found;
}
