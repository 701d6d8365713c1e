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

/* Ends a line where the next begins, which it returns. */
char *weir_cut_line(char *);

/* Add as weir_text_add() does.  The first returns false, so that to refuse is one line; the second
 * begins a line. */
bool weir_refuse(struct weir_text *why, const char *format, ...);
void weir_warn(struct weir_text *, const char *format, ...);

#endif
