// The layout of a network in tiers: the highest switches on top, and below them a column for each group with its
// switches and hosts. Switches inside servers, which are linked to hosts alone, are below the hosts.

import { Box, BOX_HEIGHT, Folded, Layout, Spot } from "./layout";
import { Run } from "./run";
import { Group, Shape } from "./shape";

const TOP = 46, ROW = 104, HOST_ROW = 76, LABEL_ROW = 13, TITLE = 18, INSIDE_ROW = 66;
const EDGE = 4; // The distance between a frame and its content.
const MAX_LABEL_ROWS = 5, MAX_TOP = 12, TOP_BOX = 120;

// The steps between nodes, in pixels: the minimum readable size, and the natural size.
const STEP = { host: [9.4, 46], switch: [32, 64], folded: [42, 92] } as const;
const LEAST = 0, NATURAL = 1;
type Size = typeof LEAST | typeof NATURAL;

interface Column {
    group: Group;
    isFolded: boolean;
    rows: number[][]; // Switches from the highest tier down.
    hosts: number[]; // The hosts that are drawn.
    inside: number[]; // The switches inside servers.
    width: number;
    edge: number; // The margins left and right of the nodes.
}

interface Plan {
    shape: Shape;
    folded: Folded;
    columns: Column[];
    top: number[]; // The switches above all others; an empty list if they are folded.
    above: Group | undefined; // The top switches as a group, if there are many.
    width: number;
    nRows: number; // Rows of switches below the top.
    hostStep: number;
    labelRows: number;
}

const sum = (of: number[]): number => of.reduce((a, b) => a + b, 0);
const clamp = (v: number, low: number, high: number): number => Math.min(Math.max(v, low), high);

export const topFits = (g: Group, room: number): boolean =>
    g.switches.length <= MAX_TOP && g.switches.length * STEP.switch[LEAST] <= room;

function sizeOf(c: Column, size: Size): number {
    const widest = Math.max(1, c.inside.length, ...c.rows.map((r) => r.length));
    return c.isFolded ? STEP.folded[size] : Math.max(widest * STEP.switch[size], c.hosts.length * STEP.host[size]) + 2 * c.edge;
}

// The hosts of a group, in the order of their switches.
function hostsOf(shape: Shape, group: Group): number[] {
    const isHost = new Set(group.hosts);
    return [...new Set(group.switches.flatMap((s) => shape.neighbours[s]!.filter((m) => isHost.has(m))))];
}

function columnOf(shape: Shape, folded: Folded, group: Group, withHosts: boolean): Column {
    const isInside = (n: number): boolean => shape.neighbours[n]!.every((m) => shape.tier[m] === -1);
    const rows = Array.from({ length: shape.top }, (_, i) =>
        group.switches.filter((n) => shape.tier[n] === shape.top - 1 - i && !isInside(n)));
    return { group, isFolded: !!folded?.has(group.index), rows, hosts: withHosts ? hostsOf(shape, group) : [],
        inside: group.switches.filter(isInside), width: 0, edge: folded ? EDGE : 0 };
}

// The columns of a layout. Hosts are left out if not even one group has space for its hosts next to the other groups.
function columnsOf(shape: Shape, folded: Folded, room: number): Column[] {
    const pods = shape.groups.filter((g) => !g.isTop), others = (pods.length - 1) * STEP.folded[LEAST];
    const withHosts = !folded || pods.every((g) => sizeOf(columnOf(shape, new Set(), g, true), LEAST) + others <= Math.max(room, 600));
    return pods.map((g) => columnOf(shape, folded, g, withHosts));
}

// Widens the columns to this total width: each column has its minimum and a share of the rest.
function widen(columns: Column[], total: number): void {
    const least = sum(columns.map((c) => sizeOf(c, LEAST))), natural = sum(columns.map((c) => sizeOf(c, NATURAL)));
    const share = natural > least ? Math.max(0, (total - least) / (natural - least)) : 0;
    for (const c of columns) {
        const [low, high] = [sizeOf(c, LEAST), sizeOf(c, NATURAL)];
        c.width = share > 1 ? (high * total) / natural : low + (high - low) * share;
    }
}

function widthFor(columns: Column[], nTop: number, room: number): number {
    const size = (s: Size): number => Math.max(nTop ? nTop * STEP.switch[s] : TOP_BOX, sum(columns.map((c) => sizeOf(c, s))));
    return clamp(room, size(LEAST), Math.max(size(NATURAL), Math.min(room, 560)));
}

const inner = (c: Column): number => c.width - 2 * c.edge;

function plan(run: Run, shape: Shape, folded: Folded, room: number): Plan {
    const columns = columnsOf(shape, folded, room), above = shape.groups.find((g) => g.isTop);
    const isTop = (n: number): boolean => shape.tier[n] === shape.top || shape.tier[n] === -1;
    const top = above && folded?.has(above.index) ? [] : run.nodes.filter((n) => n.isSwitch && isTop(n.id)).map((n) => n.id);
    const width = widthFor(columns, top.length, room);
    widen(columns, width);
    const withHosts = columns.filter((c) => !c.isFolded && c.hosts.length);
    const hostStep = Math.min(STEP.host[NATURAL], ...withHosts.map((c) => inner(c) / c.hosts.length));
    const longest = Math.max(0, ...withHosts.flatMap((c) => c.hosts).map((n) => run.nodes[n]!.name.length));
    return {
        shape, folded, columns, top, above, width, nRows: columns.every((c) => c.isFolded) ? 1 : shape.top, hostStep,
        labelRows: withHosts.length ? Math.min(MAX_LABEL_ROWS, Math.ceil((longest * 6.6 + 3) / hostStep)) : 0,
    };
}

const rowY = (row: number): number => TOP + row * ROW;
const hostsEnd = (p: Plan): number => rowY(p.nRows) + (p.labelRows ? HOST_ROW + 12 + p.labelRows * LABEL_ROW : 20);
const bottomOf = (p: Plan): number => hostsEnd(p) + (p.columns.some((c) => !c.isFolded && c.inside.length) ? INSIDE_ROW : 0);

function spread(ids: number[], from: number, width: number, y: number, spots: (Spot | null)[]): void {
    ids.forEach((id, i) => (spots[id] = { x: from + ((i + 0.5) / ids.length) * width, y }));
}

function putTop(p: Plan, to: Pick<Layout, "spots" | "boxes">): void {
    spread(p.top, 0, p.width, TOP, to.spots);
    if (p.above && p.folded) {
        const isFolded = !p.top.length;
        to.boxes.push({ group: p.above, isFolded, x: p.width / 2, y: TOP, width: isFolded ? TOP_BOX - 4 : p.width - 4,
            height: isFolded ? BOX_HEIGHT : 64, titleY: -TITLE });
    }
}

function putColumn(p: Plan, c: Column, from: number, to: Pick<Layout, "spots" | "boxes">): void {
    const box = { group: c.group, isFolded: c.isFolded, x: from + c.width / 2 };
    if (c.isFolded) {
        to.boxes.push({ ...box, y: (rowY(1) + rowY(p.nRows)) / 2, width: Math.min(84, c.width - 4), height: BOX_HEIGHT, titleY: 0 });
        return;
    }
    c.rows.forEach((row, i) => spread(row, from + c.edge, inner(c), rowY(i + 1), to.spots));
    spread(c.hosts, from + c.edge, inner(c), rowY(p.nRows) + HOST_ROW, to.spots);
    spread(c.inside, from + c.edge, inner(c), hostsEnd(p) + INSIDE_ROW / 2, to.spots);
    if (p.folded) {
        const high = rowY(1) - 30, low = bottomOf(p) + TITLE;
        to.boxes.push({ ...box, y: (high + low) / 2, width: c.width - 4, height: low - high, titleY: (low - high) / 2 - 5 });
    }
}

// The distance between switches in the fullest row.
function switchStep(p: Plan): number {
    return Math.min(p.top.length ? p.width / p.top.length : Infinity,
        ...p.columns.filter((c) => !c.isFolded).flatMap((c) => [...c.rows, c.inside].map((r) => inner(c) / Math.max(1, r.length))));
}

export function inTiers(run: Run, shape: Shape, folded: Folded, room: number): Layout {
    const p = plan(run, shape, folded, room);
    const to: { spots: (Spot | null)[]; boxes: Box[] } = { spots: run.nodes.map(() => null), boxes: [] };
    putTop(p, to);
    let from = 0;
    for (const c of p.columns) {
        putColumn(p, c, from, to);
        from += c.width;
    }
    return {
        ...to, width: p.width, height: bottomOf(p) + (folded ? TITLE + 4 : 0), least: p.width, labelRows: Math.max(1, p.labelRows),
        switchWidth: clamp(switchStep(p) - 8, 24, 44), hostRadius: clamp(p.hostStep * 0.4, 3.4, 8), aside: clamp(p.hostStep * 0.2, 1.7, 3.6),
    };
}
