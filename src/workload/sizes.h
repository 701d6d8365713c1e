/* Flow sizes, as a distribution: the share of the flows with at most a number of bytes.
 *
 *     # bytes  percent
 *        1000  20
 *       50000  90
 *     1000000  100
 *
 *     struct wl_sizes sizes = { 0 };
 *     if (!wl_sizes_parse(&sizes, text, &line, &err)) ...
 *     uint64_t bytes = wl_sizes_draw(&sizes, &stream);
 *     wl_sizes_free(&sizes);
 *
 * Between two points it is linear; before the first all flows have its size.  Shares are per cent,
 * or from 0 to 1: the last one decides.  Neither sizes nor shares shrink; equal ones are met in
 * files that people have.  Everything is in whole numbers, so that a seed gives the same flows on
 * every machine. */

#ifndef WORKLOAD_SIZES_H
#define WORKLOAD_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define WL_ALL UINT64_C(1000000000000) /* The share of all flows. */

struct wl_point {
    uint64_t bytes;
    uint64_t share; /* As a part of WL_ALL. */
};

struct wl_sizes {
    struct wl_point *points;
    size_t n, max;
    uint64_t mean_mbytes; /* In thousandths of a byte; after the finish. */
};

/* The distributions that come with the program, by name; ends with no name. */
struct wl_named {
    const char *name;
    const char *text; /* As in a file. */
};

extern const struct wl_named wl_named_sizes[];

/* A whole file.  If it is bad, 'line' is where, from 1. */
bool wl_sizes_parse(struct wl_sizes *, const char *text, size_t *line, struct err *);

/* The same point by point: shares as the texts that a file would have. */
bool wl_sizes_add(struct wl_sizes *, uint64_t bytes, const char *share, struct err *);
bool wl_sizes_finish(struct wl_sizes *, struct err *);
void wl_sizes_free(struct wl_sizes *);

/* At least a byte: a flow of nothing is none. */
uint64_t wl_sizes_draw(const struct wl_sizes *, uint64_t *stream);

/* The least size that at least this share of the flows does not exceed. */
uint64_t wl_sizes_quantile(const struct wl_sizes *, uint64_t share);

#endif
