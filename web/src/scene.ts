// A run with values that are computed once: gates, deadlock, and the fill of switches.

import { Deadlock, findDeadlock } from "./deadlock";
import { fill, Gates, peakFill } from "./gates";
import { Run } from "./run";
import { parseBytes } from "./units";

export class Scene {
    readonly gates: Gates;
    readonly deadlock: Deadlock | null;
    readonly roomBytes: number; // The buffer of a class at an input; if it is unknown, the peak queue.
    readonly outputRoomBytes: number; // The buffer of an output; 0: no limit.
    private readonly fills = new Map<number, Float64Array | null>();
    private heldShares: Float64Array | null = null;

    constructor(readonly run: Run) {
        this.gates = new Gates(run);
        this.roomBytes = this.findRoom();
        this.outputRoomBytes = parseBytes(run.setting("switch", "egress") ?? "") || 0;
        this.deadlock = findDeadlock(run, this.gates);
    }

    fill(node: number): Float64Array | null {
        if (!this.fills.has(node)) {
            this.fills.set(node, this.gates.areTotals ? peakFill(this.run, node, this.roomBytes)
                : fill(this.run, node, this.roomBytes, this.outputRoomBytes));
        }
        return this.fills.get(node) ?? null;
    }

    // The number of ports that are blocked or throttled by half or more, row by row, among ports that sent something in
    // the run.
    get held(): Float64Array {
        this.heldShares ??= this.countHeld();
        return this.heldShares;
    }

    // The sample with the maximum number of blocked ports, and among several such samples the one with the most bytes in queues.
    get worstRow(): number {
        const bytes = this.waiting(), { held } = this;
        let worst = this.run.samples.n - 1;
        for (let i = worst - 1; i >= 0; i--) {
            if (held[i]! > held[worst]! || (held[i] === held[worst] && bytes[i]! > bytes[worst]!)) {
                worst = i;
            }
        }
        return worst;
    }

    get worstPs(): number {
        return this.run.samples.n ? this.run.samples.times[this.worstRow]! : this.run.untilPs;
    }

    // The bytes in all sampled queues, row by row.
    private waiting(): Float64Array {
        const all = new Float64Array(this.run.samples.n);
        for (const s of this.run.ports.flatMap((p) => this.run.seriesOf("queue", "port", p.id))) {
            this.run.samples.column(s.id).high.forEach((v, i) => (all[i]! += v));
        }
        return all;
    }

    private countHeld(): Float64Array {
        const share = new Float64Array(this.run.samples.n);
        let n = 0;
        for (const port of this.gates.areTotals ? [] : this.run.ports) {
            const gate = this.gates.of(port);
            if (gate.held && gate.isUsed) {
                gate.held.forEach((v, i) => (share[i]! += v >= 0.5 ? 1 : 0));
                n++;
            }
        }
        return share.map((v) => (n ? v / n : 0));
    }

    private findRoom(): number {
        const stated = parseBytes(this.run.setting("switch", "buffer") ?? "");
        const peaks = this.run.ports.map((p) => this.run.maximum("port", p.id, "peak_input_queue_bytes") ?? 0);
        return stated || Math.max(1, ...peaks);
    }
}

const scenes = new WeakMap<Run, Scene>();

export function sceneOf(run: Run): Scene {
    let scene = scenes.get(run);
    if (!scene) {
        scene = new Scene(run);
        scenes.set(run, scene);
    }
    return scene;
}

export function worstPs(runs: Run[]): number {
    const most = (r: Run): number => sceneOf(r).held[sceneOf(r).worstRow] ?? -1;
    return runs.length ? sceneOf(runs.reduce((a, r) => (most(r) > most(a) ? r : a))).worstPs : 1;
}
