/* One node of a Chakra trace, as far as a graph needs it.
 *
 * The schema is et_def.proto of MLCommons Chakra.  These fields of a node are read: 1 id, 3 type,
 * 5 data_deps, 7 duration_micros, 8 inputs, 10 attributes.  Control dependencies are not read:
 * those of real traces have cycles, and Chakra's own feeder does not follow them.
 *
 * Attributes may have any numeric type, as writers differ in the types they choose. */

#ifndef GRAPH_CHAKRA_NODE_H
#define GRAPH_CHAKRA_NODE_H

#include "graph/chakra-wire.h"

enum chakra_type {
    CHAKRA_METADATA = 1,
    CHAKRA_LOAD,
    CHAKRA_STORE,
    CHAKRA_COMPUTE,
    CHAKRA_SEND,
    CHAKRA_RECV,
    CHAKRA_COLLECTIVE,
};

enum chakra_attribute {
    CHAKRA_IS_CPU_OP,
    CHAKRA_NUM_OPS,
    CHAKRA_TENSOR_SIZE,
    CHAKRA_COMM_TYPE,
    CHAKRA_COMM_SIZE,
    CHAKRA_COMM_SRC,
    CHAKRA_COMM_DST,
    CHAKRA_COMM_TAG,
    CHAKRA_PG_NAME,
    CHAKRA_INVOLVED_DIM,
    CHAKRA_N_ATTRIBUTES
};

extern const char *const chakra_attributes[]; /* "is_cpu_op", ... */

enum chakra_kind {
    CHAKRA_ABSENT,
    CHAKRA_NUMBER,   /* A whole number from 0 to 2^64 - 1. */
    CHAKRA_NEGATIVE, /* A negative number, or one that is not whole. */
    CHAKRA_TEXT,
    CHAKRA_OTHER, /* A list, or bytes. */
};

struct chakra_value {
    enum chakra_kind kind;
    uint64_t number;
    bool has_false; /* A list of booleans has a false one. */
    uint64_t offset;
};

enum { CHAKRA_NAME_BYTES = 256, CHAKRA_MAX_GROUP_BYTES = 1 << 26 };

struct chakra_node {
    uint64_t offset; /* The place of its message. */
    uint64_t id, type, duration_us;
    uint64_t *deps;
    size_t n_deps, max_deps;
    struct chakra_value values[CHAKRA_N_ATTRIBUTES];
    char group[CHAKRA_NAME_BYTES]; /* pg_name. */
    char *inputs;                  /* The values of its inputs, with a zero byte at the end. */
    size_t n_inputs, max_inputs;   /* n_inputs is 0 if there are too many bytes. */
    uint64_t inputs_offset;
    bool has_large_inputs;
};

/* Reads a node; the memory of the one before is used again. */
bool chakra_node_read(struct wire *, struct wire_message *, struct chakra_node *);
void chakra_node_free(struct chakra_node *);

/* Reads the first message of a file. */
bool chakra_metadata_read(struct wire *);

#endif
