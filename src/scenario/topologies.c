/* The registry of topologies: networks given by a few numbers, which src/topo builds, and file
 * formats of networks, which this room reads.  It is in this room because readers make trees of
 * scenarios.
 */

#include "scenario/import.h"

#define BUILT(ONE)                                                                                 \
    ONE(topo_ring)                                                                                 \
    ONE(topo_incast)                                                                               \
    ONE(topo_dumbbell)                                                                             \
    ONE(topo_fat_tree)                                                                             \
    ONE(topo_leaf_spine)                                                                           \
    ONE(topo_three_tier)                                                                           \
    ONE(topo_torus)                                                                                \
    ONE(topo_dragonfly)                                                                            \
    ONE(topo_rail)                                                                                 \
    ONE(topo_dual_tor)                                                                             \
    ONE(topo_multi_plane)                                                                          \
    ONE(topo_fabric)
#define READ(ONE)                                                                                  \
    ONE(scn_names)                                                                                 \
    ONE(scn_hpcc)                                                                                  \
    ONE(scn_simai)                                                                                 \
    ONE(scn_htsim)                                                                                 \
    ONE(scn_containerlab)

#define DECLARE_BUILT(NAME) extern const struct topology NAME;
#define DECLARE_READ(NAME)  extern const struct scn_format NAME;
#define ABOUT_BUILT(NAME)   &NAME.about,
#define ABOUT_READ(NAME)    &NAME.topology.about,

BUILT(DECLARE_BUILT)
READ(DECLARE_READ)

const struct weir_registry scn_topologies = {
    .one = "topology",
    .many = "topologies",
    .title = "list networks, built from a few numbers or read from a file",
    .plugins = (const struct weir_plugin *const[]){ BUILT(ABOUT_BUILT) READ(ABOUT_READ) 0 },
};

const struct topology *
scn_topology_of(const struct scenario *s)
{
    return (const struct topology *)scn_topologies.plugins[s->topology.kind];
}

void
scn_become_names(struct scn_topology *t)
{
    t->kind = 0;
    while (scn_topologies.plugins[t->kind] != &scn_names.topology.about) {
        t->kind++;
    }
}
