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

/* Limits on rows, an even number, and on rows times series, for any request. Larger results would
 * take gigabytes of memory. */
enum { REP_MAX_ROWS = 2000, REP_MAX_CELLS = 1 << 24 };

struct rep_want {
    uint64_t run;
    const struct rec_rows *series; /* All series of the run. */
    const uint32_t *ids;           /* The ids of the requested series; null: all series. */
    uint32_t n_ids;
    weir_ps from_ps, to_ps; /* The requested time; both ends are included. */
    /* The maximum number of rows, which is even. The result has at least half as many rows, if
     * there are enough samples. */
    uint32_t max_rows;
};

struct rep_range {
    uint64_t low, high;
};

struct rep_samples {
    uint32_t n_series, n_rows;
    uint64_t each;            /* The number of samples of a row; the last row may have fewer. */
    uint64_t *times_ps;       /* [row]: the time of the row's last sample. */
    struct rep_range *values; /* [row * n_series + i]. */
    uint64_t n_in_last;
    /* The time of the last sample before 'from_ps', and its values, indexed by series; 0: there is
     * none. */
    uint64_t before_ps, *before;
};

bool rep_samples_read(struct rep_samples *, struct rec_file *, const struct rep_want *,
                      struct err *);
void rep_samples_free(struct rep_samples *);

/* Merges each row with its neighbour, so that there are half as many rows, at least one. */
void rep_samples_halve(struct rep_samples *, const struct rep_want *);

#endif
