/* The part of the pcapng format that Weir writes.  draft-ietf-opsawg-pcapng
 *
 * A file is a sequence of blocks, and a block a sequence of 32-bit words; here they are
 * little-endian:
 *
 *     type, length, body, options, length     the same length twice, of the whole block in bytes
 *
 *     section    0a0d0d0a   byte order 1a2b3c4d, version 1.0, section length (2 words, unknown)
 *     interface  00000001   link type, no limit on captured bytes
 *     packet     00000006   interface, time (high, low), captured bytes, length, the bytes
 *
 * An option is a word, with its code in the lower and its length in the upper half, and its value;
 * the word 0 ends the options.  Strings and packets are padded with zeros to whole words. */

#include "base/pcapng.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

enum { BLOCK_INTERFACE = 1, BLOCK_PACKET = 6 };
enum { LINK_ETHERNET = 1, NO_SNAP_LENGTH = 0, TIME_IN_NANOSECONDS = 9 };
enum { OPTION_END = 0, OPTION_COMMENT = 1, IF_NAME = 2, IF_SPEED = 8, IF_TIME_RESOLUTION = 9 };
/* The lowest two bits of the flags are the direction. */
enum { PACKET_FLAGS = 2, FLAGS_FCS_SHIFT = 5 };
enum { WORD = 4 };

#define BLOCK_SECTION 0x0a0d0d0au
#define BYTE_ORDER    0x1a2b3c4du
#define VERSION_1_0   0x00000001u
#define NOT_KNOWN     0xffffffffu

#define PUT_WORDS(P, ...)                                                                          \
    put_words(P, (const uint32_t[]){ __VA_ARGS__ },                                                \
              sizeof(const uint32_t[]){ __VA_ARGS__ } / sizeof(uint32_t))

static void
keep_failure(struct pcapng *p)
{
    if (p->failure == 0) {
        p->failure = errno ? errno : EIO;
    }
}

static bool
answer(const struct pcapng *p, struct err *err)
{
    return p->failure == 0 || err_set(err, "cannot write %s: %s", p->name, strerror(p->failure));
}

static void
put(struct pcapng *p, const void *bytes, size_t n)
{
    if (n > 0 && p->failure == 0 && fwrite(bytes, 1, n, p->file) != n) {
        keep_failure(p);
    }
}

static void
put_words(struct pcapng *p, const uint32_t *words, size_t n)
{
    uint8_t bytes[8 * WORD];

    assert(n * WORD <= sizeof bytes);
    for (size_t i = 0; i < n * WORD; i++) {
        bytes[i] = (uint8_t)(words[i / WORD] >> 8 * (i % WORD));
    }
    put(p, bytes, n * WORD);
}

static uint32_t
whole_words(uint32_t n_bytes)
{
    return (n_bytes + WORD - 1) / WORD * WORD;
}

static void
put_filled(struct pcapng *p, const void *bytes, uint32_t n)
{
    static const uint8_t zeros[WORD];

    put(p, bytes, n);
    put(p, zeros, whole_words(n) - n);
}

static uint32_t
option(uint32_t code, uint32_t n_bytes)
{
    return n_bytes << 16 | code;
}

static uint32_t
string_bytes(const char *s)
{
    size_t n = strlen(s);
    return n < UINT16_MAX ? (uint32_t)n : UINT16_MAX;
}

static uint32_t
string_option_bytes(const char *s)
{
    return WORD + whole_words(string_bytes(s));
}

static void
put_string_option(struct pcapng *p, uint32_t code, const char *s)
{
    PUT_WORDS(p, option(code, string_bytes(s)));
    put_filled(p, s, string_bytes(s));
}

bool
pcapng_open(struct pcapng *p, const char *path, struct err *err)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        return err_set(err, "cannot open %s: %s", path, strerror(errno));
    }
    pcapng_open_stream(p, file, path);
    p->owns_file = true;
    return true;
}

void
pcapng_open_stream(struct pcapng *p, FILE *file, const char *name)
{
    enum { LENGTH = 7 * WORD };

    *p = (struct pcapng){ .file = file, .name = name };
    PUT_WORDS(p, BLOCK_SECTION, LENGTH, BYTE_ORDER, VERSION_1_0, NOT_KNOWN, NOT_KNOWN, LENGTH);
}

bool
pcapng_add_interface(struct pcapng *p, const char *name, uint64_t speed_bps, struct err *err)
{
    uint32_t length = 11 * WORD + string_option_bytes(name);

    PUT_WORDS(p, BLOCK_INTERFACE, length, LINK_ETHERNET, NO_SNAP_LENGTH);
    put_string_option(p, IF_NAME, name);
    PUT_WORDS(p, option(IF_SPEED, 8), (uint32_t)speed_bps, (uint32_t)(speed_bps >> 32));
    PUT_WORDS(p, option(IF_TIME_RESOLUTION, 1), TIME_IN_NANOSECONDS);
    PUT_WORDS(p, OPTION_END, length);
    p->n_interfaces++;
    return answer(p, err);
}

static uint32_t
flags_of(const struct pcapng_packet *k)
{
    return (uint32_t)k->fcs_bytes << FLAGS_FCS_SHIFT | k->direction;
}

static uint32_t
packet_options_bytes(const struct pcapng_packet *k)
{
    uint32_t n = (flags_of(k) ? 2 * WORD : 0) + (k->comment ? string_option_bytes(k->comment) : 0);
    return n ? n + WORD : 0;
}

static void
put_packet_options(struct pcapng *p, const struct pcapng_packet *k)
{
    if (k->comment) {
        put_string_option(p, OPTION_COMMENT, k->comment);
    }
    if (flags_of(k)) {
        PUT_WORDS(p, option(PACKET_FLAGS, WORD), flags_of(k));
    }
    if (packet_options_bytes(k)) {
        PUT_WORDS(p, OPTION_END);
    }
}

bool
pcapng_add_packet(struct pcapng *p, const struct pcapng_packet *k, struct err *err)
{
    assert(k->interface < p->n_interfaces);
    assert(k->time_ns >= 0);
    assert(k->captured_bytes <= k->length_bytes);
    assert(k->fcs_bytes < 16);

    uint64_t time_ns = (uint64_t)k->time_ns;
    uint32_t length = 8 * WORD + whole_words(k->captured_bytes) + packet_options_bytes(k);
    PUT_WORDS(p, BLOCK_PACKET, length, k->interface, (uint32_t)(time_ns >> 32), (uint32_t)time_ns,
              k->captured_bytes, k->length_bytes);
    put_filled(p, k->bytes, k->captured_bytes);
    put_packet_options(p, k);
    PUT_WORDS(p, length);
    return answer(p, err);
}

bool
pcapng_flush(struct pcapng *p, struct err *err)
{
    /* If the stream had failed before the caller passed it here, its errno is unknown. */
    errno = 0;
    if (fflush(p->file) != 0 || ferror(p->file)) {
        keep_failure(p);
    }
    return answer(p, err);
}

bool
pcapng_close(struct pcapng *p, struct err *err)
{
    pcapng_flush(p, err);
    if (p->owns_file && fclose(p->file) != 0) {
        keep_failure(p);
    }
    p->file = NULL;
    return answer(p, err);
}
