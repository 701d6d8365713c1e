/* Schemes: the runs of a scheme differ only by their seeds, so they are samples of the same
 * experiment.  They share a label and a colour, and figures of all flows pool their flows. */

#ifndef REPORT_RUN_SCHEMES_H
#define REPORT_RUN_SCHEMES_H

#include "report/chosen.h"

/* Sets the number of the scheme of each run. A run of another command that repeats a seed of a
 * scheme belongs to another scheme, because its flows would be counted twice. */
void rep_schemes_find(struct rep_chosen *files, size_t n_files);

/* Gives labels to schemes: by the number of a run, "3=PFC", or "results.db#3=PFC" if there are
 * several files; or by values of settings, "engine=pfc,switch.arbitration=rr=PFC".  Refuses a label
 * for runs that are not drawn, and two labels for one scheme. */
bool rep_schemes_label(struct rep_chosen *files, size_t n_files, const char *const *words,
                       size_t n_words, struct err *);

#endif
