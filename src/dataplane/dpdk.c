/* Loads the module that calls DPDK. */

#include "dataplane/dpdk.h"

#include <stddef.h>

#include "base/module.h"

#define MODULE "weir-dpdk.so"

bool
dpdk_is_there(void)
{
    return DPDK_IS_BUILT_IN && module_is_there(MODULE);
}

static const char *
what_is_missing(void)
{
    return module_is_there(MODULE)
               ? "cannot load DPDK, which libdpdk-dev on Debian installs"
               : "Weir's own module for DPDK, " MODULE ", is missing; it is built with the program "
                 "where libdpdk-dev (Debian) is installed, and must be in the same folder";
}

const struct dpdk_calls *
dpdk_load(struct err *err)
{
    struct err why;

    if (!DPDK_IS_BUILT_IN) {
        err_set(err, "this program was built without DPDK; install it (libdpdk-dev on Debian) and "
                     "build the program again");
        return NULL;
    }
    const struct dpdk_calls *calls = module_load(MODULE, DPDK_CALLS_NAME, WEIR_VERSION, &why);
    if (!calls) {
        err_set(err, "%s: %s", what_is_missing(), why.text);
    }
    return calls;
}
