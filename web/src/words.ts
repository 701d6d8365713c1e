// Describes the events of a run in sentences for newcomers.

import { Deadlock, Standing } from "./deadlock";
import { Gate } from "./gates";
import { counted, Name, runFact, Values, workloadValue } from "./facts";
import { Run } from "./run";
import { trouble, whenAndWhere } from "./troubles";
import * as units from "./units";

const MAX_NAMES = 6;

function names(words: string[]): string {
    const shown = words.slice(0, MAX_NAMES);
    return words.length > MAX_NAMES
        ? `${shown.join(", ")} and ${words.length - MAX_NAMES} more` : units.list(shown);
}

export function nodeOf(run: Run, s: Standing): string {
    return run.nodes[s.port.node]?.name ?? "?";
}

// The name of the limit that stops a port from sending, by scheme.
export function whatHolds(run: Run): string {
    return run.quantities.has("paused") ? "is paused" : run.quantities.has("credit") && !run.quantities.has("rate")
        ? "has no credit left" : "may not send";
}

const withPackets = (n: number): string => units.count(n, "packet was", "packets were");
const withFrames = (n: number): string => units.count(n, "packet or frame was", "packets and frames were");

// A sentence about retransmitted bytes, or nothing.
export function retransmitWords(run: Run): string {
    const n = run.raw.retransmitted_bytes;
    return n ? `Senders retransmitted ${units.bytes(n)}.` : "";
}

// A sentence about congestion messages, if engines send them, or nothing.
export function messageWords(run: Run): string {
    const { n_messages_sent: sent, n_messages_received: received } = run.raw;
    return sent === null || received === null ? ""
        : `Switches sent ${units.count(sent, "message")} about congestion; senders received ${received.toLocaleString("en")} of them.`;
}

// A sentence about marks and CNPs, if the run can have any, or nothing.
export function markWords(run: Run): string {
    const { n_marked: marks, n_cnps: cnps } = run.raw;
    const answer = cnps !== null ? `; receivers sent ${units.count(cnps, "CNP")} because of that` : "";
    return marks !== null ? `Switches marked ${units.count(marks, "packet")} (ECN)${answer}.` : "";
}

// The events from which times and ports of losses are known. Drops on arrival do not distinguish a full buffer from a
// missing route.
const eventsOf: [Name, string][] = [
    ["n_dropped_buffer", "drop"], ["n_dropped_output", "overflow"], ["n_dropped_memory", "drop"], ["n_dropped_watchdog", "discard"],
    ["n_flushed", "flush"], ["n_no_route", "drop"], ["n_expired", "expire"], ["n_lost", "loss"],
];

// A sentence for each cause of lost packets, with their number and, if known, time and port.
export function gone(run: Run): string {
    const causes = eventsOf.filter(([name]) => run.raw[name]);
    return causes.map(([name, kind]) => {
        const isAlone = causes.filter(([, other]) => other === kind).length === 1;
        const when = isAlone ? trouble(run, kind) : undefined;
        const count = name === "n_lost" ? withFrames : withPackets; // Links may also lose control frames.
        return `${count(run.raw[name]!)} ${runFact(name).words}${when ? `: ${whenAndWhere(run, when)}` : ""}.`;
    }).join(" ");
}

// Sentences about hosts, flows and queues that were blocked up to the end, and since when.
export function silenceWords(run: Run): string {
    const { n_silent_hosts: nHosts, n_silent_flows: nFlows, n_silent_queues: nQueues, silent_since_ps: sincePs } = run.raw;
    const since = sincePs === null ? "" : `, the first since ${units.time(sincePs, 3)}`;
    const hosts = nHosts ? `${units.count(nHosts, "host")} sent nothing in the last tenth of the run${since}` : "";
    const flows = nFlows ? `${units.count(nFlows, "flow")} made no progress` : "";
    const queues = nQueues ? `${units.count(nQueues, "queue")} sent nothing` : "";
    const words = [hosts, flows, queues].filter((text) => text).join("; ");
    return words ? `${words}.` : "";
}

export function ringSentence(run: Run, dead: Deadlock): string {
    const around = dead.ring.map((s) => nodeOf(run, s));
    return around.map((name, i) => `${name} waits for ${around[(i + 1) % around.length]}`).join(", ");
}

// A sentence that explains why no packet moves. It starts at a switch of the cycle and follows the cycle.
export function why(run: Run, dead: Deadlock): string {
    const [a, b, c] = [0, 1, 2].map((i) => nodeOf(run, dead.ring[i % dead.ring.length]!));
    const reasons = dead.ring.map((s) => s.why).filter((text) => text);
    if (reasons.length) {
        return `Here packets wait for a queue other than their own: ${names(reasons)}. ` +
            "So each switch of the cycle waits for the next, and none of them ever sends another packet.";
    }
    return `${a} ${whatHolds(run)} until ${b} has room for what comes from ${a}. ` +
        `${b} can make room only by sending to ${c}, and ${b} is waiting for ${c} itself. So it goes around the cycle, back to ` +
        `${a}: each switch waits for the next, and none of them ever sends another packet.`;
}

export function closing(dead: Deadlock): string {
    const byTime = [...dead.ring].sort((a, b) => a.atPs - b.atPs);
    const first = byTime[0]!, last = byTime[byTime.length - 1]!;
    if (first.atPs === last.atPs) {
        return `All ${dead.ring.length} links of the cycle stopped at the same instant.`;
    }
    return `${first.port.name} stopped first, at ${units.time(first.atPs)}; the cycle closed with ${last.port.name}, ` +
        `${units.time(last.atPs - first.atPs, 3)} later.`;
}

export function victims(run: Run, dead: Deadlock): string {
    const held = dead.held.map((f) => f.name), stranded = dead.stranded.map((f) => f.name);
    const inRing = held.length ? `Packets of ${names(held)} are stuck in the cycle.` : "";
    return stranded.length ? `${inRing} ${names(stranded)} ${stranded.length === 1 ? "is" : "are"} stuck behind it` +
        " without ever entering it." + (run.partOfFlows ? ` Flows outside the cycle: only ${run.partOfFlows} are considered.` : "") : inRing;
}

// A sentence such as "256 of 256 measured flows finished, 15 more started in the warm-up."
function flowWords({ n_finite: measured, n_finished: finished, ...raw }: Run["raw"]): string {
    if (measured === null || finished === null) {
        return "Completion times are unknown: the run goes on, or did not come to its end.";
    }
    const others = (["n_warm_up", "n_endless", "n_stopped", "n_not_started"] as const).filter((name) => raw[name]);
    const parts = measured || (!others.length && !raw.n_connections)
        ? [`${finished.toLocaleString("en")} of ${units.count(measured, raw.n_warm_up ? "measured flow" : "flow")} finished`] : [];
    for (const name of others) {
        const n = raw[name]!;
        parts.push(`${parts.length ? `${n.toLocaleString("en")} more` : units.count(n, "flow")} ${runFact(name).words}`);
    }
    return parts.length ? `${parts.join(", ")}.` : "";
}

// A sentence for each job, such as "all-reduce took 12.8 ms."
function jobWords(run: Run): string[] {
    return run.raw.completion.workloads.slice(1).flatMap((w) => {
        const ps = workloadValue("job_ps", w);
        return ps === null ? [] : [`${w.name} took ${units.time(ps, 3)}.`];
    });
}

export function calm(run: Run): string {
    const { late_goodput_min_bps: late, late_goodput_max_bps: most } = run.raw;
    const parts = [...jobWords(run), flowWords(run.raw)].filter((part) => part);
    if (late !== null && most !== null) {
        parts.push(units.rate(late) === units.rate(most) ? `In the second half of the run each endless flow receives ${units.rate(late)}.`
            : `In the second half of the run endless flows receive ${units.rate(late)} to ${units.rate(most)}.`);
    }
    return parts.join(" ");
}

// A sentence about the slowest flows.
export function tailWords(run: Run): string {
    const { workloads, worst: slow } = run.raw.completion, all = workloads[0], p99 = all ? workloadValue("slowdown_p99", all) : null, first = slow[0];
    const most = p99 === null ? "" : `The p99 slowdown is ${units.digits(p99)}: 99 % of the flows took at most that many times as long as alone.`;
    const took = first?.state === "finished" ? "took" : "has not finished and took already";
    const worst = first && first.slowdown_at_least !== null && (all?.n_flows ?? 0) > 1
        ? `The slowest, ${first.name}, ${took} ${units.digits(first.slowdown_at_least)} times as long as alone.` : "";
    return `${most} ${worst}`.trim();
}

// The schemes of this run that pause.
const pauseNames = (of: Values): ("n_pfc_pauses" | "n_fafc_pauses")[] =>
    (["n_pfc_pauses", "n_fafc_pauses"] as const).filter((name) => of[name] !== null);

// A text such as "30 PFC pauses and 2 FAFC pauses".
const pauseCounts = (of: Values): string => units.list(pauseNames(of).map((name) => counted(runFact(name), of[name]!)));

// The number of pauses; null: no scheme of this run pauses, or the run has not ended.
export function sumOfPauses({ raw }: Run): number | null {
    const names = pauseNames(raw);
    return names.length ? names.reduce((n, name) => n + raw[name]!, 0) : null;
}

export function pauseWords(run: Run): string {
    const { paused_ps: all, hotspots: { paused } } = run.raw;
    if (!paused || !all) {
        return all === 0 ? "No link was ever paused." : "";
    }
    return `Links were paused for ${units.time(all, 3)} in all (${pauseCounts(run.raw)}), the longest of them ` +
        `${run.ports[paused.port]?.name ?? "?"}: ${units.percent(paused.share)} of the run (${pauseCounts(paused)}).`;
}

export function peakWords(run: Run): string {
    const { peak_input_queue_bytes: input, peak_output_queue_bytes: output } = run.raw;
    return input !== null && output !== null
        ? `The peak input queue was ${units.bytes(input)}, the peak output queue ${units.bytes(output)}.` : "";
}

export function busiestLinkWords(run: Run): string {
    const { link } = run.raw.hotspots;
    return link ? `The busiest link was ${run.ports[link.port]?.name ?? "?"}: over the whole run it sent ${units.percent(link.share)} of what it could.` : "";
}

// Describes the state of a link at a sample.
export function gateWords(gate: Gate, row: number, rateBps: number): string[] {
    const words: string[] = [];
    if (gate.load) {
        words.push(`sends ${units.rate(gate.load[row]! * rateBps)}, ${units.percent(gate.load[row]!)} of its rate`);
    }
    if (gate.paused) {
        words.push(gate.paused[row]! > 0 ? `paused ${units.percent(gate.paused[row]!)} of the time` : "not paused");
    }
    if (gate.rate) {
        words.push(gate.rate[row]! < 1 ? `slowed to ${units.rate(gate.rate[row]! * rateBps)}` : "not slowed");
    }
    if (gate.credit && !gate.rate) {
        words.push(`${units.percent(gate.credit[row]!)} of its credit left`);
    }
    return words;
}
