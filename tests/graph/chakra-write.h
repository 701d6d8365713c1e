/* Writes Chakra traces: one node from one line of text.
 *
 *     3 type=5 deps=1,2 us=7 comm_dst=1 comm_tag=0 comm_size/13=4096 pg_name=tp involved_dim=10
 *
 * The id is first; 0 is not written, as Protocol Buffers do not write it.  Other words are fields,
 * and attributes with the field of their value, 9 if it is not given. */

#ifndef TESTS_GRAPH_CHAKRA_WRITE_H
#define TESTS_GRAPH_CHAKRA_WRITE_H

#include <stddef.h>
#include <stdint.h>

struct chakra_out {
    uint8_t *bytes;
    size_t n, max;
};

void chakra_put_varint(struct chakra_out *, uint64_t value);

/* A field with bytes or with a number; a message after its length. */
void chakra_put_bytes(struct chakra_out *, unsigned field, const void *bytes, size_t n);
void chakra_put_number(struct chakra_out *, unsigned field, uint64_t value);
void chakra_put_message(struct chakra_out *, const struct chakra_out *message);

/* GlobalMetadata with a version of so many bytes; 0: without one. */
void chakra_put_metadata(struct chakra_out *, size_t version_bytes);
void chakra_put_node(struct chakra_out *, const char *line);

/* A file with metadata and nodes, one in each line. */
struct chakra_out chakra_file(const char *lines);
void chakra_out_free(struct chakra_out *);

#endif
