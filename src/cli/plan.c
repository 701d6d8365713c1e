/* `weir plan`: computes the buffer and thresholds of switches before they are bought or
 * configured. */

#include "planner/planner.h"

#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/progress.h"

/* Options of `weir plan`. */

static bool
add_scheme(struct plan_request *ask, const char *name, struct err *err)
{
    const struct plan_scheme *s = plan_scheme_find(name);
    char offer[200];
    size_t n = 0;

    if (s) {
        ask->schemes[ask->n_schemes++] = s;
        return true;
    }
    while (plan_schemes[n].key) {
        n++;
    }
    text_offer(name, &plan_schemes[0].key, sizeof plan_schemes[0], n, offer, sizeof offer);
    return err_set(err, "has an unknown scheme '%s'%s", name, offer);
}

/* Reads a list of schemes, such as "pfc,gfc-buffer". */
static bool
read_schemes(void *request, const char *list, struct err *err)
{
    struct plan_request *ask = request;
    char name[40];

    if (!strcmp(list, "all")) {
        ask->wants_all = true;
        return true;
    }
    while (*list && ask->n_schemes < PLAN_MAX_SCHEMES) {
        size_t len = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)len, list);
        if (!add_scheme(ask, name, err)) {
            return false;
        }
        list += len + (list[len] == ',');
    }
    return true;
}

static const char *const kinds[] = { "scenario", "sonic", NULL };

static bool
read_kind(void *options, const char *word, struct err *err)
{
    struct planner_job *job = options;

    job->kind = !strcmp(word, "scenario") ? PLANNER_SCENARIO
                : !strcmp(word, "sonic")  ? PLANNER_SONIC
                                          : PLANNER_ANY_FILE;
    return job->kind || err_set(err, "is scenario or sonic, not '%s'", word);
}

/* Reads a list such as "25Gbps,100Gbps"; every value must be valid. */
static bool
read_values(struct planner_job *job, const struct weir_field *f, const char *list,
            struct planner_values *values, struct err *err)
{
    char word[40];

    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        if (values->n == PLANNER_MAX_VALUES) {
            return err_set(err, "a list has at most %d values", PLANNER_MAX_VALUES);
        }
        if (!plan_field_parse(f, word, &job->ask.in, err)) {
            return false;
        }
        values->items[values->n++] = weir_field_get(f, &job->ask.in);
    }
    return true;
}

static bool
read_field(void *options, const struct weir_field *f, const char *word, struct err *err)
{
    struct planner_job *job = options;
    struct planner_values *values = planner_values_of(job, f);
    bool is_list = values && strchr(word, ',');
    struct err why;

    if (!(is_list ? read_values(job, f, word, values, &why)
                  : plan_field_parse(f, word, &job->ask.in, &why))) {
        return err_set(err, "%s", why.text);
    }
    job->ask.is_given[f - plan_fields] = true;
    return true;
}

static const char *
field_value(const struct weir_field *f)
{
    static const char *const names[] = {
        [WEIR_BYTES] = "BYTES", [WEIR_TIME] = "TIME", [WEIR_RATE] = "RATE",   [WEIR_COUNT] = "N",
        [WEIR_CHOICE] = "N",    [WEIR_CODE] = "N",    [WEIR_RATIO] = "RATIO",
    };

    return !strcmp(f->name, "cable")  ? "LENGTH,..."
           : !strcmp(f->name, "rate") ? "RATE,..."
                                      : names[f->kind];
}

static bool
scheme_at(size_t i, const char **word, const char **help)
{
    *word = plan_schemes[i].key;
    *help = plan_schemes[i].asks;
    return *word;
}

#define AT(MEMBER) .offset = offsetof(struct planner_job, MEMBER)

static const struct verb_option options[] = {
    { "--from", "FILE",
      "Reads ports, cables, classes and buffer from a file: a scenario, or SONiC's config_db.json. "
      "A folder of config_db.json files, one for each switch, is planned as a whole. Options take "
      "precedence over the file.",
      VERB_FILE, AT(from) },
    { "--kind", "KIND",
      "Kind of the file of --from: scenario or sonic. Default: recognised from the file.",
      VERB_READ, .read = read_kind, .choices = kinds },
    { "--switch", "NAME",
      "Switch of the scenario or folder to plan for; all: every switch, in one table. "
      "Default: in a scenario the switch that needs the most buffer, in a folder all switches.",
      VERB_WORD, AT(ask.switch_name) },
    { "--scheme", "KEY,...",
      "Plans only for these schemes, which are listed below; all: every scheme. Default: all; for  "
      "SONiC, which has only PFC, the schemes of PFC.",
      VERB_READ, AT(ask), .read = read_schemes },
    { "--verify", NULL,
      "Simulates the worst case twice: with the plan, which must lose nothing, and with one byte "
      "less than needed, which must lose something. If pfc-configured is among the schemes, also "
      "simulates the configured headroom.",
      VERB_FLAG, AT(verify) },
    { "--details", NULL,
      "Shows every formula, the needs of each scheme, changes with which a plan would fit, and "
      "thresholds.",
      VERB_FLAG, AT(details) },
    { "--cost", NULL, "Shows how much buffer every scheme needs, from 10 to 400 Gb/s.", VERB_FLAG,
      AT(cost) },
    { "--csv", NULL, "Writes the table of the answer as CSV.", VERB_ONE_OF, AT(form), FORM_CSV },
    { "--json", NULL, CLI_JSON_HELP, VERB_ONE_OF, AT(form), FORM_JSON },
    { "--markdown", NULL, "Writes the answer as Markdown.", VERB_ONE_OF, AT(form), FORM_MARKDOWN },
    { "--page", "FILE",
      "Writes the answer as a page for a browser, too: one file, without scripts.", VERB_FILE,
      AT(page), .group = "Files to write" },
    { "--scenario", "FILE", "Writes a scenario for `weir run`.", VERB_FILE, AT(scenario) },
    { "--sonic", "FILE", "Writes tables for SONiC's config_db.json.", VERB_FILE, AT(sonic) },
    { "--lookup", "FILE", "Writes rows for SONiC's pg_profile_lookup.ini.", VERB_FILE, AT(lookup) },
    { "--may-lower", NULL,
      "Lets --sonic and --lookup write less headroom than is configured. Without this option a "
      "profile "
      "keeps its values if the formula needs less.",
      VERB_FLAG, AT(ask.may_lower) },
    { "--force", NULL, "Replaces these files if they exist.", VERB_FLAG, AT(force) },
    { 0 },
};

/* Whether the job writes files. Each file is for one switch. */
static bool
writes_files(const struct planner_job *job)
{
    return job->scenario || job->sonic || job->lookup;
}

static int
check_options(const struct planner_job *job)
{
    const struct plan_request *ask = &job->ask;
    const struct {
        bool is_wrong;
        const char *why;
    } rules[] = {
        { plan_is_given(ask, "cable") && plan_is_given(ask, "delay"),
          "--cable and --delay exclude each other: give one" },
        { job->cost && (job->from || job->verify || writes_files(job) || planner_is_matrix(job)),
          "--cost takes only options of the switch: it reads no file, and writes only a page" },
        { planner_is_matrix(job) && (job->verify || writes_files(job)),
          "several rates or cables make a table of plans: give one of each to simulate a plan or "
          "to write it for a switch" },
        { planner_is_fabric(job) && (writes_files(job) || planner_is_matrix(job)),
          "all switches make a table of plans: name one to write its plan or to plan it with "
          "several rates or cables" },
        { job->from && plan_is_given(ask, "ports"),
          "--ports and --from exclude each other: the file lists the ports" },
        { !job->from && (job->kind || ask->switch_name), "--kind and --switch need --from" },
    };

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].is_wrong) {
            return cli_fail(EXIT_USER, "plan: %s", rules[i].why);
        }
    }
    return EXIT_GOOD;
}

static void
show_verified(void *progress, size_t n_done, size_t n)
{
    progress_count(progress, "switches", n_done, n);
}

static int
run_plan(void *given)
{
    struct planner_job *job = given;
    struct progress progress = { 0 };
    struct err err = { .text = "" };
    int code = check_options(job);

    if (code != EXIT_GOOD) {
        return code;
    }
    job->out = stdout;
    job->messages = stderr;
    job->progress = progress_is_wanted() ? show_verified : NULL;
    job->arg = &progress;
    code = job->cost                ? planner_cost(job, &err)
           : planner_is_fabric(job) ? planner_fabric(job, &err)
           : planner_is_matrix(job) ? planner_matrix(job, &err)
                                    : planner_run(job, &err);
    if ((code == EXIT_GOOD || code == EXIT_DIFFERS) && !*err.text) {
        planner_name_files(job);
    }
    return *err.text ? cli_print_error(code, &err) : code;
}

const struct verb cli_plan = {
    .name = "plan",
    .group = VERB_PLAN,
    .run = run_plan,
    .brief = "compute headroom and thresholds, and what fits the buffer",
    .about =
        "Prints a verdict and a table: the headroom that each class of a port needs to lose "
        "no packet, the headroom that it has, and the margin. Without a configuration, the table "
        "compares "
        "schemes with the buffer of the switch. doc/plan.md explains the numbers.\n\n"
        "The exit code is 0 if a scheme fits and no configured port has less headroom than it "
        "needs. It is 1 if a port has too little, if a shared headroom pool is too small for one "
        "class of one port, or if no scheme fits the buffer. It is 2 if an "
        "option or a file is wrong, and 3 if a file cannot be read or written. It is 4 if --verify "
        "finds that a plan or the configured headroom loses packets.",
    .examples = "  weir plan --rate 100Gbps --cable 300m --ports 32 --classes 2 --buffer 32MB\n"
                "  weir plan --rate 25Gbps,100Gbps,400Gbps --cable 5m,40m,300m --buffer 32MB\n"
                "  weir plan --from config_db.json --sonic buffers.json --page plan.html\n"
                "  weir plan --from config_db.json --verify --scheme pfc-configured\n"
                "  weir plan --from switches/ --markdown\n"
                "  weir plan --cost --csv\n",
    .options = options,
    .options_bytes = sizeof(struct planner_job),
    .fields = plan_fields,
    .fields_at = offsetof(struct planner_job, ask.in),
    .fields_group = "Options for the switch and its links",
    .field_value = field_value,
    .read_field = read_field,
    .terms_group = "Schemes",
    .term = scheme_at,
    .is_long = true,
};
