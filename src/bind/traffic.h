/* Derives the traffic whose dependencies are checked from a scenario: every path that packets can
 * take in a run.
 *
 * Packets of a flow take its pinned path, or any path of the routing.  Feedback of receivers (ACKs,
 * NACKs, congestion notifications) travels in the flow's class unless the scenario sets another,
 * and is always routed.  Links that go down and come up change routes, if the scenario has a time
 * for rerouting.
 *
 * The kind of a switch and its engines determine what its inputs wait for.  If inputs would always
 * drain, an engine that blocks their peers because of outputs makes them wait for these outputs. */

#ifndef BIND_TRAFFIC_H
#define BIND_TRAFFIC_H

#include "scenario/scenario.h"
#include "topo/depend.h"

/* BIND_ALL_HOSTS: traffic between all hosts, in any class, and on the pinned paths of flows;
 * BIND_FLOWS: only the flows and the feedback of their receivers. */
enum bind_traffic_of { BIND_ALL_HOSTS, BIND_FLOWS };

struct bind_traffic {
    struct depend_traffic traffic;
    struct depend_flow *flows;
    uint32_t *flow_of; /* [flow of the traffic]: its number in the scenario. */
    struct depend_change *changes;
    uint8_t *waits; /* [switch]: enum depend_wait. */
};

/* Derives the traffic; the scenario must outlive it. */
void bind_traffic(const struct scenario *, enum bind_traffic_of, struct bind_traffic *);
void bind_traffic_free(struct bind_traffic *);

/* Returns what the inputs of each switch wait for, [switch]: enum depend_wait; the caller frees the
 * array. */
uint8_t *bind_waits(const struct scenario *);

/* The classes whose traffic differs, one bit each. All lossless classes have the same routes
 * between all hosts, so these classes show every cycle.
 */
uint32_t bind_classes_that_differ(const struct depend_traffic *);

/* The classes in which packets begin, for engines that move them to others: bit c is class c. */
uint32_t bind_classes_sent(const struct scenario *);

#endif
