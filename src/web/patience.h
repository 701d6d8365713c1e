/* How long a request may go on reading results: the server has few threads, and a file may be a
 * stranger's that is slow to read for its size.  Long enough for any page that someone waits for.
 */

#ifndef WEB_PATIENCE_H
#define WEB_PATIENCE_H

#include <stdbool.h>
#include <time.h>

enum { PATIENCE_S = 60 };

struct patience {
    time_t until_s; /* Of the monotonic clock. */
};

static inline time_t
patience_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

static inline struct patience
patience_start(void)
{
    return (struct patience){ patience_now() + PATIENCE_S };
}

/* For rec_read_until(). */
static inline bool
patience_is_over(void *patience)
{
    return patience_now() > ((const struct patience *)patience)->until_s;
}

#endif
