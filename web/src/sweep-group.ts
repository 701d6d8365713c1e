// Groups the runs of a sweep by chosen settings: median and quartiles of runs with the same values, as in `weir report
// --by`.

import { unpack } from "./unpack";

export interface RawSweep {
    file: string;
    sweep: number;
    name: string;
    study: string;
    n_runs: number;
    n_done: number;
    n_skipped: number;
    axes: { metric: number | null; by: number | null; lines: number | null; panels: number | null };
    // The id, the status, the reason for which it was skipped, and whether it deadlocks.
    runs: [number, string, string, boolean][];
    settings: { name: string; unit: string; values: string[]; numbers: number[]; of: string }[];
    metrics: Metric[];
}

export interface Metric {
    name: string;
    unit: string;
    values: (number | null)[];
    least_flows?: number; // The number of flows that a percentile needs to be shown.
    n_flows?: number; // The index of the metric that counts these flows.
}

export interface Setting {
    name: string;
    unit: string;
    values: string[];
    numbers: number[]; // Empty if the values are names.
    of: Float64Array; // [run]: the index of its value.
}

export class Sweep {
    readonly settings: Setting[];

    constructor(readonly raw: RawSweep) {
        this.settings = raw.settings.map((s) => ({ ...s, of: unpack(s.of, raw.runs.length)[0]! }));
    }

    // Whether the value of a run is a percentile of too few flows.
    isOfFew(metric: number, row: number): boolean {
        const { least_flows, n_flows, values } = this.raw.metrics[metric]!;
        return n_flows !== undefined && values[row] !== null && (this.raw.metrics[n_flows]!.values[row] ?? Infinity) < least_flows!;
    }

    // The value that is shown.
    valueOf(metric: number, row: number): number | null {
        return this.isOfFew(metric, row) ? null : this.raw.metrics[metric]!.values[row] ?? null;
    }

    hasRun(row: number): boolean {
        return ["complete", "stopped"].includes(this.raw.runs[row]![1]);
    }
}

export interface Cell {
    n: number; // The number of runs with a value; if it is 0, the other numbers are meaningless.
    few: number; // The number of runs left out because their value is a percentile of too few flows.
    runs: number; // The number of runs that have ended.
    dead: number; // The number of these runs with a deadlock.
    failed: number; // The number of runs that were refused or crashed.
    q1: number;
    median: number;
    q3: number;
}

export interface Axes {
    metric: number;
    by: number;
    lines: number | null;
    panels: number | null;
}

// The quantile 'part' of sorted values, interpolated linearly between two values.
function at(sorted: number[], part: number): number {
    const place = part * (sorted.length - 1), below = Math.floor(place);
    const low = sorted[below]!, high = sorted[Math.min(below + 1, sorted.length - 1)]!;
    return low + (place - below) * (high - low);
}

function cellOf(sweep: Sweep, rows: number[], metric: number): Cell {
    const sorted = rows.map((r) => sweep.valueOf(metric, r)).filter((v): v is number => v !== null).sort((a, b) => a - b);
    const done = rows.filter((r) => sweep.hasRun(r));
    const part = (p: number): number => (sorted.length ? at(sorted, p) : NaN);
    return {
        n: sorted.length, few: rows.filter((r) => sweep.isOfFew(metric, r)).length, runs: done.length, failed: rows.length - done.length,
        dead: done.filter((r) => sweep.raw.runs[r]![3]).length, q1: part(0.25), median: part(0.5), q3: part(0.75),
    };
}

// Groups the runs into cells by panel, line and position. A combination without runs has null.
export function group(sweep: Sweep, axes: Axes): (Cell | null)[][][] {
    const of = (setting: number | null, row: number): number => (setting === null ? 0 : sweep.settings[setting]!.of[row]!);
    const n = (setting: number | null): number => (setting === null ? 1 : sweep.settings[setting]!.values.length);
    const rows: number[][][][] = Array.from({ length: n(axes.panels) }, () =>
        Array.from({ length: n(axes.lines) }, () => Array.from({ length: n(axes.by) }, () => [])));
    sweep.raw.runs.forEach((_, row) => rows[of(axes.panels, row)]![of(axes.lines, row)]![of(axes.by, row)]!.push(row));
    return rows.map((panel) => panel.map((line) => line.map((r) => (r.length ? cellOf(sweep, r, axes.metric) : null))));
}
