// Charts over time and over sizes, with the colours of the page. All charts over time share one visible range, one
// cursor and one instant.

import uPlot from "uplot";
import { drawingOf } from "./chart-drawing";
import { csv, CsvColumn, named } from "./csv";
import { h } from "./dom";
import { cssColour, dashes, lineColour } from "./line-look";
import { saveMenu } from "./save-chart";
import { Store, View } from "./store";
import * as units from "./units";

export interface Line {
    label: string;
    colour: number; // One of the six colours of the page.
    dash: number; // One of the four dashes.
    x: ArrayLike<number>;
    low: ArrayLike<number | null>;
    high: ArrayLike<number | null>; // The upper end of a band; if it is equal to low, a line is drawn.
    hasGaps?: boolean | undefined; // Null values leave gaps in the line.
}

const MAX_POINTS = 60;

export interface ChartOptions {
    title: string;
    of?: string; // The link that the chart is about, if the title does not name it.
    xTitle?: string; // The title of the x axis; for charts over time it is the time.
    format: (value: number) => string;
    most?: number; // The minimum of the axis's upper end.
    height?: number;
    note?: string;
}

// Aligns all lines to common x values, even if their samples differ.
function align(lines: Line[]): uPlot.AlignedData {
    const tables = lines.map((l): uPlot.AlignedData =>
        l.low === l.high ? [Array.from(l.x), Array.from(l.high)]
            : [Array.from(l.x), Array.from(l.low), Array.from(l.high)]);
    const nulls = tables.map((t) => t.map(() => 2));
    return tables.length === 1 ? tables[0]! : uPlot.join(tables, nulls);
}

// Whether so few samples are visible that each is drawn as a point.
const isSparse = (_: uPlot, _series: number, from: number, to: number): boolean => to - from < MAX_POINTS;

function seriesOf(lines: Line[], format: (v: number) => string): { series: uPlot.Series[]; bands: uPlot.Band[] } {
    const series: uPlot.Series[] = [{}], bands: uPlot.Band[] = [];
    for (const l of lines) {
        const stroke = (): string => lineColour(l.colour);
        const value = (_: uPlot, v: number | null): string => (v === null || v === undefined ? "–" : format(v));
        const line: uPlot.Series = {
            label: l.label, stroke, width: 1.6, dash: dashes[l.dash % 4], points: { show: isSparse, size: 5 }, spanGaps: !l.hasGaps, value,
        };
        if (l.low !== l.high) {
            series.push({ ...line, label: `${l.label}, least`, width: 0.8 });
            bands.push({ series: [series.length, series.length - 1], fill: () => `${stroke()}40` });
        }
        series.push(line);
    }
    return { series, bands };
}

function axes(xTitle: string | undefined, xFormat: (v: number) => string, yFormat: (v: number) => string): uPlot.Axis[] {
    const look = {
        stroke: () => cssColour("--quiet"), font: "12px system-ui, sans-serif",
        grid: { stroke: () => cssColour("--hair"), width: 1 }, ticks: { stroke: () => cssColour("--hair"), width: 1, size: 4 },
    };
    return [
        { ...look, values: (_, splits) => splits.map((v) => (v === null ? "" : xFormat(v))), space: 70, size: 30,
            ...(xTitle ? { label: xTitle, labelSize: 18, labelFont: "12px system-ui, sans-serif" } : {}) },
        { ...look, values: (_, splits) => splits.map((v) => (v === null ? "" : yFormat(v))), size: 78, space: 34 },
    ];
}

interface Frame {
    figure: HTMLElement;
    room: HTMLElement;
    options: ChartOptions;
    lines: Line[];
}

function frame(options: ChartOptions, lines: Line[]): Frame {
    const room = h("div", { class: "plot" });
    const keys = lines.map((l) => h("span", { class: "key" },
        h("span", { class: `dash run-${l.colour % 6} dash-${l.dash % 4}` }), l.label));
    const figure = h("figure", { class: "chart" }, h("figcaption", {}, h("strong", {}, options.title)),
        h("div", { class: "keys" }, ...keys), room, options.note ? h("p", { class: "quiet" }, options.note) : null);
    return { figure, room, options, lines };
}

const timePlots = new Set<uPlot>(), logPlots = new Set<uPlot>();

// The values of the visible part, as CSV.
function numbersOf(plot: uPlot, options: ChartOptions, xUnit: string, title: string, lines: Line[]): string {
    const unit = units.unitOf(options.format), { min = -Infinity, max = Infinity } = plot.scales["x"] as uPlot.Scale;
    const heads = lines.flatMap((l) => (l.low === l.high ? [l.label] : [`${l.label}, minimum`, `${l.label}, maximum`]));
    const [x, ...values] = align(lines), rows = Array.from(x!, (_, i) => i).filter((i) => x![i]! >= min && x![i]! <= max);
    const pick = (v: ArrayLike<number | null | undefined>): (number | null)[] => rows.map((i) => v[i] ?? null);
    const columns = heads.map((head, i): CsvColumn => ({ name: named(`${title}, ${head}`, unit), values: pick(values[i]!) }));
    return csv([{ name: named(options.xTitle ?? "time", xUnit), values: pick(x!) }, ...columns]);
}

// Draws the chart when it has a width, and redraws it when the width changes. Once drawn, it can be saved.
function mount({ figure, room, options, lines }: Frame, plots: Set<uPlot>, xUnit: string, make: (width: number) => uPlot): void {
    let plot: uPlot | null = null;
    const title = options.of ? `${options.title}, ${options.of}` : options.title;
    figure.prepend(saveMenu({
        title, svg: () => drawingOf(plot!, title, options, lines), csv: () => numbersOf(plot!, options, xUnit, title, lines),
    }));
    new ResizeObserver(([entry]) => {
        const width = Math.floor(entry!.contentRect.width);
        if (width > 0 && plot) {
            plot.setSize({ width, height: plot.height });
        } else if (width > 0) {
            plot = make(width);
            plots.add(plot);
        }
    }).observe(room);
}

// Visits the charts of a set, and removes those that are no longer on the page.
function each(plots: Set<uPlot>, visit: (plot: uPlot) => void): void {
    for (const plot of plots) {
        if (plot.root.isConnected) {
            visit(plot);
        } else {
            plot.destroy();
            plots.delete(plot);
        }
    }
}

// Redraws all charts when the system changes between light and dark colours.
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
    [timePlots, logPlots].forEach((plots) => each(plots, (p) => p.redraw())));

export function followView(store: Store): void {
    store.listen((view, changed) => {
        if (changed.has("fromPs") || changed.has("toPs")) {
            each(timePlots, (p) => p.setScale("x", { min: view.fromPs, max: view.toPs }));
        }
        if (changed.has("timePs")) {
            each(timePlots, (p) => {
                p.redraw(false);
                showValues(p, view);
            });
        }
    });
}

// Shows the values at the selected instant, while no pointer is over the chart.
function showValues(plot: uPlot, view: View): void {
    if ((plot.cursor.left ?? -1) < 0 && plot.data[0].length) {
        plot.setLegend({ idx: plot.valToIdx(view.timePs) });
    }
}

function drawInstant(plot: uPlot, view: View): void {
    const x = plot.valToPos(view.timePs, "x", true);
    if (x < plot.bbox.left || x > plot.bbox.left + plot.bbox.width) {
        return;
    }
    plot.ctx.save();
    plot.ctx.setLineDash([]);
    plot.ctx.strokeStyle = cssColour("--ink");
    plot.ctx.lineWidth = devicePixelRatio;
    plot.ctx.beginPath();
    plot.ctx.moveTo(x, plot.bbox.top);
    plot.ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
    plot.ctx.stroke();
    plot.ctx.restore();
}

// A chart over time. A click selects an instant; a drag zooms in.
export function timeChart(store: Store, options: ChartOptions, lines: Line[]): HTMLElement {
    const made = frame(options, lines), { series, bands } = seriesOf(lines, options.format);
    series[0] = { label: "time", value: (_, v) => (v === null ? "–" : units.time(v)) };
    mount(made, timePlots, "ps", (width) => {
        const plot = new uPlot({
            width, height: options.height ?? 190, series, bands, axes: axes(options.xTitle ?? "time", (v) => units.timeWithin(v, store.view.fromPs, store.view.toPs), options.format),
            scales: {
                x: { time: false, range: (_, min, max) => [min, max] },
                y: { range: (_, _min, max) => [0, Math.max(options.most ?? 0, (max || 0) * 1.06) || 1] },
            },
            legend: { show: true, live: true },
            cursor: { sync: { key: "weir" }, drag: { x: true, y: false, setScale: false }, focus: { prox: 16 } },
            hooks: {
                draw: [(p) => drawInstant(p, store.view)],
                ready: [(p) => listenTo(store, p)],
                setSelect: [(p) => bringIntoSight(store, p)],
            },
        }, align(lines), made.room);
        plot.setScale("x", { min: store.view.fromPs, max: store.view.toPs });
        setTimeout(() => showValues(plot, store.view)); // uPlot clears the values after the chart is made.
        return plot;
    });
    return made.figure;
}

function listenTo(store: Store, plot: uPlot): void {
    plot.over.addEventListener("click", () => goTo(store, plot));
    plot.over.addEventListener("mouseleave", () => setTimeout(() => each(timePlots, (p) => showValues(p, store.view))));
}

function goTo(store: Store, plot: uPlot): void {
    const left = plot.cursor.left ?? -1;
    if (left >= 0 && plot.select.width === 0) {
        store.set({ timePs: plot.posToVal(left, "x") });
    }
}

function bringIntoSight(store: Store, plot: uPlot): void {
    const { left, width } = plot.select;
    if (width > 5) {
        const fromPs = Math.max(0, plot.posToVal(left, "x")), toPs = Math.max(fromPs + 1, plot.posToVal(left + width, "x"));
        plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        store.set({ fromPs, toPs, timePs: Math.min(Math.max(store.view.timePs, fromPs), toPs) });
    }
}

// A chart over sizes or slowdowns, on a logarithmic scale.
export function logChart(options: ChartOptions, xFormat: (v: number) => string, lines: Line[],
                         isLogY: boolean): HTMLElement {
    const made = frame(options, lines), { series, bands } = seriesOf(lines, options.format);
    series[0] = { label: "at", value: (_, v) => (v === null ? "–" : xFormat(v)) };
    for (const s of series.slice(1)) {
        s.points = { show: lines[0]!.x.length < 40, size: 5 };
    }
    mount(made, logPlots, units.unitOf(xFormat), (width) => new uPlot({
        width, height: options.height ?? 240, series, bands, axes: axes(options.xTitle, xFormat, options.format),
        scales: { x: { time: false, distr: 3 }, y: isLogY ? { distr: 3 } : { range: [0, 1] } },
        legend: { show: true, live: true },
        cursor: { drag: { x: false, y: false } },
    }, align(lines), made.room));
    made.figure.classList.add("hovered"); // The values under the cursor are always shown.
    return made.figure;
}
