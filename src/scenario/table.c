/* What a scenario may say: every key with its unit, default, range and meaning. */

#include <string.h>

#include "scenario/resolver.h"
#include "sim/nodes/kind.h"

static const char *const links_of[] = {
    [TOPO_SWITCH_LINKS] = "switches", [TOPO_HOST_LINKS] = "hosts", [TOPO_ALL_LINKS] = "all", 0
};
static const char *const routings[] = { [SCN_SHORTEST] = "shortest", [SCN_UP_DOWN] = "up-down", 0 };
static const char *const watchdogs[] = { [SCN_NO_WATCHDOG] = "off",
                                         [SCN_DROP] = "drop",
                                         [SCN_FORWARD] = "forward",
                                         [SCN_ALERT] = "alert",
                                         0 };
static const char *const none_or_all[] = { "none", "all", 0 };
static const char *const no_or_yes[] = { "no", "yes", 0 };
const char *const scn_expectations[] = { "deadlock", "drops", "collapse", 0 };

/* Of the topology for every link, and of one link, where WEIR_AUTO stands for the topology's. */
#define LINK_FIELDS(TYPE, OF, RATE, DELAY, LOSS)                                                   \
    WEIR_FIELD(TYPE, rate_bps, "rate", WEIR_RATE, .fallback = (RATE), .min = 1000,                 \
               .max = TOPO_MAX_RATE, .help = "Rate of " OF "."),                                   \
        WEIR_FIELD(TYPE, delay_ps, "delay", WEIR_TIME, .fallback = (DELAY),                        \
                   .max = WEIR_PS_PER_S / 10, .help = "Delay of " OF ", one way."),                \
        WEIR_FIELD(TYPE, loss, "loss", WEIR_RATIO, .fallback = (LOSS), .max = WEIR_RATIO_1 - 1,    \
                   .help = "Share of packets and frames that are lost on " OF ".")

static const struct weir_field topology_fields[] = {
    WEIR_FIELD(struct scn_topology, kind, "kind", WEIR_CHOICE, .registry = &scn_topologies,
               .help = "How the network is built, or the format of the file that holds it."),
    LINK_FIELDS(struct scn_topology, "every link that does not say its own", 100000000000, 1000000,
                0),
    { 0 },
};
static const struct scn_key topology_keys[] = {
    { "links", SCN_LINKS, false,
      "Links that differ from the others, or go down and up; of a network from names, all links." },
    { "failed", SCN_PAIRS, false, "Links that are there but never used." },
    { "failures", SCN_FAILURES, false, "More links that fail, by chance." },
    { 0 },
};
const struct scn_key scn_names_keys[] = {
    { "file", SCN_FILE, false, "The file that holds the network, in the format that kind says." },
    { "switches", SCN_NODE_NAMES, false, "Names of the switches." },
    { "hosts", SCN_NODE_NAMES, false, "Names of the hosts; a host has one link." },
    { 0 },
};

static bool
is_built(const struct weir_plugin *topology)
{
    return ((const struct topology *)topology)->build;
}

static const struct scn_key *
keys_of_topology(const struct weir_plugin *topology)
{
    return is_built(topology) ? NULL : scn_names_keys;
}

static bool
are_built(const struct weir_plugin *chosen, const struct weir_plugin *other)
{
    return is_built(chosen) && is_built(other);
}

static const struct scn_choice topology_choices[] = {
    { "kind", offsetof(struct scn_topology, params), keys_of_topology, are_built },
    { 0 },
};

static const struct weir_field failures_fields[] = {
    WEIR_FIELD(struct scn_failures, probability, "probability", WEIR_RATIO, .max = WEIR_RATIO_1,
               .help = "With which each link fails."),
    WEIR_FIELD(struct scn_failures, seed, "seed", WEIR_COUNT, .fallback = 1, .max = UINT32_MAX,
               .help = "Of this chance alone."),
    WEIR_FIELD(struct scn_failures, of, "of", WEIR_CHOICE, .choices = links_of,
               .help = "Links between switches, links of hosts, or all."),
    { 0 },
};
static const struct scn_key no_keys[] = { { 0 } };
const struct scn_table scn_failures_table = { .name = "failures",
                                              .fields = failures_fields,
                                              .keys = no_keys };

static const struct weir_field routing_fields[] = {
    WEIR_FIELD(struct scn_routing, kind, "kind", WEIR_CHOICE, .choices = routings,
               .help = "All shortest paths, or those that go up towards the roots and then down."),
    WEIR_FIELD(struct scn_routing, paths, "paths", WEIR_CHOICE, .registry = &sim_path_choices,
               .help = "Which of several equally short paths a packet takes."),
    WEIR_FIELD(struct scn_routing, reroute_ps, "reroute", WEIR_TIME, .max = 10 * WEIR_PS_PER_S,
               .help = "So long after a link went down or up all switches have new routes; 0: they "
                       "keep their old ones."),
    WEIR_FIELD(struct scn_routing, hop_limit, "hop_limit", WEIR_COUNT, .max = 255,
               .help = "Switches that a packet may cross, like an IP TTL; the next one drops it.  "
                       "0: any number."),
    { 0 },
};
static const struct scn_key routing_keys[] = {
    { "roots", SCN_ROOTS, false,
      "Of up-down.  Left out: the switches farthest from hosts, or the first if all have some." },
    { "static", SCN_STATICS, false, "Routes set by hand: they go before those that are computed." },
    { 0 },
};

static const struct weir_field switch_fields[] = {
    WEIR_FIELD(struct scn_switch, kind, "kind", WEIR_CHOICE, .registry = &sim_kinds,
               .help = "oq: shared memory, output queues."),
    WEIR_FIELD(struct scn_switch, arbitration, "arbitration", WEIR_CHOICE,
               .registry = &sim_arbitrations, .help = "Which input an output serves next."),
    WEIR_FIELD(struct scn_switch, scheduling, "scheduling", WEIR_CHOICE,
               .registry = &sim_schedulings,
               .help = "Which class an output serves next, also at NICs: in turn, the highest, or "
                       "by weight."),
    WEIR_FIELD(struct scn_switch, buffer_bytes, "buffer", WEIR_BYTES, .fallback = 1000000,
               .max = WEIR_MAX_BYTES, .help = "What each class of each port has for itself."),
    WEIR_FIELD(struct scn_switch, partition_bytes, "partition", WEIR_BYTES, .max = WEIR_MAX_BYTES,
               .help = "What each class has for all ports together."),
    WEIR_FIELD(struct scn_switch, shared_bytes, "shared", WEIR_BYTES, .max = WEIR_MAX_BYTES,
               .help = "What all share besides."),
    WEIR_FIELD(struct scn_switch, limit_bytes, "limit", WEIR_BYTES, .max = WEIR_MAX_BYTES,
               .help = "What one class of one port may take of that and of its partition."),
    WEIR_FIELD(struct scn_switch, alpha, "alpha", WEIR_RATIO, .max = 128 * WEIR_RATIO_1,
               .help = "Instead of a limit: this times what is free of it."),
    WEIR_FIELD(struct scn_switch, headroom_bytes, "headroom", WEIR_BYTES, .max = WEIR_MAX_BYTES,
               .help = "Of each class of each port, past that."),
    WEIR_FIELD(struct scn_switch, response_ps, "response", WEIR_TIME, .fallback = 3000000,
               .max = WEIR_PS_PER_S / 10,
               .help = "From the last bit of a control frame to its effect, also at NICs."),
    WEIR_FIELD(struct scn_switch, watchdog, "watchdog", WEIR_CHOICE, .choices = watchdogs,
               .help =
                   "What becomes of a queue whose pause has no end: it is dropped, sent all the "
                   "same, or counted (SONiC's PFC_WD)."),
    WEIR_FIELD(struct scn_switch, detection_ps, "watchdog_detection", WEIR_TIME,
               .fallback = WEIR_PS_PER_S / 5, .min = 1000000, .max = 100 * WEIR_PS_PER_S,
               .help = "So long a queue must be paused, with packets; SONiC's default is 200ms."),
    WEIR_FIELD(struct scn_switch, restoration_ps, "watchdog_restoration", WEIR_TIME,
               .fallback = WEIR_AUTO, .min = 1000000, .max = 100 * WEIR_PS_PER_S,
               .derived = "twice the detection time, as SONiC's `pfcwd start` has it",
               .help = "So long its peer must not have asked for a pause; then all is as before."),
    { 0 },
};
/* So that --set can change the arbitration alone. */
static bool
takes_any(const struct weir_plugin *chosen, const struct weir_plugin *other)
{
    (void)chosen, (void)other;
    return true;
}

static const struct scn_choice routing_choices[] = {
    { .field = "paths", .params = offsetof(struct scn_routing, path_params), .takes = takes_any },
    { 0 },
};
static const struct scn_choice switch_choices[] = {
    { .field = "kind", .params = offsetof(struct scn_switch, kind_params), .takes = takes_any },
    { .field = "arbitration",
      .params = offsetof(struct scn_switch, arbitration_params),
      .takes = takes_any },
    { .field = "scheduling",
      .params = offsetof(struct scn_switch, scheduling_params),
      .takes = takes_any },
    { 0 },
};
static const struct scn_key switch_keys[] = {
    { "weights", SCN_WEIGHTS, false, "Of dwrr, a class each; 0: strict, before the others." },
    { "speeds", SCN_SPEEDS, false,
      "What ports of at least a rate have instead, as switches give faster ports more buffer." },
    { 0 },
};

static const struct weir_field wire_fields[] = {
    WEIR_FIELD(struct scn_wire, mtu_bytes, "mtu", WEIR_BYTES, .fallback = 1500, .min = 64,
               .max = 65535, .help = "The largest packet."),
    WEIR_FIELD(struct scn_wire, gap_bytes, "gap", WEIR_BYTES, .fallback = 20, .max = 1000,
               .help = "Preamble and gap of each frame."),
    WEIR_FIELD(struct scn_wire, classes, "classes", WEIR_COUNT, .fallback = 1, .min = 1,
               .max = WEIR_MAX_CLASSES, .help = "Classes of traffic."),
    WEIR_FIELD(struct scn_wire, lossless, "lossless", WEIR_CODE, .fallback = 0xff, .max = 0xff,
               .help = "Bit c: class c is under flow control."),
    { 0 },
};

static const struct weir_field transport_fields[] = {
    WEIR_FIELD(struct scn_transport, kind, "kind", WEIR_CHOICE, .registry = &transports,
               .help = "What a sender does: raw sends, the others send again what was lost."),
    WEIR_FIELD(struct scn_transport, recovery, "recovery", WEIR_CHOICE, .registry = &recoveries,
               .fallback = WEIR_AUTO,
               .derived = "what the transport asks for: none for raw, go-back-n for the others",
               .help = "How lost packets are noticed and sent again; raw senders never do."),
    WEIR_FIELD(struct scn_transport, ack_pkts, "ack", WEIR_COUNT, .fallback = 1, .min = 1,
               .max = 1000, .help = "Packets an ACK."),
    WEIR_FIELD(struct scn_transport, timeout_ps, "timeout", WEIR_TIME, .fallback = 1000000000,
               .min = 1000000, .max = 10 * WEIR_PS_PER_S,
               .help = "Without an ACK for so long, it goes back and sends again."),
    { 0 },
};

static const struct weir_field run_fields[] = {
    WEIR_FIELD(struct scn_run, time_ps, "time", WEIR_TIME, .fallback = 10000000000, .min = 1000000,
               .max = 1000 * WEIR_PS_PER_S, .help = "How long the network runs."),
    WEIR_FIELD(struct scn_run, seed, "seed", WEIR_COUNT, .fallback = 1, .max = UINT32_MAX,
               .help = "Of all chance."),
    { 0 },
};

static const struct weir_field record_fields[] = {
    WEIR_FIELD(struct scn_record, every_ps, "every", WEIR_TIME, .fallback = WEIR_AUTO, .min = 1000,
               .max = 1000 * WEIR_PS_PER_S, .derived = "a thousandth of the run",
               .help = "Time from one sample to the next."),
    WEIR_FIELD(struct scn_record, flows, "flows", WEIR_CHOICE, .choices = none_or_all,
               .fallback = WEIR_AUTO, .derived = "all, if there are at most 1000",
               .help = "Whose progress is sampled."),
    WEIR_FIELD(struct scn_record, events, "events", WEIR_CHOICE, .choices = no_or_yes,
               .fallback = 1, .help = "Whether single events are kept: pauses, drops, links."),
    WEIR_FIELD(struct scn_record, gates, "gates", WEIR_CHOICE, .choices = no_or_yes, .fallback = 1,
               .help = "Whether a port's gates are sampled with it."),
    { 0 },
};
static const struct scn_key record_keys[] = {
    { "ports", SCN_PORTS, false,
      "Whose queues are sampled; [S1, H1] is S1's port towards H1.  Left out: all, if there "
      "are at most 256." },
    { 0 },
};

static const struct weir_field no_fields[] = { { 0 } };

#define SECTION(NAME, MEMBER, FIELDS, KEYS, ...)                                                   \
    {                                                                                              \
        .name = (NAME), .fields = (FIELDS), .keys = (KEYS),                                        \
        .offset = offsetof(struct scenario, MEMBER), __VA_ARGS__                                   \
    }

const struct scn_table scn_sections[] = {
    SECTION("topology", topology, topology_fields, topology_keys, .choices = topology_choices),
    SECTION("routing", routing, routing_fields, routing_keys, .choices = routing_choices),
    SECTION("switch", switches, switch_fields, switch_keys, .choices = switch_choices),
    SECTION("wire", wire, wire_fields, no_keys, .choices = NULL),
    SECTION("transport", transport, transport_fields, no_keys, .choices = NULL),
    SECTION("transports", transport_params, no_fields, no_keys, .each = &transports,
            .each_bytes = TP_PARAMS_MAX),
    SECTION("recoveries", recovery_params, no_fields, no_keys, .each = &recoveries,
            .each_bytes = RC_PARAMS_MAX),
    SECTION("run", run, run_fields, no_keys, .choices = NULL),
    SECTION("record", record, record_fields, record_keys, .choices = NULL),
    { 0 },
};

/* Its keys are some of those. */
static const struct scn_key net_keys[] = {
    { "switches", SCN_NODE_NAMES, true, "Their names." },
    { "hosts", SCN_NODE_NAMES, true, "Their names; a host has one link." },
    { "links", SCN_LINKS, true, "What is linked." },
    { 0 },
};
const struct scn_table scn_net_table = { .name = "network", .fields = no_fields, .keys = net_keys };

/* The items of lists. */

static const struct weir_field flow_fields[] = {
    WEIR_FIELD(struct scn_flow, bytes, "bytes", WEIR_BYTES, .fallback = UINT64_MAX, .min = 1,
               .max = UINT64_MAX, .help = "How much it sends; left out: without end."),
    WEIR_FIELD(struct scn_flow, rate_bps, "rate", WEIR_RATE, .fallback = WEIR_UNLIMITED,
               .min = 1000, .max = UINT64_MAX, .help = "Left out: as fast as it may."),
    WEIR_FIELD(struct scn_flow, start_ps, "start", WEIR_TIME, .max = 1000 * WEIR_PS_PER_S,
               .help = "When it starts."),
    WEIR_FIELD(struct scn_flow, cls, "class", WEIR_COUNT, .max = WEIR_MAX_CLASSES - 1,
               .help = "Its class."),
    WEIR_FIELD(struct scn_flow, transport, "transport", WEIR_CHOICE, .registry = &transports,
               .fallback = WEIR_AUTO, .help = "Left out: as transport.kind says."),
    { 0 },
};
static const struct scn_key flow_keys[] = {
    { "name", SCN_TEXT, false, "Left out: its ends, as in H1-H2." },
    { "from", SCN_NODE_NAME, true, "The host that sends." },
    { "to", SCN_NODE_NAME, true, "The host that receives." },
    { "via", SCN_NODE_NAMES, false,
      "The switches on its way.  Left out: a shortest path, by a hash of the flow." },
    { 0 },
};
const struct scn_table scn_flow_table = { .name = "flow",
                                          .fields = flow_fields,
                                          .keys = flow_keys };

static const struct weir_field flow_files_fields[] = {
    WEIR_FIELD(struct scn_flow_files, skip_ps, "skip", WEIR_TIME, .max = 1000 * WEIR_PS_PER_S,
               .help = "Time in the file that is 0 in the run."),
    { 0 },
};
static const struct scn_key flow_files_keys[] = {
    { "hpcc", SCN_FILE, false, "A flow file of HPCC's simulator." },
    { "htsim", SCN_FILE, false, "A connection matrix of htsim." },
    { 0 },
};
const struct scn_table scn_flow_files_table = { .name = "flows",
                                                .fields = flow_files_fields,
                                                .keys = flow_files_keys };

/* Workloads: what all patterns have; the rest is the pattern's. */

static const struct weir_field workload_fields[] = {
    WEIR_FIELD(struct scn_workload, kind, "kind", WEIR_CHOICE, .registry = &wl_patterns,
               .help = "The pattern: who sends to whom, and when."),
    WEIR_FIELD(struct scn_workload, start_ps, "start", WEIR_TIME, .max = 1000 * WEIR_PS_PER_S,
               .help = "Time before which no flow starts."),
    WEIR_FIELD(struct scn_workload, cls, "class", WEIR_COUNT, .max = WEIR_MAX_CLASSES - 1,
               .help = "Class of its flows."),
    WEIR_FIELD(struct scn_workload, transport, "transport", WEIR_CHOICE, .registry = &transports,
               .fallback = WEIR_AUTO,
               .help = "Transport of its flows; left out: as transport.kind says."),
    { 0 },
};
static const struct scn_key workload_keys[] = {
    { "hosts", SCN_NODE_NAMES, false, "Hosts that take part; left out: all." },
    { 0 },
};
static const struct scn_key sizes_keys[] = {
    { "sizes", SCN_SIZES, false,
      "Distribution of flow sizes: a name such as web-search, a file of bytes and per cent, or "
      "points." },
    { 0 },
};

static const struct scn_key *
keys_of_pattern(const struct weir_plugin *pattern)
{
    return ((const struct wl_pattern *)pattern)->instead_of_sizes ? sizes_keys : NULL;
}

static const struct scn_choice workload_choices[] = {
    { "kind", offsetof(struct scn_workload, params), keys_of_pattern, NULL },
    { 0 },
};
const struct scn_table scn_workload_table = { .name = "workload",
                                              .fields = workload_fields,
                                              .keys = workload_keys,
                                              .needed_field = "kind",
                                              .choices = workload_choices };

static const struct weir_field link_fields[] = {
    LINK_FIELDS(struct topo_link, "this link", WEIR_AUTO, WEIR_AUTO, WEIR_AUTO),
    { 0 },
};
static const struct scn_key link_keys[] = {
    { "ends", SCN_PAIR, true, "The two nodes that it links." },
    { "down", SCN_TIMES, false, "When it goes down." },
    { "up", SCN_TIMES, false, "When it comes up again." },
    { 0 },
};
const struct scn_table scn_link_table = { .name = "link",
                                          .fields = link_fields,
                                          .keys = link_keys };

static const struct scn_key static_keys[] = {
    { "at", SCN_NODE_NAME, true, "The switch that has it." },
    { "to", SCN_NODE_NAME, true, "The host that it leads to, or a switch: all hosts there." },
    { "via", SCN_NODE_NAME, true, "The neighbour that it sends to, while their link is up." },
    { 0 },
};
const struct scn_table scn_static_table = { .name = "static route",
                                            .fields = no_fields,
                                            .keys = static_keys };

static const struct weir_field stall_fields[] = {
    WEIR_FIELD(struct scn_stall, from_ps, "from", WEIR_TIME, .max = 1000 * WEIR_PS_PER_S,
               .help = "From then on it drains nothing."),
    WEIR_FIELD(struct scn_stall, until_ps, "until", WEIR_TIME, .fallback = UINT64_MAX,
               .max = 1000 * WEIR_PS_PER_S,
               .help = "Then it drains all at once.  Left out: never in this run."),
    WEIR_FIELD(struct scn_stall, cls, "class", WEIR_COUNT, .fallback = UINT64_MAX,
               .max = WEIR_MAX_CLASSES - 1, .help = "Of this class only.  Left out: of all."),
    { 0 },
};
#define SPEED(MEMBER, NAME, KIND, ...)                                                             \
    WEIR_FIELD(struct scn_speed, MEMBER, NAME, KIND, .fallback = WEIR_AUTO, __VA_ARGS__)
#define AS_OTHERS .derived = "what ports of any speed have"

static const struct weir_field speed_fields[] = {
    WEIR_FIELD(struct scn_speed, rate_bps, "rate", WEIR_RATE, .min = 1000,
               .max = (100 * (uint64_t)WEIR_PS_PER_S),
               .help = "Rate from which on a port has what follows."),
    SPEED(buffer_bytes, "buffer", WEIR_BYTES, .max = WEIR_MAX_BYTES, AS_OTHERS,
          .help = "Buffer that each class of such a port has for itself."),
    SPEED(limit_bytes, "limit", WEIR_BYTES, .max = WEIR_MAX_BYTES, AS_OTHERS,
          .help = "Most that one class of such a port may take of what is shared."),
    SPEED(alpha, "alpha", WEIR_RATIO, .max = 128 * WEIR_RATIO_1, AS_OTHERS,
          .help = "Share of the free shared buffer that one class of such a port may take."),
    SPEED(headroom_bytes, "headroom", WEIR_BYTES, .max = WEIR_MAX_BYTES, AS_OTHERS,
          .help = "Headroom of each class of such a port."),
    { 0 },
};
const struct scn_table scn_speed_table = {
    .name = "speed", .fields = speed_fields, .keys = no_keys, .needed_field = "rate"
};

static const struct weir_field role_fields[] = {
    WEIR_FIELD(struct scn_role, tier, "tier", WEIR_COUNT, .fallback = SCN_ANY_TIER, .max = 1000,
               .help = "Nodes so many links from the nearest host: 0 is hosts, 1 switches that "
                       "have hosts.  Left out: of any tier."),
    { 0 },
};
static const struct scn_key role_keys[] = {
    { "name", SCN_TEXT, false, "Name of the role in results.  Left out: what it matches." },
    { "nodes", SCN_ROOTS, false,
      "Names of nodes, or patterns as in \"C*\".  Left out: nodes of any name." },
    { "engine", SCN_STACK, false, "The scheme of these nodes, or a stack of them." },
    { "engines", SCN_PARAMETERS, false, "Parameters of engines at these nodes." },
    { "switch", SCN_SECTION, false, "What differs from the section 'switch' at these nodes." },
    { 0 },
};
const struct scn_table scn_role_table = { .name = "role",
                                          .fields = role_fields,
                                          .keys = role_keys };

static const struct scn_key stall_keys[] = {
    { "at", SCN_NODE_NAME, true, "The host." },
    { 0 },
};
const struct scn_table scn_stall_table = { .name = "stall",
                                           .fields = stall_fields,
                                           .keys = stall_keys };

static const char *const claim_kinds[] = {
    [SCN_DEADLOCK] = "deadlock", [SCN_GOODPUT] = "goodput", [SCN_QUEUE] = "queue",
    [SCN_PEAK] = "peak",         [SCN_RATE] = "rate",       0
};
static const struct weir_field claim_fields[] = {
    WEIR_FIELD(struct scn_claim, of, "of", WEIR_CHOICE, .choices = claim_kinds,
               .help = "What is measured."),
    WEIR_FIELD(struct scn_claim, within, "within", WEIR_RATIO, .fallback = (WEIR_RATIO_1 + 19) / 20,
               .max = WEIR_RATIO_1, .help = "How far from it still holds."),
    { 0 },
};
static const struct scn_key claim_keys[] = {
    { "engine", SCN_ENGINE_NAME, true, "Under which engine." },
    { "published", SCN_PUBLISHED, true, "What the paper says." },
    { "flow", SCN_TEXT, false, "Of goodput: the name of the flow." },
    { "queue", SCN_PAIR, false,
      "Of queue, peak and rate: [S1, H1] is at S1, of what comes from H1." },
    { "source", SCN_TEXT, true, "Section and figure of the paper." },
    { 0 },
};
const struct scn_table scn_claim_table = {
    .name = "claim", .fields = claim_fields, .keys = claim_keys, .needed_field = "of"
};

/* At the top, besides the sections. */
const struct scn_key scn_top_keys[] = {
    [TOP_NAME] = { "name", SCN_TEXT, false, "Left out: that of the file." },
    [TOP_BASE] = { "base", SCN_FILE, false,
                   "Another scenario to start from; what stands here goes before it." },
    [TOP_ENGINE] = { "engine", SCN_STACK, false, "The scheme, or a stack of them." },
    [TOP_ENGINES] = { "engines", SCN_PARAMETERS, false, "Parameters of each engine." },
    [TOP_ROLES] = { "roles", SCN_ROLES, false,
                    "Nodes that differ from the others, chosen by name or by tier." },
    [TOP_FLOWS] = { "flows", SCN_FLOWS, false, "What is sent, or a file that says so." },
    [TOP_WORKLOAD] = { "workload", SCN_WORKLOADS, false,
                       "Flows that are drawn, besides those: a pattern, or a list of them." },
    [TOP_STALLS] = { "stalls", SCN_STALLS, false, "Hosts that do not drain for a while." },
    [TOP_EXPECT] = { "expect", SCN_EXPECTATIONS, false,
                     "Broken promises that are expected; others fail the run." },
    [TOP_CLAIMS] = { "claims", SCN_CLAIMS, false, "What a paper says, for weir reproduce." },
    [N_TOP] = { 0 },
};

const struct scn_table *
scn_section_find(const char *name)
{
    const struct scn_table *t = scn_sections;

    while (strcmp(t->name, name)) {
        t++;
    }
    return t;
}

const struct weir_field *
scn_section_fields(const char *section)
{
    return scn_section_find(section)->fields;
}

const char *
scn_arbitration(const struct scenario *s)
{
    return weir_plugin_name(&sim_arbitrations, s->switches.arbitration);
}

const char *
scn_watchdog(const struct scenario *s)
{
    return watchdogs[s->switches.watchdog];
}
