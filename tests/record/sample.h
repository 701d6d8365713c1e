/* A small run that tests pass to a writer: two NICs at a switch, with rows in every table. */

#ifndef TESTS_RECORD_SAMPLE_H
#define TESTS_RECORD_SAMPLE_H

#include "record/record.h"

enum { SAMPLE_ROWS = 10000, SAMPLE_EVERY_PS = 10000000 };

static const struct rec_run sample_run = {
    .name = "two, \"at\" one",
    .scenario = "topology: {kind: incast}\n",
    .scenario_hash = 0x0123456789abcdef,
    .seed = 7,
    .engines = "pfc ecn",
    .arbitration = "fifo",
    .host = "simulator",
    .settings = "run.seed=7",
    .command_ns = 1738324800000000000,
    .place = 2,
    .build = "0.1.0",
    .started_at = "2025-01-31T12:00:00Z",
};

static const struct rec_parameter sample_parameters[] = {
    { 0, "switch", "buffer", "1MB", "default" },
    { 1, "engines.pfc", "xoff", "800KB", "incast.yaml:7" },
};

static const struct rec_engine_parameter sample_engine_parameters[] = {
    { 0, "switches", 0, 1, "pfc", "xoff", 800000, "800KB" },
    { 1, "hosts", 1, 2, "pfc", "xon", 0, "0B" },
};

static const struct rec_node sample_nodes[] = {
    { 0, "S1", "switch", "switches", 0, 7 },
    { 1, "H1", "nic", "hosts", 0, 300 },
    { 2, "H2", "nic", "hosts", REC_NO_ID, 1 },
};

static const struct rec_port sample_ports[] = {
    { 0, 0, 0, 2, 10000000000, 1000000, "up" },
    { 1, 0, 1, 3, 10000000000, 1000000, NULL },
    { 2, 1, 0, 0, 10000000000, 1000000, "up" },
    { 3, 2, 0, 1, 10000000000, 1000000, NULL },
};

static const struct rec_flow sample_flows[] = {
    { .name = "long",
      .from = 1,
      .to = 2,
      .cls = 3,
      .bytes = REC_NONE,
      .start_ps = 0,
      .ideal_ps = -1,
      .first_ps = 2400000,
      .last_ps = 99990000000,
      .finished_ps = -1,
      .stopped_ps = -1,
      .sent_bytes = 125000000,
      .received_bytes = 124990000,
      .n_packets = 83327,
      .late_goodput_bps = 9999000000,
      .dport = REC_NO_ID },
    { .id = 1,
      .name = "late",
      .from = 1,
      .to = 2,
      .cls = 0,
      .bytes = 30000,
      .start_ps = 5000999,
      .ideal_ps = 26400000,
      .first_ps = 7400000,
      .last_ps = 77000000,
      .finished_ps = 77000000,
      .stopped_ps = -1,
      .sent_bytes = 30000,
      .received_bytes = 30000,
      .n_packets = 20,
      .late_goodput_bps = 0,
      .dport = 200 },
    { .id = 2,
      .name = "early",
      .from = 1,
      .to = 2,
      .cls = 0,
      .bytes = 1500,
      .start_ps = 1000000,
      .ideal_ps = 4400000,
      .first_ps = 5400000,
      .last_ps = 5400000,
      .finished_ps = 5400000,
      .stopped_ps = -1,
      .sent_bytes = 1500,
      .received_bytes = 1500,
      .n_packets = 1,
      .late_goodput_bps = 0,
      .dport = REC_NO_ID },
};

static const struct rec_workload sample_workloads[] = {
    { .name = "all",
      .facts = { .n_flows = 3,
                 .n_finished = 2,
                 .n_unfinished = 1,
                 .fct_mean_ps = 1500,
                 .fct_p50_ps = 2000,
                 .fct_p95_ps = 2500,
                 .fct_p99_ps = -1,
                 .fct_max_ps = -1,
                 .fct_max_at_least_ps = 9000,
                 .slowdown_mean = 1.25,
                 .slowdown_p50 = 1.5,
                 .slowdown_p95 = 1.75,
                 .slowdown_p99 = -1,
                 .slowdown_max = -1,
                 .sent_bytes = 77 } },
};

static const struct rec_counter sample_counters[] = {
    { 0, "port", 1, 3, "sent_bytes", 124990000 },
    { 1, "node", 0, REC_NO_ID, "pfc.pauses", 2 },
    { 2, "run", REC_NO_ID, REC_NO_ID, "n_windows", 123456 },
};

static const struct rec_event sample_events[] = {
    { 0, 3000500, "pause", 1, 2, 3, REC_NO_ID, REC_NONE, NULL },
    { 1, 5400000, "finish", REC_NO_ID, REC_NO_ID, REC_NO_ID, 2, 1500, NULL },
    { 2, 9000000, "resume", 1, 2, 3, REC_NO_ID, REC_NONE, NULL },
    { 3, 9500000, "pause", 0, 1, 3, REC_NO_ID, REC_NONE, NULL },
    { 4, 9900000, "deadlock", REC_NO_ID, REC_NO_ID, REC_NO_ID, REC_NO_ID, REC_NONE,
      "S1 waits for \"S1\"" },
};

static const struct rec_wait sample_waits[] = {
    { 0, 0, 1, 3, 12, 1000, 9000, 4000, 3, 200, 0, 700 },
    { 1, 2, 2, 3, 1, 500, 500, 0, 0, 0, 0, 0 },
};

static const struct rec_violation sample_violations[] = {
    { 0, 9900000, "a deadlock" },
    { 1, -1, "bytes were created or forgotten: S1, 3" },
};

static const struct rec_series sample_series[] = {
    { 0, "queue", "bytes", "port", 0, 3, REC_NO_ID },
    { 1, "sent", "bytes", "port", 1, 3, REC_NO_ID },
    { 2, "held", "bytes", "port", 1, REC_NO_ID, 2 },
    { 3, "received", "bytes", "flow", 0, REC_NO_ID, REC_NO_ID },
};

enum { SAMPLE_SERIES = 4 };

/* Values of the series: a queue that goes up and down, a counter, a constant, and random
 * numbers. */
static inline void
sample_values(uint64_t row, uint64_t values[SAMPLE_SERIES])
{
    values[0] = row * row % 201 * 1500;
    values[1] = row * 12500;
    values[2] = 64;
    uint64_t mixed = (row + 1) * UINT64_C(0x9e3779b97f4a7c15);
    values[3] = mixed ^ mixed >> 29;
}

#define SAMPLE_ADD(NAME, ROWS)                                                                     \
    for (size_t i_ = 0; i_ < sizeof(ROWS) / sizeof *(ROWS); i_++) {                                \
        if (!rec_add_##NAME(r, &(ROWS)[i_], err)) {                                                \
            return false;                                                                          \
        }                                                                                          \
    }

/* Writes a run except for its end. */
static inline bool
sample_tell(struct rec *r, uint64_t n_rows, struct err *err)
{
    uint64_t values[SAMPLE_SERIES];

    if (!rec_begin(r, &sample_run, err)) {
        return false;
    }
    SAMPLE_ADD(parameter, sample_parameters)
    SAMPLE_ADD(engine_parameter, sample_engine_parameters)
    SAMPLE_ADD(node, sample_nodes)
    SAMPLE_ADD(port, sample_ports)
    for (size_t i = 0; i < 3; i++) {
        /* When the run begins, nothing is known of the flow. */
        struct rec_flow f = sample_flows[i];
        f.first_ps = f.last_ps = f.finished_ps = -1;
        f.sent_bytes = f.received_bytes = f.n_packets = f.late_goodput_bps = REC_NONE;
        if (!rec_add_flow(r, &f, err)) {
            return false;
        }
    }
    SAMPLE_ADD(series, sample_series)
    SAMPLE_ADD(event, sample_events)
    for (uint64_t row = 0; row < n_rows; row++) {
        sample_values(row, values);
        if (!rec_sample(r, (weir_ps)row * SAMPLE_EVERY_PS, values, err)) {
            return false;
        }
    }
    return true;
}

static const struct run_facts sample_facts = { .until_ps = 100000000000,
                                               .results_hash = 0xfedcba9876543210,
                                               .n_hops = 1000000,
                                               .deadlock_ps = -1,
                                               .most_paused_link = "S1 to H1" };
static const struct rec_end sample_end = { REC_COMPLETE, 1.5, &sample_facts };

static inline bool
sample_finish(struct rec *r, struct err *err)
{
    for (size_t i = 0; i < 3; i++) {
        if (!rec_set_flow(r, &sample_flows[i], err)) {
            return false;
        }
    }
    SAMPLE_ADD(workload, sample_workloads)
    SAMPLE_ADD(counter, sample_counters)
    SAMPLE_ADD(wait, sample_waits)
    SAMPLE_ADD(violation, sample_violations)
    return rec_end(r, &sample_end, err);
}

#endif
