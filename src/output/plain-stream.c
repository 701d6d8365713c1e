/* Writes text to a file descriptor and escapes characters that a terminal would obey. */

#define _GNU_SOURCE /* fopencookie() */

#include "output/plain-stream.h"

#include <string.h>
#include <unistd.h>

#include "base/text.h"

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

/* How many of the bytes are plain from the first on; and the character behind them, with its
 * length, if it is there as a whole. */
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

/* Writes what is complete; how much that was, or -1. */
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

/* A character may come in two pieces: the first waits for the second. */
static ssize_t
plain_write(void *cookie, const char *bytes, size_t n)
{
    struct plain_stream *p = cookie;
    size_t at = 0;

    if (p->fd < 0) {
        return (ssize_t)n;
    }
    while (p->n_rest && at < n) {
        p->rest[p->n_rest++] = bytes[at++];
        ssize_t done = write_plain(p->fd, p->rest, p->n_rest);
        if (done < 0) {
            return 0;
        }
        p->n_rest -= (size_t)done;
        memmove(p->rest, p->rest + done, p->n_rest);
    }
    ssize_t done = write_plain(p->fd, bytes + at, n - at);
    if (done < 0) {
        return 0;
    }
    memcpy(p->rest + p->n_rest, bytes + at + done, n - at - (size_t)done);
    p->n_rest += n - at - (size_t)done;
    return (ssize_t)n;
}

FILE *
plain_stream_open(struct plain_stream *p, int how, char *buffer, size_t buffer_bytes)
{
    FILE *stream = fopencookie(p, "w", (cookie_io_functions_t){ .write = plain_write });

    setvbuf(stream, buffer, how, buffer_bytes);
    return stream;
}
