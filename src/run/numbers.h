/* Numbers of nodes in files for HPCC's scripts, which know nodes by number alone.
 *
 * A network that came from a file of HPCC's has them in its names: host 0 is H0, switch 4 is S4,
 * and no number is there twice.  So does one that `weir explain` has written of it.  In other
 * networks H1 and S1 may both be there: hosts then count from 0 in their order, and switches go on
 * behind them, as in HPCC's own fat tree. */

#ifndef RUN_NUMBERS_H
#define RUN_NUMBERS_H

#include "topo/topo.h"

bool numbers_are_in_names(const struct topo *);
uint32_t number_of_node(const struct topo *, uint32_t node, bool is_in_name);

#endif
