// The parts of the page, from top to bottom.

import { followView } from "./chart";
import { Contents } from "./contents";
import { h, section } from "./dom";
import { bringPictureIntoSight } from "./choice";
import { feedbackSection } from "./feedback";
import { FlowSection } from "./flows";
import { HeatMap } from "./heat";
import { firstHeat } from "./heat-choice";
import { LinkSection } from "./link";
import { NetworkSection } from "./network";
import { PauseTree } from "./pauses";
import { Port, Run } from "./run";
import { sceneOf, worstPs } from "./scene";
import { settingsSection } from "./settings";
import { card } from "./story";
import { numbersSection } from "./numbers";
import { endPs, shownRuns, Store, View } from "./store";
import { Timeline } from "./timeline";
import { First } from "./view-hash";
import { ViewLink } from "./view-link";
import { WhySection } from "./why";

// The runs shown at first: of one scenario, the first run that deadlocks and the first that does not, if both exist.
function firstShown(runs: Run[]): number[] {
    const first = Math.max(0, runs.findIndex((r) => sceneOf(r).deadlock));
    const others = runs.filter((r, i) => i !== first && r.raw.name === runs[first]!.raw.name);
    const alike = others.filter((r) => r.raw.arbitration === runs[first]!.raw.arbitration);
    const second = [...alike, ...others].find((r) => !sceneOf(r).deadlock) ?? alike[0] ?? others[0];
    return (second ? [first, second.index] : [first]).sort((a, b) => a - b);
}

// The instant and the part of the time shown at first. With a deadlock it is the time around it; otherwise it is the
// instant, over all runs, at which the largest share of ports was blocked.
export function firstTimes(runs: Run[]): Pick<View, "timePs" | "fromPs" | "toPs"> {
    const dead = runs.map((r) => sceneOf(r).deadlock).find((d) => d !== null), end = endPs(runs);
    return { timePs: dead?.seenPs ?? worstPs(runs), fromPs: 0, toPs: dead ? Math.min(end, 2 * dead.formedPs) : end };
}

export const firstOf: First = (runs) => ({ ...firstTimes(runs), link: firstLink(runs) });

export function firstView(runs: Run[], isLoading: boolean): View {
    const shown = runs.length ? firstShown(runs) : [], visible = shown.map((i) => runs[i]!);
    return { runs, shown, ...firstOf(visible), flow: null, colour: "held", heat: firstHeat, isPlaying: false, isLoading };
}

// The port with the peak queue at its other end, or at its own output if outputs have queues. Sampled ports take
// precedence.
function fullestPort(run: Run): Port | undefined {
    const peakOf = (name: string, i: number): number => run.maximum("port", i, name) ?? 0;
    const output = (i: number): number => (run.quantities.has("passing") ? peakOf("peak_output_queue_bytes", i) : 0);
    const peak = (p: Port): number => Math.max(peakOf("peak_input_queue_bytes", p.peer), output(p.id));
    const sampled = run.ports.filter((p) => run.isSampled(p));
    return [...(sampled.length ? sampled : run.ports)].sort((a, b) => peak(b) - peak(a))[0];
}

// The link shown at first: a port of the cycle; or the worst root of pauses, if waits were recorded; or the port with
// the peak queue.
export function firstLink(runs: Run[]): string | null {
    const ring = runs.map((run) => sceneOf(run).deadlock?.ring[0]).find((step) => step !== undefined);
    const roots = runs.map((run) => run.ports[run.raw.why?.roots[0]?.ports[0] ?? -1]);
    const root = roots.find((p, i) => p && (runs[i]!.isSampled(p) || !runs[i]!.hasPortSamples));
    return (ring?.port ?? root ?? (runs[0] && fullestPort(runs[0])))?.name ?? null;
}

// Builds the page. 'top' is above the runs: in a report it selects the runs to show, and with a server it does more.
// 'below' has sweeps and claims of papers. 'own' is the title of a page that has more than runs.
export function build(root: HTMLElement, store: Store, top: HTMLElement, below: HTMLElement, own: string): void {
    const timeline = new Timeline(store);
    const cards = h("div", { class: "cards" });
    const title = h("h1"), main = h("main"), overview = h("div", { class: "overview" });
    store.listen((view, changed) => {
        if (changed.has("shown") || changed.has("runs") || changed.has("isLoading")) {
            const runs = shownRuns(view), names = [...new Set(runs.map((r) => r.raw.name))].join(", ");
            title.textContent = own || names || (view.isLoading ? "Loading runs…" : "No run is selected");
            main.hidden = !runs.length;
            document.title = `${title.textContent} – Weir`;
            overview.classList.toggle("several", runs.length > 1);
            cards.replaceChildren(...runs.map((r) => card(r, runs.length === 1, (run) => {
                timeline.goToDeadlock(run);
                bringPictureIntoSight();
            })));
        }
    });
    followView(store);
    const network = new NetworkSection(store, timeline);
    new PauseTree(store, network, timeline);
    overview.append(section("story", "What happened", cards), network.element);
    main.append(numbersSection(store), overview, new HeatMap(store).element, new LinkSection(store).element,
        new WhySection(store).element,
        new FlowSection(store).element, feedbackSection(store), settingsSection(store));
    const content = h("div", { class: "content" },
        h("header", {}, h("p", { class: "brand" }, "Weir"), title, new ViewLink(store).element),
        top, main, below,
        h("footer", {}, "Click a chart to go to that time; drag over it to zoom in. Keys: space plays and pauses, ",
            "D goes to the deadlock, + and − zoom, arrow keys on the slider go one sample back or forward."));
    root.replaceChildren(
        h("a", { class: "skip", href: "#network" }, "Skip to the picture of the network"),
        new Contents(content).element, content);
}
