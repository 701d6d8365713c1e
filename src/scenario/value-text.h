/* Values of a scenario as text, for the walk over all of them (values.c). */

#ifndef SCN_VALUE_TEXT_H
#define SCN_VALUE_TEXT_H

#include <stdio.h>

#include "scenario/resolver.h"

/* A list whose items each have their own text and place. */
struct scn_list {
    enum scn_shape shape;
    size_t items, n;          /* Offsets in struct scenario. */
    size_t item_bytes, place; /* The size of an item, and the offset of its struct scn_place. */
    void (*write)(FILE *, const struct scenario *, size_t);
    bool (*is_said)(const struct scenario *, size_t); /* Null: all are. */
};

/* The list of a key; null if the key has no such list. */
const struct scn_list *scn_list_of(const struct scn_key *);

/* Writes the value of a key that has no such list. */
void scn_write_key(FILE *, const struct scenario *, const struct scn_key *);

/* Whether links inside fabrics have engines of their own; otherwise `inside` is left out. */
bool scn_has_scopes(const struct weir_stack *);

#endif
