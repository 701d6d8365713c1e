/* JSON, written item by item: commas and escapes are kept here.
 *
 *     struct json j = { .out = file };
 *     json_open(&j, NULL, '{');
 *     json_text(&j, "name", "S1");             a key in an object, NULL in a list
 *     json_close(&j, '}');
 *
 * Numbers of a column go packed: as rec_frame_pack() has them, at most 4096 rows at once, one after
 * the other, in base64.  A page reads them with the numbers that JavaScript has, so what is over
 * JSON_MOST is given as that. */

#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_MOST ((UINT64_C(1) << 52) - 1)

struct json {
    FILE *out;
    bool has_item; /* In what is open: a comma is due. */
};

void json_open(struct json *, const char *key, char bracket);
void json_close(struct json *, char bracket);

void json_text(struct json *, const char *key, const char *text);
void json_number(struct json *, const char *key, uint64_t);
void json_real(struct json *, const char *key, double);
void json_null(struct json *, const char *key);

/* 'n' rows of 'n_columns' numbers each, row by row. */
void json_packed(struct json *, const char *key, const uint64_t *values, size_t n,
                 uint32_t n_columns);

#endif
