/* Distributions of flow sizes: the share of flows with at most a certain number of bytes.
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
 * It is linear between two points; flows before the first point have its size.  Shares are in
 * percent, or from 0 to 1; the last share, 100 or 1, decides.  Sizes and shares must not decrease;
 * common files have points with equal sizes or shares.  All arithmetic is on integers, so that a
 * seed gives the same flows on every machine. */

#ifndef WORKLOAD_SIZES_H
#define WORKLOAD_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define WL_ALL UINT64_C(1000000000000) /* The share of all flows. */

struct wl_point {
    uint64_t bytes;
    uint64_t share; /* The share of flows with at most 'bytes', in units of 1 / WL_ALL. */
};

struct wl_sizes {
    struct wl_point *points;
    size_t n, max;
    uint64_t mean_mbytes; /* The mean in thousandths of a byte, after wl_sizes_finish(). */
};

/* The distributions that come with the program, by name; the last entry has no name. */
struct wl_named {
    const char *name;
    const char *text; /* The text of its file. */
};

extern const struct wl_named wl_named_sizes[];

/* Parses a whole file.  If it is invalid, 'line' is the number of the wrong line, counted from
 * 1. */
bool wl_sizes_parse(struct wl_sizes *, const char *text, size_t *line, struct err *);

/* Add points one by one, with shares as texts as in a file. */
bool wl_sizes_add(struct wl_sizes *, uint64_t bytes, const char *share, struct err *);
bool wl_sizes_finish(struct wl_sizes *, struct err *);
void wl_sizes_free(struct wl_sizes *);

/* Samples a size of at least one byte. */
uint64_t wl_sizes_draw(const struct wl_sizes *, uint64_t *stream);

/* The smallest size that at least this share of the flows does not exceed. */
uint64_t wl_sizes_quantile(const struct wl_sizes *, uint64_t share);

#endif
