/* Parameters of an engine at the ports of a node: derived and checked for each port. */

#ifndef WEIR_LIB_BY_PORT_H
#define WEIR_LIB_BY_PORT_H

#include "weir/engine.h"

/* Calls 'derive' for the node, then for each port.  A field that is 'by_port' gets the value of the
 * ports if all have the same, else it stays WEIR_AUTO. */
void weir_ports_derive(const struct weir_engine *, const struct weir_shape *, void *params);

/* Checks ranges and calls 'check' for ports that are alike.  A line of 'said' that is not about all
 * ports of the engine begins with the ports that it is about. */
bool weir_ports_check(const struct weir_engine *, const struct weir_shape *, const void *params,
                      struct weir_needs *, struct weir_text *said);

/* Warns if a threshold that suits another port of the switch leaves more than half of the room of
 * this one unused: 'value' of 'param' lets a queue grow to 'used_bytes' at most. */
void weir_warn_of_unused(const struct weir_shape *, const char *param, uint64_t value,
                         uint64_t used_bytes, struct weir_text *);

#endif
