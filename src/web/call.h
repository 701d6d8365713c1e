/* The fields of a request that the server uses, without the connection.  They are untrusted.
 *
 *     struct call *r = call_new("GET", "/api/run");
 *     call_add_head(r, "Host", "127.0.0.1:8080");
 *     call_add_value(r, "file", "ring.db");                 a key of the query, decoded
 *     call_free(r);
 *
 * The struct is a copy, so that a thread other than the connection's can handle the request. */

#ifndef WEB_CALL_H
#define WEB_CALL_H

#include <stdbool.h>
#include <stddef.h>

/* The encoding of NUL in a request. Texts in a struct call have no NUL character. */
#define CALL_NUL "%00"

enum call_head {
    CALL_HOST,
    CALL_ORIGIN,
    CALL_FETCH_SITE,
    CALL_AUTHORIZATION,
    CALL_WEIR,
    CALL_N_HEADS
};

struct call_value {
    char *key, *value;
};

struct call {
    char *method, *path;
    char *heads[CALL_N_HEADS]; /* [header]; null: the request does not have it. */
    bool is_ambiguous;         /* A header or key occurred twice. */
    struct call_value *values;
    size_t n_values, max_values;
};

struct call *call_new(const char *method, const char *path);
void call_free(struct call *); /* May be null. */

/* Adds a header; unknown names are ignored. */
void call_add_head(struct call *, const char *name, const char *value);
void call_add_value(struct call *, const char *key, const char *value);

/* The first value of the query with this key; null: there is none. */
const char *call_value(const struct call *, const char *key);

#endif
