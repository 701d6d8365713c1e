// A chart of a metric over a setting: a line for each value of another setting, with bars between the quartiles.
// Numbers are on a scale, which is logarithmic if they span decades; names are bars side by side.

import { framedCopy } from "./chart-drawing";
import { csv, named } from "./csv";
import { h, svg } from "./dom";
import { saveMenu } from "./save-chart";
import { Cell, Setting } from "./sweep-group";
import * as units from "./units";

const WIDTH = 460, HEIGHT = 250, LEFT = 76, RIGHT = 16, TOP = 10, BOTTOM = 44, DECADES = 30;

interface Scale {
    low: number; // Where the axis begins.
    place: (value: number) => number; // The position of a value, from 0 to 1.
    ticks: number[];
}

const isWide = (numbers: number[]): boolean => Math.min(...numbers) > 0 && Math.max(...numbers) >= DECADES * Math.min(...numbers);

// Round numbers for the labels of an axis: 1, 2 or 5 times a power of ten.
function roundTicks(low: number, high: number): number[] {
    const rough = (high - low) / 5 || 1, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough)!;
    const first = Math.ceil(low / step);
    return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step);
}

function scaleOf(numbers: number[], fromZero: boolean): Scale {
    const low = Math.min(...numbers), high = Math.max(...numbers);
    if (isWide(numbers)) {
        const from = Math.floor(Math.log10(low)), to = Math.max(from + 1, Math.ceil(Math.log10(high)));
        return {
            low: 10 ** from,
            place: (v) => (Math.log10(v) - from) / (to - from),
            ticks: Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i)),
        };
    }
    const from = fromZero ? Math.min(0, low) : low, to = high > from ? high : from + 1;
    return { low: from, place: (v) => (v - from) / (to - from), ticks: roundTicks(from, to) };
}

// The positions of a setting's values, and the labels below the axis.
function placesOf(by: Setting): { places: number[]; ticks: { at: number; text: string }[] } {
    if (!by.numbers.length) {
        const places = by.values.map((_, i) => (i + 0.5) / by.values.length);
        return { places, ticks: by.values.map((text, i) => ({ at: places[i]!, text })) };
    }
    const scale = scaleOf(by.numbers, false);
    return {
        places: by.numbers.map(scale.place),
        ticks: by.values.length <= 6 ? by.values.map((text, i) => ({ at: scale.place(by.numbers[i]!), text }))
            : scale.ticks.map((v) => ({ at: scale.place(v), text: units.showValue(by.unit, v) })),
    };
}

const px = (v: number): string => v.toFixed(1);

function mark(cell: Cell, x: number, y: (v: number) => number, label: string, unit: string, colour: number): SVGElement {
    const words = `${label ? `${label}: ` : ""}${units.showValue(unit, cell.median)} ` +
        `(${units.showValue(unit, cell.q1)} to ${units.showValue(unit, cell.q3)}), ${units.count(cell.n, "run")}`;
    return svg("g", { class: `run-${colour % 6}` },
        svg("path", { class: "spread", d: `M${px(x)} ${px(y(cell.q1))}V${px(y(cell.q3))}` }),
        svg("circle", { cx: px(x), cy: px(y(cell.median)), r: 3.5, class: cell.dead ? "hollow" : "full" }, svg("title", {}, words)));
}

export interface SweepChart {
    title: string;
    by: Setting;
    labels: string[]; // Labels of the lines.
    unit: string;
    cells: (Cell | null)[][]; // [line][position].
    range: number[]; // The range of the axis of the metric, which is common to panels side by side.
}

function axis(chart: SweepChart, y: (v: number) => number, ticks: number[], bottom: number): SVGElement[] {
    return [
        svg("path", { class: "axis", d: `M${LEFT} ${TOP}V${bottom}H${WIDTH - RIGHT}` }),
        ...ticks.map((t) => svg("g", {}, svg("path", { class: "hair", d: `M${LEFT} ${px(y(t))}H${WIDTH - RIGHT}` }),
            svg("text", { x: LEFT - 6, y: px(y(t) + 4), "text-anchor": "end" }, units.showValue(chart.unit, t)))),
        svg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, "text-anchor": "middle", class: "name" }, chart.by.name),
    ];
}

// The numbers of a chart: a row for each position, with the median, the quartiles and the number of runs of each line.
function numbersOf(chart: SweepChart): string {
    const kinds = [["median", (c: Cell) => c.median], ["quartile 1", (c: Cell) => c.q1], ["quartile 3", (c: Cell) => c.q3]] as const;
    const columns = chart.cells.flatMap((cells, line) => {
        const name = [chart.title, chart.labels[line]!].filter((t) => t).join(", ");
        return [...kinds.map(([kind, of]) => ({ name: named(`${name}, ${kind}`, chart.unit), values: cells.map((c) => (c?.n ? of(c) : null)) })),
            { name: `${name}, runs`, values: cells.map((c) => c?.n ?? 0) }];
    });
    return csv([chart.by.numbers.length ? { name: named(chart.by.name, chart.by.unit), values: chart.by.numbers }
        : { name: chart.by.name, values: chart.by.values }, ...columns]);
}

export function sweepChart(chart: SweepChart): HTMLElement {
    const { places, ticks } = placesOf(chart.by), scale = scaleOf(chart.range.length ? chart.range : [0, 1], true);
    const inner = WIDTH - LEFT - RIGHT - 24;
    const isTilted = !chart.by.numbers.length && Math.max(...chart.by.values.map((v) => v.length)) * 6.5 > inner / chart.by.values.length;
    const bottom = HEIGHT - BOTTOM - (isTilted ? 40 : 0);
    const x = (place: number): number => LEFT + 12 + place * inner;
    const y = (v: number): number => bottom - scale.place(v) * (bottom - TOP);
    const slot = chart.by.numbers.length ? 24 : (inner / chart.by.values.length) * 0.8;
    const width = Math.min(chart.by.numbers.length ? 6 : 26, slot / chart.cells.length);
    const lines = chart.cells.flatMap((cells, line) => {
        const aside = (line - (chart.cells.length - 1) / 2) * width; // The lines are shifted a little, so that all are visible.
        const there = cells.map((cell, i) => ({ cell, i })).filter((c) => c.cell && c.cell.n);
        const path = there.map(({ cell, i }, k) => `${k ? "L" : "M"}${px(x(places[i]!) + aside)} ${px(y(cell!.median))}`).join("");
        const bars = there.map(({ cell, i }) => svg("path", { class: `bar run-${line % 6}`,
            d: `M${px(x(places[i]!) + aside - width / 2)} ${px(y(scale.low))}V${px(y(cell!.median))}h${px(width)}V${px(y(scale.low))}Z` }));
        const drawn = chart.by.numbers.length ? [svg("path", { class: `line run-${line % 6} dash-${Math.floor(line / 6) % 4}`, d: path })] : bars;
        return [...drawn,
            ...there.map(({ cell, i }) => mark(cell!, x(places[i]!) + aside, y, chart.labels[line]!, chart.unit, line))];
    });
    const keys = chart.labels.map((label, i) => ({ label, colour: i, dash: Math.floor(i / 6) })).filter((k) => k.label);
    const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": chart.title }, ...axis(chart, y, scale.ticks, bottom),
            ...ticks.map((t) => svg("text", isTilted
                ? { transform: `translate(${px(x(t.at))} ${bottom + 12}) rotate(-30)`, "text-anchor": "end" }
                : { x: px(x(t.at)), y: bottom + 16, "text-anchor": "middle" }, t.text)), ...lines);
    const title = `${chart.title} over ${chart.by.name}`;
    return h("figure", { class: "sweep-chart" },
        saveMenu({ title, svg: () => framedCopy(title, keys, drawing), csv: () => numbersOf(chart) }),
        h("figcaption", {}, h("strong", {}, chart.title)), drawing,
        h("div", { class: "keys" }, ...keys.map((k) =>
            h("span", { class: "key" }, h("span", { class: `dash run-${k.colour % 6} dash-${k.dash % 4}` }), k.label))));
}
