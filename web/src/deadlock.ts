// The deadlock of a run: the ring of ports that wait for each other, in which order it closed, and
// what stood still behind it.

import { Gates } from "./gates";
import { Flow, Port, Run } from "./run";

export interface Standing {
    port: Port;
    atPs: number; // Its last packet left then; what is behind the ring is known to a sample.
    isInRing: boolean;
    order: number; // From 1; those of one instant have the same.
    flows: Flow[]; // Whose packets it holds up, where paths are known.
}

export interface Deadlock {
    formedPs: number;
    seenPs: number; // The first sample after it whose whole time is after it.
    ring: Standing[]; // In the order of waiting.
    behind: Standing[]; // In the order of time.
    held: Flow[]; // With packets in the ring.
    stranded: Flow[]; // Others that do not move any more.
}

export function findDeadlock(run: Run, gates: Gates): Deadlock | null {
    const event = run.events.find((e) => e.kind === "deadlock");
    if (!event) {
        return null;
    }
    const ring = findRing(run);
    const behind = findBehind(run, gates, ring);
    number([...ring, ...behind]);
    const held = run.events.filter((e) => e.kind === "held").map((e) => run.flows[e.flow]).filter((f) => !!f);
    const { times, n } = run.samples;
    const seenPs = n ? times[Math.min(run.samples.rowAt(event.atPs) + 1, n - 1)]! : event.atPs;
    return { formedPs: event.atPs, seenPs: Math.max(seenPs, event.atPs), ring, behind, held, stranded: findStranded(run, event.atPs, held) };
}

function unfinished(run: Run, port: number): Flow[] {
    return run.flowsOver(port).filter((f) => Number.isNaN(f.finishedPs));
}

function findRing(run: Run): Standing[] {
    return run.events
        .filter((e) => e.kind === "stuck" && run.ports[e.port])
        .sort((a, b) => a.value - b.value)
        .map((e) => ({
            port: run.ports[e.port]!, atPs: e.atPs, isInRing: true, order: 0, flows: unfinished(run, e.port),
        }));
}

// Ports that are shut at the end, have sent something, and never sent again.
function findBehind(run: Run, gates: Gates, ring: Standing[]): Standing[] {
    const inRing = new Set(ring.map((s) => s.port.id));
    const found: Standing[] = [];
    for (const port of run.ports) {
        const gate = gates.of(port);
        const last = run.samples.n - 1;
        if (inRing.has(port.id) || !gate.load || !gate.shut?.[last] || gate.load[last]! > 0) {
            continue;
        }
        const row = gate.load.findLastIndex((v) => v > 0);
        const flows = unfinished(run, port.id);
        if (row >= 0 && flows.length) {
            found.push({ port, atPs: run.samples.times[row]!, isInRing: false, order: 0, flows });
        }
    }
    return found.sort((a, b) => a.atPs - b.atPs);
}

function number(all: Standing[]): void {
    const times = [...new Set(all.map((s) => s.atPs))].sort((a, b) => a - b);
    for (const s of all) {
        s.order = 1 + times.indexOf(s.atPs);
    }
}

function findStranded(run: Run, formedPs: number, held: Flow[]): Flow[] {
    const inRing = new Set(held.map((f) => f.id));
    const last = run.samples.n - 1, from = run.samples.rowAt(formedPs + (run.untilPs - formedPs) / 10);
    return run.flows.filter((f) => {
        const series = run.seriesOf("received", "flow", f.id)[0];
        if (inRing.has(f.id) || !Number.isNaN(f.finishedPs) || !series || f.startPs > formedPs) {
            return false;
        }
        const got = run.samples.column(series.id).low;
        return got[last] === got[from];
    });
}
