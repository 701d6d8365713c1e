/* Sums a run up in one row. */

#include "run/summary.h"

#include <stdio.h>
#include <string.h>

#include "run/short-workloads.h"
#include "run/signals.h"

const char *const summary_names[] = { [SUMMARY_COMPLETE] = "complete",
                                      [SUMMARY_STOPPED] = "stopped",
                                      [SUMMARY_SKIPPED] = "skipped",
                                      [SUMMARY_REFUSED] = "refused",
                                      [SUMMARY_FAILED] = "failed" };

struct summary
summary_empty(enum summary_status status)
{
    struct summary empty = { .status = status,
                             .row = { .until_ps = -1,
                                      .deadlock_ps = -1,
                                      .n_flows = REC_NONE,
                                      .n_finished = REC_NONE,
                                      .n_collapsed = REC_NONE,
                                      .n_dropped = REC_NONE,
                                      .n_expired = REC_NONE,
                                      .n_no_route = REC_NONE,
                                      .n_flushed = REC_NONE,
                                      .n_storms = REC_NONE,
                                      .n_restored = REC_NONE,
                                      .n_discarded = REC_NONE,
                                      .sent_bytes = REC_NONE,
                                      .again_bytes = REC_NONE,
                                      .n_pfc_pauses = REC_NONE,
                                      .n_fafc_pauses = REC_NONE,
                                      .n_link_start_waits = REC_NONE,
                                      .n_rates = REC_NONE,
                                      .n_marked = REC_NONE,
                                      .n_cnps = REC_NONE,
                                      .paused_ps = -1,
                                      .most_paused_ps = -1,
                                      .most_paused_class = REC_NONE,
                                      .min_bps = REC_NONE,
                                      .mean_bps = REC_NONE,
                                      .received_bps = REC_NONE,
                                      .host_bps = REC_NONE,
                                      .host_deviation_bps = REC_NONE,
                                      .host_late_bps = REC_NONE,
                                      .silent_share = -1,
                                      .slowdown_mean = -1,
                                      .slowdown_p50 = -1,
                                      .slowdown_p95 = -1,
                                      .slowdown_p99 = -1,
                                      .slowdown_max = -1,
                                      .peak_input_queue_bytes = REC_NONE,
                                      .peak_output_queue_bytes = REC_NONE,
                                      .feedback_bps = REC_NONE,
                                      .feedback_share = -1,
                                      .feedback_p99 = -1,
                                      .feedback_max = -1,
                                      .results_hash = REC_NONE,
                                      .n_hops = REC_NONE,
                                      .wall_s = -1 } };
    for (size_t i = 0; i < SCN_MAX_MEASURES; i++) {
        empty.own[i] = -1;
    }
    return empty;
}

static void
set_slowdowns(struct rec_summary *row, const struct completion *c)
{
    struct completion_spread slowdown;

    completion_of_ended(c, &slowdown);
    row->slowdown_mean = slowdown.mean;
    row->slowdown_p50 = slowdown.p50;
    row->slowdown_p95 = slowdown.p95;
    row->slowdown_p99 = slowdown.p99;
    row->slowdown_max = slowdown.most;
}

static void
add_flows(const struct outcome *o, struct rec_summary *row)
{
    uint64_t received_bytes = 0, sum_bps = 0;

    row->n_flows = 0;
    for (uint32_t i = 0; i < o->s.n_flows; i++) {
        uint64_t bps = outcome_flow_bps(o, i);
        received_bytes += sim_flow_result(o->sim, i).received_bytes;
        if (outcome_flow_is_measured(o, i)) {
            row->n_flows++;
            row->min_bps = bps < row->min_bps ? bps : row->min_bps;
            sum_bps += bps;
        }
    }
    row->mean_bps = row->n_flows ? sum_bps / row->n_flows : REC_NONE;
    if (row->until_ps > 0) {
        row->received_bps =
            weir_mul_div(received_bytes, 8 * (uint64_t)WEIR_PS_PER_S, (uint64_t)row->until_ps);
    }
}

/* Of flows that have a size; and the study's own measures, some of which are of these. */
static void
add_completion(const struct outcome *o, struct intervals *intervals, struct summary *summary)
{
    struct completion c = by_workload_gather(o);

    by_workload_fill(&summary->workloads, o, &c);
    summary->row.n_finished = summary->workloads.rows[0].n_ended;
    set_slowdowns(&summary->row, &c);
    measures_sum_up(&intervals->own, o, &c, summary->own);
    completion_free(&c);
}

static void
add_signals(const struct outcome *o, struct rec_summary *row)
{
    struct signal_counts s = signals_of(o);

    row->n_pfc_pauses = s.n[SIGNAL_PFC_PAUSES];
    row->n_fafc_pauses = s.n[SIGNAL_FAFC_PAUSES];
    row->n_link_start_waits = s.n[SIGNAL_LINK_WAITS];
    row->n_rates = s.n[SIGNAL_RATES];
    row->n_marked = s.n[SIGNAL_MARKS];
    row->n_cnps = s.n[SIGNAL_CNPS];
}

static void
add_backpressure(const struct outcome *o, struct summary *summary)
{
    struct backpressure b = backpressure_of(o);
    struct rec_summary *row = &summary->row;

    row->peak_input_queue_bytes = b.peak_input_bytes;
    row->peak_output_queue_bytes = b.peak_output_bytes;
    row->paused_ps = (weir_ps)b.paused_ps;
    row->most_paused_ps = (weir_ps)b.most_paused_ps;
    row->most_paused_class = b.most_paused_class;
    strcpy(summary->most_paused_link, b.most_paused_link);
}

struct summary
summary_of(const struct outcome *o, struct intervals *intervals)
{
    struct summary summary = summary_empty(o->is_stopped ? SUMMARY_STOPPED : SUMMARY_COMPLETE);
    struct rec_summary *row = &summary.row;
    uint64_t of_bps;

    row->until_ps = sim_now(o->sim);
    row->deadlock_ps = o->deadlock.found ? o->deadlock.formed_ps : -1;
    row->n_collapsed = o->n_collapsed;
    row->n_dropped = o->totals.n_dropped;
    row->n_expired = o->totals.n_expired;
    row->n_no_route = o->totals.n_unroutable;
    row->n_flushed = o->totals.n_flushed;
    row->n_storms = o->totals.n_storms;
    row->n_restored = o->totals.n_restored;
    row->n_discarded = o->totals.n_discarded;
    row->sent_bytes = o->totals.sent_bytes;
    row->again_bytes = o->totals.again_bytes;
    add_signals(o, row);
    add_flows(o, row);
    add_backpressure(o, &summary);
    row->feedback_bps = outcome_feedback_bps(o, &of_bps);
    row->feedback_share = (double)row->feedback_bps / (double)of_bps;
    intervals_fill(intervals, row);
    row->results_hash = o->totals.hash;
    row->n_hops = o->totals.n_hops;
    row->wall_s = o->seconds;
    add_completion(o, intervals, &summary);
    struct weir_text warning = { 0 };
    short_workloads_warn(o, &warning);
    snprintf(summary.warning, sizeof summary.warning, "%.*s", (int)sizeof summary.warning - 1,
             warning.s);
    return summary;
}
