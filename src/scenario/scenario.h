/* Scenarios: a file -> everything that decides a result, complete and checked.
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
    uint64_t params[TOPO_PARAMS_MAX / sizeof(uint64_t)]; /* Parameters of the kind. */
};

/* Links that fail at random, before the run. */
struct scn_failures {
    uint64_t probability, seed;
    uint64_t of; /* enum topo_links. */
};

enum scn_routing_kind { SCN_SHORTEST, SCN_UP_DOWN };

enum { SCN_MAX_PARAMS = 16 }; /* For each part of a switch. */

struct scn_routing {
    uint64_t paths; /* An index of sim_path_choices. */
    uint64_t path_params[SCN_MAX_PARAMS];
    uint64_t kind; /* enum scn_routing_kind; roots and static routes are the topology's. */
    uint64_t reroute_ps;
    uint64_t dead;      /* enum model_dead: packets at a port whose link is down. */
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
    uint64_t weights[WEIR_MAX_CLASSES]; /* For dwrr, [class]; 0: strict, before the others. */
    uint64_t watchdog;                  /* enum scn_watchdog. */
    uint64_t detection_ps, restoration_ps;
    size_t first_speed, n_speeds; /* In the scenario's 'speeds', slow ones first. */
};

/* The values of ports of at least a rate, where a switch gives faster ports more. */
struct scn_speed {
    uint64_t rate_bps, buffer_bytes, limit_bytes, alpha, headroom_bytes;
};

#define SCN_ANY_TIER UINT64_MAX

struct scn_wire {
    uint64_t mtu_bytes, gap_bytes, classes, lossless;
};

enum { SCN_MAX_EACH = 32 }; /* Plug-ins that can have a section each. */

enum scn_turn { SCN_TURN_LAST, SCN_TURN_NEXT };

struct scn_transport {
    uint64_t kind; /* An index of the registry 'transports', for flows that do not say theirs. */
    uint64_t recovery; /* An index of the registry 'recoveries'; WEIR_AUTO: as the transport of a
                        * flow has it. */
    uint64_t ack_pkts; /* Number of packets that an ACK acknowledges. */
    uint64_t turn;     /* enum scn_turn: position of a new flow. */
    uint64_t timeout_ps;
    uint64_t answers; /* The class of ACKs, NACKs and CNPs; WEIR_AUTO: that of their flow. */
    uint64_t answer_bytes;
    uint64_t cnp_delay_ps;
};

/* Flows start in 'time', and are measured if they do so after the warm-up.  The run goes on until
 * all of these have ended, at most for the run-out. */
struct scn_run {
    uint64_t time_ps, warm_up_ps, run_out_ps, seed;
};

/* More ports than these are sampled only if asked for. */
enum { SCN_MAX_AUTO_PORTS = 256 };

/* The parts of a run that are sampled and kept. */
struct scn_record {
    uint64_t every_ps;
    uint64_t flows, events, gates; /* 0 or 1. */
    uint64_t outputs;              /* The same; WEIR_AUTO: if queues of outputs decide something. */
    uint64_t why;                  /* 0 or 1: wait accounting, by flow, port and cause. */
    uint64_t senders;              /* The same; WEIR_AUTO: if an engine limits single flows; */
    uint64_t held;                 /* and here if there are few of them, too. */
    uint32_t *ports;               /* Ports of the topology, in its order. */
    size_t n_ports;
    bool lacks_ports; /* None, as there are too many and they were not requested. */
};

enum scn_expect { SCN_EXPECT_DEADLOCK = 1, SCN_EXPECT_DROPS = 2, SCN_EXPECT_COLLAPSE = 4 };

/* The place of a value: a source's number in 'sources', and its line; 0: it has no lines. */
struct scn_place {
    uint32_t source, line;
};

/* A run may have millions: kept small, and without a name unless it was given one. */
struct scn_flow {
    char *name; /* Null: see scn_flow_name(). */
    uint32_t from, to;
    uint64_t bytes, rate_bps, start_ps, cls;
    uint64_t header_bytes; /* Part of these: bytes that its file does not count. */
    uint64_t stop_ps;      /* UINT64_MAX: it does not. */
    uint64_t transport;    /* An index of the registry 'transports'. */
    uint64_t dport;        /* UINT64_MAX: none was given. */
    uint16_t *path;
    uint32_t n_path;
    /* The number of the flow that it waits for, or UINT32_MAX: none.  It starts when that one, if
     * of the same sender, has been sent, and acknowledged if its transport is; if sent to this
     * one's sender, when it has been received.  start_ps counts from then on. */
    uint32_t after;
    uint32_t group; /* 0: it is listed; 1 + number of the workload that it is drawn by. */
    struct scn_place place;
};

/* How flows come from a file. */
struct scn_flow_files {
    uint64_t skip_ps;
    uint64_t header_bytes; /* The header of each packet. */
};

/* Lines at the end of a foreign file that are not read, as its first line announces fewer. */
struct scn_ignored {
    struct scn_place place; /* The first of them. */
    size_t n_lines;
};

/* A knob of HPCC's simulator, and its use in the run. */
struct scn_knob_taken {
    const struct scn_knob *knob;
    char *value;   /* As in the config. */
    bool is_given; /* In the config; else it is the simulator's default. */
    enum scn_knob_use use;
    struct scn_place place;
};

/* A network that was read from a file of another tool. */
struct scn_imported {
    const char *format;  /* "containerlab"; null: it was not. */
    uint32_t n_left_out; /* Nodes that have no link. */
    uint32_t n_split;    /* Hosts with several links: each link is a host of its own here. */
};

/* The link as a scenario has it. */
struct scn_link {
    struct scn_place place; /* Where the scenario mentions it, if it does. */
    bool differs;           /* From how the topology has built it. */
};

/* A host that does not drain what comes for it, for a while. */
struct scn_stall {
    uint32_t node;
    uint64_t from_ps, until_ps; /* Until UINT64_MAX: as long as the run. */
    uint64_t cls;               /* UINT64_MAX: all. */
    struct scn_place place;
};

enum { SCN_MAX_WORKLOADS = 64, SCN_WORKLOAD_BYTES = 32 };

#define SCN_ALL_WORKLOADS "all" /* In results: all flows, of any workload. */

/* Keeps the flows that workloads have drawn, all flows counted.  'after' is a flow of all, too. */
struct scn_keeper {
    struct wl_flow (*flow_at)(const void *arg, size_t flow); /* Null: the workloads keep them. */
    const void *arg;
};

/* Flows that were drawn; they stand behind those that are listed, in the order of the workloads. */
struct scn_workload {
    char name[SCN_WORKLOAD_BYTES];
    uint64_t kind; /* An index of wl_patterns. */
    uint64_t start_ps, cls, transport, dport;
    uint64_t params[WL_PARAMS_MAX / sizeof(uint64_t)]; /* Parameters of the pattern. */
    struct wl_sizes sizes;  /* Without points: the pattern says how large flows are. */
    const char *sizes_name; /* A name of wl_named_sizes; null: points of one's own, or none. */
    uint32_t *hosts;        /* Null: all. */
    uint32_t n_hosts;
    uint32_t to; /* The host that receives; TOPO_NONE: any. */
    struct scn_place place;
    uint32_t column;
    struct wl_flows drawn;
    uint32_t first_flow; /* The number of the first of them. */
};

/* The quantities of claims.  A network is what differs in more than engine, arbitration and seed.
 */
enum scn_claim_of {
    SCN_DEADLOCK, /* These five are facts of a run, */
    SCN_GOODPUT,
    SCN_QUEUE,
    SCN_PEAK,
    SCN_RATE,
    SCN_SLOT, /* these six about a plan, */
    SCN_SWITCH,
    SCN_BUSY,
    SCN_COUNTERS,
    SCN_TAU,
    SCN_STAGES,
    SCN_NETWORKS,  /* these about a study: networks with a deadlock; */
    SCN_COLLAPSES, /* networks with none, where the rate of hosts fell under a tenth; */
    SCN_MEASURE,   /* a measure of the study; */
    SCN_FACT       /* a fact (answer/facts.h) of a run, or reduced over all runs of a study. */
};

/* Runs that have this value of an axis. */
struct scn_claim_where {
    size_t axis;
    char *value;
    bool is_most; /* A statement: the value of the axis with the largest result. */
};

/* A claim of a paper, for `weir reproduce`: claims.c. */
struct scn_claim {
    enum scn_claim_of of;
    char sign;        /* '=', '<' or '>'. */
    double published; /* SCN_DEADLOCK: 0 or 1. */
    double within;    /* For '=': the tolerance, as a ratio. */
    char source[128];

    /* Used by a statement (run/statements.h). */
    const char *says; /* Its sentence; null: this is no statement. */
    const char *why;  /* Why the measured value differs; or null. */
    bool has_neutral;
    double neutral; /* The value without the effect that the paper claims. */
    bool is_share;  /* Yes or no, of a number of runs: the share of the runs that have it. */

    /* In a scenario. */
    const struct weir_engine *engine;
    uint32_t flow;  /* SCN_GOODPUT: its number. */
    uint32_t port;  /* SCN_QUEUE, SCN_PEAK, SCN_RATE: of the topology. */
    uint32_t group; /* SCN_FACT of a workload: its flows, as in scn_flow; 0: all. */
    struct scn_place place;

    const char *scheme; /* In a plan. */

    const struct column *fact; /* For networks: a run counts only with this. */

    /* In a study. */
    const struct scn_study_measure *own;
    struct scn_claim_where *where; /* The runs; the first is what the claim is about. */
    size_t n_where, max_where;
    const char *also;    /* For networks: also with this value of that first axis; or null. */
    const char *against; /* As a ratio to what this value of it has; or null. */
    const char *than;    /* That ratio over the same ratio with this value of the second axis. */
    const struct scn_node *workload; /* Only its flows; or null. */
};

/* Parameters of an engine that is not in the stack, kept for callers that swap engines. */
struct scn_spare {
    const struct weir_engine *engine;
    uint32_t role; /* As in an origin. */
    uint64_t params[WEIR_PARAMS_MAX / sizeof(uint64_t)];
};

/* Nodes that differ from the others. */
struct scn_role {
    char name[64];
    uint64_t tier;   /* SCN_ANY_TIER: any tier. */
    char **patterns; /* Patterns of names; none: any. */
    size_t n_patterns, max_patterns;
    struct scn_switch switches; /* For hosts, their part of it. */
    struct weir_stack stack;
    char *text; /* As YAML. */
    struct scn_place place;
};

/* Where the value of a field or key came from; those that are not listed are defaults. */
struct scn_origin {
    const void *of; /* struct weir_field or struct scn_key. */
    uint32_t role;  /* 0: all nodes; else 1 + its number among the roles. */
    uint32_t speed; /* 0: none; else 1 + its number among the speeds. */
    struct scn_place place;
    uint32_t column;
    char *line; /* Its text; null: it is no file's. */
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
    struct scn_place *static_places; /* [static route of the topology]. */
    size_t n_static_places, max_static_places;
    struct topo_link_event *link_events; /* Events of one link are together, by time. */
    size_t n_link_events, max_link_events;
    struct topo_slowing *slowings; /* The same. */
    size_t n_slowings, max_slowings;
    struct scn_stall *stalls;
    size_t n_stalls, max_stalls;
    struct weir_stack stack;
    struct scn_role *roles;
    size_t n_roles, max_roles;
    uint32_t *role_of; /* [node]: 0: none; else 1 + its number. */
    struct scn_speed *speeds;
    size_t n_speeds, max_speeds;
    struct scn_spare *spares;
    size_t n_spares, max_spares;
    struct scn_flow *listed; /* Flows that the file lists; all flows: scn_flow_at(). */
    size_t n_listed_flows, max_listed;
    size_t n_flows; /* The listed flows, followed by the flows that workloads have drawn. */
    struct scn_keeper keeper;
    struct scn_workload *workloads;
    size_t n_workloads, max_workloads;
    struct scn_claim *claims;
    size_t n_claims, max_claims;

    char **sources; /* Names of files, as seen from the scenario's folder; "--set". */
    size_t n_sources, max_sources;
    char **paths; /* The same, as one would open them. */
    size_t n_paths, max_paths;
    struct scn_origin *origins;
    size_t n_origins, max_origins;
    struct scn_ignored *ignored; /* One for each such file. */
    size_t n_ignored, max_ignored;
    struct scn_imported imported;
    struct scn_knob_taken *knobs; /* In the order of scn_knobs; none without a config. */
    size_t n_knobs, max_knobs;
};

/* How to read the other files that a scenario names.  'read' returns text that is freed with
 * free(), or null and the reason; a null 'read' refuses all. */
struct scn_files {
    char *(*read)(void *arg, const char *path, struct err *);
    void *arg;
};

/* 'sets' are "a.b=value", and take precedence over the file. */
bool scn_read(struct scenario *, const struct scn_source *, const struct scn_files *,
              const char *const *sets, size_t n_sets, struct err *);
void scn_free(struct scenario *);

/* A flow by its number.  A scenario may have millions of flows, and those of a workload differ in
 * little: only that is kept of each, and the rest is filled in here. */
struct scn_flow scn_flow_at(const struct scenario *, size_t flow);

/* The workloads give back their flows, which the keeper has from now on, as long as the scenario is
 * in use. */
void scn_leave_flows_to(struct scenario *, struct scn_keeper);

/* The name of a flow, given or made of its ends and its number: H3-H9#17.  In 'room' or where the
 * scenario has it. */
enum { SCN_NAME_BYTES = 64 };

const char *scn_flow_name(const struct scenario *, size_t flow, char room[SCN_NAME_BYTES]);

/* The load that a workload offers to the link of each of its hosts, as a ratio of the link's rate,
 * and its end; 0: it has no rate. */
uint64_t scn_workload_load(const struct scenario *, size_t workload, weir_ps *until_ps);

/* Whether its flows are one job, which a run cuts off if it ends before all of them are through. */
bool scn_workload_is_one_job(const struct scenario *, size_t workload);

/* The names of the arbitration and of what the watchdog does, as they were chosen. */
const char *scn_arbitration(const struct scenario *);
const char *scn_watchdog(const struct scenario *);

/* The fields of a section that is there once. */
const struct weir_field *scn_section_fields(const char *section);

/* The switch at a node as the scenario has it, and the values of a port there of that rate. */
const struct scn_switch *scn_switch_at(const struct scenario *, uint32_t node);

/* A parameter of a switch of that kind; unchanged if it is of another. */
void scn_kind_param(const struct scn_switch *, const char *kind, const char *name, uint64_t *value);
struct scn_speed scn_speed_at(const struct scenario *, uint32_t node, uint64_t rate_bps);

/* Includes the omitted part, which ports of any speed have. */
struct scn_speed scn_speed_filled(const struct scn_switch *, const struct scn_speed *);

/* Always returns false: an error about a parameter of an engine at the nodes of a role (0: of all),
 * at its place in the scenario.  Null, or not set: the file. */
bool scn_fail_parameter(const struct scenario *, const struct weir_field *, uint32_t role,
                        struct err *, const char *format, ...)
    __attribute__((format(printf, 5, 6), nonnull(5)));

/* "file.yaml:3:14: ", where the scenario sets a parameter at the nodes of a role; nothing if it
 * does not. */
enum { SCN_PLACE_BYTES = 256 };
void scn_write_place(const struct scenario *, const struct weir_field *, uint32_t role,
                     char place[SCN_PLACE_BYTES]);

/* The same of where the engines of a role are chosen. */
void scn_write_engine_place(const struct scenario *, uint32_t role, char place[SCN_PLACE_BYTES]);

/* Always false: the same of one of the speeds, by its number, and a key of it; where it leaves that
 * out, its rate is shown. */
bool scn_fail_speed(const struct scenario *, size_t speed, const char *key, struct err *,
                    const char *said);

/* One value of a scenario, as a scenario file would have it. */
struct scn_value {
    const char *section; /* "topology", "engines.pfc"; "": at the top. */
    const char *key;
    size_t item, n_items; /* In a list that has an item a value; n_items 0: not such a list. */
    const char *text;
    const char *origin; /* "ring.yaml:4", "--set", "default"; "derived": see field->derived. */
    const char *help;
    const struct weir_field *field; /* Or null. */
};

/* Every value, in the order of a scenario file; together they are a scenario that runs the same. */
void scn_each_value(const struct scenario *, void (*each)(void *arg, const struct scn_value *),
                    void *arg);

/* The tables, for commands that explain them.
 *
 * The keys of a map: fields, which are numbers, and keys, which are not; both tables end with no
 * name. */
enum scn_shape {
    SCN_TEXT,
    SCN_FILE,         /* other.yaml */
    SCN_NODE_NAME,    /* S1 */
    SCN_NODE_NAMES,   /* [S1, S2] */
    SCN_PAIR,         /* [S1, H1] */
    SCN_PAIRS,        /* [[S1, H1], [S1, H2]] */
    SCN_PORTS,        /* The same, or all, or none. */
    SCN_FAILURES,     /* {probability: 0.05, seed: 3}, of scn_failures_table. */
    SCN_ROOTS,        /* C1, or [C1, C2] */
    SCN_TIMES,        /* 1ms, or [1ms, 3ms] */
    SCN_WEIGHTS,      /* [4, 1, 0] */
    SCN_QUANTITY,     /* deadlock */
    SCN_PUBLISHED,    /* yes, 840KB, 5Gbps */
    SCN_TOLERANCE,    /* 0.05, 5% */
    SCN_ENGINE_NAME,  /* pfc */
    SCN_STACK,        /* The same, or [gfc-buffer, ecn]. */
    SCN_PARAMETERS,   /* {pfc: {xoff: 800KB}} */
    SCN_EXPECTATIONS, /* deadlock, or [deadlock, drops] */
    SCN_SIZES,        /* web-search, sizes.txt, or [[10KB, 50], [1MB, 100]]. */
    SCN_WORKLOADS,    /* A map, by its kind, or a list of such. */
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

/* Where a field of a map chooses a plug-in, the parameters of that stand next to the field. */
struct scn_choice {
    const char *field; /* The field of the table that has the registry. */
    size_t params; /* Where the parameters of the chosen one are, as fields have their offset, */
    size_t params_bytes;                                       /* and the room for them. */
    const struct scn_key *(*keys)(const struct weir_plugin *); /* Further keys; null: none. */

    /* Whether parameters and keys of another one may stand there, too, and mean nothing, so that
     * --set can change the choice alone.  Null: they may not. */
    bool (*takes)(const struct weir_plugin *chosen, const struct weir_plugin *other);
};

struct scn_table {
    const char *name;
    const struct weir_field *fields;
    const struct scn_key *keys;
    size_t offset;                    /* Offset of a section in struct scenario. */
    const char *needed_field;         /* The only one without which it means nothing; or null. */
    const char *short_field;          /* A section that is a plain word sets this one; or null. */
    const struct scn_choice *choices; /* Ends with no field; null: none. */

    /* Not one section, but one for each plug-in of this registry that has parameters, under its
     * name; each has this many bytes at 'offset'. */
    const struct weir_registry *each;
    size_t each_bytes;
};

extern const struct scn_key scn_top_keys[];
extern const struct scn_table scn_sections[]; /* Ends with no name. */

/* The sections by number, with one for each plug-in where a table has several; false past the last.
 */
bool scn_section_at(size_t i, struct scn_table *);

/* The keys that a plug-in adds to a map by a choice: fields and keys, never null. */
const struct weir_registry *scn_choice_registry(const struct scn_table *,
                                                const struct scn_choice *);
const struct weir_field *scn_choice_fields(const struct weir_plugin *);
const struct scn_key *scn_choice_keys(const struct scn_choice *, const struct weir_plugin *);

/* The keys that a plug-in of a registry adds in addition to numbers, wherever it is chosen; never
 * null. */
const struct scn_key *scn_plugin_keys(const struct weir_registry *, const struct weir_plugin *);

extern const struct weir_registry scn_topologies;

/* All registries: each kind of component that can be chosen by name, and the key of a scenario that
 * chooses one.  Adding a registry is adding a line of registries.c. */
struct scn_registry {
    const struct weir_registry *registry; /* Null: the end. */
    const char *key;                      /* "topology.kind". */
    const char *params;                   /* Where its parameters stand, as text; */
    const char *section;                  /* in this section, or at the top if empty, */
    bool has_own_map;                     /* in a map of the plug-in's name there. */
};

extern const struct scn_registry scn_registries[];
const struct scn_registry *scn_registry_find(const char *many);
extern const struct scn_table scn_flow_table, scn_link_table, scn_claim_table, scn_failures_table;
extern const struct scn_table scn_flow_files_table, scn_static_table, scn_stall_table;
extern const struct scn_table scn_workload_table, scn_role_table, scn_speed_table,
    scn_slowing_table;
extern const char *const scn_expectations[]; /* By bit of enum scn_expect; ends with null. */

#endif
