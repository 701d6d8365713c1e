/* Finds the deadlock of a run among its events. */

#include "report/first-deadlock.h"

bool
rep_deadlock_read(struct rep_deadlock *d, struct rec_file *file, uint64_t run, struct err *err)
{
    *d = (struct rep_deadlock){ 0 };
    if (!rec_read_if(file, REC_EVENT, run, "kind = 'deadlock'", 0, 1, &d->rows, err)) {
        rep_deadlock_free(d);
        return false;
    }
    d->event = d->rows.n ? rec_row(&d->rows, REC_EVENT, 0) : NULL;
    return true;
}

void
rep_deadlock_free(struct rep_deadlock *d)
{
    rec_rows_free(&d->rows, REC_EVENT);
    d->event = NULL;
}
