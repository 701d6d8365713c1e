#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/outcome.h"

static const char help[] =
    "usage: weir run FILE [--set KEY=VALUE]... [--threads N] [--json]\n"
    "\n"
    "Simulates a scenario and shows what became of its flows, queues and promises.  Exit code 0 "
    "if\n"
    "the network kept them, 4 if not (packets lost in a lossless class, or a deadlock, that the\n"
    "scenario does not expect; or one expected that did not come), 2 for a bad scenario.\n"
    "\n"
    "  --set KEY=VALUE  instead of what the file says: --set engine=pfc, --set "
    "switch.buffer=300KB\n"
    "  --threads N      results are the same for any number\n"
    "  --json           the same for programs\n";

enum { MAX_SETS = 64 };

struct options {
    const char *file;
    const char *sets[MAX_SETS];
    size_t n_sets;
    uint32_t n_threads;
    bool json;
};

static int
read_options(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i++) {
        bool has_value = i + 1 < argc;
        if (!strcmp(argv[i], "--json")) {
            o->json = true;
        } else if (!strcmp(argv[i], "--set") && has_value && o->n_sets < MAX_SETS) {
            o->sets[o->n_sets++] = argv[++i];
        } else if (!strcmp(argv[i], "--threads") && has_value) {
            char *end;
            unsigned long n = strtoul(argv[++i], &end, 10);
            if (*end || n < 1 || n > 256) {
                return cli_fail(EXIT_USER, "run: --threads takes a number from 1 to 256, not '%s'",
                                argv[i]);
            }
            o->n_threads = (uint32_t)n;
        } else if (argv[i][0] == '-' || o->file) {
            return cli_fail(EXIT_USER, "run: unexpected '%s'\n\n%s", argv[i], help);
        } else {
            o->file = argv[i];
        }
    }
    return o->file ? EXIT_GOOD : cli_fail(EXIT_USER, "run: no scenario given\n\n%s", help);
}

/* Showing. */

static const char *
text(struct weir_text *t, const char *format, uint64_t value)
{
    *t = (struct weir_text){ 0 };
    weir_text_add(t, format, value);
    return t->s;
}

static const char *
node_name(const struct outcome *o, uint32_t port)
{
    return o->s.topo.nodes[o->s.topo.ports[port].node].name;
}

enum { MAX_ROWS = 20 };

static void
show_flows(const struct outcome *o)
{
    struct weir_text a, b, c;
    size_t n = o->s.n_flows < MAX_ROWS ? o->s.n_flows : MAX_ROWS;

    printf("\n%-14s %12s %12s %12s\n", "flow", "received", "goodput", "at the end");
    for (size_t i = 0; i < n; i++) {
        struct sim_flow_result r = sim_flow_result(o->sim, (uint32_t)i);
        printf("%-14s %12s %12s %12s\n", o->s.flows[i].name,
               text(&a, "%B", cli_rounded(r.received_bytes)),
               text(&b, "%R", cli_rounded(outcome_flow_bps(o, i))),
               text(&c, "%R", cli_rounded(sim_flow_late_bps(o->sim, (uint32_t)i))));
    }
    if (n < o->s.n_flows) {
        printf("and %zu more\n", o->s.n_flows - n);
    }
}

static int
by_peak(const void *a, const void *b)
{
    uint64_t x = ((const uint64_t *)a)[0], y = ((const uint64_t *)b)[0];
    return (x < y) - (x > y);
}

/* The longest queues: what came in by a port of a switch, of all classes. */
static size_t
list_queues(const struct outcome *o, uint64_t (*rows)[3])
{
    const struct topo *t = &o->s.topo;
    size_t n = 0;

    for (uint32_t port = 0; port < t->n_ports; port++) {
        uint64_t peak = 0, now = 0;
        for (uint8_t cls = 0; cls < o->s.wire.classes; cls++) {
            uint64_t p = sim_queue_peak_bytes(o->sim, port, cls);
            peak = p > peak ? p : peak;
            now += sim_queue_bytes(o->sim, port, cls);
        }
        if (t->nodes[t->ports[port].node].kind == TOPO_SWITCH && peak) {
            rows[n][0] = peak;
            rows[n][1] = port;
            rows[n++][2] = now;
        }
    }
    qsort(rows, n, sizeof *rows, by_peak);
    return n < MAX_ROWS ? n : MAX_ROWS;
}

static void
show_queues(const struct outcome *o)
{
    uint64_t(*rows)[3] = array_new(o->s.topo.n_ports, sizeof *rows);
    size_t n = list_queues(o, rows);
    struct weir_text a, b;

    printf("\n%-14s %12s %12s %12s\n", "queue", "longest", "at the end", "frames sent");
    for (size_t i = 0; i < n && i < 8; i++) {
        uint32_t port = (uint32_t)rows[i][1];
        char name[64];
        snprintf(name, sizeof name, "%s from %s", node_name(o, port),
                 node_name(o, o->s.topo.ports[port].peer));
        printf("%-14s %12s %12s %12llu\n", name, text(&a, "%B", cli_rounded(rows[i][0])),
               text(&b, "%B", cli_rounded(rows[i][2])),
               (unsigned long long)sim_port_result(o->sim, port).n_frames_sent);
    }
    free(rows);
}

static void
show_deadlock(const struct outcome *o)
{
    const struct sim_deadlock *d = &o->deadlock;
    struct weir_text at = { 0 };

    if (!d->found) {
        printf("\ndeadlock       none\n");
        return;
    }
    weir_text_add(&at, "%T", (weir_ps)cli_rounded((uint64_t)d->formed_ps));
    printf("\nDEADLOCK       since %s: ", at.s);
    for (uint32_t i = 0; i < d->n_cycle; i++) {
        printf("%s waits for ", node_name(o, d->cycle[i]));
    }
    printf("%s\n               flows held:", node_name(o, d->cycle[0]));
    for (uint32_t i = 0; i < d->n_flows && i < 8; i++) {
        printf(" %s", o->s.flows[d->flows[i]].name);
    }
    printf("\n");
}

static void
show_text(const struct outcome *o)
{
    struct weir_text time = { 0 };

    weir_text_add(&time, "%T", (weir_ps)o->s.run.time_ps);
    printf("%s: %u switches, %u hosts;", o->s.name, o->s.topo.n_switches, o->s.topo.n_nics);
    for (uint32_t i = 0; i < o->s.stack.n; i++) {
        printf(" %s", o->s.stack.layers[i].engine->name);
    }
    printf(", %s; %s simulated in %.2f s, %.1f M packet-hops/s\n", scn_arbitration(&o->s), time.s,
           o->seconds, (double)o->totals.n_hops / o->seconds / 1e6);
    if (sim_now(o->sim) < (weir_ps)o->s.run.time_ps) {
        struct weir_text now = { 0 };
        weir_text_add(&now, "%T", sim_now(o->sim));
        printf("stopped at %s: what follows is what became of it until then\n", now.s);
    }
    if (sim_warning(o->sim)) {
        printf("warning: %s\n", sim_warning(o->sim));
    }
    show_flows(o);
    show_queues(o);
    show_deadlock(o);
    printf("collapsed      %zu flows\n", o->n_collapsed);
    printf("dropped        %llu packets\n", (unsigned long long)o->totals.n_dropped);
    for (size_t i = 0; i < o->n_violations; i++) {
        printf("VIOLATION      %s\n", o->violations[i]);
    }
}

static void
show_json(const struct outcome *o)
{
    const struct sim_deadlock *d = &o->deadlock;
    uint64_t(*rows)[3] = array_new(o->s.topo.n_ports, sizeof *rows);
    size_t n = list_queues(o, rows);

    printf("{\"name\": ");
    cli_json_string(o->s.name);
    printf(", \"arbitration\": \"%s\", \"time_s\": %.9f, \"hash\": \"%016llx\",\n",
           scn_arbitration(&o->s), (double)sim_now(o->sim) / 1e12,
           (unsigned long long)o->totals.hash);
    printf(" \"deadlock\": {\"found\": %s, \"at_s\": ", d->found ? "true" : "false");
    printf(d->found ? "%.9f" : "null", (double)d->formed_ps / 1e12);
    printf(", \"cycle\": [");
    for (uint32_t i = 0; i < d->n_cycle; i++) {
        printf("%s\"%s\"", i ? ", " : "", node_name(o, d->cycle[i]));
    }
    printf("]},\n \"flows\": [");
    for (size_t i = 0; i < o->s.n_flows; i++) {
        struct sim_flow_result r = sim_flow_result(o->sim, (uint32_t)i);
        printf("%s\n  {\"name\": ", i ? "," : "");
        cli_json_string(o->s.flows[i].name);
        printf(", \"received_bytes\": %llu, \"goodput_bps\": %llu, \"late_goodput_bps\": %llu}",
               (unsigned long long)r.received_bytes, (unsigned long long)outcome_flow_bps(o, i),
               (unsigned long long)sim_flow_late_bps(o->sim, (uint32_t)i));
    }
    printf("],\n \"queues\": [");
    for (size_t i = 0; i < n; i++) {
        uint32_t port = (uint32_t)rows[i][1];
        printf("%s\n  {\"node\": \"%s\", \"from\": \"%s\", \"peak_bytes\": %llu, \"bytes\": %llu}",
               i ? "," : "", node_name(o, port), node_name(o, o->s.topo.ports[port].peer),
               (unsigned long long)rows[i][0], (unsigned long long)rows[i][2]);
    }
    printf("],\n \"collapsed_flows\": %zu, \"drops\": %llu, \"lost\": %llu, \"violations\": [",
           o->n_collapsed, (unsigned long long)o->totals.n_dropped,
           (unsigned long long)o->totals.n_lost);
    for (size_t i = 0; i < o->n_violations; i++) {
        printf("%s", i ? ", " : "");
        cli_json_string(o->violations[i]);
    }
    printf("]}\n");
    free(rows);
}

int
cli_run(int argc, char **argv)
{
    struct options o = { .n_threads = 1 };
    struct outcome out;

    if (cli_helped(argc, argv, help)) {
        return EXIT_GOOD;
    }
    int code = read_options(argc, argv, &o);
    if (code != EXIT_GOOD) {
        return code;
    }
    code = outcome_run(&out, o.file, o.sets, o.n_sets, o.n_threads);
    if (code != EXIT_GOOD && code != EXIT_PROMISE) {
        return code;
    }
    if (o.json) {
        show_json(&out);
    } else {
        show_text(&out);
    }
    outcome_free(&out);
    return code;
}
