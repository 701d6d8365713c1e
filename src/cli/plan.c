/* `weir plan`: how much buffer, which thresholds, before anything is bought or configured. */

#include "cli/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Options. */

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

/* "pfc,gfc-buffer" */
static bool
read_schemes(void *options, const char *list, struct err *err)
{
    struct plan_job *job = options;
    char name[40];

    if (!strcmp(list, "all")) {
        job->ask.wants_all = true;
        return true;
    }
    while (*list && job->ask.n_schemes < PLAN_MAX_SCHEMES) {
        size_t len = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)len, list);
        if (!add_scheme(&job->ask, name, err)) {
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
    struct plan_job *job = options;

    job->kind = !strcmp(word, "scenario") ? PLAN_SCENARIO
                : !strcmp(word, "sonic")  ? PLAN_SONIC
                                          : PLAN_ANY_FILE;
    return job->kind || err_set(err, "is scenario or sonic, not '%s'", word);
}

struct plan_values *
plan_values_of(struct plan_job *job, const struct weir_field *f)
{
    return !strcmp(f->name, "rate") ? &job->rates : !strcmp(f->name, "cable") ? &job->cables : NULL;
}

/* "25Gbps,100Gbps": every value of it must be good. */
static bool
read_values(struct plan_job *job, const struct weir_field *f, const char *list,
            struct plan_values *values, struct err *err)
{
    char word[40];

    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        if (values->n == PLAN_MAX_VALUES) {
            return err_set(err, "a list has at most %d values", PLAN_MAX_VALUES);
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
    struct plan_job *job = options;
    struct plan_values *values = plan_values_of(job, f);
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

#define AT(MEMBER) .offset = offsetof(struct plan_job, MEMBER)

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
      "Switch of the scenario to plan for; all: every one of them, in one table. Default: the one "
      "that needs the most buffer.",
      VERB_WORD, AT(ask.switch_name) },
    { "--scheme", "KEY,...",
      "Plans for these schemes only, which are listed below; all: for every one. Default: all; for "
      "SONiC, which has no others, those of PFC.",
      VERB_READ, .read = read_schemes },
    { "--verify", NULL,
      "Simulates the worst case twice: with the plan, when nothing may be lost, and with one byte "
      "less than needed, when something must be lost. With pfc-configured among the schemes, also "
      "with what the switch has.",
      VERB_FLAG, AT(verify) },
    { "--details", NULL,
      "Shows why the headroom of a port is enough, risky or broken: what every formula asks for.",
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
      "Lets --sonic and --lookup write less headroom than is configured. Without it a profile "
      "keeps what it has if the formula asks for less.",
      VERB_FLAG, AT(ask.may_lower) },
    { "--force", NULL, "Replaces these files if they exist.", VERB_FLAG, AT(force) },
    { 0 },
};

static bool
is_matrix(const struct plan_job *job)
{
    return job->rates.n || job->cables.n;
}

/* What is for one switch. */
static bool
writes_files(const struct plan_job *job)
{
    return job->scenario || job->sonic || job->lookup;
}

static int
check_options(const struct plan_job *job)
{
    const struct plan_request *ask = &job->ask;
    const struct {
        bool is_wrong;
        const char *why;
    } rules[] = {
        { plan_is_given(ask, "cable") && plan_is_given(ask, "delay"),
          "--cable and --delay exclude each other: give one" },
        { job->cost && (job->from || job->verify || writes_files(job) || is_matrix(job)),
          "--cost needs only options of the switch: it takes no file, and writes none but a page" },
        { is_matrix(job) && (job->verify || writes_files(job)),
          "several rates or cables make a table of plans: give one of each to simulate a plan or "
          "to write it for a switch" },
        { plan_is_fabric(job) && (writes_files(job) || is_matrix(job)),
          "all switches make a table of plans: name one to write its plan or to plan it with "
          "several rates or cables" },
        { job->from && plan_is_given(ask, "ports"),
          "--ports and --from exclude each other: the file has its ports" },
        { !job->from && (job->kind || ask->switch_name), "--kind and --switch need --from" },
    };

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].is_wrong) {
            return cli_fail(EXIT_USER, "plan: %s", rules[i].why);
        }
    }
    return EXIT_GOOD;
}

/* The plan. */

static int
show(const struct plan *p, const struct plan_job *job)
{
    struct plan_shown shown = { .p = p, .job = job };
    struct plan_proof *proofs = NULL;
    struct plan_row *rows;
    struct weir_text title = { 0 };
    struct err err;
    size_t n;

    if (job->verify) {
        shown.proofs = proofs = verify_plan(p, &job->ask, &shown.n_proofs, &err);
        if (!proofs) {
            return cli_fail(EXIT_USER, "plan: --verify: %s", err.text);
        }
    }
    weir_text_add(&title, "A plan for %s", p->name[0] ? p->name : "a switch");
    rows = plan_rows(p, &job->ask, 0, &n);
    struct form_table list = { NULL, plan_switch_columns, rows, n, sizeof *rows };
    int code = plan_give(job, &(struct plan_answer){ title.s, &shown, plan_say, list, plan_tell });
    code = code == EXIT_GOOD && !verify_holds(proofs, shown.n_proofs) ? EXIT_PROMISE : code;
    free(rows);
    free(proofs);
    return code;
}

/* All has been shown, and still the plan is refused. */
static int
check_fits(const struct plan *p, const struct plan_job *job)
{
    struct weir_text buffer = { 0 };

    if (plan_judge(p, &job->ask).use) {
        return EXIT_GOOD;
    }
    weir_text_add(&buffer, "%B", p->in.buffer_bytes);
    return cli_fail(EXIT_USER, "plan: a buffer of %s is less than any of these schemes needs",
                    buffer.s);
}

static int
plan(const struct plan_job *job)
{
    struct plan plan = { 0 };
    int code = plan_read(&plan, job);

    if (code == EXIT_GOOD) {
        bool writes = plan_judge(&plan, &job->ask).use != NULL;
        code = writes ? plan_check_files(&plan, job) : EXIT_GOOD;
        code = code == EXIT_GOOD ? show(&plan, job) : code;
        code = code == EXIT_GOOD ? check_fits(&plan, job) : code;
        code = code == EXIT_GOOD ? plan_write(&plan, job) : code;
        code = code == EXIT_GOOD && plan_worst_word(&plan) == PLAN_BROKEN ? EXIT_DIFFERS : code;
    }
    plan_free(&plan);
    return code;
}

static int
run(int argc, char **argv)
{
    struct plan_job job = { 0 };
    int code;

    weir_fields_default(plan_fields, &job.ask.in);
    if (!options_read(&cli_plan, argc, argv, &job, &code)) {
        return code;
    }
    code = check_options(&job);
    if (code != EXIT_GOOD) {
        return code;
    }
    code = job.cost               ? plan_show_cost(&job)
           : plan_is_fabric(&job) ? plan_show_fabric(&job)
           : is_matrix(&job)      ? plan_show_matrix(&job)
                                  : plan(&job);
    if (code == EXIT_GOOD || code == EXIT_DIFFERS) {
        plan_name_files(&job);
    }
    return code;
}

const struct verb cli_plan = {
    .name = "plan",
    .run = run,
    .brief = "plan headroom and thresholds of a switch, and see what fits its buffer",
    .about =
        "Says which scheme to use and why, and shows for each scheme the headroom that it needs to "
        "lose nothing, what the whole switch needs, whether that fits the buffer and by how much "
        "(and if not, what would fit), and the thresholds. Of ports that are configured it says "
        "whether their headroom is enough, risky or broken. doc/plan.md explains the numbers.\n\n"
        "The exit code is 0 if some scheme fits; 1 if it does, but the headroom of some port is "
        "broken today; 2 if none fits or an option is wrong; 3 if a file cannot be read or "
        "written; 4 if --verify finds that a plan, or what is configured, loses packets.",
    .examples = "  weir plan --rate 100Gbps --cable 300m --ports 32 --classes 2 --buffer 32MB\n"
                "  weir plan --rate 25Gbps,100Gbps,400Gbps --cable 5m,40m,300m --buffer 32MB\n"
                "  weir plan --from config_db.json --sonic buffers.json --page plan.html\n"
                "  weir plan --from config_db.json --verify --scheme pfc-configured\n"
                "  weir plan --from switches/ --markdown\n"
                "  weir plan --cost --csv\n",
    .options = options,
    .fields = plan_fields,
    .fields_group = "Options for the switch and its links",
    .field_value = field_value,
    .read_field = read_field,
    .terms_group = "Schemes",
    .term = scheme_at,
};
