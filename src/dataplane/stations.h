/* The ports that lead to stations, by Ethernet address. Hosts of the model are known from the
 * start. Foreign stations are learned from the frames that they send, and forgotten after a while,
 * as in any bridge (802.1Q, clause 8.8).
 *
 * A frame for an unknown address, or for a group, is flooded to all ports of a spanning tree,
 * except the port on which it arrived. The tree is the same for all switches, so the frame visits
 * no switch twice. */

#ifndef DATAPLANE_STATIONS_H
#define DATAPLANE_STATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/units.h"

struct topo;
struct dp_stations;

struct dp_stations *dp_stations_new(const struct topo *, uint32_t node);
void dp_stations_free(struct dp_stations *);

/* Learns the port of a foreign station from a frame.  Stations are learned only at ports of the
 * tree and of hosts.
 */
void dp_stations_learn(struct dp_stations *, uint64_t address, uint32_t port, weir_ps now);

/* Forgets the stations of a port whose link is down, because they may reappear at any port. */
void dp_stations_forget(struct dp_stations *, uint32_t port);

/* Adjusts the times of stations when the clock is set back. */
void dp_stations_rebase(struct dp_stations *, weir_ps by_ps);

/* Finds the destination of a frame in the form of struct sim_packet: the index of a NIC, or n_nics
 * + port. DP_EVERYBODY: the station is unknown, or the address is that of a group. */
#define DP_EVERYBODY UINT32_MAX
uint32_t dp_stations_find(struct dp_stations *, uint64_t address, weir_ps now);

/* Lists the ports of the tree, except 'in_port', and returns their number. 'ports' must have space
 * for all ports of the node. */
uint32_t dp_stations_flood(const struct dp_stations *, uint32_t in_port, uint16_t *ports);

#endif
