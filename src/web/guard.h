/* Who may ask, and for what. */

#ifndef WEB_GUARD_H
#define WEB_GUARD_H

#include <stdbool.h>

/* Takes as long whatever is wrong with it. */
bool guard_token_matches(const char *token, const char *given);

/* "127.0.0.1:8080", "localhost", "[::1]:80": a name of this machine that no one else can give to
 * another. */
bool guard_is_own_name(const char *host);

/* A bare name with this ending, of a plain file in the folder: not hidden, no link to elsewhere, no
 * way out. */
bool guard_is_name(const char *name, const char *ending);
bool guard_is_file(const char *folder, const char *name, const char *ending);

/* "engines.pfc.xoff=800KB": a key and a value without paths. */
bool guard_is_setting(const char *text);

#endif
