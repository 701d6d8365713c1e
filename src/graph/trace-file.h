/* The bytes of a trace file: a file, of which any part is read at any time, or memory.
 *
 *     struct trace_file f;
 *     if (!trace_open(&f, file, "all-reduce.goal", &err)) ...
 *     n = trace_read(&f, offset, buffer, sizeof buffer);
 *     trace_close(&f);
 *
 * Several threads may read at the same time. */

#ifndef GRAPH_TRACE_FILE_H
#define GRAPH_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct trace_file {
    char *name; /* Used in errors. */
    int file;   /* Negative: memory. */
    const uint8_t *bytes;
    uint64_t size;
};

/* Takes an open file, and closes it also on failure.  It must be a regular file. */
bool trace_open(struct trace_file *, int file, const char *name, struct err *);

/* The caller keeps the bytes. */
void trace_open_bytes(struct trace_file *, const void *bytes, size_t n, const char *name);
void trace_close(struct trace_file *);

/* Reads up to n bytes; fewer: the end of the file, or an error of the system. */
size_t trace_read(const struct trace_file *, uint64_t offset, void *to, size_t n);

#endif
