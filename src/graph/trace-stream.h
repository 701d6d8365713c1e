/* Reads a trace file from its beginning to its end, in small memory.  Files that are compressed by
 * gzip are uncompressed on the way.
 *
 *     struct trace_stream *s = trace_stream_new(&file);
 *     n = trace_stream_read(s, to, n);
 *     if (s->damage) ...                the compressed data is wrong, and how
 *     trace_stream_free(s);
 *
 * Offsets count the bytes of the uncompressed content. */

#ifndef GRAPH_TRACE_STREAM_H
#define GRAPH_TRACE_STREAM_H

#include "graph/trace-file.h"

enum { TRACE_STREAM_BYTES = 1 << 14 };

struct trace_stream {
    const struct trace_file *file;
    uint64_t offset; /* The place of the next byte. */
    const char *damage;
    struct trace_inflate *inflate; /* Null: the file is not compressed. */
    uint64_t at;                   /* The offset of the next bytes of the file. */
    size_t n, next;                /* Bytes of the buffer, and the next one. */
    uint8_t buffer[TRACE_STREAM_BYTES];
};

struct trace_stream *trace_stream_new(const struct trace_file *);
void trace_stream_free(struct trace_stream *);

/* Reads up to n bytes; fewer: the end, or damage.  'to' may be null, and the bytes are skipped. */
uint64_t trace_stream_read(struct trace_stream *, void *to, uint64_t n);

/* Reads one byte; -1: there is none. */
static inline int
trace_stream_byte(struct trace_stream *s)
{
    uint8_t byte;

    if (s->next < s->n) {
        s->offset++;
        return s->buffer[s->next++];
    }
    return trace_stream_read(s, &byte, 1) ? byte : -1;
}

#endif
