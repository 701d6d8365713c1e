// Problems of a run other than deadlocks: storms, hosts that stall, packets that did not arrive. Their time, port and
// number, for the timeline and as text.

import { RunEvent, Run, Trouble } from "./run";
import * as units from "./units";

interface Span {
    fromPs: number;
    toPs: number; // Infinity: it has not ended.
    port: number;
}

// A lane has two kinds of events that begin and end a span, or kinds of events for packets that did not arrive.
export interface Lane {
    title: string;
    spans: [string, string] | null;
    counts: string[];
}

export const lanes: Lane[] = [
    { title: "Stalled hosts", spans: ["stall", "drain"], counts: [] },
    { title: "Pause storms", spans: ["storm", "restored"], counts: [] },
    { title: "Packets dropped", spans: null, counts: ["drop", "overflow", "discard", "flush", "expire"] },
    { title: "Packets lost on links", spans: null, counts: ["loss"] },
];

export function trouble(run: Run, kind: string): Trouble | undefined {
    return run.raw.troubles.find((h) => h.kind === kind);
}

function spansOf(run: Run, [begin, end]: [string, string]): Span[] {
    const spans: Span[] = [], open = new Map<string, Span>();
    const key = (e: RunEvent): string => `${e.port} ${e.cls}`;
    for (const e of run.events) {
        if (e.kind === begin && !open.has(key(e))) {
            const span = { fromPs: e.atPs, toPs: Infinity, port: e.port };
            open.set(key(e), span);
            spans.push(span);
        } else if (e.kind === end && open.has(key(e))) {
            open.get(key(e))!.toPs = e.atPs;
            open.delete(key(e));
        }
    }
    return spans;
}

export interface LaneOfRun {
    n: number;
    firstPs: number;
    spans: Span[];
    troubles: Trouble[];
}

// The problems of a lane in a run; null: none happened.
export function inLane(run: Run, lane: Lane): LaneOfRun | null {
    const troubles = lane.counts.map((k) => trouble(run, k)).filter((t) => t !== undefined);
    const spans = lane.spans ? spansOf(run, lane.spans) : [];
    const begin = lane.spans ? trouble(run, lane.spans[0]) : undefined;
    const all = begin ? [begin] : troubles;
    return all.length ? { n: all.reduce((n, t) => n + t.n, 0), firstPs: Math.min(...all.map((t) => t.first_ps)), spans, troubles } : null;
}

// Problems in words.

// The side of a port at which an event happens.
const sides: Record<string, "in" | "out" | "link"> = { drop: "in", expire: "in", overflow: "out", discard: "out", flush: "out", loss: "link" };

function placeWords(run: Run, kind: string, portId: number): string {
    const port = run.ports[portId], here = port?.end ?? "?", there = run.ports[port?.peer ?? -1]?.end ?? "?";
    const words = { in: `at ${here}, from ${there}`, out: `at ${here}, on the way to ${there}`, link: `between ${here} and ${there}` };
    return words[sides[kind] ?? "in"];
}

// The time and location of a problem, such as "from 15.9 ms to 50 ms, all at L1, on the way to H1".
export function whenAndWhere(run: Run, t: Trouble): string {
    const when = t.n === 1 || t.first_ps === t.last_ps ? `at ${units.time(t.first_ps)}`
        : `from ${units.time(t.first_ps)} to ${units.time(t.last_ps)}`;
    if (t.port === undefined) {
        return when;
    }
    const place = placeWords(run, t.kind, t.port);
    return t.n === 1 ? `${when}, ${place}` : t.n_ports === 1 ? `${when}, all ${place}`
        : `${when}, at ${units.count(t.n_ports, "port")}, most of them (${t.n_there!.toLocaleString("en")}) ${place}`;
}

const nodeOf = (run: Run, port: number): string => run.nodes[run.ports[port]?.node ?? -1]?.name ?? "?";

// Sentences such as "H1 stopped taking packets at 10 ms and did not start again."
export function stallWords(run: Run): string {
    const t = trouble(run, "stall"), spans = spansOf(run, ["stall", "drain"]), first = spans[0];
    if (!t || !first) {
        return "";
    }
    const end = first.toPs < Infinity ? `and started again at ${units.time(first.toPs)}` : "and did not start again";
    const others = t.n > 1 ? ` In all that happened ${units.count(t.n, "time")} at ${units.count(t.n_ports, "host")}, the last time at ` +
        `${units.time(t.last_ps)}.` : "";
    return `${nodeOf(run, first.port)} stopped taking packets at ${units.time(first.fromPs)} ${end}.${others}`;
}

const acts: Record<string, string> = {
    drop: "it drops packets that would leave by that link",
    forward: "it ignores pauses on that link and goes on sending",
};

// Sentences such as "At 15.9 ms the watchdog of L1 found a pause storm on the link to H1: ...".
export function stormWords(run: Run): string {
    const t = trouble(run, "storm"), first = spansOf(run, ["storm", "restored"])[0];
    if (!t || !first) {
        return "";
    }
    const peer = run.ports[run.ports[first.port]?.peer ?? -1]?.end ?? "?", act = acts[run.setting("switch", "watchdog") ?? ""];
    const until = first.toPs < Infinity ? `until ${units.time(first.toPs)}` : "and to the end of the run";
    const others = t.n > 1 ? ` In all there were ${units.count(t.n, "storm")} on ${units.count(t.n_ports, "link")}, the last at ` +
        `${units.time(t.last_ps)}.` : "";
    return `At ${units.time(first.fromPs)} the watchdog of ${nodeOf(run, first.port)} found a pause storm on the link to ${peer}: it had been ` +
        `paused for longer than the watchdog allows.${act ? ` From then on ${until}, ${act}.` : ""}${others}`;
}
