/* Lines that a lab prints while it runs: a deadlock as it forms and is broken, and watchdogs that
 * act. */

#ifndef LAB_WORDS_H
#define LAB_WORDS_H

#include "lab/lab.h"
#include "sim/sim.h"

struct lab_words {
    const struct lab_listener *listener; /* Null: there is no listener. */
    const struct scenario *scenario;
    uint32_t n_formed; /* Deadlocks that were reported. */
    bool was_standing;
    uint64_t *n_storms; /* Indexed by port and class: the storms reported; null: none yet. */
};

void lab_words_of_start(struct lab_words *, uint32_t n_processes);
void lab_words_of_round(struct lab_words *, const struct sim *);
void lab_words_free(struct lab_words *);

#endif
