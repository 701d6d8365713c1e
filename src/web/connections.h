/* Everyone who is connected, and how long they may take.
 *
 * A request must be there whole, head and body, some seconds after the connection was made or the
 * last answer was sent, however busily its bytes trickle in.  And an answer must have been taken
 * some time after it was begun.  A late connection is closed.  If very many are still asking, they
 * have much less time, so that slow clients cannot keep others out. */

#ifndef WEB_CONNECTIONS_H
#define WEB_CONNECTIONS_H

enum caller_phase {
    CALLER_ASKS,    /* Its request is not whole yet. */
    CALLER_WAITS,   /* The server works for it, in its own time. */
    CALLER_HEARS,   /* It is being answered. */
    CALLER_LISTENS, /* To changes, as long as it wants. */
    CALLER_LATE     /* It has been disconnected. */
};

struct connections;
struct caller;

struct connections *connections_new(void);
void connections_free(struct connections *); /* When no client is connected. */

struct caller *connections_add(struct connections *, int socket);
void connections_remove(struct connections *, struct caller *); /* Before the socket is closed. */
void connections_set(struct connections *, struct caller *, enum caller_phase);

/* Closes late connections. */
void connections_tick(struct connections *);

#endif
