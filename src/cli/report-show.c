/* What the runs of a report came to. */

#include "cli/report-show.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

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
show_messages(const struct rep_totals *t)
{
    if (t->has_messages) {
        printf("; %" PRIu64 " message%s about congestion, %" PRIu64 " heard", t->n_messages_sent,
               t->n_messages_sent == 1 ? "" : "s", t->n_messages_heard);
    }
}

void
report_show_text(const struct rep_listed *run, const struct rep_totals *t)
{
    struct weir_text until = { 0 };

    if (run->row->until_ps >= 0) {
        weir_text_add(&until, " at %T", run->row->until_ps);
    }
    printf("  run %" PRIu64 ", %s: %s%s", run->row->id, run->name, run->row->status, until.s);
    show_flows(t);
    show_again(t->again_bytes);
    if (t->is_counted) {
        show_gone(t);
        printf("; %" PRIu64 " pause%s", t->n_pauses, t->n_pauses == 1 ? "" : "s");
        show_messages(t);
    }
    printf("\n");
}

void
report_show_json(struct json *j, const char *file, const struct rep_listed *run,
                 const struct rep_totals *t)
{
    char hash[24];

    json_open(j, NULL, '{');
    json_text(j, "file", file);
    json_number(j, "run", run->row->id);
    json_text(j, "label", run->name);
    json_text(j, "name", run->row->name);
    json_text(j, "engines", run->row->engines);
    json_text(j, "arbitration", run->row->arbitration);
    json_number(j, "seed", run->row->seed);
    json_text(j, "status", run->row->status);
    if (run->row->until_ps >= 0) {
        snprintf(hash, sizeof hash, "%016" PRIx64, run->row->results_hash);
        json_fixed(j, "time_s", (double)run->row->until_ps / 1e12, 9);
        json_text(j, "hash", hash);
    }
    rep_totals_write(j, "totals", t);
    json_close(j, '}');
}
