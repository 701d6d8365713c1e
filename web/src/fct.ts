// Completion times: for each run a table of its jobs, tables of flows by workload and by size, and the worst flows.

import { button, h } from "./dom";
import { Fact, showFact, valueOf, Values, workloadFacts } from "./facts";
import { spokenHead } from "./names";
import { Run, WorstFlow } from "./run";
import * as units from "./units";

const MEANING = "A completion time lasts from the start of a flow to the arrival of its last byte. Only flows that have a size and did not start " +
    "in the warm-up count. Median: half of the flows took at most this long. 95 % and 99 %: this share of the flows took at most this long. " +
    "Slowdown: the completion time divided by the time that the flow would take alone. Means cover only flows that have ended. " +
    "A flow that has not ended counts as slower than all others, and a value that falls on such a flow is unknown (–). " +
    "A percentile of too few flows is unknown, too: 95 % needs 20, 99 % needs 100. " +
    "By size: bins of 5 % of the flows; a size that at least a tenth of the flows have is a bin of its own.";

const time = (ps: number): string => units.time(ps, 3);
const size = (n: number): string => (n ? units.bytes(n) : "0 B");
const ratio = (v: number | null): string => (v === null ? "–" : units.digits(v));

// Facts without a column of their own. The column of the maximum uses the first two, if flows have not finished.
const unseen = ["n_unfinished", "fct_max_at_least_ps", "sent_bytes"];
const over: Record<string, string> = { fct: "time", slowdown: "slowdown" };

// Facts of jobs have a table of their own. Their names begin with these words.
const jobWords = ["job", "iteration", "algbw", "busbw", "computing", "network", "peer"];
const isOfJob = (f: Fact): boolean => jobWords.includes(f.name.split("_")[0]!);
const jobFacts = workloadFacts.filter(isOfJob);

// Headings above the headings of columns. Each spans the columns whose headings begin with the same words.
function groupHeads(facts: Fact[]): HTMLElement[] {
    const heads: { text: string; n: number }[] = [];
    for (const text of ["", ...facts.map((f) => over[f.name.split("_")[0]!] ?? "")]) {
        const last = heads[heads.length - 1];
        if (last?.text === text) {
            last.n++;
        } else {
            heads.push({ text, n: 1 });
        }
    }
    return heads.map(({ text, n }) => h("th", { colspan: n }, text));
}

function cell(fact: Fact, of: Values): string {
    if (fact.name === "fct_max_ps" && of.n_unfinished) {
        return `over ${units.showValue("ps", of.fct_max_at_least_ps)}`;
    }
    return fact.unit === "times" ? ratio(valueOf(fact, of)) : showFact(fact, of);
}

function flowFacts(kind: string, rows: [string, Values][]): Fact[] {
    const isSeen = (f: Fact): boolean => !isOfJob(f) && !unseen.includes(f.name) && (f.name !== "done_ps" || kind === "workload") &&
        (f.name !== "retransmitted_bytes" || rows.some(([, c]) => c.retransmitted_bytes));
    return workloadFacts.filter(isSeen);
}

function table(kind: string, title: string, rows: [string, Values][]): HTMLElement {
    const shown = kind === "job" ? jobFacts : flowFacts(kind, rows);
    return h("div", { class: "scroll" }, h("table", { class: `completions by-${kind}` },
        h("caption", {}, title),
        h("thead", {}, h("tr", {}, ...groupHeads(shown)),
            h("tr", {}, h("th", { scope: "col" }, kind), ...shown.map((f) => h("th", { scope: "col", title: f.help }, spokenHead(f.head))))),
        h("tbody", {}, ...rows.map(([name, c]) =>
            h("tr", {}, h("th", { scope: "row" }, name), ...shown.map((f) => h("td", {}, cell(f, c))))))));
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
    { title: "time", show: (f) => time(f.fct_at_least_ps) },
    { title: "alone", show: (f) => time(f.ideal_ps) },
    { title: "slowdown", show: (f) => ratio(f.slowdown_at_least) },
    { title: "retransmitted", show: (f) => size(f.retransmitted_bytes) },
];

// The column of causes, for runs that recorded waits.
const whyColumn = { title: "main cause of wait", show: (f: WorstFlow): string => f.why ?? "–" };

function worstTable(title: string, flows: WorstFlow[], choose: Choose): HTMLElement {
    const columns = flows.some((f) => f.why !== null) ? [...worstColumns, whyColumn] : worstColumns;
    const name = (f: WorstFlow) => button(f.name, () => choose(f.name), { class: "plain", title: "Show its path in the picture" });
    return h("div", { class: "scroll" }, h("table", { class: "worst" },
        h("caption", {}, title),
        h("thead", {}, h("tr", {}, ...["flow", ...columns.map((c) => c.title)].map((t) => h("th", { scope: "col" }, t)))),
        h("tbody", {}, ...flows.map((f) => h("tr", {}, h("th", { scope: "row" }, name(f)),
            ...columns.map((c) => h("td", {}, c.show(f))))))));
}

// The first row of workloads is about all of them.
const jobsOf = (run: Run) => run.raw.completion.workloads.slice(1).filter((w) => jobFacts.some((f) => valueOf(f, w) !== null));
const hasFlows = (run: Run): boolean => (run.raw.completion.workloads[0]?.n_flows ?? 0) > 0;

function tables(run: Run, withName: boolean, choose: Choose): HTMLElement {
    const { workloads, sizes, worst } = run.raw.completion, of = withName ? `, ${run.label}` : "", jobs = jobsOf(run);
    return h("div", {},
        jobs.length ? table("job", `Jobs${of}`, jobs.map((w) => [w.name, w])) : null,
        ...(hasFlows(run) ? [table("workload", `Completion by workload${of}`, workloads.map((w) => [w.name, w])),
        table("size", `Completion by size${of}`, sizes.map((s) => [range(s.from_bytes, s.to_bytes), s])),
        worstTable(`The worst flows${of}`, worst, choose)] : []));
}

// The tables of runs that have ended and have measured a finite flow or a job.
export function completionTables(runs: Run[], choose: Choose): HTMLElement[] {
    const timed = runs.filter((r) => hasFlows(r) || jobsOf(r).length);
    const meaning = timed.some(hasFlows) ? [h("p", { class: "quiet" }, MEANING)] : [];
    return timed.length ? [h("div", { class: "sidebyside" }, ...timed.map((r) => tables(r, runs.length > 1, choose))), ...meaning] : [];
}
