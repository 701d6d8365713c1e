// The pictures of all shown runs, side by side, with a legend.

import { h, section } from "./dom";
import { isKnown } from "./gates";
import { Overlay } from "./overlay";
import { Picture } from "./picture";
import { Run } from "./run";
import { standstill } from "./story";
import { Colour, shownRuns, Store, View } from "./store";
import { Timeline } from "./timeline";

interface Choice {
    id: Colour;
    title: string;
    cold: string;
    hot: string;
    // The colour is offered if one of these quantities was sampled; an empty list: it is always offered.
    needs: string[];
}

const colours: Choice[] = [
    { id: "held", title: "Blocked", cold: "free to send", hot: "may not send", needs: ["paused", "rate", "credit"] },
    { id: "load", title: "Load", cold: "idle", hot: "fully loaded", needs: [] },
    { id: "paused", title: "Pause", cold: "never paused", hot: "always paused", needs: ["paused"] },
    { id: "rate", title: "Rate", cold: "full rate", hot: "a thousandth of the rate", needs: ["rate"] },
    { id: "credit", title: "Credit", cold: "all credit left", hot: "no credit left", needs: ["credit"] },
];

function offeredFor(runs: Run[]): Choice[] {
    return colours.filter((c) => !c.needs.length || c.needs.some((quantity) => runs.some((r) => isKnown(r, quantity))));
}

export class NetworkSection {
    readonly element: HTMLElement;
    private pictures: Picture[] = [];
    private readonly overlays: Overlay[] = [];
    private readonly choices = h("div", { class: "segments", role: "radiogroup", "aria-label": "Colour links by" });
    private readonly legend = h("p", { class: "legend" });
    private readonly grid = h("div", { class: "sidebyside" });
    private readonly tables = h("div", { class: "sidebyside" });

    constructor(private readonly store: Store, timeline: Timeline) {
        this.element = section("network", "Network over time", h("div", { class: "bar-of-choices" }, this.choices),
            this.grid, this.legend, timeline.element, this.tables);
        store.listen((view, changed) => this.update(view, changed));
    }

    private update(view: View, changed: ReadonlySet<keyof View>): void {
        if (changed.has("shown") || changed.has("runs")) {
            const runs = shownRuns(view);
            this.pictures = runs.map((r) => new Picture(r, this.store, this.roomFor(runs.length)));
            this.grid.replaceChildren(...this.pictures.map((p) => p.element));
            const tables = runs.map((r) => standstill(r, this.store, runs.length > 1)).filter((t) => t !== null);
            this.tables.replaceChildren(...tables);
            const offered = offeredFor(runs);
            if (runs.length && !offered.some((c) => c.id === view.colour)) {
                this.store.set({ colour: offered[0]!.id });
                return;
            }
        }
        if (changed.has("shown") || changed.has("runs") || changed.has("colour")) {
            this.drawChoices(view);
        }
        this.show(view);
    }

    // Adds a drawing over the links.
    overlay(overlay: Overlay): void {
        this.overlays.push(overlay);
        this.show(this.store.view);
    }

    private show(view: View): void {
        for (const picture of this.pictures) {
            picture.show(view, this.overlays.map((o) => o(picture.run, view)));
        }
    }

    // The width that a picture will probably have, until it has been measured.
    private roomFor(nRuns: number): number {
        const page = window.innerWidth < 1180 ? window.innerWidth * 0.94 : window.innerWidth - 620, columns = Math.min(nRuns, Math.max(1, Math.floor(page / 320)));
        return this.grid.clientWidth ? Math.floor((this.grid.clientWidth - 16 * (columns - 1)) / columns) - 34 : Math.floor(page / columns) - 50;
    }

    private drawChoices(view: View): void {
        const runs = shownRuns(view);
        this.choices.replaceChildren(...offeredFor(runs).map((c) => h("label", {},
            h("input", { type: "radio", name: "colour", value: c.id, checked: c.id === view.colour,
                change: () => this.store.set({ colour: c.id }) }), h("span", {}, c.title))));
        const chosen = colours.find((c) => c.id === view.colour)!;
        this.legend.replaceChildren(chosen.cold,
            h("span", { class: view.colour === "load" ? "scale calm" : "scale" }), chosen.hot,
            h("span", { class: "sample" }, h("span", { class: "stilldash" }), "stopped"),
            h("span", { class: "sample" }, h("span", { class: "glassful" }), "water level in a switch: its fullest queue"));
    }
}
