// Claims of papers next to measured values, for results of `weir reproduce`. Each claim is a line with a mark at the
// value of the paper, and a dot for the result under each arbitration.

import { h, section, svg } from "./dom";
import { RawTable, Table } from "./table";
import * as units from "./units";

export interface Claim {
    study: string;
    scenario: string;
    isSample: boolean;
    isOfPaper: boolean; // False: the claim is an expectation of Weir.
    source: string;
    figure: string; // The argument for `weir reproduce`.
    engine: string;
    what: string;
    unit: string;
    sign: string;
    published: number;
    measured: { arbitration: string; value: number; lowest: number; highest: number; holds: boolean | null }[];
}

const WIDTH = 320, HEIGHT = 26, EDGE = 8;

// Reads the claims. The rows of one claim, one for each arbitration, are adjacent. 'papers' are the studies with
// statements of a paper.
export function readClaims(raw: RawTable, papers: Set<string>): Claim[] {
    const t = new Table(raw), claims: Claim[] = [];
    const texts = (name: string): string[] => t.texts(name);
    const [study, scenario, source, engine] = [texts("study"), texts("scenario"), texts("source"), texts("engine")];
    const figure = texts("figure");
    const [what, unit, sign, arbitration] = [texts("what"), texts("unit"), texts("sign"), texts("arbitration")];
    const published = t.numbers("published"), measured = t.numbers("measured");
    const lowest = t.numbers("lowest"), highest = t.numbers("highest");
    const holds = t.numbers("holds"), isSample = t.numbers("is_sample");
    for (let i = 0; i < t.n; i++) {
        const value = { arbitration: arbitration[i]!, value: measured[i]!, lowest: lowest[i]!, highest: highest[i]!,
            holds: Number.isNaN(holds[i]) ? null : holds[i] === 1 };
        const last = claims[claims.length - 1];
        const isSame = last && last.scenario === scenario[i] && last.engine === engine[i] && last.what === what[i] &&
            last.source === source[i] && !last.measured.some((m) => m.arbitration === value.arbitration);
        if (isSame) {
            last.measured.push(value);
        } else {
            const isOfPaper = papers.has(study[i]!) && !["theory", "beyond the paper"].includes(source[i]!);
            claims.push({ study: study[i]!, isOfPaper, scenario: scenario[i]!, isSample: isSample[i] === 1, source: source[i]!,
                figure: figure[i]!, engine: engine[i]!, what: what[i]!, unit: unit[i]!, sign: sign[i]!, published: published[i]!, measured: [value] });
        }
    }
    return claims;
}

function show(claim: Claim, value: number): string {
    return Number.isNaN(value) ? "not run" : units.showValue(claim.unit, value);
}

function range(claim: Claim, lowest: number, highest: number): string {
    return lowest < highest ? `${show(claim, lowest)} to ${show(claim, highest)} in single runs` : "";
}

// The results of a claim, such as "5 Gb/s ✓ rr, wfq". Arbitrations with equal results are grouped.
function outcomes(claim: Claim): HTMLElement {
    const groups = new Map<string, string[]>();
    for (const m of claim.measured.filter((x) => !Number.isNaN(x.value))) {
        const mark = m.holds === null ? "" : m.holds ? " ✓" : " ✗";
        const key = show(claim, m.value) + mark;
        groups.set(key, [...(groups.get(key) ?? []), m.arbitration]);
    }
    return h("div", {}, ...[...groups].map(([value, names]) => h("div", { class: value.endsWith("✗") ? "fails" : "" },
        h("strong", {}, value), ` ${names.length === claim.measured.length && names.length > 1 ? "all" : names.join(", ")}`)),
    claim.measured.length === 1 ? range(claim, claim.measured[0]!.lowest, claim.measured[0]!.highest) : "");
}

function plot(claim: Claim, colours: Map<string, number>): SVGSVGElement | string {
    const values = claim.measured.filter((m) => !Number.isNaN(m.value));
    const most = Math.max(claim.published, ...values.map((m) => m.value));
    if (claim.unit === "yes" || !(most > 0)) {
        return "";
    }
    const x = (v: number): string => (EDGE + (v / most) * (WIDTH - 2 * EDGE)).toFixed(1);
    return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, class: "dots", "aria-hidden": "true" },
        svg("path", { class: "axis", d: `M${x(0)} ${HEIGHT / 2}H${x(most)}` }),
        svg("path", { class: "published", d: `M${x(claim.published)} 2V${HEIGHT - 2}` }),
        ...values.map((m) => svg("circle", { cx: x(m.value), cy: HEIGHT / 2, r: 5,
            class: `run-${colours.get(m.arbitration)! % 6} ${m.holds === false ? "hollow" : "full"}` },
        svg("title", {}, `${m.arbitration}: ${show(claim, m.value)} ${range(claim, m.lowest, m.highest)}`))));
}

function table(scenario: string, claims: Claim[], colours: Map<string, number>): HTMLElement {
    const sample = claims.some((c) => c.isSample) ? " (only a sample of its runs, so not judged)" : "";
    const expected = claims.every((c) => c.isOfPaper) ? "published" : "expected";
    const heads = ["source", "scheme", "quantity", expected, "measured, by arbitration", ""];
    return h("div", { class: "scroll" }, h("table", { class: "claims" }, h("caption", {}, scenario + sample),
        h("thead", {}, h("tr", {}, ...heads.map((t) => h("th", { scope: "col" }, t)))),
        h("tbody", {}, ...claims.map((c) => h("tr", {}, h("td", {}, c.source), h("td", {}, c.engine), h("td", {}, c.what),
            h("td", {}, `${c.sign === "=" ? "" : `${c.sign} `}${show(c, c.published)}`), h("td", {}, outcomes(c)),
            h("td", {}, plot(c, colours)))))));
}

function coloursOf(claims: Claim[]): Map<string, number> {
    return new Map([...new Set(claims.flatMap((c) => c.measured.map((m) => m.arbitration)))].map((n, i) => [n, i]));
}

// Tables of claims, one for each scenario. Arbitrations have the same colours in all tables.
export function claimTables(some: Claim[], all: Claim[]): HTMLElement[] {
    const colours = coloursOf(all);
    return [...new Set(some.map((c) => c.scenario))].map((s) => table(s, some.filter((c) => c.scenario === s), colours));
}

// The section of claims. Claims that are shown with their figures are only counted here.
export function claimsSection(claims: Claim[], elsewhere = new Set<Claim>()): HTMLElement {
    const names = [...coloursOf(claims).keys()];
    const judged = claims.flatMap((c) => c.measured).filter((m) => m.holds !== null);
    return section("claims", "Published and measured",
        h("p", {}, `${units.count(claims.length, "claim")}; of ${units.count(judged.length, "outcome")} that could be judged, ` +
            `${judged.filter((m) => m.holds).length} agree with the paper.`),
        h("p", { class: "legend" }, h("span", { class: "sample" }, h("span", { class: "tickmark" }), "published"),
            ...names.map((n, i) => h("span", { class: "sample" }, h("span", { class: `swatch round run-${i % 6}` }), n)),
            h("span", { class: "sample" }, "hollow: does not agree with the paper")),
        ...claimTables(claims.filter((c) => !elsewhere.has(c)), claims));
}
