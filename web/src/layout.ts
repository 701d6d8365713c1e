// Positions of nodes in the picture, for the available space. A network with tiers is drawn in tiers, with hosts below.
// Other networks are drawn as a ring, or as a grid if the scenario defines one. A folded group has one position.

import { Run } from "./run";
import { Group, Shape } from "./shape";
import { inTiers, topFits } from "./tiers";

export interface Spot {
    x: number;
    y: number;
}

// A folded group, or the frame around a group that can be folded; without a size it is not drawn.
export interface Box extends Spot {
    group: Group;
    isFolded: boolean;
    width: number;
    height: number;
    titleY: number;
}

export interface Layout {
    width: number;
    height: number;
    least: number; // The minimum width at which the picture can be read.
    spots: (Spot | null)[]; // [node]; null: the node is not drawn separately.
    boxes: Box[];
    switchWidth: number;
    hostRadius: number;
    aside: number; // The distance of each direction of a link from the middle of the link.
    labelRows: number; // Names of hosts alternate between so many rows.
}

// The groups that are folded; null: no group can be folded, because all nodes fit.
export type Folded = ReadonlySet<number> | null;

const MAX_NODES = 100; // In networks with more nodes, groups are folded.

export const isLarge = (run: Run): boolean => run.nodes.length > MAX_NODES;
const MAX_STAR = 8; // The maximum number of hosts around a single switch; more are drawn in a row.
const MARGIN = 40;
export const SWITCH_HEIGHT = 32, BOX_HEIGHT = 44;

export const isHidden = (shape: Shape, folded: Folded, node: number): boolean => !!folded?.has(shape.groupOf[node]!);

// The order of switches around the ring, in which neighbours follow each other as far as possible.
function around(run: Run, neighbours: number[][]): number[] {
    const switches = run.nodes.filter((n) => n.isSwitch).map((n) => n.id);
    const order: number[] = [];
    const left = new Set(switches);
    for (let at: number | undefined = switches[0]; at !== undefined;) {
        order.push(at);
        left.delete(at);
        at = neighbours[at]!.find((m) => left.has(m)) ?? left.values().next().value;
    }
    return order;
}

interface Arc {
    angle: number; // The angle of the middle of the hosts.
    far: number;
    spread: number; // The maximum angle between two hosts.
}

// The position of a host: outside its switch, away from the middle of the picture.
function spotAround(host: number, hosts: number, from: Spot, { angle, far, spread }: Arc): Spot {
    const step = Math.min(spread, (hosts > 12 ? 5.6 : 2.4) / Math.max(1, hosts));
    const turn = angle + (host - (hosts - 1) / 2) * step;
    return { x: from.x + far * Math.cos(turn), y: from.y + far * Math.sin(turn) };
}

// Places a switch with its hosts around it, or a folded group.
function putGroup(shape: Shape, folded: Folded, id: number, at: Spot, arc: Arc, to: Pick<Layout, "spots" | "boxes">): void {
    const group = shape.groups[shape.groupOf[id]!], isFolded = isHidden(shape, folded, id);
    if (isFolded && group) {
        to.boxes.push({ group, isFolded, ...at, width: 58, height: BOX_HEIGHT, titleY: 0 });
        return;
    }
    to.spots[id] = at;
    group?.hosts.forEach((m, k) => (to.spots[m] = spotAround(k, group.hosts.length, at, arc)));
    if (folded && group) {
        to.boxes.push({ group, isFolded, ...at, width: 0, height: 0, titleY: SWITCH_HEIGHT / 2 + 13 });
    }
}

const flatLook = { switchWidth: 44, hostRadius: 8, aside: 3.6, labelRows: 1 };

function inRing(run: Run, shape: Shape, folded: Folded, room: number): Layout {
    const order = around(run, shape.neighbours), isNarrow = room < 460;
    const radius = order.length === 1 ? 0 : Math.max(isNarrow ? 84 : 118, (order.length * (isNarrow ? 62 : 74)) / (2 * Math.PI));
    const most = Math.max(1, ...shape.groups.filter((g) => !folded?.has(g.index)).map((g) => g.hosts.length));
    const far = Math.max(isNarrow ? 66 : 76, most * 7), spread = isNarrow ? 0.52 : 0.46;
    const width = Math.max(isNarrow ? 330 : 480, 2 * (radius + far + (isNarrow ? 22 : MARGIN))), flat = order.length === 2;
    const height = flat ? 2 * far + 60 : 2 * (radius + far) + 46;
    const middle = { x: width / 2, y: height / 2 };
    const to: Pick<Layout, "spots" | "boxes"> = { spots: run.nodes.map(() => null), boxes: [] };
    order.forEach((id, i) => {
        const angle = (flat ? Math.PI : -Math.PI / 2) + (2 * Math.PI * i) / order.length;
        putGroup(shape, folded, id, { x: middle.x + radius * Math.cos(angle), y: middle.y + radius * Math.sin(angle) }, { angle, far, spread }, to);
    });
    const layout = { ...to, ...flatLook, width, height, least: 0.72 * width };
    return order.length === 3 ? cropped(layout) : layout;
}

// Cuts off empty space, which a ring of three switches leaves below.
function cropped(layout: Layout): Layout {
    const ys = [...layout.spots, ...layout.boxes].filter((s) => s !== null).map((s) => s.y);
    const top = Math.min(...ys) - 28, bottom = Math.max(...ys) + 28;
    const up = <S extends Spot>(s: S): S => ({ ...s, y: s.y - top });
    return { ...layout, height: bottom - top, spots: layout.spots.map((s) => s && up(s)), boxes: layout.boxes.map(up) };
}

function inGrid(run: Run, shape: Shape, folded: Folded, columns: number): Layout {
    const gap = 120, switches = run.nodes.filter((n) => n.isSwitch);
    const to: Pick<Layout, "spots" | "boxes"> = { spots: run.nodes.map(() => null), boxes: [] };
    switches.forEach((n, i) =>
        putGroup(shape, folded, n.id, { x: 80 + (i % columns) * gap, y: 70 + Math.floor(i / columns) * gap }, { angle: -Math.PI / 4, far: 58, spread: 0.42 }, to));
    const width = Math.max(420, 160 + (columns - 1) * gap), rows = Math.ceil(switches.length / columns);
    return { ...to, ...flatLook, width, height: 140 + (rows - 1) * gap, least: 0.72 * width };
}

export function place(run: Run, shape: Shape, folded: Folded, room: number): Layout {
    const isStar = shape.groups.length === 1 && shape.groups[0]!.hosts.length > MAX_STAR && !folded?.has(0);
    if (shape.top || isStar) {
        return inTiers(run, shape, isStar ? null : folded, room);
    }
    const columns = Number(run.setting("topology", "kind") === "torus" && run.setting("topology", "x"));
    return columns ? inGrid(run, shape, folded, columns) : inRing(run, shape, folded, room);
}

// Whether the whole network can be drawn in this space.
export function fits(run: Run, shape: Shape, room: number): boolean {
    return run.nodes.length <= MAX_NODES && (!shape.top || inTiers(run, shape, null, room).width <= Math.max(room, 330));
}

// The groups that are folded at first: all except those in 'asked', and except the top group if it fits.
export function foldedAtFirst(shape: Shape, asked: ReadonlySet<number>, room: number): Set<number> {
    return new Set(shape.groups.filter((g) => !asked.has(g.index) && !(g.isTop && topFits(g, room))).map((g) => g.index));
}
