// Reads the runs that are embedded in this page.

import { RawPaper } from "./papers";
import { nameRuns, RawRun, Run } from "./run";
import { RawSamples, Samples } from "./samples";
import { RawSweep } from "./sweep-group";
import { Table } from "./table";
import { bytesOf } from "./unpack";

export function makeRun(raw: RawRun, samples: RawSamples, index: number): Run {
    return new Run(raw, new Samples(samples, new Table(raw.series).texts("quantity")), index);
}

// Reads a script element. It has JSON, compressed by gzip and encoded in base64 (report/gz-script.h).
async function unzipped<T>(script: Element): Promise<T> {
    const unzip = new Blob([bytesOf(script.textContent!)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return (await new Response(unzip).json()) as T;
}

function embedded<T>(kind: string): Promise<T[]> {
    return Promise.all([...document.querySelectorAll(`script.${kind}`)].map((script) => unzipped<T>(script)));
}

export const embeddedPapers = (): Promise<RawPaper[]> => embedded("paper");
export const embeddedSweeps = (): Promise<RawSweep[]> => embedded("sweep");

export async function embeddedRuns(): Promise<Run[]> {
    const [runs, samples] = await Promise.all([embedded<RawRun>("run"), embedded<RawSamples>("samples")]);
    const made = runs.map((run, i) => makeRun(run, samples[i]!, i));
    nameRuns(made);
    return made;
}
