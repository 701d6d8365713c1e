/* Everyone who is connected, and how long they may take.
 *
 * A request must be there whole, head and body, some seconds after the connection was made or the
 * last answer was sent, however busily its bytes trickle in; and an answer must have been taken
 * some time after it was begun.  Who is late is disconnected.  If very many are still asking, they
 * have much less time, so that nobody can keep others out by asking slowly. */

#ifndef WEB_CALLERS_H
#define WEB_CALLERS_H

enum caller_phase {
    CALLER_ASKS,    /* Its request is not whole yet. */
    CALLER_WAITS,   /* The server works for it, in its own time. */
    CALLER_HEARS,   /* It is being answered. */
    CALLER_LISTENS, /* To changes, as long as it wants. */
    CALLER_LATE     /* It has been disconnected. */
};

struct callers;
struct caller;

struct callers *callers_new(void);
void callers_free(struct callers *); /* When nobody is connected. */

struct caller *callers_add(struct callers *, int socket);
void callers_remove(struct callers *, struct caller *); /* Before the socket is closed. */
void callers_set(struct callers *, struct caller *, enum caller_phase);

/* Disconnects those who are late. */
void callers_tick(struct callers *);

#endif
