/* Sends a response with its headers. */

#include "web/send.h"

#include <stdlib.h>

void
send_headers(struct MHD_Response *r, const char *kind, const char *policy)
{
    const char *const headers[][2] = {
        { "Content-Type", kind },
        { "Content-Security-Policy",
          policy ? policy : "default-src 'none'; frame-ancestors 'none'" },
        { "Cache-Control", "no-store" },
        { "X-Content-Type-Options", "nosniff" },
        { "X-Frame-Options", "DENY" },
        { "Referrer-Policy", "no-referrer" },
        { "Cross-Origin-Resource-Policy", "same-origin" },
        { "Cross-Origin-Opener-Policy", "same-origin" },
    };

    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        MHD_add_response_header(r, headers[i][0], headers[i][1]);
    }
}

enum MHD_Result
send_answer(struct MHD_Connection *c, struct reply a)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(a.n, a.body, MHD_RESPMEM_MUST_FREE);

    send_headers(r, a.kind, a.policy);
    enum MHD_Result result = MHD_queue_response(c, a.status, r);
    MHD_destroy_response(r);
    free(a.policy);
    return result;
}
