/* Writes packets to a pcapng file, the form that Wireshark reads.
 *
 * A file holds packets of many interfaces, each with its name and speed, at times in nanoseconds;
 * a comment can say of a packet what its bytes do not.  In use:
 *
 *     if (!pcapng_open(&out, "run.pcapng", err)) { return false; }
 *     pcapng_add_interface(&out, "switch1:0", 100000000000, err);
 *     struct pcapng_packet packet = { .interface = 0, .time_ns = now, .bytes = bytes, ... };
 *     pcapng_add_packet(&out, &packet, err);
 *     return pcapng_close(&out, err);
 *
 * A full disk may show long after the packet that it loses, as the C library buffers bytes.  So the
 * first failure is kept, and every call after it fails with the same words.  The earlier results
 * let a long run stop early; only a flush or the close confirms that everything was written.  A
 * file that was opened must be closed, failed or not.
 *
 * Interfaces are numbered from 0 in the order they were added, and are added before their packets.
 * All frames are Ethernet; a packet ends in a check sequence if the flag says so.  One thread at a
 * time to a file. */

#ifndef WEIR_BASE_PCAPNG_H
#define WEIR_BASE_PCAPNG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct pcapng {
    FILE *file;
    const char *name; /* The file's, for errors. */
    bool owns_file;   /* Opened here, so closed here. */
    int failure;      /* errno of the first write that failed; 0: none did. */
    uint32_t n_interfaces;
};

enum pcapng_direction { PCAPNG_EITHER_WAY, PCAPNG_INBOUND, PCAPNG_OUTBOUND };

struct pcapng_packet {
    uint32_t interface;
    int64_t time_ns; /* Not negative. */
    const void *bytes;
    uint32_t captured_bytes;         /* The size of 'bytes'. */
    uint32_t length_bytes;           /* The size of the packet on the wire: as much, or more. */
    enum pcapng_direction direction; /* At the interface, if that is known. */
    uint8_t fcs_bytes;               /* The part of length_bytes that is the check sequence at the
                                      * end. */
    const char *comment;             /* UTF-8; NULL for none.  Cut at 65535 bytes, as names are. */
};

/* The path is kept until the close, not copied.  False: nothing is open. */
bool pcapng_open(struct pcapng *, const char *path, struct err *);

/* The same on a stream of the caller's, which the close flushes and leaves open. */
void pcapng_open_stream(struct pcapng *, FILE *, const char *name);

bool pcapng_add_interface(struct pcapng *, const char *name, uint64_t speed_bps, struct err *);
bool pcapng_add_packet(struct pcapng *, const struct pcapng_packet *, struct err *);
bool pcapng_flush(struct pcapng *, struct err *); /* True: all so far is in the file. */
bool pcapng_close(struct pcapng *, struct err *);

#endif
