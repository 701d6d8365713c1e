/* Every plug-in of this room, for the registries: a line each. */

#ifndef SIM_PARTS_H
#define SIM_PARTS_H

#include "sim/nodes/kind.h"

extern const struct sim_kind sim_oq;
extern const struct sim_arbitration sim_fifo, sim_rr, sim_random, sim_wfq, sim_transit;
extern const struct sim_arbitration sim_flow_in_turn, sim_input_fifo;
extern const struct sim_path_choice sim_hash;
extern const struct sim_scheduling sim_in_turn, sim_strict, sim_dwrr;

#endif
