/* DPDK's own start and end (EAL, its "environment abstraction layer").
 *
 * It starts with the first ports and not before: their devices decide its start options.  Devices
 * of the PCI bus need huge pages, which the administrator sets aside, and no other device than
 * those is touched.  All else runs without huge pages, without the bus, and with only the rights
 * that the devices themselves need (decision 0072). */

#ifndef DATAPLANE_DPDK_EAL_H
#define DATAPLANE_DPDK_EAL_H

#include "dataplane/dpdk.h"

/* Words of the user's for EAL, or null; ours give way to them. */
bool eal_begin(const char *const *args, struct err *);

/* Starts it for these ports, with frames of this length; does nothing if it runs. */
bool eal_start(const struct dpdk_port *, uint32_t n_ports, uint64_t bytes, struct err *);

void eal_end(void);

/* The whole address of a device of the PCI bus, as of "0000:01:00.0" and "01:00.0,rxq=2"; false: it
 * is another device. */
enum { PCI_ADDRESS = 32 };
bool eal_pci_address(const char *device, char address[PCI_ADDRESS]);

#endif
