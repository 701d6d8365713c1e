// A link to the current view. After the # of the address are the runs, the instant, the part of the time, the link, the
// flow, the colour and the choices of the heat map.
//
//     report.html#run=ring.db%232&time=2800000000&from=0&to=5600000000&link=S1+→+S2&flow=H1-H3&colour=load
//
// An address may come from anyone, so a value that does not fit the page is ignored.

import { isKnown } from "./gates";
import { readHeat, writeHeat } from "./heat-choice";
import type { Run } from "./run";
import { Colour, endPs, shownRuns, View } from "./store";

// The default view of the runs that are shown first.
export type First = (runs: Run[]) => Pick<View, "timePs" | "fromPs" | "toPs" | "link">;

// The other colours may be unknown in a run.
const always: Colour[] = ["held", "load"], colours: Colour[] = [...always, "paused", "rate", "credit"];

export const runKey = (file: string, id: number): string => `${file}#${id}`;

const keyOf = (run: Run): string => runKey(run.raw.file, run.raw.id);

// The runs in an address.
export function wantedRuns(hash: string): string[] {
    return new URLSearchParams(hash.slice(1)).getAll("run");
}

// Whether an address has a view. Other addresses lead to sections of the page.
export const isOfView = (hash: string): boolean => hash.includes("=");

export function hashOf(view: View): string {
    const said = new URLSearchParams(shownRuns(view).map((r) => ["run", keyOf(r)]));
    const times = { time: view.timePs, from: view.fromPs, to: view.toPs };
    Object.entries(times).forEach(([key, ps]) => said.set(key, String(Math.round(ps))));
    Object.entries({ link: view.link, flow: view.flow, colour: view.colour }).forEach(([key, v]) => v !== null && said.set(key, v));
    writeHeat(view.heat, said);
    return `#${said}`;
}

// Reads whole picoseconds, up to the largest exact number.
function timeIn(said: URLSearchParams, key: string): number | null {
    const text = said.get(key) ?? "", value = Number(text);
    return /^\d{1,16}$/.test(text) && Number.isSafeInteger(value) ? value : null;
}

function timesIn(said: URLSearchParams, view: View): Partial<View> {
    const end = endPs(shownRuns(view)), at = timeIn(said, "time"), from = timeIn(said, "from"), to = timeIn(said, "to");
    const isPart = from !== null && to !== null && from < to && to <= end;
    return { ...(at !== null && at <= end ? { timePs: at } : {}), ...(isPart ? { fromPs: from, toPs: to } : {}) };
}

// The view in the address, as far as it can be shown.
export function viewOf(hash: string, view: View, first: First): View {
    const said = new URLSearchParams(hash.slice(1)), wanted = new Set(wantedRuns(hash));
    const shown = view.runs.map((_, i) => i).filter((i) => wanted.has(keyOf(view.runs[i]!)));
    const others = shown.length > 0 && shown.join() !== view.shown.join();
    const next = others ? { ...view, shown, ...first(shown.map((i) => view.runs[i]!)) } : { ...view };
    Object.assign(next, timesIn(said, next));
    const runs = shownRuns(next), isThere = (c: Colour): boolean => always.includes(c) || runs.some((r) => isKnown(r, c));
    const link = said.get("link"), flow = said.get("flow"), colour = colours.find((c) => c === said.get("colour") && isThere(c));
    if (link !== null && runs.some((r) => r.portNamed(link))) {
        next.link = link;
    }
    if (flow !== null && runs.some((r) => r.flows.some((f) => f.name === flow))) {
        next.flow = flow;
    }
    return { ...next, colour: colour ?? next.colour, heat: readHeat(said, next.heat) };
}
