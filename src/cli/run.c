#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/run.h"

static const char help[] =
    "usage: weir run FILE [--set KEY=VALUE]... [--threads N] [--record RESULTS] [--json]\n"
    "                [--pcap OUT [--ports PORTS] [--packets N] [--snap BYTES] [--force]]\n"
    "\n"
    "Simulates a scenario and shows what became of its flows, queues and promises.  Exit code 0 "
    "if\n"
    "the network kept them, 4 if not (packets lost in a lossless class, or a deadlock, that the\n"
    "scenario does not expect; or one expected that did not come), 2 for a bad scenario, 3 for a\n"
    "file that can not be read or written.\n"
    "\n"
    "  --set KEY=VALUE   instead of what the file says: --set engine=pfc, --set "
    "switch.buffer=300KB\n"
    "  --threads N       results are the same for any number\n"
    "  --record RESULTS  adds the run to a results file: samples, events, counters; the "
    "scenario's\n"
    "                    `record` says of what.  `weir export RESULTS` reads it\n"
    "  --json            the same for programs\n"
    "  --pcap OUT        writes what crosses the links to OUT, for Wireshark: whole packets, at "
    "each port\n"
    "                    that they pass, so choose a few ports or a short run.  doc/captures.md\n"
    "  --ports PORTS     of these ports only: S1:H1,S2:* is that of S1 towards H1, and all of S2\n"
    "  --packets N       no more than the first N packets and frames\n"
    "  --snap BYTES      no more than the first bytes of each: 96 have all headers\n"
    "  --force           OUT may take the place of an old file\n";

struct options {
    struct outcome_job job;
    struct capture capture; /* If it has a path. */
    const char *sets[CLI_MAX_SETS];
    bool json;
};

static bool
read_capture_option(struct capture *c, int argc, char **argv, int *i)
{
    const struct {
        const char *name, **value;
    } options[] = { { "--pcap", &c->path },
                    { "--ports", &c->ports },
                    { "--packets", &c->packets },
                    { "--snap", &c->snap } };

    if (!strcmp(argv[*i], "--force")) {
        return c->force = true;
    }
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        if (!strcmp(argv[*i], options[k].name) && *i + 1 < argc) {
            *options[k].value = argv[++*i];
            return true;
        }
    }
    return false;
}

static int
read_options(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i++) {
        bool has_value = i + 1 < argc;
        if (!strcmp(argv[i], "--json")) {
            o->json = true;
        } else if (read_capture_option(&o->capture, argc, argv, &i)) {
            continue;
        } else if (!strcmp(argv[i], "--set") && has_value && o->job.n_sets < CLI_MAX_SETS) {
            o->sets[o->job.n_sets++] = argv[++i];
        } else if (!strcmp(argv[i], "--record") && has_value) {
            o->job.results = argv[++i];
        } else if (!strcmp(argv[i], "--threads") && has_value) {
            char *end;
            unsigned long n = strtoul(argv[++i], &end, 10);
            if (*end || n < 1 || n > 256) {
                return cli_fail(EXIT_USER, "run: --threads takes a number from 1 to 256, not '%s'",
                                argv[i]);
            }
            o->job.n_threads = (uint32_t)n;
        } else if (argv[i][0] == '-' || o->job.file) {
            return cli_fail(EXIT_USER, "run: unexpected '%s'\n\n%s", argv[i], help);
        } else {
            o->job.file = argv[i];
        }
    }
    o->job.sets = o->sets;
    o->job.capture = o->capture.path ? &o->capture : NULL;
    return o->job.file ? EXIT_GOOD : cli_fail(EXIT_USER, "run: no scenario given\n\n%s", help);
}

static int
run(struct options *o, struct outcome *out)
{
    struct progress progress = { 0 };
    struct outcome_watcher watcher = progress_of_runs(&progress);
    struct err err;
    int code = capture_check(&o->capture, &err);

    o->job.watcher = progress_is_wanted() ? &watcher : NULL;
    code = code == EXIT_GOOD ? outcome_run(out, &o->job, &err) : code;
    capture_free(&o->capture);
    progress_wipe(&progress);
    return code == EXIT_GOOD || code == EXIT_PROMISE ? code : cli_tell(code, &err);
}

int
cli_run(int argc, char **argv)
{
    struct options o = { .job = { .n_threads = 1 } };
    struct outcome out;

    if (cli_helped(argc, argv, help)) {
        return EXIT_GOOD;
    }
    int code = read_options(argc, argv, &o);
    if (code != EXIT_GOOD) {
        return code;
    }
    code = run(&o, &out);
    if (code != EXIT_GOOD && code != EXIT_PROMISE) {
        return code;
    }
    if (o.json) {
        run_show_json(&out, o.job.capture);
    } else {
        run_show_text(&out, o.job.capture);
    }
    outcome_free(&out);
    return code;
}
