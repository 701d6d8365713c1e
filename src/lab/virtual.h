/* A lab in virtual time: all nodes of a model in one process, each on ports of its own
 * (dataplane/node.h).  Rings are the links, and the clock advances when all have done their part.
 *
 * Frames are real bytes and nothing else passes from node to node.  But time is that of the stamps
 * on the frames, like the simulator's, so that results equal the simulator's, packet by packet.  It
 * needs no privileges, and no core to itself.
 *
 *     struct lab_virtual *lab = lab_virtual_new(&config, &err);
 *     lab_virtual_run(lab);
 *     lab_virtual_free(lab);
 *
 * Nothing is on a link for less than a window of the simulator: so in a window no node depends on
 * another, and they are run one after the other. */

#ifndef LAB_VIRTUAL_H
#define LAB_VIRTUAL_H

#include "dataplane/dpdk.h"
#include "dataplane/node.h"

/* Rings of DPDK's for the links of a model: frames go from a port of the topology to the port at
 * its other end, with the time at which they are there.  Once DPDK has begun; 'io' is closed by its
 * own call. */
bool lab_rings_open(const struct dpdk_calls *, const struct model *, struct dp_io *io,
                    struct err *);

struct lab_virtual_config {
    /* Ports of the topology, by their numbers there, with a ring from each to its peer. */
    const struct dp_io *io;

    /* Makes the same model each time: every node takes one.  It is to be freed if that fails. */
    bool (*make_model)(void *arg, struct model *, struct err *);
    void *make_arg;

    struct sim *sim; /* A simulation of the same model, in which no node runs: it receives the
                        reports of all nodes. */
    struct sim_config nodes; /* Like 'sim', and nodes have no observer. */

    /* Called with each frame that a port of the topology has sent or received; null: not called. */
    void (*tap)(void *arg, uint32_t port, const struct dp_frame *, weir_ps at, bool is_sent);
    void *tap_arg;
};

struct lab_virtual;

struct lab_virtual *lab_virtual_new(const struct lab_virtual_config *, struct err *);
void lab_virtual_run(struct lab_virtual *);
void lab_virtual_free(struct lab_virtual *);

struct dp_counts lab_virtual_counts(const struct lab_virtual *, uint32_t node);

#endif
