/* The registries of a node's parts: kinds of switches, arbitrations, choices among paths,
 * schedulings.
 *
 * A descriptor begins with its description, so a line of a registry can point to it. */

#include "sim/nodes/kind.h"

/* Each line of a registry names one plug-in. */
#define KINDS(ONE)                                                                                 \
    ONE(sim_oq)                                                                                    \
    ONE(sim_pipeline)                                                                              \
    ONE(sim_cioq)
#define ARBITRATIONS(ONE)                                                                          \
    ONE(sim_fifo)                                                                                  \
    ONE(sim_rr)                                                                                    \
    ONE(sim_random)                                                                                \
    ONE(sim_wfq)                                                                                   \
    ONE(sim_transit)                                                                               \
    ONE(sim_flow_in_turn)                                                                          \
    ONE(sim_input_fifo)
#define PATH_CHOICES(ONE)                                                                          \
    ONE(sim_hash)                                                                                  \
    ONE(sim_spray)                                                                                 \
    ONE(sim_lag)                                                                                   \
    ONE(sim_adaptive)
#define SCHEDULINGS(ONE)                                                                           \
    ONE(sim_in_turn)                                                                               \
    ONE(sim_strict)                                                                                \
    ONE(sim_dwrr)

#define DECLARE_KIND(NAME)        extern const struct sim_kind NAME;
#define DECLARE_ARBITRATION(NAME) extern const struct sim_arbitration NAME;
#define DECLARE_PATH_CHOICE(NAME) extern const struct sim_path_choice NAME;
#define DECLARE_SCHEDULING(NAME)  extern const struct sim_scheduling NAME;
#define ABOUT(NAME)               &NAME.about,

KINDS(DECLARE_KIND)
ARBITRATIONS(DECLARE_ARBITRATION)
PATH_CHOICES(DECLARE_PATH_CHOICE)
SCHEDULINGS(DECLARE_SCHEDULING)

const struct weir_registry sim_kinds = {
    .one = "switch",
    .many = "switches",
    .title = "list kinds of switches, by where packets wait in them",
    .plugins = (const struct weir_plugin *const[]){ KINDS(ABOUT) 0 },
};

const struct weir_registry sim_arbitrations = {
    .one = "arbitration",
    .many = "arbitrations",
    .title = "list rules by which an output serves the inputs of a switch",
    .plugins = (const struct weir_plugin *const[]){ ARBITRATIONS(ABOUT) 0 },
};

const struct weir_registry sim_path_choices = {
    .one = "path choice",
    .many = "paths",
    .title = "list rules that choose one of several equally short paths",
    .plugins = (const struct weir_plugin *const[]){ PATH_CHOICES(ABOUT) 0 },
};

const struct weir_registry sim_schedulings = {
    .one = "scheduling",
    .many = "schedulings",
    .title = "list rules by which a port serves its classes",
    .plugins = (const struct weir_plugin *const[]){ SCHEDULINGS(ABOUT) 0 },
};
