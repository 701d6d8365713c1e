// The network of one run as a picture at an instant: links coloured by their limits, a water level in every switch, and
// the cycle of a deadlock as it closes. The picture is drawn for the available space. In a large network, groups are
// folded until the user opens them or the view needs them.

import { framedCopy } from "./chart-drawing";
import { Standing } from "./deadlock";
import { h, prose, svg } from "./dom";
import { Gate } from "./gates";
import { Box, fits, Folded, foldedAtFirst, Layout, place, Spot, SWITCH_HEIGHT } from "./layout";
import { arrow, between, heat, Line, Lines, lineWords, paint, worstOf } from "./lines";
import { Mark, markOf } from "./overlay";
import { Port, Run } from "./run";
import { saveMenu } from "./save-chart";
import { Scene, sceneOf } from "./scene";
import { contents, Shape, shapeOf } from "./shape";
import { Store, View } from "./store";
import * as units from "./units";

const PAD = 8; // The margins left and right of the picture.
const NARROW = 44; // Nodes that are narrower have a smaller font.

const WHOLE_RUN = "No port was sampled over time. The picture shows the whole run: mean load, share of time paused, and peak queues.";
const HOW_TO_SAMPLE = "Put `record: {ports: all}` in the scenario to sample every port.";

// The water level of a switch; a group has the level of its fullest switch.
interface Vessel {
    fills: Float64Array[];
    rect: SVGRectElement;
    group: SVGGElement;
    nodes: number[];
    height: number;
    inside: Gate[]; // The gates of links within a folded group.
}

export class Picture {
    readonly element: HTMLElement;
    private readonly scene: Scene;
    private readonly shape: Shape;
    private readonly choices = new Map<number, boolean>(); // Groups that the user has opened (true) or folded (false).
    private readonly frame = h("div", { class: "drawing" });
    private readonly caption = h("p", { class: "caption" });
    private readonly tip = h("div", { class: "tip", hidden: true });
    private readonly badges = svg("g", { class: "marks" });
    private drawing = svg("svg");
    private layout!: Layout;
    private folded: Folded = null;
    private lines: Line[] = [];
    private vessels: Vessel[] = [];
    private steps: { standing: Standing; group: SVGGElement }[] = [];
    private flow: string | null = null; // The flow for which the picture was drawn.
    private drawnFor = ""; // The space and the folded groups for which it was drawn.
    private overlays: ReadonlyMap<number, Mark>[] = [];

    constructor(readonly run: Run, private readonly store: Store, private room: number) {
        this.scene = sceneOf(run);
        this.shape = shapeOf(run);
        const title = `Network, ${run.label}`;
        this.element = h("figure", { class: "network", "data-run": run.index },
            h("figcaption", {}, h("span", { class: `swatch run-${run.index % 6}` }), h("strong", {}, run.label),
                saveMenu({ title, svg: () => framedCopy(`${title}, ${this.instant}`, [], this.drawing) })),
            this.frame, this.caption);
        new ResizeObserver(([entry]) => this.resize(Math.floor(entry!.contentRect.width))).observe(this.frame);
    }

    private resize(width: number): void {
        if (width > 0 && width !== this.room) {
            this.room = width;
            this.show(this.store.view, this.overlays);
        }
        this.bringRingIntoSight();
    }

    // Folding of groups.

    private path(view: View): Set<number> {
        return new Set(view.flow === null ? [] : this.run.flows.filter((f) => f.name === view.flow).flatMap((f) => f.path));
    }

    private groupsOf(ports: (Port | undefined)[]): number[] {
        const nodes = ports.flatMap((p) => (p ? [p.node, this.run.ports[p.peer]?.node ?? p.node] : []));
        return nodes.map((n) => this.shape.groupOf[n]!);
    }

    private podsOf(path: Set<number>): number[] {
        return this.groupsOf([...path].map((p) => this.run.ports[p])).filter((g) => !this.shape.groups[g]?.isTop);
    }

    // The groups that are folded. The groups of a deadlock and the pods of a chosen flow are open from the start.
    private findFolded(path: Set<number>): Folded {
        const room = this.room - 2 * PAD;
        if (fits(this.run, this.shape, room)) {
            return null;
        }
        const ring = (this.scene.deadlock?.ring ?? []).map((s) => s.port), pods = this.podsOf(path);
        const folded = foldedAtFirst(this.shape, new Set([...this.groupsOf(ring), ...pods]), room);
        this.choices.forEach((isOpen, group) => (isOpen ? folded.delete(group) : folded.add(group)));
        return folded;
    }

    private toggle(box: Box): void {
        this.choices.set(box.group.index, box.isFolded);
        this.show(this.store.view, this.overlays);
        this.drawing.querySelector<SVGGElement>(`[data-group="${box.group.name}"]`)?.focus();
    }

    // Drawing of nodes and links.

    // Draws the picture if it must change. The choice of another flow opens its groups, even if the user folded them
    // before.
    private drawIfNeeded(view: View, path: Set<number>): void {
        if (view.flow !== this.flow) {
            this.flow = view.flow;
            this.podsOf(path).forEach((g) => this.choices.delete(g));
        }
        const folded = this.findFolded(path), key = `${this.room} ${folded ? [...folded].join() : "all"}`;
        if (key !== this.drawnFor) {
            this.drawnFor = key;
            this.folded = folded;
            this.draw();
        }
    }

    private draw(): void {
        this.layout = place(this.run, this.shape, this.folded, this.room - 2 * PAD);
        const lines = new Lines(this.run, this.shape, this.folded, this.layout, this.scene.gates);
        const { height, least } = this.layout, width = this.layout.width + 2 * PAD;
        this.lines = lines.all;
        this.vessels = [];
        this.steps = [];
        this.drawing = svg("svg", {
            viewBox: `${-PAD} 0 ${width.toFixed(1)} ${height.toFixed(1)}`, role: this.folded ? "group" : "img",
            "aria-label": `The network under ${this.run.label}`,
            style: `max-width: ${widest(width, height, this.room)}; min-width: ${Math.floor(least + 2 * PAD)}px`,
        }, this.drawFrames(), svg("g", { class: "links" }, ...this.lines.map((l) => this.drawLine(l))), this.drawNodes(), this.drawBoxes(),
        this.drawRing(lines), this.badges);
        this.frame.replaceChildren(this.drawing, this.tip);
        this.bringRingIntoSight();
    }

    private drawLine(line: Line): SVGGElement {
        const { from, to } = line, d = `M${from.x.toFixed(1)} ${from.y.toFixed(1)}L${to.x.toFixed(1)} ${to.y.toFixed(1)}`;
        line.group.setAttribute("class", line.gates.length ? "link" : "link down");
        line.group.setAttribute("data-link", line.name);
        line.group.append(svg("path", { class: "line", d }),
            svg("path", { class: "head", d: arrow(from, to, 0.7, this.layout.aside + 0.6) }),
            svg("path", { class: "hit", d,
                click: () => this.store.set({ link: worstOf(line, this.row).name }),
                pointerenter: (e: PointerEvent) => this.showTip(e, line), pointerleave: () => (this.tip.hidden = true) }));
        return line.group;
    }

    // Hosts from left to right, because the names of neighbours are in different rows.
    private hostsInOrder(): Map<number, number> {
        const drawn = this.run.nodes.filter((n) => !n.isSwitch && this.layout.spots[n.id]).map((n) => n.id);
        return new Map(drawn.sort((a, b) => this.layout.spots[a]!.x - this.layout.spots[b]!.x).map((id, i) => [id, i]));
    }

    private drawNodes(): SVGGElement {
        const all = svg("g", { class: "nodes" }), place = this.hostsInOrder();
        for (const node of this.run.nodes) {
            const spot = this.layout.spots[node.id];
            if (spot && node.isSwitch) {
                all.append(this.drawVessel([node.id], spot, this.layout.switchWidth, SWITCH_HEIGHT, [node.name], { class: "switch" }));
            } else if (spot) {
                all.append(this.drawHost(node.id, spot, place.get(node.id)! % this.layout.labelRows));
            }
        }
        return all;
    }

    // Draws a host. If the host is above its switch, its name is above the host, so that it does not cover the link.
    private drawHost(node: number, spot: Spot, labelRow: number): SVGGElement {
        const { hostRadius: r, spots } = this.layout, leaf = this.shape.neighbours[node]![0], above = leaf === undefined ? null : spots[leaf];
        const y = above && spot.y < above.y ? -r - 5 : r + 12 + 13 * labelRow;
        return svg("g", { class: "host", transform: `translate(${spot.x.toFixed(1)} ${spot.y.toFixed(1)})` },
            svg("circle", { r }), svg("text", { y }, this.run.nodes[node]!.name));
    }

    private drawVessel(nodes: number[], spot: Spot, width: number, height: number, texts: string[],
                       attributes: Parameters<typeof svg>[1]): SVGGElement {
        const id = `vessel-${this.run.index}-${nodes[0]}`;
        const rect = svg("rect", { class: "water", x: -width / 2, width, y: height / 2, height: 0 });
        const box = { x: -width / 2, y: -height / 2, width, height, rx: 7 };
        const group = svg("g", { transform: `translate(${spot.x.toFixed(1)} ${spot.y.toFixed(1)})`, ...attributes },
            svg("clipPath", { id }, svg("rect", box)),
            svg("rect", { class: "glass", ...box }),
            svg("g", { "clip-path": `url(#${id})` }, rect),
            svg("rect", { class: "rim", ...box }),
            ...texts.map((t, i) => svg("text", { y: 4.5 + (i - (texts.length - 1) / 2) * 14, class: i || width < NARROW ? "within" : "" }, ...shortened(t, width, i > 0 || width < NARROW))));
        const fills = nodes.filter((n) => this.run.nodes[n]!.isSwitch).map((n) => this.scene.fill(n)).filter((f) => f !== null);
        const within = new Set(nodes), isInside = (p: number): boolean => within.has(this.run.ports[this.run.ports[p]!.peer]?.node ?? -1);
        const inside = nodes.length > 1 ? nodes.flatMap((n) => this.run.nodes[n]!.ports.filter(isInside)) : [];
        this.vessels.push({ fills, rect, group, nodes, height, inside: inside.map((p) => this.scene.gates.of(this.run.ports[p]!)) });
        return group;
    }

    // Draws groups: frames of open groups below everything else, and folded groups like switches.

    private control(box: Box): Record<string, string | number | ((event: never) => void)> {
        return {
            role: "button", tabindex: 0, "data-group": box.group.name, "aria-expanded": String(!box.isFolded),
            "aria-label": `${box.group.name}: ${contents(box.group)}`, click: () => this.toggle(box),
            keydown: (e: KeyboardEvent) => {
                if (e.key === "Enter" || e.key === " ") {
                    e.preventDefault();
                    e.stopPropagation();
                    this.toggle(box);
                }
            },
        };
    }

    private drawFrames(): SVGGElement {
        return svg("g", { class: "frames" }, ...this.layout.boxes.filter((b) => !b.isFolded).map((b) => {
            const title = `▴ ${b.group.name}`, wide = title.length * 7 + 16;
            return svg("g", { transform: `translate(${b.x.toFixed(1)} ${b.y.toFixed(1)})` },
                svg("rect", { x: -b.width / 2, y: -b.height / 2, width: b.width, height: b.height, rx: 9, class: "around" }),
                svg("g", { class: "fold", transform: `translate(0 ${b.titleY.toFixed(1)})`, ...this.control(b) },
                    svg("rect", { x: -wide / 2, y: -13, width: wide, height: 18, rx: 5 }), svg("text", { y: 1 }, title)));
        }));
    }

    private drawBoxes(): SVGGElement {
        return svg("g", { class: "boxes" }, ...this.layout.boxes.filter((b) => b.isFolded).map((b) => {
            const inside = b.group.hosts.length ? units.count(b.group.hosts.length, "host") : units.count(b.group.switches.length, "switch", "switches");
            const texts = b.width < inside.length * 5.6 ? [b.group.name] : [b.group.name, inside];
            return this.drawVessel(b.group.nodes, b, b.width, b.height, texts, { class: "switch folded", ...this.control(b) });
        }));
    }

    // Draws the cycle of a deadlock, after everything else: one arrow for each of its links, with the number that shows
    // the order in which links stopped.
    private drawRing(lines: Lines): SVGGElement {
        const all = svg("g", { class: "ring" });
        for (const standing of this.scene.deadlock?.ring ?? []) {
            const ends = lines.lineOf([standing.port]);
            if (!ends) {
                continue;
            }
            const { from, to } = ends, { x, y } = between(from, to, 0.42);
            const group = svg("g", { class: "step", "data-link": standing.port.name },
                svg("path", { class: "line", d: `M${from.x} ${from.y}L${to.x} ${to.y}` }),
                svg("path", { class: "head", d: arrow(from, to, 0.86, 8) }),
                svg("circle", { cx: x, cy: y, r: 9.5 }),
                svg("text", { x, y: y + 4 }, standing.order));
            this.steps.push({ standing, group });
            all.append(group);
        }
        return all;
    }

    // If the picture is wider than the page, scrolls it so that the cycle is in the middle.
    private bringRingIntoSight(): void {
        const xs = (this.scene.deadlock?.ring ?? []).map((s) => this.layout?.spots[s.port.node]?.x).filter((x) => x !== undefined);
        if (xs.length && this.layout.width + 2 * PAD > this.room) {
            this.frame.scrollLeft = (Math.min(...xs) + Math.max(...xs) - this.room) / 2;
        }
    }

    // The state of the network at an instant.

    private get instant(): string {
        return this.scene.gates.areTotals ? "whole run" : units.time(this.store.view.timePs);
    }

    private get row(): number {
        return this.run.samples.rowAt(this.store.view.timePs);
    }

    show(view: View, overlays: ReadonlyMap<number, Mark>[] = []): void {
        const row = this.run.samples.rowAt(view.timePs), path = this.path(view);
        const dead = this.scene.deadlock, isClosed = dead !== null && view.timePs >= dead.formedPs;
        this.overlays = overlays;
        this.drawIfNeeded(view, path);
        if (this.run.samples.n || this.scene.gates.areTotals) {
            this.lines.filter((l) => l.gates.length).forEach((line) => paint(line, row, view, path));
        }
        for (const step of this.steps) {
            step.group.classList.toggle("on", view.timePs >= step.standing.atPs);
        }
        const inRing = new Set(dead?.ring.map((s) => s.port.node));
        for (const vessel of this.vessels) {
            fillUp(vessel, row);
            warmRim(vessel, row, view);
            vessel.group.classList.toggle("stuck", isClosed && vessel.nodes.some((n) => inRing.has(n)));
        }
        this.element.classList.toggle("dead", isClosed);
        this.mark(overlays);
        this.caption.replaceChildren(...prose(this.captionAt(view, row, isClosed)));
    }

    private mark(overlays: ReadonlyMap<number, Mark>[]): void {
        const badges: SVGGElement[] = [];
        for (const line of this.lines) {
            const mark = markOf(line.ports.map((p) => p.id), overlays);
            line.group.classList.remove(...line.marks);
            line.marks = mark?.classes ?? [];
            line.group.classList.add(...line.marks);
            if (mark?.text) {
                badges.push(badge(line, mark));
            }
        }
        this.badges.replaceChildren(...badges);
    }

    private captionAt(view: View, row: number, isClosed: boolean): string {
        const fold = this.folded ? " Click a group to open or fold it." : "";
        const used = this.run.ports.filter((p) => !p.isDown), gates = used.map((p) => this.scene.gates.of(p));
        if (this.scene.gates.areTotals) {
            return `${WHOLE_RUN} ${HOW_TO_SAMPLE}${fold}`;
        }
        if (!gates.some((g) => g.load)) {
            return `No port was sampled, so the picture cannot show this run. ${HOW_TO_SAMPLE}`;
        }
        if (view.timePs > this.run.untilPs) {
            return `The run ended at ${units.time(this.run.untilPs)}.`;
        }
        const text = `${this.countsAt(view, row, used)}${fold}`;
        return isClosed ? `${text} The cycle is closed: no packet in it will ever move again.` : text;
    }

    // The text of a folded line, which counts stopped links. A link of the cycle counts as stopped from its last packet
    // on, which may be in the middle of a sample.
    private countsAt(view: View, row: number, used: Port[]): string {
        const { gates, deadlock } = this.scene, active = used.filter((p) => gates.of(p).isUsed);
        const inCycle = new Set(deadlock?.ring.filter((s) => s.atPs <= view.timePs).map((s) => s.port.id));
        const stopped = active.filter((p) => inCycle.has(p.id) || gates.of(p).stopped?.[row]);
        const held = active.filter((p) => stopped.includes(p) || (gates.of(p).held?.[row] ?? 0) >= 0.5).length;
        return `${units.count(active.length, "link direction")} in use: ${held.toLocaleString("en")} blocked or throttled` +
            (held ? `, ${stopped.length.toLocaleString("en")} of them stopped.` : ".");
    }

    private showTip(event: PointerEvent, line: Line): void {
        const lines = lineWords(line, this.row);
        const frame = this.frame.getBoundingClientRect(), { scrollLeft } = this.frame;
        this.tip.replaceChildren(h("strong", {}, line.name), ...lines.map((l) => h("div", {}, l)));
        this.tip.style.left = `${Math.min(event.clientX - frame.left + 12, frame.width - 220) + scrollLeft}px`;
        this.tip.style.top = `${event.clientY - frame.top + 14}px`;
        this.tip.hidden = false;
    }
}

// The maximum width of the picture. It has its natural width, or is narrower so that the player below it is visible,
// too, but never so narrow that names cannot be read.
function widest(width: number, height: number, room: number): string {
    const natural = Math.round(width <= room ? Math.max(width, Math.min(620, 1.15 * width)) : width);
    return `min(${natural}px, max(${Math.round(0.82 * width)}px, ${(width / height).toFixed(3)} * (100dvh - var(--rest))))`;
}

function fillUp(vessel: Vessel, row: number): void {
    const share = vessel.fills.reduce((most, f) => Math.max(most, f[row] ?? 0), 0), height = share * vessel.height;
    vessel.rect.setAttribute("height", height.toFixed(1));
    vessel.rect.setAttribute("y", (vessel.height / 2 - height).toFixed(1));
}

// Gives the border of a group the colour of its worst link.
function warmRim(vessel: Vessel, row: number, view: View): void {
    const most = vessel.inside.reduce((worst, g) => Math.max(worst, heat(g, row, view.colour) ?? 0), 0);
    vessel.group.style.setProperty("--heat", `${Math.round(100 * most)}%`);
    vessel.group.classList.toggle("calm", view.colour === "load");
}

function badge(line: Line, mark: Mark): SVGGElement {
    const { x, y } = between(line.from, line.to, 0.42);
    return svg("g", { class: mark.classes.join(" "), "data-link": line.name },
        svg("circle", { cx: x, cy: y, r: 9.5 }), svg("text", { x, y: y + 4 }, mark.text));
}

// A name that fits into its switch. A name that is too long is shortened to its beginning and its end, with the full
// name as a tooltip.
function shortened(name: string, width: number, isSmall: boolean): (string | SVGTitleElement)[] {
    const most = Math.max(3, Math.floor(width / (isSmall ? 6.2 : 7.2))), half = (most - 1) / 2;
    return name.length <= most ? [name]
        : [`${name.slice(0, Math.ceil(half))}…${name.slice(name.length - Math.floor(half))}`, svg("title", {}, name)];
}
