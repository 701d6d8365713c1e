/* Lists of packets that wait at a node, linked in its pool.  host.h includes it when it has said
 * what struct sim_node is. */

#ifndef SIM_LIST_H
#define SIM_LIST_H

/* A packet that waited long is in far memory: the next one is fetched when it becomes the next.  If
 * there is none, it is the first of the pool: a branch would be hard to guess. */
static inline void
sim_fetch_held(const struct sim_node *n, uint32_t held)
{
    uint32_t some = held & -(uint32_t)(held != SIM_NONE);

    __builtin_prefetch(&n->pool[some]);
}

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
    sim_fetch_held(n, q->head);
    return held;
}

#endif
