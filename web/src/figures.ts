// The figures of papers: each drawn from the runs and sweeps that `weir reproduce --record` has kept, with published values next to it.

import { Claim, claimTables } from "./claims";
import { h, section, svg } from "./dom";
import { showValue } from "./facts";
import { scaleOf, sweepChart } from "./sweep-chart";
import { Cell, group, RawSweep, Sweep } from "./sweep-group";

// The paper's values for the figure.
interface Published {
    engine: string;
    sign: string;
    value: number;
}

export interface Figure {
    file: string;
    study: string;
    name: string;
    source: string;
    title: string;
    scenario: string;
    quantity: string;
    object: string;
    by_setting: string;
    line_setting: string;
    sweep: number;
    x_unit: string;
    y_unit: string;
    published: Published[];
    curves: { engine: string; arbitration: string; label: string; x: number[]; y: (number | null)[] }[];
}

const WIDTH = 460, HEIGHT = 240, LEFT = 76, RIGHT = 30, TOP = 10, BOTTOM = 40;

const px = (v: number): string => v.toFixed(1);

// Lines that are broken where there is no value.
function path(curve: Figure["curves"][number], x: (v: number) => number, y: (v: number) => number): string {
    let isDown = false;
    return curve.x.map((at, i) => {
        const value = curve.y[i];
        const piece = value === null || value === undefined ? "" : `${isDown ? "L" : "M"}${px(x(at))} ${px(y(value))}`;
        isDown = piece !== "";
        return piece;
    }).join("");
}

const publishedWords = (p: Published, unit: string): string => `${p.sign === "=" ? "" : `${p.sign} `}${showValue(unit, p.value)}`;

function curveChart(figure: Figure, arbitration: string): HTMLElement {
    const curves = figure.curves.filter((c) => c.arbitration === arbitration);
    const engines = [...new Set(figure.curves.map((c) => c.engine))], labels = [...new Set(curves.map((c) => c.label))];
    const published = figure.published; // A level line for each engine.
    const values = [...curves.flatMap((c) => c.y.filter((v): v is number => v !== null)), ...published.map((p) => p.value)];
    const isTime = figure.object !== "flows", xs = curves.flatMap((c) => c.x);
    const xScale = scaleOf(isTime ? [0, Math.max(...xs, 1)] : xs.length ? xs : [1, 2], isTime);
    const yScale = scaleOf([0, Math.max(...values, 0) || 1], true);
    const x = (v: number): number => LEFT + xScale.place(v) * (WIDTH - LEFT - RIGHT);
    const y = (v: number): number => HEIGHT - BOTTOM - yScale.place(v) * (HEIGHT - BOTTOM - TOP);
    const drawn = curves.map((c) => svg("path", { d: path(c, x, y),
        class: `line run-${engines.indexOf(c.engine) % 6} dash-${labels.indexOf(c.label) % 4}` }));
    const marks = published.map((p) => svg("path", { class: `mark run-${engines.indexOf(p.engine) % 6}`,
        d: `M${LEFT} ${px(y(p.value))}H${WIDTH - RIGHT}` }, svg("title", {}, `published, ${p.engine}: ${publishedWords(p, figure.y_unit)}`)));
    return h("figure", { class: "sweep-chart paper" }, h("figcaption", {}, h("strong", {}, `${figure.title || figure.quantity}, ${arbitration}`)),
        svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${figure.title}, ${arbitration}` },
            svg("path", { class: "axis", d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}` }),
            ...yScale.ticks.map((t) => svg("g", {}, svg("path", { class: "hair", d: `M${LEFT} ${px(y(t))}H${WIDTH - RIGHT}` }),
                svg("text", { x: LEFT - 6, y: px(y(t) + 4), "text-anchor": "end" }, showValue(figure.y_unit, t)))),
            ...xScale.ticks.map((t) => svg("text", { x: px(x(t)), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, showValue(figure.x_unit, t))),
            ...marks, ...drawn),
        h("div", { class: "keys" }, ...curves.map((c) => h("span", { class: "key" },
            h("span", { class: `dash run-${engines.indexOf(c.engine) % 6} dash-${labels.indexOf(c.label) % 4}` }),
            `${c.engine}${c.label ? `, ${c.label}` : ""}`)), published.length ? h("span", { class: "key" }, "thin lines: published") : null));
}

function sweepFigure(figure: Figure, raw: RawSweep): HTMLElement | null {
    const sweep = new Sweep(raw), setting = (name: string): number => sweep.settings.findIndex((s) => s.name === name);
    const metric = raw.metrics.findIndex((m) => m.name === figure.quantity), by = setting(figure.by_setting);
    if (metric < 0 || by < 0) {
        return null;
    }
    const lines = setting(figure.line_setting), cells = group(sweep, { metric, by, lines: lines < 0 ? null : lines, panels: null })[0]!;
    const range = cells.flat().filter((c): c is Cell => c !== null && c.n > 0).flatMap((c) => [c.q1, c.q3]);
    const unit = raw.metrics[metric]!.unit, values = sweep.settings[by]!.values;
    const published = figure.published.filter((p) => values.includes(p.engine))
        .map((p) => ({ value: p.value, words: publishedWords(p, unit), at: values.indexOf(p.engine) }));
    return sweepChart({ title: figure.title || figure.quantity, by: sweep.settings[by]!, unit, published,
        labels: lines < 0 ? [""] : sweep.settings[lines]!.values, cells, range: [0, ...range, ...published.map((p) => p.value)] });
}

// The claims that stand with a figure.
export function claimsOfFigures(figures: Figure[], claims: Claim[]): Set<Claim> {
    return new Set(claims.filter((c) => figures.some((f) => f.study === c.study && f.name === c.figure)));
}

// 'chosen': the arbitration that single runs are shown under, if there are any under it.
export function figuresSection(figures: Figure[], claims: Claim[], sweeps: RawSweep[], chosen = ""): HTMLElement {
    const arbitrations = [...new Set(figures.flatMap((f) => f.curves.map((c) => c.arbitration)))];
    const names = [...new Set(figures.map((f) => `${f.study}, ${f.source}`))];
    const room = h("div");
    const draw = (arbitration: string): void => room.replaceChildren(...names.map((name) => {
        const parts = figures.filter((f) => `${f.study}, ${f.source}` === name);
        const own = claims.filter((c) => c.study === parts[0]!.study && c.figure === parts[0]!.name);
        const drawings = parts.map((f) => {
            const raw = f.object === "sweep" ? sweeps.find((s) => s.file === f.file && s.sweep === f.sweep) : undefined;
            return raw ? sweepFigure(f, raw) : f.curves.length ? curveChart(f, arbitration) : null;
        }).filter((d) => d !== null);
        return h("article", { class: "paper-figure", "data-figure": parts[0]!.name }, h("h3", {}, name.replace(", ", ": ")),
            h("div", { class: "panels" }, ...drawings), ...claimTables(own, claims));
    }));
    const first = arbitrations.includes(chosen) ? chosen : arbitrations[0] ?? "";
    const select = h("select", { change: () => draw(select.value) },
        ...arbitrations.map((a) => h("option", { value: a, selected: a === first }, a)));
    draw(first);
    return section("figures", "Figures", arbitrations.length > 1 ? h("p", {}, h("label", {}, "Single runs under ", select)) : null, room);
}
