/* `weir plan`: how much buffer, which thresholds, before anything is bought or configured. */

#include "cli/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char help[] =
    "usage: weir plan [--rate RATE] [--cable LENGTH] [--mtu BYTES] [--ports N] [--classes N]\n"
    "                 [--buffer BYTES]... [--verify] [--json]\n"
    "       weir plan --from FILE ...      a scenario, or SONiC's config_db.json\n"
    "       weir plan --cost [--csv | --json]\n"
    "\n"
    "For each scheme: the headroom that losing nothing asks for, what the switch needs in all, "
    "what\n"
    "is left to share, whether it fits the buffer and what would, and the thresholds.  Exit code "
    "0;\n"
    "2 if nothing fits or an option is wrong, 3 for a file that can not be read or written, 4 if\n"
    "--verify finds a plan that loses packets.  doc/plan.md says more.\n"
    "\n"
    "  --from FILE      ports, cables, classes and buffer of a file; options go before it\n"
    "  --kind KIND      of that file: scenario or sonic; else it is found out\n"
    "  --switch NAME    of a scenario; else the one that needs the most\n"
    "  --scheme KEY,... only these, see below\n"
    "  --verify         simulate the worst case with the plan (nothing lost) and with less (lost)\n"
    "  --scenario FILE  write a scenario for `weir run`\n"
    "  --sonic FILE     write tables for config_db.json\n"
    "  --lookup FILE    write rows for pg_profile_lookup.ini\n"
    "  --force          replace files that are there\n"
    "  --cost           what every scheme costs, from 10 to 400 Gb/s; --csv: as CSV\n"
    "  --json           the same for programs\n"
    "\n";

static void
show_help(void)
{
    fputs(help, stdout);
    for (const struct weir_field *f = plan_fields; f->name; f++) {
        struct weir_text value = { 0 };
        weir_text_add(&value, "%F", f, f->fallback);
        printf("  --%-14s %s  [%s]\n", f->name, f->help,
               f->fallback == WEIR_AUTO ? f->derived : value.s);
    }
    printf("\nschemes:\n");
    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        printf("  %-16s %s\n", s->key, s->asks);
    }
}

/* Options. */

static int
read_schemes(struct plan_job *job, const char *list)
{
    char name[40], offer[200];

    while (*list && job->ask.n_schemes < PLAN_MAX_SCHEMES) {
        size_t len = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)len, list);
        const struct plan_scheme *s = plan_scheme_find(name);
        if (!s) {
            size_t n = 0;
            while (plan_schemes[n].key) {
                n++;
            }
            text_offer(name, &plan_schemes[0].key, sizeof plan_schemes[0], n, offer, sizeof offer);
            return cli_fail(EXIT_USER, "plan: unknown scheme '%s'%s", name, offer);
        }
        job->ask.schemes[job->ask.n_schemes++] = s;
        list += len + (list[len] == ',');
    }
    return EXIT_GOOD;
}

static int
read_kind(struct plan_job *job, const char *word)
{
    job->kind = !strcmp(word, "scenario") ? PLAN_SCENARIO
                : !strcmp(word, "sonic")  ? PLAN_SONIC
                                          : PLAN_ANY_FILE;
    return job->kind ? EXIT_GOOD
                     : cli_fail(EXIT_USER, "plan: --kind is scenario or sonic, not '%s'", word);
}

static int
read_field(struct plan_job *job, const struct weir_field *f, const char *word)
{
    struct err err;

    if (!plan_field_parse(f, word, &job->ask.in, &err)) {
        return cli_fail(EXIT_USER, "plan: --%s: %s", f->name, err.text);
    }
    job->ask.is_given[f - plan_fields] = true;
    return EXIT_GOOD;
}

static bool *
find_flag(struct plan_job *job, const char *name)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = { { "--json", &job->json },
                  { "--csv", &job->csv },
                  { "--verify", &job->verify },
                  { "--cost", &job->cost },
                  { "--force", &job->force } };

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (!strcmp(flags[i].name, name)) {
            return flags[i].flag;
        }
    }
    return NULL;
}

static const char **
find_name(struct plan_job *job, const char *name)
{
    const struct {
        const char *name, **value;
    } names[] = { { "--from", &job->from },
                  { "--switch", &job->ask.switch_name },
                  { "--scenario", &job->scenario },
                  { "--sonic", &job->sonic },
                  { "--lookup", &job->lookup } };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strcmp(names[i].name, name)) {
            return names[i].value;
        }
    }
    return NULL;
}

static int
unexpected(const char *word)
{
    const struct weir_field *f = plan_fields;
    char offer[200] = "";
    size_t n = 0;

    while (f[n].name) {
        n++;
    }
    if (!strncmp(word, "--", 2)) {
        text_offer(word + 2, &f[0].name, sizeof f[0], n, offer, sizeof offer);
    }
    return cli_fail(EXIT_USER, "plan: unexpected '%s'%s\n`weir plan --help` lists the options",
                    word, offer);
}

static int
read_options(int argc, char **argv, struct plan_job *job)
{
    int code = EXIT_GOOD;

    for (int i = 1; i < argc && code == EXIT_GOOD; i++) {
        bool *flag = find_flag(job, argv[i]), has_value = i + 1 < argc;
        const char **name = find_name(job, argv[i]);
        const struct weir_field *f =
            !strncmp(argv[i], "--", 2) ? weir_field_find(plan_fields, argv[i] + 2) : NULL;
        bool is_scheme = !strcmp(argv[i], "--scheme"), is_kind = !strcmp(argv[i], "--kind");
        if (flag) {
            *flag = true;
        } else if (!name && !f && !is_scheme && !is_kind) {
            code = unexpected(argv[i]);
        } else if (!has_value) {
            code = cli_fail(EXIT_USER, "plan: %s what?", argv[i]);
        } else if (name) {
            *name = argv[++i];
        } else if (f) {
            code = read_field(job, f, argv[++i]);
        } else {
            i++;
            code = is_scheme ? read_schemes(job, argv[i]) : read_kind(job, argv[i]);
        }
    }
    return code;
}

static int
check_options(const struct plan_job *job)
{
    if (plan_is_given(&job->ask, "cable") && plan_is_given(&job->ask, "delay")) {
        return cli_fail(EXIT_USER, "plan: --cable and --delay: one of them");
    }
    if (job->cost && (job->from || job->verify || job->scenario || job->sonic || job->lookup)) {
        return cli_fail(EXIT_USER, "plan: --cost is a table of its own, of options only");
    }
    if (job->csv && !job->cost) {
        return cli_fail(EXIT_USER, "plan: --csv goes with --cost");
    }
    if (job->from && plan_is_given(&job->ask, "ports")) {
        return cli_fail(EXIT_USER, "plan: --ports and --from: the file has its ports");
    }
    if (!job->from && (job->kind || job->ask.switch_name)) {
        return cli_fail(EXIT_USER, "plan: --kind and --switch go with --from");
    }
    return EXIT_GOOD;
}

/* The plan. */

static int
refuse(const struct plan *p, const struct plan_job *job)
{
    struct weir_text buffer = { 0 };

    weir_text_add(&buffer, "%B", p->in.buffer_bytes);
    cli_fail(EXIT_USER, "plan: a buffer of %s is less than every scheme here needs:", buffer.s);
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
        return cli_fail(EXIT_USER, "plan: %s: no headroom is configured here",
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

int
cli_plan(int argc, char **argv)
{
    struct plan_job job = { 0 };
    struct plan plan = { 0 };

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            show_help();
            return EXIT_GOOD;
        }
    }
    weir_fields_default(plan_fields, &job.ask.in);
    int code = read_options(argc, argv, &job);
    code = code == EXIT_GOOD ? check_options(&job) : code;
    if (code == EXIT_GOOD && job.cost) {
        return plan_show_cost(&job);
    }
    code = code == EXIT_GOOD ? plan_read(&plan, &job) : code;
    code = code == EXIT_GOOD ? check_plan(&plan, &job) : code;
    code = code == EXIT_GOOD ? show(&plan, &job) : code;
    code = code == EXIT_GOOD ? plan_write(&plan, &job) : code;
    plan_free(&plan);
    return code;
}
