/* Ports of a node: devices, and rings within the process, with one pool of frames behind them. */

#ifndef DATAPLANE_DPDK_PORTS_H
#define DATAPLANE_DPDK_PORTS_H

#include "dataplane/dpdk.h"

bool ports_open(const struct dpdk_port *, uint32_t n_ports, uint32_t n_frames, uint32_t max_len,
                struct dp_io *, struct err *);
void ports_close(struct dp_io *);

#endif
