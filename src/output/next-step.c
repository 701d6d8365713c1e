/* Writes what to do next below a result. */

#include "output/next-step.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "output/text-width.h"

enum { INDENT = 4 };

void
next_step_write(FILE *out, const char *format, ...)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);
    va_list args;

    va_start(args, format);
    vfprintf(to, format, args);
    va_end(args);
    fclose(to);
    fputs("\n", out);
    text_print(out, INDENT, "Next: %s", text);
    free(text);
}

void
next_step_record(FILE *out, const char *scenario)
{
    const char *slash = strrchr(scenario, '/'), *name = slash ? slash + 1 : scenario;
    int stem = (int)strcspn(name, ".#");

    next_step_write(out, "add --record %.*s.db, then weir report %.*s.db", stem, name, stem, name);
}
