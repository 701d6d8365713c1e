// A link to the present view: runs, instant, part of the time, link, flow, colour and the choices
// of the heat map stand behind the # of the address.
//
//     report.html#run=ring.db%232&time=2800000000&from=0&to=5600000000&link=S1+→+S2&flow=H1-H3&colour=load
//
// Anyone may have written an address: a value that does not fit the page is ignored.

import { isKnown } from "./gates";
import { readHeat, writeHeat } from "./heat-choice";
import type { Run } from "./run";
import { Colour, endPs, shownRuns, View } from "./store";

// The view of runs that are shown first.
export type First = (runs: Run[]) => Pick<View, "timePs" | "fromPs" | "toPs" | "link">;

const always: Colour[] = ["held", "load"], colours: Colour[] = [...always, "paused", "rate", "credit"]; // Others are known or not.

export const runKey = (file: string, id: number): string => `${file}#${id}`;

const keyOf = (run: Run): string => runKey(run.raw.file, run.raw.id);

// The runs that an address asks for.
export function wantedRuns(hash: string): string[] {
    return new URLSearchParams(hash.slice(1)).getAll("run");
}

// Others lead to parts of the page.
export const isOfView = (hash: string): boolean => hash.includes("=");

export function hashOf(view: View): string {
    const said = new URLSearchParams(shownRuns(view).map((r) => ["run", keyOf(r)]));
    const times = { time: view.timePs, from: view.fromPs, to: view.toPs };
    Object.entries(times).forEach(([key, ps]) => said.set(key, String(Math.round(ps))));
    Object.entries({ link: view.link, flow: view.flow, colour: view.colour }).forEach(([key, v]) => v !== null && said.set(key, v));
    writeHeat(view.heat, said);
    return `#${said}`;
}

// Whole picoseconds, up to the largest number that is exact.
function timeIn(said: URLSearchParams, key: string): number | null {
    const text = said.get(key) ?? "", value = Number(text);
    return /^\d{1,16}$/.test(text) && Number.isSafeInteger(value) ? value : null;
}

function timesIn(said: URLSearchParams, view: View): Partial<View> {
    const end = endPs(shownRuns(view)), at = timeIn(said, "time"), from = timeIn(said, "from"), to = timeIn(said, "to");
    const isPart = from !== null && to !== null && from < to && to <= end;
    return { ...(at !== null && at <= end ? { timePs: at } : {}), ...(isPart ? { fromPs: from, toPs: to } : {}) };
}

// The view that the address asks for, as far as it can be shown.
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
