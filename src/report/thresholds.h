/* Levels of queues at which engines do something, for figures: what they ran with, given or
 * derived.
 */

#ifndef REPORT_THRESHOLDS_H
#define REPORT_THRESHOLDS_H

#include "report/gather.h"
#include "report/plot.h"

enum rep_queues { REP_NO_QUEUES, REP_AT_INPUTS, REP_AT_OUTPUTS };

/* Adds those of the engines at this node's role that go by such queues, in KB. */
void rep_add_thresholds(struct plot *, const struct rep_run *, uint32_t node, enum rep_queues);

#endif
