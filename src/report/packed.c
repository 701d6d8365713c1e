/* Encodes columns of numbers as text that a page decodes. */

#include "report/packed.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "record/series.h"

/* The maximum number of distinct texts of a column that are written once each. More distinct texts
 * save little space, so a linear search for a text is short enough. */
enum { MAX_WORDS = 64, MIN_TEXTS = 8 };

void
packed_base64(char *out, const uint8_t *bytes, size_t n)
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
    packed_base64(text, bytes, len);
    json_plain_text(j, key, text);
    free(text);
    free(bytes);
}

/* Columns of a table. */

static const void *
row_at(const struct packed_rows *rows, size_t i)
{
    return (const char *)rows->items + i * rows->row_bytes;
}

static void
write_texts(struct json *j, const struct column *c, const struct packed_rows *rows)
{
    uint64_t *numbers = array_new(rows->n, sizeof *numbers);
    const char **texts = array_new(rows->n, sizeof *texts), *words[MAX_WORDS];
    char unused[COLUMN_CELL_BYTES]; /* Unused, because texts are not copied into the cell. */
    size_t n_words = 0;
    bool are_many = rows->n < MIN_TEXTS;

    for (size_t i = 0; i < rows->n; i++) {
        texts[i] = column_text(c, row_at(rows, i), unused);
    }
    for (size_t i = 0; i < rows->n && !are_many; i++) {
        numbers[i] = text_find(texts[i], words, sizeof *words, n_words);
        if (numbers[i] == n_words && n_words < MAX_WORDS) {
            words[n_words++] = texts[i];
        }
        are_many = numbers[i] == MAX_WORDS || n_words > rows->n / 2;
    }
    if (are_many) {
        json_texts(j, c->name, texts, rows->n);
    } else {
        json_open(j, c->name, '{');
        json_packed(j, "of", numbers, rows->n, 1);
        json_texts(j, "texts", words, n_words);
        json_close(j, '}');
    }
    free(texts);
    free(numbers);
}

static void
write_reals(struct json *j, const struct column *c, const struct packed_rows *rows)
{
    struct cell cell;

    json_open(j, c->name, '[');
    for (size_t i = 0; i < rows->n; i++) {
        column_read(c, row_at(rows, i), &cell);
        json_real(j, NULL, cell.is_known ? cell.real : NAN, PACKED_DIGITS);
    }
    json_close(j, ']');
}

static void
write_numbers(struct json *j, const struct column *c, const struct packed_rows *rows)
{
    uint64_t *numbers = array_new(rows->n, sizeof *numbers);
    struct cell cell;

    for (size_t i = 0; i < rows->n; i++) {
        column_read(c, row_at(rows, i), &cell);
        if (cell.is_known && c->kind == COLUMN_REAL_TIME) {
            cell.number = cell.real < PACKED_MOST ? (uint64_t)(cell.real + 0.5) : PACKED_MOST;
        }
        if (cell.is_known) {
            numbers[i] = (cell.number < PACKED_MOST ? cell.number : PACKED_MOST - 1) + 1;
        }
    }
    json_packed(j, c->name, numbers, rows->n, 1);
    free(numbers);
}

void
json_columns(struct json *j, const struct column *columns, const struct packed_rows *rows)
{
    for (const struct column *c = columns; c->name; c++) {
        if (c->kind == COLUMN_TEXT) {
            write_texts(j, c, rows);
        } else if (c->kind == COLUMN_RATIO || c->kind == COLUMN_SECONDS) {
            write_reals(j, c, rows);
        } else {
            write_numbers(j, c, rows);
        }
    }
}
