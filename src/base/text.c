/* Reads whole files, and finds the names nearest to a misspelt word. */

#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/near-file.h"

static char *
read_all(FILE *file, const char *path, size_t max_bytes, size_t *len_read, struct err *err)
{
    size_t len = 0, room = 4096;
    char *text = malloc(room + 1);

    while (text) {
        size_t got = fread(text + len, 1, room - len, file);
        len += got;
        if (!got) {
            break;
        }
        if (len > max_bytes) {
            err_set(err, "%s: larger than %zu bytes", path, max_bytes);
            free(text);
            return NULL;
        }
        if (len == room) {
            room *= 2;
            char *more = realloc(text, room + 1);
            if (!more) {
                free(text);
            }
            text = more;
        }
    }
    if (!text || ferror(file)) {
        err_set(err, "%s: %s", path, strerror(text ? errno : ENOMEM));
        free(text);
        return NULL;
    }
    text[len] = '\0';
    *len_read = len;
    return text;
}

static char *
read_and_close(FILE *file, const char *path, size_t max_bytes, size_t *len, struct err *err)
{
    if (!file) {
        err_set(err, "%s: %s", path, strerror(errno));
        return NULL;
    }
    char *text = read_all(file, path, max_bytes, len, err);
    fclose(file);
    return text;
}

char *
text_read_file(const char *path, size_t max_bytes, size_t *len, struct err *err)
{
    FILE *file = fopen(path, "rb");
    char offer[200];

    if (!file) {
        int why = errno;
        near_file_offer(path, offer, sizeof offer);
        err_set(err, "%s: %s%s", path, strerror(why), offer);
        return NULL;
    }
    return read_and_close(file, path, max_bytes, len, err);
}

char *
text_read_open(int file, const char *name, size_t max_bytes, size_t *len, struct err *err)
{
    return read_and_close(fdopen(file, "rb"), name, max_bytes, len, err);
}

/* The length of a character by its first byte; 0: no character begins with it. */
static size_t
utf8_len(unsigned char first)
{
    return first < 0x80                    ? 1
           : first >= 0xc2 && first < 0xe0 ? 2
           : first >= 0xe0 && first < 0xf0 ? 3
           : first >= 0xf0 && first < 0xf5 ? 4
                                           : 0;
}

size_t
text_decode(const char *text, size_t n, uint32_t *character)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t len = utf8_len(*s);

    *character = len == 1 ? *s : *s & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if (i == n) {
            return 0;
        }
        if ((s[i] & 0xc0) != 0x80) {
            len = 0;
        }
        *character = *character << 6 | (s[i] & 0x3f);
    }
    bool is_overlong = (len == 3 && *character < 0x800) || (len == 4 && *character < 0x10000);
    bool is_none = (*character >= 0xd800 && *character < 0xe000) || *character > 0x10ffff;
    if (!len || is_overlong || is_none) {
        *character = TEXT_NO_CHARACTER;
        return 1;
    }
    return len;
}

/* Characters that are invisible: control characters of ASCII and Latin-1, characters that change
 * the direction of writing, and two characters that some programs treat as line ends. */
static const struct {
    uint32_t from, to;
} unseen[] = {
    { 0x00, 0x1f },     { 0x7f, 0x9f },     { 0x061c, 0x061c },
    { 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 },
};

bool
text_is_unseen(uint32_t character)
{
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++) {
        if (character >= unseen[i].from && character <= unseen[i].to) {
            return true;
        }
    }
    return character == TEXT_NO_CHARACTER;
}

size_t
text_char_bytes(const char *s)
{
    uint32_t character;
    size_t n = text_decode(s, 4, &character);

    return *s && character != TEXT_NO_CHARACTER ? n : 0;
}

/* The length of the ASCII text at the beginning.  Nearly all text is plain ASCII, which needs no
 * check except for zero bytes. */
static size_t
ascii_len(const char *s)
{
    size_t n = 0;

    while ((signed char)s[n] > 0) {
        n++;
    }
    return n;
}

static size_t
count_bad(const char *bytes, size_t n)
{
    size_t n_bad = 0, taken;

    for (size_t i = ascii_len(bytes); i < n; i += taken ? taken : 1) {
        taken = text_char_bytes(bytes + i);
        n_bad += !taken;
    }
    return n_bad;
}

char *
text_repaired(const char *bytes, size_t n)
{
    size_t n_bad = count_bad(bytes, n), taken;
    char *text = array_new(n + n_bad * strlen(TEXT_REPLACEMENT) + 1, 1), *out = text;

    if (!n_bad) {
        return memcpy(text, bytes, n);
    }
    for (size_t i = 0; i < n; i += taken ? taken : 1) {
        taken = text_char_bytes(bytes + i);
        size_t len = taken ? taken : strlen(TEXT_REPLACEMENT);
        memcpy(out, taken ? bytes + i : TEXT_REPLACEMENT, len);
        out += len;
    }
    return text;
}

bool
text_has_word(const char *words, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = strstr(words, word); at; at = strstr(at + 1, word)) {
        if ((at == words || at[-1] == ' ') && (at[len] == ' ' || !at[len])) {
            return true;
        }
    }
    return false;
}

bool
text_expect(const char *name, const char *text, size_t len, struct err *err)
{
    if (strlen(text) == len) {
        return true;
    }
    return strcmp(text, "SQLite format 3")
               ? err_set(err, "%s: not a text file", name)
               : err_set(err, "%s: this is a results file; 'weir report %s' shows it", name, name);
}

bool
text_ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), n = strlen(end);

    return len > n && !strcmp(text + len - n, end);
}

void
text_cut(char *to, size_t bytes, const char *from)
{
    size_t n = (size_t)snprintf(to, bytes, "%s", from);

    if (n >= bytes) {
        for (n = bytes - 1; n && ((unsigned char)from[n] & 0xc0) == 0x80; n--) {
        }
        to[n] = 0;
    }
}

void
text_shorten(char *to, size_t bytes, const char *from)
{
    static const char mark[] = "\xe2\x80\xa6";

    if (strlen(from) < bytes) {
        strcpy(to, from);
        return;
    }
    text_cut(to, bytes - (sizeof mark - 1), from);
    strcat(to, mark);
}

const char *
text_find_bad(const char *text)
{
    uint32_t character;

    for (size_t left = strlen(text); left;) {
        size_t len = text_decode(text, left + 1, &character);
        if (text_is_unseen(character) && (character > 0x20 || !strchr("\t\r\n", (int)character))) {
            return text;
        }
        text += len;
        left -= len;
    }
    return NULL;
}

enum { MAX_WORD = 40 };

static size_t
least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool
same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

size_t
text_distance(const char *a, const char *b)
{
    size_t cost[MAX_WORD + 1][MAX_WORD + 1];
    size_t n = least(strlen(a), MAX_WORD), m = least(strlen(b), MAX_WORD);

    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            if (!i || !j) {
                cost[i][j] = i + j;
                continue;
            }
            size_t changed = cost[i - 1][j - 1] + !same_letter(a[i - 1], b[j - 1]);
            cost[i][j] = least(changed, 1 + least(cost[i - 1][j], cost[i][j - 1]));
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                same_letter(a[i - 2], b[j - 1])) {
                cost[i][j] = least(cost[i][j], 1 + cost[i - 2][j - 2]);
            }
        }
    }
    return cost[n][m];
}

/* Twice the distance of a word from a name, or from the name's beginning or last part, whichever is
 * smallest. A whole name has the advantage of half a letter. 'gfx' is near 'gfc-time', and 'warn'
 * near 'egress_warn'. */
static size_t
distance_to(const char *word, const char *name)
{
    char beginning[MAX_WORD + 1];
    const char *last = strrchr(name, '_');
    size_t whole = text_distance(word, name), part;

    snprintf(beginning, sizeof beginning, "%.*s", (int)least(strlen(word), MAX_WORD), name);
    part = text_distance(word, beginning);
    part = last ? least(part, text_distance(word, last + 1)) : part;
    return least(2 * whole, 2 * part + 1);
}

static const char *
name_at(const void *first, size_t stride, size_t i)
{
    return *(const char *const *)((const char *)first + i * stride);
}

size_t
text_find(const char *word, const void *first, size_t stride, size_t n_names)
{
    for (size_t i = 0; i < n_names; i++) {
        const char *name = name_at(first, stride, i);
        if (name && !strcmp(name, word)) {
            return i;
        }
    }
    return n_names;
}

/* Writes names in quotes, with text before and after.  The result is empty if they do not fit. */
static void
write_names(const char *const *names, size_t n, const char *const parts[3], char *out,
            size_t out_bytes)
{
    const char *before = parts[0], *quote = parts[1], *behind = parts[2];
    size_t len = 0;

    for (size_t i = 0; i < n && len < out_bytes; i++) {
        const char *between = !i ? before : i + 1 < n ? ", " : " or ";
        len += (size_t)snprintf(out + len, out_bytes - len, "%s%s%s%s%s", between, quote, names[i],
                                quote, i + 1 < n ? "" : behind);
    }
    if (len >= out_bytes) {
        out[0] = '\0';
    }
}

enum { MAX_NEAR = 3, MAX_LISTED = 40 };

/* Finds the nearest names, at most three, in the order of the table. A name is not near if more
 * than a third of the word's letters are wrong, not counting the dashes of options; one wrong
 * letter is allowed in words of two letters or more. */
static size_t
find_near(const char *word, const void *first, size_t stride, size_t n_names, const char **near)
{
    size_t len = least(strlen(word + strspn(word, "-")), MAX_WORD), n = 0;
    size_t most = len < 2 ? 0 : len < 6 ? 1 : len / 3;

    for (size_t far = 0, best = 2 * most + 1, i = 0; i < n_names; i++) {
        const char *name = name_at(first, stride, i);
        far = distance_to(word, name);
        n = far < best ? 0 : n;
        if (far <= best && n < MAX_NEAR) {
            near[n++] = name;
        }
        best = least(best, far);
    }
    return len ? n : 0;
}

void
text_offer_near(const char *word, const char *const *first, size_t stride, size_t n_names,
                char *out, size_t out_bytes)
{
    static const char *const parts[] = { "; did you mean ", "'", "?" };
    const char *names[MAX_NEAR];
    size_t n = find_near(word, first, stride, n_names, names);

    out[0] = '\0';
    write_names(names, n, parts, out, out_bytes);
}

void
text_offer(const char *word, const char *const *first, size_t stride, size_t n_names, char *out,
           size_t out_bytes)
{
    static const char *const parts[] = { "; write ", "", "" };
    const char *names[MAX_LISTED];

    text_offer_near(word, first, stride, n_names, out, out_bytes);
    if (!*out && n_names <= MAX_LISTED) {
        for (size_t i = 0; i < n_names; i++) {
            names[i] = name_at(first, stride, i);
        }
        write_names(names, n_names, parts, out, out_bytes);
    }
}

uint64_t
text_hash(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (; *text; text++) {
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3;
    }
    return hash;
}

bool
text_number(const char *word, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(word, &end, 10);
    return isdigit((unsigned char)word[0]) && !*end && !errno;
}

bool
text_real(const char *word, double *number)
{
    char *end;

    *number = strtod(word, &end);
    return end != word && !*end && isfinite(*number);
}

bool
text_next_row(const char **at, size_t n, size_t bytes, char *parts)
{
    const char *line = *at;

    if (!*line) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        size_t len = strcspn(line, "\t\n");
        snprintf(parts + i * bytes, bytes, "%.*s", (int)len, line);
        line += len + (line[len] == '\t');
    }
    *at += strcspn(*at, "\n");
    *at += **at == '\n';
    return true;
}
