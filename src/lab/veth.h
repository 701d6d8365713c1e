/* Links of a lab: pairs of virtual interfaces, veth(4), one in each of two namespaces.
 *
 * The lab makes them, directly between the namespaces, so that they are never anywhere else.  The
 * process at each end sets its own up: it is up, takes and sends frames as they are, and the kernel
 * itself sends nothing by it. */

#ifndef LAB_VETH_H
#define LAB_VETH_H

#include <net/if.h>
#include <sys/types.h>

#include "base/err.h"
#include "topo/topo.h"

/* The interface of a port, by its number within the node. */
void veth_name(uint32_t number, char name[IF_NAMESIZE]);

/* Its address, as text: "02:00:00:00:00:01". */
enum { VETH_ADDRESS_BYTES = 18 };
void veth_address(const struct topo_port *, char text[VETH_ADDRESS_BYTES]);

/* Makes the interfaces of all links; 'pids' are processes in the namespaces of nodes, [node]. */
bool veth_make_all(const struct topo *, const pid_t *pids, uint32_t mtu_bytes, struct err *);

/* In the process of a node: all its interfaces, but for those of failed links, which stay down. */
bool veth_raise_all(const struct topo *, uint32_t node, struct err *);

#endif
