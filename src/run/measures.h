/* A study's own measures, taken while a run goes on.
 *
 *     struct measures m;
 *     measures_begin(&m, study, &scenario);
 *     measures_sample(&m, sim, now);                  every so often
 *     measures_value(&m, outcome, i)                  negative: the run does not have it
 *     measures_end(&m);
 *
 * What lies between two samples is not seen: times are as exact as samples are close. */

#ifndef RUN_MEASURES_H
#define RUN_MEASURES_H

#include "scenario/scenario.h"
#include "scenario/study.h"
#include "sim/sim.h"

/* What samples of one flow or port have come to between the two times of a measure. */
struct measures_look {
    uint32_t flow, port;
    uint64_t n; /* Samples. */
    weir_ps first_ps, last_ps,
        on_ps; /* On: when a count had last risen, or a level was too high. */
    double first, last, sum, least, most;
};

struct outcome;

struct measures {
    const struct scn_study *study;
    struct {
        struct measures_look *looks;
        size_t n_looks;
    } items[SCN_MAX_MEASURES];
};

/* Whether some look at what single flows hold, so that the simulator has to keep an index of it. */
bool measures_want_units(const struct scn_study *);

void measures_begin(struct measures *, const struct scn_study *, const struct scenario *);
void measures_sample(struct measures *, const struct sim *, weir_ps now);
double measures_value(const struct measures *, const struct outcome *, size_t i);
void measures_end(struct measures *);

/* Values of a run as text, to be freed, {"victim": 5e+09}; null: the study has no measures.  And
 * one of them back; negative: it is not there. */
char *measures_json(const struct scn_study *, const double *values);
double measures_read(const char *json, const char *name);

#endif
