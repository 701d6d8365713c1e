/* Parameters of an engine at the ports of a node, derived and checked for each port; and common
 * code for the hooks 'derive' and 'check'. */

#ifndef WEIR_LIB_BY_PORT_H
#define WEIR_LIB_BY_PORT_H

#include "format.h"
#include "weir/engine.h"

/* Calls 'derive' for the node, then for each port.  A field that is 'by_port' gets the value of the
 * ports if all ports have the same value; otherwise it stays WEIR_AUTO. */
void weir_ports_derive(const struct weir_engine *, const struct weir_shape *, void *params);

/* Checks ranges and calls 'check' once for ports with the same properties.  A message in 'said'
 * that is not about all ports of the engine begins with the names of the ports. */
bool weir_ports_check(const struct weir_engine *, const struct weir_shape *, const void *params,
                      struct weir_needs *, struct weir_text *said);

/* Warns if a threshold that fits another port of the switch leaves more than half of the room of
 * this port unused.  With 'value' of 'param', a queue grows to at most 'used_bytes'. */
void weir_warn_of_unused(const struct weir_shape *, const char *param, uint64_t value,
                         uint64_t used_bytes, struct weir_text *);

/* The choices "no" and "yes", for fields of WEIR_CHOICE. */
extern const char *const weir_no_yes[];

/* The first port that the engine serves, and its link.  If 'derive' or 'check' is called for a
 * single port, this is that port. */
static inline const struct weir_port *
weir_first_port(const struct weir_shape *shape)
{
    return &shape->ports[weir_port_from(shape, 0)];
}

static inline struct weir_link
weir_first_link(const struct weir_shape *shape)
{
    return weir_shape_link(shape, weir_port_from(shape, 0));
}

/* The rate of the slowest port, whether the engine serves it or not. */
uint64_t weir_slowest_bps(const struct weir_shape *);

/* The share of a port for a class. */
static inline const struct weir_buffer_class *
weir_shape_class(const struct weir_shape *shape, uint16_t port, uint8_t cls)
{
    return weir_plan_class(&shape->buffer, shape->n_classes, port, cls);
}

static inline uint8_t
weir_lossless_from(const struct weir_shape *shape, uint32_t cls)
{
    while (cls < shape->n_classes && !weir_is_lossless(shape, (uint8_t)cls)) {
        cls++;
    }
    return (uint8_t)cls;
}

#define WEIR_EACH_LOSSLESS(SHAPE, CLS)                                                             \
    for (uint8_t CLS = weir_lossless_from(SHAPE, 0); CLS < (SHAPE)->n_classes;                     \
         CLS = weir_lossless_from(SHAPE, CLS + 1u))

/* Fills in a parameter that is WEIR_AUTO. */
static inline void
weir_fill_in(uint64_t *param, uint64_t derived)
{
    *param = *param == WEIR_AUTO ? derived : *param;
}

#endif
