/* The expected capacity of this machine. Faster links lose packets, as processes that share a core
 * are not scheduled in time. Processes that use more memory than is available may be killed. */

#ifndef LAB_CAPACITY_H
#define LAB_CAPACITY_H

#include "scenario/scenario.h"

/* The memory for all nodes of a scenario, slightly more than was measured. */
uint64_t lab_memory_bytes(const struct scenario *);

/* Warnings about links that are probably too fast for this many cores, and about too little memory;
 * empty: no warning. */
void lab_pace_warn(const struct topo *, uint64_t n_cores, struct weir_text *);
void lab_memory_warn(uint64_t bytes, uint64_t there_bytes, struct weir_text *);

#endif
