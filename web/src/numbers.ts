// A strip of numbers for each shown run: its verdict and the most important results.

import { h } from "./dom";
import { workloadValue } from "./facts";
import { Run } from "./run";
import { shownRuns, Store } from "./store";
import * as units from "./units";
import { dropped, verdictOf } from "./verdict";
import { sumOfPauses } from "./words";

interface Figure {
    title: string;
    value: (run: Run) => string | null; // Null: the value is unknown, or does not exist.
    note: (run: Run) => string;
    none: string; // Replaces the note if the value is null.
}

const NOT_YET = "not known before the end", UNKNOWN = "not known";
const orDash = (v: number | null, show: (v: number) => string): string => (v === null ? "–" : show(v));
const time = (v: number | null): string => orDash(v, (ps) => units.time(ps, 3));

function completion({ raw }: Run): string | null {
    const all = raw.completion.workloads[0];
    return all?.n_flows ? `${time(all.fct_p50_ps!)} / ${time(workloadValue("fct_p99_ps", all))}` : null;
}

function completionNote({ raw }: Run): string {
    const { n_flows: n, n_unfinished: left } = raw.completion.workloads[0]!;
    return `n = ${n!.toLocaleString("en")}${left ? `, ${left.toLocaleString("en")} unfinished` : ""}`;
}

function pauses(run: Run): string | null {
    const n = sumOfPauses(run), { paused_ps: ps } = run.raw;
    return n === null || ps === null ? null : n ? `${n.toLocaleString("en")} / ${time(ps)}` : "0";
}

function peaks({ raw }: Run): string | null {
    const { peak_input_queue_bytes: input, peak_output_queue_bytes: output } = raw;
    return input === null && output === null ? null : `${orDash(input, units.bytes)} / ${orDash(output, units.bytes)}`;
}

const figures: Figure[] = [
    { title: "Completion p50 / p99", value: completion, note: completionNote, none: "no finite flows" },
    { title: "Pauses / time paused", value: pauses, note: (r) => (sumOfPauses(r) ? "over all links" : "no link was paused"), none: "does not pause" },
    {
        title: "Dropped packets", value: (r) => dropped(r)?.toLocaleString("en") ?? null, none: UNKNOWN,
        note: (r) => (r.raw.n_dropped_lossless ? `${r.raw.n_dropped_lossless.toLocaleString("en")} lossless` : ""),
    },
    { title: "Peak queue in / out", value: peaks, note: () => "", none: UNKNOWN },
    {
        title: "Utilisation, busiest link", value: (r) => (r.raw.hotspots.link ? units.percent(r.raw.hotspots.link.share) : null), none: UNKNOWN,
        note: (r) => r.ports[r.raw.hotspots.link!.port]?.name ?? "?",
    },
];

function tile(figure: Figure, run: Run): HTMLElement {
    const value = figure.value(run), none = run.isGoingOn ? NOT_YET : run.hasResults ? figure.none : UNKNOWN;
    const note = value === null ? none : figure.note(run);
    return h("div", {}, h("dt", {}, figure.title), h("dd", { class: "figure" }, value ?? "–"), note ? h("dd", { class: "note" }, note) : null);
}

function strip(run: Run): HTMLElement {
    const { level, words } = verdictOf(run);
    return h("dl", { "aria-label": run.label },
        h("div", { class: "of-run" }, h("dt", {}, h("span", { class: `swatch run-${run.index % 6}` }), run.label),
            h("dd", { class: `figure verdict ${level}` }, words)),
        ...figures.map((f) => tile(f, run)));
}

export function numbersSection(store: Store): HTMLElement {
    const strips = h("div", { class: "numbers", role: "group", "aria-label": "The runs in numbers" });
    store.listen((view, changed) => {
        if (changed.has("shown") || changed.has("runs")) {
            strips.replaceChildren(...shownRuns(view).map(strip));
        }
    });
    return strips;
}
