/* All registries that a scenario can choose from. */

#include <string.h>

#include "graph/collective.h"
#include "scenario/scenario.h"
#include "sim/nodes/kind.h"

const struct scn_registry scn_registries[] = {
    { &weir_engines, "engine", "under engines, in a map with its name", "engines", true },
    { &scn_topologies, "topology.kind", "beside it", "topology", false },
    { &wl_patterns, "workload.kind", "beside it", "workload", false },
    { &coll_algorithms, "workload.algorithm", "beside it", "workload", false },
    { &sim_kinds, "switch.kind", "beside it", "switch", false },
    { &sim_arbitrations, "switch.arbitration", "beside it", "switch", false },
    { &sim_schedulings, "switch.scheduling", "beside it", "switch", false },
    { &sim_path_choices, "routing.paths", "beside it", "routing", false },
    { &transports, "transport.kind", "in the section with its name", "", true },
    { &recoveries, "transport.recovery", "in the section with its name", "", true },
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

void
scn_kind_param(const struct scn_switch *sw, const char *kind, const char *name, uint64_t *value)
{
    if (!strcmp(weir_plugin_name(&sim_kinds, sw->kind), kind)) {
        const struct weir_field *fields = weir_plugin_find(&sim_kinds, kind)->params;
        *value = weir_field_get(weir_field_find(fields, name), sw->kind_params);
    }
}
