/* Shows the result of each run of a report, as text for users, and as JSON and CSV. */

#ifndef CLI_REPORT_SHOW_H
#define CLI_REPORT_SHOW_H

#include "base/json.h"
#include "report/fct-of-file.h"
#include "report/runs.h"

/* A run, with its flow completion times and its first deadlock. */
struct report_shown {
    const char *file;
    bool is_one_of_several; /* The report has several files, so the text names the file, too. */
    const struct rep_listed *run;
    const struct rep_fct *completions;
    const struct rec_event *deadlock; /* Null: there was no deadlock. */
};

/* Shows a run. If it is the only one, its worst flows are shown, too. */
void report_show_text(const struct report_shown *, bool is_only);

/* Writes a run as an item of a list. */
void report_show_json(struct json *, const struct report_shown *);

/* Write a line of column names, and the lines of each run. */
void report_show_csv_names(void);
void report_show_csv(const struct report_shown *);

#endif
