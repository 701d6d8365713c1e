/* Matching by bitmaps of the outputs that inputs want: crossbar.h. */

#include "sim/nodes/crossbar.h"

#include <stdlib.h>

#include "base/array.h"

enum { WORD_BITS = 64, NO_MATCH = UINT16_MAX };

static uint64_t
port_bit(uint32_t i)
{
    return (uint64_t)1 << i % WORD_BITS;
}

uint64_t
crossbar_bytes(uint64_t n_ports, uint64_t n_classes)
{
    uint64_t n_words = (n_ports + WORD_BITS - 1) / WORD_BITS;

    return n_ports * (n_classes + 1) * n_words * sizeof(uint64_t); /* Bitmaps of wanted outputs and
                                                                    * of grants. */
}

void
crossbar_init(struct crossbar *x, uint32_t n_ports, uint32_t n_classes)
{
    uint32_t n_words = (n_ports + WORD_BITS - 1) / WORD_BITS, n_slots = n_ports * n_classes;

    *x = (struct crossbar){ .n_ports = n_ports, .n_classes = n_classes, .n_words = n_words };
    x->iterations = 1;
    x->wants = array_new((size_t)n_slots * n_words, sizeof *x->wants);
    x->wanted = array_new(n_ports, sizeof *x->wanted);
    x->blocked = array_new(n_ports, sizeof *x->blocked);
    x->ready = array_new(n_words, sizeof *x->ready);
    x->free_in = array_new(n_words, sizeof *x->free_in);
    x->free_out = array_new(n_words, sizeof *x->free_out);
    x->grants = array_new((size_t)n_ports * n_words, sizeof *x->grants);
    x->granted = array_new(n_words, sizeof *x->granted);
    x->next_input = array_new(n_slots, sizeof *x->next_input);
    x->next_output = array_new(n_ports, sizeof *x->next_output);
    x->next_class = array_new(n_ports, sizeof *x->next_class);
    x->granting = array_new(n_ports, sizeof *x->granting);
    x->pairs = array_new(n_ports, sizeof *x->pairs);
    for (uint32_t port = 0; port < n_ports; port++) {
        crossbar_free(x, &(struct crossbar_pair){ (uint16_t)port, (uint16_t)port, 0 });
    }
}

void
crossbar_release(struct crossbar *x)
{
    free(x->wants);
    free(x->wanted);
    free(x->blocked);
    free(x->ready);
    free(x->free_in);
    free(x->free_out);
    free(x->grants);
    free(x->granted);
    free(x->next_input);
    free(x->next_output);
    free(x->next_class);
    free(x->granting);
    free(x->pairs);
}

/* These functions update bitmaps of wanted outputs. */

static uint64_t *
wants_of(const struct crossbar *x, uint32_t out, uint32_t cls)
{
    return &x->wants[(size_t)(out * x->n_classes + cls) * x->n_words];
}

static void
settle_ready(struct crossbar *x, uint32_t out)
{
    bool is_ready = x->wanted[out] & ~x->blocked[out];

    x->ready[out / WORD_BITS] =
        (x->ready[out / WORD_BITS] & ~port_bit(out)) | (uint64_t)is_ready << out % WORD_BITS;
}

void
crossbar_want(struct crossbar *x, const struct crossbar_pair *p)
{
    wants_of(x, p->out, p->cls)[p->in / WORD_BITS] |= port_bit(p->in);
    x->wanted[p->out] |= (uint8_t)(1u << p->cls);
    settle_ready(x, p->out);
}

void
crossbar_unwant(struct crossbar *x, const struct crossbar_pair *p)
{
    uint64_t *wants = wants_of(x, p->out, p->cls), left = 0;

    wants[p->in / WORD_BITS] &= ~port_bit(p->in);
    for (uint32_t word = 0; word < x->n_words; word++) {
        left |= wants[word];
    }
    if (!left) {
        x->wanted[p->out] &= (uint8_t) ~(1u << p->cls);
        settle_ready(x, p->out);
    }
}

/* The first common bit of both bitmaps, at or after 'from' with wrap-around; NO_MATCH if there is
 * none. */
static inline uint32_t
first_of_both(const uint64_t *a, const uint64_t *b, uint32_t n_words, uint32_t from)
{
    uint64_t behind = ~(uint64_t)0 << from % WORD_BITS,
             bits = a[from / WORD_BITS] & b[from / WORD_BITS];
    uint32_t word = from / WORD_BITS;

    if (bits & behind) {
        return word * WORD_BITS + (uint32_t)__builtin_ctzll(bits & behind);
    }
    for (uint32_t i = 1; i < n_words; i++) {
        word = word + 1 < n_words ? word + 1 : 0;
        if (a[word] & b[word]) {
            return word * WORD_BITS + (uint32_t)__builtin_ctzll(a[word] & b[word]);
        }
    }
    return bits ? from / WORD_BITS * WORD_BITS + (uint32_t)__builtin_ctzll(bits) : NO_MATCH;
}

static uint32_t
port_after(uint32_t i, uint32_t n)
{
    return i + 1 < n ? i + 1 : 0;
}

/* These functions are the first step: outputs grant inputs. */

/* The free input with the largest queue in a class. */
static uint32_t
longest_input(const struct crossbar *x, const struct crossbar_ask *ask, uint32_t out, uint32_t cls)
{
    const uint64_t *wants = wants_of(x, out, cls);
    uint32_t slot = out * x->n_classes + cls, from = x->next_input[slot], best = NO_MATCH;
    uint64_t most = 0;

    for (uint32_t i = 0, in = from; i < x->n_ports; i++, in = port_after(in, x->n_ports)) {
        if (wants[in / WORD_BITS] & x->free_in[in / WORD_BITS] & port_bit(in)) {
            uint64_t bytes = ask->bytes(
                ask->arg, &(struct crossbar_pair){ (uint16_t)in, (uint16_t)out, (uint8_t)cls });
            best = bytes > most ? in : best;
            most = bytes > most ? bytes : most;
        }
    }
    return best;
}

/* The input that a class of an output would grant next, whether this input is free or not. */
static inline uint32_t
named_input(const struct crossbar *x, const struct crossbar_ask *ask, uint32_t out, uint32_t cls)
{
    const uint64_t *wants = wants_of(x, out, cls);
    uint32_t from = x->next_input[out * x->n_classes + cls];

    return x->rule == CROSSBAR_LONGEST
               ? longest_input(x, ask, out, cls)
               : first_of_both(wants, x->is_held ? wants : x->free_in, x->n_words, from);
}

/* Lets an output grant one input, in the first class, round robin, with a request and room; a class
 * without room is blocked. */
static inline void
grant_one(struct crossbar *x, const struct crossbar_ask *ask, uint32_t out)
{
    uint32_t cls = x->next_class[out];

    for (uint32_t i = 0; i < x->n_classes; i++, cls = port_after(cls, x->n_classes)) {
        bool is_on = (x->wanted[out] & ~x->blocked[out]) >> cls & 1;
        uint32_t in = is_on ? named_input(x, ask, out, cls) : NO_MATCH;
        if (in == NO_MATCH) {
            continue;
        }
        if (!(x->free_in[in / WORD_BITS] & port_bit(in))) {
            return;
        }
        if (ask->fits(ask->arg,
                      &(struct crossbar_pair){ (uint16_t)in, (uint16_t)out, (uint8_t)cls })) {
            x->grants[(size_t)in * x->n_words + out / WORD_BITS] |= port_bit(out);
            x->granted[in / WORD_BITS] |= port_bit(in);
            x->granting[out] = (uint8_t)cls;
            return;
        }
        x->blocked[out] |= (uint8_t)(1u << cls);
        settle_ready(x, out);
    }
}

/* These functions are the second step: inputs accept outputs. */

static uint32_t
longest_output(const struct crossbar *x, const struct crossbar_ask *ask, uint32_t in)
{
    const uint64_t *grants = &x->grants[(size_t)in * x->n_words];
    uint32_t best = NO_MATCH;
    uint64_t most = 0;

    for (uint32_t i = 0, out = x->next_output[in]; i < x->n_ports;
         i++, out = port_after(out, x->n_ports)) {
        if (grants[out / WORD_BITS] & port_bit(out)) {
            uint64_t bytes = ask->bytes(
                ask->arg, &(struct crossbar_pair){ (uint16_t)in, (uint16_t)out, x->granting[out] });
            best = bytes > most ? out : best;
            most = bytes > most ? bytes : most;
        }
    }
    return best;
}

static inline void
move_pointers(struct crossbar *x, const struct crossbar_pair *p)
{
    x->next_input[p->out * x->n_classes + p->cls] = (uint16_t)port_after(p->in, x->n_ports);
    x->next_output[p->in] = (uint16_t)port_after(p->out, x->n_ports);
    x->next_class[p->out] = (uint8_t)port_after(p->cls, x->n_classes);
}

static inline struct crossbar_pair
accept_one(struct crossbar *x, const struct crossbar_ask *ask, uint32_t in)
{
    uint64_t *grants = &x->grants[(size_t)in * x->n_words];
    uint32_t out = x->rule == CROSSBAR_LONGEST
                       ? longest_output(x, ask, in)
                       : first_of_both(grants, grants, x->n_words, x->next_output[in]);

    for (uint32_t word = 0; word < x->n_words; word++) {
        grants[word] = 0;
    }
    x->free_in[in / WORD_BITS] &= ~port_bit(in);
    x->free_out[out / WORD_BITS] &= ~port_bit(out);
    return (struct crossbar_pair){ (uint16_t)in, (uint16_t)out, x->granting[out] };
}

static uint32_t
crossbar_iterate(struct crossbar *x, const struct crossbar_ask *ask, bool is_first, uint32_t n)
{
    for (uint32_t word = 0; word < x->n_words; word++) {
        for (uint64_t outs = x->ready[word] & x->free_out[word]; outs; outs &= outs - 1) {
            grant_one(x, ask, word * WORD_BITS + (uint32_t)__builtin_ctzll(outs));
        }
    }
    for (uint32_t word = 0; word < x->n_words; word++) {
        for (uint64_t ins = x->granted[word]; ins; ins &= ins - 1) {
            x->pairs[n] = accept_one(x, ask, word * WORD_BITS + (uint32_t)__builtin_ctzll(ins));
            if (is_first) {
                move_pointers(x, &x->pairs[n]);
            }
            n++;
        }
        x->granted[word] = 0;
    }
    return n;
}

uint32_t
crossbar_match(struct crossbar *x, const struct crossbar_ask *ask)
{
    uint32_t n = crossbar_iterate(x, ask, true, 0), before = 0;

    for (uint32_t i = 1; i < x->iterations && n != before; i++) {
        before = n;
        n = crossbar_iterate(x, ask, false, n);
    }
    return n;
}

bool
crossbar_holds(const struct crossbar *x)
{
    for (uint32_t slot = 0; slot < x->n_ports * x->n_classes; slot++) {
        uint32_t out = slot / x->n_classes, cls = slot % x->n_classes;
        uint64_t any = 0, granted = 0;
        for (uint32_t word = 0; word < x->n_words; word++) {
            any |= wants_of(x, out, cls)[word];
            granted |= x->granted[word] | x->grants[(size_t)out * x->n_words + word];
        }
        bool is_ready = x->wanted[out] & ~x->blocked[out];
        if (granted || (any > 0) != (x->wanted[out] >> cls & 1) ||
            is_ready != (x->ready[out / WORD_BITS] >> out % WORD_BITS & 1)) {
            return false;
        }
    }
    return true;
}
