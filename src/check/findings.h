/* Findings of a check: the state that the files of src/check share.
 *
 *     check-run.c           runs the parts of a check
 *     find-cycles.c         finds cycles on the routes, and failures of links that close one
 *     engine-classes.c      checks networks whose engine moves packets between classes
 *     other-routing.c       checks whether the result depends on the routing
 *     check-text.c          writes the findings as text
 *     check-json.c          writes the findings as JSON
 *     imported-nodes.c      writes which nodes of another tool's file are switches or hosts
 *     first-cycle.c         chooses the cycle that becomes a scenario
 *     deadlock-scenario.c   writes a scenario whose flows fill a cycle
 *     draw.c                draws the network and its cycles */

#ifndef CHECK_FINDINGS_H
#define CHECK_FINDINGS_H

#include "base/json.h"
#include "bind/traffic.h"
#include "check/check.h"
#include "check/deadlock-scenario.h"
#include "run/warnings.h"
#include "topo/port-names.h"

/* The result under the other kind of routing, if it was tried. */
struct check_other {
    bool is_known, is_cyclic;
    size_t n_failures[2]; /* The failures that close a cycle: of one link and of two. */
    bool decides;         /* The two routing kinds disagree: one has a cycle, the other has none. */
};

/* The findings. */
struct check_findings {
    const struct scenario *s;
    const struct check_request *o;
    struct bind_traffic bound;
    struct depend_traffic traffic; /* The traffic with the classes of the request. */
    struct depend *graph;
    struct depend_cycles cycles;
    struct topo_loops loops;
    struct depend_failures failures[2]; /* Failures of one link, and of two. */
    struct weir_text warnings[WARNINGS_CONFIG_MAX];
    size_t n_warnings;
    struct deadlock_scenario_result written; /* Valid if n_flows is not 0. */
    struct check_other other;
};

void check_find_cycles(struct check_findings *);
void check_try_failures(struct check_findings *);
void check_free(struct check_findings *);

static inline const char *
check_name(const struct check_findings *f, uint32_t node)
{
    return f->s->topo.nodes[node].name;
}

/* The name of the flow that causes an edge, or null; and whether its ACKs or CNPs cause it. */
const char *check_flow_name(const struct check_findings *, const struct depend_edge *,
                            char room[SCN_NAME_BYTES]);
bool check_is_answer(const struct check_findings *, const struct depend_edge *);

/* The number of links between switches, and of switches whose inputs wait for certain outputs. */
uint32_t check_count_links(const struct topo *, bool failed);
size_t check_count_waits(const struct check_findings *, enum depend_wait);

void check_write_text(const struct check_findings *);
void check_write_loops(const struct check_findings *);
void check_write_json(const struct check_findings *);

/* Writes imported nodes, loops and warnings, which every check has. */
void check_json_common(struct json *, const struct check_findings *);

/* Write the nodes of a network that was imported from another tool; for other networks nothing, or
 * null in JSON. */
void check_write_imported(FILE *, const struct scenario *);
void check_json_imported(struct json *, const struct scenario *);

/* Reads the scenario again with one more setting.  Returns an exit code. */
int check_read_again(const struct check_findings *, const char *set, struct scenario *,
                     struct err *);

void check_try_other_routing(struct check_findings *);
void check_write_routing(const struct check_findings *);
void check_json_routing(struct json *, const struct check_findings *);

/* Writes the scenario of --scenario, if there is a cycle.  Returns an exit code. */
int check_write_scenario(struct check_findings *, struct err *);

/* Whether an engine of the scenario moves packets between classes, and the check for such
 * engines. */
bool check_engine_classes_apply(const struct scenario *);
int check_engine_classes(const struct check_findings *, struct err *);

#endif
