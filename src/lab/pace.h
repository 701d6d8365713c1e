/* The expected capacity of this machine: links that are faster lose packets, as processes that
 * share a core are not there in time. */

#ifndef LAB_PACE_H
#define LAB_PACE_H

#include "topo/topo.h"
#include "weir/field.h"

uint64_t lab_n_cores(void);

/* A sentence on links that are probably too fast for so many cores; empty: there are none. */
void lab_pace_warn(const struct topo *, uint64_t n_cores, struct weir_text *);

#endif
