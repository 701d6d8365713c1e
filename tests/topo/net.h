/* Networks for tests, by a builder or by hand, and nodes by name. */

#ifndef TESTS_TOPO_NET_H
#define TESTS_TOPO_NET_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/depend.h"
#include "weir/engine.h"

static const struct depend_traffic all_pairs = { .all_pairs = true, .n_classes = 1, .lossless = 1 };

static inline void
finish(struct topo *t)
{
    struct err err;

    if (!topo_finish(t, &err)) {
        fail_msg("%s", err.text);
    }
    topo_route(t);
}

static inline struct topo
built(topo_builder *build, struct topo_build b)
{
    struct topo t = { 0 };

    b.link = (struct topo_link){ .rate_bps = 10000000000, .delay_ps = 1000000 };
    build(&t, &b);
    finish(&t);
    return t;
}

static inline uint32_t
named(const struct topo *t, const char *name)
{
    uint32_t node = topo_find_node(t, name);

    if (node == TOPO_NONE) {
        fail_msg("no node %s", name);
    }
    return node;
}

static inline uint32_t
port_named(const struct topo *t, const char *from, const char *to)
{
    uint32_t port = topo_port_to(t, named(t, from), named(t, to));

    if (port == TOPO_NONE) {
        fail_msg("no link from %s to %s", from, to);
    }
    return port;
}

static inline uint32_t
link_named(const struct topo *t, const char *a, const char *b)
{
    return t->ports[port_named(t, a, b)].link;
}

/* Whether packets that cross from a to b may continue to c. */
static inline bool
depends(const struct depend *d, const struct topo *t, const char *a, const char *b, const char *c)
{
    return depend_has_edge(d, port_named(t, b, a), port_named(t, b, c), 0, 0);
}

static inline bool
is_cyclic(const struct topo *t, const struct depend_traffic *traffic)
{
    struct depend *d = depend_new(t, traffic);
    bool cyclic = depend_is_cyclic(d);

    depend_free(d);
    return cyclic;
}

/* The length of the shortest cycle; 0 without a cycle. */
static inline uint32_t
shortest_cycle(const struct topo *t, const struct depend_traffic *traffic)
{
    struct depend *d = depend_new(t, traffic);
    struct depend_cycles c;

    depend_find_cycles(d, 1, &c);
    uint32_t n = c.n ? c.cycles[0].n : 0;
    assert_int_equal(n != 0, depend_is_cyclic(d));
    depend_free_cycles(&c);
    depend_free(d);
    return n;
}

#endif
