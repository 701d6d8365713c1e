/* The deadlock of a run, if there was one: when it formed, and which nodes are its ring.
 *
 *     struct rep_deadlock d;
 *     if (!rep_deadlock_read(&d, file, run, &err)) ...
 *     if (d.event) { show(d.event->at_ps, d.event->text); }                     "S1 S2 S3"
 *     rep_deadlock_free(&d); */

#ifndef REPORT_FIRST_DEADLOCK_H
#define REPORT_FIRST_DEADLOCK_H

#include "record/reader.h"

struct rep_deadlock {
    const struct rec_event *event; /* Null: there was none. */
    struct rec_rows rows;
};

bool rep_deadlock_read(struct rep_deadlock *, struct rec_file *, uint64_t run, struct err *);
void rep_deadlock_free(struct rep_deadlock *);

#endif
