/* Sends changes to waiting pages as server-sent events with an increasing number.
 *
 * Connections sleep while there is nothing to send. A keep-alive comment is sent periodically,
 * which pages ignore; if it cannot be written, the page has been closed. */

#ifndef WEB_CHANGES_H
#define WEB_CHANGES_H

#include <microhttpd.h>
#include <stdbool.h>

struct changes;

struct changes *changes_new(void);
void changes_free(struct changes *); /* Call it when no connection is left. */

/* Responds to a request with a stream of changes, or with an error if there are too many
 * listeners. */
enum MHD_Result changes_send(struct changes *, struct MHD_Connection *);

void changes_publish(struct changes *, bool is_new, bool is_beat);

/* Ends all streams, and refuses new ones. */
void changes_end(struct changes *);

#endif
