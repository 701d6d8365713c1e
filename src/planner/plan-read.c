/* Reads a plan from options, a scenario or a SONiC configuration; or the plans of all switches of a
 * fabric. */

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/installed.h"
#include "base/text.h"
#include "bind/bind.h"
#include "plan/files.h"
#include "planner/planner.h"
#include "run/outcome.h"
#include "run/warnings.h"

enum { MAX_FILE_BYTES = 64 << 20, MAX_KEYS = 10000 };

/* Adds warnings about engines at both ends of a link. Refuses a scenario whose engines cannot work
 * together, but accepts buffers that are too small for them, because a plan finds the right
 * size. */
static int
check_links(struct plan *p, const struct scenario *s, struct err *err)
{
    struct model model;
    struct err why;
    bool is_refused = !bind_model(s, &model, &why) && model.links_clash;

    for (size_t i = 0; i < model.n_warnings; i++) {
        if (model.warnings[i].is_of_link) {
            struct weir_text *said = &ARRAY_PUSH(p->warned, p->n_warned, p->max_warned);
            *said = (struct weir_text){ 0 };
            warnings_write(s, &model, &model.warnings[i], said);
        }
    }
    model_free(&model);
    if (is_refused) {
        *err = why;
    }
    return is_refused ? EXIT_USER : EXIT_GOOD;
}

static int
read_scenario(struct plan *p, const struct planner_job *job, struct err *err)
{
    struct scenario s;
    struct err why;
    int code = outcome_read(&s, job->from, NULL, 0, err);

    if (code != EXIT_GOOD) {
        return code;
    }
    code = plan_read_scenario(p, &job->ask, &s, &why)
               ? check_links(p, &s, err)
               : run_fail_command(err, EXIT_USER, "%s: %s", job->from, why.text);
    scn_free(&s);
    return code;
}

/* Whether the file must be JSON. */
static bool
expects_json(const struct planner_job *job)
{
    return job->kind == PLANNER_SONIC ||
           (job->kind == PLANNER_ANY_FILE && text_ends_with(job->from, ".json"));
}

/* Adds the expected format to an error such as "x.json:2:1: missing comma". */
static void
blame_json(const struct planner_job *job, struct err *err)
{
    struct err yaml = *err;
    size_t name = strlen(job->from);
    const char *said = strncmp(yaml.text, job->from, name) ? NULL : strstr(yaml.text + name, ": ");

    if (said) {
        err_set(err, "%.*s: this is not valid JSON%s", (int)(said - yaml.text), yaml.text, said);
    }
}

/* Reads the tree of a file. JSON must begin with a brace, because YAML would accept words and keys
 * without braces. */
static struct scn_node *
read_tree(const struct planner_job *job, const struct scn_source *source, struct err *err)
{
    const char *text = source->text, *at = text + strspn(text, " \t\r\n"), *begin = at;
    size_t line = 1;
    struct scn_node *root;

    while (begin > text && begin[-1] != '\n') {
        begin--;
    }
    for (const char *c = text; c < begin; c++) {
        line += *c == '\n';
    }
    if (expects_json(job) && *at != '{') {
        scn_fail_in(source, line, (size_t)(at - begin) + 1, err,
                    "this is not valid JSON: expected {, as in {\"PORT\": ...}");
        return NULL;
    }
    root = scn_tree_read(source, err);
    if (!root && expects_json(job)) {
        blame_json(job, err);
    }
    return root;
}

/* Checks the name of the requested switch. A file of SONiC has only one switch. */
static int
check_switch(const struct plan *p, const struct planner_job *job, struct err *err)
{
    const char *name = job->ask.switch_name, *const names[] = { p->name };
    struct err why;

    if (!name || !strcmp(name, p->name)) {
        return EXIT_GOOD;
    }
    plan_refuse_switch(name, names, p->name[0] ? 1 : 0, &why);
    return run_fail_command(err, EXIT_USER, "%s: %s", job->from, why.text);
}

/* Reads a plan from a file. The file is first read as a tree, to find its format; a scenario is
 * then read again. */
static int
read_text(struct plan *p, const struct planner_job *job, const char *text, struct err *err)
{
    struct scn_source source = { .name = job->from, .text = text, .max_keys = MAX_KEYS };
    struct scn_node *root = read_tree(job, &source, err);
    bool is_scenario = root && (job->kind == PLANNER_SCENARIO ||
                                (job->kind == PLANNER_ANY_FILE && !plan_is_sonic(root)));
    bool good = root && (is_scenario || plan_read_sonic(p, &job->ask, root, err));

    scn_tree_free(root);
    return !good ? EXIT_USER : is_scenario ? read_scenario(p, job, err) : check_switch(p, job, err);
}

/* The error for a list, which is neither a scenario nor SONiC's tables. It assumes that JSON was
 * intended. */
#define LIST                                                                                       \
    "%s: the file is a list; expected tables, as in {\"PORT\": {\"Ethernet0\": {\"speed\": "       \
    "\"100000\"}}, ...} of SONiC's config_db.json"

static bool
is_list(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '[';
}

static int
read_file(struct plan *p, const struct planner_job *job, struct err *err)
{
    size_t len;
    char *text = installed_read(job->from, MAX_FILE_BYTES, &len, err);

    if (!text) {
        return EXIT_WORLD;
    }
    int code = !text_expect(job->from, text, len, err) ? EXIT_USER
               : is_list(text) ? run_fail_command(err, EXIT_USER, LIST, job->from)
                               : read_text(p, job, text, err);
    free(text);
    return code;
}

/* Folders of configurations. */

static bool
is_folder(const char *path)
{
    struct stat of;
    return !stat(path, &of) && S_ISDIR(of.st_mode);
}

/* Finds a configuration: "leaf1.json", or a folder with a config_db.json; hidden ones are
 * ignored. */
static bool
find_config(const char *folder, const char *name, char path[PATH_MAX])
{
    bool is_file = text_ends_with(name, ".json");
    struct stat of;
    int n = snprintf(path, PATH_MAX, is_file ? "%s/%s" : "%s/%s/config_db.json", folder, name);
    return name[0] != '.' && n < PATH_MAX && !stat(path, &of) && S_ISREG(of.st_mode);
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the paths of all configurations below a folder, in order; the caller frees them. */
static char **
list_configs(const char *folder, size_t *n)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    char **paths = NULL, path[PATH_MAX];
    size_t max = 0;

    *n = 0;
    while (dir && (entry = readdir(dir))) {
        if (find_config(folder, entry->d_name, path)) {
            char *copy = array_new(strlen(path) + 1, 1);
            ARRAY_PUSH(paths, *n, max) = strcpy(copy, path);
        }
    }
    if (dir) {
        closedir(dir);
    }
    array_sort(paths, *n, sizeof *paths, by_name);
    return paths;
}

/* Checks the name of a switch. A switch without a hostname has the name of its file, and no two
 * switches may have the same name. */
static int
check_name(struct plan *plans, size_t i, char *const *paths, struct err *err)
{
    const char *slash = strrchr(paths[i], '/');

    if (!plans[i].name[0]) {
        snprintf(plans[i].name, sizeof plans[i].name, "%s", slash ? slash + 1 : paths[i]);
    }
    for (size_t j = 0; j < i; j++) {
        if (!strcmp(plans[i].name, plans[j].name)) {
            return run_fail_command(err, EXIT_USER,
                                    "plan: %s and %s are both of the switch %s; give each switch "
                                    "a hostname of its own, in DEVICE_METADATA",
                                    paths[j], paths[i], plans[i].name);
        }
    }
    return EXIT_GOOD;
}

static int
read_folder(struct plan **plans, size_t *n, const struct planner_job *job, struct err *err)
{
    size_t n_paths, max = 0;
    char **paths = list_configs(job->from, &n_paths);
    struct planner_job one = *job;
    int code = EXIT_GOOD;

    one.kind = PLANNER_SONIC;
    one.ask.switch_name = NULL; /* The switch is chosen later among all that were read. */
    if (!n_paths) {
        code = run_fail_command(err, EXIT_USER,
                                "plan: the folder %s has no config_db.json files (NAME.json or "
                                "NAME/config_db.json)",
                                job->from);
    }
    for (size_t i = 0; i < n_paths && code == EXIT_GOOD; i++) {
        ARRAY_PUSH(*plans, *n, max) = (struct plan){ 0 };
        one.from = paths[i];
        code = read_file(&(*plans)[i], &one, err);
        code = code == EXIT_GOOD ? check_name(*plans, i, paths, err) : code;
    }
    for (size_t i = 0; i < n_paths; i++) {
        free(paths[i]);
    }
    free(paths);
    return code;
}

/* Takes the plan of the requested switch, and frees all other plans. */
static int
take_switch(struct plan *p, struct plan *plans, size_t n, const struct planner_job *job,
            struct err *err)
{
    const char **names = array_new(n, sizeof *names);
    struct err why;
    size_t i = 0;
    int code = EXIT_GOOD;

    for (size_t j = 0; j < n; j++) {
        names[j] = plans[j].name;
    }
    while (i < n && strcmp(names[i], job->ask.switch_name)) {
        i++;
    }
    if (i < n) {
        *p = plans[i];
        plans[i] = (struct plan){ 0 };
    } else {
        plan_refuse_switch(job->ask.switch_name, names, n, &why);
        code = run_fail_command(err, EXIT_USER, "%s: %s", job->from, why.text);
    }
    free(names);
    return code;
}

/* Reads the plan of one switch of a folder. All files are read, because the name of a file need not
 * be that of its switch. */
static int
read_of_folder(struct plan *p, const struct planner_job *job, struct err *err)
{
    struct plan *plans = NULL;
    size_t n = 0;
    int code = read_folder(&plans, &n, job, err);

    code = code == EXIT_GOOD ? take_switch(p, plans, n, job, err) : code;
    for (size_t i = 0; i < n; i++) {
        plan_free(&plans[i]);
    }
    free(plans);
    return code;
}

/* The plan of one switch. */

/* Checks that the requested schemes apply to this switch, and have enough classes. */
static int
check_schemes(const struct plan *p, const struct planner_job *job, struct err *err)
{
    const struct plan_request *ask = &job->ask;
    size_t n_wanted = 0;

    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        n_wanted += plan_is_wanted(ask, p, s);
    }
    if (!n_wanted) {
        return run_fail_command(err, EXIT_USER, "plan: %s: %s%sthe file configures no headroom",
                                ask->schemes[0]->key, p->name, p->name[0] ? ": " : "");
    }
    for (size_t i = 0; i < ask->n_schemes; i++) {
        if (!plan_scheme_has_classes(p, ask->schemes[i])) {
            return run_fail_command(
                err, EXIT_USER,
                "plan: %s needs %llu classes for each port, but PFC frames have only "
                "%d: give fewer --hops or --classes",
                ask->schemes[i]->key, (llu)plan_scheme_classes(p, ask->schemes[i], &p->kinds[0]),
                WEIR_MAX_CLASSES);
        }
    }
    return EXIT_GOOD;
}

static int
finish(struct plan *p, const struct planner_job *job, struct err *err)
{
    struct err why;
    bool good = plan_override(p, &job->ask, &why);
    p->is_sonic |= job->sonic || job->lookup;

    return good ? check_schemes(p, job, err)
                : run_fail_command(err, EXIT_USER, "plan: %s", why.text);
}

int
planner_read(struct plan *p, const struct planner_job *job, struct err *err)
{
    int code = !job->from             ? EXIT_GOOD
               : is_folder(job->from) ? read_of_folder(p, job, err)
                                      : read_file(p, job, err);

    if (code == EXIT_GOOD && !job->from) {
        p->in = job->ask.in;
        p->assumes_mtu = !plan_is_given(&job->ask, "mtu");
        plan_add_ports(p);
    }
    return code == EXIT_GOOD ? finish(p, job, err) : code;
}

/* The plans of a fabric. */

bool
planner_is_fabric(const struct planner_job *job)
{
    const char *name = job->ask.switch_name;

    return job->from && (name ? !strcmp(name, "all") : is_folder(job->from));
}

static int
read_switches(struct plan **plans, size_t *n, const struct planner_job *job, struct err *err)
{
    struct scenario s;
    struct err why;
    int code = outcome_read(&s, job->from, NULL, 0, err);

    if (code != EXIT_GOOD) {
        return code;
    }
    code = plan_read_switches(plans, n, &job->ask, &s, &why)
               ? check_links(&(*plans)[0], &s, err)
               : run_fail_command(err, EXIT_USER, "%s: %s", job->from, why.text);
    for (size_t i = 0; code == EXIT_GOOD && i < (*plans)[0].n_warned; i++) {
        fprintf(job->messages, "warning: %s\n", (*plans)[0].warned[i].s);
    }
    scn_free(&s);
    return code;
}

int
planner_read_fabric(struct plan **plans, size_t *n, const struct planner_job *job, struct err *err)
{
    int code =
        is_folder(job->from) ? read_folder(plans, n, job, err) : read_switches(plans, n, job, err);

    for (size_t i = 0; i < *n && code == EXIT_GOOD; i++) {
        code = finish(&(*plans)[i], job, err);
    }
    return code;
}
