/* Random numbers for workloads: the same on every machine.
 *
 * A stream of its own for each host of each workload, so that the draws of one host never depend on
 * those of others.  Whole numbers only: a logarithm of the C library may differ in its last bit
 * from one machine to the next, and a flow would start a picosecond later. */

#ifndef WORKLOAD_CHANCE_H
#define WORKLOAD_CHANCE_H

#include <stdint.h>

/* The stream of a host, by the seed of the run and the number of the workload. */
uint64_t chance_stream(uint64_t seed, uint32_t workload, uint32_t host);

/* 0 .. n - 1. */
uint64_t chance_below(uint64_t *stream, uint64_t n);

/* Exponential: the time from one event of a Poisson process to the next. */
uint64_t chance_exponential(uint64_t *stream, uint64_t mean);

#endif
