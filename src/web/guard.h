/* Which callers may ask for what: decided from a request alone, before any work. */

#ifndef WEB_GUARD_H
#define WEB_GUARD_H

#include <stdbool.h>

#include "web/call.h"

struct guard_refusal {
    unsigned status; /* A status of HTTP. */
    const char *words;
};

/* The settings of the server that is asked. */
struct guard {
    const char *token;   /* Null: none. */
    const char *address; /* The address that it listens on; without a token, one that only this
                          * machine reaches. */
};

/* Null: it may be answered.  A page of another site may ask for nothing, by no method: its browser
 * says in Origin and Sec-Fetch-Site whose page asks, and in Host for which name. */
const struct guard_refusal *guard_refuses(const struct call *, const struct guard *);

/* "engines.pfc.xoff=800KB": a key and a value without paths. */
bool guard_is_setting(const char *text);

#endif
