/* Relays: which rank of a job passes the messages of a pair of ranks on (PXN in NCCL).
 *
 * The servers of a network have a GPU for each rail.  A message to a GPU of another server and
 * another rail first crosses the scale-up switch of its own server, to the GPU that is on the rail
 * of the destination.  That GPU, the relay, sends the message on over its own NIC:
 *
 *         server 1                    server 2
 *     a = rail 0                      rail 0
 *         |  scale-up switch
 *     c = rail 1  --- rail 1 --->     rail 1 = b        a -> b is relayed by c
 *
 * Messages within a server or a rail are not relayed. */

#ifndef GRAPH_RELAY_TABLE_H
#define GRAPH_RELAY_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define RELAY_NONE UINT32_MAX

struct relay_place { /* Where a rank is. */
    uint32_t server, rail;
};

struct relay_entry {
    struct relay_place place;
    uint32_t rank;
};

struct relay_table {
    struct relay_place *places;   /* [rank] */
    struct relay_entry *by_place; /* By server, rail and rank. */
    uint32_t n_ranks;
};

/* Copies the places. */
void relay_table_init(struct relay_table *, const struct relay_place *, uint32_t n_ranks);
void relay_table_free(struct relay_table *);

/* The relay for messages from a rank to another; RELAY_NONE: they are not relayed, or the first
 * rank's server has no rank on the rail of the other. */
uint32_t relay_between(const struct relay_table *, uint32_t from, uint32_t to);

#endif
