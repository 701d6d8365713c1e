/* How values of each kind are written; shared by format.c, which writes, and field.c, which reads.
 */

#ifndef WEIR_LIB_FORMAT_H
#define WEIR_LIB_FORMAT_H

#include "weir/field.h"

struct weir_unit {
    const char *name;
    uint64_t scale, from;
};

struct weir_kind_text {
    const char *name, *noun, *example;
    const struct weir_unit *units; /* Ends with no name. */
};

extern const struct weir_kind_text weir_kind_texts[];

bool weir_text_same(const char *, const char *);
void weir_text_add_value(struct weir_text *, enum weir_kind, uint64_t);

#endif
