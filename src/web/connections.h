/* The open connections, with their time limits.
 *
 * A request must be complete some seconds after the connection was opened or the last answer was
 * sent, even if its bytes keep coming.  An answer must also be received within some time.  A late
 * connection is closed.  If very many requests are incomplete, they have much less time, so that
 * slow clients cannot block others. */

#ifndef WEB_CONNECTIONS_H
#define WEB_CONNECTIONS_H

enum caller_phase {
    CALLER_ASKS,    /* Its request is incomplete. */
    CALLER_WAITS,   /* The server is preparing the answer; there is no limit. */
    CALLER_HEARS,   /* It is being answered. */
    CALLER_LISTENS, /* It listens to changes, without a limit. */
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
