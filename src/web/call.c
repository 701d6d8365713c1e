/* Copies of requests. */

#include "web/call.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

static const char *const head_names[CALL_N_HEADS] = {
    [CALL_HOST] = "Host",
    [CALL_ORIGIN] = "Origin",
    [CALL_FETCH_SITE] = "Sec-Fetch-Site",
    [CALL_AUTHORIZATION] = "Authorization",
    [CALL_WEIR] = "X-Weir",
};

static char *
copied(const char *text)
{
    return strcpy(array_new(strlen(text) + 1, 1), text);
}

struct call *
call_new(const char *method, const char *path)
{
    struct call *r = array_new(1, sizeof *r);

    r->method = copied(method);
    r->path = copied(path);
    return r;
}

void
call_free(struct call *r)
{
    if (!r) {
        return;
    }
    for (size_t i = 0; i < CALL_N_HEADS; i++) {
        free(r->heads[i]);
    }
    for (size_t i = 0; i < r->n_values; i++) {
        free(r->values[i].key);
        free(r->values[i].value);
    }
    free(r->values);
    free(r->method);
    free(r->path);
    free(r);
}

void
call_add_head(struct call *r, const char *name, const char *value)
{
    for (size_t i = 0; i < CALL_N_HEADS; i++) {
        if (strcasecmp(name, head_names[i])) {
            continue;
        }
        r->is_ambiguous |= r->heads[i] != NULL;
        free(r->heads[i]);
        r->heads[i] = copied(value);
    }
}

void
call_add_value(struct call *r, const char *key, const char *value)
{
    ARRAY_PUSH(r->values, r->n_values, r->max_values) =
        (struct call_value){ copied(key), copied(value) };
}

const char *
call_value(const struct call *r, const char *key)
{
    for (size_t i = 0; i < r->n_values; i++) {
        if (!strcmp(r->values[i].key, key)) {
            return r->values[i].value;
        }
    }
    return NULL;
}
