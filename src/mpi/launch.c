/* Reads the variables that launchers set in the environment. */

#include "mpi/launch.h"

#include <stdlib.h>

#include "base/text.h"

enum { MOST_RANKS = 65536 };

/* The launchers, of which the first counts whose variables are set. mpirun under Slurm starts its
 * own helpers by srun, and the ranks inherit the variables of both. In a batch script Slurm also
 * sets SLURM_PROCID and SLURM_NTASKS, although nothing has been launched yet. The number of tasks
 * of a step is set only in processes that srun has started. */
static const struct launcher {
    const char *by, *rank, *n;
} launchers[] = {
    { "mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
    { "mpiexec", "PMI_RANK", "PMI_SIZE" },
    { "srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" },
    { "the launcher", "PMIX_RANK", NULL },
};

/* Reads the number in a variable; 0 if it is not set. */
static bool
read_number(const char *name, uint32_t *number, struct err *err)
{
    const char *word = name ? getenv(name) : NULL;
    uint64_t n = 0;

    *number = 0;
    if (word && (!text_number(word, &n) || n > MOST_RANKS)) {
        return err_set(err, "the variable %s must be a number up to %u, not '%s'", name, MOST_RANKS,
                       word);
    }
    *number = (uint32_t)n;
    return true;
}

static bool
is_there(const struct launcher *l)
{
    return getenv(l->rank) && (!l->n || getenv(l->n));
}

bool
mpi_launch_read(struct mpi_launch *launch, struct err *err)
{
    const char *alone = getenv("WEIR_ALONE");

    *launch = (struct mpi_launch){ .n = 1 };
    for (size_t i = 0; !alone && i < sizeof launchers / sizeof *launchers; i++) {
        const struct launcher *l = &launchers[i];
        if (!is_there(l)) {
            continue;
        }
        if (!read_number(l->rank, &launch->rank, err) || !read_number(l->n, &launch->n, err)) {
            return false;
        }
        if (l->n && launch->rank >= launch->n) {
            return err_set(err, "the variable %s is %u, and must be less than %s, which is %u",
                           l->rank, launch->rank, l->n, launch->n);
        }
        launch->by = launch->n == 1 ? NULL : l->by;
        break;
    }
    return true;
}
