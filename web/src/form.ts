// The form for a new run: a scenario of the folder, or the scenario of an existing run, with a field for every setting.

import { button, h } from "./dom";
import { numbered } from "./run";
import { Folder, FormValues, Pattern, Refusal, Server, Value } from "./server";
import { enginesIn, StackPicker } from "./stack";
import { parameterBox, TrafficPicker } from "./traffic";
import * as units from "./units";

type Box = HTMLInputElement | HTMLSelectElement | StackPicker;

// An existing run to repeat with changes.
export interface Again {
    file: string;
    run: number;
    label: string;
}

// The keys of fields that are not under "Advanced", such as the topology and engines.
const first = { run: ["run.time", "run.seed"], traffic: ["transport.kind"], scheme: ["switch.kind", "switch.arbitration", "switch.buffer"] };

// How values of each kind must be written.
const forms: Record<string, string> = {
    rate: "A rate, such as 10Gbps.", bytes: "A size, such as 300KB.", time: "A time, such as 5us.", count: "A whole number.", ratio: "A number.",
    code: "A bit mask, such as 0x0f.",
};

export class Form {
    readonly element = h("dialog", { class: "form", "aria-labelledby": "form-title" });
    private readonly title = h("h2", { id: "form-title" });
    private readonly scenario = h("select", { id: "scenario", change: () => void this.load() });
    private readonly results = h("input", { type: "text", id: "results", value: "results.db", size: 24 });
    private readonly fields = h("div", { class: "fields" });
    private readonly go = h("button", { type: "submit", class: "primary" }, "Start");
    private readonly problem = h("pre", { class: "broken", role: "alert", hidden: true });
    private readonly changes = h("output", { class: "quiet" });
    private values: Value[] = [];
    private engines: Pattern[] = []; // All engines with their parameters.
    private loaded = ""; // The scenario whose fields are shown.
    private boxes = new Map<string, Box>();
    private traffic: TrafficPicker | null = null;

    constructor(private readonly server: Server) {
        this.element.append(h("form", { method: "dialog", submit: (e: SubmitEvent) => void this.start(e) },
            this.title,
            h("p", { class: "row" }, h("label", { for: "scenario" }, "Scenario"), this.scenario,
                h("label", { for: "results" }, "Results file"), this.results),
            this.fields, this.problem,
            h("p", { class: "row" }, this.go, button("Cancel", () => this.element.close()), this.changes)));
        this.element.addEventListener("input", () => this.mark());
    }

    open(folder: Folder, again: Again | null = null): void {
        const before = this.scenario.value, first = folder.files.find((f) => f.runs);
        const recorded = again ? [h("option", { value: `${again.file}#${again.run}` }, `${again.file} ${numbered(again.run, again.label)}`)] : [];
        this.title.textContent = again ? "Run again, with changes" : "New run";
        this.scenario.replaceChildren(...recorded, ...folder.scenarios.map((s) => h("option", { value: s }, s)));
        if (!again && folder.scenarios.includes(before)) {
            this.scenario.value = before;
        }
        this.results.value = again?.file ?? first?.name ?? "results.db";
        this.go.disabled = !this.scenario.value;
        this.say(this.scenario.value ? null : "There is no scenario (*.yaml or *.yml) in this folder.");
        this.element.showModal();
        if (this.scenario.value && this.scenario.value !== this.loaded) {
            void this.load();
        }
    }

    private say(problem: string | null): void {
        this.problem.hidden = problem === null;
        this.problem.textContent = problem ?? "";
    }

    // Loads the fields of a scenario. Meanwhile nothing can be filled in or started, because input for another scenario
    // would be lost.
    private async load(): Promise<void> {
        const wanted = this.scenario.value;
        this.take(null);
        this.say(null);
        this.fields.replaceChildren(h("p", { class: "quiet", role: "status" }, "Reading the scenario…"));
        try {
            const form = await this.server.form(wanted);
            if (wanted === this.scenario.value) {
                this.take(form);
                this.loaded = wanted;
                this.draw();
            }
        } catch (error) {
            if (wanted === this.scenario.value) {
                this.fields.replaceChildren();
                this.say(error instanceof Error ? error.message : String(error));
            }
        }
    }

    private take(form: FormValues | null): void {
        this.loaded = "";
        this.values = form?.values ?? [];
        this.engines = form?.engines ?? [];
        this.traffic = form && new TrafficPicker(form);
        this.boxes = new Map(this.values.map((v) => [v.key, this.box(v)]));
        this.go.disabled = !form;
    }

    private box(v: Value): Box {
        return v.key === "engine" ? new StackPicker(v.choices ?? [], v.value, v.help, () => this.draw()) : input(v);
    }

    // Draws groups of fields: the run, the network, its traffic and its scheme. All other fields are in sections under
    // "Advanced".
    private draw(): void {
        const stack = this.boxes.get("engine"), engines = enginesIn(stack?.value ?? "");
        const own = engines.map((e) => ({ name: e, values: this.parametersOf(e) })).filter((e) => e.values.length);
        const part = (isIn: (v: Value) => boolean): HTMLElement => this.grid(this.values.filter(isIn));
        const isTopology = (v: Value): boolean => v.key.startsWith("topology."), isOfEngine = (v: Value): boolean => /^engines?(\.|$)/.test(v.key);
        const isFirst = (v: Value): boolean => Object.values(first).flat().includes(v.key);
        this.fields.replaceChildren(
            group("Run", part((v) => first.run.includes(v.key))),
            group("Topology", part(isTopology)),
            group("Traffic", this.traffic?.element ?? "", part((v) => first.traffic.includes(v.key))),
            group("Scheme", stack instanceof StackPicker ? stack.element : "",
                ...own.map((e) => h("fieldset", {}, h("legend", {}, e.name), this.grid(e.values))), part((v) => first.scheme.includes(v.key))),
            h("details", { class: "group" }, h("summary", {}, "Advanced"),
                ...this.sections(this.values.filter((v) => !isTopology(v) && !isOfEngine(v) && !isFirst(v)))));
        this.mark();
    }

    private sections(values: Value[]): HTMLElement[] {
        const names = [...new Set(values.map((v) => v.key.split(".")[0]!))];
        return names.map((name) => h("details", {}, h("summary", {}, name), this.grid(values.filter((v) => v.key.split(".")[0] === name))));
    }

    // The parameters of an engine. If the scenario does not mention the engine, its defaults apply until a value is
    // set.
    private parametersOf(engine: string): Value[] {
        const known = this.values.filter((v) => v.key.startsWith(`engines.${engine}.`));
        const fields = known.length ? [] : this.engines.find((e) => e.name === engine)?.parameters ?? [];
        const fresh = fields.map((f): Value => ({ key: `engines.${engine}.${f.name}`, value: f.choices ? f.default_text ?? "" : "", origin: "engine",
            help: f.help, kind: "", may_be_auto: false, may_be_off: false }));
        fields.forEach((f, i) => this.boxes.set(fresh[i]!.key, parameterBox(`set-${fresh[i]!.key}`, f)));
        this.values.push(...fresh);
        return [...known, ...fresh];
    }

    private grid(values: Value[]): HTMLElement {
        return h("div", { class: "grid" }, ...values.map((v) => this.field(v)));
    }

    private field(v: Value): HTMLElement {
        const box = this.boxes.get(v.key) as HTMLInputElement | HTMLSelectElement, id = `set-${v.key}`;
        const words = v.key.replace(/^(engines\.[^.]*|topology)\./, "").split(/(?<=[._])/);
        return h("p", { class: "field" }, h("label", { for: id, title: v.key }, ...words.flatMap((w) => [w, h("wbr")])), box,
            h("small", { id: `${id}-help` }, helpOf(v)));
    }

    private isChanged(v: Value): boolean {
        return this.boxes.get(v.key)!.value.trim() !== v.value;
    }

    // Marks the fields that differ from the scenario, and counts them.
    private mark(): void {
        this.values.forEach((v) => document.getElementById(`set-${v.key}`)?.closest(".field")?.classList.toggle("changed", this.isChanged(v)));
        this.changes.textContent = units.count(this.sets().length, "change");
    }

    // The settings to send: changed values only; all others come from the scenario. Parameters of engines that do not
    // run are not sent.
    private sets(): string[] {
        const engines = enginesIn(this.boxes.get("engine")?.value ?? "");
        const applies = (key: string): boolean => !key.startsWith("engines.") || engines.includes(key.split(".")[1]!);
        return [...this.values.filter((v) => applies(v.key) && this.isChanged(v))
            .map((v) => `${v.key}=${this.boxes.get(v.key)!.value.trim()}`), ...(this.traffic?.sets ?? [])];
    }

    private async start(event: SubmitEvent): Promise<void> {
        event.preventDefault();
        this.forgive();
        try {
            await this.server.start(this.scenario.value, this.results.value.trim(), this.sets());
            this.element.close();
        } catch (error) {
            this.blame(error instanceof Refusal ? error.key : null, error instanceof Error ? error.message : String(error));
        }
    }

    private forgive(): void {
        this.say(null);
        this.element.querySelectorAll(".field-problem").forEach((p) => p.remove());
        this.element.querySelectorAll("[aria-invalid]").forEach((box) => box.removeAttribute("aria-invalid"));
    }

    // Shows the error next to the wrong field, or at the end of the form.
    private blame(key: string | null, text: string): void {
        const box = key ? document.getElementById(`set-${key}`) : null;
        if (!box || !this.element.contains(box)) {
            this.say(text);
            this.problem.scrollIntoView({ block: "nearest" });
            return;
        }
        for (let details = box.closest("details"); details; details = details.parentElement!.closest("details")) {
            details.open = true;
        }
        box.setAttribute("aria-invalid", "true");
        (box.closest(".field") ?? box.parentElement!).append(h("pre", { class: "broken field-problem", role: "alert" }, text.trim()));
        box.focus();
        box.scrollIntoView({ block: "center" });
    }
}

function group(title: string, ...children: (HTMLElement | string)[]): HTMLElement {
    return h("fieldset", { class: "group" }, h("legend", {}, title), ...children);
}

const origins: Record<string, string> = { default: "Default.", derived: "Derived from other values.", engine: "If empty: the engine's default." };

// The help of a field: its meaning, how it is written, its range, and where its value comes from.
function helpOf(v: Value): string {
    const range = v.min !== undefined ? `From ${v.min} to ${v.max}.` : "", words = [v.may_be_auto ? "auto" : "", v.may_be_off ? "off" : ""];
    const others = words.filter((w) => w).join(" or "), written = v.choices ? "" : `${forms[v.kind] ?? ""} ${range}${others ? ` Or ${others}.` : ""}`;
    return [v.help, written.trim(), origins[v.origin] ?? `Set in ${v.origin}.`].filter((t) => t).join(" ");
}

function input(v: Value): HTMLInputElement | HTMLSelectElement {
    const common = { id: `set-${v.key}`, "aria-describedby": `set-${v.key}-help` };
    if (!v.choices) {
        return h("input", { ...common, type: "text", value: v.value, size: 12, required: true, autocomplete: "off" });
    }
    const choices = v.choices.includes(v.value) ? v.choices : [v.value, ...v.choices];
    return h("select", common, ...choices.map((c) => h("option", { value: c, selected: c === v.value }, c)));
}
