/* The response to a request: a body in memory, its type and its status. */

#ifndef WEB_REPLY_H
#define WEB_REPLY_H

#include <stddef.h>
#include <stdint.h>

#include "web/call.h"
#include "web/jobs.h"
#include "web/web.h"

/* The inputs from which a response is made. */
struct ask {
    const struct web_config *config;
    struct jobs *jobs;
    const struct call *call;
};

struct reply {
    unsigned status; /* An HTTP status. */
    const char *kind;
    char *body; /* The sender frees the body and the policy. */
    size_t n;
    char *policy; /* The Content-Security-Policy; null: it allows nothing. */
};

void reply_free(struct reply *); /* Frees a response that is not sent. */

struct reply reply_error(unsigned status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct reply reply_page(const struct ask *);
struct reply reply_state(const struct ask *);
struct reply reply_run(const struct ask *);
struct reply reply_samples(const struct ask *);
struct reply reply_sweep(const struct ask *);
struct reply reply_claims(const struct ask *);
struct reply reply_form(const struct ask *);
struct reply reply_start(const struct ask *);
struct reply reply_stop(const struct ask *);

#endif
