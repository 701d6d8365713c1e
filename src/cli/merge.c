/* `weir merge`: joins the sweeps of several results files into one file. */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "record/sweep.h"

static int
merge(struct rec_sweeps *out, char **paths, size_t n)
{
    struct progress progress = { 0 };
    uint64_t n_added = 0, n_differ = 0;
    struct err err;

    for (size_t i = 0; i < n; i++) {
        if (access(paths[i], R_OK)) {
            return cli_fail(EXIT_WORLD, "cannot read %s: %s", paths[i], strerror(errno));
        }
        if (progress_is_wanted()) {
            progress_count(&progress, "files", i, n);
        }
        if (!rec_sweeps_merge(out, paths[i], &n_added, &n_differ, &err)) {
            return cli_print_error(run_code_of_file(&err), &err);
        }
    }
    printf("%llu runs added\n", (unsigned long long)n_added);
    if (n_differ) {
        return cli_fail(EXIT_DIFFERS,
                        "merge: %llu runs have different results in two files; those that were "
                        "read first are kept",
                        (unsigned long long)n_differ);
    }
    return EXIT_GOOD;
}

static int
run_merge(void *given)
{
    const struct verb_operands *files = given;
    struct err err;
    struct rec_sweeps *out = rec_sweeps_open(files->items[0], &err);

    if (!out) {
        return cli_print_error(run_code_of_file(&err), &err);
    }
    int code = merge(out, files->items + 1, files->n - 1);
    rec_sweeps_close(out);
    return code;
}

const struct verb cli_merge = {
    .name = "merge",
    .group = VERB_LARGE,
    .run = run_merge,
    .brief = "join the sweeps of several results files in one",
    .operands = "OUT DB...",
    .about = "Joins the sweeps of results files in one file, which may exist already. Runs of the "
             "same sweep are joined, whichever shard they are from, and runs that OUT already has "
             "are kept. Runs that were recorded one by one are not copied.\n\n"
             "The exit code is 1 if two files have different results for the same run.",
    .examples = "  weir merge study.db study.1of2.db study.2of2.db\n"
                "  weir merge all.db monday.db tuesday.db\n",
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .missing = "OUT and at least one file to read are needed",
    .is_long = true,
};
