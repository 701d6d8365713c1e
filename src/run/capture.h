/* Writes the packets and frames on the links of a run to a capture file, during the run.
 * doc/captures.md
 *
 *     struct capture capture = { .path = "run.pcapng", .ports = "S1:H1,S2:*" };
 *     capture_check(&capture, results, &err)                before anything is read
 *     capture_configure(&capture, &scenario, &config, &err)       the simulator will call back
 *     sim = sim_new(&config, &model, &err);
 *     capture_begin(&capture, &err)                         the file is there
 *     sim_run(sim);
 *     capture_end(&capture, &err)                            and now it is whole
 *
 * The functions return exit codes.  The caller frees a capture that was configured, even if it was
 * never begun.  A full disk stops the run.  The incomplete file is then removed, unless it replaced
 * an existing one, which may be a device. */

#ifndef RUN_CAPTURE_H
#define RUN_CAPTURE_H

#include "base/pcapng.h"
#include "run/exit.h"
#include "scenario/scenario.h"
#include "sim/sim.h"

enum { CAPTURE_LEAST_SNAP = 64 }; /* Enough for a whole control frame. */

struct capture {
    const char *path;
    const char *ports;    /* "S1:H1,S2:*"; null: all. */
    uint64_t max_packets; /* The maximum number of packets written; 0: no limit. */
    uint64_t snap_bytes;  /* The number of bytes kept of each packet; 0: all. */
    bool force;           /* The file may replace an existing one. */

    const struct scenario *scenario;
    bool *captured;       /* [port]. */
    uint32_t *interfaces; /* Indexed by port: the port's number in the file, if it is captured. */
    struct pcapng file;
    FILE *stream; /* Null: not open. */
    uint32_t n_ports;
    uint8_t *bytes;     /* The packet being written. */
    uint64_t n_packets; /* The number of packets written. */
    uint64_t n_left_out;
    struct err err;
};

int capture_check(struct capture *, const char *results, struct err *);
int capture_configure(struct capture *, const struct scenario *, struct sim_config *, struct err *);
int capture_begin(struct capture *, struct err *);
int capture_end(struct capture *, struct err *);
void capture_free(struct capture *);

#endif
