/* Tries any bytes as a block of samples: it is refused, or its samples can be packed and read
 * again. */

#include <stdlib.h>
#include <string.h>

#include "record/series.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
expect_again(const struct rec_frame *f)
{
    size_t n_values = (size_t)f->n_rows * f->n_columns, n;
    struct rec_frame again = *f;
    struct rec_packer *p = rec_packer_new();
    struct err err;

    again.values = malloc(n_values * sizeof(uint64_t));
    const uint8_t *packed = rec_packer_pack(p, f, &n);
    if (!rec_packer_unpack(p, &again, packed, n, &err) ||
        memcmp(again.values, f->values, n_values * sizeof(uint64_t)) != 0) {
        abort();
    }
    free(again.values);
    rec_packer_free(p);
}

/* The first two bytes are the numbers of rows and columns. The rest is tried as columns, and as
 * columns that are compressed by zstd. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    struct rec_frame f = { .n_rows = 1 + data[0], .n_columns = 1 + data[1] % 16 };
    struct rec_packer *p = rec_packer_new();
    struct err err;

    f.values = malloc((size_t)f.n_rows * f.n_columns * sizeof(uint64_t));
    if (rec_frame_unpack(&f, data + 2, size - 2, &err)) {
        expect_again(&f);
    }
    if (rec_packer_unpack(p, &f, data + 2, size - 2, &err)) {
        expect_again(&f);
    }
    rec_packer_free(p);
    free(f.values);
    return 0;
}
