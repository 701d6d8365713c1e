/* A scenario: everything that determines a result, read from a file, complete and checked.
 *
 *     # GFC, Fig. 9 and 10
 *     topology: {kind: ring, switches: 3, rate: 10Gbps, delay: 1us}
 *     switch:   {buffer: 1MB, arbitration: fifo, response: 85.6us}
 *     engine:   gfc-buffer
 *     engines:  {gfc-buffer: {bm: 1000KB, b1: 750KB}, pfc: {xoff: 800KB}}
 *     flows:
 *       - {from: H1, to: H3, via: [S1, S2, S3]}
 *     run:      {time: 100ms}
 *
 *     struct scenario s;
 *     if (!scn_read(&s, &source, &files, sets, n_sets, &err)) ...     file, line, column, a caret
 *     scn_each_value(&s, show, NULL);                          every value, and where it came from
 *     scn_free(&s);
 *
 * Defaults are filled in here, once, from tables that also say each key's unit, range and meaning;
 * nothing downstream has a default.  A scenario may name other files: the one that it starts from
 * (base: ring.yaml), or one with its network (topology: {kind: file, file: net.yaml}).  They are
 * read by a function of the caller's. */

#ifndef SCENARIO_H
#define SCENARIO_H

#include "base/err.h"
#include "scenario/hpcc-knobs.h"
#include "scenario/tree.h"
#include "topo/topology.h"
#include "transport/transport.h"
#include "weir/node.h"
#include "workload/pattern.h"

struct scn_topology {
    uint64_t kind; /* An index of scn_topologies. */
    uint64_t rate_bps, delay_ps, loss;
    uint64_t parallel; /* Links between two switches that a builder links. */
    uint64_t params[TOPO_PARAMS_MAX / sizeof(uint64_t)]; /* Parameters of the kind. */
};

/* Failures of random links, before the run. */
struct scn_failures {
    uint64_t probability, seed;
    uint64_t of; /* enum topo_links. */
};

enum scn_routing_kind { SCN_SHORTEST, SCN_UP_DOWN };

enum { SCN_MAX_PARAMS = 16 }; /* The maximum number of parameters of each part of a switch. */

struct scn_routing {
    uint64_t paths; /* An index of sim_path_choices. */
    uint64_t path_params[SCN_MAX_PARAMS];
    uint64_t kind; /* enum scn_routing_kind; roots and static routes are the topology's. */
    uint64_t reroute_ps;
    uint64_t dead;      /* enum model_dead: the fate of packets at a port whose link is down. */
    uint64_t hop_limit; /* 0: none. */
};

enum scn_watchdog { SCN_NO_WATCHDOG, SCN_DROP, SCN_FORWARD, SCN_ALERT };

struct scn_switch {
    uint64_t kind, arbitration, buffer_bytes, partition_bytes, shared_bytes, limit_bytes, alpha;
    uint64_t headroom_bytes;
    uint64_t response_ps;
    uint64_t kind_params[SCN_MAX_PARAMS], arbitration_params[SCN_MAX_PARAMS];
    uint64_t scheduling_params[SCN_MAX_PARAMS];
    uint64_t scheduling;                /* The number in sim_schedulings. */
    uint64_t weights[WEIR_MAX_CLASSES]; /* For dwrr, indexed by class; 0: strict priority over the
                                           others. */
    uint64_t watchdog;                  /* enum scn_watchdog. */
    uint64_t detection_ps, restoration_ps;
    size_t first_speed, n_speeds; /* The entries in the scenario's 'speeds', slow ones first. */
};

/* The values of ports with at least a certain rate, for switches that give more to faster ports. */
struct scn_speed {
    uint64_t rate_bps, buffer_bytes, limit_bytes, alpha, headroom_bytes;
};

#define SCN_ANY_TIER UINT64_MAX

struct scn_wire {
    uint64_t mtu_bytes, gap_bytes, classes, lossless;
};

enum { SCN_MAX_EACH = 32 }; /* The maximum number of plug-ins with a section of their own. */

enum scn_turn { SCN_TURN_LAST, SCN_TURN_NEXT };

struct scn_transport {
    uint64_t
        kind; /* An index of the registry 'transports', for flows that do not set a transport. */
    uint64_t recovery; /* An index of the registry 'recoveries'; WEIR_AUTO: the recovery of the
                          flow's transport. */
    uint64_t ack_pkts; /* Number of packets that an ACK acknowledges. */
    uint64_t turn;     /* enum scn_turn: position of a new flow. */
    uint64_t timeout_ps;
    uint64_t answers; /* The class of ACKs, NACKs and CNPs; WEIR_AUTO: the class of their flow. */
    uint64_t answer_bytes;
    uint64_t cnp_delay_ps;
};

/* Flows start during 'time', and are measured if they start after the warm-up.  The run continues
 * until all measured flows have ended, at most for the run-out. */
struct scn_run {
    uint64_t time_ps, warm_up_ps, run_out_ps, seed;
};

/* Networks with more ports are sampled only on request if a run has more samples of a port than
 * SCN_MAX_AUTO_SAMPLES over all ports (doc/decisions/0098-sampled-ports.md). */
enum { SCN_MAX_AUTO_PORTS = 256, SCN_MAX_AUTO_SAMPLES = 4096 * 1024 };

/* The parts of a run that are sampled and kept. */
struct scn_record {
    uint64_t every_ps;
    uint64_t flows, events, gates; /* 0 or 1. */
    uint64_t outputs;              /* 0 or 1; WEIR_AUTO: 1 if output queues affect decisions. */
    uint64_t why;                  /* 0 or 1: wait accounting, by flow, port and cause. */
    uint64_t senders; /* 0 or 1; WEIR_AUTO: 1 if it is useful (run/recorder-samples.c). */
    uint64_t held;    /* 0 or 1; WEIR_AUTO: 1 if there are few flows and an engine limits them. */
    uint32_t *ports;  /* The sampled ports, in the order of the topology. */
    size_t n_ports;
    bool lacks_ports; /* No ports are sampled, as there are too many and the user did not request
                         them. */
};

enum scn_expect { SCN_EXPECT_DEADLOCK = 1, SCN_EXPECT_DROPS = 2, SCN_EXPECT_COLLAPSE = 4 };

/* The place of a value: a source's number in 'sources', and its line; 0: it has no lines. */
struct scn_place {
    uint32_t source, line;
};

/* A run may have millions of flows, so the struct is small, and only flows named in the scenario
 * have a name. */
struct scn_flow {
    char *name; /* Null: see scn_flow_name(). */
    uint32_t from, to;
    uint64_t bytes, rate_bps, start_ps, cls;
    uint64_t header_bytes; /* The part of 'bytes' that the flow's file does not count. */
    uint64_t stop_ps;      /* UINT64_MAX: it does not. */
    uint64_t transport;    /* An index of the registry 'transports'. */
    uint64_t dport;        /* UINT64_MAX: none was given. */
    uint16_t *path;
    uint32_t n_path;
    uint8_t from_port; /* With a path: the port by which 'from' sends. */
    /* The number of the flow that it waits for, or UINT32_MAX: none.  A flow of the same sender
     * must have been sent, and acknowledged if its transport uses acknowledgements.  A flow to this
     * sender must have been received.  'start_ps' counts from then on. */
    uint32_t after;
    uint32_t group; /* 0: the scenario lists the flow; else 1 + the number of the workload that
                       draws it. */
    struct scn_place place;
};

/* Options for reading flows from a file. */
struct scn_flow_files {
    uint64_t skip_ps;
    uint64_t header_bytes; /* The header of each packet. */
};

/* Lines at the end of a foreign file that are ignored, as its first line announces fewer. */
struct scn_ignored {
    struct scn_place place; /* The first of them. */
    size_t n_lines;
};

/* A knob of HPCC's simulator, and its use in the run. */
struct scn_knob_taken {
    const struct scn_knob *knob;
    char *value;   /* As in the config. */
    bool is_given; /* Set in the config; else it is the simulator's default. */
    enum scn_knob_use use;
    struct scn_place place;
};

/* A network that was read from a file of another tool. */
struct scn_imported {
    const char *format;  /* Such as "containerlab"; null: the network was not imported. */
    uint32_t n_left_out; /* The number of nodes without a link. */
    uint32_t
        n_split; /* The number of hosts with several links; each of their links became a host. */
};

/* An item of the list of links. */
struct scn_link_item {
    struct topo_link link;
    uint64_t count; /* Links that it adds. */
};

/* A link in the scenario's file. */
struct scn_link {
    struct scn_place place; /* Where the scenario mentions it, if it does. */
    bool differs;           /* It differs from the link that the topology built. */
};

/* A host that temporarily does not drain arriving packets. */
struct scn_stall {
    uint32_t node;
    uint64_t from_ps, until_ps; /* 'until_ps' UINT64_MAX: until the end of the run. */
    uint64_t cls;               /* UINT64_MAX: all. */
    struct scn_place place;
};

enum { SCN_MAX_WORKLOADS = 64, SCN_WORKLOAD_BYTES = 32 };

#define SCN_ALL_WORKLOADS "all" /* The name in results for the flows of all workloads. */

/* Stores the flows that workloads have drawn.  Flows are numbered over all flows, in 'after',
 * too. */
struct scn_keeper {
    struct wl_flow (*flow_at)(const void *arg, size_t flow); /* Null: the workloads store them. */
    const void *arg;
};

/* Groups of ranks of a collective. */
struct scn_groups {
    uint64_t size, stride; /* A size of WEIR_AUTO: one group of all ranks. */
};

struct trace;

/* A workload, whose flows are drawn.  They follow the listed flows, in the order of the
 * workloads. */
struct scn_workload {
    char name[SCN_WORKLOAD_BYTES];
    uint64_t kind; /* An index of wl_patterns. */
    uint64_t start_ps, cls, transport, dport;
    uint64_t params[WL_PARAMS_MAX / sizeof(uint64_t)]; /* Parameters of the pattern. */
    struct wl_sizes sizes;  /* Without points: the pattern determines the sizes of flows. */
    const char *sizes_name; /* A name of wl_named_sizes; null: custom points, or none. */
    uint32_t *hosts;        /* Null: all. */
    uint32_t n_hosts;
    uint32_t to; /* The host that receives; TOPO_NONE: any. */
    struct scn_groups groups;
    struct trace *trace; /* The task graph of a file; or null. */
    struct scn_place place;
    uint32_t column;
    struct wl_flows drawn;
    uint32_t first_flow; /* The number of the workload's first flow. */
};

/* The quantities of claims.  Runs that differ only in engine, arbitration and seed have the same
 * network.
 */
enum scn_claim_of {
    SCN_DEADLOCK, /* SCN_DEADLOCK to SCN_RATE are quantities of a run. */
    SCN_GOODPUT,
    SCN_QUEUE,
    SCN_PEAK,
    SCN_RATE,
    SCN_SLOT, /* SCN_SLOT to SCN_STAGES are quantities of a plan. */
    SCN_SWITCH,
    SCN_BUSY,
    SCN_COUNTERS,
    SCN_TAU,
    SCN_STAGES,
    SCN_NETWORKS,  /* In a study: the number of networks with a deadlock. */
    SCN_COLLAPSES, /* In a study: networks without a deadlock in which the rate of hosts fell below
                      a tenth. */
    SCN_MEASURE,   /* A measure of the study. */
    SCN_FACT       /* A fact (answer/facts.h) of a run, or reduced over all runs of a study. */
};

/* Selects the runs that have this value of an axis. */
struct scn_claim_where {
    size_t axis;
    char *value;
    bool is_most; /* In a statement: selects the value of the axis with the largest result. */
};

/* A claim of a paper, for `weir reproduce`: claims.c. */
struct scn_claim {
    enum scn_claim_of of;
    char sign;        /* '=', '<' or '>'. */
    double published; /* SCN_DEADLOCK: 0 or 1. */
    double within;    /* For '=': the tolerance, as a ratio. */
    char source[128];

    /* Used by a statement (run/statements.h). */
    const char *says; /* The statement's sentence; null: the claim is not a statement. */
    const char *why;  /* Why the measured value differs; or null. */
    bool has_neutral;
    double neutral; /* The value without the effect that the paper claims. */
    bool is_share;  /* The claim is yes or no; it is compared with the share of runs with yes. */

    /* In a scenario. */
    const struct weir_engine *engine;
    uint32_t flow; /* SCN_GOODPUT: its number. */
    uint32_t port; /* For SCN_QUEUE, SCN_PEAK and SCN_RATE: a port of the topology. */
    uint32_t
        group; /* For SCN_FACT of a workload: the group of its flows, as in scn_flow; 0: all. */
    struct scn_place place;

    const char *scheme; /* In a plan. */

    const struct column *fact; /* For counts of networks: a run must have this fact to count. */

    /* In a study. */
    const struct scn_study_measure *own;
    struct scn_claim_where
        *where; /* The values that select the runs; the first is the subject of the claim. */
    size_t n_where, max_where;
    const char *also; /* For counts of networks: a second value of the first axis that must show it,
                         too; or null. */
    const char
        *against; /* The result is divided by that of this value of the first axis; or null. */
    const char
        *than; /* The ratio is divided by the ratio for this value of the second axis; or null. */
    const struct scn_node *workload; /* The workload whose flows are measured; or null. */
};

/* Parameters of an engine that is not in the stack, kept for callers that swap engines. */
struct scn_spare {
    const struct weir_engine *engine;
    uint32_t role; /* As in an origin. */
    uint64_t params[WEIR_PARAMS_MAX / sizeof(uint64_t)];
};

/* A role: nodes that differ from the others. */
struct scn_role {
    char name[64];
    uint64_t tier;   /* SCN_ANY_TIER: any tier. */
    char **patterns; /* Patterns of names; none: any. */
    size_t n_patterns, max_patterns;
    struct scn_switch switches; /* For hosts only the part that applies to hosts. */
    struct weir_stack stack;
    char *text; /* As YAML. */
    struct scn_place place;
};

/* The place where a field or key is set.  Values without an origin are defaults. */
struct scn_origin {
    const void *of; /* struct weir_field or struct scn_key. */
    uint32_t role;  /* 0: all nodes; else 1 + its number among the roles. */
    uint32_t speed; /* 0: none; else 1 + its number among the speeds. */
    struct scn_place place;
    uint32_t column;
    char *line; /* The text of the line; null: the value is not from a file. */
};

struct scenario {
    char name[64];
    char *file; /* The name as given. */
    struct scn_topology topology;
    struct scn_failures failures;
    struct scn_routing routing;
    struct scn_switch switches;
    struct scn_wire wire;
    struct scn_transport transport;
    uint64_t transport_params[SCN_MAX_EACH][TP_PARAMS_MAX / sizeof(uint64_t)];
    uint64_t recovery_params[SCN_MAX_EACH][RC_PARAMS_MAX / sizeof(uint64_t)];
    struct scn_run run;
    struct scn_record record;
    uint32_t expect; /* enum scn_expect, or'ed. */
    struct topo topo;
    struct scn_link *links; /* [link of the topology]. */
    size_t n_links, max_links;
    struct scn_place *static_places; /* Indexed by static route of the topology. */
    size_t n_static_places, max_static_places;
    struct topo_link_event
        *link_events; /* The events of one link follow each other, sorted by time. */
    size_t n_link_events, max_link_events;
    struct topo_slowing *slowings; /* The same. */
    size_t n_slowings, max_slowings;
    struct scn_stall *stalls;
    size_t n_stalls, max_stalls;
    struct weir_stack stack;
    struct scn_role *roles;
    size_t n_roles, max_roles;
    uint32_t *role_of; /* Indexed by node: 1 + the number of its role; 0: none. */
    struct scn_speed *speeds;
    size_t n_speeds, max_speeds;
    struct scn_spare *spares;
    size_t n_spares, max_spares;
    struct scn_flow *listed; /* Flows that the file lists; scn_flow_at() has all flows. */
    size_t n_listed_flows, max_listed;
    size_t n_flows; /* The listed flows, followed by the flows that workloads have drawn. */
    struct scn_keeper keeper;
    struct scn_workload *workloads;
    size_t n_workloads, max_workloads;
    struct scn_claim *claims;
    size_t n_claims, max_claims;

    char **sources; /* Names of files, as seen from the scenario's folder; "--set". */
    size_t n_sources, max_sources;
    char **paths; /* The same files, as paths that can be opened. */
    size_t n_paths, max_paths;
    struct scn_origin *origins;
    size_t n_origins, max_origins;
    struct scn_ignored *ignored; /* One for each file with ignored lines. */
    size_t n_ignored, max_ignored;
    struct scn_imported imported;
    struct scn_knob_taken *knobs; /* The knobs of a config, in the order of scn_knobs. */
    size_t n_knobs, max_knobs;
};

/* A function that reads the other files that a scenario names.  'read' returns text to be freed
 * with free(), or null with an error.  If 'read' is null, other files are refused. */
struct scn_files {
    char *(*read)(void *arg, const char *path, struct err *);
    void *arg;

    /* Opens a file to read, for those that are too large to keep; negative on failure.  Null: such
     * files cannot be read.  It is called as long as the scenario is in use. */
    int (*open)(const char *path, struct err *);

    /* Whether there is something with this name that may be opened; likewise. */
    bool (*exists)(const char *path);
};

/* 'sets' are "a.b=value", and take precedence over the file. */
bool scn_read(struct scenario *, const struct scn_source *, const struct scn_files *,
              const char *const *sets, size_t n_sets, struct err *);
void scn_free(struct scenario *);

/* A flow by its number.  A scenario may have millions of flows, and the flows of a workload differ
 * in few values.  Only these are stored; the rest is filled in here. */
struct scn_flow scn_flow_at(const struct scenario *, size_t flow);

/* Frees the flows of workloads.  From now on the keeper stores them, as long as the scenario is in
 * use. */
void scn_leave_flows_to(struct scenario *, struct scn_keeper);

/* The name of a flow: as given, or composed of its ends and its number, as in H3-H9#17.  It is in
 * 'room' or in the scenario. */
enum { SCN_NAME_BYTES = 64 };

const char *scn_flow_name(const struct scenario *, size_t flow, char room[SCN_NAME_BYTES]);

/* The load that a workload offers to the link of each of its hosts, as a ratio of the link's rate,
 * and the time of its end. 0: the workload has no rate. */
uint64_t scn_workload_load(const struct scenario *, size_t workload, weir_ps *until_ps);

struct graph;
struct wl_job;

/* Describes the job of a workload; false: its flows have sizes.  The flows of such a workload are
 * the connections of its ranks, sorted by rank, peer and number. */
bool scn_job_of(const struct scenario *, size_t workload, struct wl_job *);

/* Builds the graph of a job, for one run, even if it fails.  'nodes' gets the host of each rank,
 * and has room for all hosts. */
bool scn_build_job(const struct scenario *, size_t workload, struct graph *, uint32_t *nodes,
                   struct err *);

/* Whether the flows of a workload are one job, which is incomplete if the run ends before all of
 * them have ended. */
bool scn_workload_is_one_job(const struct scenario *, size_t workload);

/* The names of the chosen arbitration and watchdog action. */
const char *scn_arbitration(const struct scenario *);
const char *scn_watchdog(const struct scenario *);

/* The fields of a section that does not depend on a plug-in. */
const struct weir_field *scn_section_fields(const char *section);

/* The scenario's switch settings for a node, and the values of its ports with a rate. */
const struct scn_switch *scn_switch_at(const struct scenario *, uint32_t node);

/* Sets 'value' to a parameter of a switch, if the switch is of that kind. */
void scn_kind_param(const struct scn_switch *, const char *kind, const char *name, uint64_t *value);
struct scn_speed scn_speed_at(const struct scenario *, uint32_t node, uint64_t rate_bps);

/* Fills in omitted values, which are those of ports of any speed. */
struct scn_speed scn_speed_filled(const struct scn_switch *, const struct scn_speed *);

/* Sets an error about a parameter of an engine at the nodes of a role (0: all nodes), at its place
 * in the scenario; always returns false.  If the parameter is null or not set, the place is the
 * file. */
bool scn_fail_parameter(const struct scenario *, const struct weir_field *, uint32_t role,
                        struct err *, const char *format, ...)
    __attribute__((format(printf, 5, 6), nonnull(5)));

/* Writes the place where the scenario sets a parameter of a role, such as "file.yaml:3:14: ";
 * nothing if it does not set it. */
enum { SCN_PLACE_BYTES = 256 };
void scn_write_place(const struct scenario *, const struct weir_field *, uint32_t role,
                     char place[SCN_PLACE_BYTES]);

/* Writes the place where the engines of a role are chosen. */
void scn_write_engine_place(const struct scenario *, uint32_t role, char place[SCN_PLACE_BYTES]);

/* Sets an error about a key of one of the speeds, given by number; always returns false.  If the
 * key is missing, the place is that of the rate. */
bool scn_fail_speed(const struct scenario *, size_t speed, const char *key, struct err *,
                    const char *said);

/* One value of a scenario, as a scenario file would have it. */
struct scn_value {
    const char *section; /* Such as "topology" or "engines.pfc"; "": a top-level key. */
    const char *key;
    size_t item, n_items; /* Position in a list; n_items 0: no list. */
    const char *text;
    const char *
        origin; /* "ring.yaml:4", "--set" or "default"; "derived" is explained by field->derived. */
    const char *help;
    const struct weir_field *field; /* Or null. */
};

/* Calls 'each' for every value, in the order of a scenario file.  Together the values are a
 * scenario that runs the same. */
void scn_each_value(const struct scenario *, void (*each)(void *arg, const struct scn_value *),
                    void *arg);

/* The tables, for commands that explain them.
 *
 * The keys of a map: fields have numbers, keys have other values.  Both tables end with a null
 * name. */
enum scn_shape {
    SCN_TEXT,
    SCN_FILE,         /* other.yaml */
    SCN_NODE_NAME,    /* S1 */
    SCN_NODE_NAMES,   /* [S1, S2] */
    SCN_PAIR,         /* [S1, H1] */
    SCN_PORT,         /* [S1, H1], S1:2, or trunk-1 */
    SCN_PAIRS,        /* [[S1, H1], S1:2] */
    SCN_PORTS,        /* A list of ports, or all, or none. */
    SCN_FAILURES,     /* {probability: 0.05, seed: 3}, with the keys of scn_failures_table. */
    SCN_ROOTS,        /* C1, or [C1, C2] */
    SCN_COUNT,        /* 3 */
    SCN_TIMES,        /* 1ms, or [1ms, 3ms] */
    SCN_WEIGHTS,      /* [4, 1, 0] */
    SCN_QUANTITY,     /* deadlock */
    SCN_PUBLISHED,    /* yes, 840KB, 5Gbps */
    SCN_TOLERANCE,    /* 0.05, 5% */
    SCN_ENGINE_NAME,  /* pfc */
    SCN_STACK,        /* One engine, or a list such as [gfc-buffer, ecn]. */
    SCN_PARAMETERS,   /* {pfc: {xoff: 800KB}} */
    SCN_EXPECTATIONS, /* deadlock, or [deadlock, drops] */
    SCN_GROUPS,       /* {size: 8, stride: 1}, with the keys of scn_groups_table. */
    SCN_SIZES,        /* web-search, sizes.txt, or [[10KB, 50], [1MB, 100]]. */
    SCN_WORKLOADS,    /* A map with the keys of its kind, or a list of such maps. */
    SCN_FLOWS,        /* Items of scn_flow_table, or {hpcc: flow.txt} of scn_flow_files_table, */
    SCN_LINKS,        /* scn_link_table, */
    SCN_STATICS,      /* scn_static_table, */
    SCN_STALLS,       /* scn_stall_table, */
    SCN_ROLES,        /* scn_role_table, */
    SCN_SPEEDS,       /* scn_speed_table, */
    SCN_SLOWINGS,     /* scn_slowing_table, */
    SCN_SECTION,      /* The table of the section of that name. */
    SCN_CLAIMS,       /* scn_claim_table. */
};

struct scn_key {
    const char *name;
    enum scn_shape shape;
    bool is_needed;
    const char *help;
};

/* A field of a map that chooses a plug-in, whose parameters are next to the field in the map. */
struct scn_choice {
    const char *field;   /* The name of the field that has the registry. */
    size_t params;       /* The offset of the chosen plug-in's parameters, as for fields, */
    size_t params_bytes; /* and the size of their memory. */
    const struct scn_key *(*keys)(const struct weir_plugin *); /* Further keys; null: none. */

    /* Whether parameters and keys of a plug-in that is not chosen are allowed and ignored, so that
     * --set can change the choice alone.  Null: they are refused. */
    bool (*takes)(const struct weir_plugin *chosen, const struct weir_plugin *other);
};

struct scn_table {
    const char *name;
    const struct weir_field *fields;
    const struct scn_key *keys;
    size_t offset;                 /* Offset of a section in struct scenario. */
    const char *needed_field;      /* The only mandatory field; or null. */
    const char *const *implied_by; /* Keys, of which one replaces this field, and chooses the
                                    * plug-in with the name of the key; ends with null.  Or null. */
    const char *short_field; /* The field that is set if the section is a plain word; or null. */
    const struct scn_choice *choices; /* Ends with a null field; null: no choices. */

    /* If set, the table is for several sections: one for each plug-in of this registry that has
     * parameters, with its name.  Each has this many bytes at 'offset'. */
    const struct weir_registry *each;
    size_t each_bytes;
};

extern const struct scn_key scn_top_keys[];
extern const struct scn_table scn_sections[]; /* Ends with no name. */

/* The sections by number, including those of plug-ins.  Returns false after the last one.
 */
bool scn_section_at(size_t i, struct scn_table *);

/* The fields and keys that a plug-in adds to the map that chooses it; never null. */
const struct weir_registry *scn_choice_registry(const struct scn_table *,
                                                const struct scn_choice *);
const struct weir_field *scn_choice_fields(const struct weir_plugin *);
const struct scn_key *scn_choice_keys(const struct scn_choice *, const struct weir_plugin *);

/* The keys other than numbers that a plug-in of a registry adds, wherever it is chosen; never
 * null. */
const struct scn_key *scn_plugin_keys(const struct weir_registry *, const struct weir_plugin *);

extern const struct weir_registry scn_topologies;

/* All registries: each kind of component that can be chosen by name, and the key of a scenario that
 * chooses one.  To add a registry, add a line to registries.c. */
struct scn_registry {
    const struct weir_registry *registry; /* Null: the end. */
    const char *key;                      /* "topology.kind". */
    const char *params;                   /* The place of its parameters, as text; */
    const char *section;                  /* in this section, or at the top if empty, */
    bool has_own_map;                     /* in a map of the plug-in's name there. */
};

extern const struct scn_registry scn_registries[];
const struct scn_registry *scn_registry_find(const char *many);
extern const struct scn_table scn_flow_table, scn_link_table, scn_claim_table, scn_failures_table;
extern const struct scn_table scn_groups_table;
extern const struct scn_table scn_flow_files_table, scn_static_table, scn_stall_table;
extern const struct scn_table scn_workload_table, scn_role_table, scn_speed_table,
    scn_slowing_table;
extern const char *const scn_expectations[]; /* Names by bit of enum scn_expect; ends with null. */

#endif
