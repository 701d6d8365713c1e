#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/outcome.h"

static const char help[] =
    "usage: weir reproduce STUDY [--studies DIR]\n"
    "\n"
    "Runs the scenarios of a paper, studies/STUDY/*.yaml, under every arbitration, and prints "
    "what\n"
    "was published beside what is measured: = holds, x does not.  A claim that holds under one\n"
    "arbitration and not under another is a finding, not an error; the study's README says why.\n";

enum { MAX_FILES = 64, PATH_BYTES = 400 };

struct study {
    char files[MAX_FILES][PATH_BYTES];
    size_t n_files;
    size_t n_claims, n_holding[8];
};

static int
by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int
find_files(struct study *s, const char *folder)
{
    DIR *dir = opendir(folder);

    if (!dir) {
        return cli_fail(EXIT_USER,
                        "reproduce: no study at %s; run it where studies/ is, or give "
                        "--studies DIR",
                        folder);
    }
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        size_t len = strlen(e->d_name);
        if (len > 5 && !strcmp(e->d_name + len - 5, ".yaml") && s->n_files < MAX_FILES) {
            snprintf(s->files[s->n_files++], PATH_BYTES, "%.200s/%.190s", folder, e->d_name);
        }
    }
    closedir(dir);
    qsort(s->files, s->n_files, sizeof s->files[0], by_name);
    return s->n_files ? EXIT_GOOD : cli_fail(EXIT_USER, "reproduce: no scenario in %s", folder);
}

/* Claims against outcomes. */

/* The least that the sender into a queue was held back to: its line rate, if it never was. */
static uint64_t
lowest_rate(const struct outcome *o, uint32_t port)
{
    const struct topo *t = &o->s.topo;
    uint64_t line = t->links[t->ports[port].link].rate_bps;
    uint64_t least = sim_gate_state(o->sim, t->ports[port].peer, 0, sim_now(o->sim)).least_bps;
    return least < line ? least : line;
}

static uint64_t
measured(const struct scn_claim *c, const struct outcome *o)
{
    switch ((enum scn_claim_kind)c->of) {
    case SCN_DEADLOCK:
        return o->deadlock.found;
    case SCN_GOODPUT:
        return sim_flow_late_bps(o->sim, c->flow);
    case SCN_QUEUE:
        return sim_queue_mean_bytes(o->sim, c->port, 0);
    case SCN_PEAK:
        return sim_queue_peak_bytes(o->sim, c->port, 0);
    case SCN_RATE:
        return lowest_rate(o, c->port);
    }
    return 0;
}

static bool
holds(const struct scn_claim *c, uint64_t value)
{
    uint64_t slack =
        c->of == SCN_DEADLOCK ? 0 : weir_mul_div(c->published, c->within, WEIR_RATIO_1);
    return value + slack >= c->published && value <= c->published + slack;
}

static void
add_value(struct weir_text *t, const struct scn_claim *c, uint64_t value)
{
    if (c->of == SCN_DEADLOCK) {
        weir_text_add(t, "%s", value ? "yes" : "no");
    } else {
        weir_text_add(t, c->of == SCN_GOODPUT || c->of == SCN_RATE ? "%R" : "%B",
                      cli_rounded(value));
    }
}

static void
show_claim(const struct scenario *s, const struct scn_claim *c)
{
    static const char *const words[] = { [SCN_DEADLOCK] = "deadlock",
                                         [SCN_GOODPUT] = "goodput",
                                         [SCN_QUEUE] = "queue, mean",
                                         [SCN_PEAK] = "queue, peak",
                                         [SCN_RATE] = "rate, lowest" };
    struct weir_text value = { 0 };
    char what[100], room[SCN_NAME_BYTES];

    snprintf(what, sizeof what, "%s%s%s", words[c->of], c->of == SCN_GOODPUT ? " of " : "",
             c->of == SCN_GOODPUT ? scn_flow_name(s, c->flow, room) : "");
    add_value(&value, c, c->published);
    printf("%-14s %-15s %-18s %10s ", c->source, c->engine->name, what, value.s);
}

/* One outcome for each (claimed engine, arbitration). */
struct outcomes {
    const struct weir_engine *engine;
    struct outcome by_arbitration[8];
    struct outcomes *next;
};

/* "engine=[pfc, ecn]": the claim's, with those that stand beside it in the scenario. */
static void
choose_engine(const struct outcomes *all, const struct scenario *s, char *set, size_t max)
{
    int n = snprintf(set, max, "engine=[%s", all->engine->name);

    for (uint32_t i = 1; i < s->stack.n; i++) {
        n += snprintf(set + n, max - (size_t)n, ", %s", s->stack.layers[i].engine->name);
    }
    snprintf(set + n, max - (size_t)n, "]");
}

static int
run_engine(struct outcomes *all, const struct scenario *s, const char *file)
{
    char engine[300], arbitration[80];
    const char *const sets[] = { engine, arbitration };

    choose_engine(all, s, engine, sizeof engine);
    for (size_t a = 0; sim_arbitrations[a]; a++) {
        snprintf(arbitration, sizeof arbitration, "switch.arbitration=%s", sim_arbitrations[a]);
        int code = outcome_run(
            &all->by_arbitration[a],
            &(struct outcome_job){ .file = file, .sets = sets, .n_sets = 2, .n_threads = 1 });
        if (code != EXIT_GOOD && code != EXIT_PROMISE) {
            return code;
        }
        if (all->by_arbitration[a].is_stopped) {
            return cli_fail(EXIT_WORLD, "reproduce: stopped");
        }
    }
    return EXIT_GOOD;
}

static struct outcomes *
find_outcomes(struct outcomes **list, const struct weir_engine *engine, const struct scenario *s,
              const char *file, int *code)
{
    for (struct outcomes *o = *list; o; o = o->next) {
        if (o->engine == engine) {
            return o;
        }
    }
    struct outcomes *o = array_new(1, sizeof *o);
    o->engine = engine;
    o->next = *list;
    *list = o;
    *code = run_engine(o, s, file);
    return o;
}

static void
free_outcomes(struct outcomes *o)
{
    while (o) {
        struct outcomes *next = o->next;
        for (size_t a = 0; sim_arbitrations[a]; a++) {
            outcome_free(&o->by_arbitration[a]);
        }
        free(o);
        o = next;
    }
}

static void
show_measured(struct study *study, const struct scn_claim *c, const struct outcomes *o)
{
    for (size_t a = 0; sim_arbitrations[a]; a++) {
        struct weir_text value = { 0 };
        uint64_t v = measured(c, &o->by_arbitration[a]);
        add_value(&value, c, v);
        study->n_holding[a] += holds(c, v);
        printf(" %9s %c", value.s, holds(c, v) ? '=' : 'x');
    }
    printf("\n");
}

static int
reproduce_file(struct study *study, const char *file)
{
    struct outcomes *list = NULL;
    struct scenario s;
    int code = outcome_read(&s, file, NULL, 0);

    if (code != EXIT_GOOD) {
        return code;
    }
    printf("\n%s\n", s.name);
    for (size_t i = 0; i < s.n_claims; i++) {
        const struct scn_claim *c = &s.claims[i];
        struct outcomes *o = find_outcomes(&list, c->engine, &s, file, &code);
        if (code != EXIT_GOOD) {
            break;
        }
        show_claim(&s, c);
        study->n_claims++;
        show_measured(study, c, o);
    }
    free_outcomes(list);
    scn_free(&s);
    return code;
}

static int
reproduce(struct study *s)
{
    printf("%-14s %-15s %-18s %10s ", "", "", "", "published");
    for (size_t a = 0; sim_arbitrations[a]; a++) {
        printf(" %9s  ", sim_arbitrations[a]);
    }
    printf("\n");
    for (size_t i = 0; i < s->n_files; i++) {
        int code = reproduce_file(s, s->files[i]);
        if (code != EXIT_GOOD) {
            return code;
        }
    }
    printf("\nof %zu claims hold:", s->n_claims);
    for (size_t a = 0; sim_arbitrations[a]; a++) {
        printf("%s %zu under %s", a ? "," : "", s->n_holding[a], sim_arbitrations[a]);
    }
    printf("\n");
    return EXIT_GOOD;
}

int
cli_reproduce(int argc, char **argv)
{
    const char *name = NULL, *studies = "studies";

    if (cli_helped(argc, argv, help)) {
        return EXIT_GOOD;
    }
    struct study *s = array_new(1, sizeof *s);
    char folder[PATH_BYTES];
    int code = EXIT_GOOD;

    for (int i = 1; i < argc && code == EXIT_GOOD; i++) {
        if (!strcmp(argv[i], "--studies") && i + 1 < argc) {
            studies = argv[++i];
        } else if (argv[i][0] == '-' || name) {
            code = cli_fail(EXIT_USER, "reproduce: unexpected '%s'\n\n%s", argv[i], help);
        } else {
            name = argv[i];
        }
    }
    if (code == EXIT_GOOD && !name) {
        code = cli_fail(EXIT_USER, "reproduce: which study?\n\n%s", help);
    }
    if (code == EXIT_GOOD) {
        snprintf(folder, sizeof folder, "%.200s/%.190s", studies, name);
        code = find_files(s, folder);
    }
    code = code == EXIT_GOOD ? reproduce(s) : code;
    free(s);
    return code;
}
