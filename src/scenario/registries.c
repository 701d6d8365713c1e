/* All registries that a scenario can choose from. */

#include <string.h>

#include "scenario/scenario.h"
#include "sim/nodes/kind.h"

const struct scn_registry scn_registries[] = {
    { &weir_engines, "engine", "under engines, in a map of its name" },
    { &scn_topologies, "topology.kind", "beside it" },
    { &wl_patterns, "workload.kind", "beside it" },
    { &sim_kinds, "switch.kind", "beside it" },
    { &sim_arbitrations, "switch.arbitration", "beside it" },
    { &sim_schedulings, "switch.scheduling", "beside it" },
    { &sim_path_choices, "routing.paths", "beside it" },
    { &transports, "transport.kind", "in a section of its name" },
    { &recoveries, "transport.recovery", "in a section of its name" },
    { 0 },
};

const struct scn_registry *
scn_registry_find(const char *many)
{
    for (const struct scn_registry *r = scn_registries; r->registry; r++) {
        if (!strcmp(r->registry->many, many)) {
            return r;
        }
    }
    return NULL;
}
