/* Backpressure in a run: how long queues grew, and how long links were paused.
 *
 * The peak input queue and the peak output queue are two facts.  A packet in a switch with shared
 * memory counts in both at once; a switch with a pipeline or crossbar has two buffers.
 *
 * A link is one direction of a cable in one class: one transmit queue.  The time paused is the time
 * for which a pause of its peer shut it, by PFC or FAFC, with a pause that stands at the end
 * counted until the end.  It is not known where no engine can pause: credits and rates hold links
 * back in another way.  Waits at the start of a link are not pauses. */

#ifndef ANSWER_BACKPRESSURE_H
#define ANSWER_BACKPRESSURE_H

#include "answer/columns.h"

enum { BACKPRESSURE_LINK_BYTES = 136 };

struct backpressure {
    uint64_t peak_input_bytes, peak_output_bytes;   /* COLUMN_NO_COUNT: not known. */
    double paused_ps;                               /* Of all links; negative: none can be. */
    double most_paused_ps;                          /* Of the link that was paused the longest, */
    uint64_t most_paused_class;                     /* its class, */
    uint32_t most_paused_port;                      /* its port in the topology, */
    char most_paused_link[BACKPRESSURE_LINK_BYTES]; /* and its name; empty: none was paused. */
};

enum {
    BACKPRESSURE_PEAK_INPUT,
    BACKPRESSURE_PEAK_OUTPUT,
    BACKPRESSURE_PAUSED,
    BACKPRESSURE_MOST_PAUSED,
    BACKPRESSURE_MOST_PAUSED_LINK,
    BACKPRESSURE_MOST_PAUSED_CLASS,
    BACKPRESSURE_N_COLUMNS
};

extern const struct column backpressure_columns[BACKPRESSURE_N_COLUMNS];

/* Nothing is known. */
struct backpressure backpressure_none(void);

/* Counters of results files. */
#define BACKPRESSURE_INPUT_COUNTER  "peak_input_queue_bytes"
#define BACKPRESSURE_OUTPUT_COUNTER "peak_output_queue_bytes"
#define BACKPRESSURE_PAUSED_COUNTER "paused_ps"

/* Adds one of a port and class; other counters change nothing. */
void backpressure_add_counter(struct backpressure *, uint32_t port, uint32_t cls, const char *name,
                              uint64_t value);

/* Names the link that was paused the longest by its two nodes. */
void backpressure_name_link(struct backpressure *, const char *from, const char *to);

static inline bool
backpressure_has_link(const struct backpressure *b)
{
    return b->most_paused_ps > 0;
}

#endif
