// The verdict on a run: its most severe event, from a table.

import { workloadValue } from "./facts";
import { Run } from "./run";
import { sceneOf } from "./scene";
import { trouble } from "./troubles";
import * as units from "./units";

export type Level = "bad" | "warn" | "good";

interface Severity {
    level: Level;
    words: (run: Run) => string | null; // The words of the verdict; null: this did not happen.
}

export const VERY_SLOW = 20; // A p99 slowdown from this value on is a warning.

const counted = (n: number | null, one: string, many: string): string | null => (n ? units.count(n, one, many) : null);

function deadlock(run: Run): string | null {
    const dead = sceneOf(run).deadlock, broken = run.raw.deadlock_broken_ps !== null ? ", which the watchdog broke" : "";
    return dead && `Deadlock at ${units.time(dead.formedPs, 3)}${broken}`;
}

function at(run: Run, kind: string, what: string): string | null {
    const first = trouble(run, kind);
    return first ? `${what} at ${units.time(first.first_ps, 3)}` : null;
}

function unfinished({ raw }: Run): string | null {
    const { n_finite: all, n_finished: done } = raw;
    return all !== null && done !== null && done < all
        ? `${(all - done).toLocaleString("en")} of ${units.count(all, "flow")} did not finish` : null;
}

function slow({ raw }: Run): string | null {
    const all = raw.completion.workloads[0];
    if (!all) {
        return null;
    }
    const p99 = workloadValue("slowdown_p99", all), slowest = p99 ?? all.slowdown_max ?? null;
    return slowest !== null && slowest >= VERY_SLOW
        ? `Slow: ${p99 === null ? "maximum" : "p99"} slowdown of ${units.digits(slowest)}` : null;
}

const notEnded: Record<string, string> = { failed: "The run failed", killed: "The run was killed", stopped: "The run was stopped" };

// The number of packets dropped because a buffer was full, at an input or an output, by a watchdog, or at a port whose
// link was down.
export function dropped({ raw }: Run): number | null {
    return raw.n_dropped === null ? null : raw.n_dropped + (raw.n_flushed ?? 0);
}

// The severities in order, the most severe first. The verdict is the first that happened.
const severities: Severity[] = [
    { level: "bad", words: deadlock },
    { level: "bad", words: (r) => at(r, "storm", "Pause storm") },
    { level: "bad", words: (r) => counted(r.raw.n_silent_hosts, "host was silent at the end", "hosts were silent at the end") },
    { level: "bad", words: (r) => counted(r.raw.n_silent_flows, "flow made no progress at the end", "flows made no progress at the end") },
    { level: "bad", words: (r) => counted(r.raw.n_silent_queues, "queue was silent at the end", "queues were silent at the end") },
    {
        level: "bad",
        words: (r) => counted(r.raw.n_collapsed, "flow got less than a tenth of its fair share", "flows got less than a tenth of their fair share"),
    },
    {
        level: "bad",
        words: (r) => counted(r.raw.n_dropped_lossless, "packet of a lossless class was dropped", "packets of a lossless class were dropped"),
    },
    { level: "warn", words: (r) => (r.raw.status === "failed" ? notEnded.failed! : null) }, // The reason of a failed run is its last violation.
    { level: "bad", words: (r) => (r.violations.length ? `Violation: ${r.violations[0]!.what}` : null) },
    { level: "warn", words: (r) => at(r, "stall", "A host stalled") },
    { level: "good", words: (r) => (r.isGoingOn ? "No deadlock so far" : null) },
    { level: "warn", words: (r) => (r.hasResults ? null : notEnded[r.raw.status] ?? "The run did not end") },
    { level: "warn", words: unfinished },
    { level: "warn", words: (r) => counted(r.raw.n_not_started, "flow never started", "flows never started") },
    { level: "warn", words: slow },
    { level: "good", words: (r) => (dropped(r) === 0 ? "No deadlock, no drops" : null) },
    { level: "good", words: (r) => counted(dropped(r), "packet was dropped, no deadlock", "packets were dropped, no deadlock") },
    { level: "good", words: () => "No deadlock" },
];

export interface Verdict {
    level: Level;
    words: string;
}

export function verdictOf(run: Run): Verdict {
    for (const { level, words } of severities) {
        const said = words(run);
        if (said !== null) {
            return { level, words: said };
        }
    }
    throw new Error("the last row of the table fits every run");
}
