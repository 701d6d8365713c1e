/* The events of the node being run in a window, in order.
 *
 * An event is one number that sorts: the time within the window, the kind, the port in as many bits
 * as the network's ports need, and the index of its mail.  If all bits of the index are ones, there
 * is no mail, and a port wakes.  The list has room for all flows that may start at once, and for
 * three times as many packets.
 *
 * A node has two sorted lists: its mail, and its ports that wake.  The earlier of their first
 * entries runs next.  A sending port wakes many times within one window.  The list of ports is
 * short, new entries belong near its end, and they need no mail. */

#ifndef SIM_EVENTS_H
#define SIM_EVENTS_H

#include "sim/run-state.h"

enum { SIM_KIND_BITS = 5, SIM_MAIL_BITS = 26 };

#define SIM_NO_MAIL ((1u << SIM_MAIL_BITS) - 1)

static inline uint64_t
sim_event(const struct sim_thread *t, weir_ps at, enum sim_event kind, uint32_t port, uint32_t mail)
{
    uint64_t key = (uint64_t)(at - t->start_ps) << SIM_KIND_BITS | kind;
    return (key << t->port_bits | port) << SIM_MAIL_BITS | mail;
}

static inline weir_ps
sim_event_ps(const struct sim_thread *t, uint64_t event)
{
    return t->start_ps + (weir_ps)(event >> (SIM_MAIL_BITS + t->port_bits + SIM_KIND_BITS));
}

static inline uint32_t
sim_event_port(const struct sim_thread *t, uint64_t event)
{
    return (uint32_t)(event >> SIM_MAIL_BITS) & ((1u << t->port_bits) - 1);
}

static inline uint32_t
sim_event_mail(uint64_t event)
{
    return event & SIM_NO_MAIL;
}

void sim_make_room_for_events(struct sim_thread *); /* Called before a window is run. */

/* Lists the events of a node of this thread in a window, and clears the bits of its ports. */
void sim_list_mails(struct sim_thread *, const struct sim_inbox *);
void sim_list_wakes(struct sim_thread *, const struct sim_node *, uint64_t *wakes);

#endif
