/* Finds nodes, links and ports by the names that users write. */

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "topo/port-names.h"

/* The name of a NIC may contain a colon, so the function first looks for a node with the whole word
 * as its name. */
bool
topo_read_end(const struct topo *t, const char *word, struct topo_end *end)
{
    const char *colon = strrchr(word, ':');
    char name[TOPO_NAME_BYTES];

    *end = (struct topo_end){ topo_find_node(t, word), NULL };
    if (end->node == TOPO_NONE && colon && (size_t)(colon - word) < sizeof name) {
        snprintf(name, sizeof name, "%.*s", (int)(colon - word), word);
        *end = (struct topo_end){ topo_find_node(t, name), colon + 1 };
    }
    return end->node != TOPO_NONE;
}

static bool
is_called(const struct topo *t, uint32_t port, const char *word)
{
    const struct topo_port *p = &t->ports[port];
    const char *link = t->links[p->link].name;
    uint64_t number;

    return !word || (text_number(word, &number) && number == p->number) ||
           (link && !strcmp(link, word)) || !strcmp(t->nodes[topo_beyond(t, port)].name, word);
}

uint32_t
topo_match_ports(const struct topo *t, const struct topo_end *from, const struct topo_end *to,
                 uint32_t *ports, uint32_t max)
{
    const struct topo_node *node = &t->nodes[from->node];
    uint32_t n = 0;

    for (uint32_t p = node->first_port; p < node->first_port + node->n_ports; p++) {
        uint32_t peer = t->ports[p].peer;
        if (is_called(t, p, from->port) &&
            (!to || (t->ports[peer].node == to->node && is_called(t, peer, to->port)))) {
            if (n < max) {
                ports[n] = p;
            }
            n++;
        }
    }
    return n;
}

uint32_t
topo_nic_of(const struct topo *t, const char *host, uint32_t number)
{
    char name[TOPO_NAME_BYTES];
    int n = snprintf(name, sizeof name, "%s:%u", host, number);
    uint32_t node = n < (int)sizeof name ? topo_find_node(t, name) : TOPO_NONE;

    return node != TOPO_NONE && t->nodes[node].kind == TOPO_NIC ? node : TOPO_NONE;
}

uint32_t
topo_n_nics_of(const struct topo *t, const char *host)
{
    uint32_t n = 0;

    while (topo_nic_of(t, host, n) != TOPO_NONE) {
        n++;
    }
    return n;
}

/* The number is the part of the name after the colon; only names of NICs contain a colon. */
uint32_t
topo_nic_number(const struct topo *t, uint32_t nic)
{
    const char *colon = strrchr(t->nodes[nic].name, ':');

    return colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : TOPO_NONE;
}

/* The name of the server of a NIC, or "". */
static void
read_server(const struct topo *t, uint32_t nic, char server[TOPO_NAME_BYTES])
{
    const char *name = t->nodes[nic].name, *colon = strrchr(name, ':');

    snprintf(server, TOPO_NAME_BYTES, "%.*s", colon ? (int)(colon - name) : 0, name);
}

bool
topo_is_like(const struct topo *t, uint32_t node, const char *pattern)
{
    char server[TOPO_NAME_BYTES];

    read_server(t, node, server);
    return !fnmatch(pattern, t->nodes[node].name, 0) || (server[0] && !fnmatch(pattern, server, 0));
}

uint32_t
topo_sibling_of(const struct topo *t, uint32_t nic, uint32_t number)
{
    char host[TOPO_NAME_BYTES];

    read_server(t, nic, host);
    return number == TOPO_NONE ? TOPO_NONE : topo_nic_of(t, host, number);
}

uint32_t
topo_joined_sibling(const struct topo *t, uint32_t from, uint32_t to)
{
    uint32_t nic = topo_sibling_of(t, from, topo_nic_number(t, to));

    return nic != TOPO_NONE && nic != to && topo_is_connected(t, nic, to) ? nic : TOPO_NONE;
}

uint32_t
topo_find_link(const struct topo *t, const char *name)
{
    for (uint32_t i = 0; i < t->n_links; i++) {
        if (t->links[i].name && !strcmp(t->links[i].name, name)) {
            return i;
        }
    }
    return TOPO_NONE;
}

const char *
topo_port_text(const struct topo *t, uint32_t port, char text[TOPO_PORT_BYTES])
{
    const struct topo_port *p = &t->ports[port];
    int n = snprintf(text, TOPO_PORT_BYTES, "%s", t->nodes[p->node].name);

    if (p->is_parallel) {
        snprintf(text + n, TOPO_PORT_BYTES - (size_t)n, ":%u", p->number);
    }
    return text;
}

struct topo_ends
topo_name_ends(const struct topo *t, uint32_t port)
{
    struct topo_ends ends;

    topo_port_text(t, port, ends.here);
    topo_port_text(t, t->ports[port].peer, ends.there);
    return ends;
}
