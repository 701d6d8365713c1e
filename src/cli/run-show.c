/* Shows the result of a run as text for users. */

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/run.h"
#include "cli/show-completion.h"
#include "cli/wrapped.h"
#include "output/value.h"
#include "run/collect.h"
#include "run/warnings.h"

const char *
run_text(struct weir_text *t, const char *format, uint64_t value)
{
    *t = (struct weir_text){ 0 };
    weir_text_add(t, format, value);
    return t->s;
}

/* Shows completion times. Sizes and the worst flows are shown if not all flows are listed, or on
 * request. */
static void
show_completions(const struct outcome *o, const struct completion_table *c)
{
    bool has_more = o->s.n_flows > RUN_MAX_ROWS;

    if (c->rows[0].facts.n_flows) {
        printf("\n");
        show_completion(c, c->are_given || has_more);
    }
    show_jobs(c);
    if (c->n_worst && has_more) {
        printf("\n");
        show_worst(c);
    }
}

/* Shows the reason for which each queue waits for the next, unless the names of the nodes
 * imply it. */
static void
show_ring(const struct outcome *o, const struct sim_deadlock *d)
{
    static const char *const words[] = {
        [SIM_WAITS_FOR_PACKETS] = ": waits for packets that %s has for ",
        [SIM_WAITS_FOR_PIPELINE] = ": the pipeline of %s is stopped for ",
        [SIM_WAITS_FOR_OUTPUT] = ": %s blocks it, as too much waits for ",
    };
    struct weir_text at;
    bool is_plain = true;

    for (uint32_t i = 0; i < d->n_cycle; i++) {
        is_plain &= !d->cycle[i].wait && d->cycle[i].cls == d->cycle[0].cls;
    }
    for (uint32_t i = 0; i < d->n_cycle && !is_plain; i++) {
        const struct sim_stuck *next = &d->cycle[(i + 1) % d->n_cycle];
        printf("               %s", run_place_text(&at, o, d->cycle[i].port, d->cycle[i].cls));
        printf(words[next->wait], run_node_name(o, next->port));
        printf("%s\n", run_place_text(&at, o, next->port, next->cls));
    }
}

static void
show_deadlock(const struct outcome *o)
{
    const struct sim_deadlock *d = &o->deadlock;
    struct weir_text at = { 0 };
    char room[SCN_NAME_BYTES], port[TOPO_PORT_BYTES];

    if (!d->found) {
        printf("\ndeadlock       none\n");
        return;
    }
    value_add_time(&at, d->formed_ps);
    printf("\nDEADLOCK       since %s: ", at.s);
    for (uint32_t i = 0; i < d->n_cycle; i++) {
        printf("%s waits for ", topo_port_text(&o->s.topo, d->cycle[i].port, port));
    }
    printf("%s\n", topo_port_text(&o->s.topo, d->cycle[0].port, port));
    show_ring(o, d);
    printf("               flows in it:");
    for (uint32_t i = 0; i < d->n_flows && i < 8; i++) {
        printf(" %s", scn_flow_name(&o->s, d->flows[i], room));
    }
    printf("\n");
    if (d->broken_ps) {
        struct weir_text broken;
        printf("               broken by the watchdog at %s; formed %u time%s, %s at the end\n",
               run_text(&broken, "%t", (uint64_t)d->broken_ps), d->n_formed,
               value_plural(d->n_formed), d->stands ? "still there" : "gone");
    }
}

static void
show_feedback(const struct run_facts *f)
{
    struct weir_text bps;
    char share[VALUE_BYTES];

    value_write("share", f->feedback_share, share, sizeof share);
    printf("feedback       %s of control frames, %s of total link capacity\n",
           run_text(&bps, "%r", f->feedback_bps), share);
}

static void
show_signals(const struct run_facts *f)
{
    struct weir_text text = { 0 };

    facts_add_signals(&text, f, "signals        ");
    printf("%s%s", text.s, text.len ? "\n" : "");
}

static void
show_messages(const struct run_facts *f)
{
    if (f->n_messages_sent != COLUMN_NO_COUNT) {
        printf("messages       to senders of flows: %llu sent, %llu arrived, %llu had no route\n",
               (unsigned long long)f->n_messages_sent, (unsigned long long)f->n_messages_received,
               (unsigned long long)f->n_messages_dropped);
    }
}

static void
show_capture(const struct capture *c)
{
    printf("captured       %llu packets and frames at %u port%s", (unsigned long long)c->n_packets,
           c->n_ports, value_plural(c->n_ports));
    if (c->n_left_out) {
        printf(", the first of %llu", (unsigned long long)(c->n_packets + c->n_left_out));
    }
    printf(": %s\n", c->path);
}

static void
show_head(const struct outcome *o)
{
    struct weir_text time = { 0 }, now = { 0 }, engines = { 0 }, arbitrations = { 0 };
    uint32_t n_switches = o->s.topo.n_switches, n_hosts = o->s.topo.n_nics;

    value_add_time(&time, sim_now(o->sim));
    printf("%s: %u switch%s, %u host%s;", o->s.name, n_switches, n_switches == 1 ? "" : "es",
           n_hosts, value_plural(n_hosts));
    model_list_engines(sim_model(o->sim), &engines);
    model_list_arbitrations(sim_model(o->sim), &arbitrations);
    printf(" %s, %s; ", engines.s, arbitrations.s);
    if (strcmp(o->host, "simulator")) {
        printf("%s in a %s, %llu packet-hops\n", time.s, o->host,
               (unsigned long long)o->totals.n_hops);
    } else {
        printf("%s simulated in %.2f s, %.1f million packet-hops per second\n", time.s, o->seconds,
               (double)o->totals.n_hops / o->seconds / 1e6);
    }
    if (o->is_stopped) {
        weir_text_add(&now, "%t", sim_now(o->sim));
        printf("stopped at %s, before its end: what follows is the state at that time\n", now.s);
    }
}

static void
show_warnings(FILE *out, const struct outcome *o)
{
    struct weir_text warnings[WARNINGS_MAX];
    size_t n = warnings_list(o, warnings);

    for (size_t i = 0; i < n; i++) {
        fprintf(out, "warning: %s\n", warnings[i].s);
    }
}

static void
show_drops(const struct run_facts *f)
{
    const struct {
        uint64_t n;
        const char *what;
    } parts[] = { { f->n_dropped_output, "of them at outputs without room" },
                  { f->n_dropped_memory, "of them for lack of memory" },
                  { f->n_dropped_watchdog, "of them by the watchdog" },
                  { f->n_flushed, "flushed at ports whose link was down" },
                  { f->n_lost, "packets and frames lost on the wire" },
                  { f->n_no_route, "had no route" },
                  { f->n_expired, "expired" } };

    printf("dropped        %llu packet%s", (unsigned long long)f->n_dropped,
           value_plural(f->n_dropped));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].n) {
            printf(", %llu %s", (unsigned long long)parts[i].n, parts[i].what);
        }
    }
    printf("\n");
}

static void
show_retransmitted(const struct run_facts *f, const struct completion_table *c)
{
    struct weir_text again, sent;

    if (!f->retransmitted_bytes) {
        return;
    }
    printf("retransmitted  %s of %s that were sent", run_text(&again, "%b", f->retransmitted_bytes),
           run_text(&sent, "%b", f->sent_bytes));
    for (size_t i = 1; i < c->n_workloads; i++) {
        printf("%s %s of %s", i == 1 ? "; measured flows:" : ",",
               run_text(&again, "%b", c->rows[i].facts.retransmitted_bytes), c->rows[i].name);
    }
    printf("\n");
}

/* Shows reordered packets. They are not a violation: packets on different paths overtake each
 * other. */
static void
show_order(const struct run_facts *f)
{
    if (f->n_out_of_order) {
        printf("out of order   %llu packets of raw flows arrived after packets sent later\n",
               (unsigned long long)f->n_out_of_order);
    }
}

static void
show_starved(const struct outcome *o)
{
    size_t n_slow = o->n_collapsed - o->n_silent;
    bool shows_slow = n_slow || !o->n_deadlocked;

    printf("collapsed      ");
    if (shows_slow) {
        printf("%zu flow%s got less than a tenth of %s fair share", n_slow, value_plural(n_slow),
               n_slow == 1 ? "its" : "their");
    }
    if (o->n_deadlocked) {
        printf("%s%zu flow%s got nothing, because of the deadlock", shows_slow ? "; " : "",
               o->n_deadlocked, value_plural(o->n_deadlocked));
    }
    printf("\n");
}

static void
show_text(const struct outcome *o, const struct run_facts *f,
          const struct completion_table *completion, const struct run_show_how *how)
{
    struct weir_text verdict;

    enum line_level level = run_write_verdict(o, &verdict);
    line_style_judge(verdict.s, level);
    printf("%s\n\n", verdict.s);
    show_head(o);
    show_warnings(stdout, o);
    run_show_flows(o, how->lists_flows);
    show_completions(o, completion);
    run_show_queues(o);
    show_deadlock(o);
    run_show_stalls(o);
    run_show_watchdog(o);
    show_starved(o);
    run_show_silence(o);
    show_drops(f);
    if (o->tau.len) {
        printf("tau            %s\n", o->tau.s);
    }
    show_retransmitted(f, completion);
    show_order(f);
    show_feedback(f);
    show_signals(f);
    run_show_backpressure(o, f);
    show_messages(f);
    run_show_parameters(o);
    if (how->capture) {
        show_capture(how->capture);
    }
    for (size_t i = 0; i < o->n_violations; i++) {
        printf("VIOLATION      %s\n", o->violations[i].what);
    }
}

void
run_show(const struct outcome *o, const struct run_show_how *how)
{
    const struct show_sizes *sizes = how->sizes;
    struct collected_fct fct;

    collect_fct(&fct, o, sizes ? sizes->edges : NULL, sizes ? sizes->n : 0);
    if (how->form == CLI_JSON) {
        run_show_json(o, &o->collected->facts, &fct.table, how->capture);
    } else if (how->form == CLI_CSV) {
        show_warnings(stderr, o);
        completion_table_write_names(stdout, NULL, 0);
        completion_table_write_csv(stdout, NULL, 0, &fct.table);
    } else {
        struct wrapped wrapped;
        wrapped_begin(&wrapped, true);
        show_text(o, &o->collected->facts, &fct.table, how);
        wrapped_end(&wrapped);
    }
    completion_table_free(&fct.table);
}
