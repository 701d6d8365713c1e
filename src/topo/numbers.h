/* Numbers of nodes, for foreign files that know nodes by number alone: files for HPCC's scripts,
 * and flows that are read.
 *
 * A network that came from a file of HPCC's has them in its names: host 0 is H0, switch 4 is S4,
 * and no number is there twice.  A scenario that `weir explain` has written of it keeps them, too.
 * In other networks H1 and S1 may both be there: hosts then count from 0 in their order, and
 * switches go on behind them, as in HPCC's own fat tree. */

#ifndef TOPO_NUMBERS_H
#define TOPO_NUMBERS_H

#include "topo/topo.h"

bool topo_numbers_are_in_names(const struct topo *);
uint32_t topo_number_of(const struct topo *, uint32_t node, bool is_in_name);

/* The same the other way round, for hosts. */
struct topo_hosts {
    const struct topo *topo;
    bool are_in_names;
    uint32_t *nics; /* In their order. */
};

struct topo_hosts topo_hosts_of(const struct topo *);
void topo_hosts_free(struct topo_hosts *);

/* TOPO_NONE: no host has this number. */
uint32_t topo_host_of_number(const struct topo_hosts *, uint64_t number);

#endif
