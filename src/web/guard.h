/* Decides whether a request is allowed, from the request alone, before any work. */

#ifndef WEB_GUARD_H
#define WEB_GUARD_H

#include <stdbool.h>

#include "web/call.h"

struct guard_refusal {
    unsigned status; /* An HTTP status. */
    const char *words;
};

/* The settings of the server that received the request. */
struct guard {
    const char *token; /* Null: the server has no token. */
    /* The address of the server. Without a token, only this machine can reach it. */
    const char *address;
};

/* Returns the refusal of a request; null: it is allowed. Pages of other sites may make no requests
 * at all: their browsers send the origin of the page in Origin and Sec-Fetch-Site, and the
 * requested name in Host. */
const struct guard_refusal *guard_refuses(const struct call *, const struct guard *);

/* Whether a text is a setting without paths, such as "engines.pfc.xoff=800KB". */
bool guard_is_setting(const char *text);

#endif
