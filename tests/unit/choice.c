/* Choices: the keys that plug-ins add to a map, and the choice to which a key belongs. */

#include <string.h>

#include "scenario/resolver.h"
#include "unit.h"

struct one_params {
    uint64_t width;
};

struct two_params {
    uint64_t width, depth;
};

static const struct weir_field one_fields[] = {
    WEIR_FIELD(struct one_params, width, "width", WEIR_COUNT, .fallback = 1, .max = 9),
    { 0 },
};
static const struct weir_field two_fields[] = {
    WEIR_FIELD(struct two_params, width, "width", WEIR_COUNT, .fallback = 2, .max = 99),
    WEIR_FIELD(struct two_params, depth, "depth", WEIR_COUNT, .fallback = 3, .max = 99),
    { 0 },
};
static const struct weir_plugin bare = { .name = "bare" };
static const struct weir_plugin one = { .name = "one",
                                        .params = one_fields,
                                        .params_bytes = sizeof(struct one_params) };
static const struct weir_plugin two = { .name = "two",
                                        .params = two_fields,
                                        .params_bytes = sizeof(struct two_params) };
static const struct weir_plugin *const shapes[] = { &one, &two, &bare, 0 };
static const struct weir_plugin *const orders[] = { &bare, &two, 0 };
static const struct weir_registry shape_registry = { "shape", "shapes", "", shapes };
static const struct weir_registry order_registry = { "order", "orders", "", orders };

struct section {
    uint64_t shape, order, rate;
    uint64_t shape_params[4], order_params[4];
};

static const struct weir_field fields[] = {
    WEIR_FIELD(struct section, shape, "shape", WEIR_CHOICE, .registry = &shape_registry),
    WEIR_FIELD(struct section, order, "order", WEIR_CHOICE, .registry = &order_registry),
    WEIR_FIELD(struct section, rate, "rate", WEIR_COUNT, .fallback = 7, .max = 9),
    { 0 },
};
static const struct scn_key names_keys[] = { { "names", SCN_NODE_NAMES, false, "Names." }, { 0 } };

static const struct scn_key *
keys_of(const struct weir_plugin *p)
{
    return p == &bare ? names_keys : NULL;
}

static bool
takes_all(const struct weir_plugin *chosen, const struct weir_plugin *other)
{
    return chosen && other;
}

static const struct scn_choice choices[] = {
    { "shape", offsetof(struct section, shape_params), sizeof(((struct section *)0)->shape_params),
      NULL, takes_all },
    { "order", offsetof(struct section, order_params), sizeof(((struct section *)0)->order_params),
      keys_of, NULL },
    { 0 },
};
static const struct scn_table table = { .name = "section", .fields = fields, .choices = choices };

static bool
read(struct section *s, const char *text, struct err *err)
{
    struct scn_source source = { .name = "text", .text = text };
    struct resolver r = { .err = err };
    struct scn_node *map = scn_tree_read(&source, err);

    assert_non_null(map);
    *s = (struct section){ 0 };
    scn_default_map(&table, s);
    bool good = scn_read_map(&r, map, &table, s);
    scn_tree_free(map);
    return good;
}

static void
what_is_chosen_brings_its_defaults(void **state)
{
    struct section s;
    struct err err;

    (void)state;
    assert_true(read(&s, "rate: 5", &err));
    assert_int_equal(s.rate, 5);
    assert_int_equal(s.shape_params[0], 1);
    assert_true(read(&s, "shape: two", &err));
    assert_int_equal(s.rate, 7);
    assert_int_equal(s.shape_params[0], 2);
    assert_int_equal(s.shape_params[1], 3);
}

/* Each key goes to the choice that declares it. If two choices have a parameter of the same name,
 * it belongs to the first. */
static void
a_parameter_goes_where_it_is_meant(void **state)
{
    struct section s;
    struct err err;

    (void)state;
    assert_true(read(&s, "{order: two, depth: 50, shape: one, width: 8}", &err));
    assert_int_equal(s.shape_params[0], 8);
    assert_int_equal(s.order_params[0], 2);
    assert_int_equal(s.order_params[1], 50);
}

static void
what_others_have_is_checked_and_unused(void **state)
{
    struct section s;
    struct err err;

    (void)state;
    assert_true(read(&s, "{shape: one, depth: 99}", &err));
    assert_int_equal(s.shape_params[0], 1);
    assert_int_equal(s.shape_params[1], 0);
    assert_false(read(&s, "{shape: one, depth: 100}", &err));
    assert_says(err.text, "depth is 100");
    assert_true(read(&s, "{shape: bare, width: 9}", &err));
}

static void
keys_come_with_the_choice(void **state)
{
    struct section s;
    struct err err;

    (void)state;
    assert_true(read(&s, "{order: bare, names: [A]}", &err));
    assert_false(read(&s, "{order: two, names: [A]}", &err));
    assert_says(err.text, "unknown key 'names'");
}

static void
words_that_choose_nothing_are_refused(void **state)
{
    struct section s;
    struct err err;

    (void)state;
    assert_false(read(&s, "{shape: three}", &err));
    assert_says(err.text, "shape cannot be 'three'; write one, two or bare");
}

/* All tables of scenarios: names of sections differ, and each section's struct has room for its
 * values. */
static void
sections_do_not_overlap(void **state)
{
    struct scn_table a, b;

    (void)state;
    for (size_t i = 0; scn_section_at(i, &a); i++) {
        for (size_t j = 0; j < i && scn_section_at(j, &b); j++) {
            assert_string_not_equal(a.name, b.name);
            assert_int_not_equal(a.offset, b.offset);
        }
        for (const struct weir_field *f = a.fields; f->name; f++) {
            assert_true(a.offset + f->offset + sizeof(uint64_t) <= sizeof(struct scenario));
        }
    }
    assert_true(scn_section_at(1, &a));
}

/* The part of a scenario for the parameters of a plug-in is large enough for every plug-in. */
static void
parameters_have_room(void **state)
{
    const struct {
        const struct weir_registry *registry;
        size_t max;
    } rooms[] = { { &scn_topologies, TOPO_PARAMS_MAX },
                  { &wl_patterns, WL_PARAMS_MAX },
                  { &transports, TP_PARAMS_MAX },
                  { &weir_engines, WEIR_PARAMS_MAX } };

    (void)state;
    for (size_t i = 0; i < N_OF(rooms); i++) {
        for (const struct weir_plugin *const *p = rooms[i].registry->plugins; *p; p++) {
            assert_true((*p)->params_bytes <= rooms[i].max);
            for (const struct weir_field *f = scn_choice_fields(*p); f->name; f++) {
                assert_true(f->offset + sizeof(uint64_t) <= (*p)->params_bytes);
            }
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_chosen_brings_its_defaults),
        cmocka_unit_test(a_parameter_goes_where_it_is_meant),
        cmocka_unit_test(what_others_have_is_checked_and_unused),
        cmocka_unit_test(keys_come_with_the_choice),
        cmocka_unit_test(words_that_choose_nothing_are_refused),
        cmocka_unit_test(sections_do_not_overlap),
        cmocka_unit_test(parameters_have_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
