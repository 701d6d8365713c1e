// Time: a slider, a button that plays, and above the slider how many links are held back when.

import { button, h, svg } from "./dom";
import { Run } from "./run";
import { sceneOf } from "./scene";
import { endPs, shownRuns, Store, View } from "./store";
import * as units from "./units";

const STEPS = 1000, HEIGHT = 44, WIDTH = 1000;
const PLAY_MS = 12000; // All that is in sight, at speed 1.

export class Timeline {
    readonly element: HTMLElement;
    private readonly slider: HTMLInputElement;
    private readonly now = h("output", { class: "now", for: "time" });
    private readonly strip = svg("svg", {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "strip", "aria-hidden": "true",
    });
    private readonly play: HTMLButtonElement;
    private readonly jumps = h("div", { class: "jumps" });
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
        this.element = h("div", { class: "timeline" },
            h("div", { class: "controls" }, this.play, this.speed, this.now, this.jumps),
            h("div", { class: "track" }, this.strip, h("span", { class: "of" }, "share of links held back"), this.slider));
        document.addEventListener("keydown", (e) => this.pageKey(e));
        store.listen((view, changed) => this.update(view, changed));
    }

    private sliderPs(): number {
        const { fromPs, toPs } = this.store.view;
        return fromPs + ((toPs - fromPs) * Number(this.slider.value)) / STEPS;
    }

    // To the next sample, whatever is in sight.
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

    // Space plays and D goes to the deadlock, unless one is writing or on a button.
    private pageKey(event: KeyboardEvent): void {
        const at = event.target as HTMLElement;
        const isBusy = at.matches("textarea, select, button, summary, a") ||
            (at.matches("input") && at !== this.slider);
        if (isBusy || event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        if (event.key === " ") {
            event.preventDefault();
            this.togglePlay();
        } else if (event.key === "d" || event.key === "D") {
            this.goToDeadlock(this.store.shown.find((r) => sceneOf(r).deadlock));
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
        }
        if (changed.has("shown") || changed.has("runs") || changed.has("fromPs") || changed.has("toPs")) {
            this.drawStrip(view);
        }
    }

    private drawJumps(view: View): void {
        const runs = shownRuns(view), end = endPs(runs);
        const dead = runs.filter((r) => sceneOf(r).deadlock);
        this.jumps.replaceChildren(
            ...dead.map((r) => button(runs.length > 1 ? `To the deadlock of ${r.label}` : "To the deadlock",
                () => this.goToDeadlock(r), { class: "jump", title: "Key: D" })),
            button("Whole run", () => this.store.set({ fromPs: 0, toPs: end })));
    }

    private drawStrip(view: View): void {
        const x = (ps: number): number => ((ps - view.fromPs) / Math.max(1, view.toPs - view.fromPs)) * WIDTH;
        const shapes: SVGElement[] = [];
        for (const run of shownRuns(view)) {
            const held = sceneOf(run).held, times = run.samples.times;
            let d = `M${x(0)} ${HEIGHT}`;
            held.forEach((v, i) => (d += `L${x(times[i]!).toFixed(1)} ${(HEIGHT - 2 - v * (HEIGHT - 6)).toFixed(1)}`));
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
