/* A study's own measures, taken during a run.
 *
 *     struct measures m;
 *     measures_begin(&m, study, &scenario);
 *     measures_sample(&m, sim, now);                  every so often
 *     measures_sum_up(&m, &outcome, values);          negative: the run does not have it
 *     measures_end(&m);
 *
 * Changes between two samples are not seen, so times are only as exact as the sampling period.
 * Measures of flows that have ended need no samples. */

#ifndef RUN_MEASURES_H
#define RUN_MEASURES_H

#include "run/outcome.h"
#include "scenario/scenario.h"
#include "scenario/study.h"
#include "sim/sim.h"

struct intervals;
struct receivers;

/* Samples of one flow or port between the two times of a measure. */
struct measures_view {
    uint32_t flow, port;
    uint64_t n; /* The number of samples. */
    weir_ps first_ps, last_ps,
        on_ps; /* When a count last grew, or when a level was last above its limit. */
    double first, last, sum, least, most;
    double *all; /* Every sample, if the measure is a percentile. */
    size_t n_all, max_all;
};

struct measures {
    const struct scn_study *study;
    const struct intervals *intervals; /* The intervals that these measures are a part of. */
    struct {
        /* The flows or ports that samples read; empty for measures of ended flows, and if the
         * scenario does not have them. */
        struct measures_view *views;
        size_t n_views;
        /* The ports whose values are added, which change during the run; or null. */
        struct receivers *receivers;
        uint32_t group; /* The workload of a measure of flows that have ended. */
        bool is_there;  /* The scenario has the measured flows or ports. */
    } items[SCN_MAX_MEASURES];
    uint32_t *ports, *flows; /* Ports and flows that samples read. */
    size_t n_ports, max_ports, n_flows, max_flows;
};

/* Whether a measure needs this quantity, so that the simulator must record it. */
bool measures_need(const struct scn_study *, enum scn_quantity);

void measures_begin(struct measures *, const struct scn_study *, const struct scenario *);

/* Adds the ports and flows that samples must read, in memory that the measures own
 * (measures-views.c). */
void measures_add_views(struct measures *, const struct scenario *, struct sim_sampled *);
void measures_sample(struct measures *, const struct sim *, weir_ps now);
void measures_sum_up(struct measures *, const struct outcome *, double *values);
void measures_end(struct measures *);

/* The values of a run as text, such as {"victim": 5e+09}. Without values the text has the units,
 * {"victim": "bps"}. The caller frees it; null if the study has no measures. measures_read()
 * returns one value of the text; negative: it is missing. */
char *measures_json(const struct scn_study *, const double *values);
double measures_read(const char *json, const char *name);

/* The value of a measure of ended flows, for a group or for all (COMPLETION_ALL); negative: unknown
 * (fct-measure.c). */
double fct_measure_value(const struct outcome *, const struct scn_study_measure *, uint32_t group);

/* Finds the switch ports through which the active flows of a workload reach their hosts
 * (receivers.c).  Each port is listed once, whatever the number of flows to its host. */
struct receivers *receivers_new(const struct scenario *, uint32_t group);
void receivers_rewind(struct receivers *);
bool receivers_next(struct receivers *, const struct sim *, uint32_t *port);
void receivers_free(struct receivers *);

#endif
