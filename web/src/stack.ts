// The engines to run: one, or several in the order in which they were chosen.

import { h } from "./dom";

// The engines in a text such as "pfc" or "[pfc, ecn]".
export const enginesIn = (text: string): string[] => text.match(/[\w-]+/g) ?? [];

export class StackPicker {
    readonly element = h("fieldset", { class: "stack", id: "set-engine" }, h("legend", {}, "engine"));
    private readonly shown = h("output", { class: "stack-order" });
    private chosen: string[];

    constructor(names: string[], value: string, help: string, private readonly changed: () => void) {
        this.chosen = enginesIn(value);
        this.element.append(...names.map((name) => this.box(name)), this.shown, h("small", {}, `${help} Engines are stacked in the order in which you tick them.`));
        this.say();
    }

    get value(): string {
        return this.chosen.length === 1 ? this.chosen[0]! : `[${this.chosen.join(", ")}]`;
    }

    private box(name: string): HTMLElement {
        const input = h("input", { type: "checkbox", value: name, checked: this.chosen.includes(name),
            change: () => this.toggle(name, input.checked) });
        return h("label", {}, input, name);
    }

    private toggle(name: string, isOn: boolean): void {
        this.chosen = [...this.chosen.filter((n) => n !== name), ...(isOn ? [name] : [])];
        this.say();
        this.changed();
    }

    private say(): void {
        this.shown.textContent = this.chosen.length > 1 ? `Stack: ${this.chosen.join(" → ")}` : this.chosen.length ? "" : "Choose at least one.";
    }
}
