/* DPDK for a group of tests: it is loaded and started before the first test, and ended after the
 * last. */

#ifndef TESTS_DATAPLANE_DPDK_GROUP_H
#define TESTS_DATAPLANE_DPDK_GROUP_H

#include "../unit/unit.h"
#include "dataplane/dpdk.h"

static const struct dpdk_calls *dpdk; /* Null until DPDK has started. */

static int
begin(void **state)
{
    struct err err = { 0 };

    (void)state;
    dpdk = dpdk_load(&err);
    if (!dpdk || !dpdk->begin(NULL, &err)) {
        print_error("%s\n", err.text);
        return -1;
    }
    return 0;
}

static int
end(void **state)
{
    (void)state;
    if (dpdk) {
        dpdk->end();
    }
    return 0;
}

#endif
