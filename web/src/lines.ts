// Links as lines of the picture: one line for each direction, and one for all links between two folded groups.

import { svg } from "./dom";
import { Gate, Gates } from "./gates";
import { BOX_HEIGHT, isHidden, Folded, Layout, Spot, SWITCH_HEIGHT } from "./layout";
import { Port, Run } from "./run";
import { Shape } from "./shape";
import { Colour, View } from "./store";
import { gateWords } from "./words";

export interface Line {
    name: string; // The name, such as "S1 → S2" or "Pod 1 → C1".
    ports: Port[];
    gates: Gate[]; // The gates of ports that did not fail.
    from: Spot;
    to: Spot;
    group: SVGGElement;
    marks: string[]; // Style classes that overlays set.
}

interface End extends Spot {
    key: string;
    name: string;
    halfWidth: number; // 0: the end is round.
    halfHeight: number;
    radius: number;
}

const GAP = 3; // The distance between a host and its lines.
// The minimum distance between lines that can be clicked separately. Half of the width that reacts to the pointer is 4.
const MIN_STEP = 4.1;

export class Lines {
    readonly all: Line[] = [];
    private readonly ends: (End | null)[];

    constructor(private readonly run: Run, private readonly shape: Shape, private readonly folded: Folded,
                private readonly layout: Layout, gates: Gates) {
        this.ends = run.nodes.map((n) => this.endOf(n.id));
        for (const ports of this.bundles()) {
            const line = this.lineOf(ports);
            if (line) {
                const used = ports.filter((p) => !p.isDown);
                this.all.push({ ...line, ports, gates: used.map((p) => gates.of(p)), group: svg("g"), marks: [] });
            }
        }
    }

    private endOf(node: number): End | null {
        const group = this.shape.groupOf[node]!, { name, isSwitch } = this.run.nodes[node]!;
        if (isHidden(this.shape, this.folded, node)) {
            const box = this.layout.boxes.find((b) => b.isFolded && b.group.index === group);
            return box ? { ...box, key: `group ${group}`, name: box.group.name, halfWidth: box.width / 2, halfHeight: BOX_HEIGHT / 2, radius: 0 } : null;
        }
        const spot = this.layout.spots[node];
        return spot ? { ...spot, key: `${node}`, name, halfWidth: isSwitch ? this.layout.switchWidth / 2 : 0,
            halfHeight: SWITCH_HEIGHT / 2, radius: this.layout.hostRadius } : null;
    }

    // Groups the ports whose lines would coincide.
    private bundles(): Port[][] {
        const bundles = new Map<string, Port[]>();
        for (const port of this.run.ports) {
            const a = this.ends[port.node], b = this.ends[this.run.ports[port.peer]?.node ?? -1];
            if (a && b && a.key !== b.key) {
                const key = `${a.key} > ${b.key}`, ports = bundles.get(key) ?? [];
                ports.push(port);
                bundles.set(key, ports);
            }
        }
        return [...bundles.values()].flatMap((ports) => (this.areLanes(ports) ? ports.map((p) => [p]) : [ports]));
    }

    // The distance between lines, if parallel links have a line each.
    private stepOf(ports: Port[]): number {
        const ends = [this.ends[ports[0]!.node]!, this.ends[this.run.ports[ports[0]!.peer]!.node]!];
        return Math.min(2 * this.layout.aside, ...ends.map((e) => 2 * roomOf(e) / (2 * ports.length - 1)));
    }

    // Whether parallel links have a line each. The links of a folded group share a line, and so do links that have too
    // little space.
    private areLanes(ports: Port[]): boolean {
        const nodes = [ports[0]!.node, this.run.ports[ports[0]!.peer]!.node];
        return ports.length > 1 && nodes.every((n) => !isHidden(this.shape, this.folded, n)) && this.stepOf(ports) >= MIN_STEP;
    }

    // Lists all ports that lead to the same node, in the same order at both ends of their links.
    private lanesOf(port: Port): Port[] {
        const behind = (p: Port): number => this.run.ports[p.peer]?.node ?? -1;
        const there = this.run.nodes[port.node]!.ports.map((p) => this.run.ports[p]!).filter((p) => behind(p) === behind(port));
        return port.node < behind(port) ? there : there.sort((a, b) => b.peer - a.peer);
    }

    // The line of some ports. Each direction is shifted to its right, so that the two directions of a link are side by
    // side, and so are parallel links.
    lineOf(ports: Port[]): { name: string; from: Spot; to: Spot } | null {
        const port = ports[0]!, peer = this.run.ports[port.peer];
        const a = this.ends[port.node], b = this.ends[peer?.node ?? -1];
        if (!a || !b || a.key === b.key) {
            return null;
        }
        const lanes = this.lanesOf(port), areDrawn = this.areLanes(lanes), step = this.stepOf(areDrawn ? lanes : [port]);
        const aside = step / 2 + (areDrawn ? 2 * step * (lanes.indexOf(port) - (lanes.length - 1) / 2) : 0);
        const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
        const dx = (b.x - a.x) / length, dy = (b.y - a.y) / length;
        const at = (d: number): Spot => ({ x: a.x + dx * d - dy * aside, y: a.y + dy * d + dx * aside });
        return { name: areDrawn ? port.name : `${a.name} → ${b.name}`, from: at(rim(a, dx, dy)), to: at(length - rim(b, dx, dy)) };
    }
}

// The distance from the middle of an end to its outermost line.
const roomOf = (end: End): number => (end.halfWidth ? end.halfHeight : end.radius + GAP);

// The distance from the middle of an end to the point where its lines begin.
function rim(end: End, dx: number, dy: number): number {
    if (!end.halfWidth) {
        return end.radius + GAP;
    }
    const x = Math.abs(dx) > 1e-6 ? (end.halfWidth + 4) / Math.abs(dx) : Infinity;
    const y = Math.abs(dy) > 1e-6 ? (end.halfHeight + 4) / Math.abs(dy) : Infinity;
    return Math.min(x, y);
}

// Draws an arrow: a triangle on a line, with its tip at this share of the line.
export function arrow(from: Spot, to: Spot, share: number, size: number): string {
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const dx = (to.x - from.x) / length, dy = (to.y - from.y) / length;
    const x = from.x + dx * length * share, y = from.y + dy * length * share;
    const back = size * 1.7;
    return `M${x} ${y}L${x - dx * back - dy * size} ${y - dy * back + dx * size}` +
        `L${x - dx * back + dy * size} ${y - dy * back - dx * size}Z`;
}

export const between = (from: Spot, to: Spot, share: number): Spot =>
    ({ x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share });

// The heat of a link, from 0 to 1, by the chosen colour. Rates have stages, each of which is half the rate of the stage
// before.
export function heat(gate: Gate, row: number, colour: Colour): number | null {
    switch (colour) {
    case "held": return gate.held?.[row] ?? null;
    case "load": return gate.load?.[row] ?? null;
    case "paused": return gate.paused?.[row] ?? null;
    case "rate": return gate.rate ? Math.min(1, -Math.log2(Math.max(gate.rate[row]!, 1e-4)) / 10) : null;
    case "credit": return gate.credit ? 1 - gate.credit[row]! : null;
    }
}

// Paints a line. The worst of its links gives the colour, and their mean load the width.
export function paint(line: Line, row: number, view: View, path: ReadonlySet<number>): void {
    const heats = line.gates.map((g) => heat(g, row, view.colour)).filter((v) => v !== null);
    const load = line.gates.reduce((a, g) => a + (g.load?.[row] ?? 0), 0) / Math.max(1, line.gates.length);
    const style = line.group.style, classes = line.group.classList;
    style.setProperty("--heat", `${Math.round(100 * Math.max(0, ...heats))}%`);
    style.setProperty("--wide", (1.4 + 2.8 * load).toFixed(1));
    classes.toggle("unknown", !heats.length);
    classes.toggle("idle", load === 0 && Math.max(0, ...heats) === 0);
    classes.toggle("calm", view.colour === "load");
    classes.toggle("still", line.gates.some((g) => g.stopped?.[row]));
    classes.toggle("chosen", line.ports.some((p) => view.link === p.name));
    classes.toggle("onpath", line.ports.some((p) => path.has(p.id)));
}

// The link that is blocked or throttled most at a sample, among the links of a line.
export function worstOf(line: Line, row: number): Port {
    const used = line.ports.filter((p) => !p.isDown);
    const held = (i: number): number => (line.gates[i]?.held?.[row] ?? 0) * 2 + (line.gates[i]?.load?.[row] ?? 0);
    return used.reduce((a, p, i) => (held(i) > held(used.indexOf(a)) ? p : a), used[0] ?? line.ports[0]!);
}

export function lineWords(line: Line, row: number): string[] {
    const worst = worstOf(line, row), gate = line.gates[line.ports.filter((p) => !p.isDown).indexOf(worst)];
    const words = !gate ? ["failed: not used in this run"] : gate.load?.[row] === undefined ? ["not sampled"] : gateWords(gate, row, worst.rateBps);
    return line.ports.length > 1 ? [`${line.ports.length} links; longest blocked: ${worst.name}`, ...words] : words;
}
