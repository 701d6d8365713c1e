/* The link with the highest utilization over a whole run, and the link paused the longest: a
 * summary of a run without problems.  Both are known when the run has ended. */

#ifndef REPORT_HOTSPOTS_H
#define REPORT_HOTSPOTS_H

#include "base/json.h"
#include "record/rows.h"

struct rep_hotspots {
    uint32_t sending; /* The port that used the highest share of its rate; or REC_NO_ID. */
    double sent_share;
    uint32_t paused, paused_class; /* The port and class paused longest; REC_NO_ID: none was. */
    /* The numbers of its pauses by PFC and by FAFC; REC_NONE: the run has no such counter. */
    uint64_t n_pauses[2];
    double paused_share; /* The share of the run's time for which it was paused. */
    uint32_t n_paused;   /* The number of ports that were ever paused. */
};

struct rep_hotspots rep_find_hotspots(const struct rec_rows *ports, const struct rec_rows *counters,
                                      weir_ps until_ps);

/* Writes the hotspots as an object at a key; unknown parts are left out:
 *
 *     {"link": {"port": 4, "share": 0.93},
 *      "paused": {"port": 5, "class": 0, "n_pfc_pauses": 61, "n_fafc_pauses": null, "share": 0.4,
 *                 "n_ports": 3}} */
void rep_hotspots_write(struct json *, const char *key, const struct rep_hotspots *);

#endif
