// Flow completion times: for each run a table by workload, one by size, and the worst flows.

import { button, h } from "./dom";
import { Completion, Run, WorstFlow } from "./run";
import * as units from "./units";

const MEANING = "The time from the start of a flow to the arrival of its last byte, of flows that have a size and did not start in the " +
    "warm-up. Median: half of the flows took at most this long; 95 %, 99 %: so many did. Slowdown: how many times longer than alone. Means " +
    "are of flows that ended; a flow that has not ended took longer than all others, and where a value would be its own, it is not known (–). " +
    "By size: bins of 5 % of the flows; a size that a tenth of the flows have is a bin of its own.";

const PS = 1e12;
const known = (v: number | null, show: (v: number) => string): string => (v === null ? "–" : show(v));
const time = (s: number | null): string => known(s, (v) => units.time(v * PS, 3));
const ratio = (v: number | null): string => known(v, (x) => units.digits(x));
const count = (n: number): string => n.toLocaleString("en");
const size = (n: number): string => (n ? units.bytes(n) : "0 B");

const groups: [string, number][] = [["", 3], ["time", 5], ["slowdown", 5], ["", 1]];

interface Column {
    title: string;
    show: (c: Completion) => string;
}

const columns: Column[] = [
    { title: "flows", show: (c) => count(c.flows) },
    { title: "ended", show: (c) => count(c.ended) },
    { title: "mean", show: (c) => time(c.fct_mean_s) },
    { title: "median", show: (c) => time(c.fct_p50_s) },
    { title: "95 %", show: (c) => time(c.fct_p95_s) },
    { title: "99 %", show: (c) => time(c.fct_p99_s) },
    { title: "longest", show: (c) => `${c.unfinished ? "over " : ""}${time(c.fct_max_at_least_s)}` },
    { title: "mean", show: (c) => ratio(c.slowdown_mean) },
    { title: "50 %", show: (c) => ratio(c.slowdown_p50) },
    { title: "95 %", show: (c) => ratio(c.slowdown_p95) },
    { title: "99 %", show: (c) => ratio(c.slowdown_p99) },
    { title: "most", show: (c) => ratio(c.slowdown_max) },
];

const again: Column = { title: "sent again", show: (c) => size(c.sent_again_bytes) };

function table(kind: string, title: string, groupsOfFlows: [string, Completion][]): HTMLElement {
    const shown = groupsOfFlows.some(([, c]) => c.sent_again_bytes) ? [...columns, again] : columns;
    return h("div", { class: "scroll" }, h("table", { class: `completions by-${kind}` },
        h("caption", {}, title),
        h("thead", {}, h("tr", {}, ...groups.map(([t, n]) => h("th", { colspan: String(n) }, t))),
            h("tr", {}, ...[kind, ...shown.map((c) => c.title)].map((t) => h("th", { scope: "col" }, t)))),
        h("tbody", {}, ...groupsOfFlows.map(([name, c]) =>
            h("tr", {}, h("th", { scope: "row" }, name), ...shown.map((column) => h("td", {}, column.show(c))))))));
}

const range = (from: number, to: number): string => {
    const low = units.bytes(from), high = units.bytes(to);
    return low === high ? low : `${low} to ${high}`;
};

type Choose = (flow: string) => void;

const worstColumns: { title: string; show: (f: WorstFlow) => string }[] = [
    { title: "workload", show: (f) => f.workload ?? "–" },
    { title: "size", show: (f) => units.bytes(f.bytes) },
    { title: "state", show: (f) => f.state },
    { title: "time", show: (f) => time(f.taken_s) },
    { title: "alone", show: (f) => time(f.ideal_s) },
    { title: "slowdown", show: (f) => ratio(f.slowdown) },
    { title: "sent again", show: (f) => size(f.sent_again_bytes) },
];

// Where it was recorded.
const whyColumn = { title: "mostly held back by", show: (f: WorstFlow): string => f.why ?? "–" };

function worstTable(title: string, flows: WorstFlow[], choose: Choose): HTMLElement {
    const columns = flows.some((f) => f.why !== null) ? [...worstColumns, whyColumn] : worstColumns;
    const name = (f: WorstFlow) => button(f.name, () => choose(f.name), { class: "plain", title: "Show its path in the picture" });
    return h("div", { class: "scroll" }, h("table", { class: "worst" },
        h("caption", {}, title),
        h("thead", {}, h("tr", {}, ...["flow", ...columns.map((c) => c.title)].map((t) => h("th", { scope: "col" }, t)))),
        h("tbody", {}, ...flows.map((f) => h("tr", {}, h("th", { scope: "row" }, name(f)),
            ...columns.map((c) => h("td", {}, c.show(f))))))));
}

function tables(run: Run, withName: boolean, choose: Choose): HTMLElement {
    const { workloads, sizes, worst } = run.raw.completion, of = withName ? `, ${run.label}` : "";
    return h("div", {},
        table("workload", `Completion by workload${of}`, workloads.map((w) => [w.name, w])),
        table("size", `Completion by size${of}`, sizes.map((s) => [range(s.from_bytes, s.to_bytes), s])),
        worstTable(`The worst flows${of}`, worst, choose));
}

// For runs that measured a flow with a size and have ended.
export function completionTables(runs: Run[], choose: Choose): HTMLElement[] {
    const timed = runs.filter((r) => (r.raw.completion.workloads[0]?.flows ?? 0) > 0);
    return timed.length ? [h("div", { class: "sidebyside" }, ...timed.map((r) => tables(r, runs.length > 1, choose))),
        h("p", { class: "quiet" }, MEANING)] : [];
}
