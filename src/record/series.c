/* Packs samples into about one byte per value, and unpacks them. */

#include "record/series.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/array.h"

enum { COLUMN_HEAD = 8 + 8 + 1, MAX_WIDTH = 8, LEVEL = 1 };
enum { BLOCK_VALUES = 1 << 16, MIN_BLOCK_ROWS = 16 };

uint32_t
rec_frame_rows(uint32_t n_columns)
{
    uint32_t rows = BLOCK_VALUES / n_columns;
    return rows < MIN_BLOCK_ROWS       ? MIN_BLOCK_ROWS
           : rows > REC_MAX_BLOCK_ROWS ? REC_MAX_BLOCK_ROWS
                                       : rows;
}

size_t
rec_frame_bound(const struct rec_frame *f)
{
    return f->n_columns * (COLUMN_HEAD + (size_t)MAX_WIDTH * (f->n_rows - 1));
}

static uint8_t *
put_u64(uint8_t *out, uint64_t v)
{
    for (int i = 0; i < 8; i++) {
        out[i] = (uint8_t)(v >> 8 * i);
    }
    return out + 8;
}

static uint64_t
get_u64(const uint8_t *in)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++) {
        v |= (uint64_t)in[i] << 8 * i;
    }
    return v;
}

static uint64_t
common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool
is_down(uint64_t step)
{
    return step >> 63;
}

static uint64_t
size_of(uint64_t step)
{
    return is_down(step) ? -step : step;
}

/* The greatest common divisor of all steps; 1 if there are none. */
static uint64_t
grain_of(const uint64_t *steps, size_t n)
{
    uint64_t grain = 0;

    for (size_t i = 0; i < n && grain != 1; i++) {
        uint64_t size = size_of(steps[i]);
        if (size && (!grain || size % grain)) {
            grain = common_divisor(size, grain);
        }
    }
    return grain ? grain : 1;
}

/* Converts steps to their stored form, and returns the bitwise OR of all steps. */
static uint64_t
fold(uint64_t *steps, size_t n, uint64_t grain)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t size = grain == 1 ? size_of(steps[i]) : size_of(steps[i]) / grain;
        steps[i] = 2 * size - is_down(steps[i]);
        bits |= steps[i];
    }
    return bits;
}

static uint8_t *
pack_column(const uint64_t *steps, size_t n, uint64_t bits, uint8_t *out)
{
    uint8_t *width = out++;

    for (*width = 0; *width < MAX_WIDTH && bits >> 8 * *width; ++*width) {
        for (size_t i = 0; i < n; i++) {
            out[i] = (uint8_t)(steps[i] >> 8 * *width);
        }
        out += n;
    }
    return out;
}

/* Hot: once a value. */
size_t
rec_frame_pack(const struct rec_frame *f, uint8_t *out)
{
    uint64_t steps[REC_MAX_BLOCK_ROWS];
    const uint8_t *start = out;
    size_t n = f->n_rows - 1;

    assert(f->n_rows > 0 && f->n_rows <= REC_MAX_BLOCK_ROWS);
    for (uint32_t column = 0; column < f->n_columns; column++) {
        const uint64_t *value = f->values + column;
        for (size_t i = 0; i < n; i++, value += f->n_columns) {
            steps[i] = value[f->n_columns] - value[0];
        }
        uint64_t grain = grain_of(steps, n);
        out = put_u64(out, f->values[column]);
        out = put_u64(out, grain);
        out = pack_column(steps, n, fold(steps, n, grain), out);
    }
    return (size_t)(out - start);
}

static void
unpack_column(struct rec_frame *f, uint32_t column, const uint8_t *bytes)
{
    uint64_t value = get_u64(bytes), grain = get_u64(bytes + 8);
    uint32_t n = f->n_rows - 1, width = bytes[16];
    uint64_t *out = f->values + column;

    *out = value;
    bytes += COLUMN_HEAD;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t step = 0;
        for (uint32_t plane = 0; plane < width; plane++) {
            step |= (uint64_t)bytes[plane * (size_t)n + i] << 8 * plane;
        }
        uint64_t size = ((step >> 1) + (step & 1)) * grain;
        value += step & 1 ? -size : size;
        *(out += f->n_columns) = value;
    }
}

bool
rec_frame_unpack(struct rec_frame *f, const uint8_t *bytes, size_t n_bytes, struct err *err)
{
    for (uint32_t column = 0; column < f->n_columns; column++) {
        if (n_bytes < COLUMN_HEAD) {
            return err_set(err, "a block of samples ends within column %u", column);
        }
        uint8_t width = bytes[COLUMN_HEAD - 1];
        if (width > MAX_WIDTH) {
            return err_set(err, "a block of samples has numbers of %u bytes", width);
        }
        size_t taken = COLUMN_HEAD + width * (size_t)(f->n_rows - 1);
        if (n_bytes < taken) {
            return err_set(err, "a block of samples ends within column %u", column);
        }
        unpack_column(f, column, bytes);
        bytes += taken;
        n_bytes -= taken;
    }
    return !n_bytes || err_set(err, "a block of samples is %zu bytes too long", n_bytes);
}

/* Compression. */

struct rec_packer {
    ZSTD_CCtx *compressor;
    ZSTD_DCtx *decompressor;
    uint8_t *plain, *small;
    size_t max_plain, max_small;
};

struct rec_packer *
rec_packer_new(void)
{
    struct rec_packer *p = array_new(1, sizeof *p);

    p->compressor = ZSTD_createCCtx();
    p->decompressor = ZSTD_createDCtx();
    assert(p->compressor && p->decompressor);
    ZSTD_CCtx_setParameter(p->compressor, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(p->compressor, ZSTD_c_checksumFlag, 1);
    return p;
}

void
rec_packer_free(struct rec_packer *p)
{
    ZSTD_freeCCtx(p->compressor);
    ZSTD_freeDCtx(p->decompressor);
    free(p->plain);
    free(p->small);
    free(p);
}

static void
make_room(uint8_t **room, size_t *max, size_t n)
{
    if (n > *max) {
        free(*room);
        *room = array_new(n, 1);
        *max = n;
    }
}

const uint8_t *
rec_packer_pack(struct rec_packer *p, const struct rec_frame *f, size_t *n_bytes)
{
    make_room(&p->plain, &p->max_plain, rec_frame_bound(f));
    size_t n_plain = rec_frame_pack(f, p->plain);
    make_room(&p->small, &p->max_small, ZSTD_compressBound(n_plain));
    *n_bytes = ZSTD_compress2(p->compressor, p->small, p->max_small, p->plain, n_plain);
    /* The output buffer is large enough, and zstd cannot fail for other reasons. */
    assert(!ZSTD_isError(*n_bytes));
    return p->small;
}

bool
rec_packer_unpack(struct rec_packer *p, struct rec_frame *f, const uint8_t *bytes, size_t n_bytes,
                  struct err *err)
{
    unsigned long long n_plain = ZSTD_getFrameContentSize(bytes, n_bytes);

    if (n_plain == ZSTD_CONTENTSIZE_ERROR || n_plain == ZSTD_CONTENTSIZE_UNKNOWN) {
        return err_set(err, "a block of samples is not compressed with zstd");
    }
    if (n_plain > rec_frame_bound(f)) {
        return err_set(err,
                       "a block of samples has %llu bytes, more than its rows and columns can take",
                       n_plain);
    }
    make_room(&p->plain, &p->max_plain, (size_t)n_plain);
    size_t n = ZSTD_decompressDCtx(p->decompressor, p->plain, p->max_plain, bytes, n_bytes);
    if (ZSTD_isError(n)) {
        return err_set(err, "a block of samples is damaged: %s", ZSTD_getErrorName(n));
    }
    return rec_frame_unpack(f, p->plain, n, err);
}
