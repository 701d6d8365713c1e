// Sweeps: a metric over one setting, with other settings as lines and panels, and a table of all runs.

import { h, section } from "./dom";
import { helpOf } from "./facts";
import { sweepChart } from "./sweep-chart";
import { Axes, Cell, group, RawSweep, Sweep } from "./sweep-group";
import * as units from "./units";

const MAX_ROWS = 300, MAX_CELLS = 20000;

function chooser(label: string, names: string[], chosen: number | null, none: string | null,
                 choose: (i: number | null) => void): HTMLElement {
    const select = h("select", {
        change: () => choose(select.value === "" ? null : Number(select.value)),
    }, none === null ? null : h("option", { value: "" }, none),
    ...names.map((n, i) => h("option", { value: i, selected: i === chosen, title: helpOf(n) || undefined }, n)));
    return h("label", {}, `${label} `, select);
}

// The text of a cell, such as "5 Gb/s (4.9 Gb/s to 5.1 Gb/s), 2 dead".
function cellWords(cell: Cell | null, unit: string): string {
    if (!cell) {
        return "";
    }
    return [
        cell.n > 1 ? `${units.showValue(unit, cell.median)} (${units.showValue(unit, cell.q1)} to ${units.showValue(unit, cell.q3)})`
            : units.showValue(unit, cell.median),
        cell.n + cell.few < cell.runs ? `${cell.runs - cell.n - cell.few} of ${cell.runs} runs without` : "",
        cell.few ? `${cell.few} of ${cell.runs} runs with too few flows` : "",
        cell.dead ? `${cell.dead} dead` : "", cell.failed ? `${cell.failed} failed` : "",
    ].filter((w) => w).join(", ");
}

export class SweepSection {
    readonly element: HTMLElement;
    private sweep: Sweep;
    private axes: Axes | null = null;
    private sort: { column: number; isDown: boolean } = { column: -1, isDown: false };
    private hasAll = false; // All metrics are columns of the table, and not only the chosen one.
    private readonly head = h("div");
    private readonly drawings = h("div", { class: "panels" });
    private readonly medians = h("div", { class: "scroll" });
    private readonly runs = h("div", { class: "scroll" });

    constructor(raw: RawSweep) {
        this.sweep = new Sweep(raw);
        this.element = section(`sweep-${raw.file}-${raw.sweep}`, `Sweep: ${raw.name}`, this.head, this.drawings,
            h("details", {}, h("summary", {}, "The numbers of these charts"), this.medians), this.runs);
        this.element.classList.add("sweep");
        this.take(raw);
    }

    get raw(): RawSweep {
        return this.sweep.raw;
    }

    // Updates the sweep to its current progress; the user's choices stay.
    take(raw: RawSweep): void {
        const names = this.axes && this.names(this.axes);
        this.sweep = new Sweep(raw);
        this.axes = names ? this.find(names) : this.first();
        this.draw();
    }

    private names(a: Axes): (string | null)[] {
        const name = (i: number | null): string | null => (i === null ? null : this.sweep.settings[i]!.name);
        return [this.sweep.raw.metrics[a.metric]!.name, name(a.by), name(a.lines), name(a.panels)];
    }

    private find([metric, by, lines, panels]: (string | null)[]): Axes | null {
        const setting = (name: string | null | undefined): number => this.sweep.settings.findIndex((s) => s.name === name);
        const found = this.sweep.raw.metrics.findIndex((m) => m.name === metric);
        const some = (i: number): number | null => (i < 0 ? null : i);
        return found < 0 || setting(by) < 0 ? this.first()
            : { metric: found, by: setting(by), lines: some(setting(lines)), panels: some(setting(panels)) };
    }

    private first(): Axes | null {
        const { metric, by, lines, panels } = this.sweep.raw.axes;
        return metric === null || by === null ? null : { metric, by, lines, panels };
    }

    private set(change: Partial<Axes>): void {
        this.axes = { ...this.axes!, ...change };
        this.draw();
    }

    private draw(): void {
        this.head.replaceChildren(this.words(), this.axes ? this.controls(this.axes) : "");
        const cells = this.axes && this.fits(this.axes) ? group(this.sweep, this.axes) : null;
        this.drawings.replaceChildren(...(cells ? this.charts(cells) : ["There is nothing to draw over these settings."]));
        this.medians.replaceChildren(...(cells ? cells.map((c, i) => this.panelTable(c, i)) : []));
        this.runs.replaceChildren(this.runTable());
    }

    // Whether a chart of these axes is useful. A chart of seeds over seeds would have too many combinations.
    private fits(a: Axes): boolean {
        const n = [a.by, a.lines, a.panels].map((i) => (i === null ? 1 : this.sweep.settings[i]!.values.length));
        return n[0]! * n[1]! * n[2]! <= MAX_CELLS && n[1]! <= 24 && n[2]! <= 24;
    }

    private words(): HTMLElement {
        const raw = this.sweep.raw, dead = raw.runs.filter((r) => r[3]).length;
        const failed = raw.runs.filter((_, i) => !this.sweep.hasRun(i)).length;
        const shown = raw.runs.length + raw.n_skipped < raw.n_done ? `the page has the first ${raw.runs.length.toLocaleString("en")}` : "";
        return h("p", { class: "sweep-words" }, [
            `${raw.n_done.toLocaleString("en")} of ${units.count(raw.n_runs, "run")} done`, raw.n_skipped ? `${raw.n_skipped} skipped` : "",
            dead ? `${dead} with a deadlock` : "", failed ? `${failed} refused or failed` : "", shown,
        ].filter((w) => w).join(", ") + ".");
    }

    private controls(a: Axes): HTMLElement {
        const names = this.sweep.settings.map((s) => `${s.name} (${s.values.length})`);
        return h("div", { class: "controls" },
            chooser("Show", this.sweep.raw.metrics.map((m) => m.name), a.metric, null, (i) => this.set({ metric: i! })),
            chooser("over", names, a.by, null, (i) => this.set({ by: i! })),
            chooser("lines", names, a.lines, "none", (i) => this.set({ lines: i })),
            chooser("charts", names, a.panels, "one", (i) => this.set({ panels: i })),
            h("span", { class: "quiet" }, `Median, and a bar from quartile to quartile, over all other settings.${this.fewWords(a)}`));
    }

    // A median over part of the runs has to say so.
    private fewWords(a: Axes): string {
        const runs = this.sweep.raw.runs, few = runs.filter((_, row) => this.sweep.isOfFew(a.metric, row)).length;
        return few ? ` ${few} of ${units.count(runs.length, "run")} have too few flows for this percentile and are left out.` : "";
    }

    private labels(setting: number | null): string[] {
        return setting === null ? [""] : this.sweep.settings[setting]!.values;
    }

    private charts(cells: (Cell | null)[][][]): HTMLElement[] {
        const a = this.axes!, metric = this.sweep.raw.metrics[a.metric]!;
        const range = cells.flat(2).filter((c): c is Cell => c !== null && c.n > 0).flatMap((c) => [c.q1, c.q3]);
        const title = (i: number): string => (a.panels === null ? metric.name
            : `${metric.name}, ${this.sweep.settings[a.panels]!.name}=${this.labels(a.panels)[i]}`);
        return cells.map((panel, i) => sweepChart({
            title: title(i), by: this.sweep.settings[a.by]!, labels: this.labels(a.lines), unit: metric.unit, cells: panel, range,
        }));
    }

    private panelTable(cells: (Cell | null)[][], panel: number): HTMLElement {
        const a = this.axes!, by = this.sweep.settings[a.by]!, unit = this.sweep.raw.metrics[a.metric]!.unit;
        return h("table", { class: "medians" },
            a.panels === null ? null : h("caption", {}, `${this.sweep.settings[a.panels]!.name}=${this.labels(a.panels)[panel]}`),
            h("thead", {}, h("tr", {}, h("th", { scope: "col" }, by.name),
                ...this.labels(a.lines).map((l) => h("th", { scope: "col" }, l || this.sweep.raw.metrics[a.metric]!.name)))),
            h("tbody", {}, ...by.values.map((v, i) => h("tr", {}, h("th", { scope: "row" }, v),
                ...cells.map((line) => h("td", {}, cellWords(line[i] ?? null, unit)))))));
    }

    // The columns are the run, its settings, how it ended, and its metrics.
    private columns(): { name: string; text: (row: number) => string; key: (row: number) => number }[] {
        const raw = this.sweep.raw;
        const metrics = raw.metrics.map((m, i) => ({ m, i })).filter(({ i }) => this.hasAll || i === this.axes?.metric);
        return [
            { name: "run", text: (r) => String(raw.runs[r]![0]), key: (r) => raw.runs[r]![0] },
            ...this.sweep.settings.map((s) => ({
                name: s.name, text: (r: number) => s.values[s.of[r]!] ?? "", key: (r: number) => s.of[r]!,
            })),
            { name: "ended", text: (r) => this.ending(r), key: (r) => (this.sweep.hasRun(r) ? Number(raw.runs[r]![3]) : 2) },
            ...metrics.map(({ m, i }) => ({
                name: m.name, text: (r: number) => units.showValue(m.unit, this.sweep.valueOf(i, r) ?? NaN),
                key: (r: number) => this.sweep.valueOf(i, r) ?? Infinity,
            })),
        ];
    }

    private ending(row: number): string {
        const [, status, why, isDead] = this.sweep.raw.runs[row]!;
        return isDead ? "deadlock" : why ? `${status}: ${why}` : status;
    }

    private sorted(columns: { key: (row: number) => number }[]): number[] {
        const rows = this.sweep.raw.runs.map((_, i) => i), column = columns[this.sort.column];
        const sign = this.sort.isDown ? -1 : 1;
        return column ? rows.sort((a, b) => sign * (column.key(a) - column.key(b)) || a - b) : rows;
    }

    private sortBy(column: number): void {
        this.sort = { column, isDown: this.sort.column === column && !this.sort.isDown };
        this.runs.replaceChildren(this.runTable());
    }

    private runTable(): HTMLElement {
        const columns = this.columns(), rows = this.sorted(columns);
        const order = (i: number): string | undefined => (i !== this.sort.column ? undefined : this.sort.isDown ? "descending" : "ascending");
        const all = h("input", { type: "checkbox", checked: this.hasAll, change: () => {
            this.hasAll = all.checked;
            this.runs.replaceChildren(this.runTable());
        } });
        return h("div", {}, h("label", { class: "quiet" }, all, " all metrics"), h("table", { class: "runs" },
            h("caption", {}, rows.length > MAX_ROWS ? `Runs: the first ${MAX_ROWS} of ${rows.length.toLocaleString("en")} in this order` : "Runs"),
            h("thead", {}, h("tr", {}, ...columns.map((c, i) => h("th", { scope: "col", "aria-sort": order(i), title: helpOf(c.name) || undefined },
                h("button", { type: "button", class: "sort", click: () => this.sortBy(i) }, c.name))))),
            h("tbody", {}, ...rows.slice(0, MAX_ROWS).map((r) => h("tr", {
                class: !this.sweep.hasRun(r) ? "failed" : this.sweep.raw.runs[r]![3] ? "dead" : undefined,
            }, ...columns.map((c) => h("td", {}, c.text(r))))))));
    }
}

// Sweeps of a folder, updated as they grow.
export class SweepLibrary {
    readonly element = h("div", { class: "sweeps" });
    private readonly sections = new Map<string, { section: SweepSection; done: number }>();

    constructor(private readonly load: (file: string, id: number) => Promise<RawSweep>) {}

    // The files as they were last read.
    get all(): RawSweep[] {
        return [...this.sections.values()].map((s) => s.section.raw);
    }

    // Reads files anew that have more runs than before.
    async look(files: { name: string; sweeps?: { id: number; done: number }[] }[]): Promise<void> {
        for (const file of files) {
            for (const { id, done } of file.sweeps ?? []) {
                const key = `${file.name}#${id}`, known = this.sections.get(key);
                if (known?.done !== done) {
                    const raw = await this.load(file.name, id);
                    this.show(key, raw, done);
                }
            }
        }
    }

    private show(key: string, raw: RawSweep, done: number): void {
        const known = this.sections.get(key);
        if (known) {
            known.done = done;
            known.section.take(raw);
        } else {
            const made = new SweepSection(raw);
            this.sections.set(key, { section: made, done });
            this.element.append(made.element);
        }
    }
}
