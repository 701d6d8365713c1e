// When the user selects a part of the time, charts are redrawn for it, with more samples of their series if there is a
// server.

import { Run } from "./run";
import { Samples } from "./samples";
import { shownRuns, Store, View } from "./store";

// Samples of runs, with a finer resolution than the samples of the whole time.
export type Finer = Map<Run, Samples>;

const DEADLINE_MS = 250; // The user may still be selecting.
// The number of samples before and after the visible range, for averages and for lines that leave it.
const MARGIN = 40;

// The changes after which charts are drawn again for the whole time.
const anew: (keyof View)[] = ["shown", "runs", "link", "flow"];

// Loads finer samples for a part of the page. That part must create this object before it listens to the view itself.
export class Refiner {
    finer: Finer = new Map();
    private timer = 0;
    private drawnFor: View;

    constructor(private readonly store: Store, private readonly seriesOf: (run: Run, view: View) => number[],
                private readonly show: () => void) {
        this.drawnFor = store.view;
        store.listen((view, changed) => {
            if (anew.some((key) => changed.has(key))) {
                this.finer = new Map();
                this.drawnFor = view;
            }
            if (!changed.has("timePs") || changed.size > 1) {
                clearTimeout(this.timer);
                this.timer = setTimeout(() => void this.refine(), DEADLINE_MS);
            }
        });
    }

    private async refine(): Promise<void> {
        const view = this.store.view, finer: Finer = new Map();
        for (const run of shownRuns(view).filter((r) => r.finer && r.samples.each > 1)) {
            const ids = this.seriesOf(run, view);
            if (ids.length && view.toPs - view.fromPs < 0.9 * run.untilPs) {
                const margin = Math.max((view.toPs - view.fromPs) / 2, (MARGIN * run.samples.periodPs) / run.samples.each);
                finer.set(run, await run.finer!(ids, Math.max(0, view.fromPs - margin), view.toPs + margin));
            }
        }
        const isOther = view.fromPs !== this.drawnFor.fromPs || view.toPs !== this.drawnFor.toPs;
        if (view === this.store.view && (finer.size || this.finer.size || isOther)) {
            this.finer = finer;
            this.drawnFor = view;
            this.show();
        }
    }
}
