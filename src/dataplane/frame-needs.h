/* The needs of nodes of a model on real frames, of any source: the network to read and write frames
 * by, their maximum length and number, and how soon a node answers. */

#ifndef DATAPLANE_OF_MODEL_H
#define DATAPLANE_OF_MODEL_H

#include "dataplane/frame.h"
#include "model/model.h"

/* The network of the model, whose topology it keeps; to be freed. */
struct dp_network dp_network_of(const struct model *);
void dp_network_free(struct dp_network *);

/* The longest frame that is taken, without check sequence: of the model, or, if that is longer, of
 * a Linux host, with a VLAN tag. */
uint32_t dp_longest_frame(const struct model *);

/* Frames for the pool of 'n' nodes, from one on: as many full packets as they hold, and as are on
 * wires to them, and those that each keeps for control. */
uint32_t dp_frames_of(const struct model *, uint32_t first_node, uint32_t n);

/* For a node that runs by itself: as many as the shortest packets that fit its buffer. At a switch
 * on its own machine these are foreign frames, which are as short as any.  In a lab, whose nodes
 * share one machine, they are of the model's flows. */
uint32_t dp_frames_of_switch(const struct model *, uint32_t node);
uint32_t dp_frames_in_lab(const struct model *, uint32_t node);

/* Frames that may come by a port of a node, numbered as there, within the longest time that nodes
 * take to respond: the shortest, one after the other.  'n_ports' of one machine share the memory.
 */
uint32_t dp_frames_waiting(const struct model *, uint32_t node, uint32_t port, size_t n_ports);

/* A simulated node takes its response time for each frame; a real one answers as soon as it can,
 * and may take so long.  Thresholds must be derived before. */
void dp_answer_at_once(struct model *);

#endif
