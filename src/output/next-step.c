/* Writes a suggested next command after a result. */

#include "output/next-step.h"

#include <stdarg.h>
#include <string.h>

#include "output/text-width.h"

enum { INDENT = 4 };

void
next_step_write(FILE *out, const char *format, ...)
{
    va_list args;
    int at = fprintf(out, "\nNext: ") - 1;

    va_start(args, format);
    text_vprint(out, (size_t)at, INDENT, format, args);
    va_end(args);
}

void
next_step_record(FILE *out, const char *scenario)
{
    const char *slash = strrchr(scenario, '/'), *name = slash ? slash + 1 : scenario;
    int stem = (int)strcspn(name, ".#");

    next_step_write(out, "add --record %.*s.db, then weir report %.*s.db", stem, name, stem, name);
}
