/* Reads Protocol Buffers' wire format: https://protobuf.dev/programming-guides/encoding */

#include "graph/chakra-wire.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { MAX_VARINT_BYTES = 10, END = -1 };

bool
wire_refuse(struct wire *w, uint64_t offset, const char *format, ...)
{
    char text[768];
    va_list args;

    if (w->failed) {
        return false; /* The first error is the cause. */
    }
    w->failed = true;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set_of_content(w->err, "%s: byte %" PRIu64 "%s: %s", w->name, offset,
                              w->stream->inflate ? " (uncompressed)" : "", text);
}

static bool
refuse_end(struct wire *w, uint64_t offset, const char *what)
{
    if (w->stream->damage) {
        return wire_refuse(w, w->stream->offset, "the gzip data is damaged: %s", w->stream->damage);
    }
    return wire_refuse(w, offset, "the file ends at byte %" PRIu64 ", within %s", w->stream->offset,
                       what);
}

/* Reads a number of up to 64 bits, seven in each byte, which ends before 'end'. */
static bool
read_varint(struct wire *w, uint64_t end, const char *what, uint64_t *value)
{
    uint64_t offset = w->stream->offset;

    *value = 0;
    for (int i = 0; i < MAX_VARINT_BYTES; i++) {
        if (w->stream->offset >= end) {
            return wire_refuse(w, offset, "%s goes beyond its message, which ends at byte %" PRIu64,
                               what, end);
        }
        int byte = trace_stream_byte(w->stream);
        if (byte == END) {
            return refuse_end(w, offset, what);
        }
        *value |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (byte < 0x80) {
            return i < MAX_VARINT_BYTES - 1 || byte <= 1 ||
                   wire_refuse(w, offset, "%s has more than 64 bits", what);
        }
    }
    return wire_refuse(w, offset, "%s has more than %d bytes", what, MAX_VARINT_BYTES);
}

/* A fixed number: little endian. */
static bool
read_fixed(struct wire *w, uint64_t end, int n_bytes, uint64_t *value)
{
    uint64_t offset = w->stream->offset;
    uint8_t bytes[8];

    if (end - offset < (uint64_t)n_bytes) {
        return wire_refuse(w, offset,
                           "a number of %d bytes goes beyond its message, which ends at byte "
                           "%" PRIu64,
                           n_bytes, end);
    }
    if (trace_stream_read(w->stream, bytes, (uint64_t)n_bytes) < (uint64_t)n_bytes) {
        return refuse_end(w, offset, "a number");
    }
    *value = 0;
    for (int i = n_bytes - 1; i >= 0; i--) {
        *value = *value << 8 | bytes[i];
    }
    return true;
}

/* Moves to a byte that is not before the current one. */
static bool
skip_to(struct wire *w, uint64_t offset)
{
    uint64_t from = w->stream->offset, n = offset - from;

    return offset <= from || trace_stream_read(w->stream, NULL, n) == n ||
           refuse_end(w, from, "a field");
}

bool
wire_message(struct wire *w, struct wire_message *m)
{
    uint64_t offset = w->stream->offset, n;

    int first = w->failed ? END : trace_stream_byte(w->stream);
    if (first == END) {
        return w->stream->damage && refuse_end(w, offset, "a message");
    }
    n = (uint64_t)first;
    if (first >= 0x80) {
        uint64_t rest;
        if (!read_varint(w, UINT64_MAX, "the length of a message", &rest)) {
            return false;
        }
        if (rest >> 57) {
            return wire_refuse(w, offset, "the length of a message has more than 64 bits");
        }
        n = rest << 7 | (n & 0x7f);
    }
    m->next = w->stream->offset;
    m->end = m->next + n;
    if (m->end < n || (!w->stream->inflate && m->end > w->stream->file->size)) {
        return wire_refuse(w, offset,
                           "a message of %" PRIu64 " bytes, but the file has %" PRIu64
                           " bytes; it may be truncated, or "
                           "no Chakra trace",
                           n, w->stream->file->size);
    }
    return true;
}

static bool
read_length(struct wire *w, uint64_t end, struct wire_field *f)
{
    uint64_t n;

    if (!read_varint(w, end, "the length of a field", &n)) {
        return false;
    }
    uint64_t from = w->stream->offset;
    if (n > end - from) {
        return wire_refuse(w, f->offset,
                           "field %" PRIu32 " has %" PRIu64
                           " bytes and goes beyond its message, which ends at byte %" PRIu64,
                           f->number, n, end);
    }
    f->inside = (struct wire_message){ .end = from + n, .next = from };
    return true;
}

static bool
read_value(struct wire *w, uint64_t end, struct wire_field *f)
{
    switch (f->type) {
    case WIRE_VARINT:
        return read_varint(w, end, "a number", &f->value);
    case WIRE_FIXED64:
        return read_fixed(w, end, 8, &f->value);
    case WIRE_FIXED32:
        return read_fixed(w, end, 4, &f->value);
    case WIRE_BYTES:
        return read_length(w, end, f);
    }
    return wire_refuse(w, f->offset,
                       "field %" PRIu32 " has wire type %d; expected 0, 1, 2 or 5: this is no "
                       "Chakra trace",
                       f->number, (int)f->type);
}

bool
wire_field(struct wire *w, struct wire_message *m, struct wire_field *f)
{
    uint64_t key;

    if (w->failed || !skip_to(w, m->next) || m->next >= m->end) {
        return false;
    }
    *f = (struct wire_field){ .offset = w->stream->offset };
    if (!read_varint(w, m->end, "the key of a field", &key)) {
        return false;
    }
    if (key >> 3 == 0 || key >> 32) {
        return wire_refuse(w, f->offset, "a field has the number %" PRIu64 "; expected 1 or more",
                           key >> 3);
    }
    f->number = (uint32_t)(key >> 3);
    f->type = (enum wire_type)(key & 7);
    if (!read_value(w, m->end, f)) {
        return false;
    }
    m->next = f->type == WIRE_BYTES ? f->inside.end : w->stream->offset;
    return true;
}

bool
wire_packed(struct wire *w, struct wire_message *m, uint64_t *value)
{
    if (w->failed || m->next >= m->end || !skip_to(w, m->next) ||
        !read_varint(w, m->end, "a number of a list", value)) {
        return false;
    }
    m->next = w->stream->offset;
    return true;
}

size_t
wire_bytes(struct wire *w, const struct wire_field *f, void *to, size_t max)
{
    uint64_t n = f->inside.end - f->inside.next;
    size_t part = n < max ? (size_t)n : max;

    if (w->failed || trace_stream_read(w->stream, to, part) < part) {
        refuse_end(w, f->offset, "a field");
        return 0;
    }
    return part;
}
