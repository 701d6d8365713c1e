// The events of each run, one card per run; for a deadlock, how the cycle closed, link by link.

import { bringIntoSight } from "./choice";
import { button, h } from "./dom";
import { Deadlock, Standing } from "./deadlock";
import { Run } from "./run";
import { sceneOf } from "./scene";
import { Store } from "./store";
import * as units from "./units";
import { stallWords, stormWords } from "./troubles";
import { verdictOf } from "./verdict";
import {
    retransmitWords, busiestLinkWords, calm, closing, gone, markWords, messageWords, pauseWords, peakWords, ringSentence, silenceWords, tailWords, victims,
    why,
} from "./words";

const MAX_ROWS = 40;

// The card of a run. If there are several cards, each shows only its first paragraph until the user opens it.
export function card(run: Run, isAlone: boolean, goToDeadlock: (run: Run) => void): HTMLElement {
    const dead = sceneOf(run).deadlock, { level, words } = verdictOf(run), [first, ...more] = paragraphs(run, dead);
    return h("article", { class: `card ${level}` },
        h("h3", {}, h("span", { class: `swatch run-${run.index % 6}` }), run.label),
        h("p", { class: "headline" }, words), first,
        ...isAlone || !more.length ? more : [h("details", {}, h("summary", {}, "More"), ...more)],
        ...statusText(run),
        dead ? button("Show how the cycle closed", () => goToDeadlock(run), { class: "primary" }) : null);
}

// Whether the run has ended.
function statusText(run: Run): HTMLElement[] {
    const words: Record<string, string> = {
        running: "This run is still going on, or was killed: the page shows what it has recorded so far.",
        failed: "The run failed: the page shows what it had recorded.",
        killed: "The process of this run was killed: the page shows what it had recorded.",
        stopped: `The run was stopped at ${units.time(run.untilPs)}, before its end.`,
    };
    const text = words[run.raw.status];
    return text ? [h("p", { class: "quiet" }, text)] : [];
}

function paragraphs(run: Run, dead: Deadlock | null): HTMLElement[] {
    const others = run.violations.filter((v) => !(dead && v.what.startsWith("deadlock")));
    return [
        ...(dead ? deadText(run, dead) : []),
        ...paragraph("trouble", stallWords(run), stormWords(run)),
        ...(dead ? [] : calmText(run)),
        others.length ? h("p", { class: "broken" }, `Violations: ${units.list(others.map((v) => v.what))}.`) : null,
        ...paragraph("silent", silenceWords(run)),
        gone(run) ? h("p", { class: "gone" }, gone(run)) : null,
        retransmitWords(run) ? h("p", {}, retransmitWords(run)) : null,
        markWords(run) ? h("p", { class: "marks" }, markWords(run)) : null,
        messageWords(run) ? h("p", { class: "messages" }, messageWords(run)) : null,
    ].filter((p) => p !== null);
}

// A paragraph of the sentences, or nothing if there are none.
function paragraph(name: string, ...sentences: string[]): HTMLElement[] {
    const said = sentences.filter((text) => text);
    return said.length ? [h("p", { class: name }, said.join(" "))] : [];
}

function calmText(run: Run): HTMLElement[] {
    return [...paragraph("calm", calm(run), tailWords(run)), ...paragraph("links", pauseWords(run), peakWords(run), busiestLinkWords(run))];
}

function deadText(run: Run, dead: Deadlock): HTMLElement[] {
    if (!dead.ring.length) { // The results file does not name the ports of the cycle.
        return [];
    }
    return [
        h("p", { class: "waits" }, `${ringSentence(run, dead)}.`),
        h("p", {}, why(run, dead)),
        h("p", {}, `${closing(dead)} ${victims(run, dead)}`),
    ];
}

export function standstill(run: Run, store: Store, withName: boolean): HTMLElement | null {
    const dead = sceneOf(run).deadlock;
    if (!dead) {
        return null;
    }
    const all = [...dead.ring, ...dead.behind].sort((a, b) => a.atPs - b.atPs);
    const left = all.length - MAX_ROWS;
    return h("div", { class: "scroll" }, h("table", { class: "standstill" },
        h("caption", {}, `Links that stopped for good, in the order in which they stopped${withName ? ` (${run.label})` : ""}`),
        h("thead", {}, h("tr", {}, ...["", "stopped at", "link", "where", "flows that it holds up"].map((t) => h("th", { scope: "col" }, t)))),
        h("tbody", {}, ...all.slice(0, MAX_ROWS).map((s) => row(s, store)))),
    left > 0 ? h("p", { class: "quiet" }, `and ${left} more links`) : null);
}

function row(s: Standing, store: Store): HTMLElement {
    const flows = s.flows.map((f) => f.name);
    return h("tr", { class: s.order ? "inring" : "" },
        h("td", { class: "number" }, s.order ? h("span", { class: "badge" }, s.order) : ""),
        h("td", {}, s.order ? units.time(s.atPs, 6) : `about ${units.time(s.atPs)}`),
        h("td", {}, button(s.port.name, () => {
            store.set({ link: s.port.name });
            bringIntoSight("link");
        }, { class: "plain" })),
        h("td", {}, s.order ? "in the cycle" : "behind the cycle"),
        h("td", {}, flows.length > 8 ? `${flows.slice(0, 8).join(", ")} and ${flows.length - 8} more` : flows.join(", ")));
}
