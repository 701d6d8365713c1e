/* Links of a lab: pairs of virtual interfaces, veth(4), one in each of two namespaces.
 *
 * The lab creates them directly in the namespaces of their ends. The process at each end configures
 * its interface: it is up, frames pass unchanged, and the kernel itself sends nothing through
 * it. */

#ifndef LAB_VETH_H
#define LAB_VETH_H

#include <net/if.h>
#include <sys/types.h>

#include "base/err.h"
#include "topo/topo.h"

/* The name of a port's interface, by the port's number within the node. */
void veth_name(uint32_t number, char name[IF_NAMESIZE]);

/* The address of a port as text: "02:00:00:00:00:01". */
enum { VETH_ADDRESS_BYTES = 18 };
void veth_address(const struct topo_port *, char text[VETH_ADDRESS_BYTES]);

/* Creates the interfaces of all links. 'pids' has the PID of a process in the namespace of each
 * node. */
bool veth_make_all(const struct topo *, const pid_t *pids, uint32_t mtu_bytes, struct err *);

/* Called in the process of a node: brings up all its interfaces, except those of failed links. */
bool veth_raise_all(const struct topo *, uint32_t node, struct err *);

#endif
