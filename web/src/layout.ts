// Where nodes stand in the picture: in tiers where there are some, hosts below; else in a ring, or
// in a grid where the scenario says that it is one.

import { Run } from "./run";

export interface Spot {
    x: number;
    y: number;
}

export interface Layout {
    width: number;
    height: number;
    spots: Spot[]; // By node.
    showsHosts: boolean;
}

const MAX_HOSTS = 160;
const ROW = 104, STEP = 46, MARGIN = 40;

// How many links each switch is from the nearest one with hosts; -1: a host, or out of reach.
function tiers(run: Run, neighbours: number[][]): number[] {
    const tier: number[] = run.nodes.map((n) =>
        n.isSwitch && neighbours[n.id]!.some((m) => !run.nodes[m]!.isSwitch) ? 0 : -1);
    let rim = run.nodes.filter((n) => tier[n.id] === 0).map((n) => n.id);
    for (let t = 1; rim.length; t++) {
        const next: number[] = [];
        for (const m of rim.flatMap((n) => neighbours[n]!)) {
            if (run.nodes[m]!.isSwitch && tier[m] === -1) {
                tier[m] = t;
                next.push(m);
            }
        }
        rim = next;
    }
    return tier;
}

function findNeighbours(run: Run): number[][] {
    return run.nodes.map((n) =>
        n.ports.map((p) => run.ports[run.ports[p]!.peer]?.node ?? -1).filter((m) => run.nodes[m]));
}

export function place(run: Run): Layout {
    const neighbours = findNeighbours(run);
    const tier = tiers(run, neighbours);
    const isTiered = Math.max(...tier) > 0;
    const showsHosts = run.nodes.filter((n) => !n.isSwitch).length <= MAX_HOSTS;
    if (isTiered) {
        return inTiers(run, neighbours, tier, showsHosts);
    }
    const columns = Number(run.setting("topology", "kind") === "torus" && run.setting("topology", "x"));
    return columns ? inGrid(run, neighbours, columns, showsHosts) : inRing(run, neighbours, showsHosts);
}

function spread(ids: number[], width: number, y: number, spots: Spot[]): void {
    ids.forEach((id, i) => (spots[id] = { x: ((i + 0.5) / ids.length) * width, y }));
}

function inTiers(run: Run, neighbours: number[][], tier: number[], showsHosts: boolean): Layout {
    const top = Math.max(...tier);
    const rows: number[][] = [];
    for (let t = top; t >= 0; t--) {
        rows.push(run.nodes.filter((n) => tier[n.id] === t).map((n) => n.id));
    }
    const lost = run.nodes.filter((n) => n.isSwitch && tier[n.id] === -1).map((n) => n.id);
    rows[0]!.push(...lost);
    if (showsHosts) {
        rows.push(rows[top]!.flatMap((leaf) => neighbours[leaf]!.filter((m) => !run.nodes[m]!.isSwitch)));
    }
    const widest = Math.max(...rows.map((r) => r.length));
    const width = Math.max(560, widest * STEP);
    const spots: Spot[] = run.nodes.map(() => ({ x: width / 2, y: MARGIN }));
    rows.forEach((row, i) => spread(row, width, MARGIN + i * ROW, spots));
    return { width, height: 2 * MARGIN + (rows.length - 1) * ROW, spots, showsHosts };
}

// Around, neighbour by neighbour as far as that leads.
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

// Hosts stand outside of their switch, away from the middle.
function fan(host: number, hosts: number, from: Spot, angle: number, far: number): Spot {
    const step = Math.min(0.42, (hosts > 12 ? 5.6 : 2.4) / Math.max(1, hosts));
    const turn = angle + (host - (hosts - 1) / 2) * step;
    return { x: from.x + far * Math.cos(turn), y: from.y + far * Math.sin(turn) };
}

function inRing(run: Run, neighbours: number[][], showsHosts: boolean): Layout {
    const order = around(run, neighbours);
    const radius = order.length === 1 ? 0 : Math.max(118, (order.length * 74) / (2 * Math.PI));
    const most = Math.max(1, ...order.map((n) => neighbours[n]!.filter((m) => !run.nodes[m]!.isSwitch).length));
    const far = Math.max(92, most * 7);
    const width = Math.max(480, 2 * (radius + far + MARGIN)), flat = order.length === 2;
    const height = flat ? 2 * far + 60 : 2 * (radius + far) + 46;
    const middle = { x: width / 2, y: height / 2 };
    const spots: Spot[] = run.nodes.map(() => ({ ...middle }));
    order.forEach((id, i) => {
        const angle = (flat ? Math.PI : -Math.PI / 2) + (2 * Math.PI * i) / order.length;
        const at = { x: middle.x + radius * Math.cos(angle), y: middle.y + radius * Math.sin(angle) };
        const hosts = neighbours[id]!.filter((m) => !run.nodes[m]!.isSwitch);
        spots[id] = at;
        hosts.forEach((m, k) => (spots[m] = fan(k, hosts.length, at, angle, far)));
    });
    return order.length === 3 ? cropped(spots, run, showsHosts, width) : { width, height, spots, showsHosts };
}

// Three in a ring leave room below.
function cropped(spots: Spot[], run: Run, showsHosts: boolean, width: number): Layout {
    const top = Math.min(...run.nodes.map((n) => spots[n.id]!.y)) - MARGIN + 8;
    const bottom = Math.max(...run.nodes.map((n) => spots[n.id]!.y)) + MARGIN;
    return { width, height: bottom - top, spots: spots.map((s) => ({ x: s.x, y: s.y - top })), showsHosts };
}

function inGrid(run: Run, neighbours: number[][], columns: number, showsHosts: boolean): Layout {
    const gap = 120;
    const switches = run.nodes.filter((n) => n.isSwitch);
    const spots: Spot[] = run.nodes.map(() => ({ x: 0, y: 0 }));
    switches.forEach((n, i) => {
        const at = { x: 80 + (i % columns) * gap, y: 70 + Math.floor(i / columns) * gap };
        const hosts = neighbours[n.id]!.filter((m) => !run.nodes[m]!.isSwitch);
        spots[n.id] = at;
        hosts.forEach((m, k) => (spots[m] = fan(k, hosts.length, at, -Math.PI / 4, 58)));
    });
    const rows = Math.ceil(switches.length / columns);
    return { width: Math.max(420, 160 + (columns - 1) * gap), height: 140 + (rows - 1) * gap, spots, showsHosts };
}
