/* Sums a run of a sweep up. */

#include "run/summary.h"

#include <stdio.h>

#include "run/short-workloads.h"

const char *const summary_names[] = { [SUMMARY_COMPLETE] = "complete",
                                      [SUMMARY_STOPPED] = "stopped",
                                      [SUMMARY_SKIPPED] = "skipped",
                                      [SUMMARY_REFUSED] = "refused",
                                      [SUMMARY_FAILED] = "failed" };

void
summary_clear(struct summary *summary, enum summary_status status)
{
    *summary = (struct summary){ .status = status, .wall_s = -1 };
    collect_nothing(&summary->collected);
    for (size_t i = 0; i < SCN_MAX_MEASURES; i++) {
        summary->own[i] = -1;
    }
}

void
summary_fill(struct summary *summary, const struct outcome *o, struct intervals *intervals)
{
    struct weir_text warning = { 0 };

    summary_clear(summary, o->is_stopped ? SUMMARY_STOPPED : SUMMARY_COMPLETE);
    summary->wall_s = o->seconds;
    summary->collected = *o->collected;
    measures_sum_up(&intervals->own, o, summary->own);
    short_workloads_warn(o, &warning);
    snprintf(summary->warning, sizeof summary->warning, "%.*s", (int)sizeof summary->warning - 1,
             warning.s);
}
