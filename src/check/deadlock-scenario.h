/* Writes a cycle of buffers as a scenario whose run shows the deadlock: `weir check --scenario`.
 *
 * The scenario has the checked one as its `base`, adds flows that fill the cycle (topo/fill.h), and
 * is run first.  There are several methods to fill a cycle; the first one that deadlocks is used.
 * If none does, the first one is used, and a comment in the file says that the run has no
 * deadlock. */

#ifndef CHECK_DEADLOCK_SCENARIO_H
#define CHECK_DEADLOCK_SCENARIO_H

#include "scenario/scenario.h"
#include "topo/depend.h"

struct deadlock_scenario {
    const char *file, *out;  /* The file of the checked scenario, and the file to write. */
    bool force;              /* The scenario replaces an existing file. */
    const char *const *sets; /* The settings "key=value" of the check. */
    size_t n_sets;
    const struct scenario *s;
    const struct topo_loops *loops;
    const struct depend_cycle *ring;
    const char *failed; /* Links that must fail for the deadlock, as YAML; null: none. */
};

struct deadlock_scenario_result {
    size_t n_flows;
    bool has_deadlock;
    weir_ps formed_ps;
};

/* Writes the scenario. Returns an exit code. */
int deadlock_scenario_write(const struct deadlock_scenario *, struct deadlock_scenario_result *,
                            struct err *);

#endif
