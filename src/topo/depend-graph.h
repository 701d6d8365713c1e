/* The graph of dependencies. depend.c and flood.c build it, cycles.c and examples.c read it, and
 * failure-deps extends it.
 *
 * A buffer is a slot and a class.  A slot is a hop of the search: the hop from 'at' to 'next'
 * stands for the input of 'at' on which packets from 'next' arrive.  Its row has a bit for each hop
 * of 'at'; a set bit is an edge to the slot at that hop's other end.  There are hops for all links
 * that are up at any time.
 *
 * If inputs wait for a pipeline, the rows are not used.  Instead, the switch has two sets of hops
 * for each class: hops over which packets arrive, and hops over which they leave.  The pipelines
 * are numbered after the buffers.
 *
 * An epoch is the time between two changes of routes.  Packets on their way at the end of an epoch
 * continue in the next, so floods continue from the switches that they have reached. */

#ifndef TOPO_DEPEND_GRAPH_H
#define TOPO_DEPEND_GRAPH_H

#include "topo/depend.h"
#include "topo/search.h"

/* A flow without a given path, and its sort key: class and leaf, with flows of ACKs and other
 * feedback last. */
struct depend_routed {
    uint64_t part;
    uint32_t flow;
};

/* Traffic of one class to one leaf. */
struct depend_part {
    uint32_t leaf;
    uint8_t cls;
    const struct depend_routed *flows; /* The flows of this traffic; none: it comes from all
                                        * hosts. */
    uint32_t n_flows;
};

struct depend {
    struct topo net;          /* A copy of the network with its own links, as switches know them. */
    const struct topo *start; /* The network of the scenario. */
    struct depend_traffic traffic;
    struct topo_search s;
    bool *is_ever_up; /* [link]. */
    size_t *n_known;  /* [epoch]: the number of changes that switches know at its start. */
    size_t n_epochs, epoch;
    struct arena memory;
    uint32_t n_slots;
    uint32_t *at; /* [slot]: its switch. */
    size_t *row;  /* [slot]: the first word of its row within the rows of a class. */
    size_t n_words;
    uint64_t *same;         /* [class][words]: edges into the same class. */
    uint64_t *lower;        /* [class][words]: edges into the class below; null unless classes count
                             * hops. */
    uint64_t *ins, *outs;   /* [class][set words]: buffers that wait for a pipeline, and buffers for
                             * which it waits; null: no pipelines. */
    uint32_t *n_hosts;      /* [switch]: the number of its live hosts with one port. */
    uint32_t *n_leaf_hosts; /* [leaf]: the number of all its live hosts. */
    struct depend_routed *routed; /* Flows without a given path, sorted by part. */
    uint32_t n_routed;
    size_t n_cut;

    /* The state of one flood: the packets that reach each switch on their paths to the leaf, and
     * the choices of that switch in the epoch. */
    size_t *set; /* [switch]: the offset of its sets of hops. */
    size_t n_set_words;
    struct depend_part part;
    uint64_t *from_switches, *choices, *some;
    bool *from_hosts;
    uint32_t *came_by; /* [switch]: the hop back to the switch from which it was first reached. */
    uint32_t *reached; /* The switches in the order in which they were reached. */
    uint32_t n_reached;
    uint64_t *to_go; /* [switch]: bit c: packets that arrive may have the remaining hop count of
                      * class c. */
};

/* Special values of came_by: not reached; reached by hosts at the switch. */
#define DEPEND_NOBODY   UINT32_MAX
#define DEPEND_BY_HOSTS (UINT32_MAX - 1)

static inline uint32_t
bit_of(uint64_t bits)
{
    return (uint32_t)__builtin_ctzll(bits);
}

/* The number of words of a set of hops of a switch. */
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

/* cycles.c.  Returns the next vertex for which a vertex waits, or TOPO_NONE. *pos must be 0 before
 * the first call.  The number of a buffer is slot + class * n_slots; the pipelines of switches
 * follow. */
uint32_t depend_next(const struct depend *, uint32_t v, uint32_t *pos);

/* The class of a packet with this many hops left. */
uint8_t depend_class(const struct depend *, uint8_t cls, uint32_t hops);
uint64_t *depend_row(const struct depend *, uint32_t slot, uint8_t cls, uint8_t next_cls);

/* Whether a flow counts: its class is lossless and the links of its ends are live. */
bool depend_counts(const struct depend *, const struct depend_flow *);

/* The first function calls 'part' for every part of the traffic.  The second searches the paths of
 * a part in the first epoch and sets from_hosts. */
void depend_each_part(struct depend *,
                      void (*part)(struct depend *, const struct depend_part *, void *), void *arg);

void depend_open_part(struct depend *, const struct depend_part *);

/* Sets from_hosts, after a search to the leaf of a part. */
void depend_set_senders(struct depend *, const struct depend_part *);

/* Searches the paths to a leaf with the routes of an epoch. */
void depend_search(struct depend *, uint32_t leaf, size_t epoch);

/* flood.c.  Calls 'reach' for every switch that packets to the leaf reach, with all sets filled in,
 * one epoch after the other.  The switch where packets end has no choices.  'reach' may be null. */
void depend_flood(struct depend *, uint32_t leaf,
                  void (*reach)(struct depend *, uint32_t at, void *), void *arg);

/* The first function returns whether packets in a flood of a class may arrive at a switch in class
 * 'cls'.  The second returns whether packets that leave over a hop may have these classes before
 * and after it. */
bool depend_comes_in(const struct depend *, uint8_t flood_cls, uint32_t at, uint8_t cls);
bool depend_has_classes(const struct depend *, uint8_t flood_cls, uint32_t hop, uint8_t cls,
                        uint8_t next_cls);

/* If classes count hops: sets 'some' of a switch to the choices after which a packet may be in a
 * class, and returns whether there are any. */
bool depend_choose_class(struct depend *, uint32_t at, uint8_t next_cls);

/* Calls 'step' for each switch that a flow with a given path crosses; at the first switch it has no
 * input hop, and at the last no output hop.  False if a link of the path has failed. */
bool depend_walk(const struct depend *, const struct depend_flow *,
                 void (*step)(const struct depend *, const struct depend_edge *, void *),
                 void *arg);

/* examples.c: adds an example of a route to each edge. */
void depend_add_examples(struct depend *, struct depend_cycles *);

#endif
