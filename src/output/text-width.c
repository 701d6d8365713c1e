/* Finds the width of lines, and wraps text. */

#include "output/text-width.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "weir/field.h"

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

/* Whether a word is the unit of a number: one of those that values have (format.c of the library),
 * or one that is only in text for users. */
static bool
is_unit(const char *word, size_t len)
{
    static const enum weir_kind kinds[] = { WEIR_BYTES, WEIR_TIME, WEIR_RATE };
    static const char *const others[] = { "%", "m" };
    const char *unit;
    bool is = false;

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (uint32_t i = 0; (unit = weir_kind_unit(kinds[k], i)); i++) {
            is |= strlen(unit) == len && !memcmp(unit, word, len);
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        is |= strlen(others[i]) == len && !memcmp(others[i], word, len);
    }
    return is;
}

bool
text_may_break(const char *text, size_t at)
{
    const char *word = text + at + 1;
    bool is_behind_number = at && isdigit((unsigned char)text[at - 1]);

    return text[at] == ' ' && !(is_behind_number && is_unit(word, strcspn(word, " \n,.;:)")));
}

size_t
text_line(const char *text, size_t width)
{
    size_t len = strcspn(text, "\n");

    if (len <= width) {
        return len;
    }
    for (len = width; len > 0 && !text_may_break(text, len); len--) {
    }
    return len ? len : strcspn(text, " \n");
}

void
text_wrap(FILE *out, const char *text, size_t at, size_t indent)
{
    size_t width = text_width();

    do {
        size_t len = text_line(text, width > at ? width - at : 1);
        fprintf(out, "%.*s\n", (int)len, text);
        text += len;
        text += *text == '\n' ? 1 : strspn(text, " ");
        if (*text && *text != '\n') {
            fprintf(out, "%*s", (int)indent, "");
        }
        at = indent;
    } while (*text);
}

void
text_vprint(FILE *out, size_t at, size_t indent, const char *format, va_list args)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);

    vfprintf(to, format, args);
    fclose(to);
    text_wrap(out, text, at, indent);
    free(text);
}

void
text_print(FILE *out, size_t indent, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_vprint(out, 0, indent, format, args);
    va_end(args);
}

/* Lines with labels. */

enum { MAX_LABEL = 30, MAX_COMMENT = 40, DEEP = 8, INDENT = 4 };

/* The indentation of all lines but the first. */
struct margin {
    size_t blanks;
    const char *mark; /* Follows the blanks. */
};

/* The column at which the text after a label begins. A gap of two blanks separates label and
 * text. */
static size_t
find_label(const char *line)
{
    size_t lead = strspn(line, " "), end = lead;

    while (line[end] && strncmp(line + end, "  ", 2)) {
        end++;
    }
    size_t text = end + strspn(line + end, " ");
    return line[text] && text <= MAX_LABEL ? text : lead < DEEP ? lead + INDENT : lead;
}

/* The position of a comment after other text, outside of quotes; 0: none. */
static size_t
find_comment(const char *line)
{
    bool is_quoted = false;

    for (size_t i = 0; line[i]; i++) {
        is_quoted ^= line[i] == '"';
        if (i && !is_quoted && !strncmp(line + i, " # ", 3)) {
            return i + 1;
        }
    }
    return 0;
}

static struct margin
find_margin(const char *line)
{
    size_t comment = find_comment(line);

    if (*line == '#') {
        return (struct margin){ 0, strncmp(line, "#   ", INDENT) ? "#   " : "#     " };
    }
    return comment ? (struct margin){ comment, "# " } : (struct margin){ find_label(line), "" };
}

static void
wrap_behind(FILE *out, const char *line, const struct margin *margin)
{
    size_t width = text_width(), kept = strspn(line, " #");
    size_t begins = margin->blanks + strlen(margin->mark);

    while (text_length(line, strlen(line)) > width) {
        size_t len = width;
        while (len > kept && !text_may_break(line, len)) {
            len--;
        }
        len = len > kept ? len : kept + strcspn(line + kept, " ");
        const char *rest = line + len + strspn(line + len, " ");
        if (!*rest) {
            break;
        }
        fprintf(out, "%.*s\n%*s%s", (int)len, line, (int)margin->blanks, "", margin->mark);
        line = rest;
        width = text_width() > begins ? text_width() - begins : 1;
        kept = 0;
    }
    fprintf(out, "%s\n", line);
}

/* Wraps a line. A comment that begins far to the right gets a line of its own. */
static void
wrap_line(FILE *out, char *line)
{
    size_t comment = find_comment(line), end = comment;
    struct margin margin = find_margin(line);

    if (text_length(line, strlen(line)) <= text_width() || comment < MAX_COMMENT || *line == '#') {
        wrap_behind(out, line, &margin);
        return;
    }
    while (end && line[end - 1] == ' ') {
        line[--end] = '\0';
    }
    margin = (struct margin){ find_label(line), "" };
    wrap_behind(out, line, &margin);
    /* Blanks in place of the text before the comment, which is printed already. */
    memset(line + comment - MAX_LABEL, ' ', MAX_LABEL);
    margin = (struct margin){ MAX_LABEL, "# " };
    wrap_behind(out, line + comment - MAX_LABEL, &margin);
}

void
text_wrap_lines(FILE *out, const char *text)
{
    char *copy = strdup(text), *next = copy;

    while (*next) {
        char *line = next, *end = strchr(line, '\n');
        next = end ? end + 1 : line + strlen(line);
        if (end) {
            *end = '\0';
        }
        wrap_line(out, line);
    }
    free(copy);
}
