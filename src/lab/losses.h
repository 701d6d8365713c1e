/* Losses between the nodes of a lab: frames that one port sent and its peer did not receive.
 *
 * Kernels and devices drop frames silently when a process is not scheduled in time and its buffers
 * are full. So each node reports its sent and received frames, and their difference is known when
 * no frame is on its way any more.
 *
 * This header also has packets for which a node had buffer space, but no free frame. */

#ifndef LAB_LOSSES_H
#define LAB_LOSSES_H

#include "dataplane/node.h"
#include "run/outcome.h"

struct lab_losses {
    /* The numbers of lost packets and control frames on all links. */
    uint64_t n_packets, n_controls;
    uint64_t n_lossless; /* The number of lost packets in lossless classes. */
    uint64_t n_forged; /* The number of packets of flows that arrived although no node sent them. */
    uint32_t first_forged; /* The first link with such packets; TOPO_NONE: none. */
    struct lab_loss {
        uint64_t n_packets, n_controls, n_forged;
        uint32_t link;
        bool was_down; /* An end of the link noticed that it was down for a time. */
    } worst;           /* The link with the most losses. */
};

/* Finds the losses, and adds them to the simulation after its last report.  'crossed' is indexed by
 * port of the topology.
 */
struct lab_losses lab_losses_find(struct sim *, const struct dp_crossed *);

/* Warns of losses in the outcome, with possible reasons. Counts are indexed by node. */
void lab_losses_warn(struct outcome *, const struct lab_losses *, const struct dp_counts *);

/* The number of packets that a node dropped because it had no free frame; and a sentence about it
 * with a remedy, for a limit of 'max_held' frames. */
uint64_t lab_unheld_at(const struct sim *, uint32_t node);
void lab_unheld_words(const char *node, uint64_t n, uint32_t max_held, struct weir_text *);

/* Warns in the outcome of a lab about the node that dropped the most packets for lack of frames.
 * Counts are indexed by node. */
void lab_unheld_warn(struct outcome *, const struct dp_counts *);

#endif
