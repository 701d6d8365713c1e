/* Converts a tree to a scenario: reads maps by their tables, then sections; has the entry point. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "scenario/key-tables.h"
#include "scenario/resolver.h"

bool
scn_expect_kind(struct resolver *r, const struct scn_node *n, enum scn_kind kind, const char *what)
{
    return n->kind == kind || scn_fail(n, r->err, "%s", what);
}

bool
scn_read_text(struct resolver *r, const struct scn_node *n, const char *what, char *out,
              size_t out_bytes)
{
    if (n->kind != SCN_WORD) {
        return scn_fail(n, r->err, "expected %s", what);
    }
    size_t len = strlen(n->word);
    if (len >= out_bytes) {
        return scn_fail(n, r->err, "%s has %zu bytes; at most %zu are allowed", what, len,
                        out_bytes - 1);
    }
    if (!len || strpbrk(n->word, "\t\r\n")) {
        return scn_fail(n, r->err, len ? "%s must be on one line, without tabs" : "%s is empty",
                        what);
    }
    memcpy(out, n->word, len + 1);
    return true;
}

bool
scn_read_items(struct resolver *r, const struct scn_node *map, const char *key,
               bool (*read_item)(struct resolver *, const struct scn_node *))
{
    const struct scn_node *list = scn_child(map, key);

    if (list && list->kind != SCN_LIST) {
        return scn_fail(list, r->err, "%s: expected a list", key);
    }
    for (size_t i = 0; list && i < list->n_children; i++) {
        if (!read_item(r, list->children[i])) {
            return false;
        }
    }
    return true;
}

bool
scn_read_words(struct resolver *r, const struct scn_node *map, const char *key,
               bool (*read_word)(struct resolver *, const struct scn_node *))
{
    const struct scn_node *n = scn_child(map, key);

    return !n || (n->kind == SCN_LIST ? scn_read_items(r, map, key, read_word) : read_word(r, n));
}

/* Maps by their tables. */

/* The nearest name; else maps that have such a key; else all names. */
static bool
refuse_key(struct resolver *r, const struct scn_node *child, const char **names, size_t n_names)
{
    char offer[400];

    text_offer_near(child->key, names, sizeof *names, n_names, offer, sizeof offer);
    if (!*offer) {
        scn_key_elsewhere(child->key, offer, sizeof offer);
    }
    if (!*offer) {
        text_offer(child->key, names, sizeof *names, n_names, offer, sizeof offer);
    }
    return scn_fail_key(child, r->err, "unknown key '%s'%s", child->key, offer);
}

static bool
check_keys(struct resolver *r, const struct scn_node *map, const char **names, size_t n_names)
{
    for (size_t i = 0; i < map->n_children; i++) {
        const struct scn_node *child = map->children[i];
        if (text_find(child->key, names, sizeof *names, n_names) == n_names) {
            return refuse_key(r, child, names, n_names);
        }
    }
    return true;
}

static bool
check_needed(struct resolver *r, const struct scn_node *map, const struct scn_table *table)
{
    if (table->needed_field && !scn_child(map, table->needed_field) && !scn_implied(map, table)) {
        return scn_fail(map, r->err, "a %s needs '%s'", table->name, table->needed_field);
    }
    for (const struct scn_key *k = table->keys; k && k->name; k++) {
        if (k->is_needed && !scn_child(map, k->name)) {
            return scn_fail(map, r->err, "a %s needs '%s'", table->name, k->name);
        }
    }
    return true;
}

/* Whether a ratio is too small: ratios have 16 binary places, and a smaller value would silently
 * become 0. */
static bool
is_too_small(const struct weir_field *f, uint64_t value, const char *word)
{
    return f->kind == WEIR_RATIO && !value && strpbrk(word, "123456789");
}

/* Shows the nearest choice instead of all of them. */
static bool
refuse_word(const struct weir_field *f, const char *word, struct weir_text *why)
{
    const char *names[SCN_MAX_NAMES];
    char offer[WEIR_TEXT_MAX];
    size_t n = 0;

    while (f->kind == WEIR_CHOICE && n < SCN_MAX_NAMES && (names[n] = weir_field_choice(f, n))) {
        n++;
    }
    if (n) {
        *why = (struct weir_text){ 0 };
        text_offer(word, names, sizeof *names, n, offer, sizeof offer);
        weir_text_add(why, "%s cannot be '%s'%s", f->name, word, offer);
    }
    return false;
}

bool
scn_read_value(struct resolver *r, const struct scn_node *n, const struct weir_field *f,
               uint64_t *value)
{
    struct weir_text why = { 0 };

    if (n->kind != SCN_WORD) {
        return scn_fail(n, r->err, "%s: expected a single value", f->name);
    }
    bool good = weir_field_parse(f, n->word, value, &why) || refuse_word(f, n->word, &why);
    bool is_auto = good && f->derived && *value == WEIR_AUTO;
    if (!good || (!is_auto && !weir_field_check(f, *value, &why))) {
        return scn_fail(n, r->err, "%s", why.s);
    }
    if (is_too_small(f, *value, n->word)) {
        return scn_fail(n, r->err, "%s: '%s' is too small; the minimum is 0.00001", f->name,
                        n->word);
    }
    return true;
}

static bool
read_field(struct resolver *r, const struct scn_node *n, const struct scn_table *table, void *base)
{
    void *at;
    const struct weir_field *f = scn_find_field(table, base, n->key, &at);
    uint64_t value;

    if (!f) {
        return true; /* A key, which another function reads. */
    }
    if (!scn_read_value(r, n, f, &value)) {
        return false;
    }
    if (at) {
        weir_field_set(f, at, value);
    }
    return true;
}

bool
scn_read_map(struct resolver *r, const struct scn_node *map, const struct scn_table *table,
             void *base)
{
    const char *names[SCN_MAX_NAMES];

    scn_choose(map, table, base);
    if (!check_keys(r, map, names, scn_list_names(table, base, names)) ||
        !check_needed(r, map, table)) {
        return false;
    }
    for (size_t i = 0; i < map->n_children; i++) {
        if (!read_field(r, map->children[i], table, base)) {
            return false;
        }
    }
    return true;
}

/* Origins. */

/* The name of a file relative to the scenario's folder: the same from any current folder. */
static const char *
short_name(const struct resolver *r, const struct scn_source *source)
{
    const char *slash = strrchr(r->main->name, '/');
    size_t folder = slash ? (size_t)(slash - r->main->name) + 1 : 0;

    return source->is_set                                 ? "--set"
           : strncmp(source->name, r->main->name, folder) ? source->name
                                                          : source->name + folder;
}

struct scn_place
scn_place_of(struct resolver *r, const struct scn_node *n)
{
    struct scenario *s = r->s;
    const char *name = short_name(r, n->source);
    size_t i = 0;

    while (i < s->n_sources && strcmp(s->paths[i], n->source->name)) {
        i++; /* Identified by the path: all arguments have the same short name. */
    }
    if (i == s->n_sources) {
        ARRAY_PUSH(s->sources, s->n_sources, s->max_sources) = strdup(name);
        ARRAY_PUSH(s->paths, s->n_paths, s->max_paths) = strdup(n->source->name);
    }
    return (struct scn_place){ (uint32_t)i, n->source->is_set ? 0 : (uint32_t)n->line };
}

void
scn_note_tail(struct resolver *r, const struct scn_source *source, struct scn_tail tail)
{
    const struct scn_node first = { .source = source, .line = tail.line };

    if (tail.n_lines) {
        ARRAY_PUSH(r->s->ignored, r->s->n_ignored, r->s->max_ignored) =
            (struct scn_ignored){ scn_place_of(r, &first), tail.n_lines };
    }
}

static void
note(struct resolver *r, const void *of, const struct scn_node *n)
{
    if (n) {
        ARRAY_PUSH(r->s->origins, r->s->n_origins, r->s->max_origins) =
            (struct scn_origin){ .of = of,
                                 .role = r->role,
                                 .speed = r->speed,
                                 .place = scn_place_of(r, n),
                                 .column = (uint32_t)n->column,
                                 .line = scn_copy_line(n) };
    }
}

static void
note_all(struct resolver *r, const struct scn_node *map, const struct weir_field *fields,
         const struct scn_key *keys)
{
    for (const struct weir_field *f = fields; f->name; f++) {
        note(r, f, scn_child(map, f->name));
    }
    for (const struct scn_key *k = keys; k && k->name; k++) {
        note(r, k, scn_child(map, k->name));
    }
}

void
scn_note_origins(struct resolver *r, const struct scn_node *map, const struct scn_table *table,
                 const void *base)
{
    note_all(r, map, table->fields, table->keys);
    for (const struct weir_field *f = table->fields; f->name; f++) {
        const struct scn_choice *c = scn_choice_of(table, f);
        if (c) {
            const struct weir_plugin *chosen = scn_chosen(table, c, base);
            note_all(r, map, scn_choice_fields(chosen), scn_choice_keys(c, chosen));
        }
    }
}

/* The entry. */

static bool
read_section(struct resolver *r, const struct scn_table *section)
{
    const struct scn_node *n = scn_child(r->root, section->name);
    void *base = (char *)r->s + section->offset;

    scn_default_map(section, base);
    if (!n) {
        return true;
    }
    if (!scn_expect_kind(r, n, SCN_MAP, "expected keys, as in {time: 10ms}") ||
        !scn_read_map(r, n, section, base)) {
        return false;
    }
    scn_note_origins(r, n, section, base);
    return true;
}

bool
scn_read_weights(struct resolver *r, const struct scn_node *map, struct scn_switch *s)
{
    const struct weir_field weight = { .name = "weight", .kind = WEIR_COUNT, .max = 1000 };
    const struct scn_node *list = scn_child(map, "weights");
    uint64_t *weights = s->weights, classes = r->s->wire.classes;

    for (uint64_t i = 0; !r->role && i < classes; i++) {
        weights[i] = 1;
    }
    if (!list) {
        return true;
    }
    if (list->kind != SCN_LIST || list->n_children != classes) {
        return scn_fail(list, r->err,
                        "expected a list with one weight per traffic class, %llu in all",
                        (unsigned long long)classes);
    }
    for (size_t i = 0; i < classes; i++) {
        if (!scn_read_value(r, list->children[i], &weight, &weights[i])) {
            return false;
        }
    }
    return true;
}

static bool
read_speed(struct resolver *r, const struct scn_node *n)
{
    struct scn_speed *speed = &ARRAY_PUSH(r->s->speeds, r->s->n_speeds, r->s->max_speeds);

    scn_default_map(&scn_speed_table, speed);
    if (!scn_expect_kind(r, n, SCN_MAP, "expected a speed, as in {rate: 400Gbps, buffer: 4MB}") ||
        !scn_read_map(r, n, &scn_speed_table, speed)) {
        return false;
    }
    r->speed = (uint32_t)r->s->n_speeds;
    scn_note_origins(r, n, &scn_speed_table, speed);
    r->speed = 0;
    return true;
}

bool
scn_read_speeds(struct resolver *r, const struct scn_node *map, struct scn_switch *s)
{
    const struct scn_node *list = scn_child(map, "speeds");
    size_t first = r->s->n_speeds;

    if (!list) {
        return true;
    }
    if (!scn_read_items(r, map, "speeds", read_speed)) {
        return false;
    }
    for (size_t i = first; i + 1 < r->s->n_speeds; i++) {
        if (r->s->speeds[i].rate_bps >= r->s->speeds[i + 1].rate_bps) {
            return scn_fail(list->children[i + 1 - first], r->err,
                            "speeds must be listed in ascending order of their rates");
        }
    }
    s->first_speed = first;
    s->n_speeds = r->s->n_speeds - first;
    return true;
}

void
scn_derive_restoration(struct scn_switch *s)
{
    if (s->restoration_ps == WEIR_AUTO) {
        s->restoration_ps = 2 * s->detection_ps;
    }
}

/* Files of other kinds: a key at their top, what they are, and the verb that takes them. */
static const struct {
    const char *key, *what, *verb, *does;
} other_files[] = {
    { "over", "a study", "sweep", "runs" },
    { "DEVICE_METADATA", "a configuration of SONiC", "plan --from", "reads" },
    { "BUFFER_PG", "a configuration of SONiC", "plan --from", "reads" },
};

static bool
refuse_other_file(struct resolver *r)
{
    for (size_t i = 0; i < sizeof other_files / sizeof *other_files; i++) {
        const struct scn_node *key = scn_child(r->root, other_files[i].key);
        if (key) {
            return scn_fail_key(key, r->err, "this is %s, not a scenario; 'weir %s %s' %s it",
                                other_files[i].what, other_files[i].verb, key->source->name,
                                other_files[i].does);
        }
    }
    return true;
}

/* Checks the top-level keys first, so that a misspelt key is reported as unknown and not as
 * missing. */
static bool
check_top_keys(struct resolver *r)
{
    const char *names[SCN_MAX_NAMES];
    struct scn_table section;
    size_t n = 0;

    if (!refuse_other_file(r)) {
        return false;
    }
    for (; scn_section_at(n, &section); n++) {
        names[n] = section.name;
    }
    for (const struct scn_key *k = scn_top_keys; k->name; k++) {
        names[n++] = k->name;
        note(r, k, scn_child(r->root, k->name));
    }
    return check_keys(r, r->root, names, n);
}

/* Reads the name; the default is that of the file, without its folder and extension. */
static bool
read_name(struct resolver *r)
{
    const struct scn_node *name = scn_child(r->root, "name");
    const char *slash = strrchr(r->main->name, '/');
    const char *file = slash ? slash + 1 : r->main->name;

    if (name) {
        return scn_read_text(r, name, "a name", r->s->name, sizeof r->s->name);
    }
    snprintf(r->s->name, sizeof r->s->name, "%.*s", (int)strcspn(file, "."), file);
    return true;
}

static bool
check_run(struct resolver *r)
{
    const struct scn_run *run = &r->s->run;
    struct weir_text time = { 0 };

    weir_text_add(&time, "%T", (weir_ps)run->time_ps);
    return run->warm_up_ps < run->time_ps ||
           scn_fail(scn_child(scn_child(r->root, "run"), "warm_up"), r->err,
                    "the warm-up lasts as long as the run, %s: no flow would be counted", time.s);
}

static bool
check_answers(struct resolver *r)
{
    const struct scn_transport *t = &r->s->transport;
    const struct scn_node *section = scn_child(r->root, "transport");

    return (t->answers == WEIR_AUTO || scn_check_class(r, section, "answers", t->answers)) &&
           (t->answer_bytes <= r->s->wire.mtu_bytes ||
            scn_fail(scn_child(section, "answer_size"), r->err,
                     "ACKs would be larger than the MTU of %llu bytes: write at most that",
                     (unsigned long long)r->s->wire.mtu_bytes));
}

static bool
read_expectation(struct resolver *r, const struct scn_node *n)
{
    char offer[200] = "";
    uint32_t i = 0;

    for (; scn_expectations[i]; i++) {
        if (n->kind == SCN_WORD && !strcmp(n->word, scn_expectations[i])) {
            r->s->expect |= 1u << i;
            return true;
        }
    }
    if (n->kind == SCN_WORD) {
        text_offer_near(n->word, scn_expectations, sizeof *scn_expectations, i, offer,
                        sizeof offer);
    }
    return scn_fail(n, r->err, "expected deadlock, collapse or drops%s", offer);
}

static bool
resolve(struct resolver *r)
{
    struct scn_table section;

    if (!check_top_keys(r)) {
        return false;
    }
    for (size_t i = 0; scn_section_at(i, &section); i++) {
        if (!read_section(r, &section)) {
            return false;
        }
    }
    scn_derive_restoration(&r->s->switches);
    const struct scn_node *map = scn_child(r->root, "switch");
    return read_name(r) && check_run(r) && check_answers(r) &&
           scn_read_weights(r, map, &r->s->switches) && scn_read_speeds(r, map, &r->s->switches) &&
           scn_read_engines(r) && scn_build_network(r) && scn_read_roles(r) && scn_read_flows(r) &&
           scn_read_words(r, r->root, "workload", scn_read_workload) && scn_draw_flows(r) &&
           scn_read_items(r, r->root, "stalls", scn_read_stall) && scn_read_record(r) &&
           scn_read_items(r, r->root, "claims", scn_read_claim) &&
           scn_read_words(r, r->root, "expect", read_expectation);
}

bool
scn_read(struct scenario *s, const struct scn_source *source, const struct scn_files *files,
         const char *const *sets, size_t n_sets, struct err *err)
{
    struct resolver r = { .s = s, .main = source, .files = files, .err = err };

    *s = (struct scenario){ .file = strdup(source->name) };
    r.root = scn_load(&r, sets, n_sets);
    bool good = r.root && resolve(&r);
    scn_tree_free(r.root);
    scn_free_others(&r);
    free(r.named);
    if (!good) {
        scn_free(s);
    }
    return good;
}

static void
free_roles(struct scenario *s)
{
    for (size_t i = 0; i < s->n_roles; i++) {
        for (size_t k = 0; k < s->roles[i].n_patterns; k++) {
            free(s->roles[i].patterns[k]);
        }
        free(s->roles[i].patterns);
        free(s->roles[i].text);
    }
    free(s->roles);
    free(s->role_of);
}

void
scn_free(struct scenario *s)
{
    for (size_t i = 0; i < s->n_listed_flows; i++) {
        free(s->listed[i].name);
        free(s->listed[i].path);
    }
    for (size_t i = 0; i < s->n_workloads; i++) {
        free(s->workloads[i].hosts);
        wl_flows_free(&s->workloads[i].drawn);
        wl_sizes_free(&s->workloads[i].sizes);
        scn_free_trace(&s->workloads[i]);
    }
    for (size_t i = 0; i < s->n_sources; i++) {
        free(s->sources[i]);
    }
    for (size_t i = 0; i < s->n_paths; i++) {
        free(s->paths[i]);
    }
    for (size_t i = 0; i < s->n_origins; i++) {
        free(s->origins[i].line);
    }
    for (size_t i = 0; i < s->n_knobs; i++) {
        free(s->knobs[i].value);
    }
    free_roles(s);
    free(s->knobs);
    free(s->file);
    free(s->paths);
    free(s->speeds);
    free(s->listed);
    free(s->workloads);
    free(s->claims);
    free(s->spares);
    free(s->links);
    free(s->static_places);
    free(s->link_events);
    free(s->slowings);
    free(s->stalls);
    free(s->record.ports);
    free(s->sources);
    free(s->origins);
    free(s->ignored);
    topo_free(&s->topo);
    *s = (struct scenario){ 0 };
}
