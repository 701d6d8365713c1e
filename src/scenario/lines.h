/* Text files of other programs, line by line and word by word.
 *
 *     struct scn_lines l = { .source = source };
 *     while (scn_next_line(&l)) {
 *         while ((word = scn_next_word(&l))) ...          a node of a tree: it knows its place
 *     }
 *
 *     scn_lines_close(&l);
 *
 * Empty lines and lines that begin with # are skipped.  Words are separated by blanks.  A line
 * keeps its words until the next one is read. */

#ifndef SCN_LINES_H
#define SCN_LINES_H

#include <stdint.h>

#include "scenario/tree.h"

struct scn_lines {
    const struct scn_source *source;
    const char *at; /* Null: before the first line. */
    size_t line, column;
    struct scn_node *words; /* The number of words of the line that have been read. */
};

/* Lines after the last one that a file announces, from 'line' on. */
struct scn_tail {
    size_t line, n_lines;
};

bool scn_next_line(struct scn_lines *);

void scn_lines_close(struct scn_lines *);

/* The next word of the line, or null. */
struct scn_node *scn_next_word(struct scn_lines *);

/* Sets an error about the line, at its next word; always returns false. */
bool scn_fail_line(const struct scn_lines *, struct err *, const char *what);

/* Reads a whole word as a number up to 'max'. */
bool scn_word_number(const struct scn_node *word, uint64_t max, uint64_t *number, struct err *);

/* Reads the next word of the line as a number; 'what' names a missing value in the error. */
bool scn_next_number(struct scn_lines *, const char *what, uint64_t max, uint64_t *number,
                     struct err *);

/* Skips and returns the lines that have not been read. */
struct scn_tail scn_pass_lines(struct scn_lines *);

/* Whether the line ends here. */
bool scn_end_line(struct scn_lines *, struct err *);

#endif
