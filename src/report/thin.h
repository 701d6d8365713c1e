/* Samples of a run, thinned so that a screen can show them.
 *
 * A run may have millions of samples, but a screen has only some thousand columns.  So a row here
 * stands for 'each' consecutive samples, a power of two.  For values that go up and down, such as a
 * queue, it keeps the minimum and the maximum, so that no peak is lost.  For counters, such as
 * bytes sent, it keeps the last value, so that rates between rows are exact.  The number of samples
 * need not be known in advance: when the rows are full, neighbours are merged, and each row stands
 * for twice as many samples.
 *
 *     struct rep_samples s;
 *     if (rep_samples_read(&s, file, &want, &err)) ...       s.values[row * s.n_series + i]
 *     rep_samples_free(&s); */

#ifndef REPORT_THIN_H
#define REPORT_THIN_H

#include "record/reader.h"

/* Limits on rows, an even number, and on rows times series, for any request: more would take
 * gigabytes of memory. */
enum { REP_MAX_ROWS = 2000, REP_MAX_CELLS = 1 << 24 };

struct rep_want {
    uint64_t run;
    const struct rec_rows *series; /* All series of the run. */
    const uint32_t *ids;           /* The ids of the requested series; null: all. */
    uint32_t n_ids;
    weir_ps from_ps, to_ps; /* Both ends are included. */
    uint32_t max_rows;      /* Even; the result has at least half as many rows, if there are enough
                               samples. */
};

struct rep_range {
    uint64_t low, high;
};

struct rep_samples {
    uint32_t n_series, n_rows;
    uint64_t each;            /* The number of samples of a row; the last row may have fewer. */
    uint64_t *times_ps;       /* Indexed by row: the time of its last sample. */
    struct rep_range *values; /* [row * n_series + i] */
    uint64_t n_in_last;
    uint64_t before_ps, *before; /* Indexed by series: the last sample before 'from_ps'; 0: none. */
};

bool rep_samples_read(struct rep_samples *, struct rec_file *, const struct rep_want *,
                      struct err *);
void rep_samples_free(struct rep_samples *);

/* Merges neighbouring rows: there are half as many, at least one, each of twice as many samples. */
void rep_samples_halve(struct rep_samples *, const struct rep_want *);

#endif
