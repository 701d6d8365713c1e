/* Finds why ports were paused: for each pause, the chain of ports to its root, where the congestion
 * is.
 *
 * A slot is one (port, class) that sends.  Its pause comes from the input at the other end of its
 * link.  Most packets there wait for one output of that node, which the node records (a blame).
 * That output may be paused itself, and so on.  So the pauses of a network are a forest: each pause
 * leads to the next, and a chain ends
 *
 *     at an output that is not paused: more packets arrive for it than it can send,
 *     at an output whose link is down, paused or not: it sends nothing,
 *     at a peer that blames no output: a host that does not drain its arriving packets, or
 *     in a cycle, whose pauses wait for each other.
 *
 * During congestion, pauses begin and end many times, at different times: a queue may be full
 * because of an output that was paused until now and resumes briefly.  So an output also counts as
 * blocked if it was paused after the previous pause of the slot ended (for a first pause: after it
 * began), because the queue filled in that time.  Its chain then continues as at the end of that
 * output's pause.
 *
 *     struct why *w = why_new(&network, events, n_events, until_ps);
 *     const struct why_link *l = why_link_at(w, slot, t);             null: it is not paused
 *     why_chain_at(w, slot, t, &chain);
 *     why_shares(w, slot, from_ps, to_ps, &shares);                   the time for each root
 *     why_free(w);
 *
 * The whole time is processed once, event by event; then each query is a search in the intervals
 * of one slot.  Ports or classes that the network does not have are ignored, because events may be
 * untrusted input. */

#ifndef ANSWER_WHY_H
#define ANSWER_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/units.h"

#define WHY_NONE UINT32_MAX

enum why_kind { WHY_PAUSE, WHY_RESUME, WHY_BLAME, WHY_LINK_DOWN, WHY_LINK_UP };

struct why_event {
    weir_ps at_ps;
    uint32_t port, cls; /* An event of a link is about all classes of its port. */
    /* Only in a blame: packets that arrived at the input 'port' in class 'cls' wait for this port,
     * in this class. */
    uint32_t output, output_cls;
    enum why_kind kind;
};

struct why_network {
    /* [port]: the port at the other end of its link; WHY_NONE: there is none. */
    const uint32_t *peers;
    uint32_t n_ports, n_classes;
};

/* An interval in which a slot is paused because of the same output and the same root. */
struct why_link {
    uint32_t slot;
    uint32_t next; /* The slot of that output, which may be paused itself; WHY_NONE: unknown. */
    /* 'depth': the number of links from this one to the root, including both. */
    uint32_t root, depth;
    weir_ps from_ps, to_ps;
};

enum why_end { WHY_OUTPUT, WHY_PEER, WHY_DOWN, WHY_CYCLE };

const char *why_end_name(enum why_end); /* The name for programs, such as "output". */

/* A root, at which chains end. 'ports' has the port of an output that is not paused or is down; for
 * a peer, the port that it pauses; for a cycle, all its ports in the order in which each waits for
 * the next. */
struct why_root {
    enum why_end end;
    uint32_t cls;
    uint32_t *ports;
    uint32_t n_ports;
    weir_ps paused_ps; /* The total time for which slots were paused because of the root. */

    /* The longest chain to this root: its number of links, its first slot, its start and its
     * duration. */
    uint32_t depth, deepest_slot;
    weir_ps deepest_ps, deepest_long_ps;
};

struct why_span {
    weir_ps from_ps, to_ps;
    weir_ps before_ps; /* The total duration of the previous spans in the same group. */
};

/* The times at which a slot was paused because of one root. */
struct why_group {
    uint32_t slot, root;
    size_t first, end;
};

struct why {
    uint32_t n_slots, n_classes;
    /* The search was cut off, because too many slots wait for each other; roots may be wrong from
     * some event on. */
    bool is_cut;
    struct why_link *links; /* Sorted by slot, then by time. */
    size_t n_links, max_links;
    struct why_span *spans;   /* One for each link, sorted by slot, then by root, then by time. */
    struct why_group *groups; /* Sorted by slot, then by root. */
    size_t n_groups, max_groups;
    size_t *links_of, *groups_of; /* Items of a slot are those from [slot] to [slot + 1]. */
    struct why_root *roots;
    size_t n_roots, max_roots;
};

/* Processes events, which must be in order of time. Pauses without an end last until 'until_ps'. */
struct why *why_new(const struct why_network *, const struct why_event *, size_t n,
                    weir_ps until_ps);
void why_free(struct why *);

static inline uint32_t
why_slot(const struct why *w, uint32_t port, uint32_t cls)
{
    return port * w->n_classes + cls;
}

static inline uint32_t
why_port(const struct why *w, uint32_t slot)
{
    return slot / w->n_classes;
}

/* The pause of a slot at an instant; null: it is not paused. */
const struct why_link *why_link_at(const struct why *, uint32_t slot, weir_ps);

static inline bool
why_is_paused(const struct why *w, uint32_t slot, weir_ps at_ps)
{
    return why_link_at(w, slot, at_ps) != NULL;
}

enum { WHY_MAX_CHAIN = 1000 };

/* A chain from a paused slot to its root, with up to WHY_MAX_CHAIN slots. The last slot is an
 * output that is not blocked, or is paused by a peer that blames no output. If the root is a cycle,
 * it consists of the slots from 'cycle_from' on. For a slot that is not paused, the chain has only
 * this slot. The caller zeroes the struct before its first use, and frees 'slots'. */
struct why_chain {
    uint32_t *slots;
    size_t n, max;
    enum why_end end;
    size_t cycle_from;
};

void why_chain_at(const struct why *, uint32_t slot, weir_ps, struct why_chain *);

/* All pauses at an instant, sorted by slot. The caller zeroes the struct before its first use, and
 * frees 'links'. */
struct why_forest {
    struct why_link *links;
    size_t n, max;
};

void why_forest_at(const struct why *, weir_ps, struct why_forest *);

/* The time for which a slot was paused between two instants, by root. Roots without a share are
 * left out. The caller zeroes the struct before its first use, and frees 'items'. */
struct why_share {
    uint32_t root;
    weir_ps paused_ps;
};

struct why_shares {
    struct why_share *items;
    size_t n, max;
};

void why_shares(const struct why *, uint32_t slot, weir_ps from_ps, weir_ps to_ps,
                struct why_shares *);

/* Whether one of these ports is the root, or belongs to its cycle. */
bool why_root_is_on(const struct why_root *, const uint32_t *ports, size_t n);

#endif
