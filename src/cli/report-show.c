/* Shows the results of a report's runs. */

#include "cli/report-show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/show-completion.h"

/* The value of a fact. Unknown facts count as 0, because the text leaves out facts that are 0.
 * Files of other programs may lack any fact. */
static uint64_t
fact_of(const struct run_facts *f, size_t fact)
{
    uint64_t n;

    return column_whole(&run_facts[fact], f, &n) ? n : 0;
}

static void
show_retransmitted(const struct run_facts *f)
{
    struct weir_text text = { 0 };

    if (fact_of(f, FACT_retransmitted_bytes)) {
        weir_text_add(&text, "; %b retransmitted", f->retransmitted_bytes);
    }
    printf("%s", text.s);
}

/* Shows flows: "; 256 of 256 measured flows finished, 15 more started in the warm-up". */
static void
show_flows(const struct run_facts *f)
{
    uint64_t n_finite = fact_of(f, FACT_n_finite);
    bool has_ranks = fact_of(f, FACT_n_ranks) > 0;
    bool is_first = n_finite == 0 && (f->n_flows > 0 || has_ranks);

    if (!is_first) {
        printf("; %" PRIu64 " of %" PRIu64 " %sflow%s finished", fact_of(f, FACT_n_finished),
               n_finite, fact_of(f, FACT_n_warm_up) ? "measured " : "", value_plural(n_finite));
    }
    for (size_t i = FACT_n_warm_up; i <= FACT_n_not_started; i++) {
        uint64_t n = run_facts[i].words ? fact_of(f, i) : 0;
        if (n) {
            printf("%s %" PRIu64 " %s%s %s", is_first ? ";" : ",", n, is_first ? "flow" : "more",
                   is_first ? value_plural(n) : "", run_facts[i].words);
            is_first = false;
        }
    }
}

static void
show_losses(const struct run_facts *f)
{
    bool has_lost = false;

    for (size_t i = FACT_n_dropped_buffer; i <= FACT_n_lost; i++) {
        uint64_t n = run_facts[i].words ? fact_of(f, i) : 0;
        if (n) {
            printf("; %" PRIu64 " packet%s%s %s", n, value_plural(n),
                   i != FACT_n_lost ? ""
                   : n == 1         ? " or frame"
                                    : " and frames",
                   run_facts[i].words);
            has_lost = true;
        }
    }
    if (!has_lost) {
        printf("; nothing dropped");
    }
}

static void
show_silence(const struct run_facts *f)
{
    static const struct {
        size_t fact;
        const char *what, *words;
    } parts[] = { { FACT_n_silent_hosts, "host", "blocked and silent" },
                  { FACT_n_silent_queues, "queue", "blocked" },
                  { FACT_n_silent_flows, "flow", "without progress" } };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        uint64_t n = fact_of(f, parts[i].fact);
        if (n) {
            printf("; %" PRIu64 " %s%s %s at the end", n, parts[i].what, value_plural(n),
                   parts[i].words);
        }
    }
}

static void
show_signals(const struct run_facts *f)
{
    struct weir_text text = { 0 };

    facts_add_signals(&text, f, "; ");
    printf("%s", text.s);
}

static bool
are_known(const struct run_facts *f, size_t first, size_t last)
{
    bool are = true;

    for (size_t i = first; i <= last; i++) {
        are = are && column_is_known(&run_facts[i], f);
    }
    return are;
}

/* Shows known facts: "; peak queues 794 KB at an input, 2.7 MB at an output; paused for 1.2 ms, H1
 * to S1 for 400 us". */
static void
show_backpressure(const struct run_facts *f)
{
    struct weir_text text = { 0 };

    if (are_known(f, FACT_peak_input_queue_bytes, FACT_peak_output_queue_bytes)) {
        weir_text_add(&text, "; peak queues %b at an input, %b at an output",
                      f->peak_input_queue_bytes, f->peak_output_queue_bytes);
    }
    if (are_known(f, FACT_paused_ps, FACT_most_paused_link)) {
        weir_text_add(&text, "; links paused for %t in all, %s for %t", f->paused_ps,
                      f->most_paused_link, f->most_paused_ps);
    }
    printf("%s", text.s);
}

static void
show_messages(const struct run_facts *f)
{
    if (are_known(f, FACT_n_messages_sent, FACT_n_messages_received)) {
        printf("; %" PRIu64 " message%s about congestion, %" PRIu64 " received", f->n_messages_sent,
               value_plural(f->n_messages_sent), f->n_messages_received);
    }
}

/* Shows the tau of a lab: "; tau up to 14.1 ms (measured), thresholds derived for 245 us". */
static void
show_tau(const struct run_facts *f)
{
    bool is_measured = f->tau_measured_max_ps >= 0;
    weir_ps tau_ps = is_measured ? f->tau_measured_max_ps : f->tau_estimated_max_ps;
    struct weir_text text = { 0 };

    if (tau_ps >= 0 && f->tau_derived_ps >= 0) {
        weir_text_add(&text, "; tau up to %t (%s), thresholds derived for %t", tau_ps,
                      is_measured ? "measured" : "estimated", f->tau_derived_ps);
    }
    printf("%s", text.s);
}

/* Shows a deadlock, such as "DEADLOCK at 229 us in S1 S2 S3; ". */
static void
show_deadlock(const struct rec_event *deadlock)
{
    struct weir_text at = { 0 };

    if (deadlock) {
        value_add_time(&at, deadlock->at_ps);
        printf("DEADLOCK at %s in %s; ", at.s, deadlock->text ? deadlock->text : "?");
    }
}

/* Whether a run has not ended, so that its facts are unknown. */
static bool
is_open(const struct rec_run *run)
{
    return run->facts.n_flows == COLUMN_NO_COUNT;
}

static void
show_line(const struct report_shown *r)
{
    const struct rep_listed *run = r->run;
    const struct run_facts *f = &run->row->facts;
    struct weir_text until = { 0 };

    if (f->until_ps >= 0) {
        weir_text_add(&until, " at %t", f->until_ps);
    }
    printf("  %s%srun %" PRIu64 ", %s: ", r->is_one_of_several ? r->file : "",
           r->is_one_of_several ? " " : "", run->row->id, run->name);
    show_deadlock(r->deadlock);
    printf("%s%s", run->row->status, until.s);
    if (is_open(run->row)) {
        printf("; the results of its flows are unknown: %s\n",
               strcmp(run->row->status, "running") ? "it did not finish"
                                                   : "the run goes on or was killed");
        return;
    }
    show_flows(f);
    show_retransmitted(f);
    show_losses(f);
    show_silence(f);
    show_signals(f);
    show_backpressure(f);
    show_messages(f);
    show_tau(f);
    printf("\n");
}

void
report_show_text(const struct report_shown *r, bool is_only)
{
    const struct completion_table *c = &r->completions->table;

    show_line(r);
    show_jobs(c);
    if (!c->rows[0].facts.n_flows) {
        return;
    }
    printf("\n");
    show_completion(c, is_only || c->are_given);
    printf("\n");
    if (is_only) {
        show_worst(c);
    }
}

/* Writes the names of the switches in a cycle as a list. Names have no blanks. */
static void
write_cycle(struct json *j, const char *names)
{
    json_open(j, "cycle", '[');
    for (const char *at = names ? names : ""; *at; at += strspn(at, " ")) {
        size_t len = strcspn(at, " ");
        char *name = text_repaired(at, len);
        json_text(j, NULL, name);
        free(name);
        at += len;
    }
    json_close(j, ']');
}

void
report_show_json(struct json *j, const struct report_shown *r)
{
    const struct rec_run *row = r->run->row;

    json_open(j, NULL, '{');
    json_text(j, "file", r->file);
    json_number(j, "run", row->id);
    json_text(j, "label", r->run->name);
    json_text(j, "name", row->name);
    json_text(j, "engines", row->engines);
    json_text(j, "arbitration", row->arbitration);
    json_text(j, "host", row->host);
    json_number(j, "seed", row->seed);
    json_text(j, "status", row->status);
    columns_write_json(j, run_facts, N_RUN_FACTS, &row->facts);
    write_cycle(j, r->deadlock ? r->deadlock->text : NULL);
    if (!is_open(row)) {
        completion_table_write(j, &r->completions->table);
    }
    json_close(j, '}');
}

enum { N_FRONT = 3 };

void
report_show_csv_names(void)
{
    static const char *const front[N_FRONT] = { "file", "run", "label" };

    completion_table_write_names(stdout, front, N_FRONT);
}

void
report_show_csv(const struct report_shown *r)
{
    char run[24];

    if (is_open(r->run->row)) {
        cli_fail(EXIT_GOOD,
                 "report: run %" PRIu64
                 " of %s has no rows: completion times are not known before its end",
                 r->run->row->id, r->file);
        return;
    }
    const char *const front[N_FRONT] = { r->file, run, r->run->name };

    snprintf(run, sizeof run, "%" PRIu64, r->run->row->id);
    completion_table_write_csv(stdout, front, N_FRONT, &r->completions->table);
}
