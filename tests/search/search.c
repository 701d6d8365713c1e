#include "search.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "net.h"

/* A hash like FNV-1a, but of eight bytes at a time. */
static uint64_t
hash_of(const void *bytes, size_t n)
{
    const uint8_t *b = bytes;
    uint64_t hash = 0xcbf29ce484222325;

    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = 0;
        memcpy(&word, b + i, n - i < 8 ? n - i : 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
    }
    return hash;
}

/* A set of byte strings, each with a number: found by hash, compared by all bytes. */

struct set {
    uint8_t *bytes;
    size_t n_bytes, max_bytes;
    struct {
        size_t first, n;
        uint64_t hash;
    } * items;
    size_t n, max_items;
    uint32_t *table; /* 1 + number, or 0. */
    size_t n_table;  /* A power of two. */
};

static void
grow(struct set *s)
{
    size_t n = s->n_table ? 2 * s->n_table : 1024;
    uint32_t *table = array_new(n, sizeof *table);

    for (size_t i = 0; i < s->n; i++) {
        size_t at = s->items[i].hash & (n - 1);
        while (table[at]) {
            at = (at + 1) & (n - 1);
        }
        table[at] = (uint32_t)i + 1;
    }
    free(s->table);
    s->table = table;
    s->n_table = n;
}

/* The number of a byte string, which is added if it is new. */
static uint32_t
put(struct set *s, const void *bytes, size_t n)
{
    uint64_t hash = hash_of(bytes, n);

    if (2 * (s->n + 1) > s->n_table) {
        grow(s);
    }
    size_t at = hash & (s->n_table - 1);
    for (; s->table[at]; at = (at + 1) & (s->n_table - 1)) {
        uint32_t i = s->table[at] - 1;
        if (s->items[i].hash == hash && s->items[i].n == n &&
            !memcmp(s->bytes + s->items[i].first, bytes, n)) {
            return i;
        }
    }
    while (s->n_bytes + n > s->max_bytes) {
        s->max_bytes = s->max_bytes ? 2 * s->max_bytes : 1 << 16;
        s->bytes = realloc(s->bytes, s->max_bytes);
    }
    memcpy(s->bytes + s->n_bytes, bytes, n);
    s->table[at] = (uint32_t)s->n + 1;
    ARRAY_PUSH(s->items, s->n, s->max_items).first = s->n_bytes;
    s->items[s->n - 1].n = n;
    s->items[s->n - 1].hash = hash;
    s->n_bytes += n;
    return (uint32_t)s->n - 1;
}

static void
free_set(struct set *s)
{
    free(s->bytes);
    free(s->items);
    free(s->table);
}

/* The search. */

struct step { /* The event that first led to a state, and the state before it. */
    uint32_t before;
    struct event event;
};

struct search {
    struct network net;
    uint32_t n_parts;
    struct set parts, states; /* A state lists the numbers of its parts. */
    struct step *steps;       /* [state]. */
    size_t n_steps, max_steps;
    uint32_t loaded[MAX_PARTS]; /* The parts that the network is loaded with. */
    struct search_result r;
};

static const uint32_t *
parts_of(const struct search *s, uint32_t state)
{
    return (const uint32_t *)(const void *)(s->states.bytes + s->states.items[state].first);
}

static void
load(struct search *s, uint32_t part, uint32_t number)
{
    if (s->loaded[part] != number) {
        network_load(&s->net, part, s->parts.bytes + s->parts.items[number].first);
        s->loaded[part] = number;
    }
}

/* Stores the state of the network after an event; returns its number. Only parts that the event has
 * changed are copied. */
static uint32_t
meet(struct search *s, uint32_t before, struct event e)
{
    uint32_t state[MAX_PARTS];
    uint8_t bytes[PART_BYTES];

    memcpy(state, s->loaded, s->n_parts * sizeof *state);
    for (uint32_t part = 0; part < s->n_parts; part++) {
        if (s->net.is_touched[part]) {
            state[part] = put(&s->parts, bytes, network_save(&s->net, part, bytes));
        }
    }
    uint32_t number = put(&s->states, state, s->n_parts * sizeof *state);
    if (number == s->n_steps) {
        ARRAY_PUSH(s->steps, s->n_steps, s->max_steps) = (struct step){ before, e };
    }
    return number;
}

static void
put_back(struct search *s)
{
    for (uint32_t part = 0; part < s->n_parts; part++) {
        if (s->net.is_touched[part]) {
            uint32_t number = s->loaded[part];
            s->loaded[part] = UINT32_MAX;
            load(s, part, number);
            s->net.is_touched[part] = false;
        }
    }
}

/* Tries one event; returns false if the event is impossible. */
static bool
try_event(struct search *s, uint32_t state, struct event e, uint32_t *next)
{
    if (!network_do(&s->net, e)) {
        return false;
    }
    s->r.n_events++;
    s->r.n_expired += s->net.has_expired;
    *next = meet(s, state, e);
    put_back(s);
    s->net.has_expired = false;
    return true;
}

/* Tries all events in a state. */
static void
expand(struct search *s, uint32_t state, uint32_t *found_at)
{
    struct event e = { 0 };
    bool moves = false, all_send = true;

    for (uint32_t part = 0; part < s->n_parts; part++) {
        load(s, part, parts_of(s, state)[part]);
    }
    do {
        uint32_t next;
        bool happened = try_event(s, state, e, &next);
        moves |= happened && e.kind != INJECT;
        all_send &= happened || e.kind != INJECT;
        if (happened && s->net.has_dropped) {
            s->r.found = SEARCH_DROP;
            *found_at = next;
            return;
        }
    } while (network_next(&s->net, &e));
    uint32_t n_packets = network_n_packets(&s->net);
    if (!moves && (n_packets || !all_send)) {
        s->r.found = n_packets ? SEARCH_DEADLOCK : SEARCH_SHUT;
        *found_at = state;
    }
}

static void
note_schedule(struct search *s, uint32_t state)
{
    for (uint32_t at = state; at; at = s->steps[at].before) {
        s->r.n_schedule++;
    }
    s->r.schedule = array_new(s->r.n_schedule, sizeof *s->r.schedule);
    for (uint32_t at = state, i = s->r.n_schedule; at; at = s->steps[at].before) {
        memcpy(&s->r.schedule[--i], &s->steps[at].event, sizeof(struct event));
    }
}

static void
start_or_abort(struct network *net, const struct search_net *plan)
{
    struct weir_text why = { 0 };

    if (!network_start(net, plan, &why)) {
        fprintf(stderr, "search: %s\n", why.s);
        abort();
    }
}

struct search_result
search_run(const struct search_net *plan)
{
    struct search *s = array_new(1, sizeof *s);
    uint32_t found_at = 0;

    start_or_abort(&s->net, plan);
    s->n_parts = s->net.n_nodes + s->net.n_lanes;
    memset(s->net.is_touched, 1, s->n_parts);
    meet(s, 0, (struct event){ 0 });
    memcpy(s->loaded, parts_of(s, 0), s->n_parts * sizeof *s->loaded);
    memset(s->net.is_touched, 0, s->n_parts);
    for (uint32_t i = 0; i < s->states.n && !s->r.found; i++) {
        if (s->states.n > plan->max_states) {
            s->r.found = SEARCH_TOO_MANY;
        } else {
            expand(s, i, &found_at);
        }
    }
    note_schedule(s, found_at);
    struct search_result r = s->r;
    r.n_states = (uint32_t)s->states.n;
    r.n_parts = (uint32_t)s->parts.n;
    free_set(&s->parts);
    free_set(&s->states);
    free(s->steps);
    network_stop(&s->net);
    free(s);
    return r;
}

void
search_tell(const struct search_net *plan, const struct search_result *r, FILE *out)
{
    static const char *const found[] = { [SEARCH_NOTHING] = "no deadlock, no drop",
                                         [SEARCH_DEADLOCK] = "DEADLOCK",
                                         [SEARCH_DROP] = "DROP",
                                         [SEARCH_SHUT] = "SHUT",
                                         [SEARCH_TOO_MANY] = "gave up" };
    struct network *net = array_new(1, sizeof *net);

    fprintf(out, "%-52s %9u states %10llu events  %s\n", plan->name, r->n_states,
            (unsigned long long)r->n_events, found[r->found]);
    start_or_abort(net, plan);
    net->trace = out;
    for (uint32_t i = 0; i < r->n_schedule; i++) {
        struct event e;
        memcpy(&e, &r->schedule[i], sizeof e);
        fprintf(out, "  %2u  ", i + 1);
        network_do(net, e);
        fprintf(out, "\n");
    }
    network_stop(net);
    free(net);
}

void
search_free(struct search_result *r)
{
    free(r->schedule);
}
