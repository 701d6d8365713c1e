// The shape of a network: its tiers, and the groups of nodes that can be drawn as one, such as the pods of a fat tree.

import { Run } from "./run";
import * as units from "./units";

export interface Group {
    index: number;
    name: string; // The name, such as "Pod 3", "L1" or "C1 – C64".
    nodes: number[];
    switches: number[];
    hosts: number[];
    isTop: boolean; // The group has the switches that join the others.
}

export interface Shape {
    neighbours: number[][]; // [node].
    tier: number[]; // The distance of a switch to the nearest switch with hosts; -1: a host, or not reachable.
    top: number; // 0: there are no tiers.
    groups: Group[]; // Every node is in at most one group.
    groupOf: number[]; // [node]; -1: the node is in no group.
}

// The minimum number of switches in the top tier that form a group.
const MIN_TOP = 8;

function findNeighbours(run: Run): number[][] {
    return run.nodes.map((n) =>
        n.ports.map((p) => run.ports[run.ports[p]!.peer]?.node ?? -1).filter((m) => run.nodes[m]));
}

function findTiers(run: Run, neighbours: number[][]): number[] {
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

// All nodes that can be reached from a node without crossing the tier above.
function reach(from: number, neighbours: number[][], mayEnter: (node: number) => boolean): number[] {
    const seen = new Set([from]);
    for (const at of seen) { // The loop also visits items that are added during the loop.
        neighbours[at]!.filter(mayEnter).forEach((m) => seen.add(m));
    }
    return [...seen].sort((a, b) => a - b);
}

function makeGroup(run: Run, index: number, nodes: number[], isTop: boolean): Group {
    const of = (isSwitch: boolean): number[] => nodes.filter((n) => run.nodes[n]!.isSwitch === isSwitch);
    const switches = of(true), names = switches.map((n) => run.nodes[n]!.name);
    const name = isTop ? `${names[0]} – ${names[names.length - 1]}` : names.length === 1 ? names[0]! : `Pod ${index + 1}`;
    return { index, name, nodes, switches, hosts: of(false), isTop };
}

// In a network with tiers, groups are connected nodes below the top. Otherwise a group is a switch with its hosts.
function findGroups(run: Run, neighbours: number[][], tier: number[], top: number): Group[] {
    const isBelow = (n: number): boolean => !run.nodes[n]!.isSwitch || (tier[n]! >= 0 && tier[n]! < top);
    const groups: Group[] = [], seen = new Set<number>();
    for (const leaf of run.nodes) {
        if (tier[leaf.id] !== 0 || seen.has(leaf.id)) {
            continue;
        }
        const nodes = top ? reach(leaf.id, neighbours, isBelow)
            : reach(leaf.id, neighbours, (n) => !run.nodes[n]!.isSwitch && !seen.has(n)).filter((n) => !seen.has(n));
        nodes.forEach((n) => seen.add(n));
        groups.push(makeGroup(run, groups.length, nodes, false));
    }
    const above = run.nodes.filter((n) => top && tier[n.id] === top).map((n) => n.id);
    if (above.length >= MIN_TOP) {
        groups.push(makeGroup(run, groups.length, above, true));
    }
    return groups;
}

export function shapeOf(run: Run): Shape {
    const neighbours = findNeighbours(run), tier = findTiers(run, neighbours), top = Math.max(0, ...tier);
    const groups = findGroups(run, neighbours, tier, top), groupOf = run.nodes.map(() => -1);
    groups.forEach((g) => g.nodes.forEach((n) => (groupOf[n] = g.index)));
    return { neighbours, tier, top, groups, groupOf };
}

// The contents of a group as text, such as "8 switches, 16 hosts".
export function contents(group: Group): string {
    const parts = [group.switches.length > 1 ? units.count(group.switches.length, "switch", "switches") : "",
        group.hosts.length ? units.count(group.hosts.length, "host") : ""];
    return parts.filter((p) => p).join(", ");
}
