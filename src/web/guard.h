/* The requests that callers may make: decided from a request alone, before any work. */

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

/* Null: it may be answered.  A page of another site may request nothing, by no method: its browser
 * sends the origin of the page in Origin and Sec-Fetch-Site, and the requested name in Host. */
const struct guard_refusal *guard_refuses(const struct call *, const struct guard *);

/* "engines.pfc.xoff=800KB": a key and a value without paths. */
bool guard_is_setting(const char *text);

#endif
