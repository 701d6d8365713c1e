/* From a scenario to the traffic whose dependencies are checked: every way that a run can send
 * packets on.
 *
 * Packets of a flow go its own path, or any that the routing offers.  Answers of receivers (ACKs,
 * NACKs, congestion notifications) travel in the class of the flow, but never on its path: always
 * as the routing has it.  Links that go down and come up change routes, if the scenario says how
 * long that takes.
 *
 * The kind of a switch and its engines decide what its inputs wait for: where inputs would always
 * drain, an engine that blocks their peers for outputs makes them wait for the output. */

#ifndef BIND_TRAFFIC_H
#define BIND_TRAFFIC_H

#include "scenario/scenario.h"
#include "topo/depend.h"

/* BIND_ALL_HOSTS: between all hosts, in any class, and on the paths that flows have for themselves;
 * BIND_FLOWS: of the flows alone, and their answers. */
enum bind_traffic_of { BIND_ALL_HOSTS, BIND_FLOWS };

struct bind_traffic {
    struct depend_traffic traffic;
    struct depend_flow *flows;
    uint32_t *flow_of; /* [flow of the traffic]: its number in the scenario. */
    struct depend_change *changes;
    uint8_t *waits; /* [switch]: enum depend_wait. */
};

/* The scenario must outlive it. */
void bind_traffic(const struct scenario *, enum bind_traffic_of, struct bind_traffic *);
void bind_traffic_free(struct bind_traffic *);

/* [switch]: the reason that its inputs wait for, enum depend_wait; to be freed. */
uint8_t *bind_waits(const struct scenario *);

/* All lossless classes have the same routes between all hosts, so these classes show every cycle.
 */
uint32_t bind_classes_that_differ(const struct depend_traffic *);

/* The classes that packets begin in where engines move them to others: bit c is class c. */
uint32_t bind_classes_sent(const struct scenario *);

#endif
