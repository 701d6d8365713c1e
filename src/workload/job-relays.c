/* Relays of jobs: on which server and rail each rank is, and whether a network has any. */

#include "topo/port-names.h"
#include "workload/job.h"

const char *const wl_relays[] = { [WL_RELAY_OFF] = "off", [WL_RELAY_RAIL] = "rail", 0 };

/* The first NIC of a server stands for the server.  A host that is no NIC of a server is a server
 * itself, and is on no rail. */
static struct relay_place
place_of(const struct topo *t, uint32_t node)
{
    uint32_t first = topo_sibling_of(t, node, 0);

    return (struct relay_place){ first == TOPO_NONE ? node : first, topo_nic_number(t, node) };
}

void
wl_job_places(const struct topo *t, const uint32_t *nodes, uint32_t n_ranks,
              struct relay_place *places)
{
    for (uint32_t i = 0; i < n_ranks; i++) {
        places[i] = place_of(t, nodes[i]);
    }
}

bool
wl_check_relays(const struct topo *t, struct err *err)
{
    bool has_rails = false;

    for (uint32_t nic = 0; nic < t->n_nodes; nic++) {
        uint32_t first = t->nodes[nic].kind == TOPO_NIC ? place_of(t, nic).server : nic;
        if (first == nic) {
            continue;
        }
        has_rails = true;
        if (!topo_nics_meet(t, first, nic)) {
            return err_set(err,
                           "%s and %s are GPUs of a server without a scale-up switch, which "
                           "relays need: set topology.gpu, or leave relay out",
                           t->nodes[first].name, t->nodes[nic].name);
        }
    }
    return has_rails || err_set(err, "no server has several NICs, so there is no GPU that could "
                                     "relay: use a topology with rails, or leave relay out");
}
