// Links of a large Clos network as a heat map: a matrix for two neighbouring tiers, with a cell for each link. The
// matrix is a table, so screen readers and keyboard users get the same information.

import { h, section } from "./dom";
import { HeatChoice } from "./heat-choice";
import { heatFiles, ShownHeat } from "./heat-save";
import { isLarge } from "./layout";
import { hasLinkCharts } from "./link";
import { Port, Run } from "./run";
import { saveMenu } from "./save-chart";
import { Shape, shapeOf } from "./shape";
import { shownRuns, Store } from "./store";
import * as units from "./units";

const MAX_CELLS = 10000;

export interface Measure {
    id: HeatChoice["measure"];
    title: string;
    of: (run: Run, port: Port) => number | null; // The value of a port; null: unknown.
    format: (v: number) => string;
}

const ofTime = (run: Run, ps: number | null): number | null => (ps === null || !run.raw.until_ps ? null : ps / run.raw.until_ps);

const measures: Measure[] = [
    {
        id: "load", title: "Utilisation", format: units.percent,
        of: (r, p) => ofTime(r, scaled(r.maximum("port", p.id, "sent_bytes"), 8e12 / p.rateBps)),
    },
    { id: "queue", title: "Peak input queue", format: units.bytes, of: (r, p) => r.maximum("port", p.peer, "peak_input_queue_bytes") },
    { id: "output", title: "Peak output queue", format: units.bytes, of: (r, p) => r.maximum("port", p.id, "peak_output_queue_bytes") },
    { id: "paused", title: "Time paused", format: units.percent, of: (r, p) => ofTime(r, r.maximum("port", p.id, "paused_ps")) },
];

const isShare = (m: Measure): boolean => m.format === units.percent;
const scaled = (v: number | null, by: number): number | null => (v === null ? null : v * by);

interface Row {
    name: string;
    ports: Port[]; // Ports from the lower tier to the upper one.
}

export interface Matrix {
    title: string;
    heads: string[]; // The names of the switches above; an empty list if rows differ in them.
    rows: Row[];
}

// [number of the top tier]: the names of tiers, from the lowest up.
const tierNames = [[], ["leaf", "spine"], ["edge", "aggregation", "core"]];

const tierName = (tier: number, top: number): string => tierNames[top]?.[tier] ?? `tier ${tier + 1}`;

// The ports from a node to other nodes, sorted by those nodes.
function portsTo(run: Run, node: number, isThere: (m: number) => boolean): Port[] {
    const nodeAt = (p: number): number => run.ports[run.ports[p]!.peer]?.node ?? -1;
    return run.nodes[node]!.ports.filter((p) => isThere(nodeAt(p))).sort((a, b) => nodeAt(a) - nodeAt(b)).map((p) => run.ports[p]!);
}

// Switches without such links have no row, such as the scale-up switch of a server, which no spine is linked to.
function matrixOf(title: string, all: Row[], nameOf: (p: Port) => string): Matrix {
    const rows = all.filter((r) => r.ports.length);
    const names = rows.map((r) => r.ports.map(nameOf)), first = names[0] ?? [];
    const isFull = new Set(first).size === first.length && names.every((n) => n.join("\n") === first.join("\n"));
    return { title, heads: isFull ? first : [], rows };
}

// A matrix for each pair of neighbouring tiers, from the top down to the hosts.
export function matricesOf(run: Run, shape: Shape): Matrix[] {
    const switches = (tier: number): number[] => run.nodes.filter((n) => n.isSwitch && shape.tier[n.id] === tier).map((n) => n.id);
    const nameOf = (id: number): string => run.nodes[id]!.name, above = (p: Port): string => nameOf(run.ports[p.peer]!.node);
    const between = Array.from({ length: shape.top }, (_, t) => matrixOf(`${tierName(t, shape.top)} to ${tierName(t + 1, shape.top)}`,
        switches(t).map((n) => ({ name: nameOf(n), ports: portsTo(run, n, (m) => shape.tier[m] === t + 1) })), above)).reverse();
    const hosts = switches(0).map((n) => ({ name: nameOf(n),
        ports: portsTo(run, n, (m) => m >= 0 && !run.nodes[m]!.isSwitch).map((p) => run.ports[p.peer]!) }));
    return [...between, matrixOf(`hosts to ${tierName(0, shape.top)}`, hosts, (p) => nameOf(p.node))];
}

const directions: { id: HeatChoice["direction"]; title: string }[] =
    [{ id: "both", title: "Larger of both" }, { id: "up", title: "Up" }, { id: "down", title: "Down" }];
const scales: { id: HeatChoice["scale"]; title: string }[] = [{ id: "largest", title: "Scale to the largest" }, { id: "full", title: "0 to 100 %" }];

interface Cell {
    port: Port;
    value: number | null;
}

export interface HeatRow {
    name: string;
    cells: Cell[];
}

function cellOf(run: Run, up: Port, measure: Measure, direction: HeatChoice["direction"]): Cell {
    const cells = [up, run.ports[up.peer]!].map((port) => ({ port, value: measure.of(run, port) })), [there, back] = cells as [Cell, Cell];
    return direction === "up" ? there : direction === "down" ? back : (back.value ?? -1) > (there.value ?? -1) ? back : there;
}

const peakOf = (cells: Cell[]): number => Math.max(0, ...cells.map((c) => c.value ?? 0));

// Keeps only the rows with the highest values if there are too many cells.
function cut(rows: HeatRow[]): HeatRow[] {
    const most = Math.floor(MAX_CELLS / Math.max(1, ...rows.map((r) => r.cells.length)));
    const kept = new Set([...rows].sort((a, b) => peakOf(b.cells) - peakOf(a.cells)).slice(0, most));
    return rows.filter((r) => kept.has(r));
}

function segments<T extends string>(name: string, label: string, choices: { id: T; title: string }[], at: T, choose: (id: T) => void): HTMLElement {
    return h("div", { class: "segments", role: "radiogroup", "aria-label": label }, ...choices.map((c) => h("label", {},
        h("input", { type: "radio", name, value: c.id, checked: c.id === at, change: () => choose(c.id) }), h("span", {}, c.title))));
}

export class HeatMap {
    readonly element: HTMLElement;
    private readonly controls = h("div", { class: "bar-of-choices" });
    private readonly legend = h("p", { class: "legend" });
    private readonly said = h("p", { class: "quiet", "aria-live": "polite" });
    private readonly maps = h("div", { class: "sidebyside" });

    constructor(private readonly store: Store) {
        this.element = section("heat", "All links as a map", this.controls, this.legend, this.maps, this.said);
        store.listen((_, changed) => (changed.has("shown") || changed.has("runs") || changed.has("heat") ? this.draw() : undefined));
    }

    private hint(): string {
        return `Arrow keys go from link to link, Enter ${hasLinkCharts(shownRuns(this.store.view)) ? "opens its charts below" : "marks it in the picture"}.`;
    }

    private draw(): void {
        const runs = shownRuns(this.store.view).map((run) => ({ run, shape: shapeOf(run) })).filter(({ run, shape }) => shape.top > 0 && isLarge(run));
        this.element.hidden = !runs.length;
        const all = runs.map(({ run, shape }) => ({ run, matrices: matricesOf(run, shape) })), { direction, tiers, scale } = this.store.view.heat;
        const known = measures.filter((m) => runs.some(({ run }) => run.ports.some((p) => m.of(run, p) !== null)));
        const measure = known.find((m) => m.id === this.store.view.heat.measure) ?? known[0] ?? measures[0]!;
        this.drawControls(all.map((a) => a.matrices)[0] ?? [], known, measure);
        const drawn = all.map(({ run, matrices }) => ({ run, matrix: matrices[Math.min(tiers, matrices.length - 1)]! }))
            .map(({ run, matrix }) => ({ run, matrix, rows: matrix.rows.map((r) => ({ name: r.name,
                cells: r.ports.map((p) => cellOf(run, p, measure, direction)) })) }));
        const largest = Math.max(0, ...drawn.flatMap((d) => d.rows.map((r) => peakOf(r.cells)))), isFull = isShare(measure) && scale === "full";
        const top = isFull ? 1 : largest;
        this.legend.replaceChildren("0", h("span", { class: "scale heat" }), `${measure.format(top)}${isFull ? "" : ", the largest value"}, `,
            h("span", { class: "sample" }, h("span", { class: "heat-unknown" }), "not known"));
        this.said.textContent = this.hint();
        this.maps.replaceChildren(...drawn.map((d) => this.map(d.run, d.matrix.title, d.rows.length,
            { heads: d.matrix.heads, rows: cut(d.rows), measure, top })));
    }

    private drawControls(matrices: Matrix[], known: Measure[], measure: Measure): void {
        const { direction, tiers, scale } = this.store.view.heat;
        const pick = h("select", { id: "heat-tiers", change: () => this.set({ tiers: Number(pick.value) }) },
            ...matrices.map((m, i) => h("option", { value: i, selected: i === Math.min(tiers, matrices.length - 1) }, m.title)));
        const focused = document.activeElement?.closest("#heat .bar-of-choices") ? (document.activeElement as HTMLInputElement) : null;
        this.controls.replaceChildren(
            segments("heat", "Colour cells by", known, measure.id, (id) => this.set({ measure: id })),
            segments("heat-direction", "Direction", directions, direction, (id) => this.set({ direction: id })),
            isShare(measure) ? segments("heat-scale", "Scale", scales, scale, (id) => this.set({ scale: id })) : "",
            h("label", {}, "Links ", pick));
        if (focused) {
            this.controls.querySelector<HTMLElement>(focused.id ? `#${focused.id}` : `input[name="${focused.name}"][value="${focused.value}"]`)?.focus();
        }
    }

    private set(change: Partial<HeatChoice>): void {
        this.store.set({ heat: { ...this.store.view.heat, ...change } });
    }

    private map(run: Run, tiers: string, nRows: number, shown: Omit<ShownHeat, "title">): HTMLElement {
        const { heads, rows, measure } = shown, title = `${run.label}: ${measure.title.toLowerCase()}, ${tiers}`;
        const cell = Math.min(36, Math.max(14, Math.floor(480 / Math.max(1, ...rows.map((r) => r.cells.length)))));
        const table = h("table", { class: "heat", role: "grid", style: `--cell: ${cell}px` },
            h("caption", {}, h("span", { class: `swatch run-${run.index % 6}` }), title),
            heads.length ? h("thead", {}, h("tr", {}, h("td", {}), ...heads.map((name) => h("th", { scope: "col" }, h("span", {}, name))))) : null,
            h("tbody", {}, ...rows.map((r) => h("tr", {}, h("th", { scope: "row" }, r.name), ...r.cells.map((c) => this.cell(c, shown))))));
        this.followKeys(table);
        const part = rows.length < nRows ? h("p", { class: "quiet" }, `${rows.length} of ${nRows} rows: those with the highest values.`) : null;
        return h("div", {}, saveMenu(heatFiles(run, { title, ...shown })), h("div", { class: "scroll" }, table), part);
    }

    private cell({ port, value }: Cell, { measure, top }: Omit<ShownHeat, "title">): HTMLElement {
        const words = `${port.name}: ${value === null ? "not known" : measure.format(value)}`;
        const show = (): void => void (this.said.textContent = `${words}. ${this.hint()}`);
        return h("td", {
            class: value === null ? "heat-unknown" : "", style: `--heat: ${top && value ? Math.round(100 * Math.min(1, value / top)) : 0}%`,
            tabindex: -1, title: words, "aria-label": words, "data-port": port.id, focus: show, mouseenter: show, click: () => this.store.set({ link: port.name }),
        });
    }

    // Makes the arrow keys move between cells. The Tab key reaches only one cell of the table.
    private followKeys(table: HTMLTableElement): void {
        table.tBodies[0]?.rows[0]?.cells[1]?.setAttribute("tabindex", "0");
        const by: Record<string, [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
        table.addEventListener("keydown", (event) => {
            const from = event.target as HTMLTableCellElement, move = by[event.key];
            if (event.key === "Enter") {
                from.click();
            } else if (move) {
                event.preventDefault();
                const row = table.tBodies[0]!.rows[(from.parentElement as HTMLTableRowElement).sectionRowIndex + move[0]];
                const to = row?.cells[from.cellIndex + move[1]];
                if (to && to.cellIndex > 0) {
                    from.setAttribute("tabindex", "-1");
                    to.setAttribute("tabindex", "0");
                    to.focus();
                }
            }
        });
    }
}
