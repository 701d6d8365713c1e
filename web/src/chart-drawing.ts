// Draws a chart of the page as a separate picture: title, keys, axes, lines and bands. Other pictures get only the
// title and the keys.

import uPlot from "uplot";
import type { ChartOptions, Line } from "./chart";
import { svg } from "./dom";
import { cssColour, dashes, lineColour } from "./line-look";
import { plainCopy } from "./save";

export const LETTER = 6.6, EDGE = 12;
const FONT = "system-ui, sans-serif", TITLE_Y = 20, TITLE_LETTER = 8.4, KEY_ROW = 18;

export interface Key {
    label: string;
    colour: number;
    dash: number;
}

const dashOf = (i: number): string => dashes[i % 4]?.join(" ") ?? "none";

export const text = (words: string, x: number, y: number, colour: string, more: Record<string, string> = {}): SVGElement =>
    svg("text", { x, y, fill: cssColour(colour), "font-family": FONT, "font-size": "12", ...more }, words);

// Arranges the keys in rows, each with as many keys as fit.
function keysOf(keys: Key[], width: number): { drawn: SVGElement[]; height: number } {
    let x = EDGE, y = TITLE_Y + KEY_ROW;
    const drawn = keys.flatMap((k) => {
        const room = 32 + LETTER * k.label.length;
        if (x > EDGE && x + room > width) {
            x = EDGE;
            y += KEY_ROW;
        }
        const at = x;
        x += room + 12;
        return [svg("path", { d: `M${at} ${y - 4}h22`, stroke: lineColour(k.colour), "stroke-width": 2, "stroke-dasharray": dashOf(k.dash) }),
            text(k.label, at + 28, y, "--quiet")];
    });
    return { drawn, height: keys.length ? y + 8 : TITLE_Y + 8 };
}

// Draws title and keys above a body of this size, on the background of the page.
export function framed(title: string, keys: Key[], body: SVGElement[], bodyWidth: number, height: number): SVGSVGElement {
    const width = Math.ceil(Math.max(bodyWidth, 2 * EDGE + TITLE_LETTER * title.length));
    const { drawn, height: top } = keysOf(keys, width), all = Math.ceil(height + top);
    return svg("svg", { xmlns: "http://www.w3.org/2000/svg", width, height: all, viewBox: `0 0 ${width} ${all}` },
        svg("title", {}, title), svg("rect", { width, height: all, fill: cssColour("--panel") }),
        text(title, EDGE, TITLE_Y, "--ink", { "font-weight": "600", "font-size": "14" }), ...drawn,
        svg("g", { transform: `translate(0 ${top})` }, ...body));
}

// Draws title and keys above a copy of a drawing of the page, with its styles.
export function framedCopy(title: string, keys: Key[], drawing: SVGSVGElement): SVGSVGElement {
    const { width, height } = drawing.viewBox.baseVal, copy = plainCopy(drawing);
    copy.setAttribute("width", String(width));
    copy.setAttribute("height", String(height));
    return framed(title, keys, [copy], width, height);
}

// The ticks of an axis where uPlot has put them.
interface Ticks {
    _splits?: number[];
    _values?: (string | null)[];
}

interface Area {
    left: number;
    top: number;
    width: number;
    height: number;
}

function areaOf(plot: uPlot): Area {
    const { left, top, width, height } = plot.bbox, scale = devicePixelRatio;
    return { left: left / scale, top: top / scale, width: width / scale, height: height / scale };
}

function ticksOf(plot: uPlot, axis: number): { at: number; words: string }[] {
    const { _splits: splits = [], _values: words = [] } = plot.axes[axis] as Ticks;
    return splits.map((at, i) => ({ at, words: words[i] ?? "" })).filter((t) => t.words);
}

function axes(plot: uPlot, area: Area, xTitle: string): SVGElement[] {
    const hair = cssColour("--hair"), bottom = area.top + area.height;
    const xs = ticksOf(plot, 0).map(({ at, words }) => ({ x: area.left + plot.valToPos(at, "x"), words }));
    const ys = ticksOf(plot, 1).map(({ at, words }) => ({ y: area.top + plot.valToPos(at, "y"), words }));
    return [
        ...xs.flatMap(({ x, words }) => [svg("path", { d: `M${x} ${area.top}V${bottom}`, stroke: hair }),
            text(words, x, bottom + 16, "--quiet", { "text-anchor": "middle" })]),
        ...ys.flatMap(({ y, words }) => [svg("path", { d: `M${area.left} ${y}h${area.width}`, stroke: hair }),
            text(words, area.left - 6, y + 4, "--quiet", { "text-anchor": "end" })]),
        text(xTitle, area.left + area.width / 2, bottom + 34, "--quiet", { "text-anchor": "middle" }),
    ];
}

type Point = [number, number];

// The parts of a line without gaps, up to the next points outside the visible range.
function partsOf(plot: uPlot, area: Area, line: Line, values: ArrayLike<number | null>): Point[][] {
    const { min = -Infinity, max = Infinity } = plot.scales["x"] as { min?: number; max?: number }, parts: Point[][] = [[]];
    for (let i = 0; i < line.x.length; i++) {
        const v = values[i], isSeen = (line.x[i + 1] ?? Infinity) >= min && (line.x[i - 1] ?? -Infinity) <= max;
        if (isSeen && v !== null && v !== undefined && !Number.isNaN(v)) {
            parts[parts.length - 1]!.push([area.left + plot.valToPos(line.x[i]!, "x"), area.top + plot.valToPos(v, "y")]);
        } else if (isSeen && line.hasGaps && parts[parts.length - 1]!.length) {
            parts.push([]);
        }
    }
    return parts.filter((p) => p.length);
}

const pathOf = (points: Point[]): string => "M" + points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");

function drawnLine(plot: uPlot, area: Area, line: Line): SVGElement[] {
    const high = partsOf(plot, area, line, line.high), colour = lineColour(line.colour);
    const low = line.low === line.high ? [] : partsOf(plot, area, line, line.low);
    return [
        ...low.map((part, i) => svg("path", { d: `${pathOf([...(high[i] ?? []), ...[...part].reverse()])}Z`, fill: colour, "fill-opacity": 0.25 })),
        ...[...low, ...high].map((part) => svg("path", { d: pathOf(part), fill: "none", stroke: colour, "stroke-width": 1.6,
            "stroke-linecap": "round", "stroke-dasharray": dashOf(line.dash) })),
    ];
}

export function drawingOf(plot: uPlot, title: string, options: ChartOptions, lines: Line[]): SVGSVGElement {
    const area = areaOf(plot), height = area.top + area.height + 42;
    const clip = svg("clipPath", { id: "area" },
        svg("rect", { x: area.left, y: area.top, width: area.width, height: area.height }));
    return framed(title, lines, [clip, ...axes(plot, area, options.xTitle ?? "time"),
        svg("g", { "clip-path": "url(#area)" }, ...lines.flatMap((l) => drawnLine(plot, area, l)))], plot.width, height);
}
