/* Writes frames that cross the ports of a switch to a capture file in a separate thread. The packet
 * path copies frames into a circular buffer of bytes, and never waits. */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/pcapng.h"
#include "run/exit.h"
#include "switch/running.h"

enum { RING_BYTES = 1 << 24, ALIGNED = 8 };

/* A record in the circular buffer.  The bytes of its frame follow it. */
struct record {
    int64_t at_ns;
    uint32_t port, len;
    bool is_sent;
    bool is_turn; /* The record has no frame: the next record is at the beginning of the buffer. */
};

struct switch_capture {
    const char *path;
    bool force;
    FILE *stream;
    struct pcapng file;
    struct err err;
    uint8_t *ring;
    atomic_size_t n_put, n_taken; /* Bytes since the beginning of the capture. */
    atomic_bool is_over;
    pthread_t writer;
    /* The number of frames left out because the buffer was full. */
    uint64_t n_left_out;
    /* The numbers of frames that left the buffer, that the stream accepted, and that are in the
     * file. */
    uint64_t n_come, n_written, n_in_file;
};

static size_t
room_for(uint32_t len)
{
    return (sizeof(struct record) + len + ALIGNED - 1) / ALIGNED * ALIGNED;
}

/* The packet path. */

static void
put(struct switch_capture *c, size_t at, const struct record *r, const uint8_t *bytes)
{
    memcpy(c->ring + at, r, sizeof *r);
    memcpy(c->ring + at + sizeof *r, bytes, r->len);
}

/* Adds a frame. A record that does not fit at the end of the buffer goes to its beginning; a record
 * that marks the end always fits. */
void
switch_capture_add(struct switch_capture *c, uint32_t port, const struct dp_frame *frame,
                   int64_t at_ns, bool is_sent)
{
    const struct record r = { .at_ns = at_ns, .port = port, .len = frame->len, .is_sent = is_sent };
    const struct record turn = { .is_turn = true };
    size_t n_put = atomic_load_explicit(&c->n_put, memory_order_relaxed);
    size_t place = n_put % RING_BYTES, size = room_for(r.len), end = RING_BYTES - place;
    size_t skipped = size + sizeof turn > end ? end : 0;

    if (n_put + skipped + size - atomic_load(&c->n_taken) > RING_BYTES) {
        c->n_left_out++;
        return;
    }
    if (skipped) {
        put(c, place, &turn, frame->bytes);
    }
    put(c, (place + skipped) % RING_BYTES, &r, frame->bytes);
    atomic_store(&c->n_put, n_put + skipped + size);
}

/* The thread that writes. */

static void
write_record(struct switch_capture *c, const struct record *r)
{
    const struct pcapng_packet packet = { .interface = r->port,
                                          .time_ns = r->at_ns,
                                          .bytes = (const uint8_t *)r + sizeof *r,
                                          .captured_bytes = r->len,
                                          .length_bytes = r->len,
                                          .direction =
                                              r->is_sent ? PCAPNG_OUTBOUND : PCAPNG_INBOUND };

    c->n_come++;
    c->n_written += pcapng_add_packet(&c->file, &packet, &c->err);
}

static void
write_all(struct switch_capture *c)
{
    size_t n_taken = atomic_load_explicit(&c->n_taken, memory_order_relaxed);
    size_t n_put = atomic_load(&c->n_put);

    while (n_taken < n_put) {
        size_t place = n_taken % RING_BYTES;
        const struct record *r = (const struct record *)(c->ring + place);
        if (r->is_turn) {
            n_taken += RING_BYTES - place;
        } else {
            write_record(c, r);
            n_taken += room_for(r->len);
        }
        atomic_store(&c->n_taken, n_taken);
    }
}

/* Frames count as written only after a flush: a full disk may refuse data that the stream has
 * accepted. */
static void
flush(struct switch_capture *c)
{
    if (pcapng_flush(&c->file, &c->err)) {
        c->n_in_file = c->n_written;
    }
}

/* Flushes the file every half second, so that a killed program loses little.  The end reports an
 * error of a flush. */
static void *
write_until_over(void *capture)
{
    enum { PAUSES_PER_FLUSH = 100 };
    const struct timespec pause = { .tv_nsec = 5000000 };
    struct switch_capture *c = capture;

    for (uint32_t i = 1; !atomic_load(&c->is_over); i++) {
        write_all(c);
        if (i % PAUSES_PER_FLUSH == 0) {
            flush(c);
        }
        nanosleep(&pause, NULL);
    }
    write_all(c);
    flush(c);
    return NULL;
}

/* Begin and end of a capture. */

static void
name_ports(struct switch_capture *c, const struct topo *t, uint32_t node)
{
    const struct topo_node *n = &t->nodes[node];
    char name[2 * TOPO_PORT_BYTES], port[TOPO_PORT_BYTES];

    for (uint32_t i = 0; i < n->n_ports; i++) {
        const struct topo_port *p = &t->ports[n->first_port + i];
        snprintf(name, sizeof name, "%s:%s", topo_port_text(t, n->first_port + i, port),
                 t->nodes[t->ports[p->peer].node].name);
        pcapng_add_interface(&c->file, name, t->links[p->link].rate_bps, &c->err);
    }
}

static void
discard(struct switch_capture *c)
{
    free(c->ring);
    free(c);
}

struct switch_capture *
switch_capture_begin(const struct topo *t, uint32_t node, const char *path, bool force, int *code,
                     struct err *err)
{
    struct switch_capture *c = array_new(1, sizeof *c);

    c->path = path;
    c->force = force;
    *code = run_create(&c->stream, path, force, err);
    if (*code != EXIT_GOOD) {
        discard(c);
        return NULL;
    }
    c->ring = array_new(RING_BYTES, 1);
    pcapng_open_stream(&c->file, c->stream, path);
    name_ports(c, t, node);
    int failed = pthread_create(&c->writer, NULL, write_until_over, c);
    if (failed) {
        *code = run_fail(err, EXIT_WORLD, "cannot start a thread that writes %s: %s", path,
                         strerror(failed));
        fclose(c->stream);
        discard(c);
        return NULL;
    }
    return c;
}

int
switch_capture_end(struct switch_capture *c, struct switch_captured *captured, struct err *err)
{
    int code = EXIT_GOOD;

    atomic_store(&c->is_over, true);
    pthread_join(c->writer, NULL);
    bool good = pcapng_close(&c->file, &c->err);
    if (fclose(c->stream) && good) {
        good = err_set(&c->err, "cannot write %s: %s", c->path, strerror(errno));
    }
    if (!good) {
        code = run_fail(err, EXIT_WORLD, "%s", c->err.text);
        if (!c->force) {
            /* The file is incomplete. With --force it may be a device, which is not removed. */
            remove(c->path);
            c->n_in_file = 0;
        }
    }
    *captured =
        (struct switch_captured){ c->path, c->n_in_file, c->n_left_out + c->n_come - c->n_in_file };
    discard(c);
    return code;
}
