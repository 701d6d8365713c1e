// The traffic of a new run: that of the scenario, or a pattern that the user chooses here.

import { h } from "./dom";
import { Pattern, PatternField, Traffic } from "./server";

const SAME = "", NONE = "none";

// The traffic as the scenario has it. If a field is empty, the pattern decides its value.
function written(pattern: Pattern, inputs: Map<string, HTMLInputElement | HTMLSelectElement>): string {
    const set = [...inputs].map(([key, box]): [string, string] => [key, box.value.trim()]).filter(([, value]) => value !== "");
    return `{${[["kind", pattern.name], ...set].map(([key, value]) => `${key}: ${value}`).join(", ")}}`;
}

export class TrafficPicker {
    readonly element: HTMLElement;
    private readonly kind: HTMLSelectElement;
    private readonly fields = h("div", { class: "grid" });
    private readonly keeps = h("input", { type: "checkbox", id: "keep-flows", checked: true });
    private inputs = new Map<string, HTMLInputElement | HTMLSelectElement>();

    constructor(private readonly traffic: Traffic) {
        const own = traffic.workload.length ? `as in the scenario: ${traffic.workload.join(", ")}` : "as in the scenario: none";
        this.kind = h("select", { id: "set-workload", change: () => this.draw() }, h("option", { value: SAME }, own),
            traffic.workload.length ? h("option", { value: NONE }, "none") : null,
            ...traffic.patterns.map((p) => h("option", { value: p.name }, p.name)));
        this.element = h("fieldset", {}, h("legend", {}, "workload"),
            h("p", { class: "row" }, h("label", { for: "set-workload" }, "Traffic pattern"), this.kind), this.fields,
            traffic.flows ? h("p", { class: "row" }, this.keeps,
                h("label", { for: "keep-flows" }, `with the ${traffic.flows} flow${traffic.flows > 1 ? "s" : ""} that the scenario lists`))
                : null);
    }

    // The settings of the traffic. They remove flows that an existing run may list, and claims, which may name these
    // flows.
    get sets(): string[] {
        const pattern = this.chosen();
        const workload = pattern ? [`workload=[${written(pattern, this.inputs)}]`] : this.kind.value === NONE ? ["workload=[]"] : [];
        return [...workload, ...(this.traffic.flows && !this.keeps.checked ? ["flows=[]", "claims=[]"] : [])];
    }

    private chosen(): Pattern | undefined {
        return this.traffic.patterns.find((p) => p.name === this.kind.value);
    }

    private draw(): void {
        const pattern = this.chosen();
        const keys = (pattern?.keys ?? []).map((k): PatternField => ({ ...k, default_text: null }));
        const all = pattern ? [...pattern.parameters, ...keys] : [];
        this.inputs = new Map(all.map((f) => [f.name, parameterBox(`workload-${f.name}`, f)]));
        this.fields.replaceChildren(pattern ? h("p", { class: "quiet wide" }, `${pattern.title}.`) : "",
            ...all.map((f) => h("p", { class: "field" }, h("label", { for: `workload-${f.name}` }, f.name), this.inputs.get(f.name)!,
                h("small", {}, f.help))));
    }
}

// The field of a parameter. If it is empty, the plug-in decides its value.
export function parameterBox(id: string, f: PatternField): HTMLInputElement | HTMLSelectElement {
    if (f.choices) {
        return h("select", { id }, ...f.choices.map((c) => h("option", { value: c, selected: c === f.default_text }, c)));
    }
    return h("input", { type: "text", id, size: 12, autocomplete: "off", placeholder: f.default_text ?? "not set" });
}
