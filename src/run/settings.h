/* A study's runs as settings of its scenario. */

#ifndef RUN_SETTINGS_H
#define RUN_SETTINGS_H

#include "scenario/study.h"

/* The values of a run on all axes, for results files: {"engine": "pfc", "run.seed": "17"}. Variants
 * are given by name. */
char *study_settings_json(const struct scn_study *, uint64_t run);

/* Reads a study's file and checks it.  Returns an exit code.  The caller frees the study in any
 * case. */
int study_read(struct scn_study *, const char *file, enum scn_study_part,
               const struct scn_statements *, const struct scn_study_options *, uint64_t *sample,
               struct err *);

/* Tries every value of an axis once, with the first values of the other axes; of a range, both
 * ends. So a study with an invalid value is refused as a whole, before hours of running. Returns an
 * exit code; errors have their location in the study. 'sample' is a run whose scenario can be read:
 * nearly always the first. */
int study_check(const struct scn_study *, uint64_t *sample, struct err *);

/* Returns everything that determines the results, as text: the build, the axes, and the whole
 * scenario of the run 'sample'. */
char *study_identity(const struct scn_study *, uint64_t sample);

#endif
