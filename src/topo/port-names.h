/* Finds nodes, links and ports by the names that users write.
 *
 *     S1            a node
 *     S1:2          its third port
 *     S1:H3         its port towards H3, if it has one link to it
 *     S1:trunk-1    its port of the link with that name
 *     H1:3          a NIC of a host that has several: a node, too */

#ifndef TOPO_PORT_NAMES_H
#define TOPO_PORT_NAMES_H

#include "topo/topo.h"

/* An end of a link; 'port' is the part after the colon, or null for any port of the node. */
struct topo_end {
    uint32_t node;
    const char *port;
};

/* Reads the name of an end. False: there is no such node, and 'node' is TOPO_NONE. */
bool topo_read_end(const struct topo *, const char *word, struct topo_end *);

/* The ports of 'from' that lead to 'to', or to any node if 'to' is null.  Writes up to 'max' ports,
 * and returns the number of all of them. */
uint32_t topo_match_ports(const struct topo *, const struct topo_end *from,
                          const struct topo_end *to, uint32_t *ports, uint32_t max);

/* The first function returns the NIC H1:2 of a host H1 that has several NICs, or TOPO_NONE. The
 * second returns the number of NICs of such a host. */
uint32_t topo_nic_of(const struct topo *, const char *host, uint32_t number);
uint32_t topo_n_nics_of(const struct topo *, const char *host);

/* The first function returns the number of such a NIC, 2 for H1:2, or TOPO_NONE if its host has one
 * NIC only. The second returns the NIC of the same server with another number, or TOPO_NONE. */
uint32_t topo_nic_number(const struct topo *, uint32_t nic);
uint32_t topo_sibling_of(const struct topo *, uint32_t nic, uint32_t number);

/* Whether the name of a node, or of the server of a NIC, matches a pattern: H* and H1 match
 * H1:0. */
bool topo_is_like(const struct topo *, uint32_t node, const char *pattern);

/* The NIC of the same server from which there is a path to 'to', if it is on the rail or plane of
 * 'to'; or TOPO_NONE. */
uint32_t topo_joined_sibling(const struct topo *, uint32_t from, uint32_t to);

/* The link with a name, or TOPO_NONE. */
uint32_t topo_find_link(const struct topo *, const char *name);

/* The name of a port: "S1", its node, or "S1:2", its third port, if S1 has several links to that
 * peer. */
enum { TOPO_PORT_BYTES = TOPO_NAME_BYTES + sizeof ":65535" };
const char *topo_port_text(const struct topo *, uint32_t port, char text[TOPO_PORT_BYTES]);

/* The names of a port and of the port at the other end of its link. */
struct topo_ends {
    char here[TOPO_PORT_BYTES], there[TOPO_PORT_BYTES];
};

struct topo_ends topo_name_ends(const struct topo *, uint32_t port);

#endif
