/* Signals: what flow and congestion control say in a run, counted: pauses, changes of rates, ECN
 * marks, CNPs.
 *
 * Which of them a run can have depends on its engines and transports.  Those that it cannot have
 * are not known: shown to nobody, null in JSON, NULL in summaries. */

#ifndef ANSWER_SIGNALS_H
#define ANSWER_SIGNALS_H

#include "answer/columns.h"

enum signal_id { SIGNAL_PAUSES, SIGNAL_RATES, SIGNAL_MARKS, SIGNAL_CNPS, N_SIGNALS };

struct signal_about {
    const char *counts;           /* Behind a number: "times a port was told to pause a class". */
    const char *one, *many;       /* The same in short: "pause", "pauses". */
    const char *object, *counter; /* The counters of a results file that add up to it. */
};

extern const struct signal_about signals[N_SIGNALS];

struct signal_counts {
    uint64_t n[N_SIGNALS]; /* COLUMN_NO_COUNT: there cannot be any. */
};

/* "pauses", "rate_changes", "marks", "cnps": of a struct signal_counts. */
extern const struct column signal_columns[N_SIGNALS];

/* None that there can be, to begin with; and a counter of a results file more. */
struct signal_counts signals_none(void);
void signals_add_counter(struct signal_counts *, const char *object, const char *name,
                         uint64_t value);

#endif
