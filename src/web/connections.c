/* A list of connections, each with its deadline. */

#include "web/connections.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/array.h"
#include "base/moment.h"

/* The number of incomplete requests above which they get less time. It is a quarter of the maximum
 * number of connections (server.c). Eight browsers with six connections each are normal load, and
 * stay below it. */
enum { CROWD = 50 };

/* The time for an incomplete request if there are too many. A request is one or two packets, so a
 * second is enough from anywhere on Earth. To occupy all connections, an attacker would have to
 * make two hundred each second. */
enum { CROWDED_MS = 1000 };

/* The time limits of phases; 0: no limit. */
static const int64_t limits_ms[] = {
    [CALLER_ASKS] = 10000, [CALLER_WAITS] = 0, [CALLER_HEARS] = 120000,
    [CALLER_LISTENS] = 0,  [CALLER_LATE] = 0,
};

struct caller {
    int socket;
    enum caller_phase phase;
    int64_t since_ms;
    struct caller *next, **at; /* The links of the list. */
};

struct connections {
    pthread_mutex_t mutex;
    struct caller *first;
};

struct connections *
connections_new(void)
{
    struct connections *all = array_new(1, sizeof *all);

    pthread_mutex_init(&all->mutex, NULL);
    return all;
}

void
connections_free(struct connections *all)
{
    pthread_mutex_destroy(&all->mutex);
    free(all);
}

struct caller *
connections_add(struct connections *all, int socket)
{
    struct caller *c = array_new(1, sizeof *c);

    *c = (struct caller){ .socket = socket, .phase = CALLER_ASKS, .since_ms = moment_ms() };
    pthread_mutex_lock(&all->mutex);
    c->next = all->first;
    c->at = &all->first;
    if (c->next) {
        c->next->at = &c->next;
    }
    all->first = c;
    pthread_mutex_unlock(&all->mutex);
    return c;
}

void
connections_remove(struct connections *all, struct caller *c)
{
    pthread_mutex_lock(&all->mutex);
    *c->at = c->next;
    if (c->next) {
        c->next->at = c->at;
    }
    pthread_mutex_unlock(&all->mutex);
    free(c);
}

void
connections_set(struct connections *all, struct caller *c, enum caller_phase phase)
{
    pthread_mutex_lock(&all->mutex);
    if (c->phase != CALLER_LATE) {
        c->phase = phase;
        c->since_ms = moment_ms();
    }
    pthread_mutex_unlock(&all->mutex);
}

/* Whether there are too many incomplete requests. The caller holds the mutex. */
static bool
is_crowd(const struct connections *all)
{
    unsigned n = 0;

    for (const struct caller *c = all->first; c; c = c->next) {
        n += c->phase == CALLER_ASKS;
    }
    return n > CROWD;
}

void
connections_tick(struct connections *all)
{
    int64_t now_ms = moment_ms();

    pthread_mutex_lock(&all->mutex);
    int64_t asking_ms = is_crowd(all) ? CROWDED_MS : limits_ms[CALLER_ASKS];
    for (struct caller *c = all->first; c; c = c->next) {
        int64_t max_ms = c->phase == CALLER_ASKS ? asking_ms : limits_ms[c->phase];
        if (max_ms && now_ms - c->since_ms > max_ms) {
            /* The thread that reads the connection notices the end, and closes it. */
            shutdown(c->socket, SHUT_RDWR);
            c->phase = CALLER_LATE;
        }
    }
    pthread_mutex_unlock(&all->mutex);
}
