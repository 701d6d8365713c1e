/* The names of a run's ports.
 *
 *     struct rep_port_names names = rep_port_names_of(&nodes, &ports);
 *     rep_port_name(&names, 3, room);         "S1", or "S1:2", its third port
 *     rep_port_names_free(&names);
 *
 * The name of a port is that of its node, next to the name of the port at the other end of its
 * link: "S1 to S2".  If the node has several links to the same peer, the number of the port
 * follows. */

#ifndef REPORT_PORT_NAME_H
#define REPORT_PORT_NAME_H

#include <stdbool.h>

#include "record/reader.h"

enum { REP_PORT_BYTES = 176 };

struct rep_port_names {
    const struct rec_rows *nodes, *ports; /* Owned by the caller. */
    bool *is_parallel;                    /* [port]: its node has several links to the same peer. */
};

struct rep_port_names rep_port_names_of(const struct rec_rows *nodes, const struct rec_rows *ports);
void rep_port_names_free(struct rep_port_names *);

/* Write a name into 'room', and return 'room'. The name of a node or port that is not in the file
 * is its number; REC_NO_ID becomes "?". */
const char *rep_node_name(const struct rep_port_names *, uint32_t node, char room[REP_PORT_BYTES]);
const char *rep_port_name(const struct rep_port_names *, uint32_t port, char room[REP_PORT_BYTES]);

/* The name of the port at the other end of a port's link. */
const char *rep_peer_name(const struct rep_port_names *, uint32_t port, char room[REP_PORT_BYTES]);

#endif
