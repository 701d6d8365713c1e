/* A study's own measures, taken while a run goes on.
 *
 *     struct measures m;
 *     measures_begin(&m, study, &scenario);
 *     measures_sample(&m, sim, now);                  every so often
 *     measures_sum_up(&m, &outcome, values);          negative: the run does not have it
 *     measures_end(&m);
 *
 * Changes between two samples go unseen: times are as exact as samples are close.  Measures of
 * flows that have ended need no samples. */

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
    uint64_t n; /* Samples. */
    weir_ps first_ps, last_ps,
        on_ps; /* On: when a count had last risen, or a level was too high. */
    double first, last, sum, least, most;
    double *all; /* Every sample, if the measure is a percentile. */
    size_t n_all, max_all;
};

struct measures {
    const struct scn_study *study;
    const struct intervals *intervals; /* Their owner. */
    struct {
        struct measures_view *views; /* None: for ended flows, or if the item does not exist. */
        size_t n_views;
        struct receivers *receivers; /* One look at several ports, which change; or null. */
        uint32_t group;              /* For flows that have ended. */
        bool is_there;               /* The scenario has the measured flows or ports. */
    } items[SCN_MAX_MEASURES];
    uint32_t *ports, *flows; /* Ports and flows that samples read. */
    size_t n_ports, max_ports, n_flows, max_flows;
};

/* True if some measure needs this quantity, so that the simulator has to record it. */
bool measures_need(const struct scn_study *, enum scn_quantity);

void measures_begin(struct measures *, const struct scn_study *, const struct scenario *);

/* measures-views.c: the contents of samples; owned by the measures. */
void measures_add_views(struct measures *, const struct scenario *, struct sim_sampled *);
void measures_sample(struct measures *, const struct sim *, weir_ps now);
void measures_sum_up(struct measures *, const struct outcome *, double *values);
void measures_end(struct measures *);

/* Values of a run as text, to be freed, {"victim": 5e+09}; without values their units, {"victim":
 * "bps"}; null: the study has no measures.  The index of one of them; negative: it is missing. */
char *measures_json(const struct scn_study *, const double *values);
double measures_read(const char *json, const char *name);

/* fct-measure.c: a measure of flows that have ended, for a group or for all (COMPLETION_ALL);
 * negative: there is none. */
double fct_measure_value(const struct outcome *, const struct scn_study_measure *, uint32_t group);

/* receivers.c: the ports by which flows of a workload come to their hosts, while they are under
 * way.  Each port comes once, whatever the number of flows to its host. */
struct receivers *receivers_new(const struct scenario *, uint32_t group);
void receivers_rewind(struct receivers *);
bool receivers_next(struct receivers *, const struct sim *, uint32_t *port);
void receivers_free(struct receivers *);

#endif
