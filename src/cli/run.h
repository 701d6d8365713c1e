/* `weir run`: functions that its text and its JSON have in common. */

#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "answer/completion-table.h"
#include "output/line-style.h"
#include "run/capture.h"
#include "run/collect.h"
#include "run/outcome.h"
#include "run/signals.h"
#include "topo/port-names.h"

enum { RUN_MAX_ROWS = 20 };

/* A class of a port, with the names of the port's ends. */
struct run_place {
    struct topo_ends ends;
    uint64_t cls;
    bool has_classes; /* The network has several classes. */
};

struct run_place run_place_of(const struct outcome *, uint32_t port, uint32_t cls);

/* Appends a name such as "S1 to S2, class 3". 'way' is "to", and 'cls' is ", class "; the class is
 * left out if there is only one. */
void run_place_add(struct weir_text *, const struct run_place *, const char *way, const char *cls);

/* Writes a name such as "S1 to S2, class 3" into the given text. */
const char *run_place_text(struct weir_text *, const struct outcome *, uint32_t port, uint32_t cls);

/* Writes the members "node", "to" and "class" of an open object. */
struct json;
void run_place_write(struct json *, const struct outcome *, uint32_t port, uint32_t cls);

/* A queue of a class at an input of a switch, and the gate of the sender into it. */
struct run_queue {
    struct run_place at;
    /* 'mean_bytes' is the mean over the second half of the run. */
    uint64_t peak_bytes, mean_bytes, bytes;
    struct signal_counts signals;
    weir_ps paused_ps; /* The time and the share of the run; negative if peers cannot pause. */
    double paused_share;
    uint64_t least_bps; /* COLUMN_NO_COUNT: the rate was never limited. */
};

/* Lists input queues with the highest peaks, the highest first. Returns their number, at most
 * RUN_MAX_ROWS. The caller frees the rows. */
size_t run_list_queues(const struct outcome *, struct run_queue **);

/* Lists output queues of switches in the same order, with the gates of their ports. */
size_t run_list_outputs(const struct outcome *, struct run_queue **);

/* A transmit queue whose watchdog has acted. */
struct run_stormy {
    uint32_t port;
    uint8_t cls;
    struct sim_storms storms; /* 'ended_ps' is negative if no storm has ended. */
};

/* Lists these transmit queues, the worst first. Returns their number. The caller frees the rows. */
size_t run_list_storms(const struct outcome *, struct run_stormy **);

/* Writes a value as text into the given struct, such as "1.5 MB" for the format "%b". */
const char *run_text(struct weir_text *, const char *format, uint64_t value);

const char *run_node_name(const struct outcome *, uint32_t port);

/* Writes the verdict on a run, in one sentence. Returns its severity. */
enum line_level run_write_verdict(const struct outcome *, struct weir_text *);

/* Show and write the bytes that flows received (run-flows.c). */
void run_show_flows(const struct outcome *, bool lists_all);
void run_write_flows(struct json *, const struct outcome *);

/* Show and write peak queues at inputs and outputs, and pauses of links (run-queues.c). */
void run_show_queues(const struct outcome *);
void run_write_queues(struct json *, const struct outcome *);
void run_show_backpressure(const struct outcome *, const struct run_facts *);

/* Show and write hosts that did not drain packets and the queues that they blocked, and pause
 * storms with their times (run-storms.c). */
void run_show_stalls(const struct outcome *);
void run_show_watchdog(const struct outcome *);
void run_write_watchdog(struct json *, const struct outcome *);

/* Show and write hosts, flows and queues that have become silent, and since when
 * (run-silence.c). */
void run_show_silence(const struct outcome *);
void run_write_silence(struct json *, const struct outcome *);

/* Show and write the parameters of engines, for every role and group of nodes
 * (run-parameters.c). */
void run_show_parameters(const struct outcome *);
void run_write_parameters(struct json *, const struct outcome *);

/* How a run is shown. */
struct show_sizes;
struct run_show_how {
    int form; /* enum cli_form. */
    /* True: all flows are listed; false: they are listed only if there are few. */
    bool lists_flows;
    const struct show_sizes *sizes; /* The sizes and the capture may be null. */
    const struct capture *capture;
};

void run_show(const struct outcome *, const struct run_show_how *);
void run_show_json(const struct outcome *, const struct run_facts *,
                   const struct completion_table *, const struct capture *);

#endif
