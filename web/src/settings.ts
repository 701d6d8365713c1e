// Settings: first the differences between the shown runs, and then all settings.

import { h, section } from "./dom";
import { Run, Setting } from "./run";
import { shownRuns, Store } from "./store";
import * as units from "./units";

const nameOf = (s: Setting): string => (s.section ? `${s.section}.${s.key}` : s.key);

// Whether a setting is shown. Parameters of engines that did not run have no effect.
function applies(run: Run, s: Setting): boolean {
    const engine = /^engines\.(.*)$/.exec(s.section);
    return !engine || run.raw.engines.split(" ").includes(engine[1]!);
}

function table(runs: Run[], names: string[], caption: string): HTMLElement {
    const maps = runs.map((r) => new Map(r.settings.filter((s) => applies(r, s)).map((s) => [nameOf(s), s])));
    return h("div", { class: "scroll" }, h("table", { class: "settings" },
        h("caption", {}, caption),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "setting"), ...runs.map((r) => h("th", { scope: "col" }, r.label)))),
        h("tbody", {}, ...names.map((n) => h("tr", {}, h("th", { scope: "row" }, n),
            ...maps.map((m) => h("td", { title: m.get(n)?.origin ?? "" }, m.get(n)?.value ?? "–")))))));
}

// A table of parameters: a row for each parameter, and a column for each group of nodes with the same values.
function asRan(run: Run): HTMLElement {
    const groups = [...new Map(run.engineParameters.map((p) => [p.node, p])).values()];
    const names = [...new Set(run.engineParameters.map((p) => p.name))];
    const text = (name: string, node: string): string =>
        run.engineParameters.find((p) => p.name === name && p.node === node)?.text ?? "–";
    return h("div", { class: "scroll" }, h("table", { class: "settings" },
        h("caption", {}, run.label),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "parameter"), ...groups.map((g) =>
            h("th", { scope: "col" }, `${g.role}: ${g.node}${g.nNodes > 1 ? ` and ${g.nNodes - 1} more` : ""}`)))),
        h("tbody", {}, ...names.map((n) => h("tr", {}, h("th", { scope: "row" }, n),
            ...groups.map((g) => h("td", {}, text(n, g.node))))))));
}

// The lateness of a lab, compared with the assumed lateness.
function tauText(run: Run): string {
    const { tau_measured_max_ps: measured, tau_estimated_max_ps: estimated, tau_derived_ps: derived } = run.raw, most = measured ?? estimated;
    return most ? `tau up to ${units.time(most)} (${measured ? "measured" : "estimated"}; thresholds were derived for ${units.time(derived!)})` : "";
}

function identity(run: Run): HTMLElement {
    const facts = [
        `run ${run.raw.id} of ${run.raw.file}`, `started ${run.raw.started_at}`, `weir ${run.raw.build}`,
        `seed ${run.raw.seed}`,
        `${units.time(run.untilPs)} ${run.raw.host === "simulator" ? "simulated" : `in a ${run.raw.host}`}`,
        run.raw.wall_s !== null && run.raw.host === "simulator" ? `in ${units.digits(run.raw.wall_s)} s` : "",
        tauText(run),
        run.raw.results_hash ? `hash of results ${run.raw.results_hash}` : "",
    ];
    return h("p", {}, h("span", { class: `swatch run-${run.index % 6}` }), h("strong", {}, run.label), ": ",
        facts.filter(Boolean).join(", "));
}

export function settingsSection(store: Store): HTMLElement {
    const body = h("div");
    store.listen((view, changed) => {
        if (!changed.has("shown") && !changed.has("runs")) {
            return;
        }
        const runs = shownRuns(view);
        const names = [...new Set(runs.flatMap((r) => r.settings.filter((s) => applies(r, s)).map(nameOf)))];
        const value = (r: Run, name: string): string | undefined =>
            r.settings.find((s) => nameOf(s) === name && applies(r, s))?.value;
        const differ = names.filter((n) => new Set(runs.map((r) => value(r, n))).size > 1);
        body.replaceChildren(...runs.map(identity),
            runs.length > 1 ? (differ.length ? table(runs, differ, "Settings that differ")
                : h("p", {}, "These runs have the same settings.")) : "",
            h("details", {}, h("summary", {}, `All ${names.length} settings`), table(runs, names, "All settings")),
            runs.some((r) => r.engineParameters.length) ? h("details", {}, h("summary", {}, "Parameters that the engines ran with"), ...runs.map(asRan)) : "",
            h("details", {}, h("summary", {}, "The scenario that was run"),
                ...runs.map((r) => h("pre", { tabindex: 0, "aria-label": `Scenario of ${r.label}` }, r.raw.scenario))));
    });
    return section("settings", "Settings", body);
}
