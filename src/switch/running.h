/* A switch that runs on real ports: the state that the files of src/switch share.
 *
 *     switch-run.c        polls the ports until the switch is stopped
 *     set-up.c            finds the switch, opens its devices, makes the node on them
 *     port-devices.c      reads which device each port has
 *     frame-capture.c     writes frames that cross the ports to a file for Wireshark
 *     switch-report.c     writes a line each second, and the report at the end
 *     switch-lateness.c   adds how late the switch was
 *     violations.c        adds which guarantees were broken */

#ifndef SWITCH_RUNNING_H
#define SWITCH_RUNNING_H

#include "base/json.h"
#include "dataplane/dpdk.h"
#include "dataplane/node.h"
#include "lab/timing.h"
#include "switch/switch.h"
#include "topo/port-names.h"

enum { PS_PER_NS = 1000, NS_PER_S = 1000000000, SWITCH_DEVICE_BYTES = 200 };

/* The device of a port. The array of these structs is indexed by the port's number within its
 * node. */
struct switch_port {
    /* The name of the port at the other end; it points to 'peer_text'. */
    const char *peer;
    char peer_text[TOPO_PORT_BYTES];  /* The memory of 'peer'. */
    char device[SWITCH_DEVICE_BYTES]; /* The device's name in DPDK. */
    bool is_given, is_down;           /* 'is_down': the user gave "down" in place of a device. */
    /* The device is a Linux interface, read and written by a packet socket. */
    bool is_interface;
    bool is_shown_up; /* The last message said that its link was up. */
};

struct switch_captured {
    const char *path;
    uint64_t n_written, n_left_out;
};

struct switch_running {
    const struct switch_request *request;
    const struct scenario *scenario;
    const struct topo *topo;
    uint32_t node, n_ports;
    struct switch_port ports[SWITCH_MAX_PORTS];
    uint32_t n_link_changes; /* The number of changes of links that were reported. */
    const struct dpdk_calls *dpdk;
    struct dp_io io;
    uint32_t max_frames; /* The maximum number of frames that the node may hold. */
    struct dp_network network;
    struct switch_capture *capture;
    struct dp_node *dp;
    int64_t now_ns; /* The time since the start of the switch. */
    /* The result of the capture, when it has ended; or null. */
    const struct switch_captured *captured;
    const char *violation; /* The broken guarantees, in words; or null. */
};

/* Reads the ports of the request.  Every port of the node must be named. */
bool switch_ports_read(struct switch_running *, struct err *);

/* Sets the switch up. Returns an exit code. The caller cleans up even after a failure. */
int switch_set_up(struct switch_running *, struct err *);
void switch_clean_up(struct switch_running *);

/* Begins a capture. The packet path only copies frames, and a separate thread writes them, so that
 * a slow disk does not stop ports. A frame that does not fit into the memory between the two is
 * left out, and counted. */
struct switch_capture *switch_capture_begin(const struct topo *, uint32_t node, const char *path,
                                            bool force, int *code, struct err *);

/* Adds a frame that has crossed a port. The time counts from the start of the switch. */
void switch_capture_add(struct switch_capture *, uint32_t port, const struct dp_frame *,
                        int64_t at_ns, bool is_sent);

/* Ends and frees a capture. Returns an exit code. */
int switch_capture_end(struct switch_capture *, struct switch_captured *, struct err *);

/* Writes a sentence about broken guarantees; null: none was broken. */
const char *switch_violation(const struct switch_running *, struct weir_text *);

/* The lateness of the switch, with warnings about it and about missing frames. */
struct switch_lateness {
    const char *node;
    struct lab_delays looks; /* The time between two polls of the ports. */
    struct lab_delays tau;   /* Known only if the switch requested pauses. */
    struct weir_text warnings[3];
    size_t n_warnings;
};

struct switch_lateness switch_lateness_of(const struct switch_running *);
void switch_lateness_write_text(FILE *, const struct switch_lateness *);
void switch_lateness_write_json(struct json *, const struct switch_lateness *);

/* Sums over all ports. */
struct switch_standing {
    uint64_t n_received, received_bytes, n_sent, sent_bytes, n_controls, n_dropped, held_bytes;
};

/* Writes a line for each second, and from time to time a heading above it. */
struct switch_ticker {
    int64_t last_ns;
    struct switch_standing last;
    uint64_t n_lines;
};

void switch_write_links(FILE *, struct switch_running *);
void switch_write_second(FILE *, struct switch_ticker *, const struct switch_running *);
void switch_write_text(FILE *, const struct switch_running *);
void switch_write_json(FILE *, const struct switch_running *);

#endif
