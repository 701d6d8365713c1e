/* Reads a config of HPCC's simulator: a knob and its value on each line, in any order.
 *
 *     CC_MODE 3
 *     RATE_AI 50Mb/s {a remark}
 *     KMAX_MAP 2 25000000000 400 100000000000 1600
 *
 * The config becomes the tree of a scenario, whose words keep their locations in the config, and
 * the user's scenario is merged over it.  So its values are checked like those of any scenario,
 * errors name the config's line, and the user's values take precedence. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "scenario/hpcc-config.h"

enum { N_LINK_WORDS = 3 };

/* These functions read the file. */

static size_t
count_knobs(void)
{
    size_t n = 0;

    while (scn_knobs[n].name) {
        n++;
    }
    return n;
}

static struct scn_node *
new_word(const struct scn_node *at, const char *text)
{
    struct scn_node *word = scn_tree_new(SCN_WORD, at->source, at->line, at->column);

    word->word = strdup(text);
    return word;
}

/* Whether a word has only digits, with at most one decimal point.  The simulator also accepts
 * exponents. */
static bool
is_number(const char *word)
{
    size_t n = strspn(word, "0123456789");
    size_t n_behind = word[n] == '.' ? strspn(word + n + 1, "0123456789") : 0;

    return n && !word[n + (word[n] == '.') + n_behind];
}

/* Whether a word is a whole number. Scripts in Python write 16.0 for 16. */
static bool
is_whole(const char *word)
{
    const char *point = strchr(word, '.');

    return is_number(word) && (!point || !point[1 + strspn(point + 1, "0")]);
}

static bool
is_flag(const char *word)
{
    return !strcmp(word, "0") || !strcmp(word, "1");
}

/* Whether a word is a rate in bits per second, with or without a prefix; ns-3 has more units. */
static bool
is_rate(const char *word)
{
    const char *unit = word + strspn(word, "0123456789.");
    size_t n = (size_t)(unit - word);
    char number[32] = "";

    if (n >= sizeof number) {
        return false;
    }
    memcpy(number, word, n);
    unit += *unit && strchr("kKMG", *unit);
    return is_number(number) && (!strcmp(unit, "bps") || !strcmp(unit, "b/s"));
}

static bool
is_word(const char *word)
{
    return *word;
}

static const struct {
    bool (*fits)(const char *word);
    const char *expected;
} kinds[] = {
    [SCN_KNOB_FLAG] = { is_flag, "0 or 1" },
    [SCN_KNOB_COUNT] = { is_whole, "a whole number" },
    [SCN_KNOB_RATIO] = { is_number, "a number, as in 0.95" },
    [SCN_KNOB_US] = { is_number, "a number of microseconds, as in 55" },
    [SCN_KNOB_SECONDS] = { is_number, "a number of seconds, as in 3.01" },
    [SCN_KNOB_MIB] = { is_whole, "a whole number of MiB, as in 32" },
    [SCN_KNOB_RATE] = { is_rate, "a rate, as in 50Mb/s" },
    [SCN_KNOB_WORD] = { is_word, "a word" },
    [SCN_KNOB_LINK] = { is_whole, "a time and two nodes, as in 0 0 0" },
    [SCN_KNOB_MAP] = { is_number,
                       "how many, and pairs of rate and value, as in 1 100000000000 400" },
};

/* Whether a knob has the number of words that its kind needs. */
static bool
has_all_words(enum scn_knob_kind kind, const struct scn_node *words)
{
    uint64_t n_pairs;

    if (kind == SCN_KNOB_MAP) {
        return text_number(words->children[0]->word, &n_pairs) && n_pairs &&
               (words->n_children - 1) % 2 == 0 && (words->n_children - 1) / 2 == n_pairs;
    }
    return words->n_children == (kind == SCN_KNOB_LINK ? N_LINK_WORDS : 1);
}

static bool
check_words(const struct scn_config *c, const struct scn_knob *knob, const struct scn_node *words)
{
    const char *expected = kinds[knob->kind].expected;

    for (size_t i = 0; i < words->n_children; i++) {
        if (!kinds[knob->kind].fits(words->children[i]->word)) {
            return scn_fail(words->children[i], c->r->err, "%s: expected %s", knob->name, expected);
        }
    }
    return (words->n_children && has_all_words(knob->kind, words)) ||
           scn_fail(words, c->r->err, "%s: expected %s", knob->name, expected);
}

/* Reads the words of a line up to a remark, as in the simulator's own description of its config. */
static void
read_words(struct scn_lines *l, struct scn_node *words)
{
    const struct scn_node *word;

    while ((word = scn_next_word(l)) && !strchr("{#", word->word[0])) {
        scn_tree_add(words, NULL, new_word(word, word->word));
    }
    if (words->n_children) {
        words->column = words->children[0]->column;
    }
}

static bool
read_knob(struct scn_config *c, struct scn_lines *l)
{
    const struct scn_node *name = scn_next_word(l);
    if (name->word[0] == '{') {
        return true; /* The line is a remark. */
    }
    const struct scn_node *twin = scn_child(c->knobs, name->word);
    struct scn_node *words = scn_tree_new(SCN_LIST, name->source, name->line, name->column);

    scn_tree_add(c->knobs, name->word, words);
    if (twin) {
        return scn_fail(words, c->r->err, "%s is set twice; first on line %zu", name->word,
                        twin->line);
    }
    size_t i = scn_find_key(words, &scn_knobs[0].name, sizeof *scn_knobs, count_knobs(), c->r->err);
    if (i == count_knobs()) {
        return false;
    }
    read_words(l, words);
    return check_words(c, &scn_knobs[i], words);
}

static bool
read_file(struct scn_config *c)
{
    struct scn_lines l = { .source = c->source };
    bool good = scn_check_text(c->source, false, c->r->err);

    while (good && scn_next_line(&l)) {
        good = read_knob(c, &l);
    }
    scn_lines_close(&l);
    return good;
}

/* These functions read values of knobs, and add words to the result. */

const struct scn_node *
scn_config_word(const struct scn_config *c, const char *knob, size_t i)
{
    return scn_child(c->knobs, knob)->children[i];
}

uint64_t
scn_config_number(const struct scn_config *c, const char *knob)
{
    return strtoull(scn_config_word(c, knob, 0)->word, NULL, 10);
}

/* The unit that a knob's value gets, by the kind of the knob. */
static const char *const units[] = {
    [SCN_KNOB_US] = "us", [SCN_KNOB_SECONDS] = "s", [SCN_KNOB_MIB] = "MiB", [SCN_KNOB_MAP] = NULL
};

char *
scn_config_text(const struct scn_knob *knob, const struct scn_node *word)
{
    const char *unit = units[knob->kind] ? units[knob->kind] : "";
    size_t n = strlen(word->word);
    char prefix[2] = "";

    if (knob->kind == SCN_KNOB_RATE) {
        n = strspn(word->word, "0123456789.");
        prefix[0] = strchr("KMG", word->word[n]) ? word->word[n] : prefix[0];
        prefix[0] = word->word[n] == 'k' || word->word[n] == 'K' ? 'k' : prefix[0];
        unit = "bps";
    } else if (knob->kind == SCN_KNOB_COUNT) {
        n = strspn(word->word, "0123456789");
    }
    size_t bytes = n + sizeof prefix + strlen(unit) + 1;
    char *text = array_new(bytes, 1);
    snprintf(text, bytes, "%.*s%s%s", (int)n, word->word, prefix, unit);
    return text;
}

/* Finds or creates the map of a key, and returns the last part of the key in 'last'. */
static struct scn_node *
open_map(struct scn_config *c, const char *key, const struct scn_node *at, const char **last)
{
    struct scn_node *map = c->tree;

    for (const char *dot; (dot = strchr(key, '.')); key = dot + 1) {
        char part[40];
        snprintf(part, sizeof part, "%.*s", (int)(dot - key), key);
        const char *name = strcmp(part, "*") ? part : c->mode->transport;
        if (!scn_child(map, name)) {
            scn_tree_add(map, name, scn_tree_new(SCN_MAP, at->source, at->line, at->column));
        }
        map = scn_child(map, name);
    }
    *last = key;
    return map;
}

static void
put(struct scn_config *c, const char *key, struct scn_node *value)
{
    const char *last;
    struct scn_node *map = open_map(c, key, value, &last);

    scn_tree_add(map, last, value);
}

void
scn_config_put(struct scn_config *c, const char *key, const struct scn_node *at, const char *word)
{
    put(c, key, new_word(at, word));
}

void
scn_config_put_number(struct scn_config *c, const char *key, const struct scn_node *at,
                      uint64_t number, const char *unit)
{
    char word[40];

    snprintf(word, sizeof word, "%llu%s", (unsigned long long)number, unit);
    scn_config_put(c, key, at, word);
}

struct scn_node *
scn_config_list(struct scn_config *c, const char *key, const struct scn_node *at)
{
    struct scn_node *list = scn_tree_new(SCN_LIST, at->source, at->line, at->column);

    put(c, key, list);
    return list;
}

static bool
is_in(const struct scn_node *tree, const char *key)
{
    for (const char *dot; tree && tree->kind == SCN_MAP && (dot = strchr(key, '.'));
         key = dot + 1) {
        char part[40];
        snprintf(part, sizeof part, "%.*s", (int)(dot - key), key);
        tree = scn_child(tree, part);
    }
    return tree && (tree->kind != SCN_MAP || scn_child(tree, key));
}

bool
scn_config_is_said(const struct scn_config *c, const char *key)
{
    return is_in(c->scenario, key) || is_in(c->sets, key);
}

/* These functions handle all knobs. */

static bool
choose_mode(struct scn_config *c)
{
    const struct scn_node *words = scn_child(c->knobs, "CC_MODE");
    const char *number = words ? words->children[0]->word : "1";

    for (c->mode = scn_cc_modes; c->mode->name; c->mode++) {
        char own[12];
        snprintf(own, sizeof own, "%u", c->mode->number);
        if (!strcmp(own, number)) {
            return true;
        }
    }
    return scn_fail(words->children[0], c->r->err,
                    "CC_MODE: expected 0 (no control), 1 (DCQCN), 3 (HPCC), 7 (TIMELY), 8 (DCTCP) "
                    "or 10 (HPCC-PINT)");
}

static bool
is_used(const struct scn_config *c, const struct scn_knob *knob)
{
    return !knob->modes || knob->modes & c->mode->bit;
}

/* Whether the run needs a knob that has no default. */
static bool
is_needed(const struct scn_config *c, const struct scn_knob *knob)
{
    bool marks = !scn_child(c->knobs, "ENABLE_QCN") || scn_config_number(c, "ENABLE_QCN");

    return is_used(c, knob) && (knob->kind != SCN_KNOB_MAP || marks) &&
           !(knob->take == scn_take_topology && scn_config_is_said(c, knob->key));
}

/* Adds the default of a knob that the config does not set.  Its location is the word that names the
 * config. */
static bool
add_default(struct scn_config *c, const struct scn_knob *knob)
{
    struct scn_node *words = scn_tree_new(SCN_LIST, c->at->source, c->at->line, c->at->column);
    const char *text = knob->fallback ? knob->fallback : "";

    scn_tree_add(c->knobs, knob->name, words);
    do {
        size_t n = strcspn(text, " ");
        char word[40];
        snprintf(word, sizeof word, "%.*s", (int)n, text);
        scn_tree_add(words, NULL, new_word(c->at, word));
        text += n + (text[n] == ' ');
    } while (*text);
    return knob->fallback || !is_needed(c, knob) ||
           scn_fail_in(c->source, 1, 1, c->r->err,
                       "the config has no %s, and HPCC's simulator has no default that works",
                       knob->name);
}

static bool
add_defaults(struct scn_config *c)
{
    for (const struct scn_knob *knob = scn_knobs; knob->name; knob++) {
        if (!scn_child(c->knobs, knob->name) && !add_default(c, knob)) {
            return false;
        }
    }
    return true;
}

/* Adds the value under the knob's key, unless Weir supports only one value. */
static enum scn_knob_use
take_plainly(struct scn_config *c, const struct scn_knob *knob, const struct scn_node *word)
{
    static const char *const no_or_yes[] = { "no", "yes" };

    if (!knob->key) {
        return !knob->only                      ? SCN_KNOB_IGNORED
               : strcmp(word->word, knob->only) ? SCN_KNOB_NEAR
                                                : SCN_KNOB_EXACT;
    }
    char *text = scn_config_text(knob, word);
    scn_config_put(c, knob->key, word,
                   knob->kind == SCN_KNOB_FLAG ? no_or_yes[word->word[0] == '1'] : text);
    free(text);
    return SCN_KNOB_EXACT;
}

static char *
text_of(const struct scn_node *words)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    for (size_t i = 0; i < words->n_children; i++) {
        fprintf(out, "%s%s", i ? " " : "", words->children[i]->word);
    }
    fclose(out);
    return text;
}

static bool
take_knob(struct scn_config *c, const struct scn_knob *knob)
{
    struct scenario *s = c->r->s;
    const struct scn_node *words = scn_child(c->knobs, knob->name), *word = words->children[0];
    enum scn_knob_use use = SCN_KNOB_UNUSED;

    if (is_used(c, knob)) {
        if (!knob->take) {
            use = take_plainly(c, knob, word);
        } else if (!knob->take(c, knob, word, &use)) {
            return false;
        }
    }
    bool is_given = words->source == c->source;
    ARRAY_PUSH(s->knobs, s->n_knobs, s->max_knobs) =
        (struct scn_knob_taken){ .knob = knob,
                                 .value = text_of(words),
                                 .is_given = is_given,
                                 .use = use,
                                 .place = scn_place_of(c->r, words) };
    return true;
}

static bool
take_all(struct scn_config *c)
{
    c->tree = scn_tree_new(SCN_MAP, c->source, 1, 1);
    for (const struct scn_knobless *k = scn_knobless; k->key; k++) {
        if (!k->modes || k->modes & c->mode->bit) {
            scn_config_put(c, k->key, c->at, k->value);
        }
    }
    for (const struct scn_knob *knob = scn_knobs; knob->name; knob++) {
        if (!take_knob(c, knob)) {
            return false;
        }
    }
    return true;
}

/* Loads a file that a knob names.  File names in a config are relative to its folder; or, as in
 * HPCC's own configs, to the parent folder, where that simulator is started.  The first file that
 * is found decides this for both files. */
static const struct scn_source *
load_named(struct scn_config *c, const char *knob)
{
    const struct scn_node *word = scn_config_word(c, knob, 0);
    const struct scn_source *found = scn_load_other(c->r, word);

    if (!found) {
        struct err first = *c->r->err;
        scn_see_from_above(c->r, c->source);
        found = scn_load_other(c->r, word);
        *c->r->err = found ? *c->r->err : first;
    }
    return found;
}

/* Loads the topology.  If the user sets the topology, the file of flows is loaded first; if it is
 * missing, the error comes when the flows are read. */
static const struct scn_source *
load_topology(struct scn_config *c)
{
    const struct scn_node *said = scn_child(scn_child(c->scenario, "topology"), "file");
    const struct scn_node *set = scn_child(scn_child(c->sets, "topology"), "file");

    if (!said && !set) {
        return load_named(c, "TOPOLOGY_FILE");
    }
    if (*scn_config_word(c, "FLOW_FILE", 0)->word && !scn_config_is_said(c, "flows.hpcc")) {
        load_named(c, "FLOW_FILE");
    }
    return scn_load_other(c->r, set ? set : said);
}

static bool
read_config(struct scn_config *c)
{
    const struct scn_source *topology;

    return (c->source = scn_load_other(c->r, c->at)) && read_file(c) && choose_mode(c) &&
           add_defaults(c) && (topology = load_topology(c)) &&
           scn_hpcc_measure(c->r, topology, &c->net) && take_all(c);
}

/* Appends the user's roles to those of the config, because the last matching role counts. */
static void
append_roles(struct scn_node *under, struct scn_node *over)
{
    struct scn_node *first = scn_child(under, "roles"), *more = scn_child(over, "roles");

    if (first && more && more->kind == SCN_LIST) {
        more = scn_take_child(over, "roles");
        for (size_t i = 0; i < more->n_children; i++) {
            scn_tree_add(first, NULL, more->children[i]);
        }
        more->n_children = 0;
        scn_tree_free(more);
    }
}

static const struct scn_node *
find_word(const struct scn_node *tree, const char *key)
{
    const struct scn_node *word = scn_child(scn_child(tree, "topology"), key);

    return word && word->kind == SCN_WORD ? word : NULL;
}

struct scn_node *
scn_lay_over_config(struct resolver *r, struct scn_node *scenario, const struct scn_node *sets)
{
    const struct scn_node *set = find_word(sets, "config"), *kind = find_word(sets, "kind");
    struct scn_config c = {
        .r = r, .at = set ? set : find_word(scenario, "config"), .scenario = scenario, .sets = sets
    };

    kind = kind ? kind : find_word(scenario, "kind");
    if (!c.at || !kind || strcmp(kind->word, "hpcc")) {
        return scenario;
    }
    c.knobs = scn_tree_new(SCN_MAP, c.at->source, 1, 1);
    bool good = read_config(&c);
    if (good) {
        append_roles(c.tree, scenario);
        good = scn_tree_merge(c.tree, scenario, r->err);
    } else {
        scn_tree_free(scenario);
    }
    scn_hpcc_net_free(&c.net);
    scn_tree_free(c.knobs);
    if (!good) {
        scn_tree_free(c.tree);
    }
    return good ? c.tree : NULL;
}
