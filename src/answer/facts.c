/* The facts of a run as columns. */

#include "answer/facts.h"

#include <string.h>

#include "base/text.h"

/* Defines the column of a fact. The help text may be followed by the value of the next member,
 * 'words'. */
#define COLUMN(ROW, KIND, NAME, OVER, CLAIM, HEAD, ...)                                            \
    { #NAME,                                                                                       \
      COLUMN_##KIND,                                                                               \
      offsetof(struct ROW, NAME),                                                                  \
      HEAD,                                                                                        \
      .claim = CLAIM,                                                                              \
      .over_runs = REDUCE_##OVER,                                                                  \
      .help = __VA_ARGS__ },

const struct column run_facts[N_RUN_FACTS] = {
#define FACT(KIND, NAME, OVER, CLAIM, HEAD, VALUE, ...)                                            \
    COLUMN(run_facts, KIND, NAME, OVER, CLAIM, HEAD, __VA_ARGS__)
#include "answer/run-facts.def"
#undef FACT
};

const struct column workload_facts[N_WORKLOAD_FACTS] = {
#define FACT(KIND, NAME, OVER, CLAIM, HEAD, VALUE, ...)                                            \
    COLUMN(workload_facts, KIND, NAME, OVER, CLAIM, HEAD, __VA_ARGS__)
#include "answer/workload-facts.def"
#undef FACT
};

void
facts_clear(struct run_facts *f)
{
    columns_clear(run_facts, N_RUN_FACTS, f);
}

static const struct column *
find_claim(const struct column *facts, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        bool is_short = facts[i].claim && !strcmp(facts[i].claim, name);
        if (facts[i].over_runs && (is_short || !strcmp(facts[i].name, name))) {
            return &facts[i];
        }
    }
    return NULL;
}

const struct column *
facts_of_claim(const char *name, bool is_of_workload)
{
    const struct column *of_run = find_claim(run_facts, N_RUN_FACTS, name);
    const struct column *of_workload = find_claim(workload_facts, N_WORKLOAD_FACTS, name);

    return of_workload && (is_of_workload || !of_run) ? of_workload : of_run;
}

bool
facts_is_of_workload(const struct column *fact)
{
    return fact >= workload_facts && fact < workload_facts + N_WORKLOAD_FACTS;
}

bool
facts_is_of_sweeps(const struct column *fact)
{
    return fact >= &run_facts[FACT_host_bps] && fact <= &run_facts[FACT_feedback_max_share];
}

static size_t
add_name(const char *name, const char **names, size_t n)
{
    if (name && text_find(name, names, sizeof *names, n) == n) {
        names[n++] = name;
    }
    return n;
}

size_t
facts_list_claims(bool is_of_sweep, const char *names[FACTS_MAX_CLAIMS])
{
    size_t n = 0;

    for (size_t i = 0; i < N_RUN_FACTS + N_WORKLOAD_FACTS; i++) {
        const struct column *fact =
            i < N_RUN_FACTS ? &run_facts[i] : &workload_facts[i - N_RUN_FACTS];
        if (fact->over_runs && (is_of_sweep || !facts_is_of_sweeps(fact))) {
            n = add_name(fact->claim, names, n);
            n = add_name(fact->name, names, n);
        }
    }
    return n;
}

/* Adds a number with the fact's heading in singular or plural: "3 PFC pauses", "1 CNP". */
static void
add_counted(struct weir_text *text, const struct column *fact, uint64_t n)
{
    struct weir_text one = { 0 };

    weir_text_add(&one, "%s", fact->head);
    one.s[one.len - 1] = '\0'; /* Removes the plural's s. */
    weir_text_add(text, "%u %s", n, n == 1 ? one.s : fact->head);
}

void
facts_add_signals(struct weir_text *text, const struct run_facts *f, const char *before)
{
    for (size_t i = FACT_n_pfc_pauses; i <= FACT_n_cnps; i++) {
        uint64_t n;
        if (column_whole(&run_facts[i], f, &n)) {
            weir_text_add(text, "%s", before);
            add_counted(text, &run_facts[i], n);
            before = ", ";
        }
    }
}

uint64_t
facts_least_flows(const struct column *fact)
{
    static const struct {
        size_t fact;
        uint64_t n;
    } percentiles[] = { { WORKLOAD_fct_p95_ps, 20 },
                        { WORKLOAD_fct_p99_ps, 100 },
                        { WORKLOAD_slowdown_p95, 20 },
                        { WORKLOAD_slowdown_p99, 100 } };

    for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++) {
        if (!strcmp(fact->name, workload_facts[percentiles[i].fact].name)) {
            return percentiles[i].n;
        }
    }
    return 0;
}

bool
facts_is_of_few(const struct column *fact, const struct workload_facts *of)
{
    return of->n_flows < facts_least_flows(fact);
}

void
facts_quantity(const struct column *fact, char out[FACTS_QUANTITY_BYTES])
{
    static const struct {
        const char *start, *words;
        bool has_head;
    } starts[] = { { "most_paused_ps", "time paused of the most paused link", false },
                   { "most_paused_class", "class of the most paused link", false },
                   { "fct_", "completion time, ", true },
                   { "slowdown_", "slowdown, ", true } };

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (!strncmp(fact->name, starts[i].start, strlen(starts[i].start))) {
            snprintf(out, FACTS_QUANTITY_BYTES, "%s%s", starts[i].words,
                     starts[i].has_head ? fact->head : "");
            return;
        }
    }
    snprintf(out, FACTS_QUANTITY_BYTES, "%s", fact->head);
}

const char *
facts_unit(const char *name)
{
    static const struct {
        const char *end, *unit;
    } ends[] = { { "_bps", "bps" },
                 { "_ps", "ps" },
                 { "_bytes", "bytes" },
                 { "_s", "s" },
                 { "_share", "share" } };

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (text_ends_with(name, ends[i].end)) {
            return ends[i].unit;
        }
    }
    return strstr(name, "slowdown_") ? "times" : "";
}
