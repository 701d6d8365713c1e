/* What the runs of a report came to. */

#include "cli/report-show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/show-completion.h"

static void
show_again(uint64_t bytes)
{
    struct weir_text again = { 0 };

    if (bytes) {
        weir_text_add(&again, "; %B sent again", bytes);
    }
    printf("%s", again.s);
}

/* "; 256 of 256 measured flows finished, 15 more started in the warm-up" */
static void
show_flows(const struct rep_totals *t)
{
    bool is_first = t->n_measured == 0 && t->n_flows > 0;

    if (!is_first) {
        printf("; %" PRIu64 " of %" PRIu64 " %sflow%s finished", t->n_finished, t->n_measured,
               t->n_aside[REP_WARM_UP] ? "measured " : "", t->n_measured == 1 ? "" : "s");
    }
    for (enum rep_aside why = 0; why < REP_N_ASIDES; why++) {
        uint64_t n = t->n_aside[why];
        if (n) {
            printf("%s %" PRIu64 " %s %s", is_first ? ";" : ",", n,
                   !is_first ? "more"
                   : n == 1  ? "flow"
                             : "flows",
                   rep_aside_words(why));
            is_first = false;
        }
    }
}

static void
show_gone(const struct rep_totals *t)
{
    uint64_t n = 0;

    for (enum rep_cause cause = 0; cause < REP_N_CAUSES; cause++) {
        if (t->n_gone[cause]) {
            printf("; %" PRIu64 " packet%s %s", t->n_gone[cause], t->n_gone[cause] == 1 ? "" : "s",
                   rep_cause_words(cause));
        }
        n += t->n_gone[cause];
    }
    if (!n) {
        printf("; nothing dropped");
    }
}

static void
show_silence(const struct rep_totals *t)
{
    if (t->n_silent_hosts) {
        printf("; %" PRIu64 " host%s blocked and silent at the end", t->n_silent_hosts,
               t->n_silent_hosts == 1 ? "" : "s");
    }
    if (t->n_silent_queues) {
        printf("; %" PRIu64 " queue%s blocked at the end", t->n_silent_queues,
               t->n_silent_queues == 1 ? "" : "s");
    }
    if (t->n_silent_flows) {
        printf("; %" PRIu64 " flow%s without progress at the end", t->n_silent_flows,
               t->n_silent_flows == 1 ? "" : "s");
    }
}

/* "; 12 pauses, 1 ECN mark": those that there can be. */
static void
show_signals(const struct signal_counts *s)
{
    const char *before = ";";

    for (enum signal_id i = 0; i < N_SIGNALS; i++) {
        if (s->n[i] != COLUMN_NO_COUNT) {
            printf("%s %" PRIu64 " %s", before, s->n[i],
                   s->n[i] == 1 ? signals[i].one : signals[i].many);
            before = ",";
        }
    }
}

/* "; peak queues 794KB at an input, 2.7MB at an output; paused for 1.2ms, H1 to S1 for 400us": what
 * there was. */
static void
show_backpressure(const struct backpressure *b)
{
    struct weir_text text = { 0 };

    if (b->peak_input_bytes != COLUMN_NO_COUNT && b->peak_output_bytes != COLUMN_NO_COUNT) {
        weir_text_add(&text, "; peak queues %B at an input, %B at an output",
                      cli_rounded(b->peak_input_bytes), cli_rounded(b->peak_output_bytes));
    }
    if (backpressure_has_link(b)) {
        weir_text_add(&text, "; links paused for %T in all, %s for %T",
                      (weir_ps)cli_rounded((uint64_t)b->paused_ps), b->most_paused_link,
                      (weir_ps)cli_rounded((uint64_t)b->most_paused_ps));
    }
    printf("%s", text.s);
}

static void
show_messages(const struct rep_totals *t)
{
    if (t->has_messages) {
        printf("; %" PRIu64 " message%s about congestion, %" PRIu64 " heard", t->n_messages_sent,
               t->n_messages_sent == 1 ? "" : "s", t->n_messages_heard);
    }
}

/* "; tau up to 14.1ms (measured), thresholds derived for 245us": of a lab. */
static void
show_tau(const struct rep_totals *t)
{
    struct weir_text text = { 0 };

    if (rep_totals_tau(t)->most_ps) {
        weir_text_add(&text, "; tau up to %T (%s), thresholds derived for %T",
                      (weir_ps)cli_rounded(rep_totals_tau(t)->most_ps),
                      t->tau_measured.most_ps ? "measured" : "estimated",
                      (weir_ps)cli_rounded(rep_totals_tau(t)->derived_ps));
    }
    printf("%s", text.s);
}

/* "DEADLOCK at 229us in S1 S2 S3; " */
static void
show_deadlock(const struct rec_event *deadlock)
{
    struct weir_text at = { 0 };

    if (deadlock) {
        weir_text_add(&at, "%T", (weir_ps)cli_rounded((uint64_t)deadlock->at_ps));
        printf("DEADLOCK at %s in %s; ", at.s, deadlock->text ? deadlock->text : "?");
    }
}

static void
show_line(const struct report_shown *r)
{
    const struct rep_listed *run = r->run;
    const struct rep_totals *t = r->totals;
    struct weir_text until = { 0 };

    if (run->row->until_ps >= 0) {
        weir_text_add(&until, " at %T", run->row->until_ps);
    }
    printf("  %s%srun %" PRIu64 ", %s: ", r->is_one_of_several ? r->file : "",
           r->is_one_of_several ? " " : "", run->row->id, run->name);
    show_deadlock(r->deadlock->event);
    printf("%s%s", run->row->status, until.s);
    if (t->is_open) {
        printf("; how its %" PRIu64 " flow%s fared is not known: %s\n", t->n_flows,
               t->n_flows == 1 ? "" : "s",
               strcmp(run->row->status, "running") ? "it did not come to its end"
                                                   : "the run goes on or was killed");
        return;
    }
    show_flows(t);
    show_again(t->again_bytes);
    if (t->is_counted) {
        show_gone(t);
        show_silence(t);
        show_signals(&t->signals);
        show_backpressure(&t->backpressure);
        show_messages(t);
        show_tau(t);
    }
    printf("\n");
}

void
report_show_text(const struct report_shown *r, bool is_only)
{
    const struct completion_table *c = &r->completions->table;

    show_line(r);
    if (!c->rows[0].group.n) {
        return;
    }
    printf("\n");
    show_completion(c, is_only || c->are_given);
    printf("\n");
    if (is_only) {
        show_worst(c);
    }
}

/* Names of switches, which have no blanks. */
static void
write_cycle(struct json *j, const char *names)
{
    json_open(j, "cycle", '[');
    for (const char *at = names ? names : ""; *at; at += strspn(at, " ")) {
        size_t len = strcspn(at, " ");
        char *name = text_mended(at, len);
        json_text(j, NULL, name);
        free(name);
        at += len;
    }
    json_close(j, ']');
}

static void
write_deadlock(struct json *j, const struct rec_event *deadlock)
{
    if (!deadlock) {
        json_null(j, "deadlock");
        return;
    }
    json_open(j, "deadlock", '{');
    json_fixed(j, "at_s", (double)deadlock->at_ps / 1e12, 9);
    write_cycle(j, deadlock->text);
    json_close(j, '}');
}

void
report_show_json(struct json *j, const struct report_shown *r)
{
    const struct rec_run *row = r->run->row;
    char hash[24];

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
    if (row->until_ps >= 0) {
        snprintf(hash, sizeof hash, "%016" PRIx64, row->results_hash);
        json_fixed(j, "time_s", (double)row->until_ps / 1e12, 9);
        json_text(j, "hash", hash);
    }
    write_deadlock(j, r->deadlock->event);
    rep_totals_write(j, "totals", r->totals);
    if (r->totals->is_open) {
        json_null(j, "completion");
    } else {
        rep_fct_write(j, "completion", r->completions);
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

    if (r->totals->is_open) {
        cli_fail(EXIT_GOOD,
                 "report: run %" PRIu64 " of %s has no rows: how its flows fared is not "
                 "known before its end",
                 r->run->row->id, r->file);
        return;
    }
    const char *const front[N_FRONT] = { r->file, run, r->run->name };

    snprintf(run, sizeof run, "%" PRIu64, r->run->row->id);
    completion_table_write_csv(stdout, front, N_FRONT, &r->completions->table);
}
