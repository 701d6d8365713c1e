/* The table of the knobs of HPCC's simulator, in the order of its config.txt. */

#include "scenario/hpcc-config.h"

const struct scn_cc_mode scn_cc_modes[] = {
    { 0, SCN_CC_NONE, "rdma", 48, "none" },
    { 1, SCN_CC_DCQCN, "dcqcn", 48, "DCQCN" },
    { 3, SCN_CC_HPCC, "hpcc", 90, "HPCC" },
    { 7, SCN_CC_TIMELY, "timely", 56, "TIMELY" },
    { 8, SCN_CC_DCTCP, "dctcp", 48, "DCTCP" },
    { 10, SCN_CC_PINT, "hpcc", 50, "HPCC-PINT" },
    { 0 },
};

const char *const scn_knob_uses[] = {
    [SCN_KNOB_EXACT] = "taken over",
    [SCN_KNOB_NEAR] = "approximated",
    [SCN_KNOB_IGNORED] = "ignored",
    [SCN_KNOB_UNUSED] = "unused",
};

#define MARKED  (SCN_CC_DCQCN | SCN_CC_DCTCP)
#define RATED   (SCN_CC_DCQCN | SCN_CC_HPCC | SCN_CC_TIMELY | SCN_CC_PINT)
#define BY_LOAD (SCN_CC_HPCC | SCN_CC_PINT)

#define KNOB(NAME, KIND, ...)                                                                      \
    {                                                                                              \
        .name = (NAME), .kind = SCN_KNOB_##KIND, __VA_ARGS__                                       \
    }

static const char samples[] = "`weir run --record` samples queues.";
static const char captures[] = "`weir run --pcap` writes packets.";
static const char not_used[] = "The simulator reads it and does not use it.";

const struct scn_knob scn_knobs[] = {
    KNOB("ENABLE_QCN", FLAG, .fallback = "1", .key = "engine", .take = scn_take_marks,
         .remark =
             "`[pfc, ecn]` under DCQCN and DCTCP, the only ones that react to marks; else `pfc`."),
    KNOB("USE_DYNAMIC_PFC_THRESHOLD", FLAG, .fallback = "1",
         .remark = "The simulator reads it and does not use it: thresholds are dynamic."),
    KNOB("PAUSE_TIME", RATIO, .fallback = "5",
         .remark = "A pause of the simulator lasts until the resume, whatever its time."),
    KNOB("DATA_RATE", WORD, .fallback = "", .remark = not_used),
    KNOB("LINK_DELAY", WORD, .fallback = "", .remark = not_used),
    KNOB("PACKET_PAYLOAD_SIZE", COUNT, .fallback = "1000", .key = "wire.mtu",
         .take = scn_take_payload,
         .remark = "`wire.mtu` also counts the headers: 48 bytes, 90 under HPCC, 56 under TIMELY, "
                   "50 under HPCC-PINT. `flows.headers` is this number."),
    KNOB("TOPOLOGY_FILE", WORD, .key = "topology.file", .take = scn_take_topology),
    KNOB("FLOW_FILE", WORD, .fallback = "", .key = "flows.hpcc", .take = scn_take_flows),
    KNOB("TRACE_FILE", WORD, .fallback = "", .remark = captures),
    KNOB("TRACE_OUTPUT_FILE", WORD, .fallback = "", .remark = captures),
    KNOB("FCT_OUTPUT_FILE", WORD, .fallback = "fct.txt",
         .remark = "`weir export --fct` writes this file."),
    KNOB("PFC_OUTPUT_FILE", WORD, .fallback = "pfc.txt",
         .remark = "`weir export --pfc` writes this file."),
    KNOB("SIMULATOR_STOP_TIME", SECONDS, .fallback = "3.01", .key = "run.time"),
    KNOB("CC_MODE", COUNT, .fallback = "1", .key = "transport.kind", .take = scn_take_mode,
         .remark = "0: `rdma`, 1: `dcqcn`, 3: `hpcc`, 7: `timely`, 8: `dctcp`. 10, HPCC-PINT, runs "
                   "as `hpcc`, with whole telemetry."),
    KNOB("ALPHA_RESUME_INTERVAL", US, .fallback = "55", .modes = SCN_CC_DCQCN,
         .key = "dcqcn.alpha_time"),
    KNOB("RATE_DECREASE_INTERVAL", US, .fallback = "4", .modes = SCN_CC_DCQCN,
         .key = "dcqcn.cut_time"),
    KNOB("CLAMP_TARGET_RATE", FLAG, .fallback = "0", .modes = SCN_CC_DCQCN, .key = "dcqcn.clamp"),
    KNOB("RP_TIMER", US, .modes = SCN_CC_DCQCN, .key = "dcqcn.increase_time"),
    KNOB("EWMA_GAIN", RATIO, .modes = MARKED, .key = "*.g"),
    KNOB("FAST_RECOVERY_TIMES", COUNT, .fallback = "5", .modes = SCN_CC_DCQCN,
         .key = "dcqcn.steps"),
    KNOB("RATE_AI", RATE, .modes = RATED, .key = "*.ai"),
    KNOB("RATE_HAI", RATE, .modes = SCN_CC_DCQCN | SCN_CC_TIMELY, .key = "dcqcn.hai",
         .take = scn_take_hyper,
         .remark =
             "Under TIMELY: `timely.hyper` = RATE_HAI / RATE_AI, which must be a whole number."),
    KNOB("MIN_RATE", RATE, .fallback = "100Mb/s", .modes = RATED | SCN_CC_DCTCP, .key = "*.least",
         .take = scn_take_least, .remark = "Under DCTCP the smallest window is one packet."),
    KNOB("DCTCP_RATE_AI", RATE, .fallback = "1000Mb/s", .modes = SCN_CC_DCTCP, .only = "",
         .remark = "`dctcp` has a window instead of a rate, and it grows by `wire.mtu` in a round "
                   "trip."),
    KNOB("ERROR_RATE_PER_LINK", RATIO, .fallback = "0", .key = "topology.loss",
         .remark = "It holds for links with a loss of 0 in the topology file."),
    KNOB("L2_CHUNK_SIZE", COUNT, .fallback = "0",
         .remark = "The simulator uses it only with L2_BACK_TO_ZERO 1."),
    KNOB("L2_ACK_INTERVAL", COUNT, .key = "transport.ack", .take = scn_take_acks,
         .remark = "1. The simulator counts bytes, not packets: after this number of bytes, it "
                   "acknowledges every packet."),
    KNOB("L2_BACK_TO_ZERO", FLAG, .fallback = "0", .only = "0",
         .remark = "Senders go back to the packet that was lost, not to the beginning of its "
                   "chunk. config_doc.txt has the two values the wrong way round."),
    KNOB("HAS_WIN", FLAG, .fallback = "1", .key = "*.window", .take = scn_take_window,
         .remark =
             "`yes` with VAR_WIN 1. HPCC and DCTCP always have a window; CC_MODE 0 has none."),
    KNOB("GLOBAL_T", FLAG, .fallback = "1", .modes = RATED | SCN_CC_DCTCP, .key = "*.base_rtt",
         .take = scn_take_rtt,
         .remark = "1: the longest round trip of the network, 0: `auto`. A window that counts only "
                   "data is longer by the headers; under HPCC `hpcc.window` has this factor."),
    KNOB("VAR_WIN", FLAG, .fallback = "0", .modes = RATED, .only = "1",
         .take = scn_take_variable_window,
         .remark = "A window follows the rate. With 0, DCQCN and TIMELY have none."),
    KNOB("FAST_REACT", FLAG, .fallback = "1", .modes = BY_LOAD, .only = "1",
         .remark = "HPCC reacts to every ACK."),
    KNOB("U_TARGET", RATIO, .fallback = "0.95", .modes = BY_LOAD, .key = "hpcc.eta"),
    KNOB("MI_THRESH", COUNT, .fallback = "5", .modes = BY_LOAD, .key = "hpcc.stages"),
    KNOB("INT_MULTI", COUNT, .fallback = "1", .modes = SCN_CC_HPCC,
         .remark = "Telemetry is exact, so it needs no unit."),
    KNOB("MULTI_RATE", FLAG, .fallback = "1", .modes = SCN_CC_HPCC, .only = "0",
         .remark = "A flow has one rate, not one for each hop."),
    KNOB("SAMPLE_FEEDBACK", FLAG, .fallback = "0", .modes = SCN_CC_HPCC, .only = "0",
         .remark = "Every hop counts in every ACK."),
    KNOB("PINT_LOG_BASE", RATIO, .fallback = "1.05", .modes = SCN_CC_PINT,
         .remark = "Telemetry is exact, so it needs no code."),
    KNOB("PINT_PROB", RATIO, .fallback = "1.0", .modes = SCN_CC_PINT,
         .remark = "All packets carry telemetry."),
    KNOB("RATE_BOUND", FLAG, .fallback = "1", .modes = RATED | SCN_CC_DCTCP, .only = "1",
         .remark = "A flow has a rate as well as a window."),
    KNOB("ACK_HIGH_PRIO", FLAG, .fallback = "0", .only = "0",
         .remark = "ACKs have the class of the data, and a host whose class is paused sends none."),
    KNOB("LINK_DOWN", LINK, .fallback = "0 0 0", .key = "topology.links",
         .take = scn_take_link_down,
         .remark = "At 2 s plus this number of microseconds; with `routing: {reroute: 1ns, dead: "
                   "flush}`."),
    KNOB("ENABLE_TRACE", FLAG, .fallback = "1", .remark = captures),
    KNOB("KMAX_MAP", MAP, .modes = MARKED, .key = "engines.ecn.kmax", .take = scn_take_thresholds,
         .remark = "One value for all rates, or `engines.ecn.scale`: in proportion to the rate."),
    KNOB("KMIN_MAP", MAP, .modes = MARKED, .key = "engines.ecn.kmin", .take = scn_take_thresholds,
         .remark = "As KMAX_MAP."),
    KNOB("PMAX_MAP", MAP, .modes = MARKED, .key = "engines.ecn.pmax", .take = scn_take_probability,
         .remark = "The value of the lowest rate holds for all."),
    KNOB("BUFFER_SIZE", MIB, .fallback = "16", .key = "switch.shared", .take = scn_take_buffer,
         .remark = "Less `switch.buffer` and headroom (3 times rate x delay) of all ports. "
                   "`switch.alpha` is 1/8, and twice that for each doubling of the rate of hosts."),
    KNOB("QLEN_MON_FILE", WORD, .fallback = "", .remark = samples),
    KNOB("QLEN_MON_START", COUNT, .fallback = "2000000000", .remark = samples),
    KNOB("QLEN_MON_END", COUNT, .fallback = "2100000000", .remark = samples),
    { 0 },
};

const struct scn_knobless scn_knobless[] = {
    { "switch.arbitration", "fifo", 0, "Queues are FIFO." },
    { "switch.buffer", "4096B", 0, "Reserve of each class of each port." },
    { "switch.response", "0us", 0, "A pause has effect when it arrives." },
    { "wire.gap", "0B", 0, "Links have no gap and no preamble." },
    { "wire.classes", "8", 0, "Priorities of the flow file are 0 to 7." },
    { "engines.pfc.threshold", "dynamic", 0, "As USE_DYNAMIC_PFC_THRESHOLD 1." },
    { "engines.pfc.xon_offset", "3072B", 0, "A resume comes 3 KiB below the threshold." },
    { "transport.turn", "next", 0, "A new flow sends next." },
    { "transport.timeout", "10s", 0, "The simulator has no timeout; 10 s is the longest here." },
    { "transport.answer_size", "88B", SCN_CC_HPCC,
      "ACKs carry the telemetry; others have 60 bytes "
      "there and 64 here." },
    { "dcqcn.form", "nic", SCN_CC_DCQCN, "The simulator has the form of DCQCN that NICs run." },
    { "dctcp.cap", "1", SCN_CC_DCTCP, "No window is longer than the first one." },
    { "dctcp.cut", "mark", SCN_CC_DCTCP, "The first mark cuts." },
    { "timely.hyper_low", "yes", SCN_CC_TIMELY,
      "Round trips under `t_low` count for the hyper "
      "increase." },
    { 0 },
};
