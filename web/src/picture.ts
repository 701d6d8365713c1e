// The network of one run as a picture at an instant: links coloured by what holds them back, a water
// level in every switch, and the ring of a deadlock as it closes.

import { Standing } from "./deadlock";
import { button, h, svg } from "./dom";
import { Gate } from "./gates";
import { Spot } from "./layout";
import { Mark, markOf } from "./overlay";
import { Port, Run } from "./run";
import { asFile, save } from "./save";
import { Scene, sceneOf } from "./scene";
import { Colour, Store, View } from "./store";
import * as units from "./units";
import { gateWords, headline, verdict } from "./words";

const SWITCH = { width: 44, height: 32 }, HOST = 8, ASIDE = 3.6;

interface Line {
    port: Port;
    gate: Gate;
    group: SVGGElement;
    from: Spot;
    to: Spot;
    marks: string[]; // Classes that overlays gave it.
}

export class Picture {
    readonly element: HTMLElement;
    private readonly scene: Scene;
    private readonly lines: Line[] = [];
    private readonly waters: { fill: Float64Array | null; rect: SVGRectElement; group: SVGGElement; node: number }[] = [];
    private readonly steps: { standing: Standing; group: SVGGElement }[] = [];
    private readonly badges = svg("g", { class: "marks" });
    private readonly caption = h("p", { class: "caption" });
    private readonly tip = h("div", { class: "tip", hidden: true });

    constructor(readonly run: Run, private readonly store: Store) {
        this.scene = sceneOf(run);
        const { width, height } = this.scene.layout;
        const drawing = svg("svg", {
            viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `The network under ${run.label}`,
            style: `max-width: ${Math.max(620, width * 1.15)}px; min-width: ${Math.min(1600, Math.round(0.72 * width))}px`,
        }, this.drawLinks(), this.drawNodes(), this.drawRing(), this.badges);
        this.element = h("figure", { class: "network", "data-run": run.index },
            h("figcaption", {}, h("span", { class: `swatch run-${run.index % 6}` }), h("strong", {}, run.label),
                h("span", { class: `verdict ${verdict(run)}` }, headline(run))),
            h("div", { class: "drawing" }, drawing, this.tip), this.caption,
            button("Save this picture", () => save(`${run.raw.name}-${run.raw.id}.svg`, asFile(drawing)),
                { class: "plain", "aria-label": `Save the picture of ${run.label} as SVG` }));
    }

    // Drawing.

    private reach(node: number, dx: number, dy: number): number {
        if (!this.run.nodes[node]!.isSwitch) {
            return HOST + 3;
        }
        const x = Math.abs(dx) > 1e-6 ? (SWITCH.width / 2 + 4) / Math.abs(dx) : Infinity;
        const y = Math.abs(dy) > 1e-6 ? (SWITCH.height / 2 + 4) / Math.abs(dy) : Infinity;
        return Math.min(x, y);
    }

    // Each direction keeps to its right, so that the two of a link stand side by side.
    private ends(port: Port): [Spot, Spot] | null {
        const peer = this.run.ports[port.peer];
        const a = this.scene.layout.spots[port.node], b = peer && this.scene.layout.spots[peer.node];
        if (!peer || !a || !b) {
            return null;
        }
        const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
        const dx = (b.x - a.x) / length, dy = (b.y - a.y) / length;
        const start = this.reach(port.node, dx, dy), end = length - this.reach(peer.node, dx, dy);
        const at = (d: number): Spot => ({ x: a.x + dx * d - dy * ASIDE, y: a.y + dy * d + dx * ASIDE });
        return [at(start), at(end)];
    }

    private isVisible(port: Port): boolean {
        const peer = this.run.ports[port.peer];
        return this.scene.layout.showsHosts ||
            (this.run.nodes[port.node]!.isSwitch && !!peer && this.run.nodes[peer.node]!.isSwitch);
    }

    private drawLinks(): SVGGElement {
        const all = svg("g", { class: "links" });
        for (const port of this.run.ports) {
            const ends = this.run.nodes[port.node] && this.isVisible(port) ? this.ends(port) : null;
            if (ends) {
                all.append(this.drawLink(port, ...ends));
            }
        }
        return all;
    }

    private drawLink(port: Port, from: Spot, to: Spot): SVGGElement {
        const d = `M${from.x.toFixed(1)} ${from.y.toFixed(1)}L${to.x.toFixed(1)} ${to.y.toFixed(1)}`;
        const group = svg("g", { class: port.isDown ? "link down" : "link", "data-link": port.name },
            svg("path", { class: "line", d }),
            svg("path", { class: "head", d: arrow(from, to, 0.7, 4.2) }),
            svg("path", { class: "hit", d,
                click: () => this.store.set({ link: port.name }),
                pointerenter: (e: PointerEvent) => this.showTip(e, port), pointerleave: () => (this.tip.hidden = true) }));
        if (!port.isDown) {
            this.lines.push({ port, gate: this.scene.gates.of(port), group, from, to, marks: [] });
        }
        return group;
    }

    private drawNodes(): SVGGElement {
        const all = svg("g", { class: "nodes" });
        for (const node of this.run.nodes) {
            const spot = this.scene.layout.spots[node.id]!;
            if (node.isSwitch) {
                all.append(this.drawSwitch(node.id, node.name, spot));
            } else if (this.scene.layout.showsHosts) {
                all.append(svg("g", { class: "host", transform: `translate(${spot.x} ${spot.y})` },
                    svg("circle", { r: HOST }), svg("text", { y: this.isAbove(node.id) ? -HOST - 5 : HOST + 12 }, node.name)));
            }
        }
        return all;
    }

    // A host above its switch has its name above itself, clear of the link.
    private isAbove(host: number): boolean {
        const { spots } = this.scene.layout, port = this.run.ports[this.run.nodes[host]!.ports[0] ?? -1];
        const leaf = port && this.run.ports[port.peer]?.node;
        return leaf !== undefined && spots[host]!.y < spots[leaf]!.y;
    }

    private drawSwitch(node: number, name: string, spot: Spot): SVGGElement {
        const { width, height } = SWITCH, id = `vessel-${this.run.index}-${node}`;
        const rect = svg("rect", { class: "water", x: -width / 2, width, y: height / 2, height: 0 });
        const box = { x: -width / 2, y: -height / 2, width, height, rx: 7 };
        const group = svg("g", { class: "switch", transform: `translate(${spot.x} ${spot.y})` },
            svg("clipPath", { id }, svg("rect", box)),
            svg("rect", { class: "glass", ...box }),
            svg("g", { "clip-path": `url(#${id})` }, rect),
            svg("rect", { class: "rim", ...box }),
            svg("text", { y: 4.5 }, name));
        this.waters.push({ fill: this.scene.fill(node), rect, group, node });
        return group;
    }

    // Above all: one arrow a link of the ring, with its place in the order of stopping.
    private drawRing(): SVGGElement {
        const all = svg("g", { class: "ring" });
        for (const standing of this.scene.deadlock?.ring ?? []) {
            const ends = this.ends(standing.port);
            if (!ends) {
                continue;
            }
            const [from, to] = ends, x = from.x + (to.x - from.x) * 0.42, y = from.y + (to.y - from.y) * 0.42;
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

    // Showing an instant.

    show(view: View, overlays: ReadonlyMap<number, Mark>[] = []): void {
        const row = this.run.samples.rowAt(view.timePs);
        const dead = this.scene.deadlock;
        if (this.run.samples.n) {
            for (const line of this.lines) {
                paint(line, row, view, this.run);
            }
            for (const water of this.waters) {
                const share = water.fill?.[row] ?? 0, height = share * SWITCH.height;
                water.rect.setAttribute("height", height.toFixed(1));
                water.rect.setAttribute("y", (SWITCH.height / 2 - height).toFixed(1));
            }
        }
        const isClosed = dead !== null && view.timePs >= dead.formedPs;
        const inRing = new Set(dead?.ring.map((s) => s.port.node));
        for (const step of this.steps) {
            step.group.classList.toggle("on", view.timePs >= step.standing.atPs);
        }
        for (const water of this.waters) {
            water.group.classList.toggle("stuck", isClosed && inRing.has(water.node));
        }
        this.element.classList.toggle("dead", isClosed);
        this.mark(overlays);
        this.caption.replaceChildren(this.captionAt(view, row, isClosed));
    }

    private mark(overlays: ReadonlyMap<number, Mark>[]): void {
        const badges: SVGGElement[] = [];
        for (const line of this.lines) {
            const mark = markOf([line.port.id], overlays);
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
        if (!this.lines.some((l) => l.gate.load)) {
            return "Nothing was sampled in this run, so the picture cannot show it over time. " +
                "Put `record: {ports: all}` in the scenario to sample every port.";
        }
        if (view.timePs > this.run.untilPs) {
            return `The run ended at ${units.time(this.run.untilPs)}.`;
        }
        const active = this.lines.filter((l) => l.gate.load?.some((v) => v > 0));
        const held = active.filter((l) => (l.gate.held?.[row] ?? 0) >= 0.5).length;
        const still = active.filter((l) => l.gate.shut?.[row] && l.gate.load![row] === 0).length;
        const text = `Of ${units.count(active.length, "link direction")} in use, ${held} held back and ` +
            `${still} stopped.`;
        return isClosed ? `${text} The ring is closed: no packet in it will ever move again.` : text;
    }

    private showTip(event: PointerEvent, port: Port): void {
        const row = this.run.samples.rowAt(this.store.view.timePs), gate = this.scene.gates.of(port);
        const lines = port.isDown ? ["failed: not used in this run"] : !this.run.samples.n || !gate.load ? ["not sampled"]
            : gateWords(gate, row, port.rateBps);
        const frame = this.tip.parentElement!.getBoundingClientRect();
        this.tip.replaceChildren(h("strong", {}, port.name), ...lines.map((l) => h("div", {}, l)));
        this.tip.style.left = `${Math.min(event.clientX - frame.left + 12, frame.width - 220)}px`;
        this.tip.style.top = `${event.clientY - frame.top + 14}px`;
        this.tip.hidden = false;
    }
}

function badge(line: Line, mark: Mark): SVGGElement {
    const x = line.from.x + (line.to.x - line.from.x) * 0.42, y = line.from.y + (line.to.y - line.from.y) * 0.42;
    return svg("g", { class: mark.classes.join(" "), "data-link": line.port.name },
        svg("circle", { cx: x, cy: y, r: 9.5 }), svg("text", { x, y: y + 4 }, mark.text));
}

// A triangle on the way, with its tip at this share of it.
function arrow(from: Spot, to: Spot, share: number, size: number): string {
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const dx = (to.x - from.x) / length, dy = (to.y - from.y) / length;
    const x = from.x + dx * length * share, y = from.y + dy * length * share;
    const back = size * 1.7;
    return `M${x} ${y}L${x - dx * back - dy * size} ${y - dy * back + dx * size}` +
        `L${x - dx * back + dy * size} ${y - dy * back - dx * size}Z`;
}

// What share of the way from calm to hot a link is, by what is asked for; rates by stages: each half
// as fast as the one before.
function heat(gate: Gate, row: number, colour: Colour): number | null {
    switch (colour) {
    case "held": return gate.held?.[row] ?? null;
    case "load": return gate.load?.[row] ?? null;
    case "paused": return gate.paused?.[row] ?? null;
    case "rate": return gate.rate ? Math.min(1, -Math.log2(Math.max(gate.rate[row]!, 1e-4)) / 10) : null;
    case "credit": return gate.credit ? 1 - gate.credit[row]! : null;
    }
}

function paint(line: Line, row: number, view: View, run: Run): void {
    const value = heat(line.gate, row, view.colour), load = line.gate.load?.[row] ?? 0;
    const style = line.group.style, classes = line.group.classList;
    style.setProperty("--heat", `${Math.round(100 * (value ?? 0))}%`);
    style.setProperty("--wide", (1.4 + 2.8 * load).toFixed(1));
    classes.toggle("unknown", value === null);
    classes.toggle("calm", view.colour === "load");
    classes.toggle("still", load === 0 && !!line.gate.shut?.[row]);
    classes.toggle("chosen", view.link === line.port.name);
    classes.toggle("onpath", view.flow !== null &&
        run.flows.some((f) => f.name === view.flow && f.path.includes(line.port.id)));
}
