/* The steps of sim_new() and sim_free(), one or two for each file. */

#ifndef SIM_SETUP_H
#define SIM_SETUP_H

#include "sim/run-state.h"

/* These functions are in setup-node.c. */
void sim_set_node(struct sim *, uint32_t id, struct weir_outbox *);
void sim_free_node(struct sim_node *);

/* setup-flow.c.  The second function returns false, with the reason, if a flow waits for a flow
 * that its sender cannot observe. */
void sim_set_flow(struct sim *, uint32_t flow);
bool sim_set_order(struct sim *, struct err *);

/* setup-partition.c. The first function sets the thread and rank of each node; false if the network
 * has too few switches for this many ranks. The others set the ends of flows on this rank, and the
 * threads. */
bool sim_set_partition(struct sim *, struct err *);
void sim_set_ends(struct sim *);
void sim_set_threads(struct sim *);

/* setup-memory.c.  Ends the program if the memory that this process will need is not available. */
void sim_oom_check(const struct sim *);

/* setup-windows.c: the number of bits for any port number of a node. */
int sim_port_bits(const struct topo *);

/* live.c: false, with the reason, if the model cannot be run node by node. */
bool sim_set_live(struct sim *, struct err *);

/* slow.c: checks that changes of rates fit the links; posts their first mail. */
bool sim_slowings_fit(const struct model *, struct err *);
void sim_post_slowings(struct sim *);

/* reroute.c sets and frees routes. dead-port.c posts the mail that makes ports check their packets
 * again when routes change. */
void sim_set_routes(struct sim *);
void sim_free_routes(struct sim *);
void sim_post_reroutes(struct sim *);

/* In keys.c. */
void sim_set_keys(struct sim *);

/* classes.c: called before the first sim_class_here() for nodes of other ranks. */
void sim_set_classes(struct sim *);
void sim_free_classes(struct sim *);

/* path-classes.c: false, with the path, if packets of a flow would be dropped because they have no
 * class left. */
bool sim_check_path_classes(const struct sim *, struct err *);

/* These functions are in flow-numbers.c. */
void sim_set_numbers(struct sim *);
void sim_free_numbers(struct sim_numbers *);
uint64_t sim_numbers_bytes(const struct sim *); /* The memory of the numbers. */

/* epochs.c, view.c: used if other ranks run nodes. */
void sim_set_exchange(struct sim *);
void sim_free_exchange(struct sim *);
void sim_start_view(struct sim *);
void sim_free_view(struct sim *);

/* These functions are in sojourn.c. */
void sim_start_sojourns(const struct sim *, struct sim_node *);
void sim_free_sojourns(struct sim_node *);
uint64_t sim_sojourns_bytes(const struct sim *); /* The memory that wait accounting needs, as far as
                                                  * it is known before the run. */

/* These functions are in watchdog.c, watch.c, capture.c and run-out.c. */
void sim_watchdog_start(struct sim_node *, const struct model_watchdog *);
void sim_start_watch(struct sim *);
void sim_start_capture(struct sim *);
void sim_start_run_out(struct sim *);
void sim_free_run_out(struct sim *);

#endif
