/* Opening files below a folder: names that would lead out are refused, also random names in random
 * folders. */

#define _XOPEN_SOURCE 700 /* realpath() */

#include "base/safe-open.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../safe-open-law.h"
#include "unit.h"

enum { N_FOLDERS = 60, N_THINGS = 40, N_NAMES = 200, PATH_BYTES = 600 };

/* A folder that may be opened, and next to it one that may not. */
struct scratch {
    char root[PATH_MAX], inside[PATH_BYTES], outside[PATH_BYTES];
};

static void
write_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    if (fd >= 0) {
        assert_int_equal(write(fd, "secret\n", 7), 7);
        close(fd);
    }
}

static int
make_scratch(void **state)
{
    struct scratch *s = malloc(sizeof *s);
    char path[PATH_BYTES] = "/tmp/weir-unit-below-XXXXXX", file[2 * PATH_BYTES];

    if (!mkdtemp(path) || !realpath(path, s->root)) {
        return -1;
    }
    snprintf(s->inside, sizeof s->inside, "%.500s/inside", s->root);
    snprintf(s->outside, sizeof s->outside, "%.500s/outside", s->root);
    mkdir(s->inside, 0700);
    mkdir(s->outside, 0700);
    snprintf(file, sizeof file, "%s/a.yaml", s->outside);
    write_file(file);
    *state = s;
    return 0;
}

static void
remove_all(const char *folder)
{
    char command[2 * PATH_BYTES];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static int
drop_scratch(void **state)
{
    struct scratch *s = *state;

    remove_all(s->root);
    free(s);
    return 0;
}

static const char *
inside(const struct scratch *s, const char *name)
{
    static char path[2 * PATH_BYTES];

    snprintf(path, sizeof path, "%s/%s", s->inside, name);
    return path;
}

static void
test_names(void **state)
{
    static const char *const bad[] = {
        "",         ".",         "..",          ".a.yaml",   "-a.yaml",   "a.txt~",
        "/a.yaml",  "../a.yaml", "x/../a.yaml", "x//a.yaml", "x/.a.yaml", "a.yaml/",
        "./a.yaml", "a\n.yaml",  ".yaml",       "x/-a.yaml", "a"
    };
    struct err err;

    (void)state;
    for (size_t i = 0; i < N_OF(bad); i++) {
        assert_false(safe_is_name(bad[i], SAFE_INPUTS, &err));
    }
    assert_false(safe_is_name(NULL, SAFE_INPUTS, &err));
    assert_true(safe_is_name("a.yaml", SAFE_SCENARIOS, &err));
    assert_true(safe_is_name("x/y/a b.txt", SAFE_INPUTS, &err));
    assert_true(safe_is_name("x.db", SAFE_RESULTS, &err));
    /* A file name, although SQLite would read it as a URI. */
    assert_true(safe_is_name("file:%2fx?y=.db", SAFE_RESULTS, &err));
    assert_false(safe_is_name("x.db", SAFE_INPUTS, &err));
    assert_false(safe_is_name("x.txt", SAFE_SCENARIOS, &err));
    assert_string_equal(err.text, "'x.txt' may not be opened here: its name must end in .yaml or "
                                  ".yml");
}

static void
assert_refused(const struct scratch *s, const char *name, const char *words)
{
    struct err err;

    assert_true(safe_open(s->inside, name, SAFE_INPUTS, &err) < 0);
    if (!strstr(err.text, words)) {
        fail_msg("%s: %s", name, err.text);
    }
}

static void
test_links(void **state)
{
    const struct scratch *s = *state;
    struct stat st;
    size_t len;
    struct err err;

    write_file(inside(s, "a.yaml"));
    assert_int_equal(symlink("../outside/a.yaml", inside(s, "out.yaml")), 0);
    assert_int_equal(symlink("a.yaml", inside(s, "in.yaml")), 0);
    assert_int_equal(symlink("../outside", inside(s, "away")), 0);
    assert_int_equal(symlink("/nowhere.db", inside(s, "dangling.db")), 0);
    assert_int_equal(mkfifo(inside(s, "pipe.yaml"), 0600), 0);
    assert_int_equal(mkdir(inside(s, "folder.yaml"), 0700), 0);
    assert_refused(s, "out.yaml", "it is a symbolic link");
    assert_refused(s, "in.yaml", "it is a symbolic link");
    assert_refused(s, "away/a.yaml", "it is a symbolic link, or its path has one");
    assert_refused(s, "pipe.yaml", "not a plain file");
    assert_refused(s, "folder.yaml", "not a plain file");
    assert_refused(s, "none.yaml", "No such file");
    assert_int_equal(safe_find(s->inside, "dangling.db", SAFE_RESULTS, NULL), SAFE_FORBIDDEN);
    assert_int_equal(safe_find(s->inside, "new.db", SAFE_RESULTS, NULL), SAFE_NOTHING);
    assert_int_equal(safe_find(s->inside, "a.yaml", SAFE_SCENARIOS, &st), SAFE_FILE);
    assert_int_equal(st.st_size, 7);
    char *text = safe_read_file(s->inside, "a.yaml", SAFE_SCENARIOS, 100, &len, &err);
    assert_string_equal(text, "secret\n");
    free(text);
}

/* Random folders and names. */

/* Makes a name. Some parts are names of existing files, some of missing ones, and some are not
 * valid. */
static void
draw_name(uint64_t *chance, const struct scratch *s, bool is_wild, char name[PATH_BYTES])
{
    static const char *const parts[] = { "a",      "b",  "c.yaml", "d.txt", "e.db",    ".h",
                                         "f.json", "..", ".",      "",      "-x.yaml", ".h.yaml" };
    size_t n_parts = is_wild ? N_OF(parts) : 7;
    size_t len = 0;

    if (is_wild && !below(chance, 20)) {
        len = (size_t)snprintf(name, PATH_BYTES, "%s/", below(chance, 2) ? s->outside : s->inside);
    }
    for (uint64_t n = 1 + below(chance, 4); n; n--) {
        len += (size_t)snprintf(name + len, PATH_BYTES - len, "%s%s", parts[below(chance, n_parts)],
                                n > 1 ? "/" : "");
    }
}

static void
draw_thing(uint64_t *chance, const struct scratch *s)
{
    char name[PATH_BYTES], to[2 * PATH_BYTES];

    draw_name(chance, s, false, name);
    const char *path = inside(s, name);
    switch (below(chance, 4)) {
    case 0:
        mkdir(path, 0700);
        break;
    case 1:
        draw_name(chance, s, true, to);
        if (to[0]) {
            (void)!symlink(to, path);
        }
        break;
    case 2:
        snprintf(to, sizeof to, "%s%s", s->outside, below(chance, 2) ? "/a.yaml" : "");
        (void)!symlink(to, path);
        break;
    default:
        write_file(path);
    }
}

static void
test_law(void **state)
{
    const struct scratch *s = *state;
    uint64_t chance = 12;
    char name[PATH_BYTES];
    size_t n_opened = 0;

    for (int folder = 0; folder < N_FOLDERS; folder++) {
        remove_all(s->inside);
        assert_int_equal(mkdir(s->inside, 0700), 0);
        for (int i = 0; i < N_THINGS; i++) {
            draw_thing(&chance, s);
        }
        for (int i = 0; i < N_NAMES; i++) {
            enum safe_kind kind = (enum safe_kind)below(&chance, 3);
            draw_name(&chance, s, below(&chance, 2), name);
            const char *broken = law_broken(s->inside, name, kind);
            if (broken) {
                fail_msg("folder %d, '%s': %s", folder, name, broken);
            }
            n_opened += safe_find(s->inside, name, kind, NULL) == SAFE_FILE;
        }
    }
    assert_true(n_opened > 100);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test_setup_teardown(test_links, make_scratch, drop_scratch),
        cmocka_unit_test_setup_teardown(test_law, make_scratch, drop_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
