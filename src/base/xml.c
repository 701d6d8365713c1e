/* Writes untrusted text into XML. */

#include "base/xml.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

static const struct {
    char c;
    const char *words;
} escapes[] = {
    { '<', "&lt;" }, { '>', "&gt;" }, { '&', "&amp;" }, { '"', "&quot;" }, { '\'', "&apos;" },
};

static const char *
escape_of(char c)
{
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        if (escapes[i].c == c) {
            return escapes[i].words;
        }
    }
    return NULL;
}

/* Whether XML allows a character: it excludes most control characters, U+FFFE and U+FFFF. */
static bool
has_place(const char *s, size_t n)
{
    bool is_control = (unsigned char)*s < 0x20 && !strchr("\t\n\r", *s);
    bool is_reserved = !strncmp(s, "\xef\xbf\xbe", 3) || !strncmp(s, "\xef\xbf\xbf", 3);

    return n && !is_control && !is_reserved;
}

void
xml_text(FILE *out, const char *text)
{
    for (size_t n; *text; text += n ? n : 1) {
        const char *escape = escape_of(*text);
        n = text_char_bytes(text);
        if (escape) {
            fputs(escape, out);
        } else if (!has_place(text, n)) {
            fputs(TEXT_REPLACEMENT, out);
        } else {
            fwrite(text, 1, n, out);
        }
    }
}
