/* Matching of inputs and outputs of a crossbar, without packets or clock.
 *
 * An input wants an output, in a class, if it has a packet for it.  A matching is made in
 * iterations of two steps: each free output grants one input that wants it, and each input with
 * grants accepts one output.
 *
 *     islip    Outputs and inputs take turns by pointers: an output grants the first input at or
 *              after its pointer, and an input accepts the first output at or after its own.  If
 *              the grant is accepted in the first iteration, and only then, both pointers advance
 *              past each other.  So the pointers of outputs drift apart, and no input starves
 *              (McKeown, The iSLIP scheduling algorithm for input-queued switches, 1999).
 *     longest  The largest queue goes first, at either step; round robin among equals.  A short
 *              queue can starve.
 *
 * Classes share an output round robin, by a pointer that moves like the other pointers.  Each class
 * has its own pointer to an input.  A class for which the output has no room is blocked there until
 * crossbar_unblock(): until then matchings skip it.
 *
 * With 'is_held', ports match at any time, while others are still busy.  An output then waits for
 * the input at its pointer as long as that input wants it, and grants no other.
 *
 * A word has one bit for each of 64 ports.  A matching looks only at outputs that are free, wanted,
 * and not blocked. */

#ifndef SIM_CROSSBAR_H
#define SIM_CROSSBAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum crossbar_rule { CROSSBAR_ISLIP, CROSSBAR_LONGEST };

struct crossbar_pair {
    uint16_t in, out;
    uint8_t cls;
};

struct crossbar {
    uint32_t n_ports, n_classes, n_words;
    uint32_t iterations;
    enum crossbar_rule rule;
    bool is_held;

    uint64_t *wants;                /* [output slot][word]: inputs that have packets for it. */
    uint8_t *wanted, *blocked;      /* [output]: one bit for each class. */
    uint64_t *ready;                /* [word]: outputs with a wanted class that is not blocked. */
    uint64_t *free_in, *free_out;   /* [word]: ports without a transfer from, or to, them. */
    uint64_t *grants;               /* [input][word]: the outputs that grant it; all 0 between
                                     * matchings. */
    uint64_t *granted;              /* [word]: inputs with grants; 0 between matchings. */
    uint16_t *next_input;           /* [output slot]: the pointer of the output to an input. */
    uint16_t *next_output;          /* [input]: the pointer of the input to an output. */
    uint8_t *next_class, *granting; /* [output]: the next class, and the class that it grants. */
    struct crossbar_pair *pairs;    /* The pairs of the last matching. */
};

/* Functions that a matching calls. 'fits' returns whether the first packet of an input for an
 * output fits there. 'bytes' returns the bytes of all packets of that input for the output. */
struct crossbar_ask {
    bool (*fits)(const void *arg, const struct crossbar_pair *);
    uint64_t (*bytes)(const void *arg, const struct crossbar_pair *);
    const void *arg;
};

/* The memory of a crossbar, without tables whose size grows only with the number of ports. */
uint64_t crossbar_bytes(uint64_t n_ports, uint64_t n_classes);
void crossbar_init(struct crossbar *, uint32_t n_ports, uint32_t n_classes);
void crossbar_release(struct crossbar *);

/* The first function is called when an input gets its first packet for an output in a class. The
 * second is called when it has no such packet any more. */
void crossbar_want(struct crossbar *, const struct crossbar_pair *);
void crossbar_unwant(struct crossbar *, const struct crossbar_pair *);

/* Matches free inputs and outputs; returns the number of pairs in 'pairs'.  These ports are busy
 * from now on. */
uint32_t crossbar_match(struct crossbar *, const struct crossbar_ask *);

static inline void
crossbar_free(struct crossbar *x, const struct crossbar_pair *p)
{
    x->free_in[p->in / 64] |= (uint64_t)1 << p->in % 64;
    x->free_out[p->out / 64] |= (uint64_t)1 << p->out % 64;
}

/* Called when an output has more room; returns true if an input waits for it. */
static inline bool
crossbar_unblock(struct crossbar *x, uint32_t out)
{
    bool is_awaited = x->blocked[out] & x->wanted[out];

    x->blocked[out] = 0;
    x->ready[out / 64] |= (uint64_t)is_awaited << out % 64;
    return is_awaited;
}

/* Whether the tables are consistent with each other, for assertions. */
bool crossbar_holds(const struct crossbar *);

#endif
