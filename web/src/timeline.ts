// The timeline: a slider, and buttons that play and zoom. Behind the slider is the number of blocked links over time,
// and below it are problems.

import { button, h, svg } from "./dom";
import { drawLanes, WIDTH, xOf } from "./lanes";
import { Run } from "./run";
import { sceneOf, worstPs } from "./scene";
import { endPs, shownRuns, Store, View } from "./store";
import { inLane, lanes } from "./troubles";
import * as units from "./units";

const STEPS = 1000, HEIGHT = 36, N_TICKS = 5;
const PLAY_MS = 12000; // At speed 1, the time to play the visible part.

export class Timeline {
    readonly element: HTMLElement;
    private readonly slider: HTMLInputElement;
    private readonly now = h("output", { class: "now", for: "time" });
    private readonly strip = svg("svg", {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "strip", "aria-hidden": "true",
    });
    private readonly play: HTMLButtonElement;
    private readonly jumps = h("div", { class: "jumps" });
    private readonly lanes = h("div", { class: "lanes" });
    private readonly scale = h("div", { class: "of" });
    private readonly ticks = h("div", { class: "ticks", "aria-hidden": "true" });
    private readonly sight = h("p", { class: "sight quiet" });
    private readonly speed = h("select", { "aria-label": "Playback speed" },
        ...[0.25, 0.5, 1, 2, 4].map((v) => h("option", { value: v, selected: v === 1 }, `${v}×`)));
    private lastFrame = 0;

    constructor(private readonly store: Store) {
        this.slider = h("input", {
            type: "range", id: "time", min: 0, max: STEPS, step: 1, "aria-label": "Time",
            input: () => this.store.set({ timePs: this.sliderPs(), isPlaying: false }),
            keydown: (e: KeyboardEvent) => this.key(e),
        });
        this.play = button("▶ Play", () => this.togglePlay(), { class: "play" });
        this.element = h("div", { class: "time" }, h("div", { class: "timeline" },
            h("div", { class: "controls" }, this.play, this.speed, this.now,
                button("−", () => this.zoom(2), { class: "zoom", "aria-label": "Show more of the time", title: "Key: −" }),
                button("+", () => this.zoom(0.5), { class: "zoom", "aria-label": "Zoom in on this instant", title: "Key: +" }), this.jumps),
            this.scale, h("div", { class: "track" }, this.strip, this.slider), this.ticks),
        this.lanes, this.sight);
        document.addEventListener("keydown", (e) => this.pageKey(e));
        store.listen((view, changed) => this.update(view, changed));
    }

    private sliderPs(): number {
        const { fromPs, toPs } = this.store.view;
        return fromPs + ((toPs - fromPs) * Number(this.slider.value)) / STEPS;
    }

    // Goes to the next or previous sample, even outside the visible part.
    private step(by: number): void {
        const run = this.store.shown[0];
        if (run?.samples.n) {
            const row = run.samples.rowAt(this.store.view.timePs);
            const next = Math.min(Math.max(row + by, 0), run.samples.n - 1);
            this.store.set({ timePs: run.samples.times[next]!, isPlaying: false });
        }
    }

    private key(event: KeyboardEvent): void {
        const by: Record<string, number> = {
            ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -20, PageUp: 20,
        };
        const step = by[event.key];
        if (step) {
            event.preventDefault();
            this.step(event.shiftKey ? 10 * step : step);
        }
    }

    // Handles the keys of the page: Space plays, unless a button has the focus; D goes to the deadlock; + and - zoom.
    // Keys are ignored while the user writes.
    private pageKey(event: KeyboardEvent): void {
        const at = event.target as HTMLElement;
        const isWriting = at.matches("textarea, select") || (at.matches("input:not([type=radio], [type=checkbox])") && at !== this.slider);
        if (isWriting || event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        if (event.key === " " && !at.matches("button, summary, a, input:not(#time)")) {
            event.preventDefault();
            this.togglePlay();
        } else if (event.key === "d" || event.key === "D") {
            this.goToDeadlock(this.store.shown.find((r) => sceneOf(r).deadlock));
        } else if (event.key === "+" || event.key === "-") {
            this.zoom(event.key === "+" ? 0.5 : 2);
        }
    }

    goToDeadlock(run: Run | undefined): void {
        const dead = run && sceneOf(run).deadlock;
        if (dead) {
            const end = endPs(this.store.shown);
            this.store.set({
                timePs: dead.seenPs, fromPs: 0, toPs: Math.min(end, 2 * dead.formedPs), isPlaying: false,
            });
        }
    }

    goToWorst(): void {
        this.goTo(worstPs(this.store.shown));
    }

    // Goes to an instant. The visible part follows it if necessary.
    private goTo(timePs: number): void {
        const { fromPs, toPs } = this.store.view, isInSight = timePs >= fromPs && timePs <= toPs;
        this.store.set({ timePs, isPlaying: false, ...(isInSight ? {} : { fromPs: 0, toPs: endPs(this.store.shown) }) });
    }

    // Zooms around the instant. The visible part has at least one sample.
    private zoom(by: number): void {
        const { timePs, fromPs, toPs } = this.store.view, end = endPs(this.store.shown);
        const span = Math.min(end, Math.max((toPs - fromPs) * by, leastSpan(this.store.shown)));
        const from = Math.min(Math.max(0, timePs - span / 2), end - span);
        this.store.set({ fromPs: from, toPs: from + span });
    }

    private togglePlay(): void {
        const { isPlaying, timePs, fromPs, toPs } = this.store.view;
        this.store.set({ isPlaying: !isPlaying, timePs: !isPlaying && timePs >= toPs ? fromPs : timePs });
        this.lastFrame = performance.now();
        requestAnimationFrame((t) => this.frame(t));
    }

    private frame(now: number): void {
        const { isPlaying, timePs, fromPs, toPs } = this.store.view;
        if (!isPlaying) {
            return;
        }
        const by = ((now - this.lastFrame) / PLAY_MS) * Number(this.speed.value) * (toPs - fromPs);
        this.lastFrame = now;
        const next = Math.min(toPs, timePs + Math.max(0, by));
        this.store.set({ timePs: next, isPlaying: next < toPs });
        requestAnimationFrame((t) => this.frame(t));
    }

    private update(view: View, changed: ReadonlySet<keyof View>): void {
        const share = (view.timePs - view.fromPs) / Math.max(1, view.toPs - view.fromPs);
        this.slider.value = String(Math.round(STEPS * share));
        this.slider.setAttribute("aria-valuetext", units.time(view.timePs));
        this.now.textContent = units.time(view.timePs);
        this.play.textContent = view.isPlaying ? "❚❚ Pause" : "▶ Play";
        if (changed.has("shown") || changed.has("runs")) {
            this.drawJumps(view);
            this.element.hidden = shownRuns(view).every((r) => !r.quantities.size && !sceneOf(r).deadlock && !lanes.some((lane) => inLane(r, lane)));
        }
        if (changed.has("shown") || changed.has("runs") || changed.has("fromPs") || changed.has("toPs")) {
            this.drawStrip(view);
            this.drawTicks(view);
            this.lanes.replaceChildren(...drawLanes(view, (ps) => this.goTo(ps)));
            this.sight.textContent = sightWords(view);
        }
    }

    private drawTicks(view: View): void {
        const at = Array.from({ length: N_TICKS }, (_, i) => view.fromPs + ((view.toPs - view.fromPs) * i) / (N_TICKS - 1));
        this.ticks.replaceChildren(...at.map((ps) => h("span", {}, units.timeWithin(ps, view.fromPs, view.toPs))));
    }

    private drawJumps(view: View): void {
        const runs = shownRuns(view), end = endPs(runs);
        const dead = runs.filter((r) => sceneOf(r).deadlock);
        this.jumps.replaceChildren(
            ...dead.map((r) => button(runs.length > 1 ? `To the deadlock of ${r.label}` : "To the deadlock",
                () => this.goToDeadlock(r), { class: "jump", title: "Key: D" })),
            dead.length ? "" : button("Most blocked", () => this.goToWorst(), { class: "jump" }),
            button("Whole run", () => this.store.set({ fromPs: 0, toPs: end })));
    }

    private drawStrip(view: View): void {
        const x = (ps: number): number => xOf(view, ps);
        const shapes: SVGElement[] = [], runs = shownRuns(view);
        const top = scaleOf(Math.max(0, ...runs.map((r) => sceneOf(r).held[sceneOf(r).worstRow] ?? 0)));
        this.scale.textContent = `share of links blocked or throttled, 0 to ${units.percent(top)}`;
        for (const run of runs) {
            const held = sceneOf(run).held, times = run.samples.times;
            let d = `M${x(0)} ${HEIGHT}`;
            held.forEach((v, i) => (d += `L${x(times[i]!).toFixed(1)} ${(HEIGHT - 2 - (v / top) * (HEIGHT - 6)).toFixed(1)}`));
            shapes.push(svg("path", { d: `${d}L${x(run.samples.lastPs)} ${HEIGHT}Z`, class: `area run-${run.index % 6}` }));
            const dead = sceneOf(run).deadlock;
            if (dead) {
                const at = x(dead.formedPs);
                shapes.push(svg("path", { d: `M${at} 0V${HEIGHT}`, class: "mark" }));
            }
        }
        this.strip.replaceChildren(...shapes);
    }
}

// The end of the scale: the next round percentage above the maximum.
const scaleOf = (most: number): number => [0.05, 0.1, 0.2, 0.5].find((s) => s >= most) ?? 1;

// The finest resolution: a sample, or a row of several samples.
function leastSpan(runs: Run[]): number {
    const periods = runs.filter((r) => r.samples.n > 1).map((r) => r.samples.periodPs / (r.finer ? r.samples.each : 1));
    return periods.length ? Math.min(...periods) : 1;
}

function sightWords(view: View): string {
    const runs = shownRuns(view).filter((r) => r.samples.n > 1), run = runs[0];
    if (!run) {
        return "";
    }
    const { each, periodPs } = run.samples, span = `${units.time(view.toPs - view.fromPs, 3)} in sight`;
    const isAll = view.toPs - view.fromPs >= 0.9 * endPs(runs);
    return each === 1 ? `${span}, a sample every ${units.time(periodPs, 3)}.`
        : run.finer ? `${span}, a sample every ${units.time(periodPs / each, 3)}: charts show ${isAll ? `the range of ${each} samples a point; zoom in for single ones.` : "as many as fit."}`
            : `${span}; this page has ${units.count(run.samples.n, "point")} in time, each for ${each} samples of ${units.time(periodPs / each, 3)}: 'weir serve' shows single samples.`;
}
