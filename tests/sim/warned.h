/* Whether the engines of a model have warned that it may lose packets. */

#ifndef TESTS_SIM_WARNED_H
#define TESTS_SIM_WARNED_H

#include <string.h>

#include "model/model.h"

/* Warnings that do not concern losses: late or slow credit engines, and FAFC, which is always
 * stacked on PFC in these tests. */
static const char *const harmless[] = {
    "senders will wait for credit",
    "but the delay of the link is",
    "hardly ever predicted",
    "pauses of less than half a quantum",
    "can never be used",
    "so it lies in the headroom",
};

static inline bool
is_of_loss(const char *line)
{
    bool is_harmless = false;

    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        is_harmless |= strstr(line, harmless[i]) != NULL;
    }
    return !is_harmless;
}

static inline bool
is_warned(const struct model *p)
{
    bool is_warned = false;

    for (size_t i = 0; i < p->n_warnings; i++) {
        is_warned |= is_of_loss(p->warnings[i].text);
    }
    return is_warned;
}

#endif
