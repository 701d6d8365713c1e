/* Decides which requests the server accepts: those from this machine, or with the token. */

#include "web/guard.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MAX_KEY = 80, MAX_VALUE = 200 };
enum { BAD = 400, NO_TOKEN = 401, FORBIDDEN = 403 };

/* Whether a request has the right token. The comparison takes constant time. */
static bool
token_matches(const char *token, const char *given)
{
    size_t n = strlen(token), n_given = given ? strlen(given) : 0;
    size_t differs = n ^ n_given;

    for (size_t i = 0; i < n; i++) {
        differs |= (unsigned char)token[i] ^ (unsigned char)(i < n_given ? given[i] : 0);
    }
    return !differs;
}

/* Whether a host is "NAME", or "NAME:80" with any port. */
static bool
is_named(const char *host, const char *name)
{
    size_t n = strlen(name);

    return !strncmp(host, name, n) &&
           (!host[n] ||
            (host[n] == ':' && strspn(host + n + 1, "0123456789") == strlen(host + n + 1)));
}

/* Whether a host is a name of this machine that DNS cannot give to another: "127.0.0.1:8080",
 * "localhost", "[::1]:80", or the server's address. */
static bool
is_own_name(const char *host, const char *address)
{
    const char *const names[] = { "127.0.0.1", "localhost", "[::1]", address };

    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
        if (is_named(host, names[i])) {
            return true;
        }
    }
    return false;
}

/* Whether an origin is that of the host's pages. The origin "http://127.0.0.1:8080" belongs to the
 * host "127.0.0.1:8080". */
static bool
is_origin_of(const char *origin, const char *host)
{
    static const char *const schemes[] = { "http://", "https://" };

    for (size_t i = 0; host && i < sizeof schemes / sizeof *schemes; i++) {
        size_t n = strlen(schemes[i]);
        if (!strncasecmp(origin, schemes[i], n) && !strcasecmp(origin + n, host)) {
            return true;
        }
    }
    return false;
}

bool
guard_is_setting(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    char key[sizeof letters + 8], value[sizeof letters + 16];
    size_t n_key, n_value;

    snprintf(key, sizeof key, "%s_.-", letters);
    snprintf(value, sizeof value, "%s_.,:+%%[]{} -", letters);
    n_key = strspn(text, key);
    if (!n_key || n_key > MAX_KEY || text[0] == '-' || text[n_key] != '=') {
        return false;
    }
    n_value = strspn(text + n_key + 1, value);
    return n_value && n_value <= MAX_VALUE && !text[n_key + 1 + n_value] && !strstr(text, "..");
}

/* The rules, in order: a request is accepted if it meets all of them. */

static bool
is_plain(const struct call *r, const struct guard *g)
{
    (void)g;
    return !r->is_ambiguous;
}

/* Whether no name in the request contains a NUL. */
static bool
has_whole_names(const struct call *r, const struct guard *g)
{
    bool is_whole = !strstr(r->path, CALL_NUL);

    (void)g;
    for (size_t i = 0; i < r->n_values && is_whole; i++) {
        is_whole = !strstr(r->values[i].key, CALL_NUL) && !strstr(r->values[i].value, CALL_NUL);
    }
    return is_whole;
}

static bool
has_token(const struct call *r, const struct guard *g)
{
    static const char bearer[] = "Bearer ";
    const char *head = r->heads[CALL_AUTHORIZATION];
    bool is_bearer = head && !strncmp(head, bearer, sizeof bearer - 1);

    return !g->token ||
           token_matches(g->token, is_bearer ? head + sizeof bearer - 1 : call_value(r, "token"));
}

static bool
asks_for_own_name(const struct call *r, const struct guard *g)
{
    return g->token || is_own_name(r->heads[CALL_HOST], g->address);
}

static bool
comes_from_own_page(const struct call *r, const struct guard *g)
{
    const char *origin = r->heads[CALL_ORIGIN], *site = r->heads[CALL_FETCH_SITE];

    (void)g;
    return (!origin || is_origin_of(origin, r->heads[CALL_HOST])) &&
           (!site || !strcmp(site, "same-origin") || !strcmp(site, "none"));
}

static bool
may_command(const struct call *r, const struct guard *g)
{
    (void)g;
    return !strcmp(r->method, "GET") || r->heads[CALL_WEIR];
}

static const struct rule {
    bool (*holds)(const struct call *, const struct guard *);
    struct guard_refusal otherwise;
} rules[] = {
    { is_plain, { BAD, "a header came twice" } },
    { has_whole_names, { BAD, "the address has " CALL_NUL " in it, which names cannot contain" } },
    { has_token, { NO_TOKEN, "a token is needed: open the address that `weir serve` printed" } },
    { asks_for_own_name,
      { FORBIDDEN,
        "this server answers only to 127.0.0.1, localhost and the address that it listens on" } },
    { comes_from_own_page,
      { FORBIDDEN,
        "this server refuses requests from pages of other sites: type or paste its address" } },
    { may_command, { FORBIDDEN, "a command needs the header X-Weir" } },
};

const struct guard_refusal *
guard_refuses(const struct call *r, const struct guard *g)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!rules[i].holds(r, g)) {
            return &rules[i].otherwise;
        }
    }
    return NULL;
}
