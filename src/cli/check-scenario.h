/* `weir check --scenario`: a ring that was found as a scenario, whose run shows the deadlock.
 *
 * The scenario builds on the one that was checked (`base`), brings flows that fill the ring
 * (topo/fill.h), and is run here before it is handed over: of several ways to fill the ring the
 * first that deadlocks is kept.  If none does, the first is, and says so. */

#ifndef CLI_CHECK_SCENARIO_H
#define CLI_CHECK_SCENARIO_H

#include "cli/options.h"
#include "scenario/scenario.h"
#include "topo/depend.h"

struct check_scenario {
    const char *file, *out; /* What was checked, and what is written. */
    bool force;             /* Replaces a file that is there. */
    const struct verb_words *sets;
    const struct scenario *s;
    const struct topo_loops *loops;
    const struct depend_cycle *ring;
    const char *failed; /* Links that must fail for it, as YAML; null: none. */
};

struct check_scenario_result {
    size_t n_flows;
    bool has_deadlock;
    weir_ps formed_ps;
};

/* Returns an exit code; what is wrong has been told to the user. */
int check_scenario_write(const struct check_scenario *, struct check_scenario_result *);

#endif
