/* Random scenarios that often deadlock, as text: each seed gives one scenario.
 *
 * Small networks with rings in them, little buffer, and flows on circular or random routes. Every
 * engine, arbitration, scheduling, transport and recovery. Links that go down and come up with new
 * routes soon after, static routes, hosts that stall, watchdogs.
 *
 *     char *yaml = draw_scenario(seed);
 *     ...
 *     free(yaml);
 */

#ifndef TESTS_CHECK_DRAW_H
#define TESTS_CHECK_DRAW_H

#include <stdint.h>

/* Some are refused: thresholds do not fit, or hosts have no path to each other. */
char *draw_scenario(uint64_t seed);

#endif
