/* Ports by the names of nodes, as options take them: "S1:H1,S2:*" is the port of S1 towards H1, and
 * all ports of S2. */

#ifndef BASE_PORT_LIST_H
#define BASE_PORT_LIST_H

#include <stdbool.h>

#include "base/err.h"

struct port_name {
    const char *node, *peer; /* No peer, but null: all ports of the node. */
};

/* Calls 'take' for each port, until it returns false. */
bool port_list_each(const char *list, bool (*take)(void *arg, struct port_name, struct err *),
                    void *arg, struct err *);

#endif
