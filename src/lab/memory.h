/* How much memory the processes of a lab take. */

#ifndef LAB_MEMORY_H
#define LAB_MEMORY_H

#include "base/text.h"
#include "scenario/scenario.h"

/* For all nodes of a scenario that can be run, somewhat more than was measured. */
uint64_t lab_memory_bytes(const struct scenario *);

/* Warns that there is less than that, in words; empty: there is not. */
void lab_memory_warn(uint64_t bytes, uint64_t there_bytes, struct weir_text *);

#endif
