#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "record/sweep.h"

static const char help[] =
    "usage: weir merge OUT DB...\n"
    "\n"
    "Puts the sweeps of results files into one, new or old: runs of the same sweep, from its "
    "shards,\n"
    "come together; what is there already stays.  Runs that were recorded one by one are left "
    "where\n"
    "they are.  Exit code 1 if two files have different results of the same run.\n";

static int
merge(struct rec_sweeps *out, char **paths, int n)
{
    uint64_t n_added = 0, n_differ = 0;
    struct err err;

    for (int i = 0; i < n; i++) {
        if (access(paths[i], R_OK)) {
            return cli_fail(EXIT_WORLD, "cannot read %s: %s", paths[i], strerror(errno));
        }
        if (!rec_sweeps_merge(out, paths[i], &n_added, &n_differ, &err)) {
            return cli_fail(EXIT_USER, "%s", err.text);
        }
    }
    printf("%llu runs added\n", (unsigned long long)n_added);
    if (n_differ) {
        return cli_fail(EXIT_DIFFERS, "merge: %llu runs have other results there; the first stay",
                        (unsigned long long)n_differ);
    }
    return EXIT_GOOD;
}

int
cli_merge(int argc, char **argv)
{
    struct err err;

    if (cli_helped(argc, argv, help)) {
        return EXIT_GOOD;
    }
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-') {
            return cli_fail(EXIT_USER, "merge: unexpected '%s'\n\n%s", argv[i], help);
        }
    }
    if (argc < 3) {
        return cli_fail(EXIT_USER, "merge: a file to write and files to read are needed\n\n%s",
                        help);
    }
    struct rec_sweeps *out = rec_sweeps_open(argv[1], &err);
    if (!out) {
        return cli_fail(EXIT_WORLD, "%s", err.text);
    }
    int code = merge(out, argv + 2, argc - 2);
    rec_sweeps_close(out);
    return code;
}
