/* Blocks of time series: some thousand samples of many series, compact and fast to write.
 *
 * All series of a run are sampled at the same instants.  A sample is a row: the time, then a value
 * of each series.  Rows are collected into blocks, which are packed column by column and
 * compressed:
 *
 *     column   first 8 bytes, grain 8 bytes, width 1 byte, width planes of n_rows - 1 bytes each
 *     block    1 + n_series columns, in one zstd frame with its checksum
 *
 * schema.sql describes the format for other readers.  The reasons for it:
 *
 *  - Steps from value to value are smaller than values, and nearly the same in a counter.
 *  - Queues and counters move in steps of a packet: divided by the largest grain that all steps
 *    of a column have in common, most steps of queues and counters fit a byte.
 *  - Bytes of one weight side by side (planes) are more alike than the bytes of one number, and a
 *    column needs as many planes as its largest step, not as its type.
 *  - zstd then finds repetitions; at level 1, because higher levels take much time and gain little.
 *
 * A reader of a column needs only its bytes, and a block can be read without the previous ones. */

#ifndef RECORD_SERIES_H
#define RECORD_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { REC_MAX_BLOCK_ROWS = 4096, REC_MAX_COLUMNS = 1 << 24 };

/* The number of columns includes the time.  Values are stored row by row: values[row * n_columns +
 * column]. */
struct rec_frame {
    uint64_t *values;
    uint32_t n_columns, n_rows;
};

/* The number of rows in a block with this many columns; only the last block of a run has fewer, and
 * none has more. */
uint32_t rec_frame_rows(uint32_t n_columns);

/* Packs the columns into bytes, before compression. 'out' must have space for rec_frame_bound()
 * bytes. Returns the number of bytes written. */
size_t rec_frame_bound(const struct rec_frame *);
size_t rec_frame_pack(const struct rec_frame *, uint8_t *out);

/* Unpacks bytes, which may be untrusted. 'values' has space for the requested rows and columns; its
 * contents are undefined on failure. */
bool rec_frame_unpack(struct rec_frame *, const uint8_t *bytes, size_t n_bytes, struct err *);

/* Packs and compresses blocks, and keeps its memory from block to block. */
struct rec_packer;

struct rec_packer *rec_packer_new(void);
void rec_packer_free(struct rec_packer *);

/* Packs a frame.  The bytes are valid until the next call. */
const uint8_t *rec_packer_pack(struct rec_packer *, const struct rec_frame *, size_t *n_bytes);
bool rec_packer_unpack(struct rec_packer *, struct rec_frame *, const uint8_t *bytes,
                       size_t n_bytes, struct err *);

#endif
