/* Backpressure (answer/backpressure.h) of a run that has just ended. */

#ifndef RUN_BACKPRESSURE_OF_H
#define RUN_BACKPRESSURE_OF_H

#include "answer/backpressure.h"
#include "run/outcome.h"

struct backpressure backpressure_of(const struct outcome *);

#endif
