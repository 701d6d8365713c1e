/* The program of jobs whose messages are relayed (relay-table.h): it runs another program, whose
 * messages it sends over relays, and it is a relay for other ranks.
 *
 *     struct relay_job relay;
 *     relay_job_init(&relay, &graph_program, &what, places, n_ranks, chunk_bytes);
 *     struct model_job job = { .program = &relay.program, .what = &relay, ... };
 *     ... run ...
 *     relay_job_free(&relay);
 *
 * A message with a relay is cut into chunks.  Each chunk crosses a connection from its source to
 * the relay.  When it has arrived there, it crosses a connection from the relay to its destination,
 * while later chunks are still on their way to the relay.  The two connections have their own
 * transports.  The relay stores chunks without limit in the memory of its GPU, so no buffer of the
 * network waits for another one through a relay.
 *
 * The program that is run sees nothing of this.  A message has been sent when its last chunk has
 * left the source.  It arrives with its last chunk, with its own source, size and time.  So the job
 * needs connections between a rank and its relay, and between the relay and the destination, and
 * none between the source and the destination.  If pairs of ranks have
 * several connections, a chunk uses the one with the same number on both legs. */

#ifndef GRAPH_RELAY_PROGRAM_H
#define GRAPH_RELAY_PROGRAM_H

#include "graph/relay-table.h"
#include "model/program.h"

struct relay_job {
    struct program program; /* The program of the job, which runs the inner one. */
    const struct program *inner;
    void *what; /* The input of the inner program. */
    struct relay_table table;
    uint64_t chunk_bytes;
};

/* The job of the inner program and its input, which are lent. */
void relay_job_init(struct relay_job *, const struct program *inner, void *what,
                    const struct relay_place *, uint32_t n_ranks, uint64_t chunk_bytes);
void relay_job_free(struct relay_job *);

/* The state of the inner program, of a rank with this state. */
const void *relay_inner(const void *state);

#endif
