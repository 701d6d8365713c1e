/* Rings for the links of a model. */

#include "lab/rings.h"

#include <stdlib.h>

#include "base/array.h"
#include "dataplane/frame-needs.h"

bool
lab_rings_open(const struct dpdk_calls *dpdk, const struct model *model, struct dp_io *io,
               struct err *err)
{
    const struct topo *topo = model->topo;
    struct dpdk_port *ports = array_new(topo->n_ports, sizeof *ports);

    for (uint32_t i = 0; i < topo->n_ports; i++) {
        ports[i].ring_to = topo->ports[i].peer;
    }
    bool is_open =
        dpdk->open(ports, (uint32_t)topo->n_ports, dp_frames_of(model, 0, (uint32_t)topo->n_nodes),
                   dp_longest_frame(model), io, err);
    free(ports);
    return is_open;
}
