/* Random scenarios that often deadlock, as text: each seed gives one scenario.
 *
 * The networks are small, have cycles and small buffers, and their flows take circular or random
 * routes. All engines, arbitrations, schedulings, transports and recoveries occur. Links go down
 * and come up, and routes change soon after. There are static routes, hosts that stall, and
 * watchdogs.
 *
 *     char *yaml = draw_scenario(seed);
 *     ...
 *     free(yaml);
 */

#ifndef TESTS_CHECK_DRAW_H
#define TESTS_CHECK_DRAW_H

#include <stdint.h>

/* Some scenarios are refused: thresholds do not fit, or hosts have no path to each other. */
char *draw_scenario(uint64_t seed);

#endif
