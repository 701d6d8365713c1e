/* Scheduling: which class of a port is served next.
 *
 *     rr      a packet from each class, round robin
 *     strict  the highest class that may send
 *     dwrr    bytes by weight: in its turn a class sends until it has used up weight x MTU, and
 *             excess bytes count against its next turn.  Classes with a weight of 0 have strict
 *             priority over all others, the highest first.
 *
 * The same code serves switches and NICs. */

#include "sim/host/host.h"

struct dwrr {                           /* The state of the scheduling, at n->schedule. */
    uint32_t weights[WEIR_MAX_CLASSES]; /* 0: served before all classes with a weight. */
    uint32_t rightful;                  /* The classes of weight 0, one bit each. */
    int32_t deficits[];                 /* [slot]: bytes that a class may still send in its turn. */
};

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
all_higher(const struct sim_node *n, uint32_t cls)
{
    return ((1u << n->n_classes) - 1) & ~((2u << cls) - 1);
}

static uint32_t
by_weight(const struct sim_node *n, uint32_t port, uint8_t *classes)
{
    const struct dwrr *d = n->schedule;
    uint32_t turn = n->ports[port].turn, n_order = 0;
    uint8_t turns[WEIR_MAX_CLASSES];

    for (uint32_t cls = n->n_classes; cls-- > 0;) {
        if (!d->weights[cls]) {
            classes[n_order++] = (uint8_t)cls;
        }
    }
    if (d->weights[turn] && d->deficits[port * n->n_classes + turn] > 0) {
        classes[n_order++] = (uint8_t)turn;
    }
    in_turn(n, port, turns);
    for (uint32_t i = 0; i < n->n_classes && n_order < SIM_MAX_ORDER; i++) {
        if (d->weights[turns[i]]) {
            classes[n_order++] = turns[i];
        }
    }
    return n_order;
}

static void
charge(struct sim_node *n, uint32_t port, uint32_t cls, uint32_t bytes)
{
    struct dwrr *d = n->schedule;
    struct sim_port *p = &n->ports[port];
    int32_t *deficit = &d->deficits[port * n->n_classes + cls];

    if (!d->weights[cls]) {
        return;
    }
    if (cls != p->turn || *deficit <= 0) { /* A new turn begins; unused bytes of the last turn are
                                            * lost. */
        *deficit = *deficit < 0 ? *deficit : 0;
        *deficit += (int32_t)(d->weights[cls] * n->shape.mtu_bytes);
    }
    *deficit -= (int32_t)bytes;
    if (!(p->active >> cls & 1) && *deficit > 0) { /* An empty queue cannot save unused bytes. */
        *deficit = 0;
    }
    p->turn = (uint8_t)cls;
}

/* The classes that are always served before 'cls': all classes of weight 0; before a class of
 * weight 0, only those with a higher number. */
static uint32_t
all_rightful(const struct sim_node *n, uint32_t cls)
{
    const struct dwrr *d = n->schedule;

    return d->weights[cls] ? d->rightful : d->rightful & all_higher(n, cls);
}

static size_t
dwrr_bytes(uint32_t n_slots)
{
    return sizeof(struct dwrr) + n_slots * sizeof(int32_t);
}

static void
dwrr_init(struct sim_node *n, const void *params, const uint32_t *weights)
{
    struct dwrr *d = n->schedule;

    (void)params;
    for (uint32_t cls = 0; cls < n->n_classes; cls++) {
        d->weights[cls] = weights[cls];
        d->rightful |= (uint32_t)!weights[cls] << cls;
    }
}

const struct sim_scheduling sim_in_turn = {
    .about = { .name = "rr", .title = "Classes take turns, one packet each" },
    .order = in_turn,
    .served = note_turn,
};

const struct sim_scheduling sim_strict = {
    .about = { .name = "strict",
               .title = "The highest class that may send goes first",
               .source = "IEEE 802.1Q-2018, 8.6.8.1" },
    .order = highest_first,
    .served = note_turn,
    .before = all_higher,
};

const struct sim_scheduling sim_dwrr = {
    .about = { .name = "dwrr",
               .title = "Classes share a port by weight, in bytes; a class of weight 0 goes before "
                        "all others",
               .source = "Shreedhar and Varghese, Efficient Fair Queuing using Deficit Round "
                         "Robin, SIGCOMM 1995" },
    .bytes = dwrr_bytes,
    .init = dwrr_init,
    .order = by_weight,
    .served = charge,
    .before = all_rightful,
};
