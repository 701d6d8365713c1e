/* The bytes of a Chakra trace: messages of Protocol Buffers, one after the other, each after its
 * length.  They are read forward and without a copy.
 *
 *     struct wire w = { .stream = stream, .name = "x.0.et", .err = &err };
 *     while (wire_message(&w, &message)) {
 *         while (wire_field(&w, &message, &field)) ...         field.number, field.value
 *     }
 *     if (w.failed) ...                                        'err' says where
 *
 * A field with bytes is read by wire_bytes(), or field by field as a message of its own; it may
 * also be left alone.  The caller reads a message to its end, or its outer one further. */

#ifndef GRAPH_CHAKRA_WIRE_H
#define GRAPH_CHAKRA_WIRE_H

#include "base/err.h"
#include "graph/trace-stream.h"

struct wire {
    struct trace_stream *stream;
    const char *name; /* Used in errors. */
    struct err *err;
    bool failed;
};

/* A message: where it ends, and where its next field begins. */
struct wire_message {
    uint64_t end, next;
};

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct wire_field {
    uint64_t offset; /* The place of its first byte. */
    uint32_t number;
    enum wire_type type;
    uint64_t value;             /* A number, as it is written. */
    struct wire_message inside; /* The bytes of WIRE_BYTES. */
};

/* Begins the next message of the file; false: there is none, or an error. */
bool wire_message(struct wire *, struct wire_message *);

/* Reads the next field of a message; false: it has ended, or an error. */
bool wire_field(struct wire *, struct wire_message *, struct wire_field *);

/* Reads the next number of a packed list; false: the list has ended, or an error. */
bool wire_packed(struct wire *, struct wire_message *, uint64_t *value);

/* Reads up to 'max' bytes of a field; returns how many. */
size_t wire_bytes(struct wire *, const struct wire_field *, void *to, size_t max);

/* Refuses what is at a byte of the file; always false. */
bool wire_refuse(struct wire *, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
