/* The part of a sweep that a task of a Slurm job array runs.  The first task runs the first part,
 * and so on, whatever numbers the array has. */

#ifndef RUN_ARRAY_TASK_H
#define RUN_ARRAY_TASK_H

#include <stdint.h>

#include "base/err.h"

/* Sets 'shard', counted from 1, and 'n_shards'; both are 0 if this process is not a task of an
 * array.  Returns false if the variables that Slurm sets do not identify the part. */
bool array_task_shard(uint64_t *shard, uint64_t *n_shards, struct err *);

#endif
