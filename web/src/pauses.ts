// The tree of pauses at an instant, drawn over the picture: paused links, and the roots for which they wait.

import { h } from "./dom";
import { NetworkSection } from "./network";
import { Mark } from "./overlay";
import { Run } from "./run";
import { shownRuns, Store, View } from "./store";
import { Pause, portName, FlowWaits, flowWaitsOf } from "./flow-waits";
import { Timeline } from "./timeline";
import * as units from "./units";

const MAX_NAMES = 4;

function rootsOf(pauses: Pause[]): Set<number> {
    return new Set(pauses.map((p) => p.root).filter((p) => !Number.isNaN(p)));
}

// The marks of paused links and roots. Between a paused port and its root, some ports may be paused only at times, and
// not at this instant.
function marks(run: Run, view: View): ReadonlyMap<number, Mark> {
    const pauses = flowWaitsOf(run)?.pausesAt(view.timePs) ?? [], found = new Map<number, Mark>();
    for (const { next } of pauses) {
        found.set(next, { classes: ["between"] });
    }
    for (const { port } of pauses) {
        found.set(port, { classes: ["waits"] });
    }
    for (const port of rootsOf(pauses)) {
        found.set(port, { classes: [...(found.get(port)?.classes ?? []), "root"], text: "!" });
    }
    return found;
}

function sentence(run: Run, waits: FlowWaits, view: View, withName: boolean): string {
    const pauses = waits.pausesAt(view.timePs), roots = [...rootsOf(pauses)].map((p) => portName(run, p));
    const n = new Set(pauses.map((p) => p.port)).size, shown = roots.slice(0, MAX_NAMES);
    const names = roots.length > MAX_NAMES ? `${shown.join(", ")} and ${roots.length - MAX_NAMES} more` : units.list(shown);
    const who = withName ? `${run.label}: at` : "At", part = waits.partOfPauses;
    const what = !n ? "no port is paused" : `${units.count(n, "port is", "ports are")} paused, ` +
        (roots.length ? `because of ${names}` : "and they wait for each other in a cycle");
    return `${who} ${units.time(view.timePs)} ${what}.${part ? ` The page has ${part}.` : ""}`;
}

export class PauseTree {
    private readonly text = h("p", { class: "pauses", "aria-live": "off" });

    constructor(store: Store, network: NetworkSection, timeline: Timeline) {
        network.overlay(marks);
        timeline.element.after(this.text);
        store.listen((view, changed) => {
            if (changed.has("shown") || changed.has("runs") || changed.has("timePs")) {
                this.draw(shownRuns(view), view);
            }
        });
    }

    private draw(runs: Run[], view: View): void {
        const told = runs.flatMap((r) => {
            const waits = flowWaitsOf(r);
            return waits ? [sentence(r, waits, view, runs.length > 1)] : [];
        });
        this.text.hidden = !told.length;
        this.text.replaceChildren(h("span", { class: "sample" }, h("span", { class: "waitline" }), "paused"),
            h("span", { class: "sample" }, h("span", { class: "rootmark" }, "!"), "root, where the pauses come from"),
            ...told.flatMap((t) => [" ", t]));
    }
}
