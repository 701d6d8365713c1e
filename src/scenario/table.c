/* The schema of a scenario: every key with its unit, default, range and meaning. */

#include <string.h>

#include "graph/trace.h"
#include "scenario/resolver.h"
#include "sim/nodes/kind.h"
#include "weir/wire.h"

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

/* Fields for all links of the topology, and for a single link, in which WEIR_AUTO means the value
 * of the topology. */
#define LINK_FIELDS(TYPE, OF, RATE, DELAY, LOSS)                                                   \
    WEIR_FIELD(TYPE, rate_bps, "rate", WEIR_RATE, .fallback = (RATE), .min = 1000,                 \
               .max = TOPO_MAX_RATE, .help = "Bit rate of " OF "."),                               \
        WEIR_FIELD(TYPE, delay_ps, "delay", WEIR_TIME, .fallback = (DELAY),                        \
                   .max = WEIR_PS_PER_S / 10, .help = "One-way delay of " OF "."),                 \
        WEIR_FIELD(TYPE, loss, "loss", WEIR_RATIO, .fallback = (LOSS), .max = WEIR_RATIO_1 - 1,    \
                   .help = "Share of packets and control frames that get lost on " OF ".")

static const struct weir_field topology_fields[] = {
    WEIR_FIELD(struct scn_topology, kind, "kind", WEIR_CHOICE, .registry = &scn_topologies,
               .help = "Shape of the network, or format of the file that describes it."),
    LINK_FIELDS(struct scn_topology, "every link that does not set its own", 100000000000, 1000000,
                0),
    WEIR_FIELD(struct scn_topology, parallel, "parallel", WEIR_COUNT, .fallback = 1, .min = 1,
               .max = 64,
               .help = "Number of links between each pair of linked switches.  A network that "
                       "lists its links sets count at each link instead."),
    { 0 },
};
static const struct scn_key topology_keys[] = {
    { "links", SCN_LINKS, false,
      "Links that differ from the others, or that go down, come up or slow down during the run.  "
      "With kind: "
      "file, the list of all links." },
    { "failed", SCN_PAIRS, false, "Links that are down for the whole run." },
    { "failures", SCN_FAILURES, false,
      "Random failures: further links that are down for the whole run." },
    { 0 },
};
const struct scn_key scn_hpcc_keys[] = {
    { "config", SCN_FILE, false,
      "Config of HPCC's simulator, which sets topology, flows, switches, transport and run; keys "
      "of the scenario override it." },
    { "file", SCN_FILE, false, "File that describes the network, in the format that kind names." },
    { "switches", SCN_NODE_NAMES, false,
      "Names of the switches. With kind: containerlab, patterns for nodes that are switches, as in "
      "[frr*]." },
    { "hosts", SCN_NODE_NAMES, false,
      "Names of the hosts; a host has one link or several. With kind: containerlab, "
      "patterns for hosts, as in [server*]." },
    { 0 },
};
const struct scn_key *const scn_names_keys = scn_hpcc_keys + 1;

static bool
is_built(const struct weir_plugin *topology)
{
    return ((const struct topology *)topology)->build;
}

static const struct scn_key *
keys_of_topology(const struct weir_plugin *topology)
{
    if (is_built(topology)) {
        return NULL;
    }
    const struct scn_key *own = ((const struct scn_format *)topology)->keys;
    return own ? own : scn_names_keys;
}

static bool
are_built(const struct weir_plugin *chosen, const struct weir_plugin *other)
{
    return is_built(chosen) && is_built(other);
}

static const struct scn_choice topology_choices[] = {
    { "kind", offsetof(struct scn_topology, params), TOPO_PARAMS_MAX, keys_of_topology, are_built },
    { 0 },
};

static const struct weir_field failures_fields[] = {
    WEIR_FIELD(struct scn_failures, probability, "probability", WEIR_RATIO, .max = WEIR_RATIO_1,
               .help = "Probability with which each link fails."),
    WEIR_FIELD(struct scn_failures, seed, "seed", WEIR_COUNT, .fallback = 1, .max = UINT32_MAX,
               .help = "Seed for these failures only, independent of run.seed."),
    WEIR_FIELD(struct scn_failures, of, "of", WEIR_CHOICE, .choices = links_of,
               .help = "Links that may fail: those between switches, those of hosts, or all."),
    { 0 },
};
static const struct scn_key no_keys[] = { { 0 } };

#define TABLE(NAME, FIELDS, KEYS, NEEDED_FIELD)                                                    \
    {                                                                                              \
        .name = (NAME), .fields = (FIELDS), .keys = (KEYS), .needed_field = (NEEDED_FIELD)         \
    }

const struct scn_table scn_failures_table = TABLE("failures", failures_fields, no_keys, NULL);

static const char *const dead_names[] = { "forward", "flush", "wait", 0 }; /* In the order of enum
                                                                            * model_dead. */

static const struct weir_field routing_fields[] = {
    WEIR_FIELD(struct scn_routing, kind, "kind", WEIR_CHOICE, .choices = routings,
               .help = "Routes that packets take: all shortest paths, or only paths that first go "
                       "up towards the roots and then down."),
    WEIR_FIELD(struct scn_routing, paths, "paths", WEIR_CHOICE, .registry = &sim_path_choices,
               .help = "Rule by which a packet chooses among several equally short paths."),
    WEIR_FIELD(struct scn_routing, reroute_ps, "reroute", WEIR_TIME, .max = 10 * WEIR_PS_PER_S,
               .help = "Time from a link going down or coming up until all switches have new "
                       "routes; 0: they keep their old routes."),
    WEIR_FIELD(struct scn_routing, dead, "dead", WEIR_CHOICE, .choices = dead_names,
               .help = "Treatment of packets that wait at a port of a switch whose link is down: "
                       "they take the new routes, are dropped at once, or wait for the link."),
    WEIR_FIELD(struct scn_routing, hop_limit, "hop_limit", WEIR_COUNT, .max = 255,
               .help = "Number of switches that a packet may cross before it is dropped, like an "
                       "IP TTL; 0: no limit."),
    { 0 },
};
static const struct scn_key routing_keys[] = {
    { "roots", SCN_ROOTS, false,
      "Root switches of up-down routing.  Left out: the switches farthest from any host, or the "
      "first switch if every switch has hosts." },
    { "static", SCN_STATICS, false, "Static routes; they take precedence over computed routes." },
    { 0 },
};

static const struct weir_field switch_fields[] = {
    WEIR_FIELD(struct scn_switch, kind, "kind", WEIR_CHOICE, .registry = &sim_kinds,
               .help = "Architecture of the switches: queues at outputs, or queues at inputs and "
                       "outputs with a pipeline or a crossbar between them."),
    WEIR_FIELD(struct scn_switch, arbitration, "arbitration", WEIR_CHOICE,
               .registry = &sim_arbitrations,
               .help = "Rule by which an output port chooses the input port to serve next."),
    WEIR_FIELD(struct scn_switch, scheduling, "scheduling", WEIR_CHOICE,
               .registry = &sim_schedulings,
               .help = "Rule by which a port of a switch or NIC chooses the traffic class to serve "
                       "next: round robin, the highest first, or by weight."),
    WEIR_FIELD(struct scn_switch, buffer_bytes, "buffer", WEIR_BYTES, .fallback = 1000000,
               .max = WEIR_MAX_BYTES,
               .help = "Dedicated buffer of each traffic class of each port."),
    WEIR_FIELD(struct scn_switch, partition_bytes, "partition", WEIR_BYTES, .max = WEIR_MAX_BYTES,
               .help = "Buffer of each traffic class that all ports share."),
    WEIR_FIELD(struct scn_switch, shared_bytes, "shared", WEIR_BYTES, .max = WEIR_MAX_BYTES,
               .help = "Buffer that all ports and classes share."),
    WEIR_FIELD(struct scn_switch, limit_bytes, "limit", WEIR_BYTES, .max = WEIR_MAX_BYTES,
               .help = "Maximum that one class of one port may take of the shared buffer and of "
                       "its partition."),
    WEIR_FIELD(struct scn_switch, alpha, "alpha", WEIR_RATIO, .max = 128 * WEIR_RATIO_1,
               .help = "Dynamic threshold in place of the limit: alpha times the free part of the "
                       "shared buffer and its partition."),
    WEIR_FIELD(struct scn_switch, headroom_bytes, "headroom", WEIR_BYTES, .max = WEIR_MAX_BYTES,
               .help = "Headroom of each class of each port: for what arrives above a dynamic "
                       "threshold; a derived static threshold rises by it."),
    WEIR_FIELD(struct scn_switch, response_ps, "response", WEIR_TIME, .fallback = WEIR_AUTO,
               .max = WEIR_PS_PER_S / 10,
               .derived = "the longest that IEEE 802.3 31B.3.7 allows at the rate of each port",
               .help = "Response time of switches and NICs: from the last bit of a control frame "
                       "to its effect."),
    WEIR_FIELD(struct scn_switch, watchdog, "watchdog", WEIR_CHOICE, .choices = watchdogs,
               .help = "SONiC's PFC watchdog, for a queue that stays paused: drop its packets, "
                       "forward them in spite of the pause, or count."),
    WEIR_FIELD(struct scn_switch, detection_ps, "watchdog_detection", WEIR_TIME,
               .fallback = WEIR_PS_PER_S / 5, .min = 1000000, .max = 100 * WEIR_PS_PER_S,
               .help = "Time that a queue with packets must be paused until the watchdog acts; "
                       "200ms is SONiC's default."),
    WEIR_FIELD(struct scn_switch, restoration_ps, "watchdog_restoration", WEIR_TIME,
               .fallback = WEIR_AUTO, .min = 1000000, .max = 200 * WEIR_PS_PER_S,
               .derived = "twice the detection time, as SONiC's `pfcwd start` has it",
               .help = "Time without a pause frame from the peer after which the watchdog releases "
                       "the queue."),
    { 0 },
};
/* Allows parameters of other choices, so that --set can change the arbitration alone. */
static bool
takes_any(const struct weir_plugin *chosen, const struct weir_plugin *other)
{
    (void)chosen, (void)other;
    return true;
}

#define CHOICE(FIELD, TYPE, PARAMS)                                                                \
    {                                                                                              \
        .field = (FIELD), .params = offsetof(TYPE, PARAMS),                                        \
        .params_bytes = sizeof(((TYPE *)0)->PARAMS), .takes = takes_any                            \
    }

static const struct scn_choice routing_choices[] = {
    CHOICE("paths", struct scn_routing, path_params),
    { 0 },
};
static const struct scn_choice switch_choices[] = {
    CHOICE("kind", struct scn_switch, kind_params),
    CHOICE("arbitration", struct scn_switch, arbitration_params),
    CHOICE("scheduling", struct scn_switch, scheduling_params),
    { 0 },
};
static const struct scn_key switch_keys[] = {
    { "weights", SCN_WEIGHTS, false,
      "Weights of the traffic classes under dwrr, one per class; 0: strict priority over the "
      "weighted classes." },
    { "speeds", SCN_SPEEDS, false,
      "Other buffer settings for ports from a given rate upwards, as switches give faster ports "
      "more buffer." },
    { 0 },
};

static const struct weir_field wire_fields[] = {
    WEIR_FIELD(struct scn_wire, mtu_bytes, "mtu", WEIR_BYTES, .fallback = 1500, .min = 64,
               .max = 65535, .help = "Size of the largest packet."),
    WEIR_FIELD(struct scn_wire, gap_bytes, "gap", WEIR_BYTES, .fallback = 20, .max = 1000,
               .help = "Preamble and interframe gap that each frame takes on the wire."),
    WEIR_FIELD(struct scn_wire, classes, "classes", WEIR_COUNT, .fallback = 1, .min = 1,
               .max = WEIR_MAX_CLASSES, .help = "Number of traffic classes."),
    WEIR_FIELD(struct scn_wire, lossless, "lossless", WEIR_CODE, .fallback = 0xff, .max = 0xff,
               .help = "Bit mask of the lossless classes: if bit c is set, class c is under flow "
                       "control."),
    { 0 },
};

static const char *const turns[] = { "last", "next", 0 };

static const struct weir_field transport_fields[] = {
    WEIR_FIELD(struct scn_transport, kind, "kind", WEIR_CHOICE, .registry = &transports,
               .help = "Transport of the senders: raw only sends; the others also retransmit what "
                       "was lost."),
    WEIR_FIELD(struct scn_transport, recovery, "recovery", WEIR_CHOICE, .registry = &recoveries,
               .fallback = WEIR_AUTO,
               .derived =
                   "the default of the transport: none for raw, selective for tcp, go-back-n "
                   "for the others",
               .help = "Method by which lost packets are detected and retransmitted; raw senders "
                       "never retransmit."),
    WEIR_FIELD(struct scn_transport, ack_pkts, "ack", WEIR_COUNT, .fallback = 1, .min = 1,
               .max = 1000, .help = "Packets per ACK."),
    WEIR_FIELD(struct scn_transport, turn, "turn", WEIR_CHOICE, .choices = turns,
               .max = SCN_TURN_NEXT,
               .help = "Time at which a host that is already sending flows sends the first packet "
                       "of a new one: last, after a packet of each other flow; or next."),
    WEIR_FIELD(struct scn_transport, timeout_ps, "timeout", WEIR_TIME, .fallback = TP_TIMEOUT_PS,
               .min = 1000000, .max = 10 * WEIR_PS_PER_S,
               .help = "Time without a new ACK after which a sender retransmits all that is not "
                       "acknowledged; tcp has tcp.min_rto instead."),
    WEIR_FIELD(struct scn_transport, answers, "answers", WEIR_COUNT, .fallback = WEIR_AUTO,
               .max = WEIR_MAX_CLASSES - 1, .derived = "the class of the flow that is answered",
               .help = "Traffic class of what receivers send back: ACKs, NACKs and congestion "
                       "notifications (CNPs)."),
    WEIR_FIELD(struct scn_transport, answer_bytes, "answer_size", WEIR_BYTES,
               .fallback = WEIR_CONTROL_BYTES, .min = WEIR_CONTROL_BYTES, .max = 1500,
               .help = "Size of ACKs, NACKs and CNPs; an ACK with telemetry is longer, such as 88 "
                       "bytes in HPCC's simulator."),
    WEIR_FIELD(struct scn_transport, cnp_delay_ps, "cnp_delay", WEIR_TIME, .max = WEIR_PS_PER_S,
               .help = "Time that the receiving NIC takes from the arrival of a marked packet to "
                       "sending the congestion notification (CNP) for it."),
    { 0 },
};

static const struct weir_field run_fields[] = {
    WEIR_FIELD(struct scn_run, time_ps, "time", WEIR_TIME, .fallback = 10000000000, .min = 1000000,
               .max = 1000 * WEIR_PS_PER_S,
               .help = "Simulated time of the run; with run_out, the time in which flows start."),
    WEIR_FIELD(struct scn_run, warm_up_ps, "warm_up", WEIR_TIME, .max = 1000 * WEIR_PS_PER_S,
               .help = "Warm-up: flows that start earlier are simulated, but statistics of flows "
                       "do not count them."),
    WEIR_FIELD(struct scn_run, run_out_ps, "run_out", WEIR_TIME, .max = 1000 * WEIR_PS_PER_S,
               .help = "Longest time after run.time for which the run continues, without new "
                       "flows, until measured flows have ended; 0: none."),
    WEIR_FIELD(struct scn_run, seed, "seed", WEIR_COUNT, .fallback = 1, .max = UINT32_MAX,
               .help = "Seed for every random choice."),
    { 0 },
};

static const struct weir_field record_fields[] = {
    WEIR_FIELD(struct scn_record, every_ps, "every", WEIR_TIME, .fallback = WEIR_AUTO, .min = 1000,
               .max = 1000 * WEIR_PS_PER_S,
               .derived = "a thousandth of run.time; more if run.run_out is over 9999 times longer",
               .help = "Time from one sample to the next."),
    WEIR_FIELD(struct scn_record, flows, "flows", WEIR_CHOICE, .choices = none_or_all,
               .fallback = WEIR_AUTO, .derived = "all, if there are at most 1000",
               .help = "Flows that are sampled over time."),
    WEIR_FIELD(struct scn_record, events, "events", WEIR_CHOICE, .choices = no_or_yes,
               .fallback = 1,
               .help = "Whether single events are recorded: pauses, drops, link failures."),
    WEIR_FIELD(struct scn_record, why, "why", WEIR_CHOICE, .choices = no_or_yes,
               .help = "Whether the run records how long each flow was blocked, where and by what, "
                       "for `weir why`."),
    WEIR_FIELD(struct scn_record, gates, "gates", WEIR_CHOICE, .choices = no_or_yes, .fallback = 1,
               .help = "Whether the gates of the sampled ports are sampled too: what flow control "
                       "lets each class send."),
    WEIR_FIELD(struct scn_record, outputs, "outputs", WEIR_CHOICE, .choices = no_or_yes,
               .fallback = WEIR_AUTO,
               .derived = "yes, if switches have separate input and output queues, or an engine "
                          "acts on output queues",
               .help = "Whether output queues of the sampled ports of switches are sampled, too, "
                       "and bytes inside pipelines."),
    WEIR_FIELD(struct scn_record, senders, "senders", WEIR_CHOICE, .choices = no_or_yes,
               .fallback = WEIR_AUTO,
               .derived = "yes, if an engine limits single flows, or transports do and there are "
                          "at most 64 flows",
               .help = "Whether senders of sampled flows are sampled, too: bytes sent, rate, "
                       "window, limits by engines, and messages."),
    WEIR_FIELD(struct scn_record, held, "held", WEIR_CHOICE, .choices = no_or_yes,
               .fallback = WEIR_AUTO,
               .derived = "yes, if an engine limits single flows and there are at most 64 flows",
               .help = "Whether the bytes of each flow at the inputs of the sampled ports of "
                       "switches are sampled."),
    { 0 },
};
static const struct scn_key record_keys[] = {
    { "ports", SCN_PORTS, false,
      "Ports whose queues are sampled: all, none, or a list; [S1, H1] is S1's port towards H1.  "
      "Left out: all, with up to 256 ports or 4096 x 1024 samples." },
    { 0 },
};

static const struct weir_field no_fields[] = { { 0 } };

#define SECTION(NAME, MEMBER, FIELDS, KEYS, ...)                                                   \
    {                                                                                              \
        .name = (NAME), .fields = (FIELDS), .keys = (KEYS),                                        \
        .offset = offsetof(struct scenario, MEMBER), __VA_ARGS__                                   \
    }

const struct scn_table scn_sections[] = {
    SECTION("topology", topology, topology_fields, topology_keys, .short_field = "kind",
            .choices = topology_choices),
    SECTION("routing", routing, routing_fields, routing_keys, .short_field = "kind",
            .choices = routing_choices),
    SECTION("switch", switches, switch_fields, switch_keys, .short_field = "kind",
            .choices = switch_choices),
    SECTION("wire", wire, wire_fields, no_keys, .choices = NULL),
    SECTION("transport", transport, transport_fields, no_keys, .short_field = "kind",
            .choices = NULL),
    SECTION("transports", transport_params, no_fields, no_keys, .each = &transports,
            .each_bytes = TP_PARAMS_MAX),
    SECTION("recoveries", recovery_params, no_fields, no_keys, .each = &recoveries,
            .each_bytes = RC_PARAMS_MAX),
    SECTION("run", run, run_fields, no_keys, .choices = NULL),
    SECTION("record", record, record_fields, record_keys, .choices = NULL),
    { 0 },
};

/* The keys of a file with a network, which are some of the keys of the section 'topology'. */
static const struct scn_key net_keys[] = {
    { "switches", SCN_NODE_NAMES, true, "Names of the switches." },
    { "hosts", SCN_NODE_NAMES, true, "Names of the hosts; a host has one link or several." },
    { "links", SCN_LINKS, true, "The links, each with its two ends." },
    { 0 },
};
const struct scn_table scn_net_table = TABLE("network", no_fields, net_keys, NULL);

/* These tables describe the items of lists. */

static const struct weir_field flow_fields[] = {
    WEIR_FIELD(struct scn_flow, bytes, "bytes", WEIR_BYTES, .fallback = UINT64_MAX, .min = 1,
               .max = UINT64_MAX, .help = "Bytes that the flow sends; left out: without end."),
    WEIR_FIELD(struct scn_flow, rate_bps, "rate", WEIR_RATE, .fallback = WEIR_UNLIMITED,
               .min = 1000, .max = UINT64_MAX,
               .help = "Rate at which the flow sends at most; left out: as fast as the network "
                       "allows."),
    WEIR_FIELD(struct scn_flow, start_ps, "start", WEIR_TIME, .max = 1000 * WEIR_PS_PER_S,
               .help = "Time at which the flow starts."),
    WEIR_FIELD(struct scn_flow, stop_ps, "stop", WEIR_TIME, .fallback = UINT64_MAX,
               .max = 1000 * WEIR_PS_PER_S,
               .help = "Time from which on the flow sends nothing new; lost packets may still be "
                       "retransmitted.  Left out: never."),
    WEIR_FIELD(struct scn_flow, cls, "class", WEIR_COUNT, .max = WEIR_MAX_CLASSES - 1,
               .help = "Traffic class of the flow."),
    WEIR_FIELD(struct scn_flow, transport, "transport", WEIR_CHOICE, .registry = &transports,
               .fallback = WEIR_AUTO,
               .help = "Transport of the flow; left out: that of transport.kind."),
    WEIR_FIELD(struct scn_flow, dport, "dport", WEIR_COUNT, .fallback = UINT64_MAX,
               .max = UINT16_MAX,
               .help = "Destination port that `weir export --fct` writes for the flow; it has no "
                       "effect on the run.  Left out: 100."),
    { 0 },
};
static const struct scn_key flow_keys[] = {
    { "name", SCN_TEXT, false, "Name of the flow in results.  Left out: its ends, as in H1-H2." },
    { "from", SCN_NODE_NAME, true, "The host that sends." },
    { "to", SCN_NODE_NAME, true, "The host that receives." },
    { "nic", SCN_COUNT, false,
      "Number of the NIC, from 0, at servers that have several.  Left out: that of the NIC at the "
      "other end, or drawn by the seed, the same at both ends." },
    { "via", SCN_NODE_NAMES, false,
      "Switches that the flow crosses, in order; S1:2 also says by which port it leaves S1.  Left "
      "out: the paths of the routing." },
    { 0 },
};
const struct scn_table scn_flow_table = TABLE("flow", flow_fields, flow_keys, NULL);

static const struct weir_field flow_files_fields[] = {
    WEIR_FIELD(struct scn_flow_files, skip_ps, "skip", WEIR_TIME, .max = 1000 * WEIR_PS_PER_S,
               .help = "Time in the file at which the run begins."),
    WEIR_FIELD(struct scn_flow_files, header_bytes, "headers", WEIR_BYTES, .max = 1000,
               .help = "Header bytes of each packet, which the file does not count."),
    { 0 },
};
static const struct scn_key flow_files_keys[] = {
    { "hpcc", SCN_FILE, false, "Flow file of HPCC's simulator." },
    { "htsim", SCN_FILE, false, "Connection matrix of htsim." },
    { 0 },
};
const struct scn_table scn_flow_files_table =
    TABLE("flows", flow_files_fields, flow_files_keys, NULL);

/* Workloads: the parameters that all patterns have; each pattern adds its own. */

static const struct weir_field workload_fields[] = {
    WEIR_FIELD(struct scn_workload, kind, "kind", WEIR_CHOICE, .registry = &wl_patterns,
               .help = "Traffic pattern: senders, receivers and times of flows."),
    WEIR_FIELD(struct scn_workload, start_ps, "start", WEIR_TIME, .max = 1000 * WEIR_PS_PER_S,
               .help = "Time before which no flow of the workload starts."),
    WEIR_FIELD(struct scn_workload, cls, "class", WEIR_COUNT, .max = WEIR_MAX_CLASSES - 1,
               .help = "Traffic class of its flows."),
    WEIR_FIELD(struct scn_workload, transport, "transport", WEIR_CHOICE, .registry = &transports,
               .fallback = WEIR_AUTO,
               .help = "Transport of its flows; left out: that of transport.kind."),
    WEIR_FIELD(struct scn_workload, dport, "dport", WEIR_COUNT, .fallback = UINT64_MAX,
               .max = UINT16_MAX,
               .help = "Destination port of its flows in files for HPCC's simulator and scripts.  "
                       "Left out: 100."),
    { 0 },
};
static const struct scn_key workload_keys[] = {
    { "name", SCN_TEXT, false,
      "Name of the workload in results.  Left out: its kind, with its number if an earlier "
      "workload "
      "is called so." },
    { "hosts", SCN_NODE_NAMES, false,
      "Hosts that take part, or patterns as in \"H*:0\"; left out: all hosts." },
    { 0 },
};
static const struct scn_key sizes_keys[] = {
    { "sizes", SCN_SIZES, false,
      "Distribution of flow sizes: a name such as web-search, a file with lines of bytes and per "
      "cent, or a list of points." },
    { 0 },
};

static const struct scn_key receiver_keys[] = {
    { "to", SCN_NODE_NAME, false,
      "Host that receives; left out: a random host, drawn anew each time." },
    { 0 },
};

static const struct weir_field groups_fields[] = {
    WEIR_FIELD(struct scn_groups, size, "size", WEIR_COUNT, .fallback = WEIR_AUTO, .min = 2,
               .max = 1 << 20, .derived = "all hosts", .help = "Ranks of a group."),
    WEIR_FIELD(struct scn_groups, stride, "stride", WEIR_COUNT, .fallback = 1, .min = 1,
               .max = 1 << 20,
               .help = "Distance of two neighbours of a group: 1 for consecutive ranks, or the "
                       "hosts of a server for groups on rails."),
    { 0 },
};
const struct scn_table scn_groups_table = TABLE("groups", groups_fields, no_keys, NULL);

static const struct scn_key groups_keys[] = {
    { "groups", SCN_GROUPS, false,
      "Groups of ranks, each of which runs the collective at the same time.  Left out: one group "
      "of "
      "all hosts." },
    { 0 },
};

static const struct scn_key goal_keys[] = {
    { "goal", SCN_FILE, true,
      "File with the task graph, as text or binary.  Its rank i is the i-th host." },
    { 0 },
};

static const struct scn_key chakra_keys[] = {
    { "chakra", SCN_FILE, true,
      "Prefix of the names of files: rank i, the i-th host, has the file PREFIX.i.et." },
    { "process-groups", SCN_FILE, false,
      "JSON file with the ranks of groups, as in {\"1\": [0, 1]}, if the trace does not define "
      "them." },
    { 0 },
};

static const struct scn_key simai_keys[] = {
    { "simai", SCN_FILE, true, "File with the workload.  GPU i is the i-th host." },
    { 0 },
};

static const struct scn_key *
keys_of_trace(const struct wl_pattern *pattern)
{
    static const struct scn_key *const keys[TRACE_N_KINDS] = {
        [TRACE_GOAL] = goal_keys, [TRACE_CHAKRA] = chakra_keys, [TRACE_SIMAI] = simai_keys
    };
    int kind = 0;

    while (strcmp(trace_kinds[kind], pattern->about.name)) {
        kind++;
    }
    return keys[kind];
}

static const struct scn_key *
keys_of_pattern(const struct weir_plugin *plugin)
{
    const struct wl_pattern *pattern = (const struct wl_pattern *)plugin;

    return pattern->instead_of_sizes ? sizes_keys
           : pattern->takes_receiver ? receiver_keys
           : pattern->takes_groups   ? groups_keys
           : pattern->takes_trace    ? keys_of_trace(pattern)
                                     : NULL;
}

static const struct scn_choice workload_choices[] = {
    { "kind", offsetof(struct scn_workload, params), WL_PARAMS_MAX, keys_of_pattern, NULL },
    { 0 },
};
const struct scn_table scn_workload_table = { .name = "workload",
                                              .fields = workload_fields,
                                              .keys = workload_keys,
                                              .needed_field = "kind",
                                              .implied_by = trace_kinds,
                                              .choices = workload_choices };

static const struct weir_field link_fields[] = {
    LINK_FIELDS(struct topo_link, "this link; left out: as in topology", WEIR_AUTO, WEIR_AUTO,
                WEIR_AUTO),
    WEIR_FIELD(struct topo_link, is_inner, "inner", WEIR_CHOICE, .choices = no_or_yes,
               .help = "Whether the link is one inside a switching fabric, between two of its "
                       "switches."),
    WEIR_FIELD(struct scn_link_item, count, "count", WEIR_COUNT, .fallback = 1, .min = 1,
               .max = 1000,
               .help = "Number of parallel links between the two ends, for listed links."),
    { 0 },
};
static const struct scn_key link_keys[] = {
    { "ends", SCN_PAIR, true,
      "The two nodes that the link connects.  One of several links between them: [S1:2, S2], by "
      "the number of its port, from 0." },
    { "name", SCN_TEXT, false,
      "Name of the link; with count, the names are NAME-1, NAME-2 and so on." },
    { "down", SCN_TIMES, false, "Time, or list of times, at which the link goes down." },
    { "up", SCN_TIMES, false, "Time, or list of times, at which the link comes up again." },
    { "slow", SCN_SLOWINGS, false,
      "Changes during the run of the rate at which the first of the two ends sends to the second; "
      "never above the rate of the link." },
    { 0 },
};
const struct scn_table scn_link_table = TABLE("link", link_fields, link_keys, NULL);

static const struct weir_field slowing_fields[] = {
    WEIR_FIELD(struct topo_slowing, at_ps, "at", WEIR_TIME, .max = 1000 * WEIR_PS_PER_S,
               .help = "Time from which on packets start at this rate."),
    WEIR_FIELD(struct topo_slowing, rate_bps, "rate", WEIR_RATE, .min = 1000, .max = TOPO_MAX_RATE,
               .help = "Rate from that time on, at most that of the link."),
    { 0 },
};
const struct scn_table scn_slowing_table = TABLE("change of rate", slowing_fields, no_keys, "rate");

static const struct scn_key static_keys[] = {
    { "at", SCN_NODE_NAME, true, "The switch that has the route." },
    { "to", SCN_NODE_NAME, true,
      "The destination: a host, or a switch for all of its hosts that have one port." },
    { "via", SCN_NODE_NAME, true,
      "The next hop: the neighbouring switch that packets are sent to while the link is up; or "
      "S1:2, the port of this switch by which they leave." },
    { 0 },
};
const struct scn_table scn_static_table = TABLE("static route", no_fields, static_keys, NULL);

static const struct weir_field stall_fields[] = {
    WEIR_FIELD(struct scn_stall, from_ps, "from", WEIR_TIME, .max = 1000 * WEIR_PS_PER_S,
               .help = "Time at which the host stops draining what it receives."),
    WEIR_FIELD(struct scn_stall, until_ps, "until", WEIR_TIME, .fallback = UINT64_MAX,
               .max = 1000 * WEIR_PS_PER_S,
               .help = "Time at which the host drains again: everything that it holds, at once.  "
                       "Left out: never in this "
                       "run."),
    WEIR_FIELD(struct scn_stall, cls, "class", WEIR_COUNT, .fallback = UINT64_MAX,
               .max = WEIR_MAX_CLASSES - 1,
               .help = "The one traffic class that stalls.  Left out: all classes."),
    { 0 },
};
#define SPEED(MEMBER, NAME, KIND, ...)                                                             \
    WEIR_FIELD(struct scn_speed, MEMBER, NAME, KIND, .fallback = WEIR_AUTO, __VA_ARGS__)
#define AS_OTHERS .derived = "the same as in switch"

static const struct weir_field speed_fields[] = {
    WEIR_FIELD(struct scn_speed, rate_bps, "rate", WEIR_RATE, .min = 1000,
               .max = (100 * (uint64_t)WEIR_PS_PER_S),
               .help = "Lowest rate of the ports that these settings apply to."),
    SPEED(buffer_bytes, "buffer", WEIR_BYTES, .max = WEIR_MAX_BYTES, AS_OTHERS,
          .help = "Dedicated buffer of each traffic class of such a port."),
    SPEED(limit_bytes, "limit", WEIR_BYTES, .max = WEIR_MAX_BYTES, AS_OTHERS,
          .help = "Maximum that one class of such a port may take of the shared buffer."),
    SPEED(alpha, "alpha", WEIR_RATIO, .max = 128 * WEIR_RATIO_1, AS_OTHERS,
          .help = "Share of the free shared buffer that one class of such a port may take."),
    SPEED(headroom_bytes, "headroom", WEIR_BYTES, .max = WEIR_MAX_BYTES, AS_OTHERS,
          .help = "Headroom of each class of such a port."),
    { 0 },
};
const struct scn_table scn_speed_table = TABLE("speed", speed_fields, no_keys, "rate");

static const struct weir_field role_fields[] = {
    WEIR_FIELD(struct scn_role, tier, "tier", WEIR_COUNT, .fallback = SCN_ANY_TIER, .max = 1000,
               .help = "Number of links between the nodes and their nearest host: 0 for hosts, 1 "
                       "for switches that have hosts.  Left out: any tier."),
    { 0 },
};
static const struct scn_key role_keys[] = {
    { "name", SCN_TEXT, false,
      "Name of the role in results.  Left out: the names or the tier that it matches." },
    { "nodes", SCN_ROOTS, false,
      "Names of the nodes that have the role, or patterns as in \"C*\".  Left out: nodes of any "
      "name." },
    { "engine", SCN_STACK, false, "Engine of these nodes, or a list of engines that are stacked." },
    { "engines", SCN_PARAMETERS, false, "Parameters of the engines at these nodes." },
    { "switch", SCN_SECTION, false,
      "Settings of these nodes that differ from the section 'switch'." },
    { 0 },
};
const struct scn_table scn_role_table = TABLE("role", role_fields, role_keys, NULL);

static const struct scn_key stall_keys[] = {
    { "at", SCN_NODE_NAME, true, "The host that stalls." },
    { 0 },
};
const struct scn_table scn_stall_table = TABLE("stall", stall_fields, stall_keys, NULL);

/* Keys at the top of a scenario, in addition to the sections. */
const struct scn_key scn_top_keys[] = {
    [TOP_NAME] = { "name", SCN_TEXT, false,
                   "Name of the scenario in results.  Left out: the name of the file." },
    [TOP_BASE] = { "base", SCN_FILE, false,
                   "Another scenario to start from; the keys of this one override it." },
    [TOP_ENGINE] = { "engine", SCN_STACK, false,
                     "Flow-control engine of the nodes, or a list of engines that are stacked.  "
                     "Left out: pfc." },
    [TOP_INSIDE] = { "inside", SCN_STACK, false,
                     "Engine of the links inside switching fabrics, or a list.  Left out: 'engine' "
                     "serves all links." },
    [TOP_ENGINES] = { "engines", SCN_PARAMETERS, false,
                      "Parameters of engines, in one map per engine." },
    [TOP_ROLES] = { "roles", SCN_ROLES, false,
                    "Nodes that differ from the others, chosen by name or by tier." },
    [TOP_FLOWS] = { "flows", SCN_FLOWS, false,
                    "List of flows that are sent, or a file that lists them." },
    [TOP_WORKLOAD] = { "workload", SCN_WORKLOADS, false,
                       "Flows drawn at random in addition to those listed: a traffic pattern, or a "
                       "list of patterns." },
    [TOP_STALLS] = { "stalls", SCN_STALLS, false,
                     "Hosts that stop draining what they receive for a while." },
    [TOP_EXPECT] = { "expect", SCN_EXPECTATIONS, false,
                     "Failures that are expected; any other deadlock, collapse or drop makes the "
                     "run fail." },
    [TOP_CLAIMS] = { "claims", SCN_CLAIMS, false,
                     "Results that a paper has published, for weir reproduce to check." },
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
