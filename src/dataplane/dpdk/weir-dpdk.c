/* The module that calls DPDK: weir-dpdk.so.  Its functions are in dataplane/dpdk.h. */

#include <rte_config.h>

#include "dataplane/dpdk/eal.h"
#include "dataplane/dpdk/ports.h"

extern const struct dpdk_calls weir_dpdk_calls;

__attribute__((visibility("default"))) const struct dpdk_calls weir_dpdk_calls = {
    .build = WEIR_VERSION,
    .max_devices = RTE_MAX_ETHPORTS,
    .begin = eal_begin,
    .open = ports_open,
    .close = ports_close,
    .end = eal_end,
};
