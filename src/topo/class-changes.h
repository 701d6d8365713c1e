/* Packets that change class from hop to hop: can they wait for themselves, and how far do they get?
 *
 * Each port has a table: a packet that was sent in class c arrives as class t[c], or has no class
 * there and is dropped.  A buffer is (port, class).  A packet in a buffer may leave through any
 * port of its switch.  So it may wait for the buffers at the other ends of all these ports, each in
 * the class given by the table there.  If no buffer that hosts can fill waits for itself in this
 * way, no routes can deadlock: neither current routes, nor routes after failures, nor loops.  If
 * inputs wait for one pipeline, a packet at an input may wait for packets of any other input, in
 * any class.
 *
 *     struct topo_class_changes m = { topo, n_classes, tables, 1 };
 *     if (topo_class_changes_can_cycle(&m)) ...
 *     if (topo_class_changes_find_short(&m, TOPO_NONE, TOPO_NONE, &path)) ...
 *     topo_path_free(&path);                              packets are dropped on that path */

#ifndef TOPO_CLASS_CHANGES_H
#define TOPO_CLASS_CHANGES_H

#include "topo/depend.h"

#define TOPO_NO_CLASS 0xff

struct topo_class_changes {
    const struct topo *topo; /* The network, with its routes. */
    uint32_t n_classes;
    const uint8_t *arrives_as; /* [port][class of the sender], for all ports of the topology. */
    uint32_t sent;             /* Bit c: hosts send in class c. */
    const uint8_t *waits;      /* [switch], enum depend_wait; null: all wait for outputs. */
};

bool topo_class_changes_can_cycle(const struct topo_class_changes *);

/* Looks for a path from one NIC to another (TOPO_NONE: any) on which packets of a host have no
 * class at some switch. */
bool topo_class_changes_find_short(const struct topo_class_changes *, uint32_t from, uint32_t to,
                                   struct topo_path *);

/* Looks for a switch where packets of one flow have no class.  The path of the flow is given as the
 * ports through which it leaves switches.  Its packets are sent in the lowest class of 'sent'. */
bool topo_class_changes_is_short(const struct topo_class_changes *, uint32_t from,
                                 const uint16_t *path, uint32_t n_path, struct topo_path *);

#endif
