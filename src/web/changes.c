/* Notifies pages of changes, which state.c and jobs.c detect. */

#include "web/changes.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "web/send.h"

enum { MAX_LISTENERS = 16, STREAM_BYTES = 256 };

struct listener {
    struct changes *all;
    struct MHD_Connection *connection;
    uint64_t seen, n_beats;
    bool sleeps;
};

struct changes {
    pthread_mutex_t mutex; /* Guards this struct and all listeners. */
    struct listener *listeners[MAX_LISTENERS];
    uint64_t n_changes, n_beats;
    bool is_ending;
};

struct changes *
changes_new(void)
{
    struct changes *c = array_new(1, sizeof *c);

    pthread_mutex_init(&c->mutex, NULL);
    return c;
}

void
changes_free(struct changes *c)
{
    pthread_mutex_destroy(&c->mutex);
    free(c);
}

/* Writes the next event of a stream. Called by libmicrohttpd whenever the connection can send
 * more. */
static ssize_t
publish_one(void *arg, uint64_t at, char *room, size_t max)
{
    struct listener *l = arg;
    struct changes *c = l->all;
    ssize_t n = 0;

    (void)at;
    pthread_mutex_lock(&c->mutex);
    if (c->is_ending) {
        n = MHD_CONTENT_READER_END_OF_STREAM;
    } else if (l->seen != c->n_changes) {
        l->seen = c->n_changes;
        n = snprintf(room, max, "data: %llu\n\n", (unsigned long long)c->n_changes);
    } else if (l->n_beats != c->n_beats) {
        l->n_beats = c->n_beats;
        n = snprintf(room, max, ":\n\n");
    } else if (!l->sleeps) {
        l->sleeps = true;
        MHD_suspend_connection(l->connection);
    }
    pthread_mutex_unlock(&c->mutex);
    return n;
}

static void
forget(void *arg)
{
    struct listener *l = arg;
    struct changes *c = l->all;

    pthread_mutex_lock(&c->mutex);
    for (size_t i = 0; i < MAX_LISTENERS; i++) {
        if (c->listeners[i] == l) {
            c->listeners[i] = NULL;
        }
    }
    pthread_mutex_unlock(&c->mutex);
    free(l);
}

static struct listener *
add(struct changes *c, struct MHD_Connection *connection)
{
    struct listener *l = NULL;

    pthread_mutex_lock(&c->mutex);
    for (size_t i = 0; i < MAX_LISTENERS && !l && !c->is_ending; i++) {
        if (!c->listeners[i]) {
            l = c->listeners[i] = array_new(1, sizeof *l);
            *l = (struct listener){ .all = c, .connection = connection, .seen = UINT64_MAX };
        }
    }
    pthread_mutex_unlock(&c->mutex);
    return l;
}

enum MHD_Result
changes_send(struct changes *c, struct MHD_Connection *connection)
{
    struct listener *l = add(c, connection);

    if (!l) {
        return send_answer(connection,
                           reply_error(MHD_HTTP_SERVICE_UNAVAILABLE,
                                       "%d pages are already listening, which is the maximum",
                                       MAX_LISTENERS));
    }
    struct MHD_Response *r =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BYTES, publish_one, l, forget);
    send_headers(r, "text/event-stream", NULL);
    enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, r);
    MHD_destroy_response(r);
    return result;
}

/* Wakes sleeping connections. The caller holds the mutex. */
static void
wake(struct changes *c)
{
    for (size_t i = 0; i < MAX_LISTENERS; i++) {
        struct listener *l = c->listeners[i];
        if (l && l->sleeps) {
            l->sleeps = false;
            MHD_resume_connection(l->connection);
        }
    }
}

void
changes_publish(struct changes *c, bool is_new, bool is_beat)
{
    pthread_mutex_lock(&c->mutex);
    c->n_changes += is_new;
    c->n_beats += is_beat;
    if (is_new || is_beat) {
        wake(c);
    }
    pthread_mutex_unlock(&c->mutex);
}

void
changes_end(struct changes *c)
{
    pthread_mutex_lock(&c->mutex);
    c->is_ending = true;
    wake(c);
    pthread_mutex_unlock(&c->mutex);
}
