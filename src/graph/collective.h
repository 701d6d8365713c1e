/* Collectives: the sends and receives of the members of a group, produced while the collective
 * runs.
 *
 * A generator is a pure state machine for one member.  It keeps two counters for each stream of
 * messages and no list of steps: a ring of 8,192 members has 268 million steps.
 *
 *     struct coll_params p = { .algorithm = coll_algorithm_find("ring"), .op = COLL_ALL_REDUCE,
 *                              .n = 8, .bytes = 1000000, .channels = 1, .window = COLL_WINDOW };
 *     if (!coll_check(&p, &err)) ...                   once; the same parameters at all members
 *     struct coll_state *s = malloc(coll_state_bytes(&p));
 *     coll_start(&p, s, me);
 *     while (coll_next(&p, s, &step)) ...              send, or post the receive; at once
 *     coll_ended(&p, s, step.token);                   when it has ended; then coll_next() again
 *     if (coll_is_done(s)) ...                         all its sends and receives have ended
 *
 * The host calls coll_next() until it returns false, after coll_start() and after each coll_ended()
 * or several of them, and asks coll_is_done() only then.  A step that ends at once may be reported
 * between two calls of coll_next().  The host may copy and free the state at any time.
 *
 * Streams.  The messages of a channel form a few streams, such as "from the previous member" and
 * "to the next member".  Receives of a stream are posted one after the other, each when the one
 * before has ended.  Sends of a stream start in order, each as soon as the data that it needs has
 * been received, with at most 'window' unfinished ones.  Sends may end in any order.
 *
 * Tags.  No two messages of a collective have the same sender, receiver and tag.  Both ends compute
 * the tag.  Two collectives on one group need different tags, which their host provides.
 *
 * Sizes.  'bytes' is the size of a buffer, as in NCCL's tests.
 *   All-reduce, all-gather, broadcast: the buffer that all members have in the end.
 *   Reduce-scatter, all-to-all: the buffer that each member has at the beginning, with a share for
 *     each member.
 *   Send-recv: the buffer that each member sends.
 *
 * The bytes are cut into n shares and each share into one cell for each channel.  Cells are
 * numbered channel by channel, and the first bytes % (n * channels) cells have one byte more.  So
 * cells differ by at most one byte, shares do, and their sum is exact.  Algorithms that need no
 * shares, or another number of them (coll_algorithm.shares), replace n by that number.
 *
 * 'chunk_bytes' cuts messages into pieces of at most this size, which also differ by at most one
 * byte.  A piece is forwarded as soon as it has arrived.
 *
 * Messages of 0 bytes are not sent, except by a barrier, all of whose messages have 0 bytes.  So a
 * collective of 0 bytes or of one member ends at once, without messages. */

#ifndef GRAPH_COLLECTIVE_H
#define GRAPH_COLLECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "weir/plugin.h"

enum coll_op {
    COLL_ALL_REDUCE,     /* All have the sum of the buffers of all. */
    COLL_ALL_GATHER,     /* All have the shares of all. */
    COLL_REDUCE_SCATTER, /* Each has one share of the sum. */
    COLL_ALL_TO_ALL,     /* Each has the share for it from each. */
    COLL_BROADCAST,      /* All have the buffer of the root. */
    COLL_BARRIER,        /* No member ends before all have started; 'bytes' is 0. */
    COLL_SEND_RECV,      /* Each member sends to the next one, the last to the first. */
    COLL_N_OPS
};

extern const char *const coll_op_names[]; /* "all-reduce", ...; ends with null: for WEIR_CHOICE. */

enum {
    COLL_WINDOW = 8, /* The default: as many messages as NCCL's channels have slots. */
    COLL_MAX_CHANNELS = 1024,
    COLL_MAX_WINDOW = 1 << 20,
    COLL_MAX_MEMBERS = 1 << 20,
};

#define COLL_MAX_BYTES ((uint64_t)1 << 50)

/* Parameters of hierarchical, whose group consists of servers of 'server' members. */
struct coll_levels {
    uint64_t server;        /* Members per server; n is a multiple. */
    uint64_t inside, rails; /* Algorithms of coll_algorithms, by number; WEIR_AUTO: ring if it does
                             * the operation, else direct. */
};

/* A collective; the same at all members. */
struct coll_params {
    const struct coll_algorithm *algorithm;
    enum coll_op op;
    uint32_t n;    /* Members. */
    uint32_t root; /* The source of a broadcast. */
    uint32_t channels;
    uint32_t window; /* Messages that a stream may have sent and that have not ended. */
    uint64_t bytes;
    uint64_t chunk_bytes;      /* 0: messages are not cut. */
    struct coll_levels levels; /* Used by hierarchical only. */
};

/* The common parameters as fields, for scenarios: channels, chunk and window. */
struct coll_settings {
    uint64_t channels, chunk_bytes, window;
};

extern const struct weir_field coll_fields[];

/* Refuses parameters that the algorithm does not support. */
bool coll_check(const struct coll_params *, struct err *);

/* The shares that a message carries: first, first + stride, ..., modulo the number of shares; and
 * which of equal pieces of this data the message is. */
struct coll_data {
    uint32_t first, count, stride;
    uint32_t piece, pieces;
};

/* A send or a receive that starts now. */
struct coll_step {
    enum coll_kind { COLL_SEND, COLL_RECV } kind;
    uint32_t peer; /* Index in the group. */
    uint32_t tag, channel;
    uint32_t token; /* For coll_ended(); below 2^16.  Several sends may have the same one. */
    uint64_t bytes;
    bool adds; /* The receiver adds the data to its own; else it stores the data. */

    /* For people and tests: what the message carries. */
    uint32_t phase; /* Hierarchical has several, one after the other. */
    struct coll_data data;
};

struct coll_state; /* One block of memory without pointers. */

size_t coll_state_bytes(const struct coll_params *);
void coll_start(const struct coll_params *, struct coll_state *, uint32_t me);
bool coll_next(const struct coll_params *, struct coll_state *, struct coll_step *);
void coll_ended(const struct coll_params *, struct coll_state *, uint32_t token);
bool coll_is_done(const struct coll_state *);

/* Calls 'visit' with each member to which a member sends messages in a channel, possibly several
 * times with the same one. */
typedef void coll_visit_peer(void *arg, uint32_t peer);

void coll_each_peer(const struct coll_params *, uint32_t me, uint32_t channel, coll_visit_peer *,
                    void *arg);

/* Bus bandwidth, as NCCL's tests define it, is algorithm bandwidth (bytes / time) times this
 * factor. Returns false for a barrier, which has no bandwidth. */
bool coll_bus_factor(enum coll_op, uint32_t n, double *factor);

/* Algorithms.
 *
 * An algorithm describes the messages of a channel; the generator counts them.  It is a set of pure
 * functions of the view: "item k of stream s is a message to this peer, with these shares, once so
 * many items of those receiving streams have ended". */

/* One channel of one member, in one phase.  Cells of a view are cells of the channel, or those of a
 * part of it. */
struct coll_view {
    const struct coll_algorithm *algorithm;
    enum coll_op op;
    uint32_t n, me, root;  /* The members of the phase, which it counts from 0. */
    uint32_t peer, stride; /* Its member i is the member peer + i * stride of the group. */
    uint64_t bytes, first; /* The bytes that it cuts into cells; the first one of the channel. */
    uint32_t cells;        /* Number of cells. */
    uint32_t n_larger;     /* So many first ones have one byte more than 'cell_bytes'. */
    uint64_t cell_bytes;
    uint32_t cell, width;    /* Its share i consists of 'width' cells from cell + i * width on. */
    uint32_t shares, copies; /* Number of its shares, and of members whose shares a message has. */
    uint64_t chunk_bytes;
};

enum { COLL_N_WAITS = 2, COLL_MAX_STREAMS = 12 };

struct coll_item {
    uint32_t peer, tag;
    bool adds;
    struct coll_data data;
    struct coll_wait {
        uint32_t stream, items; /* So many items of a receiving stream have ended. */
    } waits[COLL_N_WAITS];
};

struct coll_algorithm {
    struct weir_plugin about; /* Its parameters are in struct coll_levels. */
    uint32_t ops;             /* A bit for each enum coll_op. */

    /* Streams of a channel: first those that receive, then those that send. */
    uint32_t n_receiving, n_sending;
    bool has_fixed_peers; /* All messages of a stream have the same peer. */

    /* The number of shares for an operation on n members; null: n. */
    uint32_t (*shares)(enum coll_op, uint32_t n);

    /* Refuses parameters.  Null: all are valid. */
    bool (*check)(const struct coll_params *, struct err *);

    /* Describes item k of a stream; false: the stream has ended before.  The item is zeroed. */
    bool (*item)(const struct coll_view *, uint32_t stream, uint32_t k, struct coll_item *);
    uint64_t (*n_tags)(const struct coll_view *); /* All tags are smaller. */

    /* Algorithms that consist of others, instead of the two functions above: the number of
     * phases, and the view of a phase, which begins as that of the whole channel. */
    uint32_t (*n_phases)(enum coll_op);
    void (*enter)(const struct coll_params *, uint32_t phase, struct coll_view *);
};

WEIR_REGISTRY(struct coll_algorithm, coll_algorithms, coll_algorithm)

/* For algorithms. */

struct coll_view coll_view_of(const struct coll_params *, uint32_t me, uint32_t channel,
                              uint32_t phase);

/* The first byte of share i of a view, within its bytes; i = shares: the end of the last one. */
uint64_t coll_share_at(const struct coll_view *, uint32_t i);

/* The bytes of some shares, all pieces together; the number of pieces for so many bytes; and for
 * the largest share. */
uint64_t coll_data_bytes(const struct coll_view *, struct coll_data);
uint32_t coll_pieces(const struct coll_view *, uint64_t bytes);
uint32_t coll_share_pieces(const struct coll_view *);

/* Lets a view cut its bytes into as many shares as its algorithm needs. */
void coll_recut(struct coll_view *);

/* The first byte of part i, if bytes are cut into parts, the first of which are larger; i = parts:
 * bytes.  And the number of parts that are needed for the first 'upto' bytes. */
uint64_t coll_part_at(uint64_t bytes, uint64_t parts, uint64_t i);
uint64_t coll_parts_upto(uint64_t bytes, uint64_t parts, uint64_t upto);

#endif
