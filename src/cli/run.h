/* `weir run`: functions that its text and its JSON share. */

#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "answer/completion-table.h"
#include "run/capture.h"
#include "run/collect.h"
#include "run/outcome.h"

enum { RUN_MAX_ROWS = 20 };

/* A queue: packets of a class that came in by a port of a switch, and the gate of their sender. */
struct run_queue {
    uint32_t port;
    uint8_t cls;
    uint64_t peak_bytes, mean_bytes, bytes; /* The mean: after the middle of the run. */
    struct sim_gate_state gate;
};

/* The longest first, freed by the caller: how many, at most RUN_MAX_ROWS. */
size_t run_list_queues(const struct outcome *, struct run_queue **);

/* The same of what waited to leave by a port of a switch, with the gate of that port. */
size_t run_list_outputs(const struct outcome *, struct run_queue **);

/* A queue to send by whose watchdog has acted. */
struct run_stormy {
    uint32_t port;
    uint8_t cls;
    struct sim_storms storms;
};

/* The worst first, freed by the caller: how many. */
size_t run_list_storms(const struct outcome *, struct run_stormy **);

/* A value as text, "1.5MB" for "%B"; it stands in the room that is given. */
const char *run_text(struct weir_text *, const char *format, uint64_t value);

const char *run_node_name(const struct outcome *, uint32_t port);

/* Writes the verdict on a run, in one sentence. */
void run_write_verdict(const struct outcome *, struct weir_text *);

/* run-queues.c: peaks at inputs and outputs, and pauses of links. */
void run_show_queues(const struct outcome *);
void run_show_backpressure(const struct outcome *, const struct run_facts *);

/* run-storms.c: hosts that did not drain and what stood still behind them; storms and when. */
void run_show_stalls(const struct outcome *);
void run_show_watchdog(const struct outcome *);

/* run-silence.c: hosts, flows and queues that have stopped, and since when. */
struct json;
void run_show_silence(const struct outcome *);
void run_write_silence(struct json *, const struct outcome *);

/* run-parameters.c: what engines ran with, at every role and group of nodes. */
void run_show_parameters(const struct outcome *);
void run_write_parameters(struct json *, const struct outcome *);

/* Shows a run in one of the forms of enum cli_form.  Edges of sizes and the capture may be null. */
struct show_sizes;
void run_show(const struct outcome *, int form, const struct show_sizes *, const struct capture *);
void run_show_json(const struct outcome *, const struct run_facts *,
                   const struct completion_table *, const struct capture *);

#endif
