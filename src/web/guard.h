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

/* Null: it may be answered.  A page of another site may ask
 * for nothing, by no method: its browser says in Origin and Sec-Fetch-Site whose page asks, and in
 * Host for which name. */
const struct guard_refusal *guard_refuses(const struct call *, const struct guard *);

/* Takes as long whatever is wrong with it. */
bool guard_token_matches(const char *token, const char *given);

/* "127.0.0.1:8080", "localhost", "[::1]:80", or the address: a name of this machine that no one
 * else can give to another. */
bool guard_is_own_name(const char *host, const char *address);

/* "http://127.0.0.1:8080" is the origin of pages of the host "127.0.0.1:8080". */
bool guard_is_origin_of(const char *origin, const char *host);

/* "engines.pfc.xoff=800KB": a key and a value without paths. */
bool guard_is_setting(const char *text);

#endif
