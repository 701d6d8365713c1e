/* Observers of nodes: events that nodes report as they happen, on request. */

#ifndef SIM_OBSERVERS_H
#define SIM_OBSERVERS_H

#include "sim/run-state.h"

/* note.c: notes an event if its kind is wanted; sim_note_slot() notes an event of a whole queue. */
void sim_note(struct sim_thread *, const struct sim_node *, const struct sim_note *);
void sim_note_slot(struct sim_thread *, const struct sim_node *, uint32_t slot, enum sim_note_kind,
                   uint64_t value, weir_ps now);
void sim_note_gate_change(struct sim_thread *, struct sim_node *, uint32_t slot, weir_ps now);

/* capture.c: records a packet that is sent or has arrived.  For a control frame, 'frame' is set and
 * the packet has no flow; else 'frame' is null. */
void sim_capture(struct sim_thread *, const struct sim_node *, uint32_t port,
                 const struct sim_packet *, const struct sim_frame *, bool is_sent, weir_ps at);

/* sojourn.c. sim_sojourns_gate_changed() is called when a gate has changed.  The others are for a
 * flow at a NIC: its next packet begins to wait; the packet is sent, after the gate of its class
 * has been updated; the flow moves to another port; its window opens. */
void sim_sojourns_gate_changed(struct sim_node *, uint32_t slot, weir_ps now);
void sim_sojourn_of_flow_begun(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
void sim_sojourn_of_flow_ended(struct sim_thread *, struct sim_node *, uint32_t port,
                               const struct sim_packet *, weir_ps now);
/* The flow has left this port of its NIC for another, where its next packet waits from now on. */
void sim_sojourn_of_flow_moved(struct sim_thread *, struct sim_node *, uint32_t flow, uint32_t port,
                               weir_ps now);
void sim_sojourn_of_flow_opened(struct sim_thread *, uint32_t flow, weir_ps now);

/* blame.c: called when a frame to the peer of a port was sent. */
void sim_blame(struct sim_thread *, struct sim_node *, uint32_t port, weir_ps now);

#endif
