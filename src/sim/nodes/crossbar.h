/* Matching of inputs and outputs of a crossbar, without packets or clock.
 *
 * Each input that has something for an output, in a class, wants it.  A matching is made in
 * iterations of two steps: each output that is free grants one input that wants it, and each input
 * that was granted something accepts one output.
 *
 *     islip    Outputs and inputs take turns by pointers: an output grants the first input at or
 *              after its pointer, an input accepts the first output at or after its own.  Both move
 *              on, past each other, if and only if the grant was accepted in the first iteration.
 *              That makes the pointers of outputs drift apart, and no input waits for ever
 * (McKeown, The iSLIP scheduling algorithm for input-queued switches, 1999). longest  The largest
 * queue goes first, at either step; round robin among equals. It can starve a short one for good.
 *
 * Classes share an output round robin, by a pointer that moves when the others do; each has a
 * pointer of its own among the inputs.  A class for which the output has no room is blocked there
 * until crossbar_unblock(): it is then not looked at, however often there is a matching.
 *
 * With 'is_held' ports match at any time, while others are still busy: an output then waits for the
 * input that its pointer names, as long as that wants it, and grants no other.
 *
 * A word is 64 ports, a bit each.  A matching looks only at outputs that are free, wanted, and not
 * blocked. */

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

    uint64_t *wants;                /* [output slot][word]: inputs that have something for it. */
    uint8_t *wanted, *blocked;      /* [output]: classes, a bit each. */
    uint64_t *ready;                /* [word]: outputs with a class that is wanted, not blocked. */
    uint64_t *free_in, *free_out;   /* [word]: ports that nothing moves from, or to. */
    uint64_t *grants;               /* [input][word]: outputs; all 0 between matchings. */
    uint64_t *granted;              /* [word]: inputs with grants; so, too. */
    uint16_t *next_input;           /* [output slot]: the pointer. */
    uint16_t *next_output;          /* [input]. */
    uint8_t *next_class, *granting; /* [output]: the class whose turn it is; that it grants. */
    struct crossbar_pair *pairs;    /* The pairs of the last matching. */
};

/* Questions of a matching to the owner of the packets: whether the first packet of an input for an
 * output fits there, and the bytes of all of them. */
struct crossbar_ask {
    bool (*fits)(const void *arg, const struct crossbar_pair *);
    uint64_t (*bytes)(const void *arg, const struct crossbar_pair *);
    const void *arg;
};

/* Memory that it takes, but for what grows with ports alone. */
uint64_t crossbar_bytes(uint64_t n_ports, uint64_t n_classes);
void crossbar_init(struct crossbar *, uint32_t n_ports, uint32_t n_classes);
void crossbar_release(struct crossbar *);

/* An input gets a first packet for an output in a class; it has no such packet any more. */
void crossbar_want(struct crossbar *, const struct crossbar_pair *);
void crossbar_unwant(struct crossbar *, const struct crossbar_pair *);

/* Matches free inputs and outputs; returns the number of pairs in 'pairs'.  They are busy from now
 * on. */
uint32_t crossbar_match(struct crossbar *, const struct crossbar_ask *);

static inline void
crossbar_free(struct crossbar *x, const struct crossbar_pair *p)
{
    x->free_in[p->in / 64] |= (uint64_t)1 << p->in % 64;
    x->free_out[p->out / 64] |= (uint64_t)1 << p->out % 64;
}

/* An output has more room; returns true if some input waits for that. */
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
