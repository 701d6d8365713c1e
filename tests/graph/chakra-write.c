/* Writes Chakra traces: see chakra-write.h, and src/graph/chakra-node.h for the schema. */

#include "chakra-write.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5, LINE_BYTES = 1024 };

static void
put_byte(struct chakra_out *o, unsigned byte)
{
    ARRAY_PUSH(o->bytes, o->n, o->max) = (uint8_t)byte;
}

void
chakra_put_varint(struct chakra_out *o, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) {
        put_byte(o, (unsigned)(value & 0x7f) | 0x80);
    }
    put_byte(o, (unsigned)value);
}

static void
put_key(struct chakra_out *o, unsigned field, unsigned type)
{
    chakra_put_varint(o, field << 3 | type);
}

void
chakra_put_number(struct chakra_out *o, unsigned field, uint64_t value)
{
    put_key(o, field, VARINT);
    chakra_put_varint(o, value);
}

void
chakra_put_bytes(struct chakra_out *o, unsigned field, const void *bytes, size_t n)
{
    put_key(o, field, BYTES);
    chakra_put_varint(o, n);
    for (size_t i = 0; i < n; i++) {
        put_byte(o, ((const uint8_t *)bytes)[i]);
    }
}

void
chakra_put_message(struct chakra_out *o, const struct chakra_out *message)
{
    chakra_put_varint(o, message->n);
    for (size_t i = 0; i < message->n; i++) {
        put_byte(o, message->bytes[i]);
    }
}

void
chakra_out_free(struct chakra_out *o)
{
    free(o->bytes);
    *o = (struct chakra_out){ 0 };
}

void
chakra_put_metadata(struct chakra_out *o, size_t version_bytes)
{
    struct chakra_out m = { 0 };
    char *version = array_new(version_bytes, 1);

    if (version_bytes) {
        memset(version, '1', version_bytes);
        chakra_put_bytes(&m, 1, version, version_bytes);
    }
    chakra_put_message(o, &m);
    chakra_out_free(&m);
    free(version);
}

static void
put_fixed(struct chakra_out *o, unsigned field, uint64_t bits, int n_bytes)
{
    put_key(o, field, n_bytes == 8 ? FIXED64 : FIXED32);
    for (int i = 0; i < n_bytes; i++) {
        put_byte(o, (unsigned)(bits >> 8 * i) & 0xff);
    }
}

static void
put_real(struct chakra_out *o, unsigned field, double value)
{
    float single = (float)value;
    uint32_t low;
    uint64_t bits;

    memcpy(&low, &single, sizeof low);
    memcpy(&bits, &value, sizeof bits);
    put_fixed(o, field, field == 3 ? bits : low, field == 3 ? 8 : 4);
}

/* The digits of a list of booleans. */
static void
put_bools(struct chakra_out *o, unsigned field, const char *digits)
{
    struct chakra_out list = { 0 }, packed = { 0 };

    for (; *digits; digits++) {
        put_byte(&packed, *digits == '1');
    }
    chakra_put_bytes(&list, 1, packed.bytes, packed.n);
    chakra_put_bytes(o, field, list.bytes, list.n);
    chakra_out_free(&list);
    chakra_out_free(&packed);
}

static void
put_value(struct chakra_out *o, unsigned field, const char *value)
{
    long long number = strtoll(value, NULL, 10);

    switch (field) {
    case 3:
    case 5:
        put_real(o, field, strtod(value, NULL));
        break;
    case 15:
    case 17:
        chakra_put_number(o, field, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
        break;
    case 19:
    case 23:
        put_fixed(o, field, (uint64_t)number, 4);
        break;
    case 21:
    case 25:
        put_fixed(o, field, (uint64_t)number, 8);
        break;
    case 28:
        put_bools(o, field, value);
        break;
    case 29:
        chakra_put_bytes(o, field, value, strlen(value));
        break;
    default:
        chakra_put_number(o, field, number < 0 ? (uint64_t)number : strtoull(value, NULL, 10));
    }
}

static void
put_attribute(struct chakra_out *node, const char *name, const char *value)
{
    struct chakra_out a = { 0 };
    const char *slash = strchr(name, '/');
    unsigned field = slash                           ? (unsigned)atoi(slash + 1)
                     : !strcmp(name, "pg_name")      ? 29
                     : !strcmp(name, "involved_dim") ? 28
                     : !strcmp(name, "is_cpu_op")    ? 27
                                                     : 9;

    chakra_put_bytes(&a, 1, name, slash ? (size_t)(slash - name) : strlen(name));
    put_value(&a, field, value);
    chakra_put_bytes(node, 10, a.bytes, a.n);
    chakra_out_free(&a);
}

static void
put_deps(struct chakra_out *node, unsigned field, const char *ids)
{
    struct chakra_out packed = { 0 };

    for (char *end; *ids; ids = end + (*end == ',')) {
        chakra_put_varint(&packed, strtoull(ids, &end, 10));
    }
    chakra_put_bytes(node, field, packed.bytes, packed.n);
    chakra_out_free(&packed);
}

static void
put_word(struct chakra_out *node, const char *name, const char *value)
{
    struct chakra_out inputs = { 0 };

    if (!strcmp(name, "type")) {
        chakra_put_number(node, 3, strtoull(value, NULL, 10));
    } else if (!strcmp(name, "us")) {
        chakra_put_number(node, 7, strtoull(value, NULL, 10));
    } else if (!strcmp(name, "deps") || !strcmp(name, "ctrl")) {
        put_deps(node, *name == 'd' ? 5 : 4, value);
    } else if (!strcmp(name, "dep")) { /* Not packed. */
        chakra_put_number(node, 5, strtoull(value, NULL, 10));
    } else if (!strcmp(name, "inputs")) {
        chakra_put_bytes(&inputs, 1, value, strlen(value));
        chakra_put_bytes(node, 8, inputs.bytes, inputs.n);
        chakra_out_free(&inputs);
    } else {
        put_attribute(node, name, value);
    }
}

void
chakra_put_node(struct chakra_out *o, const char *line)
{
    struct chakra_out node = { 0 };
    char copy[LINE_BYTES], *rest = copy;
    uint64_t id;

    strncpy(copy, line, sizeof copy - 1);
    copy[sizeof copy - 1] = '\0';
    id = strtoull(strtok_r(rest, " ", &rest), NULL, 10);
    if (id) {
        chakra_put_number(&node, 1, id);
    }
    chakra_put_bytes(&node, 2, "a name", 6);
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        char *value = strchr(word, '=');
        *value = '\0';
        put_word(&node, word, value + 1);
    }
    chakra_put_message(o, &node);
    chakra_out_free(&node);
}

struct chakra_out
chakra_file(const char *lines)
{
    struct chakra_out o = { 0 };
    char line[LINE_BYTES];

    chakra_put_metadata(&o, 5);
    while (*lines) {
        size_t n = strcspn(lines, "\n");
        memcpy(line, lines, n);
        line[n] = '\0';
        chakra_put_node(&o, line);
        lines += n + (lines[n] == '\n');
    }
    return o;
}
