/* Writes packets to a pcapng file, the format that Wireshark reads.
 *
 * A file has packets of many interfaces, each with a name and speed, at times in nanoseconds.  A
 * comment can add information to a packet.  In use:
 *
 *     if (!pcapng_open(&out, "run.pcapng", err)) { return false; }
 *     pcapng_add_interface(&out, "switch1:0", 100000000000, err);
 *     struct pcapng_packet packet = { .interface = 0, .time_ns = now, .bytes = bytes, ... };
 *     pcapng_add_packet(&out, &packet, err);
 *     return pcapng_close(&out, err);
 *
 * A full disk may be detected long after the lost packet, because the C library buffers bytes.  So
 * the first failure is remembered, and every later call fails with the same message.  This lets a
 * long run stop early, but only a flush or the close confirms that everything was written.  An open
 * file must be closed even after a failure.
 *
 * Interfaces are numbered from 0 in the order of adding, and are added before their packets.  All
 * frames are Ethernet; if fcs_bytes is not 0, a packet ends with its check sequence.  Only one
 * thread at a time may use a file. */

#ifndef WEIR_BASE_PCAPNG_H
#define WEIR_BASE_PCAPNG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct pcapng {
    FILE *file;
    const char *name; /* The name of the file, for errors. */
    bool owns_file;   /* pcapng_open() opened the file, and pcapng_close() closes it. */
    int failure;      /* The errno of the first failed write; 0: none failed. */
    uint32_t n_interfaces;
};

enum pcapng_direction { PCAPNG_EITHER_WAY, PCAPNG_INBOUND, PCAPNG_OUTBOUND };

struct pcapng_packet {
    uint32_t interface;
    int64_t time_ns; /* Not negative. */
    const void *bytes;
    uint32_t captured_bytes;         /* The size of 'bytes'. */
    uint32_t length_bytes;           /* The size of the packet on the wire, which may be larger. */
    enum pcapng_direction direction; /* The direction at the interface, if it is known. */
    /* The part of length_bytes that is the check sequence, at the end of the packet. */
    uint8_t fcs_bytes;
    /* Text in UTF-8, or null. Like names, it is cut at 65535 bytes. */
    const char *comment;
};

/* Opens a file.  The path is not copied, and must stay valid until the close.  Returns false if
 * nothing was opened. */
bool pcapng_open(struct pcapng *, const char *path, struct err *);

/* Like pcapng_open(), with a stream of the caller, which the close flushes but does not close. */
void pcapng_open_stream(struct pcapng *, FILE *, const char *name);

bool pcapng_add_interface(struct pcapng *, const char *name, uint64_t speed_bps, struct err *);
bool pcapng_add_packet(struct pcapng *, const struct pcapng_packet *, struct err *);
/* Returns true if all data so far are in the file. */
bool pcapng_flush(struct pcapng *, struct err *);
bool pcapng_close(struct pcapng *, struct err *);

#endif
