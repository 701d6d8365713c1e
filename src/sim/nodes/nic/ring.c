/* The round-robin list of a class's flows: finds the next flow that may send. */

#include "sim/nodes/nic/ring.h"

/* These functions handle the tree. */

static weir_ps
first_of(const struct nic_ring *r, uint32_t flow)
{
    return flow == SIM_NONE ? WEIR_NEVER : r->turns[flow].first_ps;
}

static uint64_t
priority(uint32_t flow)
{
    uint64_t state = flow;

    return weir_random(&state);
}

static void
sum_up(struct nic_ring *r, uint32_t flow)
{
    struct sim_turn *turn = &r->turns[flow];
    weir_ps left = first_of(r, turn->left), right = first_of(r, turn->right);
    weir_ps below = left < right ? left : right;

    turn->first_ps = turn->at_ps < below ? turn->at_ps : below;
}

static void
sum_up_from(struct nic_ring *r, uint32_t flow)
{
    for (; flow != SIM_NONE; flow = r->turns[flow].parent) {
        sum_up(r, flow);
    }
}

/* Replaces 'flow' by 'child' in the tree. */
static void
replace(struct nic_ring *r, uint32_t flow, uint32_t child)
{
    uint32_t parent = r->turns[flow].parent;

    if (parent == SIM_NONE) {
        r->root = child;
    } else if (r->turns[parent].left == flow) {
        r->turns[parent].left = child;
    } else {
        r->turns[parent].right = child;
    }
    if (child != SIM_NONE) {
        r->turns[child].parent = parent;
    }
}

/* Rotates a flow above its parent; the order of the tree stays the same. */
static void
move_up(struct nic_ring *r, uint32_t flow)
{
    struct sim_turn *turns = r->turns;
    uint32_t parent = turns[flow].parent;
    bool is_left = turns[parent].left == flow;
    uint32_t middle = is_left ? turns[flow].right : turns[flow].left;

    replace(r, parent, flow);
    turns[parent].parent = flow;
    if (is_left) {
        turns[flow].right = parent;
        turns[parent].left = middle;
    } else {
        turns[flow].left = parent;
        turns[parent].right = middle;
    }
    if (middle != SIM_NONE) {
        turns[middle].parent = parent;
    }
    sum_up(r, parent);
    sum_up(r, flow);
}

/* Attaches a flow below the flow just before it in the list, or below the flow just after it. */
static void
attach(struct nic_ring *r, uint32_t before, uint32_t flow)
{
    struct sim_turn *turns = r->turns;
    uint32_t at = before == SIM_NONE ? SIM_NONE : turns[before].right;

    if (at == SIM_NONE) {
        turns[flow].parent = before;
        if (before == SIM_NONE) {
            r->root = flow;
        } else {
            turns[before].right = flow;
        }
        return;
    }
    while (turns[at].left != SIM_NONE) {
        at = turns[at].left;
    }
    turns[at].left = flow;
    turns[flow].parent = at;
}

static weir_ps
opens_ps(const struct nic_ring *r, const struct sim_sender *f)
{
    return f->gate ? weir_gate_ready(f->gate, 0, r->mtu_bytes) : 0;
}

static void
insert(struct nic_ring *r, const struct sim_sender *flows, uint32_t before, uint32_t flow)
{
    weir_ps at = opens_ps(r, &flows[flow]);

    r->turns[flow] = (struct sim_turn){ SIM_NONE, SIM_NONE, SIM_NONE, at, at };
    attach(r, before, flow);
    while (r->turns[flow].parent != SIM_NONE && priority(r->turns[flow].parent) < priority(flow)) {
        move_up(r, flow);
    }
    sum_up_from(r, r->turns[flow].parent);
}

static void
take_out(struct nic_ring *r, uint32_t flow)
{
    const struct sim_turn *turn = &r->turns[flow];

    while (turn->left != SIM_NONE && turn->right != SIM_NONE) {
        move_up(r, priority(turn->left) > priority(turn->right) ? turn->left : turn->right);
    }
    replace(r, flow, turn->left != SIM_NONE ? turn->left : turn->right);
    sum_up_from(r, turn->parent);
}

/* The first flow of a subtree, in its order, whose gate is open; one must exist. */
static uint32_t
first_open(const struct nic_ring *r, uint32_t flow, weir_ps now)
{
    for (;;) {
        const struct sim_turn *turn = &r->turns[flow];
        if (first_of(r, turn->left) <= now) {
            flow = turn->left;
        } else if (turn->at_ps <= now) {
            return flow;
        } else {
            flow = turn->right;
        }
    }
}

/* The first flow after 'flow' whose gate is open, with wrap-around; one must exist. */
static uint32_t
first_open_after(const struct nic_ring *r, uint32_t flow, weir_ps now)
{
    const struct sim_turn *turns = r->turns;

    if (first_of(r, turns[flow].right) <= now) {
        return first_open(r, turns[flow].right, now);
    }
    for (uint32_t up = turns[flow].parent; up != SIM_NONE; flow = up, up = turns[up].parent) {
        bool is_before = turns[up].right == flow;
        if (!is_before && turns[up].at_ps <= now) {
            return up;
        }
        if (!is_before && first_of(r, turns[up].right) <= now) {
            return first_open(r, turns[up].right, now);
        }
    }
    return first_open(r, r->root, now);
}

static void
grow_tree(struct nic_ring *r, const struct sim_sender *flows)
{
    uint32_t before = SIM_NONE, flow = r->next;

    for (uint32_t i = 0; i < r->n; i++) {
        insert(r, flows, before, flow);
        before = flow;
        flow = flows[flow].next;
    }
}

void
nic_ring_move(struct nic_ring *r, const struct sim_sender *flows, uint32_t flow)
{
    r->turns[flow].at_ps = opens_ps(r, &flows[flow]);
    sum_up_from(r, flow);
}

/* These functions handle the list. */

void
nic_ring_enter(struct nic_ring *r, struct sim_sender *flows, uint32_t flow)
{
    struct sim_sender *f = &flows[flow];
    uint32_t before = r->last;

    if (before == SIM_NONE) {
        f->next = f->prev = flow;
    } else {
        f->prev = before;
        f->next = r->next;
        flows[f->next].prev = flow;
        flows[before].next = flow;
    }
    if (before == SIM_NONE || r->joins_next) {
        r->next = flow;
    }
    if (before == SIM_NONE || !r->joins_next) {
        r->last = flow;
    }
    r->n++;
    f->in_ring = true;
    if (r->root != SIM_NONE) {
        insert(r, flows, before, flow);
    }
}

void
nic_ring_leave(struct nic_ring *r, struct sim_sender *flows, uint32_t flow)
{
    struct sim_sender *f = &flows[flow];

    f->in_ring = false;
    flows[f->prev].next = f->next;
    flows[f->next].prev = f->prev;
    r->last = f->prev == flow ? SIM_NONE : f->prev;
    r->next = f->next == flow ? SIM_NONE : f->next;
    r->n--;
    if (r->root != SIM_NONE) {
        take_out(r, flow);
        r->root = r->n < NIC_RING_SMALL ? SIM_NONE : r->root;
    }
}

static uint32_t
search(struct nic_ring *r, const struct sim_sender *flows, weir_ps now, weir_ps *soonest)
{
    uint32_t next = r->next;

    if (r->turns[r->root].first_ps > now) {
        *soonest = r->turns[r->root].first_ps;
        return SIM_NONE;
    }
    if (r->turns[next].at_ps > now) {
        next = first_open_after(r, r->last, now);
        r->last = flows[next].prev;
        r->next = next;
    }
    return next;
}

uint32_t
nic_ring_next(struct nic_ring *r, const struct sim_sender *flows, weir_ps now, weir_ps *soonest)
{
    bool may_grow = r->turns && r->n >= NIC_RING_LARGE;
    uint32_t before = r->last, flow = r->next, n_left = may_grow ? NIC_RING_FAR : r->n;

    if (r->root != SIM_NONE) {
        return search(r, flows, now, soonest);
    }
    do {
        const struct sim_sender *f = &flows[flow];
        weir_ps at = f->gate ? weir_gate_ready(f->gate, now, r->mtu_bytes) : now;
        if (at <= now) {
            r->last = before;
            r->next = flow;
            return flow;
        }
        *soonest = at < *soonest ? at : *soonest;
        before = flow;
        flow = f->next;
    } while (--n_left);
    if (!may_grow) {
        return SIM_NONE;
    }
    grow_tree(r, flows);
    return search(r, flows, now, soonest);
}
