/* Lines about events that a lab reports while it runs: deadlocks when they form and are broken, and
 * watchdogs that act. */

#ifndef LAB_WORDS_H
#define LAB_WORDS_H

#include "lab/lab.h"
#include "sim/sim.h"

struct lab_words {
    const struct lab_listener *listener; /* Null: nobody listens. */
    const struct scenario *scenario;
    uint32_t n_formed; /* The number of deadlocks that were reported. */
    bool was_standing;
    /* [port and class]: the number of storms that were reported; null: none yet. */
    uint64_t *n_storms;
};

void lab_words_of_start(struct lab_words *, uint32_t n_processes);
void lab_words_of_round(struct lab_words *, const struct sim *);
void lab_words_free(struct lab_words *);

#endif
