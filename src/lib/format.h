/* How values of each kind are written; format.c writes them and field.c reads them. */

#ifndef WEIR_LIB_FORMAT_H
#define WEIR_LIB_FORMAT_H

#include "weir/field.h"

struct weir_unit {
    const char *name;
    uint64_t scale, from;
};

struct weir_kind_text {
    const char *name, *noun, *example;
    const struct weir_unit *units; /* The last entry has no name. */
};

extern const struct weir_kind_text weir_kind_texts[];

bool weir_text_same(const char *, const char *);

/* Ends a line with a null byte and returns the start of the next line. */
char *weir_cut_line(char *);

/* Both functions add text like weir_text_add().  The first returns false, so that callers can
 * refuse in one statement.  The second begins a new line. */
bool weir_refuse(struct weir_text *why, const char *format, ...);
void weir_warn(struct weir_text *, const char *format, ...);

#endif
