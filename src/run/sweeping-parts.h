/* Declarations shared by the files of a sweep. */

#ifndef RUN_SWEEPING_PARTS_H
#define RUN_SWEEPING_PARTS_H

#include "record/sweep.h"
#include "run/sweeping.h"

enum { SWEEPING_PATH_BYTES = 4200 };

/* sweeping.c: opens the results file, and finds or begins the sweep in it. */
struct rec_sweeps *sweeping_open(struct sweeping *, struct err *);

/* sweeping-share.c: one of several ranks. */
bool sweeping_share(struct sweeping *, struct err *);

#endif
