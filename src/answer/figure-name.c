/* Makes names of figures from sources in papers. */

#include "answer/figure-name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Copies only letters and digits, in lower case, of all words or of the next word. */
static void
squeeze(const char *text, char *out, size_t max, bool only_next)
{
    size_t n = 0;

    for (; *text && n + 1 < max && !(only_next && n && (*text == ' ' || *text == ',')); text++) {
        if (isalnum((unsigned char)*text)) {
            out[n++] = (char)tolower((unsigned char)*text);
        }
    }
    out[n] = '\0';
}

/* Joins the words of a source: "7, loop" becomes "7-loop". */
static void
join_words(const char *text, char name[FIGURE_NAME_BYTES])
{
    size_t n = 0;

    for (; *text && n + 1 < FIGURE_NAME_BYTES; text++) {
        bool is_kept = isalnum((unsigned char)*text) || *text == '.';
        if (is_kept) {
            name[n++] = (char)tolower((unsigned char)*text);
        } else if (n && name[n - 1] != '-') {
            name[n++] = '-';
        }
    }
    name[n && name[n - 1] == '-' ? n - 1 : n] = '\0';
}

void
figure_name(const char *source, char name[FIGURE_NAME_BYTES])
{
    static const struct {
        const char *words, *name;
    } kinds[] = { { "Fig. ", "fig" }, { "Table ", "table" } };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *at = strstr(source, kinds[i].words);
        if (at) {
            size_t n = (size_t)snprintf(name, FIGURE_NAME_BYTES, "%s", kinds[i].name);
            squeeze(at + strlen(kinds[i].words), name + n, FIGURE_NAME_BYTES - n, true);
            return;
        }
    }
    join_words(source, name);
}

bool
figure_is_asked(const char *asked, const char *name)
{
    char a[FIGURE_NAME_BYTES], b[FIGURE_NAME_BYTES];

    squeeze(asked, a, sizeof a, false);
    squeeze(name, b, sizeof b, false);
    size_t len = strlen(a);
    bool is_whole = len && isdigit((unsigned char)a[len - 1]) && strlen(b) == len + 1 &&
                    isalpha((unsigned char)b[len]);
    return len && (!strcmp(a, b) || (is_whole && !strncmp(a, b, len)));
}
