/* Reads the variables that Slurm sets for the tasks of a job array. */

#include "run/array-task.h"

#include <stdlib.h>

#include "base/text.h"

struct task {
    uint64_t id, min, max, n;
};

static bool
read_number(const char *name, uint64_t *number, struct err *err)
{
    enum { MOST = 100000000 };
    const char *word = getenv(name);

    if (!word) {
        return err_set(err,
                       "SLURM_ARRAY_TASK_ID is set and %s is not; use --shard I/N to say which "
                       "part of the sweep to run",
                       name);
    }
    return (text_number(word, number) && *number <= MOST) ||
           err_set(err, "the variable %s must be a number up to %d, not '%s'", name, MOST, word);
}

static bool
read_task(struct task *t, struct err *err)
{
    return read_number("SLURM_ARRAY_TASK_ID", &t->id, err) &&
           read_number("SLURM_ARRAY_TASK_MIN", &t->min, err) &&
           read_number("SLURM_ARRAY_TASK_MAX", &t->max, err) &&
           read_number("SLURM_ARRAY_TASK_COUNT", &t->n, err);
}

bool
array_task_shard(uint64_t *shard, uint64_t *n_shards, struct err *err)
{
    struct task t;

    *shard = *n_shards = 0;
    if (!getenv("SLURM_ARRAY_TASK_ID")) {
        return true;
    }
    if (!read_task(&t, err)) {
        return false;
    }
    if (t.n == 1 && t.id > 1) {
        return err_set(
            err,
            "task %llu is the only one of its job array, so its part of the sweep is not "
            "known; to run one part again, use --shard %llu/N",
            (unsigned long long)t.id, (unsigned long long)t.id);
    }
    /* The array 1-8 has steps of 1, and 1-7:2 has steps of 2. A list such as 1,2,7 has no fixed
     * step. */
    uint64_t step = t.n > 1 && t.max > t.min ? (t.max - t.min) / (t.n - 1) : 1;
    if (!step || !t.n || t.id < t.min || t.id > t.max || (t.id - t.min) % step ||
        t.min + (t.n - 1) * step != t.max) {
        return err_set(err,
                       "task %llu of a job array of %llu tasks from %llu to %llu: its part of the "
                       "sweep is known only if the steps of the array are equal, as with "
                       "--array=1-8; or use --shard I/N",
                       (unsigned long long)t.id, (unsigned long long)t.n, (unsigned long long)t.min,
                       (unsigned long long)t.max);
    }
    *shard = (t.id - t.min) / step + 1;
    *n_shards = t.n;
    return true;
}
