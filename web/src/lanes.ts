// Lanes below the strip of the timeline: one for each kind of problem in the shown runs, with marks at its times. A
// click on the title of a lane goes to the first mark.

import { button, h, svg } from "./dom";
import { Run } from "./run";

import { shownRuns, View } from "./store";
import { inLane, Lane, LaneOfRun, lanes } from "./troubles";

export const WIDTH = 1000; // The width of the visible part.
const HEIGHT = 16;

export const xOf = (view: View, ps: number): number => ((ps - view.fromPs) / Math.max(1, view.toPs - view.fromPs)) * WIDTH;

const bar = (from: number, to: number, y: number, height: number, opacity: number): SVGRectElement =>
    svg("rect", { x: from.toFixed(1), width: Math.max(2, to - from).toFixed(1), y, height, "fill-opacity": opacity.toFixed(2) });

// Draws marks. A span is a bar; a count is a bar whose density shows how often the events occurred.
function marks(view: View, run: Run, found: LaneOfRun, y: number, height: number): SVGGElement {
    const spans = found.spans.map((s) => bar(xOf(view, s.fromPs), xOf(view, Math.min(s.toPs, run.untilPs)), y, height, 0.8));
    const most = Math.max(1, ...found.troubles.flatMap((t) => t.bins));
    const counts = found.troubles.flatMap((t) => t.bins.flatMap((n, i) =>
        n ? [bar(xOf(view, Math.max(i * t.bin_ps, t.first_ps)), xOf(view, Math.min((i + 1) * t.bin_ps, t.last_ps)), y, height,
            0.35 + (0.6 * n) / most)] : []));
    return svg("g", { class: `run-${run.index % 6}` }, ...spans, ...counts);
}

function row(view: View, lane: Lane, goTo: (ps: number) => void): HTMLElement | null {
    const runs = shownRuns(view), found = runs.map((r) => ({ run: r, of: inLane(r, lane) })).filter((f) => f.of !== null);
    if (!found.length) {
        return null;
    }
    const firstPs = Math.min(...found.map((f) => f.of!.firstPs)), n = found.reduce((all, f) => all + f.of!.n, 0);
    const height = HEIGHT / found.length, isEarly = xOf(view, firstPs) < WIDTH * 0.35;
    return h("div", { class: isEarly ? "lane right" : "lane" },
        svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
            ...found.map((f, i) => marks(view, f.run, f.of!, i * height, height))),
        button(`${lane.title}: ${n.toLocaleString("en")}`, () => goTo(firstPs), { title: "Go to the first" }));
}

export function drawLanes(view: View, goTo: (ps: number) => void): HTMLElement[] {
    return lanes.map((lane) => row(view, lane, goTo)).filter((r) => r !== null);
}
