/* Which number a node has for those who know nodes by number. */

#include "run/numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DIGITS = 9 };

/* H17 of a host, S17 of a switch, as one would write the number. */
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
numbers_are_in_names(const struct topo *t)
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
number_of_node(const struct topo *t, uint32_t node, bool is_in_name)
{
    const struct topo_node *n = &t->nodes[node];

    if (is_in_name) {
        return (uint32_t)strtoul(n->name + 1, NULL, 10);
    }
    return n->kind == TOPO_NIC ? n->index : t->n_nics + n->index;
}
