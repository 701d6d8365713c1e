/* Numbers that make nodes and flows differ: the salt of a node's hashes, the seed of its random
 * numbers, and the hash key of a flow.  They depend only on the node's number, the run's seed and
 * the flow's ends, so a node has the same hashes and random numbers in every host program. */

#ifndef SIM_SALT_H
#define SIM_SALT_H

#include "weir/engine.h"

/* The seed of a node's random numbers, unrelated to the seeds of other nodes. */
static inline uint64_t
sim_node_seed(uint64_t seed, uint32_t node)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15 + node;
    return weir_random(&state);
}

/* A random whole number below 'n'; the probabilities of all values are equal to within n / 2^32. */
static inline uint32_t
sim_draw_below(uint64_t *chance, uint32_t n)
{
    return (uint32_t)((weir_random(chance) >> 32) * n >> 32);
}

/* The salt of a node's hashes, an odd number, so that different keys of flows stay different. */
static inline uint32_t
sim_salt(uint32_t node)
{
    return (uint32_t)sim_node_seed(77, node) | 1;
}

/* The identity of a flow for a switch, which stands for addresses and ports. */
struct sim_flow_ends {
    uint32_t from, to; /* The indices of both ends among NICs. */
    uint32_t group;    /* The group of the flow: model_flow.group. */
    uint32_t number;   /* Its index among the flows of its group with the same ends. */
};

/* The hash key of a flow at nodes.  It differs for each seed, and is unrelated to the keys of other
 * flows. */
static inline uint32_t
sim_flow_key(uint64_t seed, const struct sim_flow_ends *ends)
{
    uint64_t state = seed;

    state = weir_random(&state) + ((uint64_t)ends->from << 32 | ends->to);
    state = weir_random(&state) + ((uint64_t)ends->group << 32 | ends->number);
    return (uint32_t)(weir_random(&state) >> 32);
}

/* Chooses a number below n, by the key of a flow and the salt of a node. */
static inline uint32_t
sim_pick(uint32_t key, uint32_t salt, uint32_t n)
{
    uint32_t hash = key * salt;

    hash = (hash ^ hash >> 15) * 0x2c1b3c6d;
    return (hash >> 16) * n >> 16;
}

#endif
