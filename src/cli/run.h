/* `weir run`: functions that its text and its JSON share. */

#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "answer/completion-table.h"
#include "output/line-style.h"
#include "run/capture.h"
#include "run/collect.h"
#include "run/outcome.h"
#include "run/signals.h"

enum { RUN_MAX_ROWS = 20 };

/* A class at a port. */
struct run_place {
    const char *node, *peer;
    uint64_t cls;
    bool has_classes; /* The network has several. */
};

struct run_place run_place_of(const struct outcome *, uint32_t port, uint32_t cls);

/* Appends "S1 to S2, class 3" with "to" and ", class "; the class only where there are several. */
void run_place_add(struct weir_text *, const struct run_place *, const char *way, const char *cls);

/* "S1 to S2, class 3", in the room that is given. */
const char *run_place_text(struct weir_text *, const struct outcome *, uint32_t port, uint32_t cls);

/* The members "node", "to" and "class" of an object that is open. */
struct json;
void run_place_write(struct json *, const struct outcome *, uint32_t port, uint32_t cls);

/* A queue: packets of a class that came in by a port of a switch, and the gate of their sender. */
struct run_queue {
    struct run_place at;
    uint64_t peak_bytes, mean_bytes, bytes; /* The mean: after the middle of the run. */
    struct signal_counts signals;
    weir_ps paused_ps; /* Negative, as the share: peers cannot pause. */
    double paused_share;
    uint64_t least_bps; /* COLUMN_NO_COUNT: the rate was never limited. */
};

/* Longest first; returns the number, at most RUN_MAX_ROWS. The caller frees the rows. */
size_t run_list_queues(const struct outcome *, struct run_queue **);

/* The same of what waited to leave by a port of a switch, with the gate of that port. */
size_t run_list_outputs(const struct outcome *, struct run_queue **);

/* A queue to send by whose watchdog has acted. */
struct run_stormy {
    uint32_t port;
    uint8_t cls;
    struct sim_storms storms; /* None was over: ended_ps is negative. */
};

/* Worst first; returns the number. The caller frees the rows. */
size_t run_list_storms(const struct outcome *, struct run_stormy **);

/* A value as text, "1.5 MB" for "%b", written into 'room'. */
const char *run_text(struct weir_text *, const char *format, uint64_t value);

const char *run_node_name(const struct outcome *, uint32_t port);

/* Writes the verdict on a run, in one sentence; returns how bad it is. */
enum line_level run_write_verdict(const struct outcome *, struct weir_text *);

/* run-flows.c: what flows received. */
void run_show_flows(const struct outcome *, bool lists_all);
void run_write_flows(struct json *, const struct outcome *);

/* run-queues.c: peaks at inputs and outputs, and pauses of links. */
void run_show_queues(const struct outcome *);
void run_write_queues(struct json *, const struct outcome *);
void run_show_backpressure(const struct outcome *, const struct run_facts *);

/* run-storms.c: hosts that did not drain and what stood still behind them; storms and when. */
void run_show_stalls(const struct outcome *);
void run_show_watchdog(const struct outcome *);
void run_write_watchdog(struct json *, const struct outcome *);

/* run-silence.c: hosts, flows and queues that have stopped, and since when. */
void run_show_silence(const struct outcome *);
void run_write_silence(struct json *, const struct outcome *);

/* run-parameters.c: what engines ran with, at every role and group of nodes. */
void run_show_parameters(const struct outcome *);
void run_write_parameters(struct json *, const struct outcome *);

/* How a run is shown. */
struct show_sizes;
struct run_show_how {
    int form;                       /* enum cli_form */
    bool lists_flows;               /* True: show all; false: show them only if there are few. */
    const struct show_sizes *sizes; /* Or null, like the capture. */
    const struct capture *capture;
};

void run_show(const struct outcome *, const struct run_show_how *);
void run_show_json(const struct outcome *, const struct run_facts *,
                   const struct completion_table *, const struct capture *);

#endif
