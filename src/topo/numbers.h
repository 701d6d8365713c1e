/* Numbers of nodes, for foreign files that refer to nodes only by number: files for HPCC's scripts,
 * and flows that Weir reads.
 *
 * A network from a file of HPCC has these numbers in its names: host 0 is H0, switch 4 is S4, and
 * each number occurs once.  A scenario that `weir explain` writes of such a network keeps them,
 * too.  Other networks may have both H1 and S1.  There hosts count from 0 in their order, and
 * switches follow, as in HPCC's own fat tree. */

#ifndef TOPO_NUMBERS_H
#define TOPO_NUMBERS_H

#include "topo/topo.h"

bool topo_numbers_are_in_names(const struct topo *);
uint32_t topo_number_of(const struct topo *, uint32_t node, bool is_in_name);

/* Finds hosts by number. */
struct topo_hosts {
    const struct topo *topo;
    bool are_in_names;
    uint32_t *nics; /* The NICs in their order. */
};

struct topo_hosts topo_hosts_of(const struct topo *);
void topo_hosts_free(struct topo_hosts *);

/* The host with a number; TOPO_NONE: no host has this number. */
uint32_t topo_host_of_number(const struct topo_hosts *, uint64_t number);

#endif
