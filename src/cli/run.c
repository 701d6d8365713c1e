#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "run/capture.h"
#include "run/outcome.h"

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

enum { MAX_ROWS = 20, MAX_WARNINGS = 8 };

/* Flows without end have a rate at the end of the run, others a time: how many times longer than
 * alone. */
static void
show_flows(const struct outcome *o)
{
    struct weir_text a, b, c;
    char room[SCN_NAME_BYTES];
    size_t n = o->s.n_flows < MAX_ROWS ? o->s.n_flows : MAX_ROWS;

    printf("\n%-14s %12s %12s %12s %9s\n", "flow", "received", "goodput", "at the end", "slowdown");
    for (size_t i = 0; i < n; i++) {
        struct sim_flow_result r = sim_flow_result(o->sim, (uint32_t)i);
        double slowdown = outcome_flow_slowdown(o, i);
        printf("%-14s %12s %12s %12s", scn_flow_name(&o->s, i, room),
               text(&a, "%B", cli_rounded(r.received_bytes)),
               text(&b, "%R", cli_rounded(outcome_flow_bps(o, i))),
               slowdown > 0 ? "ended"
                            : text(&c, "%R", cli_rounded(sim_flow_late_bps(o->sim, (uint32_t)i))));
        if (slowdown > 0) {
            printf(" %9.2f", slowdown);
        }
        printf("\n");
    }
    if (n < o->s.n_flows) {
        printf("and %zu more\n", o->s.n_flows - n);
    }
}

/* A queue: what came in by a port of a switch, of a class, and how its sender was held back. */
struct queue {
    uint32_t port;
    uint8_t cls;
    uint64_t peak_bytes, bytes;
    struct sim_gate_state gate;
};

static int
by_peak(const void *a, const void *b)
{
    const struct queue *x = a, *y = b;
    return (x->peak_bytes < y->peak_bytes) - (x->peak_bytes > y->peak_bytes);
}

/* The longest first. */
static size_t
list_queues(const struct outcome *o, struct queue **queues)
{
    const struct topo *t = &o->s.topo;
    size_t n = 0;

    *queues = array_new(t->n_ports * o->s.wire.classes, sizeof **queues);
    for (uint32_t port = 0; port < t->n_ports; port++) {
        bool is_switch = t->nodes[t->ports[port].node].kind == TOPO_SWITCH;
        for (uint8_t cls = 0; is_switch && cls < o->s.wire.classes; cls++) {
            struct queue q = { .port = port,
                               .cls = cls,
                               .peak_bytes = sim_queue_peak_bytes(o->sim, port, cls),
                               .bytes = sim_queue_bytes(o->sim, port, cls) };
            if (q.peak_bytes) {
                q.gate = sim_gate_state(o->sim, t->ports[port].peer,
                                        sim_class_sent(o->sim, port, cls), sim_now(o->sim));
                (*queues)[n++] = q;
            }
        }
    }
    qsort(*queues, n, sizeof **queues, by_peak);
    return n < MAX_ROWS ? n : MAX_ROWS;
}

enum { MAX_SHOWN_QUEUES = 8 };

static void
show_queue(const struct outcome *o, const struct queue *q)
{
    struct weir_text a, b, c;
    char name[64], cls[16] = "";

    if (o->s.wire.classes > 1) {
        snprintf(cls, sizeof cls, ", %u", q->cls);
    }
    snprintf(name, sizeof name, "%s from %s%s", node_name(o, q->port),
             node_name(o, o->s.topo.ports[q->port].peer), cls);
    printf(
        "%-14s %12s %12s %12llu %7.1f %% %12s\n", name, text(&a, "%B", cli_rounded(q->peak_bytes)),
        text(&b, "%B", cli_rounded(q->bytes)), (unsigned long long)q->gate.n_pauses,
        100.0 * (double)q->gate.paused_ps / (double)sim_now(o->sim),
        q->gate.least_bps == WEIR_UNLIMITED ? "-" : text(&c, "%R", cli_rounded(q->gate.least_bps)));
}

static void
show_queues(const struct outcome *o)
{
    struct queue *queues;
    size_t n = list_queues(o, &queues);

    printf("\n%-14s %12s %12s %12s %9s %12s\n", o->s.wire.classes > 1 ? "queue, class" : "queue",
           "longest", "at the end", "pauses", "paused", "lowest rate");
    for (size_t i = 0; i < n && i < MAX_SHOWN_QUEUES; i++) {
        show_queue(o, &queues[i]);
    }
    free(queues);
}

static void
show_deadlock(const struct outcome *o)
{
    const struct sim_deadlock *d = &o->deadlock;
    struct weir_text at = { 0 };
    char room[SCN_NAME_BYTES];

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
        printf(" %s", scn_flow_name(&o->s, d->flows[i], room));
    }
    printf("\n");
    if (d->broken_ps) {
        struct weir_text broken;
        printf("               broken by the watchdog at %s; formed %u time%s, %s at the end\n",
               text(&broken, "%T", cli_rounded((uint64_t)d->broken_ps)), d->n_formed,
               d->n_formed == 1 ? "" : "s", d->stands ? "stands" : "gone");
    }
}

/* A queue to send by whose watchdog has acted. */
struct stormy {
    uint32_t port;
    uint8_t cls;
    struct sim_storms storms;
};

static int
by_storms(const void *a, const void *b)
{
    const struct stormy *x = a, *y = b;
    return (x->storms.n_storms < y->storms.n_storms) - (x->storms.n_storms > y->storms.n_storms);
}

/* The worst first. */
static size_t
list_storms(const struct outcome *o, struct stormy **queues)
{
    size_t n = 0;

    *queues = array_new(o->s.topo.n_ports * o->s.wire.classes, sizeof **queues);
    for (uint32_t port = 0; port < o->s.topo.n_ports; port++) {
        for (uint8_t cls = 0; cls < o->s.wire.classes; cls++) {
            struct stormy s = { port, cls, sim_storms(o->sim, port, cls) };
            if (s.storms.n_storms) {
                (*queues)[n++] = s;
            }
        }
    }
    qsort(*queues, n, sizeof **queues, by_storms);
    return n;
}

static void
show_watchdog(const struct outcome *o)
{
    const struct sim_totals *t = &o->totals;
    struct stormy *queues;
    size_t n = list_storms(o, &queues);

    if (o->s.switches.watchdog) {
        printf("watchdog       %s; storms: %llu, restored: %llu", scn_watchdog(&o->s),
               (unsigned long long)t->n_storms, (unsigned long long)t->n_restored);
        for (size_t i = 0; i < n && i < MAX_SHOWN_QUEUES; i++) {
            printf("%s %s to %s", i ? "," : "; at", node_name(o, queues[i].port),
                   node_name(o, o->s.topo.ports[queues[i].port].peer));
        }
        printf(n > MAX_SHOWN_QUEUES ? ", and %zu more\n" : "\n", n - MAX_SHOWN_QUEUES);
    }
    free(queues);
}

static void
show_feedback(const struct outcome *o)
{
    struct weir_text bps;
    uint64_t of_bps, feedback = outcome_feedback_bps(o, &of_bps);

    printf("feedback       %s, %.3f %% of all links\n", text(&bps, "%R", cli_rounded(feedback)),
           100.0 * (double)feedback / (double)of_bps);
}

/* As the engines have them at the first switch; elsewhere they may derive others. */
static void
show_parameters(const struct outcome *o)
{
    struct weir_stack stack = sim_stack(o->sim, 0);

    for (uint32_t i = 0; i < stack.n; i++) {
        const struct weir_engine *e = stack.layers[i].engine;
        printf("%-14s at %s:", e->about.name, o->s.topo.nodes[0].name);
        for (const struct weir_field *f = e->about.params; f->name; f++) {
            struct weir_text value = { 0 };
            weir_text_add(&value, "%F", f, weir_field_get(f, stack.layers[i].params));
            printf(" %s %s%s", f->name, value.s, f[1].name ? "," : "");
        }
        printf("\n");
    }
}

static void
show_capture(const struct capture *c)
{
    printf("captured       %llu packets and frames at %u port%s", (unsigned long long)c->n_packets,
           c->n_ports, c->n_ports == 1 ? "" : "s");
    if (c->n_left_out) {
        printf(", the first of %llu", (unsigned long long)(c->n_packets + c->n_left_out));
    }
    printf(": %s\n", c->path);
}

static void
show_text(const struct outcome *o, const struct capture *c)
{
    struct weir_text time = { 0 };

    weir_text_add(&time, "%T", (weir_ps)cli_rounded((uint64_t)sim_now(o->sim)));
    printf("%s: %u switches, %u hosts;", o->s.name, o->s.topo.n_switches, o->s.topo.n_nics);
    for (uint32_t i = 0; i < o->s.stack.n; i++) {
        printf(" %s", o->s.stack.layers[i].engine->about.name);
    }
    printf(", %s; %s simulated in %.2f s, %.1f M packet-hops/s\n", scn_arbitration(&o->s), time.s,
           o->seconds, (double)o->totals.n_hops / o->seconds / 1e6);
    if (o->is_stopped) {
        struct weir_text now = { 0 };
        weir_text_add(&now, "%T", sim_now(o->sim));
        printf("stopped at %s: what follows is what became of it until then\n", now.s);
    }
    const char *warnings[MAX_WARNINGS];
    size_t n_warnings = outcome_warnings(o, warnings, MAX_WARNINGS);
    for (size_t i = 0; i < n_warnings; i++) {
        printf("warning: %s\n", warnings[i]);
    }
    show_flows(o);
    show_queues(o);
    show_deadlock(o);
    show_watchdog(o);
    printf("collapsed      %zu flows\n", o->n_collapsed);
    printf("dropped        %llu packets", (unsigned long long)o->totals.n_dropped);
    if (o->totals.n_discarded) {
        printf(", %llu of them by the watchdog", (unsigned long long)o->totals.n_discarded);
    }
    if (o->totals.n_lost) {
        printf(", %llu lost on the wire", (unsigned long long)o->totals.n_lost);
    }
    if (o->totals.n_unroutable) {
        printf(", %llu without a route", (unsigned long long)o->totals.n_unroutable);
    }
    if (o->totals.n_expired) {
        printf(", %llu expired", (unsigned long long)o->totals.n_expired);
    }
    printf("\n");
    show_feedback(o);
    show_parameters(o);
    if (c) {
        show_capture(c);
    }
    for (size_t i = 0; i < o->n_violations; i++) {
        printf("VIOLATION      %s\n", o->violations[i].what);
    }
}

/* For programs. */

static void
json_deadlock(const struct outcome *o)
{
    const struct sim_deadlock *d = &o->deadlock;
    char room[SCN_NAME_BYTES];

    printf(" \"deadlock\": {\"found\": %s, \"at_s\": ", d->found ? "true" : "false");
    printf(d->found ? "%.9f" : "null", (double)d->formed_ps / 1e12);
    printf(", \"cycle\": [");
    for (uint32_t i = 0; i < d->n_cycle; i++) {
        printf("%s\"%s\"", i ? ", " : "", node_name(o, d->cycle[i]));
    }
    printf("], \"flows\": [");
    for (uint32_t i = 0; i < d->n_flows; i++) {
        printf("%s", i ? ", " : "");
        cli_json_string(scn_flow_name(&o->s, d->flows[i], room));
    }
    printf("], \"broken_s\": ");
    printf(d->broken_ps ? "%.9f" : "null", (double)d->broken_ps / 1e12);
    printf(", \"formed\": %u, \"stands\": %s}", d->n_formed, d->stands ? "true" : "false");
}

static void
json_watchdog(const struct outcome *o)
{
    struct stormy *queues;
    size_t n = list_storms(o, &queues);

    printf(" \"watchdog\": {\"action\": \"%s\", \"storms\": %llu, \"restored\": %llu, "
           "\"drops\": %llu, \"queues\": [",
           scn_watchdog(&o->s), (unsigned long long)o->totals.n_storms,
           (unsigned long long)o->totals.n_restored, (unsigned long long)o->totals.n_discarded);
    for (size_t i = 0; i < n && i < MAX_ROWS; i++) {
        const struct stormy *q = &queues[i];
        printf("%s\n  {\"node\": \"%s\", \"to\": \"%s\", \"class\": %u, \"storms\": %llu, "
               "\"restored\": %llu, \"drops\": %llu}",
               i ? "," : "", node_name(o, q->port), node_name(o, o->s.topo.ports[q->port].peer),
               q->cls, (unsigned long long)q->storms.n_storms,
               (unsigned long long)q->storms.n_restored, (unsigned long long)q->storms.n_dropped);
    }
    printf("]}");
    free(queues);
}

static void
json_flow(const struct outcome *o, uint32_t i)
{
    struct sim_flow_result r = sim_flow_result(o->sim, i);
    double slowdown = outcome_flow_slowdown(o, i);
    char room[SCN_NAME_BYTES];

    printf("%s\n  {\"name\": ", i ? "," : "");
    cli_json_string(scn_flow_name(&o->s, i, room));
    printf(", \"received_bytes\": %llu, \"sent_bytes\": %llu, \"goodput_bps\": %llu, "
           "\"late_goodput_bps\": %llu",
           (unsigned long long)r.received_bytes, (unsigned long long)r.sent_bytes,
           (unsigned long long)outcome_flow_bps(o, i),
           (unsigned long long)sim_flow_late_bps(o->sim, i));
    if (slowdown > 0) {
        printf(", \"fct_s\": %.12f, \"slowdown\": %.4f", (double)(r.last_ps - r.started_ps) / 1e12,
               slowdown);
    }
    printf("}");
}

static void
json_queues(const struct outcome *o)
{
    struct queue *queues;
    size_t n = list_queues(o, &queues);

    for (size_t i = 0; i < n; i++) {
        const struct queue *q = &queues[i];
        printf("%s\n  {\"node\": \"%s\", \"from\": \"%s\", \"class\": %u, ", i ? "," : "",
               node_name(o, q->port), node_name(o, o->s.topo.ports[q->port].peer), q->cls);
        printf("\"peak_bytes\": %llu, \"bytes\": %llu, \"n_pauses\": %llu, \"paused_s\": %.12f}",
               (unsigned long long)q->peak_bytes, (unsigned long long)q->bytes,
               (unsigned long long)q->gate.n_pauses, (double)q->gate.paused_ps / 1e12);
    }
    free(queues);
}

static void
json_parameters(const struct outcome *o)
{
    struct weir_stack stack = sim_stack(o->sim, 0);

    for (uint32_t i = 0; i < stack.n; i++) {
        printf("%s\"%s\": {", i ? ", " : "", stack.layers[i].engine->about.name);
        for (const struct weir_field *f = stack.layers[i].engine->about.params; f->name; f++) {
            struct weir_text value = { 0 };
            weir_text_add(&value, "%F", f, weir_field_get(f, stack.layers[i].params));
            printf("\"%s\": \"%s\"%s", f->name, value.s, f[1].name ? ", " : "");
        }
        printf("}");
    }
}

static void
json_warnings(const struct outcome *o)
{
    const char *warnings[MAX_WARNINGS];
    size_t n = outcome_warnings(o, warnings, MAX_WARNINGS);

    for (size_t i = 0; i < n; i++) {
        printf("%s", i ? ", " : "");
        cli_json_string(warnings[i]);
    }
}

static void
show_json(const struct outcome *o, const struct capture *c)
{
    uint64_t of_bps, feedback = outcome_feedback_bps(o, &of_bps);

    printf("{\"name\": ");
    cli_json_string(o->s.name);
    printf(", \"status\": \"%s\", \"arbitration\": \"%s\", \"seed\": %llu, \"time_s\": %.9f, "
           "\"hash\": \"%016llx\",\n",
           o->is_stopped ? "stopped" : "complete", scn_arbitration(&o->s),
           (unsigned long long)o->s.run.seed, (double)sim_now(o->sim) / 1e12,
           (unsigned long long)o->totals.hash);
    json_deadlock(o);
    printf(",\n");
    json_watchdog(o);
    printf(",\n \"flows\": [");
    for (uint32_t i = 0; i < o->s.n_flows; i++) {
        json_flow(o, i);
    }
    printf("],\n \"queues\": [");
    json_queues(o);
    printf("],\n \"parameters\": {");
    json_parameters(o);
    printf(
        "},\n \"feedback_bps\": %llu, \"collapsed_flows\": %zu, \"drops\": %llu, \"lost\": %llu, "
        "\"expired\": %llu, \"violations\": [",
        (unsigned long long)feedback, o->n_collapsed, (unsigned long long)o->totals.n_dropped,
        (unsigned long long)o->totals.n_lost, (unsigned long long)o->totals.n_expired);
    for (size_t i = 0; i < o->n_violations; i++) {
        printf("%s", i ? ", " : "");
        cli_json_string(o->violations[i].what);
    }
    printf("], \"warnings\": [");
    json_warnings(o);
    printf("]");
    if (c) {
        printf(", \"captured\": %llu", (unsigned long long)c->n_packets);
    }
    printf("}\n");
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
        show_json(&out, o.job.capture);
    } else {
        show_text(&out, o.job.capture);
    }
    outcome_free(&out);
    return code;
}
