/* Reads a JSON object without nested objects, member by member: {"engine": "pfc", "victim": 5e+09}.
 *
 *     struct json_read flat = { text };
 *     while (json_read_next(&flat)) ... flat.key, flat.text;
 *
 * The text may be untrusted: reading ends at the first error, and a value that is too long is
 * cut. */

#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include <stdbool.h>

enum { JSON_READ_BYTES = 512 };

struct json_read {
    const char *at; /* The rest of the text. */
    char key[JSON_READ_BYTES];
    char text[JSON_READ_BYTES]; /* The value as text; empty for null. */
};

bool json_read_next(struct json_read *);

#endif
