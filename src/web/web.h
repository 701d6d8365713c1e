/* clang-format off: it would join the lines of the table. */
/* A server for the page: runs as they run, and runs that are started from it.
 *
 *     struct web_config config = { .folder = ".", .address = "127.0.0.1", .port = 8080, ... };
 *     struct web *w = web_start(&config, &err);
 *     while (!stopped) web_tick(w);                    looks for what is new; sleeps a while
 *     web_stop(w);                                     ends what it has started
 *
 * It shows the results files of one folder and runs the scenarios of that folder, both by their
 * bare names.  The rule of base/safe-open.h holds: no path leaves it, no link is followed, nothing
 * hidden is seen.  A run is a process of its own, `weir run --confined --record`, which ends with
 * the server; this module knows results files and nothing of the simulator.
 *
 *     GET  /                                           the page
 *     GET  /api/state                                  files with runs and sweeps, scenarios, jobs
 *     GET  /api/run?file=F&run=N                       a run; report.h says how it looks
 *     GET  /api/samples?file=F&run=N[&ids=1,2][&from=PS][&to=PS][&rows=N]
 *     GET  /api/sweep?file=F&sweep=N                   the finished runs of a sweep
 *     GET  /api/claims?file=F                          claims and figures of papers that F has
 *     GET  /api/form?scenario=S[&set=K=V]...           what can be set: `weir explain --json`
 *     GET  /api/changes                                server-sent events: a number that grows
 *     POST /api/start?scenario=S&results=F[&set=K=V]...
 *     POST /api/stop?job=N
 *
 * A scenario is a file of the folder, or that of a run: results.db#3.
 *
 * Errors are answered as {"error": "..."}, with "key" if they are about a setting.  A request needs
 * the token, if there is one, as `Authorization: Bearer` or `token=`.  Without one, only requests
 * for a name of this machine are answered, so that no foreign page can reach it by a name of its
 * own.  Pages of other sites are not answered at all (guard.h).  Requests are bounded in size, in
 * number and in time (connections.h), and long work is done off the threads of connections
 * (work-queues.h). */
/* clang-format on */

#ifndef WEB_WEB_H
#define WEB_WEB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct web_config {
    const char *folder;  /* A path without links, as "." is one. */
    const char *only;    /* The one results file that is shown; null: all of the folder. */
    const char *address; /* A numeric one. */
    uint16_t port;       /* 0: any that is free. */
    const char *token;   /* Null: none, for an address that only this machine reaches. */
    const char *program; /* Started for runs. */
};

struct web;

struct web *web_start(const struct web_config *, struct err *);
uint16_t web_port(const struct web *);
void web_tick(struct web *);
void web_stop(struct web *);

/* Whether only this machine reaches an address. */
bool web_is_loopback(const char *address);

#endif
