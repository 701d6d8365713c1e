/* `weir check`: what its files share.
 *
 *     check.c            options, and what is done with them
 *     check-find.c       rings on the routes, and failures of links that close one
 *     check-show.c       what was found, for people
 *     check-json.c       the same for programs
 *     check-taken.c      what the nodes of another tool's file were taken for
 *     check-routing.c    whether the answer depends on the routing
 *     check-ring.c       which ring becomes a scenario
 *     check-scenario.c   a scenario whose flows fill a ring
 *     check-class-changes.c      where an engine moves packets from class to class */

#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "base/json.h"
#include "bind/traffic.h"
#include "cli/check-scenario.h"
#include "run/warnings.h"

struct check_options {
    struct verb_operands file;
    struct verb_words sets;
    const char *dot, *svg, *scenario, *hosts, *switches;
    uint64_t n_fail, n_threads, n_hop_classes;
    bool flows, json, force;
};

/* The answer under the other kind of routing, if it was tried. */
struct check_other {
    bool is_known, is_cyclic;
    size_t n_failures[2]; /* That close a ring, of one link and of two. */
    bool decides;         /* There is a ring under one kind, and none under the other. */
};

/* What was found. */
struct check_findings {
    const struct scenario *s;
    const struct check_options *o;
    struct bind_traffic bound;
    struct depend_traffic traffic; /* The same, with classes as they are asked for. */
    struct depend *graph;
    struct depend_cycles cycles;
    struct topo_loops loops;
    struct depend_failures failures[2]; /* Of one link, of two. */
    struct weir_text warnings[WARNINGS_CONFIG_MAX];
    size_t n_warnings;
    struct check_scenario_result written; /* If n_flows is not 0. */
    struct check_other other;
};

/* check-find.c */
void check_find_rings(struct check_findings *);
void check_try_failures(struct check_findings *);
void check_free(struct check_findings *);

static inline const char *
check_name(const struct check_findings *f, uint32_t node)
{
    return f->s->topo.nodes[node].name;
}

/* The node that has a port, and the one at the other end of its link. */
static inline const char *
check_name_at(const struct check_findings *f, uint32_t port)
{
    return check_name(f, f->s->topo.ports[port].node);
}

static inline const char *
check_name_beyond(const struct check_findings *f, uint32_t port)
{
    return check_name_at(f, f->s->topo.ports[port].peer);
}

/* What makes an edge, if it is a flow: its name in the scenario, or null; and whether it is what
 * its receiver sends back. */
const char *check_flow_name(const struct check_findings *, const struct depend_edge *,
                            char room[SCN_NAME_BYTES]);
bool check_is_answer(const struct check_findings *, const struct depend_edge *);

/* Links between switches; switches whose inputs wait for these outputs. */
uint32_t check_count_links(const struct topo *, bool failed);
size_t check_count_waits(const struct check_findings *, enum depend_wait);

/* check-show.c, check-json.c */
void check_show(const struct check_findings *);
void check_show_loops(const void *findings);
void check_show_json(const struct check_findings *);
void check_json_more(struct json *, const void *findings);

/* check-taken.c: of a network that was read from another tool's file; else nothing, and null. */
void check_show_taken(const struct scenario *);
void check_json_taken(struct json *, const struct scenario *);

/* check-routing.c */
void check_try_other_routing(struct check_findings *);
void check_show_routing(const struct check_findings *);
void check_json_routing(struct json *, const struct check_findings *);

/* check-ring.c: writes the scenario, if one was asked for and there is a ring.  Returns an exit
 * code; what is wrong has been told to the user. */
int check_write_ring(struct check_findings *);

#endif
