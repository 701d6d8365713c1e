/* Packets that change class from hop to hop: can they wait for themselves, and how far do they get?
 *
 * Each port has a table: a packet that was sent in class c arrives as class t[c], or has no class
 * there and is dropped.  A buffer is (port, class).  A packet in one may go on by any port of its
 * switch, so it may wait for the buffers at all their other ends, each in the class of the table
 * there.  If nothing that hosts fill can wait for itself in this way, no routes can deadlock:
 * neither those that are, nor those after failures, nor routes that lead round.  Where inputs wait
 * for one pipeline, a packet in one may wait for packets of any other, in any class.
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
    const struct topo *topo; /* With routes. */
    uint32_t n_classes;
    const uint8_t *arrives_as; /* [port][class sent in], for all ports of the topology. */
    uint32_t sent;             /* Bit c: hosts send in class c. */
    const uint8_t *waits;      /* [switch], enum depend_wait; null: for outputs, all of them. */
};

bool topo_class_changes_can_cycle(const struct topo_class_changes *);

/* Looks for a path from one NIC to another (TOPO_NONE: any) on which a packet that a host sends has
 * no class at some switch. */
bool topo_class_changes_find_short(const struct topo_class_changes *, uint32_t from, uint32_t to,
                                   struct topo_path *);

/* True if that holds for a flow's own path: the ports to leave switches by. Packets are sent in the
 * lowest class. */
bool topo_class_changes_is_short(const struct topo_class_changes *, uint32_t from,
                                 const uint16_t *path, uint32_t n_path, struct topo_path *);

#endif
