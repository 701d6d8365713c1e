/* A small model for tests that write and read frames: a fat tree of sixteen hosts, and flows among
 * them. */

#ifndef TESTS_DATAPLANE_BED_H
#define TESTS_DATAPLANE_BED_H

#include <stdlib.h>

#include "dataplane/frame.h"
#include "dataplane/io.h"
#include "topo/topo.h"

enum { BED_FLOWS = 40, BED_CLASSES = 8 };

struct bed {
    struct topo topo;
    struct dp_flow_ends flows[BED_FLOWS];
    struct dp_network net;
};

static inline uint32_t
bed_nic(const struct bed *bed, uint32_t index)
{
    uint32_t node = 0;

    while (bed->topo.nodes[node].kind != TOPO_NIC || bed->topo.nodes[node].index != index) {
        node++;
    }
    return node;
}

static inline void
bed_start(struct bed *bed)
{
    struct err err;

    *bed = (struct bed){ 0 };
    topo_build_fat_tree(&bed->topo, &(struct topo_build){ .k = 4, .link.rate_bps = 1000000000 });
    if (!topo_finish(&bed->topo, &err)) {
        abort();
    }
    for (uint32_t i = 0; i < BED_FLOWS; i++) {
        bed->flows[i] =
            (struct dp_flow_ends){ bed_nic(bed, i % 16), bed_nic(bed, (5 * i + 3) % 16) };
    }
    bed->net = (struct dp_network){ .topo = &bed->topo,
                                    .flows = bed->flows,
                                    .n_flows = BED_FLOWS,
                                    .n_classes = BED_CLASSES,
                                    .max_len = DP_MAX_LEN };
}

static inline void
bed_stop(struct bed *bed)
{
    topo_free(&bed->topo);
}

#endif
