/* Random numbers for workloads, the same on every machine.
 *
 * Each host of each workload has its own stream, so that its random numbers do not depend on those
 * of other hosts.  Only integers are used: a logarithm of the C library may differ in its last bit
 * between machines, and a flow might then start a picosecond later. */

#ifndef WORKLOAD_CHANCE_H
#define WORKLOAD_CHANCE_H

#include <stdint.h>

/* The stream of a host, for the seed of the run and the number of the workload. */
uint64_t chance_stream(uint64_t seed, uint32_t workload, uint32_t host);

/* A random number from 0 to n - 1. */
uint64_t chance_below(uint64_t *stream, uint64_t n);

/* An exponential random number: the time from one event of a Poisson process to the next. */
uint64_t chance_exponential(uint64_t *stream, uint64_t mean);

#endif
