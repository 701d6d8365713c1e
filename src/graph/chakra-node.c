/* Reads nodes of Chakra traces: their fields, and the attributes that graphs need. */

#include "graph/chakra-node.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

const char *const chakra_attributes[] = {
    [CHAKRA_IS_CPU_OP] = "is_cpu_op",     [CHAKRA_NUM_OPS] = "num_ops",
    [CHAKRA_TENSOR_SIZE] = "tensor_size", [CHAKRA_COMM_TYPE] = "comm_type",
    [CHAKRA_COMM_SIZE] = "comm_size",     [CHAKRA_COMM_SRC] = "comm_src",
    [CHAKRA_COMM_DST] = "comm_dst",       [CHAKRA_COMM_TAG] = "comm_tag",
    [CHAKRA_PG_NAME] = "pg_name",         [CHAKRA_INVOLVED_DIM] = "involved_dim",
};

/* How the number of an attribute's field is written. */
enum coding { NO_NUMBER, UNSIGNED, SIGNED, ZIGZAG, SIGNED32, FLOAT, DOUBLE };

static const struct {
    uint8_t coding, type;
} codings[] = {
    [3] = { DOUBLE, WIRE_FIXED64 },    [5] = { FLOAT, WIRE_FIXED32 },
    [7] = { SIGNED, WIRE_VARINT },     [9] = { SIGNED, WIRE_VARINT },
    [11] = { UNSIGNED, WIRE_VARINT },  [13] = { UNSIGNED, WIRE_VARINT },
    [15] = { ZIGZAG, WIRE_VARINT },    [17] = { ZIGZAG, WIRE_VARINT },
    [19] = { UNSIGNED, WIRE_FIXED32 }, [21] = { UNSIGNED, WIRE_FIXED64 },
    [23] = { SIGNED32, WIRE_FIXED32 }, [25] = { SIGNED, WIRE_FIXED64 },
    [27] = { UNSIGNED, WIRE_VARINT },
};

enum { ATTRIBUTE_BOOLS = 28, ATTRIBUTE_TEXT = 29 };

static void
set_real(struct chakra_value *v, double real)
{
    bool is_whole = real >= 0 && real < 0x1p64 && floor(real) == real;

    v->kind = is_whole ? CHAKRA_NUMBER : CHAKRA_NEGATIVE;
    v->number = is_whole ? (uint64_t)real : 0;
}

static void
set_signed(struct chakra_value *v, int64_t number)
{
    v->kind = number < 0 ? CHAKRA_NEGATIVE : CHAKRA_NUMBER;
    v->number = number < 0 ? 0 : (uint64_t)number;
}

static void
set_number(struct chakra_value *v, enum coding coding, uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float single;
    double real;

    switch (coding) {
    case SIGNED:
        set_signed(v, (int64_t)bits);
        break;
    case SIGNED32:
        set_signed(v, (int32_t)low);
        break;
    case ZIGZAG:
        set_signed(v, bits & 1 ? -1 : (int64_t)(bits >> 1));
        break;
    case FLOAT:
        memcpy(&single, &low, sizeof single);
        set_real(v, (double)single);
        break;
    case DOUBLE:
        memcpy(&real, &bits, sizeof real);
        set_real(v, real);
        break;
    default:
        v->kind = CHAKRA_NUMBER;
        v->number = bits;
    }
}

/* A list of booleans: a message whose field 1 has one, or several packed ones. */
static void
read_bools(struct wire *w, struct wire_field *list, struct chakra_value *v)
{
    struct wire_field f;
    uint64_t value;

    while (wire_field(w, &list->inside, &f)) {
        if (f.number == 1 && f.type == WIRE_VARINT) {
            v->has_false |= !f.value;
        }
        while (f.number == 1 && f.type == WIRE_BYTES && wire_packed(w, &f.inside, &value)) {
            v->has_false |= !value;
        }
    }
}

/* Reads a text that is cut if it does not fit; a longer one keeps its first bytes. */
static bool
read_text(struct wire *w, const struct wire_field *f, char text[CHAKRA_NAME_BYTES])
{
    size_t n = wire_bytes(w, f, text, CHAKRA_NAME_BYTES);

    if (n == CHAKRA_NAME_BYTES || memchr(text, 0, n)) {
        text[0] = '\0';
        return false;
    }
    text[n] = '\0';
    return true;
}

static void
read_value(struct wire *w, struct wire_field *f, struct chakra_value *v,
           char text[CHAKRA_NAME_BYTES])
{
    size_t n_codings = sizeof codings / sizeof *codings;

    v->kind = CHAKRA_OTHER;
    v->offset = f->offset;
    if (f->number < n_codings && codings[f->number].coding && codings[f->number].type == f->type) {
        set_number(v, codings[f->number].coding, f->value);
    } else if (f->number == ATTRIBUTE_TEXT && f->type == WIRE_BYTES) {
        v->kind = read_text(w, f, text) ? CHAKRA_TEXT : CHAKRA_OTHER;
    } else if (f->number == ATTRIBUTE_BOOLS && f->type == WIRE_BYTES) {
        read_bools(w, f, v);
    }
}

static bool
keep_value(struct wire *w, struct chakra_node *node, const char *name, const struct chakra_value *v,
           const char *text)
{
    size_t i = text_find(name, chakra_attributes, sizeof *chakra_attributes, CHAKRA_N_ATTRIBUTES);

    if (i == CHAKRA_N_ATTRIBUTES) {
        return true;
    }
    if (node->values[i].kind != CHAKRA_ABSENT) {
        return wire_refuse(w, v->offset, "a node has two attributes '%s'", name);
    }
    node->values[i] = *v;
    if (i == CHAKRA_PG_NAME) {
        memcpy(node->group, text, CHAKRA_NAME_BYTES);
    }
    return true;
}

/* 1 name, 2 documentation, other fields: the value. */
static bool
read_attribute(struct wire *w, struct wire_field *attribute, struct chakra_node *node)
{
    char name[CHAKRA_NAME_BYTES] = "", text[CHAKRA_NAME_BYTES] = "";
    struct chakra_value v = { .offset = attribute->offset };
    struct wire_field f;

    while (wire_field(w, &attribute->inside, &f)) {
        if (f.number == 1 && f.type == WIRE_BYTES) {
            read_text(w, &f, name);
        } else if (f.number > 2) {
            read_value(w, &f, &v, text);
        }
    }
    return !w->failed && keep_value(w, node, name, &v, text);
}

/* 1 values, 2 shapes, 3 types. */
static void
read_inputs(struct wire *w, struct wire_field *inputs, struct chakra_node *node)
{
    struct wire_field f;

    while (wire_field(w, &inputs->inside, &f)) {
        uint64_t n = f.inside.end - f.inside.next;
        if (f.number != 1 || f.type != WIRE_BYTES) {
            continue;
        }
        node->inputs_offset = f.offset;
        node->has_large_inputs = n > CHAKRA_MAX_GROUP_BYTES;
        node->n_inputs = 0;
        while (!w->failed && !node->has_large_inputs && node->n_inputs < n) {
            /* Memory grows with what is there, not with what a length promises. */
            ARRAY_ROOM(node->inputs, node->n_inputs, node->max_inputs);
            size_t room = node->max_inputs - node->n_inputs;
            size_t part = n - node->n_inputs < room ? (size_t)(n - node->n_inputs) : room;
            if (trace_stream_read(w->stream, node->inputs + node->n_inputs, part) < part) {
                wire_refuse(w, f.offset, "the file ends within the inputs of a node");
            }
            node->n_inputs += part;
        }
        ARRAY_ROOM(node->inputs, node->n_inputs, node->max_inputs);
        node->inputs[node->n_inputs] = '\0';
    }
}

static void
read_deps(struct wire *w, struct wire_field *f, struct chakra_node *node)
{
    uint64_t id;

    if (f->type == WIRE_VARINT) {
        ARRAY_PUSH(node->deps, node->n_deps, node->max_deps) = f->value;
    }
    while (f->type == WIRE_BYTES && wire_packed(w, &f->inside, &id)) {
        ARRAY_PUSH(node->deps, node->n_deps, node->max_deps) = id;
    }
}

/* Fields that are numbers; null: another one. */
static uint64_t *
number_of(struct chakra_node *node, uint32_t field)
{
    return field == 1   ? &node->id
           : field == 3 ? &node->type
           : field == 7 ? &node->duration_us
                        : NULL;
}

static bool
read_node_field(struct wire *w, struct wire_field *f, struct chakra_node *node)
{
    enum { DATA_DEPS = 5, INPUTS = 8, ATTRIBUTE = 10 };
    uint64_t *number = number_of(node, f->number);

    if (number && f->type != WIRE_VARINT) {
        return wire_refuse(w, f->offset,
                           "field %" PRIu32 " of a node is not a number: this is no Chakra trace",
                           f->number);
    }
    if (number) {
        *number = f->value;
    } else if (f->number == DATA_DEPS) {
        read_deps(w, f, node);
    } else if (f->number == INPUTS && f->type == WIRE_BYTES) {
        read_inputs(w, f, node);
    } else if (f->number == ATTRIBUTE && f->type == WIRE_BYTES) {
        return read_attribute(w, f, node);
    }
    return !w->failed;
}

bool
chakra_node_read(struct wire *w, struct wire_message *m, struct chakra_node *node)
{
    struct wire_field f;

    *node = (struct chakra_node){
        .offset = m->next,
        .deps = node->deps,
        .max_deps = node->max_deps,
        .inputs = node->inputs,
        .max_inputs = node->max_inputs,
    };
    while (wire_field(w, m, &f)) {
        if (!read_node_field(w, &f, node)) {
            return false;
        }
    }
    return !w->failed;
}

void
chakra_node_free(struct chakra_node *node)
{
    free(node->deps);
    free(node->inputs);
    *node = (struct chakra_node){ 0 };
}

/* 1 version, 2 attributes, both with bytes; field 1 of a node is a number. */
bool
chakra_metadata_read(struct wire *w)
{
    struct wire_message m;
    struct wire_field f;

    if (!wire_message(w, &m)) {
        return wire_refuse(w, 0, "the file is empty; a Chakra trace begins with GlobalMetadata");
    }
    while (wire_field(w, &m, &f)) {
        if (f.number > 2 || f.type != WIRE_BYTES) {
            return wire_refuse(w, f.offset,
                               "the first message has field %" PRIu32
                               ", which GlobalMetadata has not: this is no Chakra trace",
                               f.number);
        }
    }
    return !w->failed;
}
