/* Names ports by their nodes, and distinguishes parallel ports by their numbers. */

#include "report/port-name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static const struct rec_port *
port_row(const struct rep_port_names *names, uint32_t id)
{
    return rec_row_at(names->ports, REC_PORT, id);
}

static uint32_t
peer_of(const struct rep_port_names *names, uint32_t id)
{
    const struct rec_port *port = port_row(names, id);

    return port ? port->peer : REC_NO_ID;
}

/* The node of a port's peer; REC_NO_ID: the file has none. */
static uint32_t
node_behind(const struct rep_port_names *names, uint32_t id)
{
    const struct rec_port *peer = port_row(names, peer_of(names, id));

    return peer && peer->node < names->nodes->n ? peer->node : REC_NO_ID;
}

/* Marks ports that share their node and its peer; the ports of a node follow each other. */
static void
find_parallel(struct rep_port_names *names)
{
    /* [node]: 1 plus the id of a port to it. */
    uint32_t *seen = array_new(names->nodes->n, sizeof *seen);

    for (uint32_t id = 0; id < names->ports->n; id++) {
        uint32_t behind = node_behind(names, id), before = behind == REC_NO_ID ? 0 : seen[behind];
        if (before && port_row(names, before - 1)->node == port_row(names, id)->node) {
            names->is_parallel[before - 1] = names->is_parallel[id] = true;
        }
        if (behind != REC_NO_ID) {
            seen[behind] = id + 1;
        }
    }
    free(seen);
}

struct rep_port_names
rep_port_names_of(const struct rec_rows *nodes, const struct rec_rows *ports)
{
    struct rep_port_names names = { nodes, ports, array_new(ports->n, sizeof(bool)) };

    find_parallel(&names);
    return names;
}

void
rep_port_names_free(struct rep_port_names *names)
{
    free(names->is_parallel);
    *names = (struct rep_port_names){ 0 };
}

const char *
rep_node_name(const struct rep_port_names *names, uint32_t node, char room[REP_PORT_BYTES])
{
    const struct rec_node *row = rec_row_at(names->nodes, REC_NODE, node);

    if (row) {
        snprintf(room, REP_PORT_BYTES, "%.160s", row->name);
    } else {
        snprintf(room, REP_PORT_BYTES, "node %u", node);
    }
    return room;
}

const char *
rep_port_name(const struct rep_port_names *names, uint32_t id, char room[REP_PORT_BYTES])
{
    const struct rec_port *port = port_row(names, id);

    if (!port) {
        snprintf(room, REP_PORT_BYTES, id == REC_NO_ID ? "?" : "port %u", id);
        return room;
    }
    rep_node_name(names, port->node, room);
    if (names->is_parallel[id]) {
        size_t len = strlen(room);
        snprintf(room + len, REP_PORT_BYTES - len, ":%u", port->number);
    }
    return room;
}

const char *
rep_peer_name(const struct rep_port_names *names, uint32_t id, char room[REP_PORT_BYTES])
{
    return rep_port_name(names, peer_of(names, id), room);
}
