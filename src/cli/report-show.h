/* `weir report`: what each run came to, for people and for programs. */

#ifndef CLI_REPORT_SHOW_H
#define CLI_REPORT_SHOW_H

#include "base/json.h"
#include "report/runs.h"
#include "report/totals.h"

void report_show_text(const struct rep_listed *, const struct rep_totals *);

/* An item of a list. */
void report_show_json(struct json *, const char *file, const struct rep_listed *,
                      const struct rep_totals *);

#endif
