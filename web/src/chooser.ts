// Which runs are shown: one, or several side by side.

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
        this.element.replaceChildren(h("legend", {}, "Runs"), ...view.runs.map((run, i) => {
            const isShown = view.shown.includes(i);
            return h("label", { class: isShown ? "run on" : "run" },
                h("input", { type: "checkbox", checked: isShown, change: () => this.toggle(i) }),
                h("span", { class: `swatch run-${i % 6}` }),
                h("span", {}, h("strong", {}, run.label), h("small", {}, `${run.raw.name} · ${verdictOf(run).words}`)));
        }));
    }

    // One at least stays.
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
