// Completion times by workload: a table for each run.

import { h } from "./dom";
import { Completions, Run } from "./run";
import * as units from "./units";

const MEANING = "The time from the start of a flow to the arrival of its last byte, of flows that have a size and did not start in the " +
    "warm-up. Median: half of the flows took at most this long; 99 %: 99 of 100 flows did. Slowdown: how many times longer than alone. A flow " +
    "that has not finished took longer than all others; where a value would be its own, it is not known (–).";

const known = (v: number, show: (v: number) => string): string => (Number.isNaN(v) ? "–" : show(v));
const time = (ps: number): string => units.time(ps, 3);

const columns: { title: string; show: (c: Completions) => string }[] = [
    { title: "flows", show: (c) => c.nFlows.toLocaleString("en") },
    { title: "unfinished", show: (c) => c.nUnfinished.toLocaleString("en") },
    { title: "mean", show: (c) => known(c.meanPs, time) },
    { title: "median", show: (c) => known(c.medianPs, time) },
    { title: "99 %", show: (c) => known(c.p99Ps, time) },
    { title: "longest", show: (c) => known(c.longestPs, (v) => `${c.nUnfinished ? "over " : ""}${time(v)}`) },
    { title: "slowdown 99 %", show: (c) => known(c.slowdown, (v) => v.toFixed(2)) },
];

function table(run: Run, withName: boolean): HTMLElement {
    return h("div", { class: "scroll" }, h("table", { class: "completions" },
        h("caption", {}, withName ? `Completion times, ${run.label}` : "Completion times"),
        h("thead", {}, h("tr", {}, ...["workload", ...columns.map((c) => c.title)].map((t) => h("th", { scope: "col" }, t)))),
        h("tbody", {}, ...run.completions.map((c) => h("tr", {}, h("th", { scope: "row" }, c.name),
            ...columns.map((column) => h("td", {}, column.show(c))))))));
}

// Of runs that measured a flow with a size and have ended.
export function completionTables(runs: Run[]): HTMLElement[] {
    const timed = runs.filter((r) => (r.completions[0]?.nFlows ?? 0) > 0);
    return timed.length ? [h("div", { class: "sidebyside" }, ...timed.map((r) => table(r, runs.length > 1))),
        h("p", { class: "quiet" }, MEANING)] : [];
}
