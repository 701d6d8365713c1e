/* `weir switch`: what its parts share.
 *
 *     switch.c           the verb: what it takes, and the loop until it is over
 *     switch-set-up.c    which switch, its devices, and the node on them
 *     switch-ports.c     which device is at which port
 *     switch-io.c        the ports that the node sees, of which some have no device
 *     switch-capture.c   what crosses the ports, as a file for Wireshark
 *     switch-show.c      what is told while it runs, and in the end
 *     switch-late.c      and of that, how late it was
 *     switch-broken.c    and which promises were broken */

#ifndef CLI_SWITCH_H
#define CLI_SWITCH_H

#include "base/json.h"
#include "base/pcapng.h"
#include "cli/options.h"
#include "dataplane/dpdk.h"
#include "dataplane/node.h"
#include "lab/tau.h"
#include "scenario/scenario.h"

enum { PS_PER_NS = 1000, NS_PER_S = 1000000000 };

enum { SWITCH_DEVICE_BYTES = 200, SWITCH_MAX_PORTS = VERB_MAX_WORDS };

/* Devices, by number of the port within its node. */
struct switch_port {
    const char *peer;                 /* The node at the other end. */
    char device[SWITCH_DEVICE_BYTES]; /* As DPDK has it. */
    bool is_given, is_down;           /* Down: there is no device, on purpose. */
    bool is_interface;                /* Of Linux, read and written by a raw socket. */
};

/* Reads "H1=eth1" and its like.  Every port of the node must be named. */
bool switch_ports_read(const struct topo *, uint32_t node, const struct verb_words *words,
                       struct switch_port ports[SWITCH_MAX_PORTS], struct err *);

/* Ports of a node, by number, in front of devices that are numbered without those that are down. */
struct switch_io {
    struct dp_io io;      /* For the node. */
    struct dp_io devices; /* As they were opened. */
    uint32_t n_ports;
    uint32_t device_of[SWITCH_MAX_PORTS]; /* UINT32_MAX: it is down. */
    struct {
        bool is_up, is_told_up;
    } links[SWITCH_MAX_PORTS]; /* Those without a device are known to be down. */
    bool has_changed;          /* One of them, since they were told. */
};

void switch_io_put_before(struct switch_io *, const struct switch_port *, uint32_t n_ports);

/* A capture.  The path of packets only copies: a thread of its own writes, so that a slow disk
 * stops no port.  What finds no room is left out, and counted. */
struct switch_capture;

struct switch_capture *switch_capture_begin(const struct topo *, uint32_t node, const char *path,
                                            bool force, int *code, struct err *);

/* A frame has crossed a port, so long after the start. */
void switch_capture_add(struct switch_capture *, uint32_t port, const struct dp_frame *,
                        int64_t at_ns, bool is_sent);
struct switch_captured {
    const char *path;
    uint64_t n_written, n_left_out;
};

/* Ends and frees it; an exit code. */
int switch_capture_end(struct switch_capture *, struct switch_captured *, struct err *);

/* What it was asked for, and what there is of it. */
struct switch_options {
    struct verb_operands file;
    struct verb_words sets, ports, eal;
    const char *node, *pcap;
    int64_t time_ns; /* 0: until it is stopped. */
    bool force, json;
};

struct switch_running {
    const struct switch_options *o;
    struct scenario s;
    uint32_t node;
    struct switch_port ports[SWITCH_MAX_PORTS];
    struct switch_io io;
    const struct dpdk_calls *dpdk;
    uint32_t max_frames; /* That the node may have. */
    struct dp_network network;
    struct switch_capture *capture;
    struct dp_node *dp;
    int64_t now_ns; /* Since its start. */
};

/* An exit code; the scenario has been read.  To be cleaned up even if it fails. */
int switch_set_up(struct switch_running *, struct err *);
void switch_clean_up(struct switch_running *);

/* All that is told. */
struct switch_told {
    const struct topo *topo;
    uint32_t node;
    const struct switch_port *ports;
    const struct switch_io *io;
    struct dp_node *dp;
    int64_t now_ns;
    const struct switch_captured *captured; /* Or null. */
    const char *broken;                     /* The promises that were; or null. */
};

/* What is said of promises that were broken; null: none was. */
const char *switch_broken(const struct switch_told *, struct weir_text *);

/* How late it was, and what is to be said of that, and of frames that ran out. */
struct switch_late {
    const char *node;
    struct dp_lateness looks; /* Time between two at the ports. */
    weir_ps allowed_ps;       /* That thresholds were derived for; WEIR_NEVER: there are none. */
    struct lab_tau tau;       /* Known only where peers were asked to stop. */
    struct weir_text warnings[3];
    size_t n_warnings;
};

struct switch_late switch_late_of(const struct switch_told *);
void switch_late_show(const struct switch_late *);
void switch_late_write(struct json *, const struct switch_late *);

struct switch_standing { /* Of all ports. */
    uint64_t n_received, received_bytes, n_sent, sent_bytes, n_controls, n_dropped, held_bytes;
};

/* A line for each second, and at times a line above it that says what its numbers are. */
struct switch_ticker {
    int64_t last_ns;
    struct switch_standing last;
    uint64_t n_lines;
};

void switch_show_links(struct switch_io *, const struct switch_told *);
void switch_show_second(struct switch_ticker *, const struct switch_told *);
void switch_show_text(const struct switch_told *);
void switch_show_json(const struct switch_told *);

#endif
