/* Reads which devices the ports of a switch have, from the values of --port. */

#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "switch/running.h"

/* Devices by name. */

/* Whether a name is that of a DPDK device. DPDK's names begin with the driver, "net_", or have
 * characters that names of interfaces lack. */
static bool
is_of_dpdk(const char *device)
{
    return !strncmp(device, "net_", 4) || strpbrk(device, ":,/");
}

static bool
refuse_interface(const char *name, struct err *err)
{
    struct if_nameindex *all = if_nameindex();
    char offer[200] = "";
    size_t n = 0;

    while (all && all[n].if_name) {
        n++;
    }
    if (n) {
        const char *const *first = (const char *const *)&all[0].if_name;
        text_offer(name, first, sizeof *all, n, offer, sizeof offer);
        if_freenameindex(all);
    }
    return err_set(err,
                   "--port: this machine has no network interface '%s'%s; a device of DPDK is "
                   "named as its EAL does, as in net_tap0 or 0000:01:00.0",
                   name, offer);
}

static bool
read_device(struct switch_port *p, uint32_t number, const char *device, struct err *err)
{
    int len;

    p->is_given = true;
    p->is_down = !strcmp(device, "down");
    p->is_shown_up = !p->is_down;
    p->is_interface = !p->is_down && !is_of_dpdk(device);
    if (p->is_interface && !if_nametoindex(device)) {
        return refuse_interface(device, err);
    }
    if (p->is_interface) {
        len = snprintf(p->device, sizeof p->device, "net_af_packet%u,iface=%s", number, device);
    } else {
        len = snprintf(p->device, sizeof p->device, "%s", device);
    }
    return len < (int)sizeof p->device ||
           err_set(err, "--port: the name of the device for %s is too long", p->peer);
}

/* The name of a device for comparison. The DPDK name of an interface begins with the driver and a
 * number, which differs between ports, so only the part after "iface=" is compared. */
static const char *
name_of(const struct switch_port *p)
{
    const char *name = p->is_interface ? strchr(p->device, '=') : NULL;

    return name ? name + 1 : p->device;
}

static bool
devices_differ(const struct switch_port *ports, uint32_t n, struct err *err)
{
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = i + 1; k < n && !ports[i].is_down; k++) {
            if (!strcmp(name_of(&ports[i]), name_of(&ports[k]))) {
                return err_set(err, "--port: %s cannot be the device of two ports, %s and %s",
                               name_of(&ports[i]), ports[i].peer, ports[k].peer);
            }
        }
    }
    return true;
}

/* Ports by name. */

/* Finds the ports that lead to the peer, or whose link or number has this name. Returns how many
 * there are, and sets 'number' to the first. */
static uint32_t
match_ports(const struct switch_running *r, const char *peer, uint32_t *number)
{
    const struct topo_end here = { r->node, peer };
    uint32_t port = 0, n = topo_match_ports(r->topo, &here, NULL, &port, 1);

    *number = n ? port - r->topo->nodes[r->node].first_port : 0;
    return n;
}

static bool
refuse_neighbour(const struct switch_running *r, const char *word, struct err *err)
{
    uint32_t number, n = match_ports(r, word, &number);
    char offer[200];

    if (n > 1) {
        return err_set(err, "--port: %s has %u links to %s; choose one by its port there, as in %s",
                       r->topo->nodes[r->node].name, n, word, r->ports[number].peer);
    }
    text_offer(word, &r->ports[0].peer, sizeof r->ports[0], r->n_ports, offer, sizeof offer);
    return err_set(err, "--port: %s has no link to '%s'%s", r->topo->nodes[r->node].name, word,
                   offer);
}

/* Finds the port that leads to the port with this name, or the only port to this peer, or with this
 * link or number. */
static struct switch_port *
find_port(struct switch_running *r, const char *peer)
{
    uint32_t number;

    for (uint32_t i = 0; i < r->n_ports; i++) {
        if (!strcmp(r->ports[i].peer, peer)) {
            return &r->ports[i];
        }
    }
    return match_ports(r, peer, &number) == 1 ? &r->ports[number] : NULL;
}

static bool
read_port(struct switch_running *r, const char *word, struct err *err)
{
    const char *equals = strchr(word, '=');
    char peer[TOPO_PORT_BYTES];

    if (!equals || equals == word || !equals[1]) {
        return err_set(err, "--port takes NEIGHBOUR=DEVICE, as in H1=eth1, not '%s'", word);
    }
    snprintf(peer, sizeof peer, "%.*s", (int)(equals - word), word);
    struct switch_port *p = find_port(r, peer);
    if (!p) {
        return refuse_neighbour(r, peer, err);
    }
    if (p->is_given) {
        return err_set(err, "--port: %s is named twice", peer);
    }
    return read_device(p, (uint32_t)(p - r->ports), equals + 1, err);
}

static bool
all_are_given(const struct switch_running *r, struct err *err)
{
    for (const struct switch_port *p = r->ports; p < r->ports + r->n_ports; p++) {
        if (!p->is_given) {
            return err_set(err,
                           "%s has a port to %s, and no device was given for it: --port "
                           "%s=DEVICE, or --port %s=down if nothing is connected there",
                           r->topo->nodes[r->node].name, p->peer, p->peer, p->peer);
        }
    }
    return true;
}

bool
switch_ports_read(struct switch_running *r, struct err *err)
{
    const struct topo_node *n = &r->topo->nodes[r->node];

    if (n->n_ports > SWITCH_MAX_PORTS) {
        return err_set(err, "%s has %u ports; a switch on real ports may have at most %d", n->name,
                       n->n_ports, SWITCH_MAX_PORTS);
    }
    r->n_ports = n->n_ports;
    for (uint32_t i = 0; i < n->n_ports; i++) {
        uint32_t peer = r->topo->ports[n->first_port + i].peer;
        r->ports[i] = (struct switch_port){ 0 };
        r->ports[i].peer = topo_port_text(r->topo, peer, r->ports[i].peer_text);
    }
    for (size_t i = 0; i < r->request->n_ports; i++) {
        if (!read_port(r, r->request->ports[i], err)) {
            return false;
        }
    }
    return all_are_given(r, err) && devices_differ(r->ports, r->n_ports, err);
}
