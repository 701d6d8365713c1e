/* A stream that writes only plain text, whatever names and file contents the program prints.
 *
 * File names, misspelt keys, lines of broken files and tables of untrusted results files come from
 * outside. An escape sequence among them could change the title of a terminal's window or hide a
 * line. Every command prints some of them, so the streams themselves check all output. Invisible
 * characters are written as escapes: \x1b, \u202e.
 *
 * Colours are added here, as the last step, to lines that are written as a whole.
 *
 * The progress line bypasses these streams (cli/progress.c). */

#ifndef OUTPUT_PLAIN_STREAM_H
#define OUTPUT_PLAIN_STREAM_H

#include <stdbool.h>
#include <stdio.h>

struct plain_stream {
    int fd;       /* The file descriptor; negative: the stream discards everything. */
    char rest[4]; /* The first bytes of a character whose remaining bytes are not written yet. */
    size_t n_rest;
    bool has_colours, is_error; /* Lines have the styles of line-style.h. */
    bool is_inside;             /* The beginning of the current line has been written. */
    const char *style;          /* The style of the previous line; or null. */
    void (*before)(void);       /* Called before something is written; or null. */
};

/* Opens a stream. 'how' and 'buffer' are those of setvbuf(). The struct must exist as long as the
 * stream. */
FILE *plain_stream_open(struct plain_stream *, int how, char *buffer, size_t buffer_bytes);

#endif
