/* Writes JSON item by item, with its commas, nesting and escapes. */

#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

/* Writes a string as UTF-8.  Untrusted names may reach a terminal as JSON, so invisible characters
 * are escaped. */
static void
write_string(FILE *out, const char *s)
{
    uint32_t character;
    size_t left = strlen(s);

    putc('"', out);
    for (size_t len; left; s += len, left -= len) {
        len = text_decode(s, left + 1, &character);
        if (character == TEXT_NO_CHARACTER) {
            fputs("\\ufffd", out);
        } else if (text_is_unseen(character) || *s == '<') {
            fprintf(out, "\\u%04x", (unsigned)character);
        } else if (*s == '"' || *s == '\\') {
            fprintf(out, "\\%c", *s);
        } else {
            fwrite(s, 1, len, out);
        }
    }
    putc('"', out);
}

static void
begin_line(const struct json *j)
{
    fprintf(j->out, "\n%*s", (int)(2 * j->depth), "");
}

static void
begin_item(struct json *j, const char *key)
{
    if (j->has_item) {
        putc(',', j->out);
    }
    if (j->depth && j->depth <= j->lines) {
        begin_line(j);
    } else if (j->has_item) {
        putc(' ', j->out);
    }
    j->has_item = true;
    if (key) {
        write_string(j->out, key);
        fputs(": ", j->out);
    }
}

void
json_open(struct json *j, const char *key, char bracket)
{
    begin_item(j, key);
    putc(bracket, j->out);
    j->depth++;
    j->has_item = false;
}

void
json_close(struct json *j, char bracket)
{
    bool has_lines = j->has_item && j->depth <= j->lines;

    j->depth--;
    if (has_lines) {
        begin_line(j);
    }
    putc(bracket, j->out);
    j->has_item = true;
    if (!j->depth && j->lines) {
        putc('\n', j->out);
    }
}

void
json_text(struct json *j, const char *key, const char *text)
{
    begin_item(j, key);
    if (text) {
        write_string(j->out, text);
    } else {
        fputs("null", j->out);
    }
}

void
json_plain_text(struct json *j, const char *key, const char *text)
{
    begin_item(j, key);
    putc('"', j->out);
    fputs(text, j->out);
    putc('"', j->out);
}

void
json_number(struct json *j, const char *key, uint64_t number)
{
    begin_item(j, key);
    fprintf(j->out, "%" PRIu64, number);
}

/* Writes a number. JSON cannot express infinity or NaN, so they become null. */
static void
write_real(struct json *j, const char *key, const char *format, int digits, double number)
{
    begin_item(j, key);
    fprintf(j->out, isfinite(number) ? format : "null", digits, number);
}

void
json_real(struct json *j, const char *key, double number, int digits)
{
    write_real(j, key, "%.*g", digits, number);
}

void
json_fixed(struct json *j, const char *key, double number, int decimals)
{
    write_real(j, key, "%.*f", decimals, number);
}

void
json_bool(struct json *j, const char *key, bool is)
{
    begin_item(j, key);
    fputs(is ? "true" : "false", j->out);
}

void
json_null(struct json *j, const char *key)
{
    json_text(j, key, NULL);
}

void
json_maybe(struct json *j, const char *key, bool is_known, uint64_t number)
{
    if (is_known) {
        json_number(j, key, number);
    } else {
        json_null(j, key);
    }
}

void
json_texts(struct json *j, const char *key, const char *const *texts, size_t n)
{
    json_open(j, key, '[');
    for (size_t i = 0; i < n; i++) {
        json_text(j, NULL, texts[i]);
    }
    json_close(j, ']');
}

void
json_reals(struct json *j, const char *key, const double *numbers, size_t n, int digits)
{
    json_open(j, key, '[');
    for (size_t i = 0; i < n; i++) {
        json_real(j, NULL, numbers[i], digits);
    }
    json_close(j, ']');
}
