/* A request, as far as anyone here looks at it, without its connection: what was read off the wire
 * and is not trusted.
 *
 *     struct request *r = request_new("GET", "/api/run");
 *     request_add_head(r, "Host", "127.0.0.1:8080");
 *     request_add_value(r, "file", "ring.db");              of the query, decoded
 *     request_free(r);
 *
 * It is a copy, so that it can be answered by a thread that has nothing to do with the connection.
 */

#ifndef WEB_REQUEST_H
#define WEB_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum request_head {
    REQUEST_HOST,
    REQUEST_ORIGIN,
    REQUEST_FETCH_SITE,
    REQUEST_AUTHORIZATION,
    REQUEST_WEIR,
    REQUEST_N_HEADS
};

struct request_value {
    char *key, *value;
};

struct request {
    char *method, *path;
    char *heads[REQUEST_N_HEADS]; /* Null: it has none. */
    bool is_ambiguous;            /* One of them came twice. */
    struct request_value *values;
    size_t n_values, max_values;
};

struct request *request_new(const char *method, const char *path);
void request_free(struct request *); /* May be null. */

/* Heads of other names are left aside. */
void request_add_head(struct request *, const char *name, const char *value);
void request_add_value(struct request *, const char *key, const char *value);

/* The first of the query that has this key; null: none. */
const char *request_value(const struct request *, const char *key);

#endif
