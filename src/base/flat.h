/* An object of JSON that has no other in it, member by member: {"engine": "pfc", "victim": 5e+09}.
 *
 *     struct flat flat = { text };
 *     while (flat_next(&flat)) ... flat.key, flat.text;
 *
 * Texts may be anything: what is not such an object ends where it goes wrong, and what does not fit
 * is cut. */

#ifndef BASE_FLAT_H
#define BASE_FLAT_H

#include <stdbool.h>

enum { FLAT_BYTES = 512 };

struct flat {
    const char *at; /* What has not been read. */
    char key[FLAT_BYTES];
    char text[FLAT_BYTES]; /* Of a number its digits; of null nothing. */
};

bool flat_next(struct flat *);

#endif
