/* A lab in virtual time: all nodes of a model in one process, each with its own ports
 * (dataplane/node.h).  The links are DPDK's rings, and the clock advances when all nodes have
 * finished a window.
 *
 * Frames are real bytes, and nodes exchange nothing else.  Time is that of the timestamps on
 * frames, as in the simulator, so that results equal the simulator's, packet by packet.  It needs
 * no privileges, and no core of its own.
 *
 *     struct lab_virtual *lab = lab_virtual_new(&config, &err);
 *     lab_virtual_run(lab);
 *     lab_virtual_free(lab);
 *
 * No frame is on a link for less than a window of the simulator.  So nodes do not depend on each
 * other within a window, and run one after another. */

#ifndef LAB_VIRTUAL_H
#define LAB_VIRTUAL_H

#include "dataplane/dpdk.h"
#include "dataplane/node.h"

/* Opens DPDK's rings for the links of a model: frames pass from a port of the topology to its peer,
 * with their arrival times. DPDK must have begun. The caller closes 'io' by dpdk_calls.close(). */
bool lab_rings_open(const struct dpdk_calls *, const struct model *, struct dp_io *io,
                    struct err *);

struct lab_virtual_config {
    /* The ports, numbered as in the topology, with a ring from each to its peer. */
    const struct dp_io *io;

    /* Makes an equal model at each call, because every node takes one. The caller frees the model
     * if its node cannot be made. */
    bool (*make_model)(void *arg, struct model *, struct err *);
    void *make_arg;

    /* A simulation of the same model, in which no node runs. It receives the reports of all
     * nodes. */
    struct sim *sim;
    struct sim_config nodes; /* Like the configuration of 'sim', without an observer. */

    /* Called with each frame that a port of the topology sends or receives; may be null. */
    void (*tap)(void *arg, uint32_t port, const struct dp_frame *, weir_ps at, bool is_sent);
    void *tap_arg;
};

struct lab_virtual;

struct lab_virtual *lab_virtual_new(const struct lab_virtual_config *, struct err *);
void lab_virtual_run(struct lab_virtual *);
void lab_virtual_free(struct lab_virtual *);

struct dp_counts lab_virtual_counts(const struct lab_virtual *, uint32_t node);

#endif
