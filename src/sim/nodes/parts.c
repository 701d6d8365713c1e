/* What a node can be made of: kinds of switches, arbitrations, choices among paths, schedulings.
 *
 * A descriptor begins with what is told about it, so a line of a registry is one. */

#include "sim/nodes/parts.h"

/* One a line, so that adding one is adding a line. */
/* clang-format off */
static const struct weir_plugin *const kinds[] = {
    &sim_oq.about,
    0,
};

static const struct weir_plugin *const arbitrations[] = {
    &sim_fifo.about,
    &sim_rr.about,
    &sim_random.about,
    &sim_wfq.about,
    &sim_transit.about,
    &sim_flow_in_turn.about,
    &sim_input_fifo.about,
    0,
};

static const struct weir_plugin *const path_choices[] = {
    &sim_hash.about,
    0,
};

static const struct weir_plugin *const schedulings[] = {
    &sim_in_turn.about,
    &sim_strict.about,
    &sim_dwrr.about,
    0,
};
/* clang-format on */

const struct weir_registry sim_kinds = {
    .one = "switch",
    .many = "switches",
    .title = "How a switch is built: where packets wait, and how they get from input to output",
    .plugins = kinds,
};

const struct weir_registry sim_arbitrations = {
    .one = "arbitration",
    .many = "arbitrations",
    .title = "Which input of a switch an output serves next",
    .plugins = arbitrations,
};

const struct weir_registry sim_path_choices = {
    .one = "path choice",
    .many = "paths",
    .title = "Which of several equally short ways a packet takes",
    .plugins = path_choices,
};

const struct weir_registry sim_schedulings = {
    .one = "scheduling",
    .many = "schedulings",
    .title = "Which class a port serves next",
    .plugins = schedulings,
};

const struct sim_kind *
sim_kind_find(const char *name)
{
    return (const struct sim_kind *)weir_plugin_find(&sim_kinds, name);
}

const struct sim_arbitration *
sim_arbitration_find(const char *name)
{
    return (const struct sim_arbitration *)weir_plugin_find(&sim_arbitrations, name);
}

const struct sim_path_choice *
sim_path_choice_find(const char *name)
{
    return (const struct sim_path_choice *)weir_plugin_find(&sim_path_choices, name);
}

const struct sim_scheduling *
sim_scheduling_find(const char *name)
{
    return (const struct sim_scheduling *)weir_plugin_find(&sim_schedulings, name);
}
