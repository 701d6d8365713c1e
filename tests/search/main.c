/* Engines that deadlock in some schedule, and engines that deadlock in none. doc/correctness.md has
 * the result.
 *
 *     search           searches the networks of every test run, in some seconds
 *     search --long    searches more networks, which takes minutes and gigabytes */

#include <string.h>
#include <time.h>

#include "search.h"

struct search_case {
    struct search_net net;
    enum search_found expected;
    uint32_t n_schedule; /* Number of events of the shortest path to the deadlock. */
    bool expires;        /* In some schedule a packet has no class left. */
    bool is_large;       /* The search takes too long with sanitizers. */
};

#if defined(__SANITIZE_ADDRESS__)
enum { TAKES_LARGE = false };
#else
enum { TAKES_LARGE = true };
#endif

/* Three switches in a ring, as in GFC's Fig. 9. The path of each flow visits all of them. */
#define RING                                                                                       \
    .n_switches = 3, .n_flows = 3,                                                                 \
    .flows = {                                                                                     \
        { .path = { 0, 1, 2 }, .n = 3 },                                                           \
        { .path = { 1, 2, 0 }, .n = 3 },                                                           \
        { .path = { 2, 0, 1 }, .n = 3 },                                                           \
    }

#define RING_OF_FOUR                                                                               \
    .n_switches = 4, .n_flows = 4,                                                                 \
    .flows = {                                                                                     \
        { .path = { 0, 1, 2 }, .n = 3 },                                                           \
        { .path = { 1, 2, 3 }, .n = 3 },                                                           \
        { .path = { 2, 3, 0 }, .n = 3 },                                                           \
        { .path = { 3, 0, 1 }, .n = 3 },                                                           \
    }

/* The smallest cycle: each flow goes to the other switch, and back to a host at its first switch.
 */
#define PAIR                                                                                       \
    .n_switches = 2, .n_flows = 2,                                                                 \
    .flows = {                                                                                     \
        { .path = { 0, 1, 0 }, .n = 3 },                                                           \
        { .path = { 1, 0, 1 }, .n = 3 },                                                           \
    }

/* PAIR with two flows that end at the other switch: packets that may leave wait behind packets that
 * may not. */
#define BUSY_PAIR                                                                                  \
    .n_switches = 2, .n_flows = 4,                                                                 \
    .flows = {                                                                                     \
        { .path = { 0, 1, 0 }, .n = 3 },                                                           \
        { .path = { 1, 0, 1 }, .n = 3 },                                                           \
        { .path = { 0, 1 }, .n = 2 },                                                              \
        { .path = { 1, 0 }, .n = 2 },                                                              \
    }

#define BUSY_RING                                                                                  \
    .n_switches = 3, .n_flows = 6,                                                                 \
    .flows = {                                                                                     \
        { .path = { 0, 1, 2 }, .n = 3 }, { .path = { 1, 2, 0 }, .n = 3 },                          \
        { .path = { 2, 0, 1 }, .n = 3 }, { .path = { 0, 1 }, .n = 2 },                             \
        { .path = { 1, 2 }, .n = 2 },    { .path = { 2, 0 }, .n = 2 },                             \
    }

/* Two leaves and two spines. Each flow goes to the other leaf, and from there through the other
 * spine back to its own leaf. */
#define DETOUR                                                                                     \
    .n_switches = 4, .tiers = { 1, 2, 1, 2 }, .n_flows = 2,                                        \
    .flows = {                                                                                     \
        { .path = { 0, 1, 2, 3, 0 }, .n = 5 },                                                     \
        { .path = { 2, 3, 0, 1, 2 }, .n = 5 },                                                     \
    }

/* A flow whose routes form a loop, and another flow. */
#define LOOP                                                                                       \
    .n_switches = 3, .n_flows = 2,                                                                 \
    .flows = {                                                                                     \
        { .path = { 0, 1, 2 }, .n = 3, .is_loop = true },                                          \
        { .path = { 1, 2 }, .n = 2 },                                                              \
    }

#define PFC    .engine = "pfc", .n_classes = 1, .max_states = 30000000
#define TTL(N) .engine = "ttl", .n_classes = (N), .max_states = 30000000

/* XOFF is the threshold in packets. Links hold FLYING packets. LATE packets start on a link before
 * a pause takes effect, and need room above XOFF; TOO_SMALL has room for one packet less. */
#define LINKS(XOFF, FLYING, LATE)                                                                  \
    .xoff = (XOFF), .n_flying = (FLYING), .n_late = (LATE), .room = (XOFF) + (LATE)
#define TOO_SMALL(XOFF, FLYING, LATE)                                                              \
    .xoff = (XOFF), .n_flying = (FLYING), .n_late = (LATE), .room = (XOFF) + (LATE)-1
#define EQ_16(PARTITION, SHARED, FLYING)                                                           \
    .partition = (PARTITION), .shared = (SHARED), .n_flying = (FLYING), .room = 1
#define HEAD          .scheduler = SEARCH_HEAD
#define CLASSES(NAME) .params = { "classes", NAME }

static const struct search_case quick[] = {
    { .net = { .name = "pfc, ring, at once", PFC, RING, LINKS(1, 0, 0) },
      .expected = SEARCH_DEADLOCK,
      .n_schedule = 6 },
    { .net = { .name = "pfc, ring", PFC, RING, LINKS(1, 1, 1) },
      .expected = SEARCH_DEADLOCK,
      .n_schedule = 12 },
    { .net = { .name = "pfc, ring of four", PFC, RING_OF_FOUR, LINKS(1, 1, 0) },
      .expected = SEARCH_DEADLOCK,
      .n_schedule = 12 },
    { .net = { .name = "pfc, pair", PFC, PAIR, LINKS(2, 1, 1) },
      .expected = SEARCH_DEADLOCK,
      .n_schedule = 14 },
    { .net = { .name = "pfc, pair, a packet too little room", PFC, PAIR, TOO_SMALL(1, 1, 1) },
      .expected = SEARCH_DROP,
      .n_schedule = 6 },
    { .net = { .name = "pfc, busy pair, one queue an input", PFC, BUSY_PAIR, LINKS(2, 1, 1), HEAD },
      .expected = SEARCH_DEADLOCK,
      .n_schedule = 14 },
    { .net = { .name = "pfc, detour", PFC, DETOUR, LINKS(1, 1, 0) },
      .expected = SEARCH_DEADLOCK,
      .n_schedule = 16 },
    { .net = { .name = "pfc, loop", PFC, LOOP, LINKS(1, 1, 0) },
      .expected = SEARCH_DEADLOCK,
      .n_schedule = 15 },

    { .net = { .name = "ttl, ring", TTL(4), RING, LINKS(1, 1, 0) } },
    { .net = { .name = "ttl, ring, threshold 2", TTL(4), RING, LINKS(2, 0, 0) } },
    { .net = { .name = "ttl, ring of four", TTL(4), RING_OF_FOUR, LINKS(1, 1, 0) } },
    { .net = { .name = "ttl, pair", TTL(4), PAIR, LINKS(1, 1, 1) }, .is_large = true },
    { .net = { .name = "ttl, pair, a packet too little room", TTL(4), PAIR, TOO_SMALL(1, 1, 1) },
      .expected = SEARCH_DROP,
      .n_schedule = 6 },
    { .net = { .name = "ttl, pair, Eq. 16", TTL(4), PAIR, EQ_16(3, 3, 1) } },
    { .net = { .name = "ttl, busy pair", TTL(4), BUSY_PAIR, LINKS(2, 1, 0) }, .is_large = true },
    { .net = { .name = "ttl, busy pair, one queue an input",
               TTL(4),
               BUSY_PAIR,
               LINKS(2, 1, 0),
               HEAD } },
    { .net = { .name = "ttl, detour", TTL(6), DETOUR, LINKS(1, 1, 0) } },
    { .net = { .name = "ttl, detour, half the classes",
               TTL(3),
               DETOUR,
               LINKS(1, 1, 0),
               CLASSES("halved") } },
    { .net = { .name = "ttl, detour, a quarter of them",
               TTL(2),
               DETOUR,
               LINKS(1, 1, 0),
               CLASSES("quartered") },
      .expires = true },
    { .net = { .name = "ttl, loop", TTL(4), LOOP, LINKS(1, 1, 1) }, .expires = true },
};

static const struct search_case longer[] = {
    { .net = { .name = "ttl, pair, threshold 2", TTL(4), PAIR, LINKS(2, 1, 1) } },
    { .net = { .name = "ttl, busy ring, threshold 2", TTL(4), BUSY_RING, LINKS(2, 0, 0) } },
    { .net = { .name = "ttl, ring, Eq. 16", TTL(4), RING, EQ_16(3, 2, 1) } },
    { .net = { .name = "ttl, ring, late frames", TTL(4), RING, LINKS(1, 0, 1) } },
};

static bool
is_as_expected(const struct search_case *c)
{
    clock_t start = clock();
    struct search_result r = search_run(&c->net);
    bool good =
        r.found == c->expected && r.n_schedule == c->n_schedule && (r.n_expired > 0) == c->expires;

    search_tell(&c->net, &r, stdout);
    printf("  %.1f s%s\n", (double)(clock() - start) / CLOCKS_PER_SEC,
           good ? "" : "; that was NOT expected");
    fflush(stdout);
    search_free(&r);
    return good;
}

int
main(int argc, char **argv)
{
    bool is_long = argc > 1 && !strcmp(argv[1], "--long");
    const struct search_case *cases = is_long ? longer : quick;
    size_t n = is_long ? sizeof longer / sizeof *longer : sizeof quick / sizeof *quick;
    unsigned n_failed = 0;

    for (size_t i = 0; i < n; i++) {
        bool is_taken = TAKES_LARGE || !cases[i].is_large;
        n_failed += is_taken && !is_as_expected(&cases[i]);
    }
    printf("%zu searches, %u not as expected\n", n, n_failed);
    return n_failed > 0;
}
