/* Tries any request, without its connection, on a folder with links and hidden files, next to which
 * there is a secret.  Only requests that keep the rules are allowed, and no name in them opens a
 * file outside the folder.
 *
 *     POST /api/start                        the method and the address
 *     Host: 127.0.0.1:8080                   headers
 *     ?scenario=a.yaml                       values of the query
 *     ?set=base=sub/b.yaml                   */

#define _XOPEN_SOURCE 700 /* realpath() */

#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <strings.h>

#include "../safe-open-law.h"
#include "scenario/scenario.h"
#include "web/guard.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 leaks on some bad texts; the program's own allocations are still checked. */
const char *
__lsan_default_suppressions(void)
{
    return "leak:libfyaml.so\n";
}

static const char token[] = "0123456789abcdef", own_address[] = "127.0.0.2";
static const char secret[] = "hunter2";

/* The folder and its contents: each is a text or the target of a link. */

static const struct thing {
    const char *path, *text, *link;
} things[] = {
    { "in/a.yaml", "topology: {kind: ring, switches: 3}\nflows: [{from: H1, to: H2}]\n", NULL },
    { "in/sub/b.yaml", "run: {time: 1us}\n", NULL },
    { "in/sizes.txt", "1000 50\n2000 100\n", NULL },
    { "in/r.db", "", NULL },
    { "in/.env", "password: hunter2\n", NULL },
    { "in/.hidden.yaml", "password: hunter2\n", NULL },
    { "in/key", "password: hunter2\n", NULL },
    { "out/secret.yaml", "password: hunter2\n", NULL },
    { "out/secret.txt", "password: hunter2\n", NULL },
    { "in/link.yaml", NULL, "../out/secret.yaml" },
    { "in/link.txt", NULL, "../out/secret.txt" },
    { "in/link.db", NULL, "../out/new.db" },
    { "in/way", NULL, "../out" },
    { "in/up", NULL, ".." },
};

static char root[PATH_MAX], folder[PATH_MAX + 8];

static void
make_thing(const struct thing *t)
{
    char path[2 * PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", root, t->path);
    if (t->link) {
        assert(!symlink(t->link, path));
        return;
    }
    FILE *out = fopen(path, "w");
    fputs(t->text, out);
    fclose(out);
}

static void
remove_folder(void)
{
    char command[PATH_MAX + 20];

    snprintf(command, sizeof command, "rm -rf '%s'", root);
    assert(!system(command));
}

static void
make_folder(void)
{
    static const char *const folders[] = { "in", "in/sub", "out" };
    char path[2 * PATH_MAX], made[] = "/tmp/weir-fuzz-request-XXXXXX";

    assert(mkdtemp(made) && realpath(made, root));
    snprintf(folder, sizeof folder, "%s/in", root);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s", root, folders[i]);
        assert(!mkdir(path, 0700));
    }
    for (size_t i = 0; i < sizeof things / sizeof *things; i++) {
        make_thing(&things[i]);
    }
    atexit(remove_folder);
}

/* Requests that are read from an input. */

static void
take_line(struct call *r, char *line)
{
    char *middle = strpbrk(line, line[0] == '?' ? "=" : ":");

    if (!middle) {
        return;
    }
    *middle++ = '\0';
    if (line[0] == '?') {
        call_add_value(r, line + 1, middle);
    } else {
        call_add_head(r, line, middle + strspn(middle, " "));
    }
}

static struct call *
read_call(char *text)
{
    char *rest = strchr(text, '\n');
    char *path = strchr(text, ' ');

    if (!rest || !path || path > rest) {
        return NULL;
    }
    *rest++ = *path++ = '\0';
    struct call *r = call_new(text, path);
    for (char *line = rest, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        end += *end ? (*end = '\0', 1) : 0;
        take_line(r, line);
    }
    return r;
}

/* The rule for allowed requests, written independently of guard.c. */

static bool
is_here(const char *host)
{
    static const char *const names[] = { "127.0.0.1", "localhost", "[::1]", own_address };
    bool is = false;

    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        is |= !strncmp(host, names[i], n) && (!host[n] || host[n] == ':');
    }
    return is;
}

static void
check_guard(const struct call *r, bool has_token)
{
    const char *origin = r->heads[CALL_ORIGIN], *host = r->heads[CALL_HOST];
    const char *site = r->heads[CALL_FETCH_SITE], *slashes = origin ? strstr(origin, "://") : NULL;
    const char *given = call_value(r, "token");
    const struct guard guard = { .token = has_token ? token : NULL, .address = own_address };

    if (guard_refuses(r, &guard)) {
        return;
    }
    assert(!r->is_ambiguous);
    assert(has_token || is_here(host));
    assert(!has_token || (given && !strcmp(given, token)) ||
           (r->heads[CALL_AUTHORIZATION] && strstr(r->heads[CALL_AUTHORIZATION], token)));
    assert(!origin || (slashes && host && !strcasecmp(slashes + 3, host)));
    assert(!site || (strcmp(site, "cross-site") && strcmp(site, "same-site")));
    assert(!strcmp(r->method, "GET") || r->heads[CALL_WEIR]);
}

/* Names of files in a request, and a scenario with settings as for a run. */

static char *
read_other(void *arg, const char *path, struct err *err)
{
    size_t len;
    const char *broken = law_broken(folder, path, SAFE_INPUTS);
    char *text = safe_read_file(folder, path, SAFE_INPUTS, 1 << 20, &len, err);

    (void)arg;
    assert(!broken);
    assert(!text || !strstr(text, secret));
    return text;
}

static void
check_scenario(const char *name, const char *const *sets, size_t n_sets)
{
    struct scenario s;
    struct err err;
    char *text = read_other(NULL, name, &err);

    if (!text) {
        return;
    }
    struct scn_source source = { .name = name, .text = text };
    struct scn_files files = { .read = read_other };
    if (scn_read(&s, &source, &files, sets, n_sets, &err)) {
        scn_free(&s);
    } else {
        assert(!strstr(err.text, secret));
    }
    free(text);
}

enum { MAX_SETS = 8 };

/* Networks are built while a scenario is read, so settings keep all of them small. */
static size_t
take_sets(const struct call *r, const char *sets[MAX_SETS + 2])
{
    size_t n = 0;

    for (size_t i = 0; i < r->n_values && n < MAX_SETS; i++) {
        const char *set = r->values[i].value;
        if (!strcmp(r->values[i].key, "set") && guard_is_setting(set)) {
            assert(!strchr(set, '/') && !strstr(set, ".."));
            sets[n++] = set;
        }
    }
    sets[n++] = "topology.switches=3";
    sets[n++] = "run.time=1us";
    return n;
}

static void
check_files(const struct call *r)
{
    const char *sets[MAX_SETS + 2], *scenario = call_value(r, "scenario");
    size_t n_sets = take_sets(r, sets);

    for (size_t i = 0; i < r->n_values; i++) {
        for (int kind = SAFE_SCENARIOS; kind <= SAFE_RESULTS; kind++) {
            assert(!law_broken(folder, r->values[i].value, (enum safe_kind)kind));
        }
    }
    if (scenario) {
        check_scenario(scenario, sets, n_sets);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (!root[0]) {
        make_folder();
    }
    memcpy(text, data, size);
    text[size] = '\0';
    /* A client that already knows the secret learns nothing new from it. The fuzzer may know it
     * from the comparisons of this program. */
    struct call *r = strstr(text, secret) ? NULL : read_call(text);
    if (r) {
        check_guard(r, false);
        check_guard(r, true);
        check_files(r);
        call_free(r);
    }
    free(text);
    return 0;
}
