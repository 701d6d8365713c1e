/* All registries that a scenario can choose from. */

#include <string.h>

#include "scenario/scenario.h"

const struct scn_registry scn_registries[] = {
    { &weir_engines, "engine", "engines: {NAME: {...}}" },
    { &scn_topologies, "topology.kind", "beside the kind, in topology: {kind: NAME, ...}" },
    { &wl_patterns, "workload.kind", "beside the kind, in workload: {kind: NAME, ...}" },
    { &transports, "transport.kind", "in a section of its own, NAME: {...}" },
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
