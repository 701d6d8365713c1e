/* Places of stations, by address. Hosts of the model are known from the start. Foreign ones are
 * learned from the frames that they send, for a while, as any bridge does (802.1Q, clause 8.8).
 *
 * A frame for an unknown address, or for a group, goes to all ports of a tree of the network's
 * links, but not back to its port.  The tree is the same for all switches, so the frame goes
 * nowhere twice. */

#ifndef DATAPLANE_STATIONS_H
#define DATAPLANE_STATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/units.h"

struct topo;
struct dp_stations;

struct dp_stations *dp_stations_new(const struct topo *, uint32_t node);
void dp_stations_free(struct dp_stations *);

/* A foreign station sent from a port of this node; stations are learned at ports of the tree and of
 * hosts.
 */
void dp_stations_learn(struct dp_stations *, uint64_t address, uint32_t port, weir_ps now);

/* The link of a port is down: stations learned there may come back anywhere. */
void dp_stations_forget(struct dp_stations *, uint32_t port);

/* The clock is set back. */
void dp_stations_rebase(struct dp_stations *, weir_ps by_ps);

/* The destination of a frame, as struct sim_packet has it: the index of a NIC, or n_nics + port. */
#define DP_EVERYBODY UINT32_MAX
uint32_t dp_stations_find(struct dp_stations *, uint64_t address, weir_ps now);

/* Ports of the tree; 'ports' has room for all of the node's.  How many. */
uint32_t dp_stations_flood(const struct dp_stations *, uint32_t in_port, uint16_t *ports);

#endif
