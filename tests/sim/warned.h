/* Whether the engines of a plant have warned that it may lose packets. */

#ifndef TESTS_SIM_WARNED_H
#define TESTS_SIM_WARNED_H

#include <string.h>

#include "plant/plant.h"

/* Credit that is late makes senders slow, and loses nothing. */
static inline bool
is_of_loss(const char *line, size_t len)
{
    const char *slow = strstr(line, "senders will wait for credit");
    return !slow || slow > line + len;
}

static inline bool
is_warned(const struct plant *p)
{
    for (size_t i = 0; i < p->n_warnings; i++) {
        const char *line = p->warnings[i].text;
        while (*line) {
            size_t len = strcspn(line, "\n");
            if (is_of_loss(line, len)) {
                return true;
            }
            line += len + (line[len] == '\n');
        }
    }
    return false;
}

#endif
