// Saves a heat map: a drawing with names and scale, and the numbers of its links.

import { EDGE, framed, LETTER, text } from "./chart-drawing";
import { csv, named } from "./csv";
import { svg } from "./dom";
import { HeatRow, Measure } from "./heat";
import { cssColour } from "./line-look";
import { Run } from "./run";
import { makePlain } from "./save";
import { Saveable } from "./save-chart";
import * as units from "./units";

const CELL = 20, ROW = 14, BELOW = 30, STEPS = 20, STEP = 6;

export interface ShownHeat {
    title: string;
    heads: string[]; // The names of the columns, or an empty list.
    rows: HeatRow[];
    measure: Measure;
    top: number; // The value at the end of the scale.
}

type Colour = (share: number) => string;

function colours(): Colour {
    const plain = makePlain(), [low, high] = ["--heat-low", "--heat-high"].map(cssColour);
    return (share) => plain(`color-mix(in oklab, ${high} ${Math.round(100 * Math.min(1, share))}%, ${low})`);
}

const unknown = (x: number, y: number): SVGElement =>
    svg("rect", { x, y, width: CELL - 2, height: ROW - 2, fill: "none", stroke: cssColour("--hair") });

const roomFor = (names: string[]): number => LETTER * Math.max(0, ...names.map((n) => n.length));

function drawnRow(row: HeatRow, left: number, y: number, map: ShownHeat, colour: Colour): SVGElement[] {
    return [text(row.name, left - 6, y + ROW - 3, "--quiet", { "text-anchor": "end" }),
        ...row.cells.map(({ value }, i) => (value === null ? unknown(left + CELL * i, y)
            : svg("rect", { x: left + CELL * i, y, width: CELL - 1, height: ROW - 1, fill: colour(map.top ? value / map.top : 0) })))];
}

// Draws the scale from 0 to its end, and the colour of unknown values.
function scale(y: number, map: ShownHeat, colour: Colour): SVGElement[] {
    const from = EDGE + 2 * LETTER, to = from + STEP * (STEPS + 1), words = map.measure.format(map.top), next = to + 6 + LETTER * (words.length + 2);
    return [text("0", EDGE, y + ROW - 3, "--quiet"),
        ...Array.from({ length: STEPS + 1 }, (_, i) => svg("rect", { x: from + STEP * i, y, width: STEP, height: ROW - 1, fill: colour(i / STEPS) })),
        text(words, to + 6, y + ROW - 3, "--quiet"), unknown(next, y), text("not known", next + CELL + 4, y + ROW - 3, "--quiet")];
}

function drawing(map: ShownHeat): SVGSVGElement {
    const colour = colours(), left = EDGE + 6 + roomFor(map.rows.map((r) => r.name)), top = 6 + roomFor(map.heads);
    const bottom = top + ROW * map.rows.length, width = left + CELL * Math.max(0, ...map.rows.map((r) => r.cells.length)) + EDGE;
    const heads = map.heads.map((name, i) =>
        text(name, 0, 0, "--quiet", { transform: `translate(${left + CELL * i + ROW} ${top - 4}) rotate(-90)` }));
    return framed(map.title, [], [...heads, ...map.rows.flatMap((r, i) => drawnRow(r, left, top + ROW * i, map, colour)),
        ...scale(bottom + 8, map, colour)], width, bottom + BELOW);
}

// The numbers of the links in the shown direction, one row for each link.
function numbers(run: Run, { rows, measure }: ShownHeat): string {
    const cells = rows.flatMap((r) => r.cells);
    return csv([{ name: "link", values: cells.map((c) => c.port.name) }, { name: "from", values: cells.map((c) => c.port.end) },
        { name: "to", values: cells.map((c) => run.ports[c.port.peer]!.end) },
        { name: named(measure.title, units.unitOf(measure.format)), values: cells.map((c) => c.value) }]);
}

export const heatFiles = (run: Run, map: ShownHeat): Saveable => ({ title: map.title, svg: () => drawing(map), csv: () => numbers(run, map) });
