/* How long a request may go on reading results: the server has few threads, and a file may be a
 * stranger's that is slow to read for its size.  Long enough for any page that someone waits for,
 * but not longer than the server is there. */

#ifndef WEB_PATIENCE_H
#define WEB_PATIENCE_H

#include "web/jobs.h"
#include "web/moment.h"

enum { PATIENCE_MS = 60000 };

struct patience {
    int64_t until_ms;
    const struct jobs *jobs;
};

static inline struct patience
patience_start(const struct jobs *jobs)
{
    return (struct patience){ .until_ms = moment_ms() + PATIENCE_MS, .jobs = jobs };
}

/* For rec_read_until(). */
static inline bool
patience_is_over(void *patience)
{
    const struct patience *p = patience;

    return jobs_are_ending(p->jobs) || moment_ms() > p->until_ms;
}

#endif
