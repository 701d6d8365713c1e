/* What a scenario may say: every key with its unit, default, range and meaning. */

#include <string.h>

#include "scenario/resolver.h"
#include "sim/nodes/kind.h"

static const char *const topology_kinds[] = {
    [RING] = "ring",
    [INCAST] = "incast",
    [DUMBBELL] = "dumbbell",
    [FAT_TREE] = "fat-tree",
    [LEAF_SPINE] = "leaf-spine",
    [THREE_TIER] = "three-tier",
    [TORUS] = "torus",
    [FROM_FILE] = "file",
    [FROM_HPCC] = "hpcc",
    [FROM_HTSIM] = "htsim",
    [FROM_CONTAINERLAB] = "containerlab",
    0,
};
const char *const *const scn_file_kinds = &topology_kinds[FROM_FILE];
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

#define N_OF(ARRAY) (sizeof(ARRAY) / sizeof *(ARRAY))
#define MAX_RATE    (100 * (uint64_t)WEIR_PS_PER_S)

/* Of the topology for every link, and of one link, where WEIR_AUTO stands for the topology's. */
#define LINK_FIELDS(TYPE, OF, RATE, DELAY, LOSS)                                                   \
    WEIR_FIELD(TYPE, rate_bps, "rate", WEIR_RATE, .fallback = (RATE), .min = 1000,                 \
               .max = MAX_RATE, .help = "Of " OF "."),                                             \
        WEIR_FIELD(TYPE, delay_ps, "delay", WEIR_TIME, .fallback = (DELAY),                        \
                   .max = WEIR_PS_PER_S / 10, .help = "Of " OF ", one way."),                      \
        WEIR_FIELD(TYPE, loss, "loss", WEIR_RATIO, .fallback = (LOSS), .max = WEIR_RATIO_1 - 1,    \
                   .help = "Share of packets and frames that are lost on " OF ".")

static const struct weir_field topology_fields[] = {
    WEIR_FIELD(struct scn_topology, kind, "kind", WEIR_CHOICE, .choices = topology_kinds,
               .help = "How the network is built."),
    WEIR_FIELD(struct scn_topology, switches, "switches", WEIR_COUNT, .fallback = 3, .min = 2,
               .max = 1000, .help = "Of a ring; a host stands at each."),
    WEIR_FIELD(
        struct scn_topology, hosts, "hosts", WEIR_COUNT, .fallback = 2, .min = 1, .max = 10000,
        .help = "Senders of an incast, or hosts at each side of a dumbbell, at each leaf, at "
                "each switch of a torus."),
    WEIR_FIELD(struct scn_topology, k, "k", WEIR_COUNT, .fallback = 4, .min = 2, .max = 64,
               .help = "Ports a switch of a fat tree, even; it has k^3/4 hosts."),
    WEIR_FIELD(struct scn_topology, pods, "pods", WEIR_COUNT, .fallback = 2, .min = 1, .max = 256,
               .help = "Of three tiers."),
    WEIR_FIELD(struct scn_topology, leaves, "leaves", WEIR_COUNT, .fallback = 4, .min = 1,
               .max = 1000, .help = "Of two tiers, or of each pod of three."),
    WEIR_FIELD(struct scn_topology, spines, "spines", WEIR_COUNT, .fallback = 2, .min = 1,
               .max = 1000, .help = "Of two tiers, or of each pod of three."),
    WEIR_FIELD(struct scn_topology, cores, "cores", WEIR_COUNT, .fallback = 2, .min = 1,
               .max = 1000, .help = "Of three tiers; a multiple of the spines of a pod."),
    WEIR_FIELD(struct scn_topology, x, "x", WEIR_COUNT, .fallback = 4, .min = 3, .max = 64,
               .help = "Switches in a row of a torus."),
    WEIR_FIELD(struct scn_topology, y, "y", WEIR_COUNT, .fallback = 4, .min = 3, .max = 64,
               .help = "Rows of a torus."),
    WEIR_FIELD(struct scn_topology, uplink_bps, "uplink", WEIR_RATE, .fallback = WEIR_AUTO,
               .min = 1000, .max = MAX_RATE, .derived = "the same as rate",
               .help = "Rate of links from leaves to spines."),
    WEIR_FIELD(struct scn_topology, core_bps, "core_uplink", WEIR_RATE, .fallback = WEIR_AUTO,
               .min = 1000, .max = MAX_RATE, .derived = "the same as rate",
               .help = "Rate of links from spines to cores."),
    LINK_FIELDS(struct scn_topology, "every link", 100000000000, 1000000, 0),
    { 0 },
};
static const struct scn_key topology_keys[] = {
    { "links", SCN_LINKS, false, "Links that differ from the others, or go down and up." },
    { "failed", SCN_PAIRS, false, "Links that are there but never used." },
    { "failures", SCN_FAILURES, false, "More of them, by chance." },
    { 0 },
};

static const struct weir_field file_topology_fields[] = {
    WEIR_FIELD(struct scn_topology, kind, "kind", WEIR_CHOICE, .choices = topology_kinds,
               .help = "How the network is built."),
    LINK_FIELDS(struct scn_topology, "links that do not say theirs", 100000000000, 1000000, 0),
    { 0 },
};
static const struct scn_key file_topology_keys[] = {
    { "file", SCN_FILE, false, "Another file, with switches, hosts and links, as kind has it." },
    { "switches", SCN_NODE_NAMES, false, "Their names." },
    { "hosts", SCN_NODE_NAMES, false, "Their names; a host has one link." },
    { "links", SCN_LINKS, false, "What is linked; beside 'file', links that differ from it." },
    { "failed", SCN_PAIRS, false, "Links that are there but never used." },
    { "failures", SCN_FAILURES, false, "More of them, by chance." },
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
const struct scn_table scn_failures_table = { "failures", failures_fields, no_keys, 0, NULL };

static const struct weir_field routing_fields[] = {
    WEIR_FIELD(struct scn_routing, kind, "kind", WEIR_CHOICE, .choices = routings,
               .help = "All shortest paths, or those that go up towards the roots and then down."),
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
    WEIR_FIELD(struct scn_switch, host_share, "host_share", WEIR_RATIO,
               .fallback = WEIR_RATIO_1 / 2, .min = WEIR_RATIO_1 / 100,
               .max = WEIR_RATIO_1 - WEIR_RATIO_1 / 100,
               .help = "Of wfq: what an input from a host gets of an output against one from a "
                       "switch."),
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
static const struct scn_key switch_keys[] = {
    { "weights", SCN_WEIGHTS, false, "Of dwrr, a class each; 0: strict, before the others." },
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

const struct scn_table scn_sections[] = {
    { "topology", topology_fields, topology_keys, offsetof(struct scenario, topology), NULL },
    { "routing", routing_fields, routing_keys, offsetof(struct scenario, routing), NULL },
    { "switch", switch_fields, switch_keys, offsetof(struct scenario, switches), NULL },
    { "wire", wire_fields, no_keys, offsetof(struct scenario, wire), NULL },
    { "transport", transport_fields, no_keys, offsetof(struct scenario, transport), NULL },
    { "dcqcn", tp_dcqcn_fields, no_keys, offsetof(struct scenario, transport_params[SCN_DCQCN]),
      NULL },
    { "dctcp", tp_dctcp_fields, no_keys, offsetof(struct scenario, transport_params[SCN_DCTCP]),
      NULL },
    { "selective", rc_selective_fields, no_keys,
      offsetof(struct scenario, recovery_params[SCN_SELECTIVE]), NULL },
    { "run", run_fields, no_keys, offsetof(struct scenario, run), NULL },
    { "record", record_fields, record_keys, offsetof(struct scenario, record), NULL },
    { 0 },
};
const struct scn_table scn_file_topology = { "topology", file_topology_fields, file_topology_keys,
                                             offsetof(struct scenario, topology), NULL };

/* Its keys are some of those. */
static const struct scn_key net_keys[] = {
    { "switches", SCN_NODE_NAMES, true, "Their names." },
    { "hosts", SCN_NODE_NAMES, true, "Their names; a host has one link." },
    { "links", SCN_LINKS, true, "What is linked." },
    { 0 },
};
const struct scn_table scn_net_table = { "network", no_fields, net_keys, 0, NULL };

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
const struct scn_table scn_flow_table = { "flow", flow_fields, flow_keys, 0, NULL };

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
const struct scn_table scn_flow_files_table = { "flows", flow_files_fields, flow_files_keys, 0,
                                                NULL };

/* Workloads: a table a kind, with the keys that mean something to it. */

static const char *const workload_kinds[] = { [SCN_POISSON] = "poisson",
                                              [SCN_CLOSED] = "closed",
                                              [SCN_PERMUTATION] = "permutation",
                                              [SCN_INCAST] = "incast",
                                              [SCN_ALL_TO_ALL] = "all-to-all",
                                              [SCN_RING_ALLREDUCE] = "ring-allreduce",
                                              0 };
static const char *const targets[] = { [SCN_ANY] = "any", [SCN_OTHER_RACK] = "other-rack", 0 };

#define MAX_DRAWN_BYTES WEIR_PS_PER_S /* A terabyte a flow: sums fit. */

#define WORKLOAD(MEMBER, NAME, KIND, ...)                                                          \
    WEIR_FIELD(struct scn_workload, MEMBER, NAME, KIND, __VA_ARGS__)
#define WORKLOAD_FIELDS(...)                                                                       \
    {                                                                                              \
        WORKLOAD(kind, "kind", WEIR_CHOICE, .choices = workload_kinds, .help = "The pattern."),    \
            __VA_ARGS__,                                                                           \
            WORKLOAD(start_ps, "start", WEIR_TIME, .max = 1000 * WEIR_PS_PER_S,                    \
                     .help = "Before it no flow starts."),                                         \
            WORKLOAD(cls, "class", WEIR_COUNT, .max = WEIR_MAX_CLASSES - 1,                        \
                     .help = "Of its flows."),                                                     \
            WORKLOAD(transport, "transport", WEIR_CHOICE, .registry = &transports,                 \
                     .fallback = WEIR_AUTO, .help = "Left out: as transport.kind says."),          \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

#define END_FIELD                                                                                  \
    WORKLOAD(end_ps, "end", WEIR_TIME, .fallback = WEIR_AUTO, .max = 1000 * WEIR_PS_PER_S,         \
             .derived = "the end of the run", .help = "From then on no flow starts.")
#define LOAD_FIELD(FALLBACK, OF)                                                                   \
    WORKLOAD(load, "load", WEIR_RATIO, .fallback = (FALLBACK), .min = 1, .max = 2 * WEIR_RATIO_1,  \
             .help = "Share of what the link of " OF " carries.")
#define DRAWN_BYTES_FIELD                                                                          \
    WORKLOAD(bytes, "bytes", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 1, .max = MAX_DRAWN_BYTES,  \
             .help = "Of each flow, instead of sizes that are drawn.")
#define BYTES_FIELD(FALLBACK, HELP)                                                                \
    WORKLOAD(bytes, "bytes", WEIR_BYTES, .fallback = (FALLBACK), .min = 1, .max = MAX_DRAWN_BYTES, \
             .help = HELP)
#define TO_FIELD(FALLBACK)                                                                         \
    WORKLOAD(to, "to", WEIR_CHOICE, .choices = targets, .fallback = (FALLBACK),                    \
             .help = "Whom a host sends to: any other, or one at another switch.")

static const struct weir_field poisson_fields[] = WORKLOAD_FIELDS(
    LOAD_FIELD(WEIR_RATIO_1 / 2, "each host"), DRAWN_BYTES_FIELD, TO_FIELD(SCN_ANY), END_FIELD);
static const struct weir_field closed_fields[] =
    WORKLOAD_FIELDS(DRAWN_BYTES_FIELD, TO_FIELD(SCN_OTHER_RACK), END_FIELD);
static const struct weir_field permutation_fields[] =
    WORKLOAD_FIELDS(BYTES_FIELD(WL_ENDLESS, "Of each flow; left out: without end."));
static const struct weir_field incast_fields[] = WORKLOAD_FIELDS(
    WORKLOAD(senders, "senders", WEIR_COUNT, .fallback = WEIR_AUTO, .min = 1, .max = 10000,
             .derived = "60, or all others if there are fewer", .help = "To one receiver at once."),
    BYTES_FIELD(500000, "Of each sender."), LOAD_FIELD((WEIR_RATIO_1 + 25) / 50, "all hosts"),
    END_FIELD);
static const struct weir_field all_to_all_fields[] =
    WORKLOAD_FIELDS(BYTES_FIELD(WL_ENDLESS, "Of each flow; left out: without end."));
static const struct weir_field ring_allreduce_fields[] =
    WORKLOAD_FIELDS(BYTES_FIELD(1000000, "What each host has to reduce."),
                    WORKLOAD(chunks, "chunks", WEIR_COUNT, .fallback = 1, .min = 1, .max = 1000,
                             .help = "Into how many a share is cut that go round independently."));

#define HOSTS_KEY                                                                                  \
    {                                                                                              \
        "hosts", SCN_NODE_NAMES, false, "Who takes part.  Left out: all."                          \
    }
static const struct scn_key drawn_keys[] = {
    { "sizes", SCN_SIZES, false,
      "web-search, hadoop, google-rpc, ali-storage, enterprise, a file of bytes and per cent, or "
      "points." },
    HOSTS_KEY,
    { 0 },
};
static const struct scn_key hosts_keys[] = { HOSTS_KEY, { 0 } };

const struct scn_table scn_workload_tables[] = {
    [SCN_POISSON] = { "poisson", poisson_fields, drawn_keys, 0, "kind" },
    [SCN_CLOSED] = { "closed", closed_fields, drawn_keys, 0, "kind" },
    [SCN_PERMUTATION] = { "permutation", permutation_fields, hosts_keys, 0, "kind" },
    [SCN_INCAST] = { "incast", incast_fields, hosts_keys, 0, "kind" },
    [SCN_ALL_TO_ALL] = { "all-to-all", all_to_all_fields, hosts_keys, 0, "kind" },
    [SCN_RING_ALLREDUCE] = { "ring-allreduce", ring_allreduce_fields, hosts_keys, 0, "kind" },
    { 0 },
};

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
const struct scn_table scn_link_table = { "link", link_fields, link_keys, 0, NULL };

static const struct scn_key static_keys[] = {
    { "at", SCN_NODE_NAME, true, "The switch that has it." },
    { "to", SCN_NODE_NAME, true, "The host that it leads to, or a switch: all hosts there." },
    { "via", SCN_NODE_NAME, true, "The neighbour that it sends to, while their link is up." },
    { 0 },
};
const struct scn_table scn_static_table = { "static route", no_fields, static_keys, 0, NULL };

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
static const struct scn_key stall_keys[] = {
    { "at", SCN_NODE_NAME, true, "The host." },
    { 0 },
};
const struct scn_table scn_stall_table = { "stall", stall_fields, stall_keys, 0, NULL };

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
const struct scn_table scn_claim_table = { "claim", claim_fields, claim_keys, 0, "of" };

/* At the top, besides the sections. */
const struct scn_key scn_top_keys[] = {
    [TOP_NAME] = { "name", SCN_TEXT, false, "Left out: that of the file." },
    [TOP_BASE] = { "base", SCN_FILE, false,
                   "Another scenario to start from; what stands here goes before it." },
    [TOP_ENGINE] = { "engine", SCN_STACK, false, "The scheme, or a stack of them." },
    [TOP_ENGINES] = { "engines", SCN_PARAMETERS, false, "Parameters of each engine." },
    [TOP_FLOWS] = { "flows", SCN_FLOWS, false, "What is sent, or a file that says so." },
    [TOP_WORKLOAD] = { "workload", SCN_WORKLOADS, false,
                       "Flows that are drawn, besides those: a pattern, or a list of them." },
    [TOP_STALLS] = { "stalls", SCN_STALLS, false, "Hosts that do not drain for a while." },
    [TOP_EXPECT] = { "expect", SCN_EXPECTATIONS, false,
                     "Broken promises that are expected; others fail the run." },
    [TOP_CLAIMS] = { "claims", SCN_CLAIMS, false, "What a paper says, for weir reproduce." },
    [N_TOP] = { 0 },
};

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

enum topology_kind
scn_topology_kind(const char *word)
{
    for (uint32_t kind = 0; topology_kinds[kind]; kind++) {
        if (!strcmp(topology_kinds[kind], word)) {
            return kind;
        }
    }
    return RING;
}

const struct scn_table *
scn_table_of(const struct scn_table *section, uint64_t topology_kind)
{
    return section == scn_sections && topology_kind >= FROM_FILE ? &scn_file_topology : section;
}

/* A ring's size is its switches, and hosts and k mean nothing to it. */
bool
scn_field_applies(const struct scenario *s, const struct weir_field *f)
{
    static const char *const sizes[][7] = {
        [RING] = { "switches" },
        [INCAST] = { "hosts" },
        [DUMBBELL] = { "hosts" },
        [FAT_TREE] = { "k" },
        [LEAF_SPINE] = { "leaves", "spines", "hosts", "uplink" },
        [THREE_TIER] = { "pods", "leaves", "spines", "cores", "hosts", "uplink", "core_uplink" },
        [TORUS] = { "x", "y", "hosts" },
    };
    static const char *const of_all[] = { "kind", "rate", "delay", "loss" };
    bool is_topology = f >= topology_fields && f < topology_fields + N_OF(topology_fields);
    bool applies = !is_topology;

    for (size_t i = 0; !applies && i < N_OF(of_all); i++) {
        applies = !strcmp(f->name, of_all[i]);
    }
    for (size_t i = 0; !applies && i < N_OF(sizes[0]) && sizes[s->topology.kind][i]; i++) {
        applies = !strcmp(f->name, sizes[s->topology.kind][i]);
    }
    return applies;
}
