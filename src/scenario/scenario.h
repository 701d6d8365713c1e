/* Scenarios: a file -> everything that decides a result, complete and checked.
 *
 *     # GFC, Fig. 9 and 10
 *     topology: {kind: ring, switches: 3, rate: 10Gbps, delay: 1us}
 *     switch:   {buffer: 1MB, arbitration: fifo, response: 85.6us}
 *     engine:   gfc-buffer
 *     engines:  {gfc-buffer: {bm: 1000KB, b1: 750KB}, pfc: {xoff: 800KB}}
 *     flows:
 *       - {from: H1, to: H3, via: [S1, S2, S3]}
 *     run:      {time: 100ms}
 *
 *     struct scenario s;
 *     if (!scn_read(&s, &source, sets, n_sets, &err)) ...     file, line, column, a caret
 *     struct sim_config config = scn_sim(&s);
 *     scn_free(&s);
 *
 * Defaults are filled in here, once, from tables that also say each key's unit, range and meaning;
 * nothing downstream has a default. */

#ifndef SCENARIO_H
#define SCENARIO_H

#include "base/err.h"
#include "scenario/tree.h"
#include "topo/topo.h"
#include "weir/node.h"

struct scn_topology {
    uint64_t kind, switches, hosts, k, rate_bps, delay_ps, loss;
};

struct scn_switch {
    uint64_t kind, arbitration, scheduling, buffer_bytes, shared_bytes, limit_bytes, alpha,
        headroom_bytes;
    uint64_t response_ps;
};

struct scn_wire {
    uint64_t mtu_bytes, gap_bytes, classes, lossless;
};

struct scn_run {
    uint64_t time_ps, seed;
};

enum scn_expect { SCN_EXPECT_DEADLOCK = 1, SCN_EXPECT_DROPS = 2, SCN_EXPECT_COLLAPSE = 4 };

struct scn_flow {
    char name[64];
    uint32_t from, to;
    uint64_t bytes, rate_bps, start_ps, cls;
    uint16_t *path;
    uint32_t n_path;
};

/* What a paper says of this scenario, for `weir reproduce`. */
enum scn_claim_kind { SCN_DEADLOCK, SCN_GOODPUT, SCN_QUEUE, SCN_PEAK };

struct scn_claim {
    uint64_t of;        /* enum scn_claim_kind. */
    uint64_t within;    /* How far from it still holds, as a ratio. */
    uint32_t flow;      /* SCN_GOODPUT: its number. */
    uint32_t port;      /* SCN_QUEUE, SCN_PEAK: of the topology. */
    uint64_t published; /* bps, bytes; SCN_DEADLOCK: 0 or 1. */
    const struct weir_engine *engine;
    char source[64];
};

struct scenario {
    char name[64];
    struct scn_topology topology;
    struct scn_switch switches;
    struct scn_wire wire;
    struct scn_run run;
    uint32_t expect; /* enum scn_expect, or'ed. */
    struct topo topo;
    struct weir_stack stack;
    struct scn_flow *flows;
    size_t n_flows, max_flows;
    struct scn_claim *claims;
    size_t n_claims, max_claims;
};

/* 'sets' are "a.b=value", and go before what the file says. */
bool scn_read(struct scenario *, const struct scn_source *, const char *const *sets, size_t n_sets,
              struct err *);
void scn_free(struct scenario *);

/* The name of the arbitration that was chosen, and whether classes are strict. */
const char *scn_arbitration(const struct scenario *);
bool scn_is_strict(const struct scenario *);

/* The sections of a scenario, for those who explain them: tables of fields, ends with no name. */
struct scn_section {
    const char *name;
    const struct weir_field *fields;
    size_t offset; /* In struct scenario. */
};

extern const struct scn_section scn_sections[];

#endif
