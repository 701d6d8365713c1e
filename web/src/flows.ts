// Flows over time, their completion times, and a table of all flows.

import { Line, logChart } from "./chart";
import { chooseFlow } from "./choice";
import { completionTables } from "./fct";
import { button, h, prose, section } from "./dom";
import { flowCharts, followSight } from "./overtime";
import { Flow, Run } from "./run";
import { shownRuns, Store, View } from "./store";
import { flowWaitsOf } from "./flow-waits";
import * as units from "./units";
import { HOW } from "./why";

const PAGE = 25;

export class FlowSection {
    readonly element: HTMLElement;
    private readonly charts = h("div");
    private readonly times = h("div", { class: "charts" });
    private readonly completions = h("div");
    private readonly tables = h("div", { class: "sidebyside" });
    private readonly how = h("p", { class: "quiet" });
    private readonly search = h("input", { type: "search", id: "find-flow", placeholder: "part of a name",
        input: () => this.drawTables(this.store.view) });
    private sort: { key: number; down: boolean } = { key: -1, down: false };
    private nShown = PAGE;

    constructor(private readonly store: Store) {
        this.element = section("flows", "Flows", this.charts, this.times, this.completions,
            h("p", { class: "choose" }, h("label", { for: "find-flow" }, "Find flows "), this.search), this.tables, this.how);
        store.listen((view, changed) => {
            if (changed.has("shown") || changed.has("runs") || changed.has("flow")) {
                this.charts.replaceChildren(...flowCharts(store, view));
                this.drawTables(view);
            }
            if (changed.has("shown") || changed.has("runs")) {
                this.drawTimes(view);
                this.completions.replaceChildren(...completionTables(shownRuns(view), (flow) => chooseFlow(store, flow)));
            }
        });
        followSight(store, this.charts);
    }

    private drawTimes(view: View): void {
        const runs = shownRuns(view).filter((r) => r.raw.completion.cdf.length);
        const parts = ["p50", "p95", "p99"] as const;
        if (!runs.length) {
            this.times.replaceChildren();
            return;
        }
        const bySize = runs.flatMap((r) => parts.map((p, k): Line => {
            const bins = r.raw.completion.sizes.filter((b) => b[`slowdown_${p}`] !== null), y = bins.map((b) => b[`slowdown_${p}`]!);
            return { label: `${r.label}, ${p}`, colour: r.index, dash: k, x: bins.map((b) => b.to_bytes), low: y, high: y };
        })).filter((line) => line.x.length);
        const cdf = runs.map((r): Line => {
            const { x, y } = steps(r.raw.completion.cdf);
            return { label: r.label, colour: r.index, dash: r.index, x, low: y, high: y };
        });
        this.times.replaceChildren(...bySize.length ? [
            logChart({ title: "Slowdown by size of flow: how many times longer it took than alone", xTitle: "size of flow", format: (v) => units.digits(v) },
                units.bytes, bySize, true)] : [],
            logChart({ title: "Share of flows with at most this slowdown", xTitle: "slowdown", format: units.percent },
                (v) => units.digits(v), cdf, false));
    }

    private drawTables(view: View): void {
        const runs = shownRuns(view);
        this.element.hidden = runs.every((r) => !r.flows.length);
        this.how.replaceChildren(...(runs.some((r) => flowWaitsOf(r)) ? [] : prose(HOW)));
        this.tables.replaceChildren(...runs.map((run) => this.table(run, view)));
    }

    private table(run: Run, view: View): HTMLElement {
        const wanted = this.search.value.trim().toLowerCase();
        const flows = run.flows.filter((f) => f.name.toLowerCase().includes(wanted));
        const key = columns[this.sort.key]?.value;
        if (key) {
            flows.sort((a, b) => compare(key(run, a), key(run, b)) * (this.sort.down ? -1 : 1));
        }
        const heads = columnsOf(run).map((c) => h("th", {
            scope: "col", "aria-sort": columns[this.sort.key] !== c ? "none" : this.sort.down ? "descending" : "ascending",
        }, button(c.title, () => this.sortBy(columns.indexOf(c)), { class: "plain" })));
        const left = flows.length - this.nShown;
        return h("div", { class: "scroll" }, h("table", { class: "flows" },
            h("caption", {}, view.shown.length > 1 ? run.label : `${units.count(run.raw.n_recorded_flows, "flow")}`),
            h("thead", {}, h("tr", {}, ...heads)),
            h("tbody", {}, ...flows.slice(0, this.nShown).map((f) => this.row(run, f, view)))),
        left > 0 ? button(`Show ${Math.min(left, 4 * PAGE)} more of ${left.toLocaleString("en")}`, () => this.showMore()) : null,
        run.partOfFlows ? h("p", { class: "quiet" }, `The page has ${run.partOfFlows}; 'weir export --flows' writes all.`)
            : null);
    }

    private row(run: Run, f: Flow, view: View): HTMLElement {
        const isChosen = view.flow === f.name;
        const name = button(f.name, () => chooseFlow(this.store, f.name),
            { class: "plain", "aria-pressed": String(isChosen), title: "Show its path in the picture" });
        return h("tr", { class: isChosen ? "chosen" : "" }, h("th", { scope: "row" }, name,
            f.isWarmUp ? h("span", { class: "quiet", title: "It started in the warm-up: statistics do not count it" }, " warm-up") : null),
            ...columnsOf(run).slice(1).map((c) => h("td", {}, c.show(run, f))));
    }

    private sortBy(key: number): void {
        this.sort = { key, down: this.sort.key === key && !this.sort.down };
        this.drawTables(this.store.view);
    }

    private showMore(): void {
        this.nShown += 4 * PAGE;
        this.drawTables(this.store.view);
    }
}

// The points of a distribution, in equal shares and without duplicates.
function steps(cdf: number[]): { x: number[]; y: number[] } {
    const x: number[] = [], y: number[] = [];
    cdf.forEach((v, i) => {
        if (x[x.length - 1] === v) {
            y[y.length - 1] = i / (cdf.length - 1);
        } else {
            x.push(v);
            y.push(i / (cdf.length - 1));
        }
    });
    return { x, y };
}

function compare(a: number | string, b: number | string): number {
    if (typeof a === "string" || typeof b === "string") {
        return String(a).localeCompare(String(b), "en", { numeric: true });
    }
    return Number.isNaN(a) ? (Number.isNaN(b) ? 0 : 1) : Number.isNaN(b) ? -1 : a - b;
}

const orDash = (v: number, show: (v: number) => string): string => (Number.isNaN(v) ? "–" : show(v));

interface FlowColumn {
    title: string;
    value: (r: Run, f: Flow) => number | string;
    show: (r: Run, f: Flow) => string;
    // Whether the column is in the table of a run; if missing, it is in the tables of all runs.
    isIn?: (r: Run) => boolean;
}

const waitedPs = (r: Run, f: Flow): number => flowWaitsOf(r)?.of(f.id)?.totalPs ?? 0;
const heard = (r: Run, f: Flow): number => r.counter("flow", f.id, "n_messages");

const columnsOf = (run: Run): FlowColumn[] => columns.filter((c) => c.isIn?.(run) ?? true);

const columns: FlowColumn[] = [
    { title: "flow", value: (_, f) => f.name, show: (_, f) => f.name },
    { title: "size", value: (_, f) => f.bytes, show: (_, f) => (f.isConnection ? "messages" : Number.isNaN(f.bytes) ? "endless" : units.bytes(f.bytes)) },
    { title: "received", value: (_, f) => f.receivedBytes, show: (_, f) => orDash(f.receivedBytes, units.bytes) },
    { title: "goodput", value: (_, f) => f.goodputBps, show: (_, f) => orDash(f.goodputBps, units.rate) },
    {
        title: "in the 2nd half", value: (_, f) => f.lateBps,
        show: (_, f) => (f.neverStarted ? "never started"
            : !Number.isNaN(f.finishedPs) ? "finished" : !Number.isNaN(f.stoppedPs) ? "stopped"
                : orDash(f.lateBps, units.rate)),
    },
    { title: "slowdown", value: (_, f) => f.slowdown, show: (_, f) => orDash(f.slowdown, (v) => `${units.digits(v)}×`) },
    {
        title: "waited", value: waitedPs, show: (r, f) => units.time(waitedPs(r, f), 3), isIn: (r) => r.raw.why !== null,
    },
    {
        title: "messages", value: heard, show: (r, f) => heard(r, f).toLocaleString("en"),
        isIn: (r) => r.raw.n_messages_sent !== null,
    },
];
