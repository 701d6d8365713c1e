/* Writes cells of CSV. */

#include "base/csv.h"

#include <string.h>

void
csv_quoted(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        fputs(*text == '"' ? "\"" : "", out);
        putc(*text, out);
    }
    putc('"', out);
}

void
csv_text(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n")) {
        csv_quoted(out, text);
    } else {
        fputs(text, out);
    }
}
