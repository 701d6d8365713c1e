// The runs that were written into this page.

import { RawPaper } from "./papers";
import { nameRuns, RawRun, Run } from "./run";
import { RawSamples, Samples } from "./samples";
import { RawSweep } from "./sweep-group";
import { Table } from "./table";

export function makeRun(raw: RawRun, samples: RawSamples, index: number): Run {
    return new Run(raw, new Samples(samples, new Table(raw.series).texts("quantity")), index);
}

export function embeddedPapers(): RawPaper[] {
    return [...document.querySelectorAll("script.paper")].map((script) => JSON.parse(script.textContent!) as RawPaper);
}

export function embeddedSweeps(): RawSweep[] {
    return [...document.querySelectorAll("script.sweep")].map((script) => JSON.parse(script.textContent!) as RawSweep);
}

export function embeddedRuns(): Run[] {
    const runs = [...document.querySelectorAll("script.run")];
    const samples = [...document.querySelectorAll("script.samples")];
    const made = runs.map((script, i) => makeRun(
        JSON.parse(script.textContent!) as RawRun, JSON.parse(samples[i]!.textContent!) as RawSamples, i));
    nameRuns(made);
    return made;
}
