/* The needs of a model's nodes for real frames from any source: the network description for parsing
 * and writing frames, their maximum length and number, and the response time of nodes. */

#ifndef DATAPLANE_OF_MODEL_H
#define DATAPLANE_OF_MODEL_H

#include "dataplane/frame.h"
#include "model/model.h"

/* Describes the network of the model, whose topology the result refers to. The caller frees the
 * result. */
struct dp_network dp_network_of(const struct model *);
void dp_network_free(struct dp_network *);

/* The length of the longest accepted frame, without its check sequence: that of the model or, if
 * longer, that of a Linux host with a VLAN tag. */
uint32_t dp_longest_frame(const struct model *);

/* The number of frames for the pool of 'n' nodes: the full packets in their buffers and on the
 * links to them, and the frames that each node reserves for control. */
uint32_t dp_frames_of(const struct model *, uint32_t first_node, uint32_t n);

/* The number of frames for a single node: as many as the shortest packets that fit its buffer. At a
 * switch on its own machine these are foreign frames of minimum length. In a lab, whose nodes share
 * one machine, they are packets of the model's flows. */
uint32_t dp_frames_of_switch(const struct model *, uint32_t node);
uint32_t dp_frames_in_lab(const struct model *, uint32_t node);

/* The number of frames that may arrive at a port of a node within the longest response time, if all
 * are of minimum length. Ports are numbered as at the node. 'n_ports' ports of the machine share
 * the memory. */
uint32_t dp_frames_waiting(const struct model *, uint32_t node, uint32_t port, size_t n_ports);

/* Sets response times to 0. A simulated node waits for its response time, but a real node responds
 * as soon as it can, and may take up to that time. Thresholds must be derived before. */
void dp_answer_at_once(struct model *);

#endif
