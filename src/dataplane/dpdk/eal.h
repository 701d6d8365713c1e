/* Starts and ends DPDK's EAL ("environment abstraction layer").
 *
 * EAL starts with the first ports, because their devices decide its options. Devices of the PCI bus
 * need huge pages, which the administrator reserves, and EAL touches only the named devices. Other
 * devices need neither huge pages nor the bus, and only their own rights (decision 0072). */

#ifndef DATAPLANE_DPDK_EAL_H
#define DATAPLANE_DPDK_EAL_H

#include "dataplane/dpdk.h"

/* Takes the user's arguments for EAL, or null. They take precedence over Weir's. */
bool eal_begin(const char *const *args, struct err *);

/* Starts EAL for these ports, with this much memory for frames. Does nothing if EAL already
 * runs. */
bool eal_start(const struct dpdk_port *, uint32_t n_ports, uint64_t bytes, struct err *);

void eal_end(void);

/* Writes the full address of a PCI device, which may be given as "0000:01:00.0" or "01:00.0,rxq=2".
 * Returns false for other devices. */
enum { PCI_ADDRESS = 32 };
bool eal_pci_address(const char *device, char address[PCI_ADDRESS]);

#endif
