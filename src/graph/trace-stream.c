/* Reads trace files forward, through zlib if they are compressed. */

#include "graph/trace-stream.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"

enum { GZIP_WINDOW = 15 + 16 }; /* zlib: the largest window, and the header of gzip. */

struct trace_inflate {
    z_stream z;
    bool is_done; /* A part of the compressed data has ended; another may follow. */
    uint8_t input[TRACE_STREAM_BYTES];
};

static bool
is_gzip(const struct trace_file *f)
{
    uint8_t magic[2];

    return trace_read(f, 0, magic, sizeof magic) == sizeof magic && magic[0] == 0x1f &&
           magic[1] == 0x8b;
}

struct trace_stream *
trace_stream_new(const struct trace_file *f)
{
    struct trace_stream *s = array_new(1, sizeof *s);

    s->file = f;
    if (is_gzip(f)) {
        s->inflate = array_new(1, sizeof *s->inflate);
        if (inflateInit2(&s->inflate->z, GZIP_WINDOW) != Z_OK) {
            s->damage = "zlib cannot be used";
        }
    }
    return s;
}

void
trace_stream_free(struct trace_stream *s)
{
    if (s->inflate) {
        inflateEnd(&s->inflate->z);
        free(s->inflate);
    }
    free(s);
}

/* Reads more of the file for zlib; returns false at its end. */
static bool
refill_input(struct trace_stream *s)
{
    struct trace_inflate *i = s->inflate;

    if (!i->z.avail_in) {
        i->z.avail_in = (uInt)trace_read(s->file, s->at, i->input, sizeof i->input);
        i->z.next_in = i->input;
        s->at += i->z.avail_in;
    }
    return i->z.avail_in;
}

/* Uncompresses until there is at least one byte, or the data ends. */
static void
refill_by_inflate(struct trace_stream *s)
{
    struct trace_inflate *i = s->inflate;

    i->z.next_out = s->buffer;
    i->z.avail_out = sizeof s->buffer;
    while (!s->damage && i->z.avail_out == sizeof s->buffer && refill_input(s)) {
        if (i->is_done && inflateReset(&i->z) != Z_OK) {
            s->damage = "zlib cannot be used";
            break;
        }
        int result = inflate(&i->z, Z_NO_FLUSH);
        i->is_done = result == Z_STREAM_END;
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
            s->damage = i->z.msg ? i->z.msg : "it is no gzip data";
        }
    }
    s->n = sizeof s->buffer - i->z.avail_out;
    if (!s->n && !i->is_done && !s->damage) {
        s->damage = "it ends early";
    }
}

static void
refill(struct trace_stream *s)
{
    s->next = s->n = 0;
    if (s->damage) {
        return;
    }
    if (s->inflate) {
        refill_by_inflate(s);
        return;
    }
    s->n = trace_read(s->file, s->at, s->buffer, sizeof s->buffer);
    s->at += s->n;
}

/* A plain file is not read where bytes are skipped. */
static uint64_t
skip_in_file(struct trace_stream *s, uint64_t n)
{
    uint64_t left = s->at < s->file->size ? s->file->size - s->at : 0;

    n = s->inflate ? 0 : n < left ? n : left;
    s->at += n;
    return n;
}

uint64_t
trace_stream_read(struct trace_stream *s, void *to, uint64_t n)
{
    uint64_t done = 0;

    while (done < n) {
        if (s->next == s->n && !to) {
            done += skip_in_file(s, n - done);
        }
        if (s->next == s->n && done < n) {
            refill(s);
        }
        size_t part = n - done < s->n - s->next ? (size_t)(n - done) : s->n - s->next;
        if (!part) {
            break;
        }
        if (to) {
            memcpy((char *)to + done, s->buffer + s->next, part);
        }
        s->next += part;
        done += part;
    }
    s->offset += done;
    return done;
}
