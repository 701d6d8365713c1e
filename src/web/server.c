/* Handles requests by libmicrohttpd with a few threads. The routes are a table. */

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "web/changes.h"
#include "web/connections.h"
#include "web/guard.h"
#include "web/reply.h"
#include "web/send.h"
#include "web/state.h"
#include "web/web.h"
#include "web/work-queues.h"

enum {
    MAX_CONNECTIONS = 200,
    /* The maximum number of connections from one address, if other machines can connect. */
    MAX_OF_ONE_ADDRESS = 64,
    MAX_BODY = 65536, /* The maximum size of a body. No request needs one. */
    MAX_HEAD = 32768,
    IDLE_S = 10,
    N_THREADS = 4,
    TICK_MS = 250,
    /* The interval of keep-alive comments in event streams. A failed write shows that the client
     * has disconnected. */
    BEAT_MS = 1000,
};

struct web {
    struct web_config config;
    struct MHD_Daemon *daemon;
    struct jobs *jobs;
    struct changes *changes;
    struct work_queues *lanes;
    struct connections *callers;
    uint64_t mark, n_job_changes; /* The state at the last tick. */
    uint32_t beat_ms;             /* The time since the last keep-alive comment. */
};

bool
web_is_loopback(const char *address)
{
    return !strncmp(address, "127.", 4) || !strcmp(address, "::1");
}

/* The routes of the server. */

static const struct route {
    const char *method, *path;
    struct reply (*answer)(const struct ask *); /* Null: the route streams changes. */
    enum lane lane;
} routes[] = {
    { "GET", "/", reply_page, LANE_NONE },
    { "GET", "/api/state", reply_state, LANE_STATE },
    { "GET", "/api/run", reply_run, LANE_REPORTS },
    { "GET", "/api/samples", reply_samples, LANE_REPORTS },
    { "GET", "/api/sweep", reply_sweep, LANE_REPORTS },
    { "GET", "/api/claims", reply_claims, LANE_REPORTS },
    { "GET", "/api/form", reply_form, LANE_FORMS },
    { "GET", "/api/changes", NULL, LANE_NONE },
    { "POST", "/api/start", reply_start, LANE_FORMS },
    { "POST", "/api/stop", reply_stop, LANE_NONE },
};

static const struct route *
find_route(const struct call *r, struct reply *why)
{
    bool is_known = false;

    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        bool is_here = !strcmp(r->path, routes[i].path);
        if (is_here && !strcmp(r->method, routes[i].method)) {
            return &routes[i];
        }
        is_known |= is_here;
    }
    *why = is_known ? reply_error(MHD_HTTP_METHOD_NOT_ALLOWED, "the method %s is not allowed here",
                                  r->method)
                    : reply_error(MHD_HTTP_NOT_FOUND, "there is no such address on this server");
    return NULL;
}

/* Connections. */

static struct caller *
caller_of(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info->socket_context;
}

static void
meet(void *arg, struct MHD_Connection *c, void **caller, enum MHD_ConnectionNotificationCode code)
{
    struct web *w = arg;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
        *caller = connections_add(w->callers, info->connect_fd);
    } else {
        connections_remove(w->callers, *caller);
    }
}

static enum MHD_Result
answer_now(struct web *w, struct MHD_Connection *c, struct reply reply)
{
    connections_set(w->callers, caller_of(c), CALLER_HEARS);
    return send_answer(c, reply);
}

/* Requests. */

/* A request: its body is read and discarded, then it waits for its response. */
struct visit {
    size_t n_body;
    struct call *call; /* Null: the request is incomplete. */
    struct work work;
};

static enum MHD_Result
add_head(void *to, enum MHD_ValueKind kind, const char *name, const char *value)
{
    (void)kind;
    call_add_head(to, name, value ? value : "");
    return MHD_YES;
}

static enum MHD_Result
add_value(void *to, enum MHD_ValueKind kind, const char *key, const char *value)
{
    (void)kind;
    call_add_value(to, key, value ? value : "");
    return MHD_YES;
}

/* Decodes a name. A decoded NUL would end the name too early, so a name with %00 is not decoded;
 * guard.c refuses it. */
static size_t
unescape(void *arg, struct MHD_Connection *c, char *text)
{
    (void)arg;
    (void)c;
    return strstr(text, CALL_NUL) ? strlen(text) : MHD_http_unescape(text);
}

static struct call *
copy_call(struct MHD_Connection *c, const char *path, const char *method)
{
    struct call *r = call_new(method, path);

    MHD_get_connection_values(c, MHD_HEADER_KIND, add_head, r);
    MHD_get_connection_values(c, MHD_GET_ARGUMENT_KIND, add_value, r);
    return r;
}

static void
wake(void *connection)
{
    MHD_resume_connection(connection);
}

/* Queues the work for a response. The connection sleeps meanwhile, and take_request() is called
 * again when it wakes. */
static enum MHD_Result
have_made(struct web *w, struct MHD_Connection *c, const struct route *route, struct visit *v)
{
    connections_set(w->callers, caller_of(c), CALLER_WAITS);
    MHD_suspend_connection(c);
    work_queues_add(w->lanes, route->lane, &v->work);
    return MHD_YES;
}

static enum MHD_Result
answer(struct web *w, struct MHD_Connection *c, struct visit *v)
{
    const struct guard guard = { .token = w->config.token, .address = w->config.address };
    const struct guard_refusal *refusal = guard_refuses(v->call, &guard);
    struct reply why;

    if (refusal) {
        return answer_now(w, c, reply_error(refusal->status, "%s", refusal->words));
    }
    const struct route *route = find_route(v->call, &why);
    if (!route) {
        return answer_now(w, c, why);
    }
    v->work = (struct work){
        .answer = route->answer, .ask = { &w->config, w->jobs, v->call }, .wake = wake, .arg = c
    };
    if (route->lane != LANE_NONE) {
        return have_made(w, c, route, v);
    }
    if (route->answer) {
        return answer_now(w, c, route->answer(&v->work.ask));
    }
    connections_set(w->callers, caller_of(c), CALLER_LISTENS);
    return changes_send(w->changes, c);
}

static void
forget_visit(void *arg, struct MHD_Connection *c, void **visit,
             enum MHD_RequestTerminationCode code)
{
    struct web *w = arg;
    struct visit *v = *visit;

    (void)code;
    /* The connection may be used for other requests. */
    connections_set(w->callers, caller_of(c), CALLER_ASKS);
    if (v) {
        call_free(v->call);
        reply_free(&v->work.reply);
        free(v);
    }
    *visit = NULL;
}

static bool
is_too_long(struct MHD_Connection *c)
{
    const char *length = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Content-Length");
    return length && strtoull(length, NULL, 10) > MAX_BODY;
}

/* Handles a request. It is called for the headers, for every part of the body, at the end, and
 * again after sleeping. A request without a length is cut off when its body exceeds the limit. */
static enum MHD_Result
take_request(void *arg, struct MHD_Connection *c, const char *path, const char *method,
             const char *version, const char *part, size_t *n_part, void **visit)
{
    struct visit *v = *visit;

    (void)version, (void)part;
    if (!v && is_too_long(c)) {
        return answer_now(arg, c,
                          reply_error(MHD_HTTP_CONTENT_TOO_LARGE,
                                      "a request may have at most %d bytes", MAX_BODY));
    }
    if (!v) {
        *visit = array_new(1, sizeof *v);
        return MHD_YES;
    }
    if (*n_part) {
        v->n_body += *n_part;
        *n_part = 0;
        return v->n_body <= MAX_BODY ? MHD_YES : MHD_NO;
    }
    if (!v->call) {
        v->call = copy_call(c, path, method);
        return answer(arg, c, v);
    }
    struct reply made = v->work.reply;
    v->work.reply = (struct reply){ 0 };
    return answer_now(arg, c, made);
}

/* Start and stop of the server. */

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
ignore_message(void *arg, const char *format, va_list args)
{
    (void)arg, (void)format, (void)args;
}

static struct MHD_Daemon *
start_daemon(struct web *w, const struct sockaddr_storage *address, bool is_six)
{
    unsigned of_one = web_is_loopback(w->config.address) ? MAX_CONNECTIONS : MAX_OF_ONE_ADDRESS;
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ERROR_LOG | MHD_USE_POLL |
                     MHD_ALLOW_SUSPEND_RESUME | (is_six ? MHD_USE_IPv6 : 0);

    return MHD_start_daemon(
        flags, 0, NULL, NULL, take_request, w, MHD_OPTION_EXTERNAL_LOGGER, ignore_message, NULL,
        MHD_OPTION_SOCK_ADDR, address, MHD_OPTION_NOTIFY_COMPLETED, forget_visit, w,
        MHD_OPTION_NOTIFY_CONNECTION, meet, w, MHD_OPTION_PER_IP_CONNECTION_LIMIT, of_one,
        MHD_OPTION_THREAD_POOL_SIZE, (unsigned)N_THREADS, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MAX_HEAD, MHD_OPTION_UNESCAPE_CALLBACK,
        unescape, NULL, MHD_OPTION_END);
}

/* The reason why the server cannot listen, according to the errno that the library leaves. */
static const char *
why_not_listening(void)
{
    static const struct {
        int number;
        const char *words;
    } reasons[] = {
        { EADDRINUSE, "the port is in use" },
        { EADDRNOTAVAIL, "the address is not one of this machine's" },
        { EAGAIN, "no more threads can be started" },
        { 0, "the library does not say why" },
    };

    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (errno == reasons[i].number) {
            return reasons[i].words;
        }
    }
    return strerror(errno);
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
    w->lanes = work_queues_new();
    w->callers = connections_new();
    w->mark = state_mark(config);
    errno = 0;
    w->daemon = start_daemon(w, &address, is_six);
    if (!w->daemon) {
        err_set(err, "cannot listen on %s, port %u: %s", config->address, config->port,
                why_not_listening());
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
    connections_tick(w->callers);
    work_queues_tick(w->lanes);
    uint64_t mark = state_mark(&w->config), n_job_changes = jobs_poll(w->jobs);
    bool is_new = mark != w->mark || n_job_changes != w->n_job_changes;
    bool is_beat = (w->beat_ms += TICK_MS) >= BEAT_MS;
    w->mark = mark;
    w->n_job_changes = n_job_changes;
    w->beat_ms = is_beat ? 0 : w->beat_ms;
    changes_publish(w->changes, is_new, is_beat);
}

/* Stops the server. Processes are ended first, because the daemon's threads started them. Then
 * sleeping connections are woken, because the daemon cannot end before they wake. */
void
web_stop(struct web *w)
{
    jobs_end(w->jobs);
    changes_end(w->changes);
    work_queues_end(w->lanes);
    if (w->daemon) {
        MHD_stop_daemon(w->daemon);
    }
    changes_free(w->changes);
    work_queues_free(w->lanes);
    connections_free(w->callers);
    jobs_free(w->jobs);
    free(w);
}
