/* Whether the engines of a plant have warned that it may lose packets. */

#ifndef TESTS_SIM_WARNED_H
#define TESTS_SIM_WARNED_H

#include <string.h>

#include "plant/plant.h"

/* What is late or slow and loses nothing: credit; and FAFC, which stands over PFC wherever this is
 * asked. */
static const char *const harmless[] = {
    "senders will wait for credit",
    "and the shortest link takes",
    "hardly a queue is ever foreseen",
    "pauses of less than half a quantum",
};

static inline bool
is_of_loss(const char *line, size_t len)
{
    bool is_harmless = false;

    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        const char *found = strstr(line, harmless[i]);
        is_harmless |= found && found < line + len;
    }
    return !is_harmless;
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
