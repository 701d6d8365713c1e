/* Path choice "spray": each packet takes a random path among all equally short paths. */

#include "sim/host/host.h"

/* Hot: once per packet-hop if there are several paths. */
static uint32_t
spray_choose(struct sim_node *n, const struct sim_packet *p, const uint16_t *ports,
             uint32_t n_ports)
{
    (void)p;
    return ports[sim_draw_below(&n->chance, n_ports)];
}

const struct sim_path_choice sim_spray = {
    .about = { .name = "spray",
               .title = "Each packet takes a random one of the equally short paths",
               .source = "Dixit et al., On the Impact of Packet Spraying in Data Center Networks, "
                         "INFOCOM 2013" },
    .choose = spray_choose,
};
