/* The graph of dependencies as depend.c and flood.c build it and cycles.c and examples.c read it;
 * for no other file.
 *
 * A buffer is a slot and a class.  A slot is a hop of the search: the hop of 'at' that leads to
 * 'next' is the input of 'at' that packets from 'next' enter by.  Its row has a bit for each hop of
 * 'at'; a set bit is an edge to the slot at that hop's other end.  Hops belong to links that are
 * ever up.
 *
 * Where inputs wait for a pipeline, the rows are not used: the switch has two sets of hops for each
 * class instead, by which packets come in and go on.  The pipelines are numbered after the buffers.
 *
 * An epoch is the time between two changes of routes.  Packets on their way in one are on their way
 * in the next, so floods go on where they were. */

#ifndef TOPO_DEPEND_GRAPH_H
#define TOPO_DEPEND_GRAPH_H

#include "topo/depend.h"
#include "topo/search.h"

struct depend {
    struct topo net; /* The network, with links of its own, as switches believe it to be. */
    const struct topo *start; /* As in the scenario. */
    struct depend_traffic traffic;
    struct topo_search s;
    bool *is_ever_up; /* [link]. */
    size_t *n_known;  /* [epoch]: the number of changes that are known from then on. */
    size_t n_epochs, epoch;
    struct arena memory;
    uint32_t n_slots;
    uint32_t *at; /* [slot]: its switch. */
    size_t *row;  /* [slot]: the first word of its row in those of a class. */
    size_t n_words;
    uint64_t *same;       /* [class][words]: edges into the same class, */
    uint64_t *lower;      /* and into the class below; null unless classes count hops. */
    uint64_t *ins, *outs; /* [class][set words]: buffers that wait for a pipeline, and those that it
                             waits for; null: there is none. */
    uint32_t *n_hosts;    /* [switch]: live ones, */
    uint32_t *n_leaf_hosts;       /* [leaf]: and by where routes to them lead. */
    struct depend_routed *routed; /* Flows without a path of their own, by part. */
    uint32_t n_routed;
    size_t n_cut;

    /* The state of one flood: the packets that reach each switch on the way to the leaf, and the
     * choices of that switch in the epoch. */
    size_t *set; /* [switch]: where its sets of hops begin. */
    size_t n_set_words;
    uint64_t *from_switches, *choices, *some;
    bool *from_hosts;
    uint32_t *came_by; /* [switch]: the hop back to the switch that was first to reach it. */
    uint32_t *reached; /* Switches, in the order in which they were. */
    uint32_t n_reached;
    uint64_t *to_go; /* [switch]: bit c: packets that come here may have the hops to go of class
                      * c. */
};

/* Values of came_by: none; hosts at the switch itself. */
#define DEPEND_NOBODY   UINT32_MAX
#define DEPEND_BY_HOSTS (UINT32_MAX - 1)

/* A flow without a path of its own, and its sort key: answers last, by class and leaf. */
struct depend_routed {
    uint64_t part;
    uint32_t flow;
};

/* Traffic of one class to one leaf. */
struct depend_part {
    uint32_t leaf;
    uint8_t cls;
    const struct depend_routed *flows; /* The flows that it is of; none: from all hosts. */
    uint32_t n_flows;
};

static inline uint32_t
bit_of(uint64_t bits)
{
    return (uint32_t)__builtin_ctzll(bits);
}

/* Words of a set of hops of a switch. */
static inline uint32_t
depend_words(const struct depend *d, uint32_t at)
{
    return (d->s.first[at + 1] - d->s.first[at] + 63) / 64;
}

static inline enum depend_wait
depend_wait_at(const struct depend *d, uint32_t at)
{
    return d->traffic.waits ? (enum depend_wait)d->traffic.waits[at] : DEPEND_FOR_OUTPUT;
}

/* The set of a switch in d->ins or d->outs, for a class. */
static inline uint64_t *
depend_hops(const struct depend *d, uint64_t *sets, uint32_t at, uint8_t cls)
{
    return sets + cls * d->n_set_words + d->set[at];
}

static inline bool
depend_has_bit(const uint64_t *set, uint32_t bit)
{
    return set[bit / 64] >> bit % 64 & 1;
}

static inline uint32_t
depend_buffers(const struct depend *d)
{
    return d->n_slots * d->traffic.n_classes;
}

/* cycles.c.  The next vertex that a vertex waits for, or TOPO_NONE.  *pos, from 0 on, counts
 * through them.  A buffer is slot + class * n_slots; the pipelines of switches stand behind. */
uint32_t depend_next(const struct depend *, uint32_t v, uint32_t *pos);

/* The class of a packet with this many hops left. */
uint8_t depend_class(const struct depend *, uint8_t cls, uint32_t hops);
uint64_t *depend_row(const struct depend *, uint32_t slot, uint8_t cls, uint8_t next_cls);

/* Whether a flow waits for buffers: its class is lossless and its ends are linked. */
bool depend_counts(const struct depend *, const struct depend_flow *);

/* Every part of the traffic; and one of them, with the search done for the first epoch and
 * from_hosts set. */
void depend_each_part(struct depend *,
                      void (*part)(struct depend *, const struct depend_part *, void *), void *arg);

void depend_open_part(struct depend *, const struct depend_part *);

/* The paths to a leaf by the routes of an epoch. */
void depend_search(struct depend *, uint32_t leaf, size_t epoch);

/* flood.c.  Every switch that packets to the leaf come to, with all sets filled in, one epoch after
 * the other; where they end there are no choices.  'reach' may be null. */
void depend_flood(struct depend *, uint32_t leaf,
                  void (*reach)(struct depend *, uint32_t at, void *), void *arg);

/* Whether packets that come to a switch, in a flood of a class, may be in that class there; and
 * packets that leave by a hop, in these before and after it. */
bool depend_comes_in(const struct depend *, uint8_t flood_cls, uint32_t at, uint8_t cls);
bool depend_has_classes(const struct depend *, uint8_t flood_cls, uint32_t hop, uint8_t cls,
                        uint8_t next_cls);

/* Where classes count hops: sets 'some' of a switch to the choices after which a packet may be in a
 * class; are there any? */
bool depend_choose_class(struct depend *, uint32_t at, uint8_t next_cls);

/* The switches that a flow with a path of its own crosses: at the first it comes in by no hop, at
 * the last it leaves by none.  False if a link of it has failed. */
bool depend_walk(const struct depend *, const struct depend_flow *,
                 void (*step)(const struct depend *, const struct depend_edge *, void *),
                 void *arg);

/* examples.c: a route for each edge. */
void depend_add_examples(struct depend *, struct depend_cycles *);

#endif
