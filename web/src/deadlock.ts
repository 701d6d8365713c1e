// The deadlock of a run: the cycle of ports that wait for each other, the order in which they stopped, and the ports
// that were blocked behind the cycle.

import { Gates } from "./gates";
import { Flow, Port, Run } from "./run";

export interface Standing {
    port: Port;
    atPs: number; // When the last packet left the port; for ports behind the cycle, only to the nearest sample.
    // The order in which ports of the cycle stopped, from 1; equal for ports that stopped at one instant; 0: the port is
    // behind the cycle.
    order: number;
    flows: Flow[]; // The flows whose packets it blocks, if paths are known.
    why: string; // The reason why other ports wait for it, such as "the pipeline of S1 is stopped for S1 to S2".
}

// A deadlock. Values that need samples are computed on demand, because not all runs of a report are shown.
export class Deadlock {
    readonly ring: Standing[]; // The ports of the cycle. Each waits for the next one.
    readonly held: Flow[]; // The flows with packets in the cycle.
    private behindIt: Standing[] | null = null;
    private strandedFlows: Flow[] | null = null;

    constructor(private readonly run: Run, private readonly gates: Gates, readonly formedPs: number) {
        this.ring = findRing(run);
        this.held = run.events.filter((e) => e.kind === "held").filter((e) => !Number.isNaN(e.flow)).map((e) => run.flowAt(e.flow));
    }

    // The end of the first sample whose whole interval is after the deadlock.
    get seenPs(): number {
        const { times, n } = this.run.samples;
        const seen = n ? times[Math.min(this.run.samples.rowAt(this.formedPs) + 1, n - 1)]! : 0;
        return Math.max(seen, this.formedPs);
    }

    // The ports that wait for the cycle, sorted by time.
    get behind(): Standing[] {
        this.behindIt ??= findBehind(this.run, this.gates, this.ring);
        return this.behindIt;
    }

    // Other flows whose packets no longer move.
    get stranded(): Flow[] {
        this.strandedFlows ??= findStranded(this.run, this.formedPs, this.held);
        return this.strandedFlows;
    }
}

export function findDeadlock(run: Run, gates: Gates): Deadlock | null {
    const event = run.events.find((e) => e.kind === "deadlock");
    return event ? new Deadlock(run, gates, event.atPs) : null;
}

function unfinished(run: Run, port: number): Flow[] {
    return run.flowsOver(port).filter((f) => Number.isNaN(f.finishedPs));
}

function findRing(run: Run): Standing[] {
    const stuck = run.events.filter((e) => e.kind === "stuck" && run.ports[e.port]);
    const times = [...new Set(stuck.map((e) => e.atPs))].sort((a, b) => a - b);
    return stuck.sort((a, b) => a.value - b.value).map((e) => ({
        port: run.ports[e.port]!, atPs: e.atPs, order: 1 + times.indexOf(e.atPs), flows: unfinished(run, e.port),
        why: e.text,
    }));
}

// Finds ports outside the cycle that have sent something, and are shut from the deadlock to the end of the run.
function findBehind(run: Run, gates: Gates, ring: Standing[]): Standing[] {
    const inRing = new Set(ring.map((s) => s.port.id));
    const found: Standing[] = [];
    for (const port of run.ports) {
        const gate = gates.of(port);
        const last = run.samples.n - 1;
        if (inRing.has(port.id) || !gate.isUsed || !gate.stopped?.[last]) {
            continue;
        }
        const row = gate.stopped.lastIndexOf(0);
        const flows = unfinished(run, port.id);
        if (row >= 0 && flows.length) {
            found.push({ port, atPs: run.samples.times[row]!, order: 0, flows, why: "" });
        }
    }
    return found.sort((a, b) => a.atPs - b.atPs);
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
