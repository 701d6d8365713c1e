/* Shows flow completion times as text, by bins of sizes that the user may choose. */

#ifndef CLI_SHOW_COMPLETION_H
#define CLI_SHOW_COMPLETION_H

#include "answer/completion-table.h"
#include "base/err.h"

/* The edges between bins of sizes: --sizes 10KB,100KB. */
struct show_sizes {
    uint64_t edges[COMPLETION_MAX_EDGES];
    size_t n;
};

#define SHOW_SIZES_HELP                                                                            \
    "Shows flows by size in bins with these edges: --sizes 10KB,100KB has three bins: under 10 "   \
    "KB, from 10 KB to under 100 KB, and from 100 KB on. Default: bins of 5 % of the flows each; " \
    "a size that at least a tenth of the flows have gets a bin of its own."

#define SHOW_CSV_HELP                                                                              \
    "Writes flow completion times of finite flows as CSV: a row for all flows, for each workload " \
    "and for each bin of sizes, with times in picoseconds. Warnings go to standard error."

/* Reads the value of --sizes into a struct show_sizes. */
bool show_sizes_read(void *sizes, const char *word, struct err *);

/* Shows rows for all flows, for workloads and, on request, for sizes. */
void show_completion(const struct completion_table *, bool with_sizes);

/* Shows the jobs among the workloads: times, bandwidths and waits of ranks; nothing if there are
 * none. */
void show_jobs(const struct completion_table *);

/* Explains the dash of a percentile, if there are too few flows for it. Returns whether it did. */
bool show_few(const struct workload_facts *);

void show_worst(const struct completion_table *);

#endif
