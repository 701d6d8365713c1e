// A new run: a scenario of the folder, and a field for everything that can be set in it.

import { button, h } from "./dom";
import { Folder, Server, Value } from "./server";

export class Form {
    readonly element = h("dialog", { class: "form", "aria-labelledby": "form-title" });
    private readonly scenario = h("select", { id: "scenario", change: () => void this.load() });
    private readonly results = h("input", { type: "text", id: "results", value: "results.db", size: 24 });
    private readonly fields = h("div", { class: "fields" });
    private readonly problem = h("pre", { class: "broken", role: "alert", hidden: true });
    private values: Value[] = [];
    private inputs = new Map<string, HTMLInputElement | HTMLSelectElement>();

    constructor(private readonly server: Server) {
        this.element.append(h("form", { method: "dialog", submit: (e: SubmitEvent) => void this.start(e) },
            h("h2", { id: "form-title" }, "New run"),
            h("p", { class: "row" }, h("label", { for: "scenario" }, "Scenario"), this.scenario,
                h("label", { for: "results" }, "Results file"), this.results),
            this.fields, this.problem,
            h("p", { class: "row" }, h("button", { type: "submit", class: "primary" }, "Start"),
                button("Cancel", () => this.element.close()))));
    }

    open(folder: Folder): void {
        const before = this.scenario.value;
        this.scenario.replaceChildren(...folder.scenarios.map((s) => h("option", { value: s }, s)));
        if (folder.scenarios.includes(before)) {
            this.scenario.value = before;
        }
        const first = folder.files.find((f) => f.runs);
        this.results.value = first?.name ?? "results.db";
        this.say(folder.scenarios.length ? null : "There is no scenario (*.yaml or *.yml) in this folder.");
        this.element.showModal();
        if (folder.scenarios.length && (before !== this.scenario.value || !this.values.length)) {
            void this.load();
        }
    }

    private say(problem: string | null): void {
        this.problem.hidden = problem === null;
        this.problem.textContent = problem ?? "";
    }

    private async load(): Promise<void> {
        try {
            this.say(null);
            this.values = (await this.server.form(this.scenario.value)).values;
        } catch (error) {
            this.values = [];
            this.say(error instanceof Error ? error.message : String(error));
        }
        this.inputs = new Map(this.values.map((v) => [v.key, input(v)]));
        this.draw();
        this.inputs.get("engine")?.addEventListener("change", () => this.draw());
    }

    // First what the scenario is about, then the rest, section by section.
    private draw(): void {
        const engines = (this.inputs.get("engine")?.value ?? "").match(/[\w-]+/g) ?? []; // "pfc", or "[pfc, ecn]".
        const rest = ["engine", "switch.arbitration", "run.time", "run.seed"]
            .map((key) => this.values.find((v) => v.key === key)).filter((v) => v !== undefined);
        const own = engines.map((e) => ({ name: e, values: this.values.filter((v) => v.key.startsWith(`engines.${e}.`)) }));
        const sections = new Map<string, Value[]>();
        for (const v of this.values.filter((x) => !rest.includes(x) && !x.key.startsWith("engines."))) {
            const name = v.key.split(".")[0]!;
            sections.set(name, [...(sections.get(name) ?? []), v]);
        }
        this.fields.replaceChildren(h("div", { class: "grid" }, ...rest.map((v) => this.field(v))),
            ...own.filter((e) => e.values.length).map((e) => h("fieldset", {}, h("legend", {}, e.name),
                h("div", { class: "grid" }, ...e.values.map((v) => this.field(v))))),
            ...[...sections].map(([name, values]) => h("details", {}, h("summary", {}, name),
                h("div", { class: "grid" }, ...values.map((v) => this.field(v))))));
    }

    private field(v: Value): HTMLElement {
        const range = v.min !== undefined ? ` From ${v.min} to ${v.max}.` : "";
        const box = this.inputs.get(v.key)!, id = `set-${v.key}`;
        return h("p", { class: "field" }, h("label", { for: id, title: v.key }, v.key.replace(/^engines\.[^.]*\./, "")), box,
            h("small", { id: `${id}-help` }, `${v.help}${range}`));
    }

    // What was changed is set; the rest is the scenario's.
    private async start(event: SubmitEvent): Promise<void> {
        event.preventDefault();
        const sets = this.values.filter((v) => this.inputs.get(v.key)!.value.trim() !== v.value)
            .map((v) => `${v.key}=${this.inputs.get(v.key)!.value.trim()}`);
        try {
            await this.server.start(this.scenario.value, this.results.value.trim(), sets);
            this.element.close();
        } catch (error) {
            this.say(error instanceof Error ? error.message : String(error));
        }
    }
}

function input(v: Value): HTMLInputElement | HTMLSelectElement {
    const common = { id: `set-${v.key}`, "aria-describedby": `set-${v.key}-help` };
    if (!v.choices) {
        return h("input", { ...common, type: "text", value: v.value, size: 12, required: true, autocomplete: "off" });
    }
    const choices = v.choices.includes(v.value) ? v.choices : [v.value, ...v.choices];
    return h("select", common, ...choices.map((c) => h("option", { value: c, selected: c === v.value }, c)));
}
