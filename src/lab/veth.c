/* Pairs of virtual interfaces. */

#define _DEFAULT_SOURCE /* struct ifreq */

#include "lab/veth.h"

#include <assert.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <linux/veth.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "packet/address.h"
#include "topo/port-names.h"

/* Requests to the kernel about interfaces, by rtnetlink(7).  The kernel responds to each before the
 * next one is sent.
 *
 *     netlink_begin(&n, NLM_F_CREATE | NLM_F_EXCL, &(struct ifinfomsg){ 0 });
 *     netlink_text(&n, IFLA_IFNAME, "p0");
 *     error = netlink_ask(&n);
 *
 * A nested attribute is closed with the value that opening it returned. */

enum { NETLINK_BYTES = 1024 };

struct netlink {
    int socket; /* The socket; it belongs to the namespace in which it was opened. */
    uint32_t n; /* The bytes of the request so far, including its header. */
    uint8_t bytes[NETLINK_BYTES];
};

static bool
open_netlink(struct netlink *n, struct err *err)
{
    n->socket = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    return n->socket >= 0 ||
           err_set(err, "cannot ask the kernel about interfaces: %s", strerror(errno));
}

/* Reserves bytes at the end of the request, aligned to four bytes. */
static void *
grow(struct netlink *n, size_t bytes)
{
    uint32_t at = NLMSG_ALIGN(n->n);

    assert(at + bytes <= sizeof n->bytes);
    n->n = at + (uint32_t)bytes;
    return n->bytes + at;
}

static void
netlink_add_head(struct netlink *n, const struct ifinfomsg *about)
{
    memcpy(grow(n, sizeof *about), about, sizeof *about);
}

static void
netlink_begin(struct netlink *n, uint16_t flags, const struct ifinfomsg *about)
{
    const struct nlmsghdr head = { .nlmsg_type = RTM_NEWLINK,
                                   .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags) };

    memset(n->bytes, 0, sizeof n->bytes);
    n->n = 0;
    memcpy(grow(n, NLMSG_HDRLEN), &head, sizeof head);
    netlink_add_head(n, about);
}

static void
netlink_add(struct netlink *n, uint16_t type, const void *data, size_t bytes)
{
    const struct rtattr head = { .rta_len = (uint16_t)RTA_LENGTH(bytes), .rta_type = type };
    uint8_t *at = grow(n, RTA_LENGTH(bytes));

    memcpy(at, &head, sizeof head);
    if (bytes) {
        memcpy(at + RTA_LENGTH(0), data, bytes);
    }
}

static void
netlink_text(struct netlink *n, uint16_t type, const char *text)
{
    netlink_add(n, type, text, strlen(text) + 1);
}

static void
netlink_number(struct netlink *n, uint16_t type, uint32_t number)
{
    netlink_add(n, type, &number, sizeof number);
}

static size_t
netlink_open_nest(struct netlink *n, uint16_t type)
{
    size_t at = NLMSG_ALIGN(n->n);

    netlink_add(n, type, NULL, 0);
    return at;
}

static void
netlink_close_nest(struct netlink *n, size_t nest)
{
    const uint16_t len = (uint16_t)(n->n - nest);

    memcpy(n->bytes + nest + offsetof(struct rtattr, rta_len), &len, sizeof len);
}

/* Sends the request, and returns its error. In the kernel's response the error is negative, and the
 * request's header follows. */
static int
netlink_ask(struct netlink *n)
{
    uint8_t answer[NLMSG_SPACE(sizeof(struct nlmsgerr)) + NETLINK_BYTES];
    struct nlmsgerr said;
    ssize_t len;

    memcpy(n->bytes + offsetof(struct nlmsghdr, nlmsg_len), &n->n, sizeof n->n);
    if (send(n->socket, n->bytes, n->n, 0) < 0) {
        return errno;
    }
    do {
        len = recv(n->socket, answer, sizeof answer, 0);
    } while (len < 0 && errno == EINTR);
    if (len < 0) {
        return errno;
    }
    if (len < (ssize_t)NLMSG_LENGTH(sizeof said)) {
        return EPROTO;
    }
    memcpy(&said, answer + NLMSG_HDRLEN, sizeof said);
    return -said.error;
}

/* Interfaces. */

void
veth_name(uint32_t number, char name[IF_NAMESIZE])
{
    snprintf(name, IF_NAMESIZE, "p%u", number);
}

void
veth_address(const struct topo_port *port, char text[VETH_ADDRESS_BYTES])
{
    uint8_t a[6];

    packet_port_address(port->node, port->number, a);
    snprintf(text, VETH_ADDRESS_BYTES, "%02x:%02x:%02x:%02x:%02x:%02x", a[0], a[1], a[2], a[3],
             a[4], a[5]);
}

static void
describe_end(struct netlink *n, const struct topo_port *port, pid_t pid, uint32_t mtu_bytes)
{
    char name[IF_NAMESIZE];
    uint8_t address[6];

    veth_name(port->number, name);
    packet_port_address(port->node, port->number, address);
    netlink_text(n, IFLA_IFNAME, name);
    netlink_number(n, IFLA_NET_NS_PID, (uint32_t)pid);
    netlink_add(n, IFLA_ADDRESS, address, sizeof address);
    netlink_number(n, IFLA_MTU, mtu_bytes);
}

static bool
make_link(struct netlink *n, const struct topo *t, const struct topo_link *l, const pid_t *pids,
          uint32_t mtu_bytes, struct err *err)
{
    const struct ifinfomsg about = { .ifi_family = AF_UNSPEC };

    netlink_begin(n, NLM_F_CREATE | NLM_F_EXCL, &about);
    describe_end(n, &t->ports[l->port[0]], pids[l->node[0]], mtu_bytes);
    size_t info = netlink_open_nest(n, IFLA_LINKINFO);
    netlink_text(n, IFLA_INFO_KIND, "veth");
    size_t data = netlink_open_nest(n, IFLA_INFO_DATA);
    size_t peer = netlink_open_nest(n, VETH_INFO_PEER);
    netlink_add_head(n, &about);
    describe_end(n, &t->ports[l->port[1]], pids[l->node[1]], mtu_bytes);
    netlink_close_nest(n, peer);
    netlink_close_nest(n, data);
    netlink_close_nest(n, info);
    int error = netlink_ask(n);
    struct topo_ends ends = topo_name_ends(t, l->port[0]);
    return !error || err_set(err, "cannot make the link from %s to %s: %s", ends.here, ends.there,
                             strerror(error));
}

bool
veth_make_all(const struct topo *t, const pid_t *pids, uint32_t mtu_bytes, struct err *err)
{
    struct netlink n;
    bool good = open_netlink(&n, err);

    for (uint32_t i = 0; i < t->n_links && good; i++) {
        good = make_link(&n, t, &t->links[i], pids, mtu_bytes, err);
    }
    close(n.socket);
    return good;
}

/* Functions for the process of a node. */

/* Makes the kernel give the interface no IPv6 address, for which it would send frames when the
 * interface comes up. A kernel without IPv6 needs no setting. */
static int
keep_kernel_quiet(struct netlink *n, const char *name)
{
    netlink_begin(n, 0, &(struct ifinfomsg){ 0 });
    netlink_text(n, IFLA_IFNAME, name);
    size_t families = netlink_open_nest(n, IFLA_AF_SPEC);
    size_t family = netlink_open_nest(n, AF_INET6);
    netlink_add(n, IFLA_INET6_ADDR_GEN_MODE, &(uint8_t){ IN6_ADDR_GEN_MODE_NONE }, 1);
    netlink_close_nest(n, family);
    netlink_close_nest(n, families);
    int error = netlink_ask(n);
    return error == EAFNOSUPPORT ? 0 : error;
}

static int
raise_one(struct netlink *n, const char *name)
{
    netlink_begin(n, 0, &(struct ifinfomsg){ .ifi_flags = IFF_UP, .ifi_change = IFF_UP });
    netlink_text(n, IFLA_IFNAME, name);
    return netlink_ask(n);
}

/* Disables offloads. With them, frames between virtual interfaces would be longer than on any real
 * link, and have no checksums. */
static int
set_offloads_off(struct netlink *n, const char *name)
{
    static const uint32_t offloads[] = { ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO, ETHTOOL_SSG,
                                         ETHTOOL_STXCSUM };
    int error = 0;

    for (size_t i = 0; i < sizeof offloads / sizeof *offloads && !error; i++) {
        struct ethtool_value off = { .cmd = offloads[i], .data = 0 };
        struct ifreq request = { .ifr_data = (void *)&off };
        memcpy(request.ifr_name, name, IF_NAMESIZE);
        error = ioctl(n->socket, SIOCETHTOOL, &request) ? errno : 0;
    }
    return error;
}

static const struct step {
    const char *what;
    int (*take)(struct netlink *, const char *name); /* 0, or an errno. */
} steps[] = {
    { "cannot stop the kernel from sending on", keep_kernel_quiet },
    { "cannot turn off the offloads of", set_offloads_off },
    { "cannot bring up", raise_one },
};

static bool
prepare(struct netlink *n, const char *node, const char *name, struct err *err)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        int error = steps[i].take(n, name);
        if (error) {
            return err_set(err, "%s interface %s of %s: %s", steps[i].what, name, node,
                           strerror(error));
        }
    }
    return true;
}

bool
veth_raise_all(const struct topo *t, uint32_t node, struct err *err)
{
    const struct topo_node *of = &t->nodes[node];
    struct netlink n;
    bool good = open_netlink(&n, err);

    for (uint32_t i = 0; i < of->n_ports && good; i++) {
        const struct topo_port *port = &t->ports[of->first_port + i];
        char name[IF_NAMESIZE];
        veth_name(port->number, name);
        good = t->links[port->link].failed || prepare(&n, of->name, name, err);
    }
    close(n.socket);
    return good;
}
