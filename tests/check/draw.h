/* Random scenarios that like to deadlock, as text: a seed is a scenario.
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

/* Some are refused: thresholds that do not fit, or hosts that have no way to each other. */
char *draw_scenario(uint64_t seed);

#endif
