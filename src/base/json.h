/* Writes JSON item by item, and adds commas, nesting and escapes.
 *
 *     struct json j = { .out = stdout, .lines = 1 };
 *     json_open(&j, NULL, '{');
 *     json_text(&j, "name", "S1");             a key in an object, NULL in a list
 *     json_close(&j, '}');
 *
 * A document without line breaks may be embedded; its strings escape '<', so that it may be in a
 * script element of a page.  A document with line breaks is readable for users, too: items down to
 * the depth 'lines' have a line each, and the document ends with a newline.
 *
 * The output is always valid JSON: bytes that are not UTF-8 become U+FFFD, and numbers that are not
 * finite become null. */

#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    unsigned lines;
    unsigned depth; /* The depth of open objects and lists. */
    bool has_item;  /* The open object or list has an item, so a comma precedes the next one. */
};

/* Open with '{' or '[', and close with '}' or ']'. */
void json_open(struct json *, const char *key, char bracket);
void json_close(struct json *, char bracket);

/* A null text is written as null. */
void json_text(struct json *, const char *key, const char *text);
/* The text must need no escapes. */
void json_plain_text(struct json *, const char *key, const char *);
void json_number(struct json *, const char *key, uint64_t);
/* 'digits': significant digits. */
void json_real(struct json *, const char *key, double, int digits);
void json_fixed(struct json *, const char *key, double,
                int decimals); /* The number of digits after the point. */
void json_bool(struct json *, const char *key, bool);
void json_null(struct json *, const char *key);
/* Writes null if 'is_known' is false. */
void json_maybe(struct json *, const char *key, bool is_known, uint64_t);

/* Write lists. */
void json_texts(struct json *, const char *key, const char *const *texts, size_t n);
void json_reals(struct json *, const char *key, const double *numbers, size_t n, int digits);

#endif
