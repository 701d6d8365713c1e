/* The requests themselves: libmicrohttpd, with a few threads; routes in a table. */

#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "web/changes.h"
#include "web/guard.h"
#include "web/reply.h"
#include "web/send.h"
#include "web/state.h"
#include "web/web.h"

enum {
    MAX_CONNECTIONS = 200,
    MAX_BODY = 65536, /* No request needs one. */
    MAX_HEAD = 32768,
    IDLE_S = 20,
    N_THREADS = 4,
    TICK_MS = 250,
    BEAT_MS = 1000, /* So that it is noticed when a listener has gone. */
};

struct web {
    struct web_config config;
    struct MHD_Daemon *daemon;
    struct jobs *jobs;
    struct changes *changes;
    uint64_t mark, n_job_changes; /* As of the last tick, */
    uint32_t beat_ms;             /* and since the last beat. */
};

bool
web_is_loopback(const char *address)
{
    return !strncmp(address, "127.", 4) || !strcmp(address, "::1");
}

/* Answers. */

static const struct route {
    const char *method, *path;
    struct reply (*answer)(const struct ask *);
} routes[] = {
    { "GET", "/", reply_page },          { "GET", "/api/state", reply_state },
    { "GET", "/api/run", reply_run },    { "GET", "/api/samples", reply_samples },
    { "GET", "/api/form", reply_form },  { "POST", "/api/start", reply_start },
    { "POST", "/api/stop", reply_stop },
};

static const char *
query_value(void *connection, const char *key)
{
    return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, key);
}

struct visit {
    const char *key;
    void (*visit)(void *to, const char *value);
    void *to;
};

static enum MHD_Result
visit_value(void *arg, enum MHD_ValueKind kind, const char *key, const char *value)
{
    const struct visit *v = arg;

    (void)kind;
    if (!strcmp(key, v->key) && value) {
        v->visit(v->to, value);
    }
    return MHD_YES;
}

static void
each_value(void *connection, const char *key, void (*visit)(void *to, const char *value), void *to)
{
    struct visit v = { key, visit, to };
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, visit_value, &v);
}

/* Requests. */

static bool
may_ask(const struct web *w, struct MHD_Connection *c)
{
    static const char bearer[] = "Bearer ";
    const char *head = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Authorization");
    const char *given = head && !strncmp(head, bearer, sizeof bearer - 1) ? head + sizeof bearer - 1
                                                                          : query_value(c, "token");

    return !w->config.token || guard_token_matches(w->config.token, given);
}

/* Null if all is well, else why not. */
static struct reply *
refuse(const struct web *w, struct MHD_Connection *c, const char *method, struct reply *why)
{
    const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host");
    bool is_command = !strcmp(method, "POST");

    if (!may_ask(w, c)) {
        *why = reply_error(MHD_HTTP_UNAUTHORIZED, "a token is needed: open the address that `weir "
                                                  "serve` printed");
    } else if (!w->config.token && !guard_is_own_name(host)) {
        *why =
            reply_error(MHD_HTTP_FORBIDDEN, "this server answers only to 127.0.0.1 and localhost");
    } else if (is_command && !MHD_lookup_connection_value(c, MHD_HEADER_KIND, "X-Weir")) {
        *why = reply_error(MHD_HTTP_FORBIDDEN, "a command needs the header X-Weir");
    } else {
        return NULL;
    }
    return why;
}

static enum MHD_Result
answer(struct web *w, struct MHD_Connection *c, const char *path, const char *method)
{
    struct ask ask = { &w->config, w->jobs, query_value, each_value, c };
    struct reply why;
    bool is_known = false;

    if (refuse(w, c, method, &why)) {
        return send_answer(c, why);
    }
    if (!strcmp(method, "GET") && !strcmp(path, "/api/changes")) {
        return changes_send(w->changes, c);
    }
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        bool is_here = !strcmp(path, routes[i].path);
        if (is_here && !strcmp(method, routes[i].method)) {
            return send_answer(c, routes[i].answer(&ask));
        }
        is_known |= is_here;
    }
    return send_answer(
        c, is_known ? reply_error(MHD_HTTP_METHOD_NOT_ALLOWED, "the method %s is not allowed here",
                                  method)
                    : reply_error(MHD_HTTP_NOT_FOUND, "there is no such address on this server"));
}

/* A request whose body is being read, to be left aside. */
struct request {
    size_t n_body;
};

static void
forget_request(void *arg, struct MHD_Connection *c, void **request,
               enum MHD_RequestTerminationCode code)
{
    (void)arg, (void)c, (void)code;
    free(*request);
    *request = NULL;
}

static bool
is_too_long(struct MHD_Connection *c)
{
    const char *length = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Content-Length");
    return length && strtoull(length, NULL, 10) > MAX_BODY;
}

/* Called at its head, then for every part of its body, then at its end.  One that does not say how
 * long its body is and goes past the limit is cut off. */
static enum MHD_Result
take_request(void *arg, struct MHD_Connection *c, const char *path, const char *method,
             const char *version, const char *part, size_t *n_part, void **state)
{
    struct request *request = *state;

    (void)version, (void)part;
    if (!request && is_too_long(c)) {
        return send_answer(c, reply_error(MHD_HTTP_CONTENT_TOO_LARGE,
                                          "a request may have at most %d bytes", MAX_BODY));
    }
    if (!request) {
        *state = array_new(1, sizeof *request);
        return MHD_YES;
    }
    if (*n_part) {
        request->n_body += *n_part;
        *n_part = 0;
        return request->n_body <= MAX_BODY ? MHD_YES : MHD_NO;
    }
    return answer(arg, c, path, method);
}

/* Starting and stopping. */

static bool
read_address(const char *text, uint16_t port, struct sockaddr_storage *to, bool *is_six)
{
    struct sockaddr_in *four = (struct sockaddr_in *)to;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)to;

    memset(to, 0, sizeof *to);
    *is_six = strchr(text, ':') != NULL;
    if (*is_six) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(port);
        return inet_pton(AF_INET6, text, &six->sin6_addr) == 1;
    }
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    return inet_pton(AF_INET, text, &four->sin_addr) == 1;
}

static void
say_nothing(void *arg, const char *format, va_list args)
{
    (void)arg, (void)format, (void)args;
}

static struct MHD_Daemon *
start_daemon(struct web *w, const struct sockaddr_storage *address, bool is_six)
{
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ERROR_LOG | MHD_USE_POLL |
                     MHD_ALLOW_SUSPEND_RESUME | (is_six ? MHD_USE_IPv6 : 0);

    return MHD_start_daemon(
        flags, 0, NULL, NULL, take_request, w, MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL,
        MHD_OPTION_SOCK_ADDR, address, MHD_OPTION_NOTIFY_COMPLETED, forget_request, NULL,
        MHD_OPTION_THREAD_POOL_SIZE, (unsigned)N_THREADS, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MAX_HEAD, MHD_OPTION_END);
}

struct web *
web_start(const struct web_config *config, struct err *err)
{
    struct sockaddr_storage address;
    bool is_six;

    if (!read_address(config->address, config->port, &address, &is_six)) {
        err_set(err, "'%s' is not an address as in 127.0.0.1 or ::1", config->address);
        return NULL;
    }
    struct web *w = array_new(1, sizeof *w);
    w->config = *config;
    w->changes = changes_new();
    w->jobs = jobs_new(config->program);
    w->mark = state_mark(config);
    w->daemon = start_daemon(w, &address, is_six);
    if (!w->daemon) {
        err_set(err,
                "cannot listen on %s, port %u: the port is in use, or the address is not one of "
                "this machine's",
                config->address, config->port);
        web_stop(w);
        return NULL;
    }
    return w;
}

uint16_t
web_port(const struct web *w)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(w->daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : w->config.port;
}

void
web_tick(struct web *w)
{
    const struct timespec pause = { .tv_nsec = TICK_MS * 1000000 };

    nanosleep(&pause, NULL);
    uint64_t mark = state_mark(&w->config), n_job_changes = jobs_look(w->jobs);
    bool is_new = mark != w->mark || n_job_changes != w->n_job_changes;
    bool is_beat = (w->beat_ms += TICK_MS) >= BEAT_MS;
    w->mark = mark;
    w->n_job_changes = n_job_changes;
    w->beat_ms = is_beat ? 0 : w->beat_ms;
    changes_tell(w->changes, is_new, is_beat);
}

void
web_stop(struct web *w)
{
    changes_end(w->changes);
    if (w->daemon) {
        MHD_stop_daemon(w->daemon);
    }
    changes_free(w->changes);
    jobs_free(w->jobs);
    free(w);
}
