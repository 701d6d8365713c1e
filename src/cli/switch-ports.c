/* Which device is at which port of a switch, as --port says it. */

#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/switch.h"

/* Devices. */

/* What begins like a driver of DPDK, or has what no name of an interface has, is DPDK's concern. */
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

/* Of two interfaces the number in front differs, and what is behind it does not. */
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

/* Ports. */

static bool
refuse_neighbour(const struct topo *t, uint32_t node, const char *word, struct err *err)
{
    const struct topo_node *n = &t->nodes[node];
    const char *names[SWITCH_MAX_PORTS];
    char offer[200];

    for (uint32_t i = 0; i < n->n_ports; i++) {
        names[i] = t->nodes[t->ports[t->ports[n->first_port + i].peer].node].name;
    }
    text_offer(word, names, sizeof *names, n->n_ports, offer, sizeof offer);
    return err_set(err, "--port: %s has no link to '%s'%s", n->name, word, offer);
}

/* Between two nodes there is one link at most. */
static bool
find_port(const struct topo *t, uint32_t node, const struct switch_port *ports, const char *word,
          uint32_t *number, struct err *err)
{
    uint32_t next = topo_find_node(t, word);
    uint32_t port = next == TOPO_NONE ? TOPO_NONE : topo_port_to(t, node, next);

    if (port == TOPO_NONE) {
        return refuse_neighbour(t, node, word, err);
    }
    *number = t->ports[port].number;
    return !ports[*number].is_given || err_set(err, "--port: %s is named twice", word);
}

static bool
read_port(const struct topo *t, uint32_t node, struct switch_port *ports, const char *word,
          struct err *err)
{
    const char *equals = strchr(word, '=');
    char peer[TOPO_NAME_BYTES];
    uint32_t number = 0;

    if (!equals || equals == word || !equals[1]) {
        return err_set(err, "--port takes NEIGHBOUR=DEVICE, as in H1=eth1, not '%s'", word);
    }
    snprintf(peer, sizeof peer, "%.*s", (int)(equals - word), word);
    return find_port(t, node, ports, peer, &number, err) &&
           read_device(&ports[number], number, equals + 1, err);
}

static bool
all_are_given(const struct topo *t, uint32_t node, const struct switch_port *ports, struct err *err)
{
    for (uint32_t i = 0; i < t->nodes[node].n_ports; i++) {
        if (!ports[i].is_given) {
            return err_set(err,
                           "%s has a port to %s, and no device was given for it: --port "
                           "%s=DEVICE, or --port %s=down if nothing is connected there",
                           t->nodes[node].name, ports[i].peer, ports[i].peer, ports[i].peer);
        }
    }
    return true;
}

bool
switch_ports_read(const struct topo *t, uint32_t node, const struct verb_words *words,
                  struct switch_port ports[SWITCH_MAX_PORTS], struct err *err)
{
    const struct topo_node *n = &t->nodes[node];

    if (n->n_ports > SWITCH_MAX_PORTS) {
        return err_set(err, "%s has %u ports; a switch on real ports may have at most %d", n->name,
                       n->n_ports, SWITCH_MAX_PORTS);
    }
    for (uint32_t i = 0; i < n->n_ports; i++) {
        uint32_t peer = t->ports[n->first_port + i].peer;
        ports[i] = (struct switch_port){ .peer = t->nodes[t->ports[peer].node].name };
    }
    for (size_t i = 0; i < words->n; i++) {
        if (!read_port(t, node, ports, words->items[i], err)) {
            return false;
        }
    }
    return all_are_given(t, node, ports, err) && devices_differ(ports, n->n_ports, err);
}
