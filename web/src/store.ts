// The view: the shown runs, the instant, the link, and the quantity that gives the colours. Parts of the page listen to
// its changes.

import { HeatChoice } from "./heat-choice";
import { Run } from "./run";

export type Colour = "held" | "load" | "paused" | "rate" | "credit";

export interface View {
    runs: Run[]; // All runs of the page.
    shown: number[]; // The indexes of the shown runs.
    timePs: number;
    fromPs: number; // The visible part of the time.
    toPs: number;
    link: string | null; // The name of a port.
    flow: string | null;
    colour: Colour;
    heat: HeatChoice;
    isPlaying: boolean;
    isLoading: boolean; // True until the server has sent its first runs.
}

type Listener = (view: View, changed: ReadonlySet<keyof View>) => void;

export class Store {
    private readonly listeners: Listener[] = [];

    constructor(public view: View) {}

    // Calls the listener at once, with all members as changed.
    listen(listener: Listener): void {
        this.listeners.push(listener);
        listener(this.view, new Set(Object.keys(this.view) as (keyof View)[]));
    }

    set(change: Partial<View>): void {
        const changed = new Set<keyof View>();
        for (const key of Object.keys(change) as (keyof View)[]) {
            if (this.view[key] !== change[key]) {
                changed.add(key);
            }
        }
        if (changed.size) {
            this.view = { ...this.view, ...change };
            for (const listener of this.listeners) {
                listener(this.view, changed);
            }
        }
    }

    get shown(): Run[] {
        return shownRuns(this.view);
    }
}

export function shownRuns(view: View): Run[] {
    return view.shown.map((i) => view.runs[i]).filter((r) => r !== undefined);
}

// The end of the longest shown run.
export function endPs(runs: Run[]): number {
    return Math.max(1, ...runs.map((r) => r.untilPs));
}
