/* The time limit for reading results for a request: the server has few threads, and an untrusted
 * file may be slow to read for its size. The limit is long enough for any page that a user waits
 * for, and ends when the server ends. */

#ifndef WEB_DEADLINES_H
#define WEB_DEADLINES_H

#include "base/moment.h"
#include "record/rows.h"
#include "web/jobs.h"

/* In a list of files, each file also has a limit of its own, so that a slow file does not use up
 * the time of the others. */
enum { DEADLINE_MS = 60000, DEADLINE_A_FILE_MS = 3000 };

struct deadline {
    int64_t until_ms;
    const struct jobs *jobs;
};

static inline struct deadline
deadline_start(const struct jobs *jobs)
{
    return (struct deadline){ .until_ms = moment_ms() + DEADLINE_MS, .jobs = jobs };
}

/* The deadline of one file in a list, which is not later than that of the list. */
static inline struct deadline
deadline_for_file(const struct deadline *list)
{
    int64_t until_ms = moment_ms() + DEADLINE_A_FILE_MS;

    return (struct deadline){ .until_ms = until_ms < list->until_ms ? until_ms : list->until_ms,
                              .jobs = list->jobs };
}

static inline bool
deadline_is_over(void *deadline)
{
    const struct deadline *p = deadline;

    return jobs_are_ending(p->jobs) || moment_ms() > p->until_ms;
}

/* The deadline as readers of results files take it. */
static inline struct rec_until
deadline_until(struct deadline *p)
{
    return (struct rec_until){ deadline_is_over, p };
}

#endif
