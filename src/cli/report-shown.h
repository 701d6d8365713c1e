/* A sweep in a report: its axes, by name, and the resulting table. */

#ifndef CLI_REPORT_SHOWN_H
#define CLI_REPORT_SHOWN_H

#include "cli/report-sweep.h"
#include "report/chosen.h"
#include "report/sweep-table.h"

struct shown {
    struct rep_sweep sweep;
    struct rep_axes axes;
    struct rep_table table;
};

/* Read a sweep and make its table. The functions return exit codes and print any error. */
int shown_read_sweep(struct rep_sweep *, const struct rep_chosen *, size_t i);
int shown_make(struct shown *, const struct rep_chosen *, size_t i, const struct sweep_ask *);
void shown_free(struct shown *); /* Must be called even if shown_make() failed. */

/* The name of an axis's setting; "" if the table has no such axis. */
static inline const char *
shown_setting(const struct shown *v, size_t setting)
{
    return setting == REP_NO_COLUMN ? "" : v->sweep.settings[setting].name;
}

static inline const char *
shown_value(const struct shown *v, size_t setting, size_t value)
{
    return setting == REP_NO_COLUMN ? "" : v->sweep.settings[setting].values[value];
}

#endif
