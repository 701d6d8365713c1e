// The state of each port, sample by sample: how much it sends, how long it was paused, and its allowed rate and credit.
// Shares are between 0 and 1. If no port was sampled, the values are for the whole run, from the counters of each port.

import { NO_LIMIT } from "./unpack";
import { Port, Run } from "./run";
import { slope } from "./samples";
import { parseBytes } from "./units";

const BITS = 8, PS_PER_S = 1e12;

export interface Gate {
    load: Float64Array | null; // The rate of sending as a share of the link's rate.
    paused: Float64Array | null; // The time paused as a share of the interval.
    rate: Float64Array | null; // The allowed rate as a share of the link's rate; the minimum over its classes.
    credit: Float64Array | null; // The credit as a share of its maximum in the run; the minimum over its classes.
    held: Float64Array | null; // The worst of the values above. 0: the port is free; 1: it may not send.
    shut: Float64Array | null; // 1: the port may not send during the whole interval.
    stopped: Float64Array | null; // 1: the port is shut, and sent no packet.
    isUsed: boolean; // The port has sent something in the run.
}

function worst(columns: Float64Array[], pick: (a: number, b: number) => number): Float64Array | null {
    if (!columns.length) {
        return null;
    }
    return columns.reduce((a, b) => a.map((v, i) => pick(v, b[i]!)));
}

// Whether values of the whole run are shown, because no port was sampled.
const hasTotals = (run: Run): boolean => !run.hasPortSamples && run.hasResults;

// Whether links can be coloured by this quantity.
export function isKnown(run: Run, quantity: string): boolean {
    return run.quantities.has(quantity) || (quantity === "paused" && hasTotals(run) && run.raw.paused_ps !== null);
}

export class Gates {
    private readonly gates = new Map<number, Gate>();
    readonly areTotals: boolean; // The values are those of the whole run.
    private readonly mtuBytes: number;

    constructor(private readonly run: Run) {
        this.areTotals = hasTotals(run);
        this.mtuBytes = parseBytes(run.setting("wire", "mtu") ?? "") ?? 1500;
    }

    of(port: Port): Gate {
        let gate = this.gates.get(port.id);
        if (!gate) {
            gate = this.areTotals ? this.total(port) : this.compute(port);
            this.gates.set(port.id, gate);
        }
        return gate;
    }

    private columns(quantity: string, port: Port, side: "low" | "high"): Float64Array[] {
        return this.run.seriesOf(quantity, "port", port.id).map((s) => this.run.samples.column(s.id)[side]);
    }

    private compute(port: Port): Gate {
        const times = this.run.samples.times;
        const sent = this.columns("sent", port, "low")[0];
        const load = sent ? slope(times, sent).map((v) => Math.min(1, (v * BITS * PS_PER_S) / port.rateBps)) : null;
        const paused = worst(
            this.columns("paused", port, "low").map((c) => slope(times, c).map((v) => Math.min(1, v))), Math.max);
        const rate = worst(
            this.columns("rate", port, "low").map((c) => c.map((v) => Math.min(1, v / port.rateBps))), Math.min);
        const credits = this.columns("credit", port, "low");
        const credit = worst(credits.map(creditShare), Math.min);
        const out = rate ? [] : credits.map((c) => outOfCredit(c, this.mtuBytes));
        const held = [paused, rate?.map((v) => 1 - v), ...out].filter((c) => c !== null && c !== undefined);
        const shut = worst([paused?.map((v) => (v > 0.999 ? 1 : 0)), rate?.map((v) => (v === 0 ? 1 : 0)), ...out]
            .filter((c) => c !== undefined), Math.max);
        return { load, paused, rate, credit, held: worst(held, Math.max), shut, stopped: shut && sent ? this.stopped(shut, sent) : null,
            isUsed: !!load?.some((v) => v > 0) };
    }

    // The intervals in which a port is shut and sends no packet. It may still send control frames, which are less than
    // a packet in a sample.
    private stopped(shut: Float64Array, sent: Float64Array): Float64Array {
        return shut.map((v, i) => (v && sent[i]! - (sent[i - 1] ?? 0) < this.mtuBytes ? 1 : 0));
    }

    private total(port: Port): Gate {
        const n = Math.max(1, this.run.samples.n), { untilPs } = this.run;
        const share = (of: number): Float64Array => new Float64Array(n).fill(Math.min(1, of / untilPs));
        const sentBytes = this.run.counter("port", port.id, "sent_bytes");
        const load = share((sentBytes * BITS * PS_PER_S) / port.rateBps);
        const pausedPs = this.run.maximum("port", port.id, "paused_ps"), paused = pausedPs === null ? null : share(pausedPs);
        return { load, paused, rate: null, credit: null, held: paused, shut: null, stopped: null, isUsed: sentBytes > 0 };
    }
}

// The intervals in which a port may not send because it has too little credit for a packet. More credit makes no
// difference. Before the first credit arrives, the port does not count as out of credit.
function outOfCredit(credit: Float64Array, mtuBytes: number): Float64Array {
    const first = credit.findIndex((v) => v >= mtuBytes);
    return credit.map((v, i) => (first >= 0 && i > first && v < mtuBytes ? 1 : 0));
}

// Credit as a share of the maximum in the run, because credit has no natural scale.
function creditShare(credit: Float64Array): Float64Array {
    let most = 0;
    for (const v of credit) {
        most = v < NO_LIMIT && v > most ? v : most;
    }
    return credit.map((v) => (v >= NO_LIMIT ? 1 : most ? v / most : 0));
}

// The fill of the fullest queue of a switch, row by row, relative to the buffer of an input. Outputs count, too, if
// they have queues of their own.
export function fill(run: Run, node: number, roomBytes: number, outputRoomBytes: number): Float64Array | null {
    const shares = (quantity: string, room: number): Float64Array[] => (run.nodes[node]?.ports ?? []).flatMap((p) =>
        run.seriesOf(quantity, "port", p).map((s) => run.samples.column(s.id).high.map((v) => Math.min(1, v / room))));
    const hasOutputs = outputRoomBytes && run.seriesOf("passing", "node", node).length;
    return worst([...shares("queue", roomBytes), ...(hasOutputs ? shares("output", outputRoomBytes) : [])], Math.max);
}

// The peak of the fullest input queue of a switch in the whole run, as a share of what it can hold.
export function peakFill(run: Run, node: number, roomBytes: number): Float64Array {
    const peaks = (run.nodes[node]?.ports ?? []).map((p) => run.maximum("port", p, "peak_input_queue_bytes") ?? 0);
    return new Float64Array(Math.max(1, run.samples.n)).fill(Math.min(1, Math.max(0, ...peaks) / roomBytes));
}
