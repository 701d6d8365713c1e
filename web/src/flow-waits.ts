// Waits of flows in a run, and their causes. src/report/flow-waits.h computes them; this file only looks them up.

import { Run } from "./run";
import { RawTable, Table } from "./table";

export interface RawRoot {
    end: "output" | "peer" | "down" | "cycle";
    ports: number[];
    class: number;
    paused_ps: number; // The sum over all ports paused because of this root.
    waited_ps: number; // The sum over all flows.
    n_flows: number;
    n_victims: number | null; // Null: unknown (n_victims of the run).
    chain: number[]; // The longest chain of the root: the ports from a paused port to the root.
    chain_ps: number; // A time at which this chain existed.
}

export interface RawWhy {
    n_flows: number;
    n_waited: number;
    n_victims: number | null; // Null: flows waited for credit or a rate, whose causes are not followed.
    waits: { name: string; words: string }[]; // The causes that may block a flow.
    flows: RawTable;
    hops: RawTable;
    n_roots: number;
    roots: RawRoot[];
    n_pauses: number;
    pauses: RawTable;
}

export interface FlowWait {
    flow: number;
    totalPs: number;
    partsPs: number[]; // The time of each cause in `waits`.
    victimPs: number; // The part of its pauses with roots that the flow never crosses.
    victimOf: number; // The index of the worst of these roots; NaN: there is none.
    what: number; // The index of the cause that blocked the flow longest; NaN: nothing blocked it.
    port: number; // The port at which this cause blocked it.
    root: number; // The index of the root of this wait; NaN: the wait was no pause, or its root is unknown.
}

export interface Hop {
    flow: number;
    port: number;
    partsPs: number[];
    root: number;
}

// A port that is paused at an instant.
export interface Pause {
    port: number;
    next: number; // The port for which it waits; NaN: unknown.
    root: number; // The port at the root of this pause; NaN: a cycle.
}

export class FlowWaits {
    readonly flows: FlowWait[]; // Sorted by wait, the longest first.
    private readonly byFlow: Map<number, FlowWait>;
    private readonly hops: Hop[];
    private readonly pauses: Record<"port" | "next" | "root" | "from" | "to", Float64Array>;

    constructor(readonly raw: RawWhy) {
        this.flows = readFlows(raw);
        this.byFlow = new Map(this.flows.map((f) => [f.flow, f]));
        this.hops = readHops(raw);
        const t = new Table(raw.pauses);
        this.pauses = {
            port: t.numbers("port"), next: t.numbers("next"), root: t.numbers("root"), from: t.numbers("from_ps"), to: t.numbers("to_ps"),
        };
    }

    of(flow: number): FlowWait | undefined {
        return this.byFlow.get(flow);
    }

    hopsOf(flow: number): Hop[] {
        return this.hops.filter((h) => h.flow === flow);
    }

    pausesAt(ps: number): Pause[] {
        const { port, next, root, from, to } = this.pauses, found: Pause[] = [];
        for (let i = 0; i < port.length && from[i]! <= ps; i++) {
            if (to[i]! > ps) {
                found.push({ port: port[i]!, next: next[i]!, root: root[i]! });
            }
        }
        return found;
    }

    // If the page has only some of the pauses, a text that says which; else null.
    get partOfPauses(): string | null {
        const n = (v: number): string => v.toLocaleString("en"), had = this.pauses.port.length;
        return had < this.raw.n_pauses ? `the longest ${n(had)} of ${n(this.raw.n_pauses)} pauses` : null;
    }
}

function parts(raw: RawWhy, t: Table): (i: number) => number[] {
    const columns = raw.waits.map((w) => t.numbers(`${w.name}_ps`));
    return (i) => columns.map((c) => c[i]!);
}

function readFlows(raw: RawWhy): FlowWait[] {
    const t = new Table(raw.flows), part = parts(raw, t);
    const total = t.numbers("waited_ps"), victim = t.numbers("victim_ps"), victimOf = t.numbers("victim_of"), what = t.numbers("what");
    const port = t.numbers("port"), root = t.numbers("root");
    return Array.from(t.numbers("flow"), (flow, i) => ({
        flow, totalPs: total[i]!, partsPs: part(i), victimPs: victim[i]!, victimOf: victimOf[i]!, what: what[i]!, port: port[i]!, root: root[i]!,
    }));
}

function readHops(raw: RawWhy): Hop[] {
    const t = new Table(raw.hops), part = parts(raw, t), port = t.numbers("port"), root = t.numbers("root");
    return Array.from(t.numbers("flow"), (flow, i) => ({ flow, port: port[i]!, partsPs: part(i), root: root[i]! }));
}

const known = new WeakMap<Run, FlowWaits>();

// The waits of a run; null: the run did not record them.
export function flowWaitsOf(run: Run): FlowWaits | null {
    if (!run.raw.why) {
        return null;
    }
    let waits = known.get(run);
    if (!waits) {
        waits = new FlowWaits(run.raw.why);
        known.set(run, waits);
    }
    return waits;
}

export function portName(run: Run, port: number): string {
    return run.ports[port]?.name ?? "?";
}

// The name of a root, such as "S2 → H3" or "the cycle S1 → S2, S2 → S1".
export function rootName(run: Run, root: RawRoot): string {
    const names = root.ports.map((p) => portName(run, p)).join(", ");
    return root.end === "cycle" ? `the cycle ${names}` : names;
}
