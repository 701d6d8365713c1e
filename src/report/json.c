#include "report/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "record/series.h"

static void
begin_item(struct json *j, const char *key)
{
    if (j->has_item) {
        putc(',', j->out);
    }
    j->has_item = true;
    if (key) {
        text_write_json(j->out, key);
        putc(':', j->out);
    }
}

void
json_open(struct json *j, const char *key, char bracket)
{
    begin_item(j, key);
    putc(bracket, j->out);
    j->has_item = false;
}

void
json_close(struct json *j, char bracket)
{
    putc(bracket, j->out);
    j->has_item = true;
}

void
json_text(struct json *j, const char *key, const char *text)
{
    begin_item(j, key);
    text_write_json(j->out, text);
}

void
json_number(struct json *j, const char *key, uint64_t number)
{
    begin_item(j, key);
    fprintf(j->out, "%" PRIu64, number < JSON_MOST ? number : JSON_MOST);
}

void
json_real(struct json *j, const char *key, double number)
{
    begin_item(j, key);
    fprintf(j->out, "%.6g", number);
}

void
json_null(struct json *j, const char *key)
{
    begin_item(j, key);
    fputs("null", j->out);
}

/* Packed numbers. */

static void
write_base64(FILE *out, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < n; i += 3) {
        uint32_t three = (uint32_t)bytes[i] << 16;
        three |= i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0;
        three |= i + 2 < n ? bytes[i + 2] : 0;
        putc(digits[three >> 18], out);
        putc(digits[three >> 12 & 63], out);
        putc(i + 1 < n ? digits[three >> 6 & 63] : '=', out);
        putc(i + 2 < n ? digits[three & 63] : '=', out);
    }
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
            room[i] = value < JSON_MOST ? value : JSON_MOST;
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

    begin_item(j, key);
    putc('"', j->out);
    write_base64(j->out, bytes, pack(values, n, n_columns, bytes));
    putc('"', j->out);
    free(bytes);
}
