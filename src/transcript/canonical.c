/* Converts an answer as a user wrote it to the form of transcript_play(), so that the two can be
 * compared as text: "timer 3 at 0.002ms" becomes "timer 3 at 2us". */

#include <string.h>

#include "base/text.h"
#include "transcript/transcript.h"

static const char answer_words[] =
    "nothing frame timer gate class dropped marked ready count message limit slow";

static const struct {
    const char *name;
    enum weir_kind kind;
    const char *word; /* A word that may be in place of a value; or null. */
} keys[] = {
    { "port", WEIR_COUNT, NULL },  { "class", WEIR_COUNT, NULL },  { "open", WEIR_TIME, "never" },
    { "rate", WEIR_RATE, "line" }, { "held", WEIR_TIME, "never" }, { "limit", WEIR_BYTES, "none" },
    { "flow", WEIR_COUNT, NULL },  { "factor", WEIR_RATIO, NULL },
};

static bool
add_value(struct weir_text *out, enum weir_kind kind, const char *text, struct err *err)
{
    struct weir_text why = { 0 };
    struct weir_field field = { .kind = kind };
    uint64_t value;

    if (!weir_value_parse(kind, text, &value, &why)) {
        return err_set(err, "%s", why.s);
    }
    weir_text_add(out, "%F", &field, value);
    return true;
}

static bool
add_pair(struct weir_text *out, bool is_count, const char *word, struct err *err)
{
    const char *value = strchr(word, '=') + 1;
    size_t len = (size_t)(value - word);

    for (const char *c = word; c < value; c++) {
        char one[2] = { *c, '\0' };
        weir_text_add(out, "%s", one);
    }
    if (is_count) {
        return add_value(out, WEIR_COUNT, value, err);
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strlen(keys[i].name) + 1 != len || strncmp(keys[i].name, word, len - 1)) {
            continue;
        }
        if (keys[i].word && !strcmp(keys[i].word, value)) {
            weir_text_add(out, "%s", value);
            return true;
        }
        return add_value(out, keys[i].kind, value, err);
    }
    return err_set(err, "no answer has a key '%.*s'", (int)len - 1, word);
}

/* Adds the bytes of a frame in groups of two, whatever groups the user wrote. */
static bool
add_hex(struct weir_text *out, size_t *n_digits, const char *word, struct err *err)
{
    if (strspn(word, "0123456789abcdefABCDEF") != strlen(word)) {
        return err_set(err, "expected hex digits, found '%s'", word);
    }
    for (; *word; word++) {
        char digit[2] = { (char)(*word >= 'A' && *word <= 'F' ? *word - 'A' + 'a' : *word), '\0' };
        weir_text_add(out, "%s%s", (*n_digits)++ % 4 ? "" : " ", digit);
    }
    return true;
}

static bool
add_word(struct weir_text *out, size_t *n_digits, const struct transcript_word *words, size_t i,
         struct err *err)
{
    const char *first = words[0].s, *word = words[i].s;
    bool is_pair = strchr(word, '=') != NULL;

    if (!i && !text_has_word(answer_words, word)) {
        return err_set(err,
                       "'%s' is not an answer: write nothing, frame, timer, gate, class, "
                       "dropped, marked, ready, count, message, limit or slow",
                       word);
    }
    if (i && !is_pair && (!strcmp(first, "frame") || !strcmp(first, "message"))) {
        return add_hex(out, n_digits, word, err);
    }
    weir_text_add(out, i ? " " : "");
    if (i && is_pair) {
        return add_pair(out, !strcmp(first, "count"), word, err);
    }
    if (i && !strcmp(words[i - 1].s, "at")) {
        return add_value(out, WEIR_TIME, word, err);
    }
    weir_text_add(out, "%s", word);
    return true;
}

bool
transcript_canonical(const struct transcript_word *words, size_t n, size_t *word, char *out,
                     size_t out_bytes, struct err *err)
{
    struct weir_text text = { 0 };
    size_t n_digits = 0;

    for (*word = 0; *word < n; ++*word) {
        if (!add_word(&text, &n_digits, words, *word, err)) {
            return false;
        }
    }
    snprintf(out, out_bytes, "%s", text.s);
    return true;
}

/* Comparison of answers. */

static const char *
next_word(const char *s, char word[80])
{
    s += strspn(s, " \t\r");
    size_t len = strcspn(s, " \t\r#");
    snprintf(word, 80, "%.*s", (int)(len < 79 ? len : 79), s);
    return s + len;
}

/* The length of the key with its equals sign, such as "rate=" in "rate=5Gbps". */
static size_t
key_len(const char *word)
{
    const char *equals = strchr(word, '=');
    return equals ? (size_t)(equals - word) + 1 : 0;
}

/* The value of a text's last decimal: 10 ns for "169.77us"; 0 for a text without a decimal
 * point. */
static uint64_t
last_place(enum weir_kind kind, const char *text)
{
    struct weir_text ignored = { 0 }, one = { 0 };
    const char *point = strchr(text, '.');
    uint64_t worth;

    if (!point) {
        return 0;
    }
    size_t n_places = strspn(point + 1, "0123456789");
    weir_text_add(&one, "0.");
    for (size_t i = 1; i < n_places; i++) {
        weir_text_add(&one, "0");
    }
    weir_text_add(&one, "1%s", point + 1 + n_places);
    return n_places && weir_value_parse(kind, one.s, &worth, &ignored) ? worth : 0;
}

static bool
same_rounded(const char *written, const char *given)
{
    static const enum weir_kind kinds[] = { WEIR_TIME, WEIR_RATE, WEIR_BYTES };
    struct weir_text ignored = { 0 };
    size_t len = key_len(written);

    if (len != key_len(given) || strncmp(written, given, len)) {
        return false;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint64_t worth = last_place(kinds[i], written + len), wanted, actual;
        if (worth && weir_value_parse(kinds[i], written + len, &wanted, &ignored) &&
            weir_value_parse(kinds[i], given + len, &actual, &ignored)) {
            return (actual + worth / 2) / worth * worth == wanted;
        }
    }
    return false;
}

bool
transcript_same(const char *wanted, const char *wanted_as_written, const char *given)
{
    char written[80], actual[80];

    if (!strcmp(wanted, given)) {
        return true;
    }
    do {
        wanted_as_written = next_word(wanted_as_written, written);
        given = next_word(given, actual);
        if (strcmp(written, actual) && !same_rounded(written, actual)) {
            return false;
        }
    } while (*written);
    return true;
}
