/* `weir report`: the result of each run, for people and for programs. */

#ifndef CLI_REPORT_SHOW_H
#define CLI_REPORT_SHOW_H

#include "base/json.h"
#include "report/fct-of-file.h"
#include "report/runs.h"

/* A run, with its flow completion times and its first deadlock. */
struct report_shown {
    const char *file;
    bool is_one_of_several; /* With several files, the text names the file, too. */
    const struct rep_listed *run;
    const struct rep_fct *completions;
    const struct rec_event *deadlock; /* Null: there was none. */
};

/* Shows a run; if it is the only one, with its worst flows. */
void report_show_text(const struct report_shown *, bool is_only);

/* Writes a run as an item of a list. */
void report_show_json(struct json *, const struct report_shown *);

/* Write a line of column names, and the lines of each run. */
void report_show_csv_names(void);
void report_show_csv(const struct report_shown *);

#endif
