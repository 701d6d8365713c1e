// The facts of runs and workloads, from the table that the program has embedded in this page.

import * as units from "./units";

export interface Fact {
    name: string; // The key in the data of a run or workload, such as "n_pfc_pauses".
    head: string;
    help: string;
    unit: string; // "" for a count.
    least_flows?: number; // A percentile of fewer flows is not shown.
    words?: string; // The words after a number of packets or flows, such as "lost on links".
}

// Values by names that end with a unit; null: unknown.
export interface Values {
    [count: `n_${string}`]: number | null;
    [time: `${string}_ps`]: number | null;
    [size: `${string}_bytes`]: number | null;
    [rate: `${string}_bps`]: number | null;
    [ratio: `slowdown_${string}`]: number | null;
}
export type Name = keyof Values & string;

const table = JSON.parse(document.querySelector("script.facts")!.textContent!) as { facts: Fact[]; workload_facts: Fact[] };

export const workloadFacts = table.workload_facts;

export function runFact(name: string): Fact {
    return table.facts.find((f) => f.name === name)!;
}

// Explains a metric of a sweep, which is a fact of a run or of a workload, such as "all.fct_p99_ps"; "" if the study
// defines it.
export function helpOf(metric: string): string {
    const ofWorkload = workloadFacts.find((f) => metric.endsWith(`.${f.name}`));
    return (table.facts.find((f) => f.name === metric) ?? ofWorkload)?.help ?? "";
}

// The value of a fact of a workload; null: unknown, or a percentile of too few flows.
export function valueOf(fact: Fact, values: Values): number | null {
    return (values.n_flows ?? Infinity) < (fact.least_flows ?? 0) ? null : values[fact.name as Name] ?? null;
}

export function workloadValue(name: Name, values: Values): number | null {
    return valueOf(workloadFacts.find((f) => f.name === name)!, values);
}

export function showFact(fact: Fact, values: Values): string {
    return units.showValue(fact.unit, valueOf(fact, values));
}

// A number with the heading of its fact, such as "1 PFC pause", "30 PFC pauses".
export function counted(fact: Fact, n: number): string {
    return units.count(n, fact.head.slice(0, -1), fact.head);
}
