/* Reduces samples to the number that a screen can show, but keeps the extremes. */

#include "report/thin.h"

#include <stdlib.h>

#include "base/array.h"

/* The state of thinning. */
struct thinner {
    struct rep_samples *s;
    const struct rep_want *want;
    uint32_t max_rows;
    uint32_t *columns; /* [i]: the column of series i in the samples. */
    bool *only_grows;  /* [i]: series i is a counter. */
};

static struct rep_range
merged(struct rep_range a, struct rep_range b, bool only_grows)
{
    if (only_grows) {
        return b;
    }
    return (struct rep_range){ a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high };
}

/* Merges rows with their neighbours. The last row may have no neighbour, and fewer samples than the
 * others. */
static void
merge_neighbours(struct thinner *t)
{
    struct rep_samples *s = t->s;
    uint32_t last = s->n_rows - 1;

    for (uint32_t row = 0; row <= last / 2; row++) {
        uint32_t first = 2 * row, second = first < last ? first + 1 : last;
        struct rep_range *to = s->values + (size_t)row * s->n_series;
        const struct rep_range *a = s->values + (size_t)first * s->n_series;
        const struct rep_range *b = s->values + (size_t)second * s->n_series;
        for (uint32_t i = 0; i < s->n_series; i++) {
            to[i] = merged(a[i], b[i], t->only_grows[i]);
        }
        s->times_ps[row] = s->times_ps[second];
    }
    s->n_in_last += last % 2 ? s->each : 0;
    s->n_rows = last / 2 + 1;
    s->each *= 2;
}

/* Hot: once a sample. */
static void
add_sample(struct thinner *t, const uint64_t *sample)
{
    struct rep_samples *s = t->s;
    bool is_new = !s->n_rows || s->n_in_last == s->each;

    if (is_new && s->n_rows == t->max_rows) {
        merge_neighbours(t);
    }
    s->n_rows += is_new;
    s->n_in_last = is_new ? 1 : s->n_in_last + 1;
    s->times_ps[s->n_rows - 1] = sample[0];
    struct rep_range *to = s->values + (size_t)(s->n_rows - 1) * s->n_series;
    for (uint32_t i = 0; i < s->n_series; i++) {
        struct rep_range one = { sample[t->columns[i]], sample[t->columns[i]] };
        to[i] = is_new ? one : merged(to[i], one, t->only_grows[i]);
    }
}

static void
keep_before(struct thinner *t, const uint64_t *sample)
{
    t->s->before_ps = sample[0];
    for (uint32_t i = 0; i < t->s->n_series; i++) {
        t->s->before[i] = sample[t->columns[i]];
    }
}

static void
add_frame(struct thinner *t, const struct rec_frame *f)
{
    for (uint32_t row = 0; row < f->n_rows; row++) {
        const uint64_t *sample = f->values + (size_t)row * f->n_columns;
        if (sample[0] < (uint64_t)t->want->from_ps) {
            keep_before(t, sample);
        } else if (sample[0] <= (uint64_t)t->want->to_ps) {
            add_sample(t, sample);
        }
    }
}

static bool
read_frames(struct thinner *t, struct rec_file *file, struct err *err)
{
    struct rec_frame f = { .n_columns = 1 + (uint32_t)t->want->series->n };
    bool good, is_past = false;

    for (uint64_t id = 0;
         !is_past && (good = rec_read_frame(file, t->want->run, id, &f, err)) && f.n_rows; id++) {
        add_frame(t, &f);
        is_past = f.values[0] > (uint64_t)t->want->to_ps;
    }
    free(f.values);
    return good;
}

static void
choose(struct thinner *t)
{
    const struct rep_want *want = t->want;
    uint32_t n = t->s->n_series;

    t->columns = array_new(n, sizeof *t->columns);
    t->only_grows = array_new(n, sizeof *t->only_grows);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = want->ids ? want->ids[i] : i;
        const struct rec_series *series = rec_row(want->series, REC_SERIES, id);
        t->columns[i] = 1 + id;
        t->only_grows[i] = rec_only_grows(series->quantity);
    }
}

/* The number of rows that the result may have: even, and at least two. */
static uint32_t
rows_for(uint32_t wanted, uint32_t n_series)
{
    uint32_t most = REP_MAX_CELLS / (n_series ? n_series : 1);
    return (wanted < most ? wanted : most > 2 ? most : 2) & ~1u;
}

static void
forget(struct thinner *t)
{
    free(t->columns);
    free(t->only_grows);
}

void
rep_samples_halve(struct rep_samples *s, const struct rep_want *want)
{
    struct thinner t = { .s = s, .want = want };

    choose(&t);
    merge_neighbours(&t);
    forget(&t);
}

bool
rep_samples_read(struct rep_samples *s, struct rec_file *file, const struct rep_want *want,
                 struct err *err)
{
    struct thinner t = { .s = s, .want = want };

    *s = (struct rep_samples){ .each = 1 };
    s->n_series = want->ids ? want->n_ids : (uint32_t)want->series->n;
    t.max_rows = rows_for(want->max_rows, s->n_series);
    s->times_ps = array_new(t.max_rows, sizeof *s->times_ps);
    s->before = array_new(s->n_series, sizeof *s->before);
    s->values = array_new((size_t)t.max_rows * s->n_series, sizeof *s->values);
    choose(&t);
    bool good = read_frames(&t, file, err);
    forget(&t);
    if (!good) {
        rep_samples_free(s);
    }
    return good;
}

void
rep_samples_free(struct rep_samples *s)
{
    free(s->times_ps);
    free(s->values);
    free(s->before);
    *s = (struct rep_samples){ 0 };
}
