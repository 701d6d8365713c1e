/* `weir explain`: parameters that the ports of a node derive each for itself. */

#ifndef CLI_EXPLAIN_PORTS_H
#define CLI_EXPLAIN_PORTS_H

#include "model/model.h"

/* A line for each group of ports that have the same values; nothing where all ports agree. */
void explain_ports(const struct model_engines *);

#endif
