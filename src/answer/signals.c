/* What flow and congestion control say in a run, counted. */

#include "answer/signals.h"

#include <string.h>

const struct signal_about signals[N_SIGNALS] = {
    [SIGNAL_PFC_PAUSES] = { "PFC pause", "PFC pauses", "port", "n_pfc_pauses" },
    [SIGNAL_FAFC_PAUSES] = { "FAFC pause", "FAFC pauses", "port", "n_fafc_pauses" },
    [SIGNAL_LINK_WAITS] = { "link start wait", "link start waits", "port", "n_link_start_waits" },
    [SIGNAL_RATES] = { "rate change", "rate changes", "port", "n_rates" },
    [SIGNAL_MARKS] = { "ECN mark", "ECN marks", "port", "n_marked" },
    [SIGNAL_CNPS] = { "CNP", "CNPs", "flow", "n_cnps" },
};

#define COUNT(ID) (offsetof(struct signal_counts, n) + (ID) * sizeof(uint64_t))

const struct column signal_columns[N_SIGNALS] = {
    [SIGNAL_PFC_PAUSES] = { "pfc_pauses", COLUMN_COUNT, .offset = COUNT(SIGNAL_PFC_PAUSES) },
    [SIGNAL_FAFC_PAUSES] = { "fafc_pauses", COLUMN_COUNT, .offset = COUNT(SIGNAL_FAFC_PAUSES) },
    [SIGNAL_LINK_WAITS] = { "link_start_waits", COLUMN_COUNT, .offset = COUNT(SIGNAL_LINK_WAITS) },
    [SIGNAL_RATES] = { "rate_changes", COLUMN_COUNT, .offset = COUNT(SIGNAL_RATES) },
    [SIGNAL_MARKS] = { "marks", COLUMN_COUNT, .offset = COUNT(SIGNAL_MARKS) },
    [SIGNAL_CNPS] = { "cnps", COLUMN_COUNT, .offset = COUNT(SIGNAL_CNPS) },
};

struct signal_counts
signals_none(void)
{
    struct signal_counts s;

    for (enum signal_id i = 0; i < N_SIGNALS; i++) {
        s.n[i] = COLUMN_NO_COUNT;
    }
    return s;
}

void
signals_add_counter(struct signal_counts *s, const char *object, const char *name, uint64_t value)
{
    for (enum signal_id i = 0; i < N_SIGNALS; i++) {
        if (!strcmp(object, signals[i].object) && !strcmp(name, signals[i].counter)) {
            s->n[i] = value + (s->n[i] == COLUMN_NO_COUNT ? 0 : s->n[i]);
        }
    }
}
