/* Collectives move the right data: all members run with real contents, and messages arrive in any
 * order.
 *
 * A member has a byte for each byte of the collective.  Its value is the set of members whose
 * contributions it contains.  All-to-all and send-recv do not add data, so each member has instead
 * a buffer for the data of each member. */

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "draw.h"

enum { MAX_MEMBERS = 64 };

/* A byte of a message: which buffer it belongs to, where, and its value. */
struct cell {
    uint32_t buffer;
    uint64_t at, value;
};

struct message {
    uint32_t from, to, tag, token;
    uint64_t bytes;
    bool adds, is_taken; /* It met its receive. */
    size_t n_cells;
    struct cell *cells;
};

struct receive {
    uint32_t member;
    struct coll_step step;
};

/* A table of messages by sender, receiver and tag. */
enum { TABLE_SIZE = 1 << 17 };

struct world {
    const struct coll_params *p;
    uint32_t *table;                   /* Numbers of messages, from 1 on. */
    uint32_t *unfinished[MAX_MEMBERS]; /* By token. */
    uint32_t n_unfinished[MAX_MEMBERS];
    uint64_t chance;
    struct coll_state *states[MAX_MEMBERS];
    uint64_t *buffers[MAX_MEMBERS]; /* n_buffers x bytes. */
    uint64_t known[MAX_MEMBERS];    /* Barrier: members of which it knows that they have started. */
    uint32_t n_buffers;
    struct message *messages;
    size_t n_messages, max_messages;
    struct receive *receives; /* Posted. */
    size_t n_receives, max_receives;
    uint32_t *unsent; /* Messages whose sends have not ended. */
    size_t n_unsent, max_unsent;
    uint64_t total, sent[MAX_MEMBERS];
};

#define MUST(CONDITION)                                                                            \
    do {                                                                                           \
        if (!(CONDITION)) {                                                                        \
            print_params(w->p);                                                                    \
            fail_msg("%s", #CONDITION);                                                            \
        }                                                                                          \
    } while (0)

static bool
has_buffers(const struct coll_params *p)
{
    return p->op == COLL_ALL_TO_ALL || p->op == COLL_SEND_RECV;
}

/* The share that belongs to a member, by its definition. */
static uint32_t
share_of(const struct coll_params *p, uint32_t member)
{
    uint32_t server = (uint32_t)p->levels.server;

    return p->algorithm->enter ? member % server * (p->n / server) + member / server : member;
}

/* Whether a byte is in a share, by naive counting: cells are numbered channel by channel, and the
 * first ones are larger. */
static bool
is_in_share(const struct coll_params *p, uint64_t byte, uint32_t share)
{
    uint64_t n_cells = (uint64_t)p->n * p->channels, at = 0;

    for (uint64_t cell = 0; cell < n_cells; cell++) {
        at += p->bytes / n_cells + (cell < p->bytes % n_cells);
        if (byte < at) {
            return cell % p->n == share;
        }
    }
    return false;
}

/* The value of a byte at the beginning. */
static uint64_t
initial(const struct coll_params *p, uint32_t member, uint32_t buffer, uint64_t byte)
{
    uint64_t own = (uint64_t)1 << member;

    switch (p->op) {
    case COLL_ALL_GATHER:
        return is_in_share(p, byte, share_of(p, member)) ? own : 0;
    case COLL_BROADCAST:
        return member == p->root ? own : 0;
    case COLL_ALL_TO_ALL:
    case COLL_SEND_RECV:
        return buffer == member ? own : 0;
    default:
        return own;
    }
}

/* Whether the value of a byte is right at the end. */
static bool
is_right(const struct coll_params *p, uint32_t member, uint32_t buffer, uint64_t byte,
         uint64_t value)
{
    uint64_t all = p->n == 64 ? UINT64_MAX : ((uint64_t)1 << p->n) - 1;
    uint64_t of_buffer = (uint64_t)1 << buffer;

    switch (p->op) {
    case COLL_ALL_REDUCE:
        return value == all;
    case COLL_ALL_GATHER:
        for (uint32_t i = 0; i < p->n; i++) {
            if (is_in_share(p, byte, share_of(p, i))) {
                return value == (uint64_t)1 << i;
            }
        }
        return false;
    case COLL_REDUCE_SCATTER:
        return value == all || !is_in_share(p, byte, share_of(p, member));
    case COLL_BROADCAST:
        return value == (uint64_t)1 << p->root;
    case COLL_ALL_TO_ALL:
        return value == of_buffer || !is_in_share(p, byte, share_of(p, member));
    default: /* Send-recv. */
        return value == of_buffer || buffer != (member + p->n - 1) % p->n;
    }
}

/* The bytes of a step, in order: those of the shares that it names, and of these its piece. */
static size_t
list_cells(struct world *w, uint32_t member, uint32_t sender, const struct coll_step *step,
           struct cell **cells)
{
    const struct coll_view v = coll_view_of(w->p, member, step->channel, step->phase);
    const struct coll_data d = step->data;
    uint32_t first = sender / v.copies * v.copies; /* All members of its server. */
    size_t n = 0, total = (size_t)coll_data_bytes(&v, d);
    struct cell *all = malloc((total + 1) * sizeof *all);

    for (uint32_t copy = 0; copy < v.copies; copy++) {
        for (uint32_t i = 0; i < d.count; i++) {
            uint32_t share = (uint32_t)((d.first + (uint64_t)i * d.stride) % v.shares);
            for (uint64_t at = coll_share_at(&v, share); at < coll_share_at(&v, share + 1); at++) {
                MUST(n < total && v.first + at < w->p->bytes);
                all[n++] = (struct cell){ has_buffers(w->p) ? first + copy : 0, v.first + at, 0 };
            }
        }
    }
    MUST(n == total && d.piece < d.pieces);
    size_t from = n / d.pieces * d.piece + (d.piece < n % d.pieces ? d.piece : n % d.pieces);
    size_t bytes = n / d.pieces + (d.piece < n % d.pieces);
    MUST(bytes == step->bytes);
    memmove(all, all + from, bytes * sizeof *all);
    *cells = all;
    return bytes;
}

static uint64_t *
value_at(struct world *w, uint32_t member, struct cell cell)
{
    return &w->buffers[member][cell.buffer * w->p->bytes + cell.at];
}

/* The entry of a message in the table: 0 if it has not been sent. */
static uint32_t *
entry_of(struct world *w, uint32_t from, uint32_t to, uint32_t tag)
{
    uint64_t key = ((uint64_t)from << 6 | to) << 32 | tag, at = weir_random(&key) % TABLE_SIZE;

    for (; w->table[at]; at = (at + 1) % TABLE_SIZE) {
        const struct message *m = &w->messages[w->table[at] - 1];
        if (m->from == from && m->to == to && m->tag == tag) {
            break;
        }
    }
    return &w->table[at];
}

static void
post_send(struct world *w, uint32_t member, const struct coll_step *step)
{
    struct message m = { .from = member,
                         .to = step->peer,
                         .tag = step->tag,
                         .token = step->token,
                         .bytes = step->bytes,
                         .adds = step->adds };

    m.n_cells = list_cells(w, member, member, step, &m.cells);
    for (size_t i = 0; i < m.n_cells; i++) {
        m.cells[i].value = *value_at(w, member, m.cells[i]);
        MUST(m.cells[i].value);
    }
    if (w->p->op == COLL_BARRIER) {
        m.cells[0].value = w->known[member];
    }
    uint32_t *entry = entry_of(w, m.from, m.to, m.tag);
    MUST(!*entry && w->n_messages < TABLE_SIZE / 2);
    *entry = (uint32_t)w->n_messages + 1;
    w->sent[member] += step->bytes;
    w->total += step->bytes;
    ARRAY_PUSH(w->unsent, w->n_unsent, w->max_unsent) = (uint32_t)w->n_messages;
    ARRAY_PUSH(w->messages, w->n_messages, w->max_messages) = m;
}

static void
post_all(struct world *w, uint32_t member)
{
    struct coll_step step;

    while (coll_next(w->p, w->states[member], &step)) {
        MUST(step.peer < w->p->n && step.peer != member && step.channel < w->p->channels);
        MUST(step.bytes || w->p->op == COLL_BARRIER);
        MUST(!w->p->chunk_bytes || step.bytes <= w->p->chunk_bytes);
        uint32_t window = step.kind == COLL_SEND ? w->p->window : 1;
        MUST(++w->unfinished[member][step.token] <= window);
        w->n_unfinished[member]++;
        if (step.kind == COLL_SEND) {
            post_send(w, member, &step);
            continue;
        }
        ARRAY_PUSH(w->receives, w->n_receives, w->max_receives) = (struct receive){ member, step };
    }
    MUST(!coll_is_done(w->states[member]) || !w->n_unfinished[member]);
}

static void
take_data(struct world *w, const struct receive *r, const struct message *m)
{
    struct cell *cells;
    size_t n = list_cells(w, r->member, m->from, &r->step, &cells);

    MUST(m->bytes == r->step.bytes && m->adds == r->step.adds && n == m->n_cells);
    for (size_t i = 0; i < n; i++) {
        uint64_t *value = value_at(w, r->member, cells[i]);
        MUST(cells[i].buffer == m->cells[i].buffer && cells[i].at == m->cells[i].at);
        MUST(!m->adds || !(*value & m->cells[i].value));
        *value = m->cells[i].value | (m->adds ? *value : 0);
    }
    if (w->p->op == COLL_BARRIER) {
        w->known[r->member] |= m->cells[0].value;
    }
    free(cells);
}

static void
end_step(struct world *w, uint32_t member, uint32_t token)
{
    w->unfinished[member][token]--;
    w->n_unfinished[member]--;
    coll_ended(w->p, w->states[member], token);
    if (!one_in(&w->chance, 4)) { /* Else after more of its steps have ended. */
        post_all(w, member);
    }
}

/* Ends one receive whose message has left; false: it has not. */
static bool
try_receive(struct world *w, size_t i)
{
    const struct receive r = w->receives[i];
    uint32_t number = *entry_of(w, r.step.peer, r.member, r.step.tag);

    if (!number) {
        return false;
    }
    MUST(!w->messages[number - 1].is_taken);
    w->messages[number - 1].is_taken = true;
    take_data(w, &r, &w->messages[number - 1]);
    w->receives[i] = w->receives[--w->n_receives];
    end_step(w, r.member, r.step.token);
    return true;
}

static void
end_send(struct world *w, size_t i)
{
    const struct message *m = &w->messages[w->unsent[i]];

    w->unsent[i] = w->unsent[--w->n_unsent];
    end_step(w, m->from, m->token);
}

/* Ends any send or receive that can end; false: there is none. */
static bool
go_on(struct world *w)
{
    size_t n = w->n_unsent + w->n_receives, first = n ? below(&w->chance, n) : 0;

    for (size_t i = 0; i < n; i++) {
        size_t k = (first + i) % n;
        if (k < w->n_unsent) {
            end_send(w, k);
            return true;
        }
        if (try_receive(w, k - w->n_unsent)) {
            return true;
        }
    }
    return false;
}

/* Posts the steps of members that have not posted since a step ended; false: there are none. */
static bool
post_rest(struct world *w)
{
    for (uint32_t i = 0; i < w->p->n; i++) {
        post_all(w, i);
    }
    return w->n_receives || w->n_unsent;
}

static void
set_up(struct world *w)
{
    const struct coll_params *p = w->p;

    w->n_buffers = has_buffers(p) ? p->n : 1;
    w->table = calloc(TABLE_SIZE, sizeof *w->table);
    for (uint32_t i = 0; i < p->n; i++) {
        w->states[i] = malloc(coll_state_bytes(p));
        w->buffers[i] = calloc(w->n_buffers * p->bytes + 1, sizeof **w->buffers);
        w->known[i] = (uint64_t)1 << i;
        w->unfinished[i] = calloc(p->channels * COLL_MAX_STREAMS, sizeof **w->unfinished);
        for (uint32_t b = 0; b < w->n_buffers; b++) {
            for (uint64_t at = 0; at < p->bytes; at++) {
                *value_at(w, i, (struct cell){ b, at, 0 }) = initial(p, i, b, at);
            }
        }
    }
    for (uint32_t i = 0; i < p->n; i++) {
        coll_start(p, w->states[i], i);
        post_all(w, i);
    }
}

static void
tear_down(struct world *w)
{
    for (uint32_t i = 0; i < w->p->n; i++) {
        free(w->states[i]);
        free(w->buffers[i]);
        free(w->unfinished[i]);
    }
    for (size_t i = 0; i < w->n_messages; i++) {
        free(w->messages[i].cells);
    }
    free(w->messages);
    free(w->table);
    free(w->receives);
    free(w->unsent);
}

static bool
is_named(const struct coll_algorithm *algorithm, const char *name)
{
    return !strcmp(algorithm->about.name, name);
}

/* The bytes that all members send together. */
static uint64_t
expected_bytes(const struct coll_params *p)
{
    uint64_t others = (p->n - 1) * p->bytes, server = p->levels.server;

    if (p->op == COLL_SEND_RECV) {
        return p->n > 1 ? p->n * p->bytes : 0;
    }
    if (p->op == COLL_ALL_TO_ALL && p->algorithm->enter) {
        return (2 * p->n - p->n / server - server) * p->bytes;
    }
    return p->op == COLL_ALL_REDUCE ? 2 * others : others;
}

/* Halving-doubling folds if n is not a power of 2, and then sends some data once more. */
static bool
may_fold(const struct coll_params *p)
{
    const uint64_t levels[] = { p->levels.inside, p->levels.rails };
    bool halves = is_named(p->algorithm, "halving-doubling");

    for (size_t i = 0; i < N_OF(levels) && p->algorithm->enter; i++) {
        halves |=
            levels[i] != WEIR_AUTO && is_named(coll_algorithm_at(levels[i]), "halving-doubling");
    }
    return halves && p->n & (p->n - 1);
}

/* Each member sends as much as any other, if all shares are equal. */
static bool
is_symmetric(const struct coll_params *p)
{
    return p->op != COLL_BROADCAST && !is_named(p->algorithm, "double-binary-tree") &&
           !p->algorithm->enter && !may_fold(p) && p->bytes % (p->n * p->channels) == 0;
}

static void
check_end(struct world *w)
{
    const struct coll_params *p = w->p;

    MUST(!w->n_receives && !w->n_unsent);
    for (size_t i = 0; i < w->n_messages; i++) {
        MUST(w->messages[i].is_taken);
    }
    MUST(w->total == expected_bytes(p) || may_fold(p));
    for (uint32_t i = 0; i < p->n; i++) {
        MUST(coll_is_done(w->states[i]));
        MUST(!is_symmetric(p) || w->sent[i] * p->n == expected_bytes(p));
        MUST(p->op != COLL_BARRIER || w->known[i] == w->known[0]);
        for (uint32_t b = 0; b < w->n_buffers; b++) {
            for (uint64_t at = 0; at < p->bytes; at++) {
                MUST(is_right(p, i, b, at, *value_at(w, i, (struct cell){ b, at, 0 })));
            }
        }
    }
    MUST(p->op != COLL_BARRIER ||
         w->known[0] == (p->n == 64 ? UINT64_MAX : ((uint64_t)1 << p->n) - 1));
}

static void
run_one(uint64_t *chance, const struct coll_params *p)
{
    struct world w = { .p = p, .chance = weir_random(chance) };

    set_up(&w);
    for (bool goes_on = true; goes_on;) {
        goes_on = go_on(&w) || (post_rest(&w) && go_on(&w));
    }
    check_end(&w);
    tear_down(&w);
}

static const uint32_t members[] = { 1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                    11, 12, 13, 14, 15, 16, 17, 32, 33, 64 };

static void
test_algorithm(void **state)
{
    const struct coll_algorithm *algorithm = *state;
    uint64_t chance = 1;

    for (enum coll_op op = 0; op < COLL_N_OPS; op++) {
        if (!(algorithm->ops >> op & 1)) {
            continue;
        }
        for (size_t i = 0; i < N_OF(members); i++) {
            for (int k = members[i] < 20 ? 40 : 4; k > 0; k--) {
                const struct coll_params p = draw_params(&chance, algorithm, op, members[i]);
                run_one(&chance, &p);
            }
        }
    }
}

int
main(void)
{
    struct CMUnitTest tests[16];
    size_t n = 0;

    for (; coll_algorithm_at(n); n++) {
        tests[n] = (struct CMUnitTest){ .name = coll_algorithm_at(n)->about.name,
                                        .test_func = test_algorithm,
                                        .initial_state = (void *)coll_algorithm_at(n) };
    }
    return _cmocka_run_group_tests("data", tests, n, NULL, NULL);
}
