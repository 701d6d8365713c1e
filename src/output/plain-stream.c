/* Writes text to a file descriptor, and escapes characters that terminals interpret as commands. */

#define _GNU_SOURCE /* fopencookie() */

#include "output/plain-stream.h"

#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "output/line-style.h"

static bool
write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t n_written = write(fd, bytes, n);
        if (n_written < 0) {
            return false;
        }
        bytes += n_written;
        n -= (size_t)n_written;
    }
    return true;
}

static bool
is_plain(uint32_t character)
{
    return character == '\n' || character == '\t' || !text_is_unseen(character);
}

static bool
write_escape(int fd, const char *bytes, uint32_t character)
{
    char escape[16];
    bool is_byte = character == TEXT_NO_CHARACTER || character < 0x80;
    unsigned shown = is_byte ? (unsigned char)*bytes : character;

    snprintf(escape, sizeof escape, is_byte ? "\\x%02x" : "\\u%04x", shown);
    return write_all(fd, escape, strlen(escape));
}

/* Finds the number of plain bytes at the beginning. Sets the character after them and its length,
 * which is 0 if the character is incomplete or there is none. */
static size_t
measure_plain(const char *bytes, size_t n, uint32_t *character, size_t *len)
{
    size_t at = 0;

    for (*len = 0; at < n; at += *len) {
        *len = text_decode(bytes + at, n - at, character);
        if (!*len || !is_plain(*character)) {
            return at;
        }
    }
    *len = 0;
    return at;
}

/* Writes all complete characters; returns the number of bytes, or -1. */
static ssize_t
write_plain(int fd, const char *bytes, size_t n)
{
    uint32_t character;
    size_t done = 0, len;

    do {
        size_t n_plain = measure_plain(bytes + done, n - done, &character, &len);
        if (!write_all(fd, bytes + done, n_plain)) {
            return -1;
        }
        done += n_plain;
        if (len && !write_escape(fd, bytes + done, character)) {
            return -1;
        }
        done += len;
    } while (len);
    return (ssize_t)done;
}

/* Writes bytes. A character may arrive in several pieces; the stream keeps incomplete ones until
 * the rest arrives. */
static bool
write_pieces(struct plain_stream *p, const char *bytes, size_t n)
{
    size_t at = 0;

    while (p->n_rest && at < n) {
        p->rest[p->n_rest++] = bytes[at++];
        ssize_t done = write_plain(p->fd, p->rest, p->n_rest);
        if (done < 0) {
            return false;
        }
        p->n_rest -= (size_t)done;
        memmove(p->rest, p->rest + done, p->n_rest);
    }
    ssize_t done = write_plain(p->fd, bytes + at, n - at);
    if (done < 0) {
        return false;
    }
    memcpy(p->rest + p->n_rest, bytes + at + done, n - at - (size_t)done);
    p->n_rest += n - at - (size_t)done;
    return true;
}

/* Writes a line. A complete line gets its style. */
static bool
write_line(struct plain_stream *p, const char *line, size_t n)
{
    bool ends = line[n - 1] == '\n';

    p->style = ends && !p->is_inside ? line_style(line, n - 1, p->is_error, p->style) : NULL;
    p->is_inside = !ends;
    if (!p->style) {
        return write_pieces(p, line, n);
    }
    return write_all(p->fd, p->style, strlen(p->style)) && write_pieces(p, line, n - 1) &&
           write_all(p->fd, LINE_STYLE_END "\n", sizeof LINE_STYLE_END);
}

static bool
write_lines(struct plain_stream *p, const char *bytes, size_t n)
{
    bool good = true;

    while (n && good) {
        const char *end = memchr(bytes, '\n', n);
        size_t len = end ? (size_t)(end - bytes) + 1 : n;
        good = write_line(p, bytes, len);
        bytes += len;
        n -= len;
    }
    return good;
}

static ssize_t
plain_write(void *cookie, const char *bytes, size_t n)
{
    struct plain_stream *p = cookie;

    if (p->before) {
        p->before();
    }
    bool good = p->fd < 0 || (p->has_colours ? write_lines : write_pieces)(p, bytes, n);

    return good ? (ssize_t)n : 0;
}

FILE *
plain_stream_open(struct plain_stream *p, int how, char *buffer, size_t buffer_bytes)
{
    FILE *stream = fopencookie(p, "w", (cookie_io_functions_t){ .write = plain_write });

    setvbuf(stream, buffer, how, buffer_bytes);
    return stream;
}
