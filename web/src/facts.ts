// The facts of runs and workloads: the table of the program, which has written it into this page.

import * as units from "./units";

export interface Fact {
    name: string; // "n_pfc_pauses": its key in the data of a run or workload.
    head: string;
    help: string;
    unit: string; // "": it is a count.
    least_flows?: number; // A percentile of fewer flows is not shown.
    words?: string; // Behind a number of packets or flows: "lost on links".
}

// The values, by names that end with a unit; null: not known.
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

// Explains a metric of a sweep: a fact of a run, or of a workload, "all.fct_p99_ps"; "": the study measures it.
export function helpOf(metric: string): string {
    const ofWorkload = workloadFacts.find((f) => metric.endsWith(`.${f.name}`));
    return (table.facts.find((f) => f.name === metric) ?? ofWorkload)?.help ?? "";
}

// A fact of a workload; null: it is not known, or a percentile of too few flows.
export function valueOf(fact: Fact, values: Values): number | null {
    return (values.n_flows ?? Infinity) < (fact.least_flows ?? 0) ? null : values[fact.name as Name] ?? null;
}

export function workloadValue(name: Name, values: Values): number | null {
    return valueOf(workloadFacts.find((f) => f.name === name)!, values);
}

export function showFact(fact: Fact, values: Values): string {
    return units.showValue(fact.unit, valueOf(fact, values));
}

// "1 PFC pause", "30 PFC pauses"
export function counted(fact: Fact, n: number): string {
    return units.count(n, fact.head.slice(0, -1), fact.head);
}
