/* Splits GOAL text into tokens. */

#include "graph/goal-tokens.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { END = -1 };

void
goal_tokens_init(struct goal_tokens *t, const struct trace_file *f, uint64_t offset)
{
    t->file = f;
    t->at = offset;
    t->n = t->next = 0;
    t->line = 1;
    t->column = 1;
}

/* The next byte, which is not taken; END: there is none. */
static int
peek(struct goal_tokens *t)
{
    if (t->next == t->n) {
        t->at += t->n;
        t->n = trace_read(t->file, t->at, t->buffer, sizeof t->buffer);
        t->next = 0;
    }
    return t->next < t->n ? t->buffer[t->next] : END;
}

static void
take(struct goal_tokens *t)
{
    if (t->buffer[t->next++] == '\n') {
        t->line++;
        t->column = 0;
    }
    t->column++;
}

static bool
is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool
is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Adds the next byte to the text of the token, if there is room. */
static void
take_text(struct goal_tokens *t)
{
    struct goal_token *k = &t->token;

    if (k->n + 1 < sizeof k->text) {
        k->text[k->n] = (char)t->buffer[t->next];
        k->text[k->n + 1] = '\0';
    }
    k->n++;
    take(t);
}

static enum goal_kind
read_number(struct goal_tokens *t)
{
    struct goal_token *k = &t->token;

    for (int c; is_digit(c = peek(t));) {
        uint64_t digit = (uint64_t)(c - '0');
        bool fits = k->number <= (UINT64_MAX - digit) / 10;
        k->number = fits ? 10 * k->number + digit : UINT64_MAX;
        take_text(t);
    }
    return GOAL_NUMBER;
}

static enum goal_kind
read_word(struct goal_tokens *t)
{
    for (int c; is_letter(c = peek(t)) || is_digit(c) || c == '_';) {
        take_text(t);
    }
    return GOAL_WORD;
}

static enum goal_kind
read_minus_one(struct goal_tokens *t)
{
    take_text(t);
    read_number(t);
    return strcmp(t->token.text, "-1") ? GOAL_OTHER : GOAL_MINUS_ONE;
}

static enum goal_kind
read_line_comment(struct goal_tokens *t)
{
    for (int c; (c = peek(t)) != '\n' && c != END;) {
        take(t);
    }
    return GOAL_COMMENT;
}

static enum goal_kind
read_block_comment(struct goal_tokens *t)
{
    bool had_star = false;

    take_text(t);
    for (int c; (c = peek(t)) != END;) {
        take(t);
        if (had_star && c == '/') {
            return GOAL_COMMENT;
        }
        had_star = c == '*';
    }
    return GOAL_OTHER;
}

static enum goal_kind
read_comment(struct goal_tokens *t)
{
    take_text(t);
    int c = peek(t);
    return c == '/' ? read_line_comment(t) : c == '*' ? read_block_comment(t) : GOAL_OTHER;
}

static enum goal_kind
read_line_end(struct goal_tokens *t)
{
    if (peek(t) == '\r') {
        take_text(t);
    }
    if (peek(t) != '\n') {
        return GOAL_OTHER;
    }
    take(t);
    return GOAL_LINE_END;
}

static enum goal_kind
read_other(struct goal_tokens *t, int c)
{
    take_text(t);
    return c == ':' ? GOAL_COLON : c == '{' ? GOAL_OPEN : c == '}' ? GOAL_CLOSE : GOAL_OTHER;
}

static enum goal_kind
read_token(struct goal_tokens *t, int c)
{
    return c == END                 ? GOAL_FILE_END
           : is_digit(c)            ? read_number(t)
           : is_letter(c)           ? read_word(t)
           : c == '-'               ? read_minus_one(t)
           : c == '/'               ? read_comment(t)
           : c == '\n' || c == '\r' ? read_line_end(t)
                                    : read_other(t, c);
}

void
goal_next(struct goal_tokens *t)
{
    int c;

    while ((c = peek(t)) == ' ' || c == '\t') {
        take(t);
    }
    t->token.offset = t->at + t->next;
    t->token.line = t->line;
    t->token.column = t->column;
    t->token.number = t->token.n = 0;
    t->token.text[0] = '\0';
    t->token.kind = read_token(t, c);
}

void
goal_next_statement(struct goal_tokens *t)
{
    do {
        goal_next(t);
    } while (t->token.kind == GOAL_LINE_END || t->token.kind == GOAL_COMMENT);
}

/* Bytes that are not ASCII are shown by their number. */
static void
describe(const struct goal_token *k, char *text, size_t bytes)
{
    unsigned char first = (unsigned char)k->text[0];

    if (k->kind == GOAL_FILE_END) {
        snprintf(text, bytes, "the end of the file");
    } else if (k->kind == GOAL_LINE_END) {
        snprintf(text, bytes, "the end of the line");
    } else if (k->kind == GOAL_COMMENT) {
        snprintf(text, bytes, "a comment, which needs a line of its own");
    } else if (!strcmp(k->text, "/*")) {
        snprintf(text, bytes, "a comment that does not end with '*/'");
    } else if (first < ' ' || first > '~') {
        snprintf(text, bytes, "the byte 0x%02x", first);
    } else {
        snprintf(text, bytes, "'%.60s%s'", k->text, k->n > 60 ? "..." : "");
    }
}

bool
goal_expected(const struct goal_tokens *t, const char *what, struct err *err)
{
    char found[100];

    describe(&t->token, found, sizeof found);
    return err_set_of_content(err, "%s:%" PRIu64 ":%u: expected %s, found %s", t->file->name,
                              t->token.line, t->token.column, what, found);
}
