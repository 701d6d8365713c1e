/* clang-format off: it would join the lines of the table. */
/* A server for the page, which shows runs in progress and starts new ones.
 *
 *     struct web_config config = { .folder = ".", .address = "127.0.0.1", .port = 8080, ... };
 *     struct web *w = web_start(&config, &err);
 *     while (!stopped) web_tick(w);                    detects changes; sleeps a while
 *     web_stop(w);                                     ends the processes that it started
 *
 * It shows the results files of one folder and runs the scenarios in it, both by their bare names.
 * By the rule of base/safe-open.h, no path leaves the folder, no link is followed, and hidden files
 * are invisible.  A run is a separate process, `weir run --confined --record`, which ends with the
 * server.  src/web reads results files, but does not depend on the simulator.
 *
 *     GET  /                                           the page
 *     GET  /api/state                                  files with runs and sweeps, scenarios, jobs
 *     GET  /api/run?file=F&run=N                       a run, in the format of report.h
 *     GET  /api/samples?file=F&run=N[&ids=1,2][&from=PS][&to=PS][&rows=N]
 *     GET  /api/sweep?file=F&sweep=N                   the finished runs of a sweep
 *     GET  /api/claims?file=F                          claims and figures of papers in F
 *     GET  /api/form?scenario=S[&set=K=V]...           what can be set: `weir explain --json`
 *     GET  /api/changes                                server-sent events: a number that grows
 *     POST /api/start?scenario=S&results=F[&set=K=V]...
 *     POST /api/stop?job=N
 *
 * A scenario is a file of the folder, or that of a run: results.db#3.
 *
 * An error response is {"error": "..."}, with "key" if it is about a setting.  A request needs
 * the token, if there is one, as `Authorization: Bearer` or `token=`.  Without a token, only
 * requests for a name of this machine are accepted, so that no foreign page can reach the server by
 * its own domain name.  Requests from pages of other sites are always refused (guard.h).  Requests
 * are limited in size, number and time (connections.h), and separate threads do long work
 * (work-queues.h). */
/* clang-format on */

#ifndef WEB_WEB_H
#define WEB_WEB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct web_config {
    const char *folder;  /* Its path has no symbolic links, such as ".". */
    const char *only;    /* The only results file that is shown; null: the whole folder. */
    const char *address; /* A numeric address. */
    uint16_t port;       /* 0: any free port. */
    const char *token;   /* Null: there is no token, and only this machine can reach the address. */
    const char *program; /* The program that is started for runs. */
};

struct web;

struct web *web_start(const struct web_config *, struct err *);
uint16_t web_port(const struct web *);
void web_tick(struct web *);
void web_stop(struct web *);

/* Whether only this machine can reach an address. */
bool web_is_loopback(const char *address);

#endif
