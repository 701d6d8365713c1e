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

static bool
read_field(void *options, const struct weir_field *f, const char *word, struct err *err)
{
    struct plan_job *job = options;
    struct err why;

    if (!plan_field_parse(f, word, &job->ask.in, &why)) {
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

    return !strcmp(f->name, "cable") ? "LENGTH" : names[f->kind];
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
      "Options take precedence over the file.",
      VERB_FILE, AT(from) },
    { "--kind", "KIND", "Kind of that file: scenario or sonic. Default: recognised from the file.",
      VERB_READ, .read = read_kind, .choices = kinds },
    { "--switch", "NAME",
      "Switch of the scenario to plan for. Default: the one that needs the most buffer.", VERB_WORD,
      AT(ask.switch_name) },
    { "--scheme", "KEY,...", "Plans for these schemes only. They are listed below.", VERB_READ,
      .read = read_schemes },
    { "--verify", NULL,
      "Simulates the worst case twice: with the plan, when nothing may be lost, and with one byte "
      "less than needed, when something must be lost.",
      VERB_FLAG, AT(verify) },
    { "--cost", NULL, "Shows how much buffer every scheme needs, from 10 to 400 Gb/s.", VERB_FLAG,
      AT(cost) },
    { "--csv", NULL, "Shows the table of --cost as CSV.", VERB_FLAG, AT(csv) },
    { "--json", NULL, CLI_JSON_HELP, VERB_FLAG, AT(json) },
    { "--scenario", "FILE", "Writes a scenario for `weir run`.", VERB_FILE, AT(scenario),
      .group = "Files to write" },
    { "--sonic", "FILE", "Writes tables for SONiC's config_db.json.", VERB_FILE, AT(sonic) },
    { "--lookup", "FILE", "Writes rows for SONiC's pg_profile_lookup.ini.", VERB_FILE, AT(lookup) },
    { "--force", NULL, "Replaces these files if they exist.", VERB_FLAG, AT(force) },
    { 0 },
};

static int
check_options(const struct plan_job *job)
{
    if (plan_is_given(&job->ask, "cable") && plan_is_given(&job->ask, "delay")) {
        return cli_fail(EXIT_USER, "plan: --cable and --delay exclude each other: give one");
    }
    if (job->cost && (job->from || job->verify || job->scenario || job->sonic || job->lookup)) {
        return cli_fail(
            EXIT_USER,
            "plan: --cost needs only options of the switch: it takes no file, and writes none");
    }
    if (job->csv && !job->cost) {
        return cli_fail(EXIT_USER, "plan: --csv needs --cost");
    }
    if (job->from && plan_is_given(&job->ask, "ports")) {
        return cli_fail(EXIT_USER,
                        "plan: --ports and --from exclude each other: the file has its ports");
    }
    if (!job->from && (job->kind || job->ask.switch_name)) {
        return cli_fail(EXIT_USER, "plan: --kind and --switch need --from");
    }
    return EXIT_GOOD;
}

/* The plan. */

static int
refuse(const struct plan *p, const struct plan_job *job)
{
    struct weir_text buffer = { 0 };

    weir_text_add(&buffer, "%B", p->in.buffer_bytes);
    cli_fail(EXIT_USER, "plan: a buffer of %s is less than any of these schemes needs:", buffer.s);
    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        if (plan_is_wanted(&job->ask, p, s)) {
            struct weir_text said = { 0 };
            plan_add_misfit(p, s, &said);
            fprintf(stderr, "  %s\n", said.s);
        }
    }
    return EXIT_USER;
}

/* Something that was asked for must mean something here, and fit if the buffer is known. */
static int
check_plan(const struct plan *p, const struct plan_job *job)
{
    bool is_known = p->in.buffer_bytes != WEIR_AUTO;
    size_t n_wanted = 0, n_fitting = 0;

    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        if (plan_is_wanted(&job->ask, p, s)) {
            n_wanted++;
            n_fitting += !is_known || plan_fits(p, s);
        }
    }
    if (!n_wanted) {
        return cli_fail(EXIT_USER, "plan: %s: the file configures no headroom",
                        job->ask.schemes[0]->key);
    }
    return n_fitting ? EXIT_GOOD : refuse(p, job);
}

static int
show(const struct plan *p, const struct plan_job *job)
{
    struct plan_proof *proofs = NULL;
    size_t n_proofs = 0;
    struct err err;

    if (job->verify) {
        proofs = verify_plan(p, &job->ask, &n_proofs, &err);
        if (!proofs) {
            return cli_fail(EXIT_USER, "plan: --verify: %s", err.text);
        }
    }
    if (job->json) {
        plan_show_json(p, job, proofs, n_proofs);
    } else {
        plan_show_text(p, job);
        plan_show_proofs(p, proofs, n_proofs);
    }
    int code = verify_holds(proofs, n_proofs) ? EXIT_GOOD : EXIT_PROMISE;
    free(proofs);
    return code;
}

static int
plan(const struct plan_job *job)
{
    struct plan plan = { 0 };
    int code = plan_read(&plan, job);

    code = code == EXIT_GOOD ? check_plan(&plan, job) : code;
    code = code == EXIT_GOOD ? show(&plan, job) : code;
    code = code == EXIT_GOOD ? plan_write(&plan, job) : code;
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
    return job.cost ? plan_show_cost(&job) : plan(&job);
}

const struct verb cli_plan = {
    .name = "plan",
    .run = run,
    .brief = "plan headroom and thresholds of a switch, and see what fits its buffer",
    .about =
        "Shows for each scheme the headroom that it needs to lose nothing, what the whole switch "
        "needs, what is left to share, whether that fits the buffer (and if not, what would fit), "
        "and the thresholds. doc/plan.md explains the numbers.\n\n"
        "The exit code is 0 if some scheme fits; 2 if none does or an option is wrong; 3 if a file "
        "cannot be read or written; 4 if --verify finds a plan that loses packets.",
    .examples = "  weir plan --rate 100Gbps --cable 300m --ports 32 --classes 2 --buffer 32MB\n"
                "  weir plan --from config_db.json --sonic buffers.json\n"
                "  weir plan --cost --csv\n",
    .options = options,
    .fields = plan_fields,
    .fields_group = "Options for the switch and its links",
    .field_value = field_value,
    .read_field = read_field,
    .terms_group = "Schemes",
    .term = scheme_at,
};
