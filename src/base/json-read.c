/* Reads flat objects of JSON. */

#include "base/json-read.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void
add(char *out, size_t *len, char c)
{
    if (*len + 1 < JSON_READ_BYTES) {
        out[(*len)++] = c;
    }
}

/* Adds a character of the basic multilingual plane as UTF-8. */
static void
add_code(char *out, size_t *len, unsigned long code)
{
    if (code < 0x80) {
        add(out, len, (char)code);
    } else if (code < 0x800) {
        add(out, len, (char)(0xc0 | code >> 6));
        add(out, len, (char)(0x80 | (code & 0x3f)));
    } else {
        add(out, len, (char)(0xe0 | code >> 12));
        add(out, len, (char)(0x80 | (code >> 6 & 0x3f)));
        add(out, len, (char)(0x80 | (code & 0x3f)));
    }
}

/* Reads the character after a backslash; returns null if the text ends early. */
static const char *
read_escape(const char *at, char *out, size_t *len)
{
    static const char names[] = "nrtbf", meant[] = "\n\r\t\b\f";
    const char *name = *at ? strchr(names, *at) : NULL;

    if (*at == 'u' && strspn(at + 1, "0123456789abcdefABCDEF") >= 4) {
        char digits[5] = { at[1], at[2], at[3], at[4] };
        add_code(out, len, strtoul(digits, NULL, 16));
        return at + 5;
    }
    if (*at) {
        add(out, len, name ? meant[name - names] : *at);
    }
    return *at ? at + 1 : NULL;
}

/* Reads a string, and returns the position after it; null: there is no string. */
static const char *
read_text(const char *at, char out[JSON_READ_BYTES])
{
    size_t len = 0;

    if (*at++ != '"') {
        return NULL;
    }
    while (at && *at && *at != '"') {
        if (*at == '\\') {
            at = read_escape(at + 1, out, &len);
        } else {
            add(out, &len, *at++);
        }
    }
    out[len] = '\0';
    return at && *at ? at + 1 : NULL;
}

/* Reads a number, or a word such as null. */
static const char *
read_word(const char *at, char out[JSON_READ_BYTES])
{
    size_t n = strcspn(at, ",}] \t\n\"{["), len = n < JSON_READ_BYTES ? n : JSON_READ_BYTES - 1;

    memcpy(out, at, len);
    out[len] = '\0';
    if (!strcmp(out, "null")) {
        out[0] = '\0';
    }
    return n ? at + n : NULL;
}

static const char *
skip(const char *at, const char *what)
{
    return at + strspn(at, what);
}

bool
json_read_next(struct json_read *f)
{
    const char *at = read_text(skip(f->at, " \t\n{,"), f->key);

    at = at ? skip(at, " \t\n:") : NULL;
    at = at ? (*at == '"' ? read_text : read_word)(at, f->text) : NULL;
    f->at = at ? at : "";
    return at != NULL;
}
