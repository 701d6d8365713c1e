/* Lists of packets that wait at a node, linked in its pool.
 *
 * The same for every host: a host.h includes it when it has said what struct sim_node is. */

#ifndef SIM_LIST_H
#define SIM_LIST_H

static inline void
sim_append(struct sim_node *n, struct sim_queue *q, uint32_t held)
{
    n->pool[held].next = SIM_NONE;
    if (q->head == SIM_NONE) {
        q->head = held;
    } else {
        n->pool[q->tail].next = held;
    }
    q->tail = held;
}

static inline uint32_t
sim_take(struct sim_node *n, struct sim_queue *q)
{
    uint32_t held = q->head;
    q->head = n->pool[held].next;
    return held;
}

#endif
