/* Values of a scenario as text, for the walk over all of them (values.c). */

#ifndef SCN_VALUE_TEXT_H
#define SCN_VALUE_TEXT_H

#include <stdio.h>

#include "scenario/resolver.h"

/* Items of which each has a text and a place of its own. */
struct scn_list {
    enum scn_shape shape;
    size_t items, n; /* Offsets in struct scenario: of the pointer to them, and of their number. */
    size_t item_bytes, place; /* Where in an item its struct scn_place is. */
    void (*write)(FILE *, const struct scenario *, size_t);
    bool (*is_said)(const struct scenario *, size_t); /* Null: all are. */
};

/* The items of a key that has such items; else null. */
const struct scn_list *scn_list_of(const struct scn_key *);

/* The value of any other key. */
void scn_write_key(FILE *, const struct scenario *, const struct scn_key *);

/* Whether links inside fabrics have engines of their own: else 'inside' is left out. */
bool scn_has_scopes(const struct weir_stack *);

#endif
