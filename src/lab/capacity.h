/* The expected capacity of this machine. If links are faster than it can handle, a lab loses
 * packets, because processes that share a core are not scheduled in time. Processes that use more
 * memory than is available may be killed. */

#ifndef LAB_CAPACITY_H
#define LAB_CAPACITY_H

#include "scenario/scenario.h"

/* An estimate of the memory for all nodes of a scenario, slightly above the measured values. */
uint64_t lab_memory_bytes(const struct scenario *);

/* Write warnings about links that are probably too fast for this many cores, and about too little
 * memory; the text is empty if there is no warning. */
void lab_pace_warn(const struct topo *, uint64_t n_cores, struct weir_text *);
void lab_memory_warn(uint64_t bytes, uint64_t there_bytes, struct weir_text *);

#endif
