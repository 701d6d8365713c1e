/* Tokens of GOAL text: numbers, words, punctuation and ends of lines, with their places. */

#ifndef GRAPH_GOAL_TOKENS_H
#define GRAPH_GOAL_TOKENS_H

#include "base/err.h"
#include "graph/trace-file.h"

enum { GOAL_LABEL_BYTES = 256, GOAL_BUFFER_BYTES = 1 << 16 };

enum goal_kind {
    GOAL_NUMBER,
    GOAL_WORD,
    GOAL_MINUS_ONE,
    GOAL_COLON,
    GOAL_OPEN,
    GOAL_CLOSE,
    GOAL_LINE_END,
    GOAL_COMMENT, /* It has been read. */
    GOAL_FILE_END,
    GOAL_OTHER
};

struct goal_token {
    enum goal_kind kind;
    uint64_t offset, line;
    unsigned column;
    uint64_t number; /* UINT64_MAX: that or more. */
    char text[GOAL_LABEL_BYTES];
    size_t n; /* The length of the text, which is cut if it does not fit. */
};

struct goal_tokens {
    const struct trace_file *file;
    uint8_t buffer[GOAL_BUFFER_BYTES];
    uint64_t at; /* The offset of the buffer. */
    size_t n, next;
    uint64_t line;
    unsigned column;
    struct goal_token token; /* The current one. */
};

/* Starts at a byte.  The caller sets 'line' and 'column' unless it is the first of the file. */
void goal_tokens_init(struct goal_tokens *, const struct trace_file *, uint64_t offset);

/* Reads the next token. */
void goal_next(struct goal_tokens *);

/* Reads up to the next token that is neither a comment nor the end of a line. */
void goal_next_statement(struct goal_tokens *);

/* Refuses the current token: "x.goal:3:7: expected ..., found '...'". */
bool goal_expected(const struct goal_tokens *, const char *what, struct err *);

#endif
