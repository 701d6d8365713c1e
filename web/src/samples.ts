// The samples of a run; each series is unpacked on demand.

import { unpack } from "./unpack";

export interface RawSamples {
    n: number;
    each: number;
    times: string;
    values: (string | null)[];
}

// Puts the samples of some series at their indexes among all series.
export function spreadOut(raw: RawSamples, ids: number[]): RawSamples {
    const values: (string | null)[] = [];
    ids.forEach((id, i) => (values[id] = raw.values[i]!));
    return { ...raw, values };
}

// One series: the minimum and the maximum of each row. Both are the same array if a row is a single sample, or the last
// of its samples.
export interface Column {
    low: Float64Array;
    high: Float64Array;
}

const onlyGrow = new Set(["sent", "received", "paused", "messages"]);

export class Samples {
    readonly times: Float64Array;
    private readonly columns = new Map<number, Column>();

    constructor(readonly raw: RawSamples, private readonly quantities: string[]) {
        this.times = unpack(raw.times, raw.n)[0]!;
    }

    get n(): number {
        return this.raw.n;
    }

    get each(): number {
        return this.raw.each;
    }

    get lastPs(): number {
        return this.n ? this.times[this.n - 1]! : 0;
    }

    column(id: number): Column {
        let column = this.columns.get(id);
        if (!column) {
            column = this.unpackColumn(id);
            this.columns.set(id, column);
        }
        return column;
    }

    // The mean time between rows; 0 if there is only one row.
    get periodPs(): number {
        return this.n > 1 ? (this.lastPs - this.times[0]!) / (this.n - 1) : 0;
    }

    // The row that contains an instant: the first row that ends at it or later.
    rowAt(ps: number): number {
        let low = 0, high = this.n - 1;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.times[middle]! < ps) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private unpackColumn(id: number): Column {
        const packed = this.raw.values[id];
        if (typeof packed !== "string") {
            const none = new Float64Array(this.n);
            return { low: none, high: none };
        }
        const isRange = this.each > 1 && !onlyGrow.has(this.quantities[id] ?? "");
        const [low, high] = unpack(packed, this.n, isRange ? 2 : 1);
        return { low: low!, high: high ?? low! };
    }
}

// The slope of a counter at each row: its growth since the previous row, divided by the time between them. The counter
// starts from 0 at time 0, unless the first row begins later.
export function slope(times: Float64Array, values: Float64Array): Float64Array {
    const out = new Float64Array(values.length);
    for (let i = 1; i < values.length; i++) {
        const dt = times[i]! - times[i - 1]!;
        out[i] = dt > 0 ? (values[i]! - values[i - 1]!) / dt : 0;
    }
    if (values.length) {
        const beginsLater = values.length > 1 && times[0]! > 2 * (times[1]! - times[0]!);
        out[0] = beginsLater ? out[1]! : times[0]! > 0 ? values[0]! / times[0]! : 0;
    }
    return out;
}

// The slope over a longer time before each row, if rows are closer than that. So a counter of whole packets gives a
// smooth rate.
export function meanSlope(times: Float64Array, values: Float64Array, overPs: number): Float64Array {
    const out = slope(times, values);
    for (let i = 1, from = 0; i < values.length; i++) {
        while (from + 1 < i && times[i]! - times[from + 1]! >= overPs) {
            from++;
        }
        const dt = times[i]! - times[from]!;
        out[i] = dt > 0 ? (values[i]! - values[from]!) / dt : 0;
    }
    return out;
}
