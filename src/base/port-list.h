/* Parses lists of ports in options: "S1:2,S1:H1,S2:*" is port 2 of S1, its port towards H1, and all
 * ports of S2. */

#ifndef BASE_PORT_LIST_H
#define BASE_PORT_LIST_H

#include <stdbool.h>

#include "base/err.h"

struct port_name {
    const char *node;
    const char *port; /* A number, or the name of a peer or of a link; null: all ports. */
};

/* Calls 'take' for each port, until it returns false. */
bool port_list_each(const char *list, bool (*take)(void *arg, struct port_name, struct err *),
                    void *arg, struct err *);

#endif
