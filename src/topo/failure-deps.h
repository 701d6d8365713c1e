/* The dependencies that failures add to the graph, for the search for pairs of links that close a
 * cycle.  Only what-if.c uses this interface.
 *
 * Consider the traffic to one leaf, and links that fail.  A switch that keeps at least one of its
 * choices is as far from the leaf as before, and has no new choice.  A switch that loses all
 * choices is further away, so switches with another choice no longer send there.  A switch without
 * another choice loses its choices, too, and so on.  Unless switches with hosts lose all choices,
 * all packets keep to old choices, and the traffic has fewer dependencies than before.  Only in the
 * other case can packets take new paths and close a cycle.  So:
 *
 *   1. For each leaf, fail the links that are the only choice of some switch, one at a time.  If a
 *      switch with hosts then loses its last choice, search new routes to this leaf.  Dependencies
 *      that did not exist before are new dependencies of the link.
 *   2. Do the same for pairs of links: both choices of a switch, or a link and an only choice after
 *      the first link has failed.  This gives the new dependencies of the pair.
 *   3. Take the graph without failures, and the new dependencies of the pair and of each of its
 *      links.  Together they have all dependencies after both links have failed, and maybe more.
 *      If this graph has no cycle, the pair closes none.  Most pairs have no new dependencies.
 *   4. Check a cycle of this graph edge by edge: with both links failed, traffic to some leaf must
 *      still make each edge.  If this fails for an edge, try the pair as a whole.
 *
 * A link of a host with several ports adds dependencies, too.  Packets to this host take new paths.
 * And the host may send to a switch through which no packet to some leaf passed before.  For these
 * links and leaves, and for them only, failure-hosts.c searches again, and repeats step 1 with the
 * link down, which gives the new dependencies of its pairs.
 *
 * So the result is the same as if every pair were tried as a whole.  This holds for routes by
 * shortest paths, without static routes, changes, pipelines or classes by hops. */

#ifndef TOPO_FAILURE_DEPS_H
#define TOPO_FAILURE_DEPS_H

#include "topo/depend-graph.h"

struct new_dep {     /* A new dependency. */
    size_t trial;    /* The number of the pair, or of the link that fails alone. */
    uint32_t v, out; /* The buffer that waits, slot + class * n_slots, and the hop for which it
                      * waits. */
    uint32_t part;   /* The part whose traffic creates it. */
};

struct new_dep_list {
    struct new_dep *items;
    size_t n, max;
};

/* The state of a thread, with its own graph, whose links it fails and repairs. */
struct failure_deps {
    struct depend *d;
    struct arena memory;
    struct depend_part *parts;
    size_t n_parts, max_parts;
    const uint32_t *links; /* The links that may fail, identified by their index here. */
    uint32_t n_links;
    uint32_t *number;      /* [link of the network]: its index; TOPO_NONE: it does not fail. */
    uint32_t *hop_of;      /* [link]: one of its two hops; TOPO_NONE: the link of a host. */
    uint32_t *nic_of;      /* [link]: its host with several ports, or TOPO_NONE. */
    uint32_t n_host_links; /* The number of links of hosts with several ports. */
    uint32_t *link_of;     /* [hop] */
    uint32_t *maker;       /* [index of the edge]: a part that makes it without failures. */
    bool is_cyclic;        /* The graph without failures has a cycle. */
    uint32_t *order;       /* [buffer]: if not cyclic, an order in which every edge leads to a lower
                            * number. */

    /* The part of the traffic that is being tried, without failures. */
    uint64_t *choices, *ins; /* [switch]: the sets of hops over which packets leave and arrive. */
    bool *from_hosts;        /* [switch]: its hosts send this traffic. */
    uint32_t *reached, n_reached;
    uint32_t *only, *pairs; /* The links that are the only choice of some switch, and the pairs of
                             * links that are the only two choices of some switch. */
    bool *is_only;          /* [link]. */

    /* The same part while some links are down. */
    uint32_t *n_left;       /* [switch]: the number of choices left. */
    bool *is_lost;          /* [switch]: no choice is left, so that switches with another choice do
                             * not send there. */
    uint32_t *lost, n_lost; /* The switches without a choice left. */
    uint32_t *log, n_log;   /* The switches that lost a choice, which must be restored. */
    uint32_t *then_only;    /* The links that are an only choice after the first link has failed. */

    struct new_dep_list alone, paired; /* The new dependencies of single links and of pairs. */

    struct new_dep *more; /* New dependencies of the present trial, sorted by buffer. */
    size_t n_more;
    uint32_t *first_more; /* [buffer]: index of its first new dependency, counted from 1; 0:
                           * none. */
    uint8_t *state;       /* [buffer]: the state of a search for cycles. */
    uint32_t *done_at;    /* [buffer]: the order in which the search finished the buffers. */
    uint32_t n_done;
    struct new_dep_frame {
        uint32_t v, pos;
    } * frames;
    uint32_t *cycle, n_cycle; /* The cycle: buffers, each of which leads to the next. */
};

bool failure_deps_apply(const struct topo *, const struct depend_traffic *);

/* Whether no failure can close a cycle, because packets go up and then down, never up again,
 * whichever links are down (doc/decisions/0007). */
bool failure_deps_never(const struct topo *, const struct depend_traffic *);

void failure_deps_open(struct failure_deps *, const struct topo *, const struct depend_traffic *,
                       const uint32_t *links, uint32_t n_links);
void failure_deps_close(struct failure_deps *);

/* Finds all new dependencies of a part of the traffic: those of single links, and of pairs if
 * requested. */
void failure_deps_find(struct failure_deps *, uint32_t part, bool of_pairs);

/* The number of a pair of links; 'second' must be greater than 'first'. */
static inline size_t
failure_deps_pair(size_t first, size_t second)
{
    return second * (second - 1) / 2 + first;
}

/* These functions are shared with failure-hosts.c.  failure_deps_set_down() lets a link go down or
 * come up.  failure_deps_keep_flood() floods a part with the links that are down now, and keeps its
 * sets.  The next two functions search the routes of a part again, and add new dependencies to a
 * list.  failure_deps_try_only() tries each link that is an only choice, while link 'first' is
 * down. */
void failure_deps_set_down(struct failure_deps *, uint32_t link, bool is_down);
void failure_deps_keep_flood(struct failure_deps *, uint32_t part);
void failure_deps_search_again(struct failure_deps *, uint32_t part, size_t trial,
                               struct new_dep_list *);
void failure_deps_search_pair(struct failure_deps *, uint32_t part, uint32_t a, uint32_t b);
void failure_deps_try_only(struct failure_deps *, uint32_t part, uint32_t first);

/* failure-hosts.c.  Finds the new dependencies of a part that links of hosts add, alone and in
 * pairs if requested.  The second function does so in addition to a link that is down, after a
 * search. */
void failure_hosts_find(struct failure_deps *, uint32_t part, bool of_pairs);
void failure_hosts_try_after(struct failure_deps *, uint32_t part, uint32_t first);

/* Returns whether a cycle exists after these links fail.  'more' has all new dependencies of the
 * failure, sorted by buffer; it may have duplicates. */
enum failure_deps_answer { FAILURE_DEPS_NO, FAILURE_DEPS_YES, FAILURE_DEPS_UNSURE };
enum failure_deps_answer failure_deps_ask(struct failure_deps *, const uint32_t *failed,
                                          uint32_t n_failed);

#endif
