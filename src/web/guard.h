/* Who may ask, and for what: decided from a request alone, before any work. */

#ifndef WEB_GUARD_H
#define WEB_GUARD_H

#include <stdbool.h>

#include "web/call.h"

struct guard_refusal {
    unsigned status; /* Of HTTP. */
    const char *words;
};

/* Null: it may be answered.  The token is null if there is none.  A page of another site may ask
 * for nothing, by no method: its browser says in Origin and Sec-Fetch-Site whose page asks, and in
 * Host for which name. */
const struct guard_refusal *guard_refuses(const struct call *, const char *token);

/* Takes as long whatever is wrong with it. */
bool guard_token_matches(const char *token, const char *given);

/* "127.0.0.1:8080", "localhost", "[::1]:80": a name of this machine that no one else can give to
 * another. */
bool guard_is_own_name(const char *host);

/* "http://127.0.0.1:8080" is the origin of pages of the host "127.0.0.1:8080". */
bool guard_is_origin_of(const char *origin, const char *host);

/* "engines.pfc.xoff=800KB": a key and a value without paths. */
bool guard_is_setting(const char *text);

#endif
