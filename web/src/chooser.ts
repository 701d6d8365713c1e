// Selects which runs are shown: one, or several side by side.

import { h } from "./dom";
import { endPs, Store, View } from "./store";
import { verdictOf } from "./verdict";

export class Chooser {
    readonly element = h("fieldset", { class: "chooser" });

    constructor(private readonly store: Store) {
        store.listen((view, changed) => {
            if (changed.has("runs") || changed.has("shown")) {
                this.draw(view);
            }
        });
    }

    private draw(view: View): void {
        this.element.hidden = view.runs.length < 2;
        const areSeveral = new Set(view.runs.map((r) => r.raw.name)).size > 1;
        this.element.replaceChildren(h("legend", {}, "Runs"), ...view.runs.map((run, i) => {
            const isShown = view.shown.includes(i); // The strip of numbers shows the verdict of a run that is shown.
            const about = [areSeveral ? run.raw.name : "", isShown ? "" : verdictOf(run).words].filter((text) => text).join(" · ");
            return h("label", { class: isShown ? "run on" : "run" },
                h("input", { type: "checkbox", checked: isShown, change: () => this.toggle(i) }),
                h("span", { class: `swatch run-${i % 6}` }),
                h("span", {}, h("strong", {}, run.label), about ? h("small", {}, about) : null));
        }));
    }

    // Shows or hides a run. At least one run stays visible.
    private toggle(i: number): void {
        const { shown, runs, timePs } = this.store.view;
        const next = shown.includes(i) ? shown.filter((k) => k !== i) : [...shown, i].sort((a, b) => a - b);
        if (next.length) {
            const end = endPs(next.map((k) => runs[k]!));
            this.store.set({ shown: next, toPs: Math.min(this.store.view.toPs, end), timePs: Math.min(timePs, end) });
        } else {
            this.draw(this.store.view);
        }
        this.element.querySelectorAll("input")[i]?.focus();
    }
}
