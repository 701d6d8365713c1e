// All runs of the served folder, updated as they appear. Ticked runs are shown.

import { button, h, prose } from "./dom";
import { makeRun } from "./embedded";
import { Again } from "./form";
import { nameRuns, numbered, RawRun, Run } from "./run";
import { RawSamples, Samples, spreadOut } from "./samples";
import { Folder, Job, Listed, Server } from "./server";
import { endPs, Store } from "./store";
import { Table } from "./table";
import { count } from "./units";
import { firstLink, firstOf, firstTimes } from "./app";
import { runKey, viewOf, wantedRuns } from "./view-hash";

const MAX_SHOWN = 6, MAX_LISTED = 200, REFRESH_MS = 400;

// Called with the contents of the folder, and with its shown files, whenever these change.
type Listener = (folder: Folder, lookedAt: Folder["files"]) => Promise<void>;

export class Library {
    readonly element = h("section", { class: "library", "aria-label": "Runs of this folder" });
    private readonly list = h("div", { class: "chooser" });
    private readonly jobs = h("div", { class: "jobs" });
    private readonly note = h("p", { class: "quiet", role: "status" });
    private folder: Folder = { files: [], scenarios: [], jobs: [] };
    private known = new Map<string, { file: string; run: Listed }>();
    private chosen: string[] = [];
    private readonly loaded = new Map<string, Run>();
    private isBusy = false;
    private tell: Listener = async () => {};
    private isDue = false;

    constructor(private readonly store: Store, private readonly server: Server,
                private readonly newRun: (folder: Folder, again: Again | null) => void) {
        this.element.append(
            h("div", { class: "controls" }, button("New run…", () => this.newRun(this.folder, null), { class: "primary" }), this.note),
            this.jobs, this.list);
        server.watch(() => this.refresh(), (there) => {
            this.note.textContent = there ? "" : "The server does not answer. The page shows what it received last.";
        });
    }

    listen(tell: Listener): void {
        this.tell = tell;
    }

    // Refreshes the runs. Only one refresh runs at a time; changes meanwhile cause one more.
    refresh(): void {
        this.isDue = true;
        if (!this.isBusy) {
            this.isBusy = true;
            void this.work();
        }
    }

    private async work(): Promise<void> {
        while (this.isDue) {
            this.isDue = false;
            try {
                await this.look();
            } catch (error) {
                this.note.textContent = String(error);
            }
            this.store.set({ isLoading: false });
            await new Promise((done) => setTimeout(done, REFRESH_MS));
        }
        this.isBusy = false;
    }

    private async look(): Promise<void> {
        this.folder = await this.server.state();
        const before = this.known;
        this.known = new Map(this.folder.files.flatMap((f) =>
            (f.runs ?? []).map((run): [string, { file: string; run: Listed }] => [runKey(f.name, run.id), { file: f.name, run }])));
        this.choose(before);
        const changed = await this.load();
        if (changed || this.store.view.runs.length !== this.chosen.length) { // Some runs may have disappeared.
            this.show();
        }
        this.draw();
        await this.tell(this.folder, this.lookedAt());
    }

    // The files of chosen runs, and files without runs.
    private lookedAt(): Folder["files"] {
        const files = new Set(this.chosen.map((k) => this.known.get(k)?.file));
        return this.folder.files.filter((f) => files.has(f.name) || !f.runs?.length);
    }

    // Chooses runs: at first the newest run and the one before it with the same name, later also runs that were started
    // on this page.
    private choose(before: Map<string, unknown>): void {
        const ours = new Set(this.folder.jobs.map((j) => j.results));
        const all = [...this.known.entries()].sort((a, b) => a[1].run.started_at.localeCompare(b[1].run.started_at));
        const name = all.at(-1)?.[1].run.name, alike = all.filter(([, k]) => k.run.name === name).slice(-2);
        const isFirst = !before.size && !this.chosen.length, wanted = all.filter(([key]) => wantedRuns(location.hash).includes(key));
        const fresh = isFirst ? (wanted.length ? wanted : alike) : all.filter(([key, k]) => !before.has(key) && ours.has(k.file));
        this.chosen = [...this.chosen.filter((k) => this.known.has(k)), ...fresh.map(([key]) => key)].slice(-MAX_SHOWN);
    }

    // Loads new runs, and runs that were in progress when they were last loaded.
    private async load(): Promise<boolean> {
        const stale = this.chosen.filter((k) => !this.loaded.get(k) || this.loaded.get(k)!.isGoingOn);
        const nNew = stale.filter((k) => !this.loaded.get(k)).length;
        if (nNew) {
            this.note.textContent = `Loading ${count(nNew, "run")}…`;
            this.draw();
        }
        for (const key of stale) {
            const { file, run } = this.known.get(key)!;
            const raw = await this.server.run(file, run.id);
            const samples = await this.server.samples(file, run.id);
            this.loaded.set(key, this.make(raw, samples, this.chosen.indexOf(key)));
        }
        this.note.textContent = nNew ? "" : this.note.textContent;
        return this.rename() || stale.length > 0;
    }

    // Updates the labels of runs, which have their differences from other runs of the file, when a file gets another
    // run.
    private rename(): boolean {
        const renamed = this.chosen.filter((k) => this.loaded.get(k)!.raw.label !== this.known.get(k)!.run.label);
        for (const key of renamed) {
            this.loaded.get(key)!.raw.label = this.known.get(key)!.run.label;
        }
        return renamed.length > 0;
    }

    private make(raw: RawRun, samples: RawSamples, index: number): Run {
        const run = makeRun(raw, samples, index), quantities = new Table(raw.series).texts("quantity");
        run.finer = async (ids, fromPs, toPs) => new Samples(
            spreadOut(await this.server.part(raw.file, raw.id, ids, fromPs, toPs), ids), quantities);
        return run;
    }

    // Shows the chosen runs. If the shown instant is the end, or a run has just begun, the page stays at the end. Runs
    // that have ended open at the most interesting instant.
    private show(): void {
        const view = this.store.view, wasEnd = view.runs.length ? endPs(view.runs) : 0;
        const runs = this.chosen.map((k, i) => {
            const run = this.loaded.get(k)!;
            return run.index === i ? run : this.make(run.raw, run.samples.raw, i);
        });
        nameRuns(runs);
        const end = endPs(runs);
        const isThere = (r: Run): boolean => view.runs.some((v) => v.raw.file === r.raw.file && v.raw.id === r.raw.id);
        const begins = !view.runs.length || runs.some((r) => r.isGoingOn && !isThere(r));
        const isAtEnd = begins || view.timePs >= wasEnd, seesEnd = begins || view.toPs >= wasEnd;
        const isNew = !view.runs.length && !runs.some((r) => r.isGoingOn);
        const next = {
            ...view, runs, shown: runs.map((_, i) => i), link: view.link ?? firstLink(runs), ...(isNew ? firstTimes(runs) : {
                timePs: isAtEnd ? end : Math.min(view.timePs, end), toPs: seesEnd ? end : Math.min(view.toPs, end),
                fromPs: view.fromPs < end ? view.fromPs : 0,
            }),
        };
        this.store.set(view.runs.length ? next : viewOf(location.hash, next, firstOf));
    }

    private async toggle(key: string): Promise<void> {
        this.chosen = this.chosen.includes(key) ? this.chosen.filter((k) => k !== key) : [...this.chosen, key].slice(-MAX_SHOWN);
        await this.load();
        this.show();
        this.draw();
        await this.tell(this.folder, this.lookedAt());
    }

    // Stops a run, which may have ended meanwhile.
    private stop(job: number): void {
        this.server.stop(job).catch((error: unknown) => (this.note.textContent = String(error)));
    }

    private draw(): void {
        const at = document.activeElement instanceof HTMLInputElement ? document.activeElement.value : null;
        // The files of running jobs. Their errors are not shown, because such a file may not be complete yet.
        const made = new Set(this.folder.jobs.filter((j) => j.status === "running").map((j) => j.results));
        const bad = this.folder.files.filter((f) => f.error && !made.has(f.name));
        this.jobs.replaceChildren(...this.folder.jobs.slice(0, 6).map((j) => this.job(j)),
            ...bad.map((f) => h("p", { class: "broken" }, f.error!)));
        const all = [...this.known.entries()].slice(-MAX_LISTED), isFirst = !this.list.querySelector("input"), scrolled = this.list.scrollTop;
        this.list.replaceChildren(...(all.length ? all.map(([key, k]) => this.entry(key, k.file, k.run))
            : [h("p", {}, ...prose("No results in this folder yet. Start a run here, or run `weir run FILE --record results.db` in it."))]));
        // Long lists scroll. At first the shown runs are visible.
        const on = this.list.querySelector<HTMLElement>(".on");
        this.list.scrollTop = isFirst && on ? on.offsetTop - this.list.offsetTop : scrolled;
        if (at) {
            this.list.querySelector<HTMLInputElement>(`input[value="${CSS.escape(at)}"]`)?.focus();
        }
    }

    private entry(key: string, file: string, run: Listed): HTMLElement {
        const place = this.chosen.indexOf(key);
        const label = numbered(run.id, run.label);
        const again = (): void => this.newRun(this.folder, { file, run: run.id, label: run.label });
        return h("div", { class: place >= 0 ? "run on" : "run" }, h("label", {},
            h("input", { type: "checkbox", value: key, checked: place >= 0, change: () => void this.toggle(key) }),
            place >= 0 ? h("span", { class: `swatch run-${place % 6}` }) : null,
            h("span", {}, h("strong", {}, label), h("small", {}, `${run.name} · ${file} · ${run.status}`))),
        place >= 0 ? button("Run again…", again, { class: "plain", "aria-label": `Run again, with changes: ${file} ${label}` }) : null);
    }

    private job(j: Job): HTMLElement {
        const name = `${j.scenario}${j.settings ? ` (${j.settings})` : ""}`;
        if (j.status === "running") {
            return h("p", { class: "job running" }, `${name} is running. `,
                button("Stop", () => this.stop(j.job), { "aria-label": `Stop ${name}` }));
        }
        const ended: Record<number, string> = { 0: "has finished", 4: "has finished", 130: "was stopped" };
        const how = j.status === "ended" ? ended[j.code ?? 0] : undefined;
        return how ? h("p", { class: "job quiet" }, `${name} ${how}.`)
            : h("div", { class: "job broken" }, h("p", {}, `${name} failed:`), h("pre", {}, j.said.trim() || j.status));
    }
}
