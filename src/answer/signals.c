/* Counts of flow and congestion control signals in a run. */

#include "answer/signals.h"

const struct signal_about signals[N_SIGNALS] = {
    [SIGNAL_PFC_PAUSES] = { "PFC pauses", "n_pfc_pauses" },
    [SIGNAL_FAFC_PAUSES] = { "FAFC pauses", "n_fafc_pauses" },
    [SIGNAL_LINK_WAITS] = { "link start waits", "n_link_start_waits" },
    [SIGNAL_RATES] = { "rate changes", "n_rate_changes" },
    [SIGNAL_MARKS] = { "ECN marks", "n_marked" },
    [SIGNAL_CNPS] = { "CNPs", "n_cnps" },
};

#define COUNT(ID) (offsetof(struct signal_counts, n) + (ID) * sizeof(uint64_t))

const struct column signal_columns[N_SIGNALS] = {
    [SIGNAL_PFC_PAUSES] = { "n_pfc_pauses", COLUMN_COUNT, .offset = COUNT(SIGNAL_PFC_PAUSES) },
    [SIGNAL_FAFC_PAUSES] = { "n_fafc_pauses", COLUMN_COUNT, .offset = COUNT(SIGNAL_FAFC_PAUSES) },
    [SIGNAL_LINK_WAITS] = { "n_link_start_waits", COLUMN_COUNT,
                            .offset = COUNT(SIGNAL_LINK_WAITS) },
    [SIGNAL_RATES] = { "n_rate_changes", COLUMN_COUNT, .offset = COUNT(SIGNAL_RATES) },
    [SIGNAL_MARKS] = { "n_marked", COLUMN_COUNT, .offset = COUNT(SIGNAL_MARKS) },
    [SIGNAL_CNPS] = { "n_cnps", COLUMN_COUNT, .offset = COUNT(SIGNAL_CNPS) },
};
