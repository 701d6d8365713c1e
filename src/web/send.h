/* Sends responses over connections. */

#ifndef WEB_SEND_H
#define WEB_SEND_H

#include <microhttpd.h>

#include "web/reply.h"

/* Sends a response, and frees its memory. */
enum MHD_Result send_answer(struct MHD_Connection *, struct reply);

/* Adds the headers of all responses: pages of other sites must not read them, and browsers must not
 * guess their type. The policy lists what the page itself may do; null: nothing. */
void send_headers(struct MHD_Response *, const char *kind, const char *policy);

#endif
