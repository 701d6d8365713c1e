/* The part of a sweep that a task of a Slurm job array takes: the first task the first part, and so
 * on, whatever numbers the array was given. */

#ifndef RUN_ARRAY_TASK_H
#define RUN_ARRAY_TASK_H

#include <stdint.h>

#include "base/err.h"

/* Part 'shard', from 1, of 'n_shards'; 0 of 0 if this process is no task of an array.  False: the
 * variables that Slurm sets do not say which part it is. */
bool array_task_shard(uint64_t *shard, uint64_t *n_shards, struct err *);

#endif
