// The bytes of each flow at the input at the end of a link: a chart for each run, all with the same axis.

import { Line, timeChart } from "./chart";
import { mostOf } from "./overtime";
import { Finer } from "./refine";
import { Run, SeriesKey } from "./run";
import { Samples } from "./samples";
import { Store } from "./store";
import * as units from "./units";

const MAX_LINES = 6;

export function heldSeries(name: string, run: Run): SeriesKey[] {
    const port = run.portNamed(name);
    return port && run.ports[port.peer] ? run.seriesOf("held", "port", port.peer) : [];
}

const peak = (run: Run, s: SeriesKey): number => run.samples.column(s.id).high.reduce((a, b) => Math.max(a, b), 0);

// The flows with the largest peaks, in the order of flows.
function largest(run: Run, series: SeriesKey[]): SeriesKey[] {
    const peaks = new Map(series.map((s) => [s, peak(run, s)]));
    return [...series].sort((a, b) => peaks.get(b)! - peaks.get(a)!).slice(0, MAX_LINES).sort((a, b) => a.flow - b.flow);
}

function linesOf(run: Run, series: SeriesKey[], samples: Samples): Line[] {
    return largest(run, series).map((s, i): Line => {
        const { low, high } = samples.column(s.id);
        return { label: run.flowAt(s.flow).name, colour: i, dash: i, x: samples.times, low, high };
    });
}

export function heldCharts(store: Store, name: string, runs: Run[], finer: Finer): HTMLElement[] {
    const sampled = runs.filter((r) => heldSeries(name, r).length);
    const all = sampled.map((r) => linesOf(r, heldSeries(name, r), finer.get(r) ?? r.samples)), most = mostOf(all.flat());
    return sampled.map((run, i) => {
        const port = run.portNamed(name)!, behind = run.nodes[run.ports[port.peer]!.node]!.name;
        const nFlows = heldSeries(name, run).length, nLines = all[i]!.length;
        const title = `Held by each flow at the input of ${behind} from this link`;
        return timeChart(store, {
            title: runs.length > 1 ? `${title}, ${run.label}` : title, of: name, format: units.bytes, most,
            note: nFlows > nLines ? `${nLines} of ${units.count(nFlows, "flow")}: those with the largest share.` : undefined,
        }, all[i]!);
    });
}
