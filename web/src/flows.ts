// Flows: what each received over time, a table of all, and how long they took.

import { ChartOptions, Line, logChart, timeChart } from "./chart";
import { completionTables } from "./completions";
import { button, h, section } from "./dom";
import { Flow, Run } from "./run";
import { slope } from "./samples";
import { shownRuns, Store, View } from "./store";
import * as units from "./units";

const MAX_LINES = 6, PAGE = 25;

// Of a flow that has ended, over its life; else over the run so far.
function goodput(run: Run, f: Flow): number {
    const end = !Number.isNaN(f.finishedPs) ? f.finishedPs : !Number.isNaN(f.stoppedPs) ? f.lastPs : run.untilPs;
    return end > f.startPs ? (f.receivedBytes * 8e12) / (end - f.startPs) : 0;
}

function slowdown(f: Flow): number {
    return (f.finishedPs - f.startPs) / f.idealPs;
}

function received(run: Run, f: Flow): number | undefined {
    return run.seriesOf("received", "flow", f.id)[0]?.id;
}

function goodputLines(run: Run, chosen: string | null): Line[] {
    const sampled = run.flows.filter((f) => received(run, f) !== undefined);
    const first = [...sampled].sort((a, b) => b.receivedBytes - a.receivedBytes).slice(0, MAX_LINES)
        .sort((a, b) => a.id - b.id);
    const extra = sampled.find((f) => f.name === chosen);
    const flows = extra && !first.includes(extra) ? [...first.slice(0, MAX_LINES - 1), extra] : first;
    return flows.map((f, i) => {
        const column = run.samples.column(received(run, f)!);
        const low = slope(run.samples.times, column.low).map((v) => v * 8e12);
        return { label: f.name, colour: i, dash: i, x: run.samples.times, low, high: low };
    });
}

export class FlowSection {
    readonly element: HTMLElement;
    private readonly charts = h("div", { class: "charts" });
    private readonly times = h("div", { class: "charts" });
    private readonly completions = h("div");
    private readonly tables = h("div", { class: "sidebyside" });
    private readonly search = h("input", { type: "search", id: "find-flow", placeholder: "part of a name",
        input: () => this.drawTables(this.store.view) });
    private sort: { key: number; down: boolean } = { key: -1, down: false };
    private nShown = PAGE;

    constructor(private readonly store: Store) {
        this.element = section("flows", "Flows", this.charts, this.times, this.completions,
            h("p", { class: "choose" }, h("label", { for: "find-flow" }, "Find flows "), this.search), this.tables);
        store.listen((view, changed) => {
            if (changed.has("shown") || changed.has("runs") || changed.has("flow")) {
                this.drawGoodput(view);
                this.drawTables(view);
            }
            if (changed.has("shown") || changed.has("runs")) {
                this.drawTimes(view);
                this.completions.replaceChildren(...completionTables(shownRuns(view)));
            }
        });
    }

    // A chart a run, all on the same axis.
    private drawGoodput(view: View): void {
        const runs = shownRuns(view), all = runs.map((r) => goodputLines(r, view.flow));
        let most = 0;
        for (const line of all.flat()) {
            most = Array.from(line.high).reduce((a, b) => Math.max(a, b), most);
        }
        this.charts.replaceChildren(...runs.map((run, i) => {
            const options: ChartOptions = {
                title: runs.length > 1 ? `Goodput, ${run.label}` : "Goodput", format: units.rate, most, height: 220,
                note: run.raw.n_flows > all[i]!.length
                    ? `${all[i]!.length} of ${units.count(run.raw.n_flows, "flow")}: those that received the most` +
                        `${run.partOfFlows ? `, of ${run.partOfFlows}` : ""}.` : undefined,
            };
            return all[i]!.length ? timeChart(this.store, options, all[i]!)
                : h("p", { class: "quiet" }, `${run.label}: the goodput of flows was not sampled.`);
        }));
    }

    private drawTimes(view: View): void {
        const runs = shownRuns(view).filter((r) => r.raw.slowdown.n);
        const parts = ["p50", "p95", "p99"] as const;
        if (!runs.length) {
            this.times.replaceChildren(
                h("p", { class: "quiet" }, "No flow has finished, so there are no completion times to show."));
            return;
        }
        const bySize = runs.flatMap((r) => parts.map((p, k): Line => {
            const y = r.bins.map((b) => b[p]);
            return { label: `${r.label}, ${p}`, colour: r.index, dash: k, x: r.bins.map((b) => b.bytes), low: y, high: y };
        }));
        const cdf = runs.map((r): Line => {
            const { x, y } = steps(r.raw.slowdown.cdf);
            return { label: r.label, colour: r.index, dash: r.index, x, low: y, high: y };
        });
        this.times.replaceChildren(
            logChart({ title: "Slowdown by size of flow: how many times longer it took than alone", format: (v) => units.digits(v) },
                units.bytes, bySize, true),
            logChart({ title: "Share of flows with at most this slowdown", format: units.percent },
                (v) => units.digits(v), cdf, false));
    }

    private drawTables(view: View): void {
        this.tables.replaceChildren(...shownRuns(view).map((run) => this.table(run, view)));
    }

    private table(run: Run, view: View): HTMLElement {
        const wanted = this.search.value.trim().toLowerCase();
        const flows = run.flows.filter((f) => f.name.toLowerCase().includes(wanted));
        const key = columns[this.sort.key]?.value;
        if (key) {
            flows.sort((a, b) => compare(key(run, a), key(run, b)) * (this.sort.down ? -1 : 1));
        }
        const heads = columns.map((c, i) => h("th", {
            scope: "col", "aria-sort": this.sort.key !== i ? "none" : this.sort.down ? "descending" : "ascending",
        }, button(c.title, () => this.sortBy(i), { class: "plain" })));
        const left = flows.length - this.nShown;
        return h("div", { class: "scroll" }, h("table", { class: "flows" },
            h("caption", {}, view.shown.length > 1 ? run.label : `${units.count(run.raw.n_flows, "flow")}`),
            h("thead", {}, h("tr", {}, ...heads)),
            h("tbody", {}, ...flows.slice(0, this.nShown).map((f) => this.row(run, f, view)))),
        left > 0 ? button(`Show ${Math.min(left, 4 * PAGE)} more of ${left}`, () => this.showMore()) : null,
        run.partOfFlows ? h("p", { class: "quiet" }, `The page has ${run.partOfFlows}; 'weir export --flows' writes all.`)
            : null);
    }

    private row(run: Run, f: Flow, view: View): HTMLElement {
        const isChosen = view.flow === f.name;
        const name = button(f.name, () => this.store.set({ flow: isChosen ? null : f.name }),
            { class: "plain", "aria-pressed": String(isChosen), title: "Show its path in the picture" });
        return h("tr", { class: isChosen ? "chosen" : "" }, h("th", { scope: "row" }, name,
            f.isWarmUp ? h("span", { class: "quiet", title: "It started in the warm-up: statistics do not count it" }, " warm-up") : null),
            ...columns.slice(1).map((c) => h("td", {}, c.show(run, f))));
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

// Points of equal shares, each once.
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

const columns: { title: string; value: (r: Run, f: Flow) => number | string; show: (r: Run, f: Flow) => string }[] = [
    { title: "flow", value: (_, f) => f.name, show: (_, f) => f.name },
    { title: "size", value: (_, f) => f.bytes, show: (_, f) => (Number.isNaN(f.bytes) ? "endless" : units.bytes(f.bytes)) },
    { title: "received", value: (_, f) => f.receivedBytes, show: (_, f) => orDash(f.receivedBytes, units.bytes) },
    { title: "goodput", value: goodput, show: (r, f) => orDash(goodput(r, f), units.rate) },
    {
        title: "in the 2nd half", value: (_, f) => f.lateBps,
        show: (_, f) => (f.neverStarted ? "never started"
            : !Number.isNaN(f.finishedPs) ? "finished" : !Number.isNaN(f.stoppedPs) ? "stopped"
                : orDash(f.lateBps, units.rate)),
    },
    { title: "slowdown", value: (_, f) => slowdown(f), show: (_, f) => orDash(slowdown(f), (v) => `${units.digits(v)}×`) },
];
