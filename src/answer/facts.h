/* Facts: the resulting numbers of a run, each with the same name, unit and value wherever it is
 * shown.
 *
 *     struct run_facts f;
 *     facts_clear(&f);                                           nothing is known
 *     f.n_dropped = 3;
 *     columns_write_json(&json, run_facts, N_RUN_FACTS, &f);     "n_dropped": 3, ...
 *
 * run-facts.def has one line for each fact of a run, and workload-facts.def for each fact of a
 * workload.  To add a fact, add a line: `weir run --json`, `report --json`, `compare`, sweeps,
 * results files, `export`, the page and the Python module then have it, and doc/results.md lists it
 * (`weir facts --markdown`). */

#ifndef ANSWER_FACTS_H
#define ANSWER_FACTS_H

#include "base/columns.h"

#define FACT_TYPE_COUNT(NAME) uint64_t NAME
#define FACT_TYPE_BYTES(NAME) uint64_t NAME
#define FACT_TYPE_RATE(NAME)  uint64_t NAME
#define FACT_TYPE_YES(NAME)   uint64_t NAME
#define FACT_TYPE_HASH(NAME)  uint64_t NAME
#define FACT_TYPE_TIME(NAME)  weir_ps NAME
#define FACT_TYPE_RATIO(NAME) double NAME
#define FACT_TYPE_NAME(NAME)  char NAME[COLUMN_NAME_BYTES]

struct run_facts {
#define FACT(KIND, NAME, ...) FACT_TYPE_##KIND(NAME);
#include "answer/run-facts.def"
#undef FACT
};

enum {
#define FACT(KIND, NAME, ...) FACT_##NAME,
#include "answer/run-facts.def"
#undef FACT
    N_RUN_FACTS
};

/* The columns of a struct run_facts, in the order of the file: run_facts[FACT_n_dropped]. */
extern const struct column run_facts[N_RUN_FACTS];

/* The facts of a workload, or of another group of flows. */
struct workload_facts {
#define FACT(KIND, NAME, ...) FACT_TYPE_##KIND(NAME);
#include "answer/workload-facts.def"
#undef FACT
};

enum {
#define FACT(KIND, NAME, ...) WORKLOAD_##NAME,
#include "answer/workload-facts.def"
#undef FACT
    N_WORKLOAD_FACTS
};

extern const struct column workload_facts[N_WORKLOAD_FACTS];

/* The minimum number of flows that a percentile needs, and whether there are fewer. A percentile p
 * needs 1 / (1 - p) flows, 100 for 99 %, because with fewer flows it is the maximum. Text then
 * leaves it out; programs can compare n_flows. */
uint64_t facts_least_flows(const struct column *workload_fact);
bool facts_is_of_few(const struct column *workload_fact, const struct workload_facts *);

/* The quantity of a fact without its unit, for the title of an axis: "completion time, 99 %".
 * Headings of columns are shorter, because there are other headings next to them. */
enum { FACTS_QUANTITY_BYTES = 80 };
void facts_quantity(const struct column *, char out[FACTS_QUANTITY_BYTES]);

/* Sets all facts to unknown. */
void facts_clear(struct run_facts *);

/* Finds the fact that a claim names by its name or short name; null: there is none. If a run and a
 * workload have facts of the same name, 'is_of_workload' chooses. */
const struct column *facts_of_claim(const char *name, bool is_of_workload);
bool facts_is_of_workload(const struct column *);

/* Whether only sweeps compute the fact. It is null in other runs. */
bool facts_is_of_sweeps(const struct column *);

/* Lists the names that claims can use, including short names, without repetition, for a sweep or
 * for a single run; returns their number. */
enum { FACTS_MAX_CLAIMS = 2 * (N_RUN_FACTS + N_WORKLOAD_FACTS) };
size_t facts_list_claims(bool is_of_sweep, const char *names[FACTS_MAX_CLAIMS]);

/* Adds the counts of all signals that can occur: "; 3 PFC pauses, 1 CNP" if 'before' is "; ". */
void facts_add_signals(struct weir_text *, const struct run_facts *, const char *before);

/* The unit that the name of a fact ends with: "ps", "bps", "bytes", "share", "times", "s"; "" for a
 * count. */
const char *facts_unit(const char *name);

#endif
