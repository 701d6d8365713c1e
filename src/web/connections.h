/* The open connections, with their time limits.
 *
 * A request must be complete some seconds after the connection was opened or the last response was
 * sent, even if its bytes keep arriving. A response must also be received within some time. A late
 * connection is closed. If very many requests are incomplete, they have much less time, so that
 * slow clients cannot block others. */

#ifndef WEB_CONNECTIONS_H
#define WEB_CONNECTIONS_H

enum caller_phase {
    CALLER_ASKS,    /* Its request is incomplete. */
    CALLER_WAITS,   /* The server is preparing the response; there is no limit. */
    CALLER_HEARS,   /* The response is being sent. */
    CALLER_LISTENS, /* It waits for changes, without a limit. */
    CALLER_LATE     /* It has been disconnected. */
};

struct connections;
struct caller;

struct connections *connections_new(void);
void connections_free(struct connections *); /* Call it when no client is connected. */

struct caller *connections_add(struct connections *, int socket);
void connections_remove(struct connections *,
                        struct caller *); /* Call it before the socket is closed. */
void connections_set(struct connections *, struct caller *, enum caller_phase);

/* Closes late connections. */
void connections_tick(struct connections *);

#endif
