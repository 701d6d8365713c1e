/* Numbers that make nodes differ: what a node salts its hashes with, and where it begins to draw.
 * They follow from the node's number alone, so that it hashes and draws the same in every host. */

#ifndef SIM_SALT_H
#define SIM_SALT_H

#include "weir/engine.h"

/* A number for a node that does not follow the one before. */
static inline uint64_t
sim_chance(uint64_t seed, uint32_t node)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15 + node;
    return weir_random(&state);
}

/* Odd, so that no two flows become one by it. */
static inline uint32_t
sim_salt(uint32_t node)
{
    return (uint32_t)sim_chance(77, node) | 1;
}

#endif
