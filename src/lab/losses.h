/* Losses between the nodes of a lab: sent by a port, and never seen at its peer.
 *
 * Kernels, and devices, drop frames without a message to the sender: where a process is not there
 * in time, frames for it find no room.  So each node reports its sent and received frames, and the
 * difference is known when nothing is under way any more.
 *
 * It also counts packets that a node had room for in its buffer, and no frame to hold them by. */

#ifndef LAB_LOSSES_H
#define LAB_LOSSES_H

#include "dataplane/node.h"
#include "run/outcome.h"

struct lab_losses {
    uint64_t n_packets, n_controls; /* On all links. */
    uint64_t n_lossless;   /* The part of the packets in classes that promise to lose none. */
    uint64_t n_forged;     /* Packets of flows that came though no node has sent them. */
    uint32_t first_forged; /* The first link with some; TOPO_NONE: there are none. */
    struct lab_loss {
        uint64_t n_packets, n_controls, n_forged;
        uint32_t link;
        bool was_down; /* For a time; one of its ends has noticed it. */
    } worst;           /* The link that has lost most. */
};

/* Finds them, and adds them to the simulation that receives reports, behind the last: [port of the
 * topology].
 */
struct lab_losses lab_losses_find(struct sim *, const struct dp_crossed *);

/* Says so in the outcome, if there are any, and why that may be: [node]. */
void lab_losses_warn(struct outcome *, const struct lab_losses *, const struct dp_counts *);

/* Packets that a node had no frame for, by a simulation that knows of it; and in words, with a
 * remedy, if it may hold 'max_held' frames. */
uint64_t lab_unheld_at(const struct sim *, uint32_t node);
void lab_unheld_words(const char *node, uint64_t n, uint32_t max_held, struct weir_text *);

/* Says so in the outcome of a lab, of the node that has dropped most: [node]. */
void lab_unheld_warn(struct outcome *, const struct dp_counts *);

#endif
