// The cost of flow control: the number of control frames, and how often they made senders pause, slow down or resume.

import { h, section } from "./dom";
import { Fact, runFact, showFact } from "./facts";
import { Run } from "./run";
import { shownRuns, Store } from "./store";
import * as units from "./units";

interface Cost {
    frames: number;
    bps: number;
    share: number;
    busiest: string;
}

function costOf(run: Run): Cost {
    const gap = units.parseBytes(run.setting("wire", "gap") ?? "") ?? 0;
    let frames = 0, linkBps = 0, most = 0, busiest = "–";
    for (const p of run.ports) {
        const n = run.counter("port", p.id, "n_frames_sent");
        frames += n;
        linkBps += p.rateBps;
        if (n > most) {
            most = n;
            busiest = `${p.name}, ${n.toLocaleString("en")}`;
        }
    }
    const bps = run.untilPs ? (frames * (run.raw.control_bytes + gap) * 8e12) / run.untilPs : 0;
    return { frames, bps, share: linkBps ? bps / linkBps : 0, busiest };
}

// The counts that have a column if any of the runs can have them.
const signals = ["n_pfc_pauses", "n_fafc_pauses", "paused_ps", "n_link_start_waits", "n_rate_changes", "n_marked", "n_cnps",
    "peak_input_queue_bytes", "peak_output_queue_bytes"] as const;

const signalsOf = (runs: Run[]): Fact[] => signals.filter((name) => runs.some((r) => r.raw[name] !== null)).map(runFact);

// The control frames of a run as a bar. Bars of runs are on the same scale.
function bar(run: Run, cost: Cost, most: number): HTMLElement {
    return h("td", { class: "wide" }, h("span", { class: `bar run-${run.index % 6}`,
        style: `width: ${most ? Math.max(0.5, (100 * cost.bps) / most) : 0}%` }));
}

function row(run: Run, cost: Cost, most: number | null, said: Fact[]): HTMLElement {
    const costs = [cost.frames.toLocaleString("en"), units.rate(cost.bps), units.percent(cost.share)];
    return h("tr", {}, h("th", { scope: "row" }, h("span", { class: `swatch run-${run.index % 6}` }), run.label),
        ...costs.map((text) => h("td", {}, run.hasResults ? text : "–")),
        most === null ? null : bar(run, cost, most),
        ...said.map((fact) => h("td", {}, showFact(fact, run.raw))),
        h("td", {}, cost.busiest));
}

// The section is shown only if a run has one of these counts, or control frames.
const causes = signals.filter((name) => name.startsWith("n_"));

export function feedbackSection(store: Store): HTMLElement {
    const body = h("tbody"), head = h("tr");
    const note = h("p", { class: "quiet" });
    const element = section("feedback", "Cost of control frames", h("div", { class: "scroll" }, h("table", { class: "feedback" },
        h("thead", {}, head), body)), note);
    store.listen((view, changed) => {
        if (changed.has("shown") || changed.has("runs")) {
            const runs = shownRuns(view), costs = runs.map(costOf);
            const most = runs.length > 1 ? Math.max(...costs.map((c) => c.bps)) : null;
            const heads = ["run", "control frames", "bandwidth", "share of all links", ...(most === null ? [] : [""])];
            const said = signalsOf(runs);
            element.hidden = runs.every((r, i) => !r.isGoingOn && !costs[i]!.frames && !causes.some((name) => r.raw[name]));
            head.replaceChildren(...heads.map((t) => h("th", { scope: "col" }, t)),
                ...said.map((f) => h("th", { scope: "col", title: f.help }, f.head)), h("th", { scope: "col" }, "most frames sent by"));
            body.replaceChildren(...runs.map((r, i) => row(r, costs[i]!, most, said)));
            note.textContent = runs.some((r) => r.isGoingOn) ? "Control frames are counted when a run ends." : "";
        }
    });
    return element;
}
