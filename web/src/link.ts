// One link, in one direction: the queues at its two ends, its throughput, its limits, and the flows that cross it.
// Charts show all runs on the same axes; the bytes of single flows have a chart for each run.

import { ChartOptions, Line, timeChart } from "./chart";
import { h, prose, section } from "./dom";
import { heldCharts, heldSeries } from "./held";
import { averageNote, packetsPs, rateOf } from "./rates";
import { Finer, Refiner } from "./refine";
import { Port, Run, SeriesKey } from "./run";
import { Column, meanSlope, Samples } from "./samples";
import { sceneOf } from "./scene";
import { shownRuns, Store, View } from "./store";
import { NO_LIMIT } from "./unpack";
import * as units from "./units";

interface Kind {
    quantity: string;
    title: (port: Port, run: Run) => string;
    object: "port" | "node";
    of: (port: Port) => number; // The port of the series.
    format: (v: number) => string;
    values: (samples: Samples, column: Column, overPs: number) => [Float64Array, Float64Array];
    isRate?: boolean; // The quantity is a rate of whole packets, which is averaged.
    most: (run: Run, port: Port) => number;
}

// The two ends of a band that is a line, because both are equal.
const twice = (v: Float64Array): [Float64Array, Float64Array] => [v, v];

const range = (_: Samples, c: Column): [Float64Array, Float64Array] => [c.low, c.high];
const nameOf = (r: Run, p: Port): string => r.nodes[p.node]!.name;
const behind = (r: Run, p: Port): string => nameOf(r, r.ports[p.peer]!);

// The kinds of charts, in the order in which a packet passes the queues and ports that they show.
const kinds: Kind[] = [
    {
        quantity: "passing", title: (p, r) => `Inside ${nameOf(r, p)}, between all inputs and all outputs`,
        object: "node", of: (p) => p.node, format: units.bytes, values: range, most: () => 0,
    },
    {
        quantity: "output", title: (p, r) => `Queue at the output of ${nameOf(r, p)} of packets to this link`,
        object: "port", of: (p) => p.id, format: units.bytes, values: range, most: (r) => sceneOf(r).outputRoomBytes,
    },
    {
        quantity: "queue",
        title: (p, r) => `Queue at ${r.quantities.has("output") ? "the input of " : ""}${behind(r, p)} of packets from this link`,
        object: "port", of: (p) => p.peer, format: units.bytes, values: range, most: (r) => sceneOf(r).roomBytes,
    },
    {
        quantity: "sent", title: () => "Rate of sending", object: "port", of: (p) => p.id, format: units.rate,
        values: (s, c, overPs) => twice(rateOf(s, c.low, overPs)), isRate: true, most: (_, p) => p.rateBps,
    },
    {
        quantity: "paused", title: () => "Share of time paused", object: "port", of: (p) => p.id, format: units.percent,
        values: (s, c, overPs) => twice(meanSlope(s.times, c.low, overPs).map((v) => Math.min(1, v))), isRate: true,
        most: () => 1,
    },
    {
        quantity: "rate", title: () => "Rate that it may send at", object: "port", of: (p) => p.id, format: units.rate,
        values: range, most: (_, p) => p.rateBps,
    },
    {
        quantity: "credit", title: () => "Credit left", object: "port", of: (p) => p.id, format: units.bytes,
        values: (_, c) => [c.low.map(limited), c.high.map(limited)], most: () => 0,
    },
];

// A chart to draw: its kind, title, run, port and lines.
interface Drawn {
    kind: Kind;
    title: string;
    run: Run; // The first run with this link.
    port: Port;
    lines: Line[];
    most: number;
}

const NOT_SAMPLED = "Nothing was sampled of this link. Put `record: {ports: all}` in the scenario to sample every port.";

const uncapitalized = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

// Whether a chart of these lines would be empty.
const isZero = (lines: Line[]): boolean => lines.every((l) => Array.from(l.high).every((v) => v === 0));

const limited = (v: number): number => (v >= NO_LIMIT ? NaN : v);

function seriesOf(kind: Kind, name: string, run: Run): SeriesKey[] {
    const port = run.portNamed(name);
    return port && run.ports[port.peer] ? run.seriesOf(kind.quantity, kind.object, kind.of(port)) : [];
}

function allSeries(name: string, run: Run): number[] {
    return [...kinds.flatMap((k) => seriesOf(k, name, run)), ...heldSeries(name, run)].map((s) => s.id);
}

function linesOf(kind: Kind, name: string, runs: Run[], finer: Finer): { lines: Line[]; most: number } {
    const lines: Line[] = [];
    let most = 0;
    for (const run of runs) {
        const port = run.portNamed(name), series = seriesOf(kind, name, run), samples = finer.get(run) ?? run.samples;
        const used = series.length > 1
            ? series.filter((s) => run.samples.column(s.id).high.some((v) => v > 0 && v < NO_LIMIT)) : series;
        for (const s of used) {
            const [low, high] = kind.values(samples, samples.column(s.id), packetsPs(run, port!.rateBps));
            const ofClass = series.length > 1 ? `, class ${s.cls}` : "";
            lines.push({ label: run.label + ofClass, colour: run.index, dash: run.index + (s.cls || 0),
                x: samples.times, low, high });
        }
        most = port ? Math.max(most, kind.most(run, port)) : most;
    }
    return { lines, most };
}

export const hasLinkCharts = (runs: Run[]): boolean => runs.some((r) => r.hasPortSamples);

export class LinkSection {
    readonly element: HTMLElement;
    private readonly pick = h("select", { id: "pick-link",
        change: () => this.store.set({ link: this.pick.value }) });
    private readonly body = h("div", { class: "charts" });
    private readonly flows = h("p", { class: "crossing" });
    private readonly refiner: Refiner;

    constructor(private readonly store: Store) {
        this.refiner = new Refiner(store, (run, view) => allSeries(view.link ?? "", run), () => this.show(store.view));
        this.element = section("link", "One link",
            h("p", { class: "choose" }, h("label", { for: "pick-link" }, "Link "), this.pick,
                h("span", { class: "quiet" }, " or click one in the picture of the network")),
            this.flows, this.body);
        store.listen((view, changed) => {
            if (changed.has("shown") || changed.has("runs")) {
                this.fillPick(view);
            }
            if (changed.has("shown") || changed.has("runs") || changed.has("link")) {
                this.show(view);
            }
        });
    }

    private fillPick(view: View): void {
        const names = new Set(shownRuns(view).flatMap((r) => r.ports.filter((p) => !p.isDown).map((p) => p.name)));
        this.pick.replaceChildren(...[...names].map((n) => h("option", { value: n }, n)));
    }

    private show(view: View): void {
        const runs = shownRuns(view), name = view.link ?? "";
        this.pick.value = name;
        const drawn = kinds.map((kind) => this.drawn(kind, name, runs)).filter((d) => d !== null);
        const zeros = drawn.filter((d) => isZero(d.lines)).map((d) => d.title);
        const charts = drawn.filter((d) => !isZero(d.lines)).map((d) => this.chart(d, name, runs));
        this.body.replaceChildren(...(drawn.length ? [...charts, ...heldCharts(this.store, name, runs, this.refiner.finer)]
            : [h("p", { class: "quiet" }, ...prose(NOT_SAMPLED))]), zeros.length ? h("p", { class: "zeros" }, `Always 0: ${zeros.map(uncapitalized).join("; ")}.`) : "");
        this.flows.replaceChildren(this.crossing(runs, name));
        this.element.hidden = !hasLinkCharts(runs);
    }

    private drawn(kind: Kind, name: string, runs: Run[]): Drawn | null {
        const { lines, most } = linesOf(kind, name, runs, this.refiner.finer);
        const run = runs.find((r) => r.portNamed(name)), port = run?.portNamed(name);
        return lines.length && run && port ? { kind, title: kind.title(port, run), run, port, lines, most } : null;
    }

    private chart({ kind, title, run, port, lines, most }: Drawn, name: string, runs: Run[]): HTMLElement {
        const each = Math.max(...runs.map((r) => (this.refiner.finer.get(r) ?? r.samples).each));
        const average = kind.isRate ? averageNote(packetsPs(run, port.rateBps), this.refiner.finer.get(run) ?? run.samples) : "";
        const options: ChartOptions = {
            title, of: name, format: kind.format, most,
            note: average ? average : each > 1 && lines.some((l) => l.low !== l.high)
                ? `Each point shows the range of ${each} samples, from least to most.` : undefined,
        };
        return timeChart(this.store, options, lines);
    }

    private crossing(runs: Run[], name: string): string {
        const port = runs[0]?.portNamed(name);
        const flows = port ? runs[0]!.flowsOver(port.id).map((f) => f.name) : [];
        const knowsPaths = runs[0]?.flows.some((f) => f.path.length);
        const part = runs[0]?.partOfFlows ? ` (of ${runs[0].partOfFlows})` : "";
        return !knowsPaths ? "" : flows.length
            ? `Flows on this link: ${flows.slice(0, 30).join(", ")}${flows.length > 30 ? ` and ${flows.length - 30} more` : ""}${part}.`
            : `No flow crosses it${part}.`;
    }
}
