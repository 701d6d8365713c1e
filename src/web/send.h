/* Answers onto a connection. */

#ifndef WEB_SEND_H
#define WEB_SEND_H

#include <microhttpd.h>

#include "web/reply.h"

/* Its body is freed. */
enum MHD_Result send_answer(struct MHD_Connection *, struct reply);

/* What all answers have at their head; a page of others may not look into them. */
void send_headers(struct MHD_Response *, const char *kind);

#endif
