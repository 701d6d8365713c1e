/* The graph of dependencies as depend.c builds it and knots.c reads it; for nobody else.
 *
 * A buffer is a slot and a class.  A slot is a hop of the search: the hop of 'at' that leads to
 * 'next' stands for the input of 'at' that what comes from 'next' enters by.  Its row has a bit for
 * each hop of 'at'; a set bit is an edge to the slot at that hop's other end. */

#ifndef TOPO_DEPEND_GRAPH_H
#define TOPO_DEPEND_GRAPH_H

#include "topo/depend.h"
#include "topo/search.h"

struct depend {
    const struct topo *topo;
    struct depend_traffic traffic;
    struct topo_search s;
    uint32_t n_slots;
    uint32_t *at; /* [slot]: its switch. */
    size_t *row;  /* [slot]: where in a class's words its row begins. */
    size_t n_words;
    uint64_t *same;   /* [class][words]: edges into the same class, */
    uint64_t *lower;  /* and into the class below; null unless classes count hops. */
    bool *has_hosts;  /* [switch]: live ones. */
    uint32_t *routed; /* Flows without a path of their own, by class and leaf. */
    uint32_t n_routed;
    size_t n_cut;

    /* Of one flood: what reaches each switch on its way to the leaf, and what it offers. */
    size_t *set; /* [switch]: where its sets of hops begin. */
    size_t n_set_words;
    uint64_t *from_switches, *choices;
    bool *from_hosts;
};

/* Traffic of one class to one leaf. */
struct depend_part {
    uint32_t to; /* A switch. */
    uint8_t cls;
    const uint32_t *flows; /* That it is of; none: from all hosts. */
    uint32_t n_flows;
};

static inline uint32_t
bit_of(uint64_t bits)
{
    return (uint32_t)__builtin_ctzll(bits);
}

/* The class of a packet that has so many hops to go. */
uint8_t depend_class(const struct depend *, uint8_t cls, uint32_t hops);
uint64_t *depend_row(const struct depend *, uint32_t slot, uint8_t cls, uint8_t next_cls);

/* Whether a flow waits for buffers: its class is lossless and its ends are linked. */
bool depend_counts(const struct depend *, const struct depend_flow *);

/* Every part of the traffic, with the search done and from_hosts set. */
void depend_each_part(struct depend *,
                      void (*part)(struct depend *, const struct depend_part *, void *), void *arg);

/* Every switch that is reached on the way to a leaf, farthest first, with its sets filled in. */
void depend_flood(struct depend *, uint32_t leaf,
                  void (*reach)(struct depend *, uint32_t at, void *), void *arg);

/* The edges of a flow with a path of its own; false if a link of it has failed. */
bool depend_walk(const struct depend *, const struct depend_flow *,
                 void (*step)(const struct depend *, const struct depend_edge *, void *),
                 void *arg);

/* examples.c: a route for each edge. */
void depend_add_examples(struct depend *, struct depend_cycles *);

#endif
