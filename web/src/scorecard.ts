// The scorecards of papers: a row for each statement, with the published and the measured value, the verdict, and the
// reason for a difference.

import { h, section } from "./dom";
import { RawTable, Table } from "./table";
import * as units from "./units";

const VERDICTS = ["holds", "stronger", "direction", "no", "not tested"];

export interface Statement {
    study: string;
    paper: string; // The title of the paper; "": unknown.
    name: string; // The argument for `weir reproduce`.
    source: string;
    says: string;
    unit: string;
    sign: string;
    published: number;
    measured: number;
    lowest: number;
    highest: number;
    nRuns: number;
    verdict: string;
    why: string;
}

export function readStatements(raw: RawTable): Statement[] {
    const t = new Table(raw);
    const texts = Object.fromEntries(["study", "paper", "name", "source", "says", "unit", "sign", "verdict", "why"].map((n) => [n, t.texts(n)]));
    const numbers = Object.fromEntries(["published", "measured", "lowest", "highest", "n_runs"].map((n) => [n, t.numbers(n)]));
    return Array.from({ length: t.n }, (_, i) => ({
        study: texts.study![i]!, paper: texts.paper![i]!, name: texts.name![i]!, source: texts.source![i]!, says: texts.says![i]!, unit: texts.unit![i]!,
        sign: texts.sign![i]!, verdict: texts.verdict![i]!, why: texts.why![i]!, published: numbers.published![i]!,
        measured: numbers.measured![i]!, lowest: numbers.lowest![i]!, highest: numbers.highest![i]!, nRuns: numbers.n_runs![i]!,
    }));
}

function published(s: Statement): string {
    return Number.isNaN(s.published) ? "" : `${s.sign === "=" ? "" : `${s.sign} `}${units.showValue(s.unit, s.published)}`;
}

// The measured value. A share of runs is shown as a number of runs, unless all runs agree.
function measured(s: Statement): string {
    const isSplit = s.unit === "yes" && s.measured > 0 && s.measured < 1;
    return Number.isNaN(s.measured) ? "" : isSplit ? `${Math.round(s.measured * s.nRuns)} of ${s.nRuns} runs` : units.showValue(s.unit, s.measured);
}

function range(s: Statement): HTMLElement | null {
    const [lowest, highest] = [units.showValue(s.unit, s.lowest), units.showValue(s.unit, s.highest)];
    return s.lowest < s.highest && lowest !== highest ? h("div", { class: "quiet" }, `${lowest} to ${highest}`) : null;
}

function row(s: Statement): HTMLElement {
    return h("tr", {}, h("td", { class: "says" }, s.says, s.why ? h("div", { class: "quiet" }, s.why) : null), h("td", {}, s.source),
        h("td", { class: "number" }, published(s)), h("td", { class: "number" }, measured(s), range(s)),
        h("td", { class: `verdict verdict-${s.verdict.replace(" ", "-")}` }, s.verdict),
        h("td", {}, h("code", {}, `weir reproduce ${s.study} ${s.name}`)));
}

function table(study: string, statements: Statement[]): HTMLElement {
    const counts = VERDICTS.map((v) => [v, statements.filter((s) => s.verdict === v).length] as const).filter(([, n]) => n);
    const heads = ["statement", "source", "published", "measured, median run", "verdict", "command"];
    return h("div", { class: "scroll" }, h("table", { class: "scorecard" },
        h("caption", {}, `${study}: ${units.count(statements.length, "statement")}; ${counts.map(([v, n]) => `${v} ${n}`).join(", ")}`),
        h("thead", {}, h("tr", {}, ...heads.map((t) => h("th", { scope: "col" }, t)))),
        h("tbody", {}, ...statements.map(row))));
}

export function scorecardSection(statements: Statement[]): HTMLElement {
    return section("scorecard", "Statements of the paper",
        h("p", {}, "Holds: within the tolerance. Stronger: beyond the published value. Direction: less than published, but in the direction ",
            "that the paper claims. The range is that of single runs."),
        ...[...new Set(statements.map((s) => s.study))].map((study) => table(study, statements.filter((s) => s.study === study))));
}
