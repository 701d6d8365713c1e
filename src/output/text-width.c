/* Finds how wide a line may be, and breaks sentences into lines. */

#include "output/text-width.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"

enum { USUAL = 80, NARROWEST = 40 };

static uint64_t
find_width(void)
{
    const char *said = getenv("COLUMNS");
    struct winsize size;
    uint64_t width;

    if (said && text_number(said, &width)) {
        return width;
    }
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

size_t
text_width(void)
{
    uint64_t width = find_width();

    return !width ? USUAL : width < NARROWEST ? NARROWEST : (size_t)width;
}

size_t
text_length(const char *text, size_t n)
{
    size_t length = 0;

    for (size_t i = 0; i < n; i++) {
        length += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return length;
}

void
text_wrap(FILE *out, const char *text, size_t at, size_t indent)
{
    size_t width = text_width();

    while (*text) {
        size_t len = text_line(text, width > at ? width - at : 1);
        fprintf(out, "%.*s\n", (int)len, text);
        text += len;
        text += *text == '\n' ? 1 : strspn(text, " ");
        if (*text && *text != '\n') {
            fprintf(out, "%*s", (int)indent, "");
        }
        at = indent;
    }
}

void
text_print(FILE *out, size_t indent, const char *format, ...)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);
    va_list args;

    va_start(args, format);
    vfprintf(to, format, args);
    va_end(args);
    fclose(to);
    text_wrap(out, text, 0, indent);
    free(text);
}
