/* The numbers of nodes, for file formats that refer to nodes by number. */

#include "topo/numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { MAX_DIGITS = 9 };

/* Whether a name is of the form H17 for a host, or S17 for a switch, without leading zeros. */
static bool
is_numbered(const struct topo_node *n)
{
    const char *digits = n->name + 1;
    size_t len = strlen(digits);

    return n->name[0] == (n->kind == TOPO_NIC ? 'H' : 'S') && len > 0 && len <= MAX_DIGITS &&
           strspn(digits, "0123456789") == len && (digits[0] != '0' || len == 1);
}

/* Whether a switch has the number of this host. */
static bool
has_twin(const struct topo *t, const struct topo_node *host)
{
    char twin[TOPO_NAME_BYTES];

    snprintf(twin, sizeof twin, "S%s", host->name + 1);
    return topo_find_node(t, twin) != TOPO_NONE;
}

bool
topo_numbers_are_in_names(const struct topo *t)
{
    for (size_t i = 0; i < t->n_nodes; i++) {
        const struct topo_node *n = &t->nodes[i];
        if (!is_numbered(n) || (n->kind == TOPO_NIC && has_twin(t, n))) {
            return false;
        }
    }
    return true;
}

uint32_t
topo_number_of(const struct topo *t, uint32_t node, bool is_in_name)
{
    const struct topo_node *n = &t->nodes[node];

    if (is_in_name) {
        return (uint32_t)strtoul(n->name + 1, NULL, 10);
    }
    return n->kind == TOPO_NIC ? n->index : t->n_nics + n->index;
}

struct topo_hosts
topo_hosts_of(const struct topo *t)
{
    struct topo_hosts hosts = { .topo = t,
                                .are_in_names = topo_numbers_are_in_names(t),
                                .nics = array_new(t->n_nics, sizeof *hosts.nics) };

    for (uint32_t i = 0; i < t->n_nodes; i++) {
        if (t->nodes[i].kind == TOPO_NIC) {
            hosts.nics[t->nodes[i].index] = i;
        }
    }
    return hosts;
}

void
topo_hosts_free(struct topo_hosts *hosts)
{
    free(hosts->nics);
}

uint32_t
topo_host_of_number(const struct topo_hosts *hosts, uint64_t number)
{
    char name[TOPO_NAME_BYTES];

    if (hosts->are_in_names) {
        snprintf(name, sizeof name, "H%llu", (unsigned long long)number);
        return topo_find_node(hosts->topo, name);
    }
    return number < hosts->topo->n_nics ? hosts->nics[number] : TOPO_NONE;
}
