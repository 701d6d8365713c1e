// Flows over time: goodput, and the state of their senders. There is a chart for each run; charts of one quantity are
// next to each other and have the same axis.

import { ChartOptions, Line, timeChart } from "./chart";
import { h } from "./dom";
import { averageNote, packetsPs, rateOf } from "./rates";
import { Finer, Refiner } from "./refine";
import { Flow, Run } from "./run";
import { Column, Samples } from "./samples";
import { shownRuns, Store, View } from "./store";
import { NO_LIMIT } from "./unpack";
import * as units from "./units";

const MAX_LINES = 6, PARTS = 150;

interface Kind {
    quantity: string;
    title: string;
    missing: string; // The name of the quantity in the message that it was not sampled.
    format: (v: number) => string;
    values: (samples: Samples, column: Column, over: number) => [(number | null)[] | Float64Array, (number | null)[] | Float64Array];
    isRate?: boolean; // The quantity is a rate of whole packets, which is averaged.
    hasGaps?: boolean;
    note?: string;
}

const growth = (s: Samples, c: Column, over: number): [Float64Array, Float64Array] => {
    const rate = rateOf(s, c.low, over);
    return [rate, rate];
};

// The time over which rates are averaged. It depends on the slowest link of a sender, and is at least a few pixels,
// because a flow has only a share of the link.
function overPs(run: Run, view: View): number {
    const rates = run.flows.map((f) => run.ports[run.nodes[f.from]?.ports[0] ?? -1]?.rateBps ?? Infinity);
    return Math.max(packetsPs(run, rates.reduce((a, b) => Math.min(a, b), Infinity)), Math.min(run.untilPs, view.toPs - view.fromPs) / PARTS);
}

// The limits of a flow, with null while it has no limit, for which nothing is drawn.
const limited = (column: Float64Array): (number | null)[] => Array.from(column, (v) => (v >= NO_LIMIT ? null : v));

const limits = (_: Samples, c: Column): [(number | null)[], (number | null)[]] => {
    const low = limited(c.low);
    return [low, c.high === c.low ? low : limited(c.high)];
};

const kinds: Kind[] = [
    { quantity: "received", title: "Goodput", missing: "the goodput of flows", format: units.rate, values: growth, isRate: true },
    { quantity: "sent", title: "Throughput at the sender", missing: "what senders sent", format: units.rate, values: growth, isRate: true },
    {
        quantity: "limit", title: "Rate that engines hold a flow to", missing: "a limit of single flows", format: units.rate,
        values: limits, hasGaps: true,
        note: "Where a line has a gap, no engine limits the flow.",
    },
    {
        quantity: "pace", title: "Rate that the transport sets", missing: "a rate set by transports", format: units.rate,
        values: limits, hasGaps: true,
        note: "Where a line has a gap, the transport sets no rate.",
    },
    {
        quantity: "window", title: "Window that the transport sets", missing: "a window set by transports", format: units.bytes,
        values: limits, hasGaps: true,
        note: "Where a line has a gap, the transport sets no window.",
    },
    {
        quantity: "messages", title: "Congestion messages received by the sender", missing: "the number of messages to senders",
        format: (v) => Math.round(v).toLocaleString("en"), values: (_, c) => [c.low, c.low],
    },
];

function seriesOf(run: Run, kind: Kind, f: Flow): number | undefined {
    return run.seriesOf(kind.quantity, "flow", f.id)[0]?.id;
}

// The flows that are drawn: those that received most, and the chosen flow. They are the same for all quantities.
function flowsToDraw(run: Run, chosen: string | null): Flow[] {
    const sampled = run.flows.filter((f) => seriesOf(run, kinds[0]!, f) !== undefined);
    const first = [...sampled].sort((a, b) => b.receivedBytes - a.receivedBytes).slice(0, MAX_LINES)
        .sort((a, b) => a.id - b.id);
    const extra = sampled.find((f) => f.name === chosen);
    return extra && !first.includes(extra) ? [...first.slice(0, MAX_LINES - 1), extra] : first;
}

function linesOf(run: Run, kind: Kind, view: View, samples: Samples): Line[] {
    const over = overPs(run, view);
    return flowsToDraw(run, view.flow).flatMap((f, i): Line[] => {
        const id = seriesOf(run, kind, f);
        if (id === undefined) {
            return [];
        }
        const [low, high] = kind.values(samples, samples.column(id), over);
        return [{ label: f.name, colour: i, dash: i, x: samples.times, low, high, hasGaps: kind.hasGaps }];
    });
}

function noteOf(run: Run, kind: Kind, nLines: number, view: View, samples: Samples): string | undefined {
    const part = run.raw.n_recorded_flows > nLines
        ? `${nLines} of ${units.count(run.raw.n_recorded_flows, "flow")}: those that received the most` +
            `${run.partOfFlows ? `, of ${run.partOfFlows}` : ""}.` : "";
    const average = kind.isRate ? averageNote(overPs(run, view), samples) : "";
    return [part, average, kind.note ?? ""].filter((text) => text).join(" ") || undefined;
}

// The largest value of several lines.
export function mostOf(lines: Line[]): number {
    return lines.reduce((most, l) => Array.from(l.high).reduce((a: number, b) => Math.max(a, b ?? 0), most), 0);
}

function row(store: Store, view: View, kind: Kind, finer: Finer): HTMLElement | null {
    const samplesOf = (r: Run): Samples => finer.get(r) ?? r.samples;
    const runs = shownRuns(view), all = runs.map((r) => linesOf(r, kind, view, samplesOf(r))), most = mostOf(all.flat());
    if (!all.some((lines) => lines.length) && kind !== kinds[0]) {
        return null;
    }
    return h("div", { class: "charts", "data-quantity": kind.quantity }, ...runs.map((run, i) => {
        const lines = all[i]!, title = runs.length > 1 ? `${kind.title}, ${run.label}` : kind.title;
        const options: ChartOptions = { title, format: kind.format, most, height: 220, note: noteOf(run, kind, lines.length, view, samplesOf(run)) };
        return lines.length ? timeChart(store, options, lines)
            : h("p", { class: "quiet" }, `${run.label}: ${kind.missing} was not sampled.`);
    }));
}

export function flowCharts(store: Store, view: View, finer: Finer = new Map()): HTMLElement[] {
    return kinds.map((kind) => row(store, view, kind, finer)).filter((r) => r !== null);
}

// Redraws the charts for the visible range whenever it changes.
export function followSight(store: Store, to: HTMLElement): void {
    const seriesToDraw = (run: Run, view: View): number[] =>
        kinds.flatMap((k) => flowsToDraw(run, view.flow).map((f) => seriesOf(run, k, f))).filter((id) => id !== undefined);
    const refiner = new Refiner(store, seriesToDraw, () => to.replaceChildren(...flowCharts(store, store.view, refiner.finer)));
}
