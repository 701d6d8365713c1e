// The figures of papers: pictures that the program has drawn from results of `weir reproduce --record`, with published
// values.

import { Claim, claimTables } from "./claims";
import { h, section } from "./dom";
import { saveMenu } from "./save-chart";

export interface Figure {
    file: string;
    study: string;
    name: string; // The argument for `weir reproduce`, such as "fig9".
    source: string;
    panels: { title: string; svg: string; csv: string }[];
}

// Parses a drawing, which is never inserted into the page.
const drawingOf = (xml: string): SVGSVGElement =>
    new DOMParser().parseFromString(xml, "image/svg+xml").documentElement as unknown as SVGSVGElement;

// Shows a picture as an image, so that no script of an untrusted file can run.
function picture(study: string, panel: Figure["panels"][number]): HTMLElement {
    return h("figure", { class: "paper" },
        saveMenu({ title: `${study} ${panel.title}`, svg: () => drawingOf(panel.svg), csv: () => panel.csv }),
        h("img", { src: `data:image/svg+xml,${encodeURIComponent(panel.svg)}`, alt: panel.title }));
}

// The claims that are shown with a figure.
export function claimsOfFigures(figures: Figure[], claims: Claim[]): Set<Claim> {
    return new Set(claims.filter((c) => figures.some((f) => f.study === c.study && f.name === c.figure)));
}

// A gallery of figures, each with its pictures and its claims.
export function figuresSection(figures: Figure[], claims: Claim[], nLeftOut: number): HTMLElement {
    const names = [...new Set(figures.map((f) => `${f.study}, ${f.source}`))];
    return section("figures", "Figures", ...names.map((name) => {
        const parts = figures.filter((f) => `${f.study}, ${f.source}` === name);
        const own = claims.filter((c) => c.study === parts[0]!.study && c.figure === parts[0]!.name);
        return h("article", { class: "paper-figure", "data-figure": parts[0]!.name }, h("h3", {}, name.replace(", ", ": ")),
            h("div", { class: "gallery" }, ...parts.flatMap((f) => f.panels.map((p) => picture(f.study, p)))), ...claimTables(own, claims));
    }), ...(nLeftOut ? [h("p", { class: "quiet" }, `Figures left out: ${nLeftOut}. The page draws the first 400 of a file.`)] : []));
}
