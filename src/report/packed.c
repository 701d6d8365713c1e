/* Columns of numbers as text that a page unpacks. */

#include "report/packed.h"

#include <stdlib.h>

#include "base/array.h"
#include "record/series.h"

static void
write_base64(char *out, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < n; i += 3) {
        uint32_t three = (uint32_t)bytes[i] << 16;
        three |= i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0;
        three |= i + 2 < n ? bytes[i + 2] : 0;
        *out++ = digits[three >> 18];
        *out++ = digits[three >> 12 & 63];
        *out++ = i + 1 < n ? digits[three >> 6 & 63] : '=';
        *out++ = i + 2 < n ? digits[three & 63] : '=';
    }
    *out = '\0';
}

static size_t
pack(const uint64_t *values, size_t n, uint32_t n_columns, uint8_t *out)
{
    uint64_t *room = array_new((size_t)REC_MAX_BLOCK_ROWS * n_columns, sizeof *room);
    size_t len = 0;

    for (size_t first = 0; first < n; first += REC_MAX_BLOCK_ROWS) {
        size_t rows = n - first < REC_MAX_BLOCK_ROWS ? n - first : REC_MAX_BLOCK_ROWS;
        for (size_t i = 0; i < rows * n_columns; i++) {
            uint64_t value = values[first * n_columns + i];
            room[i] = value < PACKED_MOST ? value : PACKED_MOST;
        }
        struct rec_frame f = { .values = room, .n_columns = n_columns, .n_rows = (uint32_t)rows };
        len += rec_frame_pack(&f, out + len);
    }
    free(room);
    return len;
}

void
json_packed(struct json *j, const char *key, const uint64_t *values, size_t n, uint32_t n_columns)
{
    size_t n_blocks = n / REC_MAX_BLOCK_ROWS + 1;
    struct rec_frame most = { .n_columns = n_columns, .n_rows = REC_MAX_BLOCK_ROWS };
    uint8_t *bytes = array_new(n_blocks, rec_frame_bound(&most));

    size_t len = pack(values, n, n_columns, bytes);
    char *text = array_new((len + 2) / 3 * 4 + 1, 1);
    write_base64(text, bytes, len);
    json_text(j, key, text);
    free(text);
    free(bytes);
}
