/* The dependencies that failures add to the graph: for the search of pairs that close a cycle; for
 * what-if.c alone.
 *
 * Take the traffic to one leaf, and links that fail.  A switch that keeps one of its choices is as
 * far from the leaf as before, and has no new choice.  One that loses all is further off, so that
 * no switch with another choice sends there any more; a switch that has no other is lost, too, and
 * so on.  Unless hosts' own switches are lost so, all packets go on by old choices, and the traffic
 * depends on less than before.  Only otherwise can packets take new paths and close a cycle. So:
 *
 *   1. For each leaf, the links that are the only choice of some switch are failed one at a time.
 *      If that loses a switch with hosts, the routes to that leaf alone are searched anew: what is
 *      now depended on and was not is a new dependency of that link.
 *   2. The same for pairs: both choices of a switch, or a link and one that is an only choice after
 *      the first has failed.  These are gains of the pair.
 *   3. The graph without failures and the gains of a pair, of its first and of its second link
 *      together have all dependencies after both have failed, and maybe more.  If there is no cycle
 *      in it, the pair closes none: mostly there are no gains, and nothing to look for.
 *   4.  A cycle there is checked edge by edge: traffic to some leaf must still create each edge
 * with both links failed.  If not each edge is found so, the pair is tried as a whole.
 *
 * So the answer is what trying every pair as a whole would give.  It holds for routes by shortest
 * paths in one table each, without static routes, changes, pipelines or classes by hops. */

#ifndef TOPO_FAILURE_DEPS_H
#define TOPO_FAILURE_DEPS_H

#include "topo/depend-graph.h"

struct new_dep {     /* A dependency. */
    size_t trial;    /* The number of the pair, or of the link that fails alone. */
    uint32_t v, out; /* Buffer: slot + class * n_slots; hop. */
    uint32_t part;   /* The part whose traffic creates it. */
};

struct new_dep_list {
    struct new_dep *items;
    size_t n, max;
};

/* The state of a thread: a graph of its own, whose links it fails and repairs. */
struct failure_deps {
    struct depend *d;
    struct arena memory;
    struct depend_part *parts;
    size_t n_parts, max_parts;
    const uint32_t *links; /* Links that may fail; they are known by their place here. */
    uint32_t n_links;
    uint32_t *hop_of;  /* [link]: one of its two hops. */
    uint32_t *link_of; /* [hop] */
    uint32_t *maker;   /* [place of the edge]: a part that makes it without failures. */
    bool is_cyclic;    /* Without failures. */
    uint32_t *order;   /* [buffer]: if not, every edge leads to a lower number. */

    /* The present part, without failures: */
    uint64_t *choices, *ins; /* sets of hops of each switch, to leave and to come in by; */
    uint32_t *reached, n_reached;
    uint32_t *only,
        *pairs;    /* links that are the only choice of some switch, and both of its two; */
    bool *is_only; /* [link]. */

    /* And with some: */
    uint32_t *n_left;       /* [switch]: choices that it has left, */
    bool *is_lost;          /* none of them: no switch with another choice sends there; */
    uint32_t *lost, n_lost; /* those, */
    uint32_t *log, n_log;   /* and switches that lost a choice, to be restored; */
    uint32_t *then_only;    /* links that are an only choice then. */

    struct new_dep_list alone, paired; /* The dependencies found. */

    struct new_dep *more; /* New dependencies of the present trial, sorted by buffer. */
    size_t n_more;
    uint32_t *first_more; /* [buffer]: from 1 on; 0: none. */
    uint8_t *state;       /* [buffer]: for a search for cycles; */
    uint32_t *done_at;    /* the order in which it finished them. */
    uint32_t n_done;
    struct new_dep_frame {
        uint32_t v, pos;
    } * frames;
    uint32_t *cycle, n_cycle; /* Buffers, each of which leads to the next. */
};

bool failure_deps_apply(const struct topo *, const struct depend_traffic *);

/* Whether no failure can close a cycle: packets go up, then down and never up again, wherever links
 * are down (doc/decisions/0007). */
bool failure_deps_never(const struct topo *, const struct depend_traffic *);

void failure_deps_open(struct failure_deps *, const struct topo *, const struct depend_traffic *,
                       const uint32_t *links, uint32_t n_links);
void failure_deps_close(struct failure_deps *);

/* All new dependencies from a part of the traffic: of links alone, and of pairs if requested. */
void failure_deps_find(struct failure_deps *, uint32_t part, bool of_pairs);

/* The number of the pair of two links, the second behind the first. */
static inline size_t
failure_deps_pair(size_t first, size_t second)
{
    return second * (second - 1) / 2 + first;
}

/* Whether the failure of these links closes, or leaves, a cycle, with all new dependencies of it at
 * hand in 'more', sorted by buffer; some may be there twice. */
enum failure_deps_answer { FAILURE_DEPS_NO, FAILURE_DEPS_YES, FAILURE_DEPS_UNSURE };
enum failure_deps_answer failure_deps_ask(struct failure_deps *, const uint32_t *failed,
                                          uint32_t n_failed);

#endif
