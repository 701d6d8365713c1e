// Waits of flows and their causes: the flows that were blocked longest, the causes, and the roots of the pauses.

import { bringPictureIntoSight, chooseFlow } from "./choice";
import { button, h, prose, section } from "./dom";
import { Run } from "./run";
import { shownRuns, Store, View } from "./store";
import { Hop, portName, RawRoot, rootName, FlowWaits, FlowWait, flowWaitsOf } from "./flow-waits";
import * as units from "./units";

const PAGE = 10, MAX_ROOTS = 5;

const MEANING = "How long each flow waited: the total time at its sender, and at each later hop the mean over its packets. " +
    "A pause is followed from port to port to its root, where more packets arrive than can be sent. A victim is blocked by a pause whose root it " +
    "never crosses. Pauses of a port are divided among their roots in proportion to their time.";

export const HOW = "Waits of flows were not recorded. To see victims and causes, run the scenario again with " +
    "`weir run SCENARIO --record RESULTS --why`.";

const time = (ps: number): string => (ps ? units.time(ps, 3) : "–");

export class WhySection {
    readonly element: HTMLElement;
    private readonly tables = h("div", { class: "sidebyside" });
    private nShown = PAGE;

    constructor(private readonly store: Store) {
        this.element = section("why", "Victims and causes", this.tables);
        store.listen((view, changed) => {
            if (changed.has("shown") || changed.has("runs") || changed.has("flow")) {
                this.draw(view);
            }
        });
    }

    private draw(view: View): void {
        const runs = shownRuns(view), told = runs.filter((r) => flowWaitsOf(r));
        const missing = runs.filter((r) => !flowWaitsOf(r)).map((r) => r.label);
        this.element.hidden = !told.length;
        this.tables.replaceChildren(...told.map((r) => this.table(r, flowWaitsOf(r)!, view)));
        this.element.replaceChildren(this.element.firstElementChild!, this.tables,
            h("p", { class: "quiet" }, MEANING),
            missing.length ? h("p", { class: "quiet" }, ...prose(`${units.list(missing)}: ${HOW}`)) : "");
    }

    private table(run: Run, s: FlowWaits, view: View): HTMLElement {
        const kinds = s.raw.waits.map((w, i) => ({ ...w, i })).filter((w) => s.flows.some((f) => f.partsPs[w.i]! > 0));
        const heads = ["flow", "waited", "", ...kinds.map((w) => w.name), "main cause of wait"];
        const shown = s.flows.slice(0, this.nShown), left = s.flows.length - shown.length, most = s.flows[0]?.totalPs ?? 0;
        return h("div", {}, this.summary(run, s, view), h("div", { class: "scroll" }, h("table", { class: "flow-waits" },
            h("thead", {}, h("tr", {}, ...heads.map((t) => h("th", { scope: "col" }, t)))),
            h("tbody", {}, ...shown.flatMap((f) => this.rows(run, s, f, kinds.map((w) => w.i), most, view))))),
        left > 0 ? button(`Show ${Math.min(left, 4 * PAGE)} more of ${left.toLocaleString("en")}`, () => this.showMore()) : null,
        s.flows.length < s.raw.n_waited ? h("p", { class: "quiet" },
            `The page has the ${s.flows.length.toLocaleString("en")} most blocked of ${s.raw.n_waited.toLocaleString("en")}; ` +
            "'weir why --csv' writes all.") : null,
        this.roots(run, s));
    }

    private summary(run: Run, s: FlowWaits, view: View): HTMLElement {
        const n = s.raw.n_victims;
        const victims = n === null ? "; the number of victims is unknown, as only pauses are followed to their root"
            : n ? `; ${units.count(n, "of them is a victim", "of them are victims")}` : "";
        return h("p", {}, view.shown.length > 1 ? h("strong", {}, `${run.label}: `) : null,
            `${s.raw.n_waited.toLocaleString("en")} of ${units.count(s.raw.n_flows, "flow")} waited${victims}.`);
    }

    // The rows of a flow: its own row and, if the flow is chosen, the rows of its hops.
    private rows(run: Run, s: FlowWaits, f: FlowWait, kinds: number[], most: number, view: View): HTMLElement[] {
        const flow = run.flowAt(f.flow), isChosen = view.flow === flow.name;
        const name = button(flow.name, () => chooseFlow(this.store, flow.name),
            { class: "plain", "aria-pressed": String(isChosen), title: "Show its path in the picture" });
        const row = h("tr", { class: isChosen ? "chosen" : "", "data-flow": flow.name }, h("th", { scope: "row" }, name,
            !Number.isNaN(f.victimOf) ? victimMark(run, s, f) : null),
            h("td", {}, time(f.totalPs)), h("td", {}, bar(s, f, most)), ...kinds.map((i) => h("td", {}, time(f.partsPs[i]!))),
            h("td", { class: "words" }, reason(run, s, f)));
        const hops = isChosen ? s.hopsOf(f.flow) : [];
        return [row, ...hops.map((hop, i) => hopRow(run, s, hop, i, kinds))];
    }

    private roots(run: Run, s: FlowWaits): HTMLElement | string {
        if (!s.raw.roots.length) {
            return "";
        }
        const left = s.raw.n_roots - Math.min(MAX_ROOTS, s.raw.roots.length);
        return h("div", {}, h("h3", {}, "Roots of pauses"),
            h("ul", { class: "roots" }, ...s.raw.roots.slice(0, MAX_ROOTS).map((r) => this.root(run, r))),
            left > 0 ? h("p", { class: "quiet" }, `And ${left.toLocaleString("en")} more; 'weir why --json' writes all.`) : null);
    }

    private root(run: Run, root: RawRoot): HTMLElement {
        const victims = root.n_victims ? `, ${root.n_victims.toLocaleString("en")} of which never ${root.n_victims === 1 ? "crosses" : "cross"} it` : "";
        return h("li", {}, h("strong", {}, rootName(run, root)), ` ${ENDS[root.end]}. Because of it ports were paused for ` +
            `${units.time(root.paused_ps, 3)} in all, and ${units.count(root.n_flows, "flow was", "flows were")} blocked${victims}. `,
        button(`Longest chain: ${root.chain.map((p) => portName(run, p)).join(", ")}`, () => {
            this.store.set({ timePs: root.chain_ps, link: portName(run, root.ports[0]!), isPlaying: false });
            bringPictureIntoSight();
        }, { class: "plain", title: "Show the pauses of that time in the picture" }));
    }

    private showMore(): void {
        this.nShown += 4 * PAGE;
        this.draw(this.store.view);
    }
}

const ENDS: Record<RawRoot["end"], string> = {
    output: "is not paused itself: more packets arrive than it can send",
    peer: "is paused by its peer, which names no other cause: it is probably stalled",
    down: "sends nothing: its link is down",
    cycle: "waits for itself: each of its ports is paused because of the next",
};

// A bar with a part for each cause, on the scale of the worst flow.
function bar(s: FlowWaits, f: FlowWait, most: number): HTMLElement {
    return h("span", { class: "parts" }, ...f.partsPs.map((ps, i) => (ps > 0 ? h("span", {
        class: `part wait-${i}`, style: `width: ${((100 * ps) / most).toFixed(2)}%`, title: `${time(ps)} by ${s.raw.waits[i]!.words}`,
    }) : null)));
}

function victimMark(run: Run, s: FlowWaits, f: FlowWait): HTMLElement {
    const root = s.raw.roots[f.victimOf];
    return h("span", { class: "victim", title: `Delayed for ${time(f.victimPs)} by pauses whose root it never crosses` },
        root ? `victim of ${rootName(run, root)}` : "victim");
}

function reason(run: Run, s: FlowWaits, f: FlowWait): string {
    const root = s.raw.roots[f.root];
    return Number.isNaN(f.what) ? "" : `${s.raw.waits[f.what]!.words} at ${portName(run, f.port)}` +
        (root ? `, because of ${rootName(run, root)}` : "");
}

function hopRow(run: Run, s: FlowWaits, hop: Hop, place: number, kinds: number[]): HTMLElement {
    const root = s.raw.roots[hop.root], total = hop.partsPs.reduce((a, b) => a + b, 0);
    return h("tr", { class: "hop" }, h("th", { scope: "row" }, `${place + 1}. ${portName(run, hop.port)}`), h("td", {}, time(total)), h("td", {}),
        ...kinds.map((i) => h("td", {}, time(hop.partsPs[i]!))), h("td", { class: "words" }, root ? `paused because of ${rootName(run, root)}` : ""));
}
