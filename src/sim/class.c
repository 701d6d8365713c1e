/* Scheduling: which class of a port is served next.
 *
 *     rr      a packet from each in turn
 *     strict  the highest that may send
 *     dwrr    bytes by weight: in its turn a class sends until it has used up weight x MTU, and
 *             what it sends too much counts against its next turn.  A weight of 0 is no share but a
 *             right: such classes go before all others, the highest first.
 *
 * At switches and NICs alike. */

#include "sim/internal.h"

static uint32_t
in_turn(const struct sim_node *n, uint32_t port, uint8_t *classes)
{
    uint32_t cls = n->ports[port].turn;

    for (uint32_t i = 0; i < n->n_classes; i++) {
        cls = cls + 1 < n->n_classes ? cls + 1 : 0;
        classes[i] = (uint8_t)cls;
    }
    return n->n_classes;
}

static void
note_turn(struct sim_node *n, uint32_t port, uint32_t cls, uint32_t bytes)
{
    (void)bytes;
    n->ports[port].turn = (uint8_t)cls;
}

static uint32_t
highest_first(const struct sim_node *n, uint32_t port, uint8_t *classes)
{
    (void)port;
    for (uint32_t i = 0; i < n->n_classes; i++) {
        classes[i] = (uint8_t)(n->n_classes - 1 - i);
    }
    return n->n_classes;
}

static uint32_t
by_weight(const struct sim_node *n, uint32_t port, uint8_t *classes)
{
    uint32_t turn = n->ports[port].turn, n_order = 0;
    uint8_t turns[WEIR_MAX_CLASSES];

    for (uint32_t cls = n->n_classes; cls-- > 0;) {
        if (!n->weights[cls]) {
            classes[n_order++] = (uint8_t)cls;
        }
    }
    if (n->weights[turn] && n->deficits[port * n->n_classes + turn] > 0) {
        classes[n_order++] = (uint8_t)turn;
    }
    in_turn(n, port, turns);
    for (uint32_t i = 0; i < n->n_classes && n_order < SIM_MAX_ORDER; i++) {
        if (n->weights[turns[i]]) {
            classes[n_order++] = turns[i];
        }
    }
    return n_order;
}

static void
charge(struct sim_node *n, uint32_t port, uint32_t cls, uint32_t bytes)
{
    struct sim_port *p = &n->ports[port];
    int32_t *deficit = &n->deficits[port * n->n_classes + cls];

    if (!n->weights[cls]) {
        return;
    }
    if (cls != p->turn || *deficit <= 0) { /* A new turn; what the last one left is forfeit. */
        *deficit = *deficit < 0 ? *deficit : 0;
        *deficit += (int32_t)(n->weights[cls] * n->shape.mtu_bytes);
    }
    *deficit -= (int32_t)bytes;
    if (!(p->active >> cls & 1) && *deficit > 0) { /* Rest is not saved up. */
        *deficit = 0;
    }
    p->turn = (uint8_t)cls;
}

const struct sim_scheduling sim_scheduling_table[] = {
    { "rr", in_turn, note_turn },
    { "strict", highest_first, note_turn },
    { "dwrr", by_weight, charge },
    { 0 },
};

const char *const sim_schedulings[] = { "rr", "strict", "dwrr", 0 };
